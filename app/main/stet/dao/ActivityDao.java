package stet.dao;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.core.Activity.ActivityKind;
import stet.core.Activity;
import stet.core.Actor;
import stet.core.LimitChange;
import stet.core.User;

/**
 * The activity log. Each change is recorded in the transaction that makes it, which also adds the change to the server's log
 * ({@link RecordedChange}). A change is one line, even if it is merged into an earlier row or recorded in several accounts.
 */
public final class ActivityDao {
    /** Repeated changes are merged into one row for this long after the first. */
    private static final Duration BURST = Duration.ofMinutes(10);
    /** Number of newest rows of an account that are searched for a row to merge with. */
    private static final int NEWEST = 50;
    /** Maximum number of rows of an account that are searched for one page. */
    public static final int MAX_SCANNED = 2_000;

    private final Sql sql;
    private final Dao dao;

    ActivityDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    // ---- writing

    /** Records a change without a number. */
    public void add(Long account, ActivityKind kind, String subject, String detail, Instant now) {
        add(account, kind, subject, 0, detail, now);
    }

    /**
     * Records a change by the transaction's author. Does nothing if there is no author.
     *
     * @param account null for the whole installation
     * @param subject for example, a template ID, the name of a block or key, or an email address; may be empty
     * @param number  a count or a version number; 0 for none
     * @param detail  additional text, or empty
     */
    public void add(Long account, ActivityKind kind, String subject, long number, String detail, Instant now) {
        if (dao.author().name() != null) {
            insert(account, kind, subject, number, detail, now);
            log(account, kind, subject, number, detail);
        }
    }

    /** Records a change of an account's limits. */
    void addLimits(long account, LimitChange limits, Instant now) {
        add(account, ActivityKind.PLAN_CHANGED, "", limits.detail(), now);
    }

