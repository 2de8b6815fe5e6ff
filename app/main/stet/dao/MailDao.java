package stet.dao;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.base.Refusal;
import stet.core.Activity.ActivityKind;
import stet.core.User;

/**
 * Adds emails to Stet's own users and to invited addresses to the queue, which {@link MailQueueDao} sends. Each kind has a limit per user,
 * address or account, so that nobody makes Stet send more than that, whatever they repeat.
 *
 * <pre>
 * requested (reset) ─ a user's address ──┐
 *      └─ another address ──► gone       ├─► waiting ──► sending ──► sent, failed or dropped ── some days later ──► gone
 * any other kind ────────────────────────┘      ▲           │
 *                                               └─ retry ───┘
 * </pre>
 */
public final class MailDao {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    /** Maximum number of tests per hour and waiting, by a user and in an account. */
    public static final int TESTS_OF_USER = 10;
    public static final int TESTS_OF_ACCOUNT = 50;
    private static final int WAITING_TESTS_OF_USER = 5;
    private static final int WAITING_TESTS = 10;
    /** Maximum number of resets to a user per hour and per day, and of addresses that wait to be looked up. */
    private static final int RESETS_PER_HOUR = 3;
    private static final int RESETS_PER_DAY = 10;
    private static final int WAITING_RESETS = 1_000;
    /** Maximum number of links made by owners and administrators, and of notices of each other kind, per day to a user. */
    private static final int RESET_LINKS = 5;
    private static final int NOTICES = 10;
    /** Maximum number of emails to confirm an address, per day by a user and to an address. */
    private static final int CONFIRMATIONS_OF_USER = 5;
    private static final int TO_ADDRESS = 3;
    /** Maximum number of invitations by an account per day. */
    private static final int INVITATIONS = 100;
    /** Maximum number of emails about review requests per hour, by a user and in an account. */
    private static final int REVIEWS_OF_USER = 100;
    private static final int REVIEWS = 200;

    private final Sql sql;
    private final Dao dao;

    MailDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /**
     * Kinds of emails; the names are stored. RESET is requested by the user, RESET_LINK by an owner or administrator. NOTICE tells of a new
     * address, PASSWORD of a new password, TWO_FACTOR of a change of two-factor authentication.
     */
    public enum MailKind {
        RESET, RESET_LINK, ADDRESS, NOTICE, PASSWORD, TWO_FACTOR, INVITATION, REVIEW, TEST;

        @JsonValue
        public String word() {
            return Sql.word(this);
        }
    }

    /** The names are stored. */
    public enum MailState {
        WAITING, SENDING, SENT, FAILED, DROPPED;

        @JsonValue
        public String word() {
            return Sql.word(this);
        }
    }

    /**
     * An email in the queue; the columns are explained in schema.sql.
     *
     * @param tries number of attempts, including one that is running
     */
    public record QueuedMail(long id, MailKind kind, Long accountId, Long userId, Long senderId, String address, Long linkId, String template,
                             MailState state, int tries, boolean isDoubtful, String outcome, Instant createdAt, Instant dueAt, Instant endedAt) {
        /** Time of the next attempt; null if there is none. */
        public Instant nextTryAt() {
            return state == MailState.WAITING ? dueAt : null;
        }
    }

    static final String MAIL = """
            select id, kind, account_id, user_id, sender_id, address, link_id, template, state, tries, doubtful, outcome, created_at, due_at, ended_at
            from mails
            """;

    // ---- adding

    /** The columns of a new row that depend on its kind; null as explained in schema.sql. */
    private record NewMail(MailKind kind, Long account, Long user, String address, Long link) {
        /** An email about a user, which concerns no account. */
        static NewMail aboutUser(MailKind kind, long user, String address) {
            return new NewMail(kind, null, user, address, null);
        }
    }

    private long add(NewMail mail, Instant now) {
        sql.update("""
                insert into mails (kind, account_id, user_id, sender_id, address, link_id, created_at, due_at)
                values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
                """, mail.kind, mail.account, mail.user, dao.author().user(), mail.address, mail.link, now);
        return sql.number("select last_insert_rowid()");
    }

    /** Counts the emails of a kind that were added within a time. @param column the column that must hold the value */
    private long count(MailKind kind, String column, Object value, Duration within, Instant now) {
        return sql.number("select count(*) from mails where " + column + " = ? and kind = ? and created_at > ? and created_at <= ?",
                value, kind, now.minus(within), now);
    }

