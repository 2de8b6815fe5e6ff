package stet.dao;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.base.Secret;
import stet.core.Role;
import stet.core.Template.PublicationRequest;
import stet.dao.LinkDao.Link;
import stet.dao.MailDao.MailState;
import stet.dao.MailDao.QueuedMail;

/** The queue of emails, in the states that {@link MailDao} explains: each attempt to send one, and lists of them. */
public final class MailQueueDao {
    /** Maximum number of rows in the administrators' list. */
    private static final int LISTED = 50;

    private final Sql sql;
    private final Dao dao;

    MailQueueDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    // ---- sending

    /**
     * The next email to send; tests and review requests come after all others.
     *
     * @param longestPause an email that is due later than this was added before the clock was set back, and is due now
     */
    public Optional<QueuedMail> next(Instant now, Duration longestPause) {
        return sql.first(QueuedMail.class, MailDao.MAIL + """
                where state = 'waiting' and (due_at <= ?1 or due_at > ?2) and (kind <> 'reset' or user_id is not null)
                order by kind in ('test', 'review'), due_at, id
                limit 1
                """, now, now.plus(longestPause));
    }

    public Optional<QueuedMail> find(long id) {
        return sql.first(QueuedMail.class, MailDao.MAIL + "where id = ?", id);
    }

    /** The link in an email, if it is still valid. */
    public Optional<Link> link(QueuedMail mail, Instant now) {
        return mail.linkId() == null ? Optional.empty() : dao.links().find(mail.linkId(), now);
    }

    /** A test's subject and HTML. */
    public record TestContent(String subject, byte[] html) {
    }

    public TestContent content(QueuedMail mail) {
        return sql.first(TestContent.class, "select subject, html from mails where id = ?", mail.id()).orElseThrow();
    }

    /** The review request that an email is about, if it is still open and its recipient may publish and wants these emails. */
    public Optional<PublicationRequest> review(QueuedMail mail) {
        boolean isWanted = sql.exists("""
                select 1 from members
                where account_id = ? and user_id = ? and role in ('editor', 'owner') and review_mails = 1
                """, mail.accountId(), mail.userId());
        return isWanted ? dao.requests().find(mail.accountId(), mail.template()) : Optional.empty();
    }

    /** Whether a test may still be sent: its sender is a member, and its recipient is the sender or a member who receives tests. */
    public boolean isTestAllowed(QueuedMail mail) {
        Optional<Role> sender = mail.senderId() == null ? Optional.empty() : dao.members().role(mail.accountId(), mail.senderId());
        return sender.isPresent() && (mail.userId().equals(mail.senderId()) || dao.mailChoices().receivesTests(mail.accountId(), mail.userId()));
    }

    /** Begins an attempt. @param secret the secret of the link in the email, or null */
    public void begin(long id, String secret) {
        sql.update("""
                update mails
                set state = 'sending', tries = tries + 1, secret_hash = ?2
                where id = ?1
                """, id, secret == null ? null : Secret.sha256(secret));
    }

    /** Ends an email. Its content is deleted. */
    public void end(long id, MailState state, String outcome, Instant now) {
        sql.update("""
                update mails
                set state = ?2, outcome = ?3, ended_at = ?4, subject = null, html = null
                where id = ?1
                """, id, state, outcome, now);
    }

    /** Lets an email wait for another attempt. @param isDoubtful whether it may have been sent */
    public void retry(long id, String outcome, boolean isDoubtful, Instant due) {
        sql.update("""
                update mails
                set state = 'waiting', outcome = ?2, doubtful = max(doubtful, ?3), due_at = ?4
                where id = ?1
                """, id, outcome, isDoubtful, due);
    }

    /** Undoes the beginning of an attempt that has not reached the mail server. */
    public void release(long id) {
        sql.update("""
                update mails
                set state = 'waiting', tries = tries - 1
                where id = ?
                """, id);
    }

    /** Emails whose attempt was interrupted when the process ended. */
    public List<QueuedMail> interrupted() {
        return sql.list(QueuedMail.class, MailDao.MAIL + "where state = 'sending' order by id");
    }

    /** Number of emails that wait to be sent or are being sent. */
    public long waiting() {
        return sql.number("select count(*) from mails where state in ('waiting', 'sending')");
    }

    // ---- reading

    /** Unfinished and failed emails, for administrators; unfinished ones first, then the newest. */
    public List<QueuedMail> problems() {
        return sql.list(QueuedMail.class, MailDao.MAIL + """
                where state in ('waiting', 'sending', 'failed')
                order by state = 'failed', id desc
                limit ?
                """, LISTED);
    }

    /** Time of the last email that the mail server accepted. */
    public Optional<Instant> lastSent() {
        return sql.first(Instant.class, "select max(ended_at) as at from mails where state = 'sent' having at is not null");
    }

    /** A test that the transaction's author has sent. */
    public Optional<QueuedMail> test(long account, long id) {
        return sql.first(QueuedMail.class, MailDao.MAIL + "where account_id = ? and id = ? and sender_id = ? and kind = 'test'",
                account, id, dao.author().user());
    }

    /** The address to which a secret was emailed; empty if it was not. */
    public Optional<String> addressOf(String secret) {
        return sql.first(String.class, "select address from mails where secret_hash = ?", Secret.sha256(secret));
    }
}
