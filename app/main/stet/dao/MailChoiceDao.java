package stet.dao;

import java.util.List;
import stet.core.User;

/** Which emails a member receives, and whether serve sends any. */
public final class MailChoiceDao {
    private final Sql sql;

    MailChoiceDao(Dao dao) {
        this.sql = dao.sql();
    }

    /** Whether serve sends emails, as of its last start. */
    public boolean isSending() {
        return sql.exists("select 1 from mail_settings where sends = 1");
    }

    /** Records whether serve sends emails, for commands. */
    public void setSending(boolean isSending) {
        sql.update("update mail_settings set sends = ?1 where sends <> ?1", isSending);
    }

    /** @param tests whether the member receives tests of other members @param reviews whether the member receives review requests */
    public record MailChoices(boolean tests, boolean reviews) {
    }

    /** @throws java.util.NoSuchElementException if the user is not a member */
    public MailChoices choices(long account, long user) {
        return sql.first(MailChoices.class, """
                select test_mails as tests, review_mails as reviews from members
                where account_id = ? and user_id = ?
                """, account, user).orElseThrow();
    }

    public void choose(long account, long user, MailChoices choices) {
        sql.update("""
                update members
                set test_mails = ?3, review_mails = ?4
                where account_id = ?1 and user_id = ?2
                """, account, user, choices.tests, choices.reviews);
    }

    boolean receivesTests(long account, long user) {
        return sql.exists("select 1 from members where account_id = ? and user_id = ? and test_mails = 1", account, user);
    }

    /** The members who may receive a test by a user: the user, first, and those who chose to, all with a confirmed address. */
    public List<User> recipients(long account, long user) {
        return sql.list(User.class, """
                select u.*
                from members m join users u on u.id = m.user_id
                where m.account_id = ?1 and u.confirmed = 1 and (u.id = ?2 or m.test_mails = 1)
                order by u.id <> ?2, u.email
                """, account, user);
    }
}