    /**
     * Adds a test, by the transaction's author.
     *
     * @param recipient the author or a member who chose to receive tests, with a confirmed address
     * @param subject   filled in, like {@code html}
     * @return the email's ID
     * @throws Refusal if the author or the account has sent as many as allowed, or too many wait for the mail server
     */
    public long addTest(long account, User recipient, String template, String subject, byte[] html, Instant now) {
        if (count(MailKind.TEST, "sender_id", dao.author().user(), HOUR, now) >= TESTS_OF_USER) {
            throw new Refusal("You have sent " + TESTS_OF_USER + " tests within an hour; try again later");
        }
        if (count(MailKind.TEST, "account_id", account, HOUR, now) >= TESTS_OF_ACCOUNT) {
            throw new Refusal("This account has sent " + TESTS_OF_ACCOUNT + " tests within an hour; try again later");
        }
        if (waitingTests("sender_id", dao.author().user()) >= WAITING_TESTS_OF_USER) {
            throw new Refusal("The mail server has not yet taken your last " + WAITING_TESTS_OF_USER + " tests; try again later");
        }
        if (waitingTests("account_id", account) >= WAITING_TESTS) {
            throw new Refusal("The mail server has not yet taken the last " + WAITING_TESTS + " tests; try again later");
        }
        long id = add(new NewMail(MailKind.TEST, account, recipient.id(), recipient.email(), null), now);
        sql.update("""
                update mails
                set template = ?2, subject = ?3, html = ?4
                where id = ?1
                """, id, template, subject, html);
        dao.activity().add(account, ActivityKind.TEST_SENT, template, recipient.email(), now);
        return id;
    }

    /** Counts the tests that the mail server has not yet accepted. @param column as for {@link #count} */
    private long waitingTests(String column, Object value) {
        return sql.number("select count(*) from mails where " + column + " = ? and kind = 'test' and state in ('waiting', 'sending')", value);
    }

    /**
     * Adds the email of an invitation.
     *
     * @param field the address's field in the user's form
     * @throws Refusal if the account or the address has had as many as allowed
     */
    public void addInvitation(long account, long link, String address, Instant now, String field) {
        if (count(MailKind.INVITATION, "account_id", account, DAY, now) >= INVITATIONS) {
            throw new Refusal(field, "This account has emailed " + INVITATIONS + " invitations within a day; create links without emails");
        }
        if (count(MailKind.INVITATION, "address", address, DAY, now) >= TO_ADDRESS) {
            throw new Refusal(field, address + " has had " + TO_ADDRESS + " invitations by email within a day; create a link without an email");
        }
        add(new NewMail(MailKind.INVITATION, account, null, address, link), now);
    }

    /**
     * Adds a request for a password reset by a stranger. Does not look for the user, so that known and unknown addresses take equally long;
     * {@link #resolve} does. Does nothing while too many wait.
     */
    public void requestReset(String address, Instant now) {
        sql.update("""
                insert into mails (kind, address, created_at, due_at)
                select 'reset', ?1, ?2, ?2
                where (select count(*) from mails where state = 'waiting' and kind = 'reset') < ?3
                """, address, now, WAITING_RESETS);
    }

    /**
     * Adds the email that confirms a user's present address or a new one, and its link. Only the user's own requests count toward the present
     * address's limit, because others may have tried to change to it before it was this user's.
     *
     * @throws Refusal if the user or the address has had as many as allowed
     */
    public void addConfirmation(User user, String address, Instant now, String secret) {
        boolean isPresent = address.equalsIgnoreCase(user.email());
        long toAddress = isPresent ? ownConfirmations(user.id(), address, now) : count(MailKind.ADDRESS, "address", address, DAY, now);
        if (toAddress >= TO_ADDRESS || count(MailKind.ADDRESS, "user_id", user.id(), DAY, now) >= CONFIRMATIONS_OF_USER) {
            throw tooManyConfirmations();
        }
        long link = dao.links().addConfirmation(user.id(), address, now, secret);
        add(new NewMail(MailKind.ADDRESS, null, user.id(), address, link), now);
    }

    private long ownConfirmations(long user, String address, Instant now) {
        return sql.number("""
                select count(*) from mails
                where address = ? and user_id = ? and kind = 'address' and created_at > ? and created_at <= ?
                """, address, user, now.minus(DAY), now);
    }

    /** The refusal of a confirmation because of its limits. */
    public static Refusal tooManyConfirmations() {
        return new Refusal("email", "Enough emails to confirm this address have been sent today; try again tomorrow, or look for them among spam");
    }

    /** Adds the notice to a user's former address. */
    public void addAddressNotice(long user, String formerAddress, Instant now) {
        add(NewMail.aboutUser(MailKind.NOTICE, user, formerAddress), now);
    }