    private void insert(Long account, ActivityKind kind, String subject, long number, String detail, Instant now) {
        Actor author = dao.author();
        sql.update("""
                insert into activity (account_id, at, user_id, actor, address, kind, subject, number, detail)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, account, now, author.user(), author.name(), author.address(), kind, subject, number, detail);
    }

    /** Adds a change by the transaction's author to the lines that the server logs after the commit. @param account null for none */
    private void log(Long account, ActivityKind kind, String subject, long number, String detail) {
        log(account, List.of(new Recorded(kind, subject, number, detail)));
    }

    /** A row as it was recorded. */
    record Recorded(ActivityKind kind, String subject, long number, String detail) {
        /** The detail in the server's log; empty for a single change of a merged kind, whose detail would only be its number. */
        private String logDetail() {
            return number == 1 && kind.isMerged() ? "" : kind.detail(number, detail);
        }
    }

    /** Adds changes that are already in the activity log to the lines that the server logs after the commit. */
    void log(Long account, List<Recorded> changes) {
        if (dao.author().name() != null && !changes.isEmpty()) {
            String name = account == null ? null : sql.first(String.class, "select name from accounts where id = ?", account).orElse(null);
            changes.forEach(change -> dao.recorded().add(new RecordedChange(change.kind, name, change.subject, change.logDetail(), dao.author())));
        }
    }

    private record RecentRow(long id, Instant at, Long userId, String actor, String address, ActivityKind kind) {
        private boolean isBy(Actor author) {
            boolean isSameActor = userId == null ? author.user() == null && actor.equals(author.name()) : userId.equals(author.user());
            return isSameActor && address.equals(author.address());
        }
    }

    /**
     * Finds a recent row of the same kind on the same subject by the same author from the same address, unless a row on the subject by
     * another author, or from another address, follows. Searches the account's {@value #NEWEST} newest rows, and ignores failed sign-ins
     * from other addresses.
     *
     * @param newest number of the subject's newest rows to search; with more than one, alternating changes are merged into one row per kind
     * @return the row's ID
     */
    private Optional<Long> rowToMerge(long account, ActivityKind kind, String subject, int newest, Instant now) {
        return sql.list(RecentRow.class, """
                select id, at, user_id, actor, address, kind
                from (select * from activity where account_id = ?1 order by id desc limit ?2)
                where subject = ?3 and (kind <> 'sign-in-failed' or address = ?4)
                order by id desc
                """, account, NEWEST, subject, dao.author().address()).stream()
                .limit(newest)
                .takeWhile(row -> row.isBy(dao.author()) && row.at.isAfter(now.minus(BURST)) && !row.at.isAfter(now))
                .filter(row -> row.kind == kind).findFirst().map(RecentRow::id);
    }

    private void merge(long account, long row, long more, String detail) {
        sql.update("""
                update activity
                set number = number + ?3, detail = ?4
                where account_id = ?1 and id = ?2
                """, account, row, more, detail);
    }

    /**
     * Records a change that its author may undo and repeat, such as a review request. Changes of this kind by one author from one address
     * within ten minutes are merged into one row with the last detail, whatever else the author does to the same subject in between. A
     * change to the subject by another author, or {@value #NEWEST} other rows, end this.
     */
    void addOnce(long account, ActivityKind kind, String subject, String detail, Instant now) {
        if (dao.author().name() != null) {
            rowToMerge(account, kind, subject, NEWEST, now).ifPresentOrElse(row -> merge(account, row, 0, detail),
                    () -> insert(account, kind, subject, 0, detail, now));
            log(account, kind, subject, 0, detail);
        }
    }

    /**
     * Records a change that is often repeated. Changes by one author from one address within ten minutes are merged into one row
     * that counts them, unless another change to the same subject or {@value #NEWEST} other rows were recorded in between.
     */
    public void addCounted(long account, ActivityKind kind, String subject, int more, Instant now) {
        if (dao.author().name() != null) {
            count(account, kind, subject, more, now);
            log(account, kind, subject, more, "");
        }
    }

    private void count(long account, ActivityKind kind, String subject, int more, Instant now) {
        rowToMerge(account, kind, subject, 1, now).ifPresentOrElse(row -> merge(account, row, more, ""),
                () -> insert(account, kind, subject, more, "", now));
    }

    /** Records a change to a user's own settings in the activity of all the user's accounts. */
    public void addToAll(User user, ActivityKind kind, String detail, Instant now) {
        accounts(user.id()).forEach(account -> insert(account, kind, user.email(), 0, detail, now));
        log(null, kind, user.email(), 0, detail);
    }

    /** Records a user's change of the user's own password. Changes from one address within ten minutes are merged into one row. */
    public void addPasswordChange(User user, Instant now) {
        accounts(user.id()).stream().filter(account -> ownRow(account, ActivityKind.PASSWORD_CHANGED, now).isEmpty())
                .forEach(account -> insert(account, ActivityKind.PASSWORD_CHANGED, user.email(), 0, "", now));
        log(null, ActivityKind.PASSWORD_CHANGED, user.email(), 0, "");
    }

    /** ID of a recent row of this kind by the transaction's author, a user, from the same address, whatever its subject. */
    private Optional<Long> ownRow(long account, ActivityKind kind, Instant now) {
        Actor author = dao.author();
        return sql.first(Long.class, """
                select id from (select * from activity where account_id = ?1 order by id desc limit ?2)
                where kind = ?3 and user_id = ?4 and address = ?5 and at > ?6 and at <= ?7
                order by id desc
                """, account, NEWEST, kind, author.user(), author.address(), now.minus(BURST), now);
    }

    /** Records a user's change of name. Changes within ten minutes are merged into one row, which keeps the first earlier name. */
    public void addNameChange(User user, String before, Instant now) {
        accounts(user.id()).stream().filter(account -> rowToMerge(account, ActivityKind.NAME_CHANGED, user.email(), NEWEST, now).isEmpty())
                .forEach(account -> insert(account, ActivityKind.NAME_CHANGED, user.email(), 0, before, now));
        log(null, ActivityKind.NAME_CHANGED, user.email(), 0, before);
    }

    /** Records a user's change of email address. Changes within ten minutes are merged into one row, which keeps the first earlier address. */
    public void addEmailChange(User before, String email, Instant now) {
        accounts(before.id()).forEach(account -> ownRow(account, ActivityKind.EMAIL_CHANGED, now).ifPresentOrElse(
                row -> sql.update("""
                        update activity
                        set subject = ?3
                        where account_id = ?1 and id = ?2
                        """, account, row, email),
                () -> insert(account, ActivityKind.EMAIL_CHANGED, email, 0, before.email(), now)));
        log(null, ActivityKind.EMAIL_CHANGED, email, 0, before.email());
    }

    /** Records a sign-in in the activity of all the user's accounts. The caller logs it. */
    public void addSignIn(User user, Instant now) {
        accounts(user.id()).forEach(account -> count(account, ActivityKind.SIGN_IN, user.email(), 1, now));
    }

    /**
     * Records a failed sign-in by the transaction's author, who is {@link Actor#UNKNOWN}, in the activity of all the user's accounts. The
     * caller logs it.
     */
    public void addFailedSignIn(User user, Instant now) {
        accounts(user.id()).forEach(account -> count(account, ActivityKind.SIGN_IN_FAILED, user.email(), 1, now));
    }

    /** Records that somebody had a password-reset link emailed to a user, in the activity of all the user's accounts. */
    void addResetRequest(User user, Instant now) {
        accounts(user.id()).forEach(account -> count(account, ActivityKind.RESET_REQUESTED, user.email(), 1, now));
        log(null, ActivityKind.RESET_REQUESTED, user.email(), 1, "");
    }

    private List<Long> accounts(long user) {
        return sql.list(Long.class, """
                select account_id from members
                where user_id = ?
                """, user);
    }

    // ---- reading

    private static final String ACTIVITY = """
            select *, user_id as user, coalesce((select email from users where users.id = user_id), '') as email
            from activity
            """;

    /**
     * Selects part of an account's activity.
     *
     * @param user  the author's ID; 0 for authors who were not signed in, null for all
     * @param subject for example, a template ID or the name of a block or key; null for all
     * @param kinds   the kinds to include
     */
    public record Filter(Long user, String subject, List<ActivityKind> kinds) {
    }

    /** @param before cursor for the next (older) page, which may be empty; 0 if there is none */
    public record Page(List<Activity> rows, long before) {
    }

    /**
     * A page of an account's activity, newest first. Searches at most {@link #MAX_SCANNED} rows, so a page may be short even if
     * there is a next page.
     *
     * @param before the previous page's cursor, or {@link Long#MAX_VALUE} for the first page
     */
    public Page page(long account, Filter filter, long before, int limit) {
        long floor = sql.number("""
                select id from activity
                where account_id = ? and id < ?
                order by id desc
                limit 1 offset ?
                """, account, before, MAX_SCANNED - 1);
        List<Activity> rows = sql.list(ACTIVITY + """
                where account_id = ?1 and id < ?2 and id >= ?3
                  and (?4 is null or coalesce(user_id, 0) = ?4)
                  and (?5 is null or subject = ?5)
                  and kind in (select value from json_each(?6))
                order by id desc
                limit ?7
                """, ActivityDao::activity, account, before, floor, filter.user, filter.subject,
                words(filter.kinds), limit + 1);
        boolean isFull = rows.size() > limit;
        return isFull ? new Page(rows.subList(0, limit), rows.get(limit - 1).id()) : new Page(rows, floor);
    }

    /** A JSON array for {@code json_each}. */
    static String words(List<ActivityKind> kinds) {
        return Sql.array(kinds.stream().map(ActivityKind::word).toList());
    }

    /**
     * The latest activity, newest first.
     *
     * @param account null for the installation's own activity
     * @param since   inclusive
     */
    public List<Activity> since(Long account, Instant since, int limit) {
        return sql.list(ACTIVITY + """
                where account_id is ? and at >= ?
                order by id desc
                limit ?
                """, ActivityDao::activity, account, since, limit);
    }

    /** @param actor the author's name at the time */
    public record Change(String actor, Instant at) {
    }

    /** The last change of some kinds among the account's newest {@value #MAX_SCANNED} rows. */
    public Optional<Change> last(long account, List<ActivityKind> kinds) {
        return sql.first(Change.class, """
                select actor, at from (select * from activity where account_id = ?1 order by id desc limit ?2)
                where kind in (select value from json_each(?3))
                order by id desc
                """, account, MAX_SCANNED, words(kinds));
    }

    /** @param row a row of {@link #ACTIVITY} */
    private static Activity activity(Row row) throws SQLException {
        ActivityKind kind = row.constant(ActivityKind.class, "kind");
        return new Activity(row.number("id"), row.instant("at"), row.optionalNumber("user"), row.text("email"), row.text("actor"),
                row.text("address"), kind, row.text("subject"), kind.detail(row.number("number"), row.text("detail")));
    }
}
