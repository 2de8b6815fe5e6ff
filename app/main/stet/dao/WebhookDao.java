package stet.dao;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.core.Activity.ActivityKind;

/** Accounts' webhooks and the events still to be sent. The activity log is the event queue. */
public final class WebhookDao {
    /** Maximum number of events listed in one message; further events are only counted. */
    public static final int MAX_EVENTS = 10;
    /** The condition for events still to be sent. An import is sent only if it published templates. */
    private static final String PENDING = """
            w.account_id = a.account_id and a.id > w.sent
            and (a.kind in ('review-requested', 'template-published', 'push-rejected') or a.kind = 'imported' and a.number > 0)""";

    private final Sql sql;
    private final Dao dao;

    WebhookDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /**
     * An account's webhook.
     *
     * @param sent          no activity row up to this ID remains to be sent
     * @param tries         number of failed attempts to send the next message
     * @param dueAt         after a failed attempt, the time of the next one; after a request for a test message, the time of that
     *                      request; otherwise the epoch
     * @param triedAt       null before the first attempt
     * @param outcome       why the last attempt failed, or empty
     * @param quotaPeriod   start of the period of the last quota message
     * @param ofAdministrator whether the user who set the webhook is an administrator and still a member
     */
    public record Webhook(long accountId, String url, long sent, boolean test, int tries, Instant dueAt, Instant triedAt, String outcome,
                          Instant quotaPeriod, int quotaPercent, Instant backupFailedAt, boolean ofAdministrator) {
    }

    /**
     * An activity row to send.
     *
     * @param number the number of the published version, or of the templates that an import published; otherwise unused
     */
    public record Event(long id, ActivityKind kind, String actor, String subject, long number, String detail) {
    }

    private static final String WEBHOOK = """
            select w.*, exists (
                select 1 from users p join members m on m.user_id = p.id and m.account_id = w.account_id
                where p.id = w.set_by and p.administrator = 1 and p.deleted_at is null) as of_administrator
            from webhooks w join accounts c on c.id = w.account_id and c.deleted_at is null and c.suspended_at is null
            """;

    /** An account's webhook; empty if there is none, or if the account is suspended or deleted. */
    public Optional<Webhook> find(long account) {
        return sql.first(Webhook.class, WEBHOOK + "where w.account_id = ?", account);
    }

    /** All webhooks of active accounts; webhooks whose last attempt failed come last. */
    public List<Webhook> all() {
        return sql.list(Webhook.class, WEBHOOK + "order by w.outcome <> '', w.account_id");
    }

    /** Sets or replaces the webhook. Earlier activity is not sent. @param host the URL's host, for the activity log */
    public void set(long account, String url, String host, Instant now) {
        sql.update("""
                insert or replace into webhooks (account_id, url, set_by, sent)
                values (?, ?, ?, ?)
                """, account, url, dao.author().user(), newestActivity());
        dao.activity().addOnce(account, ActivityKind.WEBHOOK_CHANGED, "", host, now);
    }

    /** @return whether there was a webhook */
    public boolean remove(long account, Instant now) {
        boolean existed = sql.update("""
                delete from webhooks
                where account_id = ?
                """, account) > 0;
        if (existed) {
            dao.activity().addOnce(account, ActivityKind.WEBHOOK_CHANGED, "", "removed", now);
        }
        return existed;
    }

    /** Requests a test message. @return whether there is a webhook */
    public boolean requestTest(long account, Instant now) {
        return sql.update("""
                update webhooks
                set test = 1, tries = 0, due_at = ?2
                where account_id = ?1
                """, account, now) > 0;
    }

    /** ID of the newest activity row in any account. */
    public long newestActivity() {
        return sql.number("select coalesce(max(id), 0) from activity");
    }

    /**
     * Webhooks with a message to send now: a test, a retry, or activity after the row {@code seen}. Failed webhooks come last so that they
     * do not delay the others. Reads only new activity and pending webhooks.
     */
    public List<Webhook> due(long seen, Instant now) {
        return sql.list(Webhook.class, WEBHOOK + """
                where w.due_at <= ?2 and w.account_id in (
                  select account_id from webhooks where test = 1 or tries > 0
                  union
                  select a.account_id from activity a cross join webhooks w on %s
                  where a.id > ?1)
                order by w.outcome <> '', w.due_at, w.account_id
                """.formatted(PENDING), seen, now);
    }

    /** The oldest events to send, at most {@link #MAX_EVENTS}. */
    public List<Event> events(long account) {
        return sql.list(Event.class, """
                select a.id, a.kind, a.actor, a.subject, a.number, a.detail
                from webhooks w join activity a on %s
                where w.account_id = ?
                order by a.id
                limit ?
                """.formatted(PENDING), account, MAX_EVENTS);
    }

    /** Number of events to send up to and including an activity row. */
    public long countEvents(long account, long upTo) {
        return sql.number("""
                select count(*) from webhooks w join activity a on %s
                where w.account_id = ? and a.id <= ?
                """.formatted(PENDING), account, upTo);
    }

    /**
     * The progress that a message makes, in the terms of {@link Webhook}.
     *
     * @param sent          no activity row up to this ID remains to be sent after the message
     * @param quotaPeriod   period of the last quota message, which may be this message; {@code quotaPercent} and {@code backupFailedAt}
     *                      also refer to the last message of their kind
     */
    public record Covered(long sent, Instant quotaPeriod, int quotaPercent, Instant backupFailedAt) {
    }

    /**
     * Completes a message that was accepted, was dropped after its last attempt, or has become empty. Does nothing if another
     * webhook has been set since the attempt began; even with the same URL, its {@code sent} is later. If a test has been requested
     * since then, {@code dueAt} has changed and the test is still sent.
     *
     * @param before  the webhook before the attempt
     * @param triedAt time of the last attempt, or null
     * @param outcome why the last attempt failed, or empty
     */
    public void end(Webhook before, Covered covered, Instant triedAt, String outcome) {
        sql.update("""
                update webhooks
                set sent = ?3, test = iif(due_at = ?4, 0, test), tries = 0, due_at = iif(due_at = ?4, 0, due_at), tried_at = ?5, outcome = ?6,
                  quota_period = ?7, quota_percent = ?8, backup_failed_at = ?9
                where account_id = ?1 and url = ?2 and sent = ?10
                """, before.accountId, before.url, covered.sent, before.dueAt, triedAt, outcome, covered.quotaPeriod,
                covered.quotaPercent, covered.backupFailedAt, before.sent);
    }

    /**
     * Records a failed attempt. The message is sent again when it is due, or at once if a test has been requested since the attempt began.
     * Does nothing if another webhook has been set since then.
     */
    public void recordFailure(Webhook before, Instant due, Instant now, String outcome) {
        sql.update("""
                update webhooks
                set tries = iif(due_at = ?7, ?3, 0), due_at = iif(due_at = ?7, ?4, due_at), tried_at = ?5, outcome = ?6
                where account_id = ?1 and url = ?2 and sent = ?8
                """, before.accountId, before.url, before.tries + 1, due, now, outcome, before.dueAt, before.sent);
    }
}