    /**
     * Adds the emails of a review request, by the transaction's author: to the others who may publish, have a confirmed address and want these
     * emails, except those who have been sent one about this template within the last hour. Adds only as many, to the earliest members first,
     * as the hourly limits of the author and the account allow.
     */
    public void addReviews(long account, String template, Instant now) {
        long room = Math.min(REVIEWS - count(MailKind.REVIEW, "account_id", account, HOUR, now),
                REVIEWS_OF_USER - count(MailKind.REVIEW, "sender_id", dao.author().user(), HOUR, now));
        sql.update("""
                insert into mails (kind, account_id, user_id, sender_id, address, template, created_at, due_at)
                select 'review', m.account_id, u.id, ?3, u.email, ?2, ?4, ?4
                from members m join users u on u.id = m.user_id
                where m.account_id = ?1 and m.role in ('editor', 'owner') and m.review_mails = 1 and u.confirmed = 1 and u.id <> coalesce(?3, 0)
                  and not exists (
                    select 1 from mails
                    where account_id = ?1 and kind = 'review' and created_at > ?5 and created_at <= ?4 and user_id = u.id and template = ?2)
                order by m.since, u.id
                limit ?6
                """, account, template, dao.author().user(), now, now.minus(HOUR), Math.max(0, room));
    }

    /**
     * Adds the email of a reset link that an owner or administrator has made. It does not count as a reset that the user requested.
     *
     * @param account the account of the owner; null for the command line
     * @return false if none is added, because the address is not confirmed or the user has been sent as many as allowed
     */
    public boolean addResetLink(Long account, User user, long link, Instant now) {
        if (!dao.users().isConfirmed(user.id()) || count(MailKind.RESET_LINK, "user_id", user.id(), DAY, now) >= RESET_LINKS) {
            return false;
        }
        add(new NewMail(MailKind.RESET_LINK, account, user.id(), user.email(), link), now);
        return true;
    }

    /**
     * Adds the notice that a user's password was changed, to the address that the user has now. Does nothing if the address is not confirmed, or
     * after {@value #NOTICES} such notices within a day.
     */
    public void addPasswordNotice(User user, Instant now) {
        addNotice(MailKind.PASSWORD, user, now);
    }

    /** Adds the notice that a user's two-factor authentication was turned on or off or has new recovery codes, like {@link #addPasswordNotice}. */
    public void addTwoFactorNotice(User user, Instant now) {
        addNotice(MailKind.TWO_FACTOR, user, now);
    }

    private void addNotice(MailKind kind, User user, Instant now) {
        if (dao.users().isConfirmed(user.id()) && count(kind, "user_id", user.id(), DAY, now) < NOTICES) {
            add(NewMail.aboutUser(kind, user.id(), user.email()), now);
        }
    }

    // ---- requests for a reset

    /** Requests whose address has not been looked up, oldest first. */
    public List<QueuedMail> resetRequests(int limit) {
        return sql.list(QueuedMail.class, MAIL + """
                where state = 'waiting' and kind = 'reset' and user_id is null
                order by due_at, id
                limit ?
                """, limit);
    }

    /**
     * Turns a request into an email with a link. Deletes the request instead if no user with a password who can sign in has confirmed the
     * address, or if this user has been sent as many as allowed.
     *
     * @param secret the secret of the link's row, which nobody learns, because each attempt to send the email makes another one
     * @return whether an email will be sent
     */
    public boolean resolve(QueuedMail request, Instant now, String secret) {
        Optional<User> found = dao.users().find(request.address).filter(this::mayReset)
                .filter(user -> count(MailKind.RESET, "user_id", user.id(), HOUR, now) < RESETS_PER_HOUR
                        && count(MailKind.RESET, "user_id", user.id(), DAY, now) < RESETS_PER_DAY);
        if (found.isEmpty()) {
            delete(request.id);
            return false;
        }
        User user = found.get();
        dao.activity().addResetRequest(user, now);
        sql.update("""
                update mails
                set user_id = ?2, address = ?3, link_id = ?4
                where id = ?1
                """, request.id, user.id(), user.email(), dao.links().addRequestedReset(user, now, secret));
        return true;
    }

    /** Whether a user has confirmed the address and can sign in with a password. Without one, the user signs in by a proxy or not at all. */
    private boolean mayReset(User user) {
        return dao.users().isConfirmed(user.id()) && dao.users().password(user.id()).isPresent() && !dao.members().isSuspended(user);
    }

    private void delete(long id) {
        sql.update("""
                delete from mails
                where id = ?
                """, id);
    }
}
