package stet.dao;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.core.Account;
import stet.core.User;
import stet.core.Role;

/** Web application sessions, identified by the SHA-256 of the cookie's value. */
public final class SessionDao {
    /** Maximum number of sessions per user. A sign-in beyond this limit ends the least recently used session. */
    public static final int MAX_SESSIONS = 50;

    private final Sql sql;

    SessionDao(Dao dao) {
        this.sql = dao.sql();
    }

    /** Ways to sign in. */
    public enum SessionSource {
        PASSWORD, HEADER
    }

    /**
     * A session's browser.
     *
     * @param userAgent truncated by {@link stet.base.UserAgent#stored}
     */
    public record Browser(String userAgent, String address) {
    }

    /**
     * A signed-in user.
     *
     * @param account         the selected account; null if none is selected or the user is not a member of it
     * @param role            the user's role in that account, or null
     * @param lacksTwoFactor  whether the account requires two-factor authentication that the user has not set up; false if a proxy's
     *                        header signed the user in
     * @param isUserDeleted   whether the user was deleted after removal from the last account; open pages then say so and make no changes
     */
    public record Session(long id, User user, Account account, Role role, Instant seenAt, SessionSource source,
                          boolean lacksTwoFactor, boolean isUserDeleted) {
    }

    /** A session in the user's own list. */
    public record SessionInfo(long id, Browser browser, Instant createdAt, Instant seenAt, SessionSource source) {
    }

    /** Adds a session, and ends the least recently used one of the others beyond the limit. @param account the initially selected account, or null */
    public void add(byte[] hash, long user, Long account, Browser browser, SessionSource source, Instant now) {
        sql.update("""
                insert into sessions (hash, user_id, account_id, created_at, seen_at, browser, address, source)
                values (?, ?, ?, ?, ?, ?, ?, ?)
                """, hash, user, account, now, now, browser.userAgent(), browser.address(), source);
        rememberAccount(user, account);
        sql.update("""
                delete from sessions
                where user_id = ?1 and id not in (
                  select id from sessions
                  where user_id = ?1
                  order by hash = ?3 desc, seen_at desc, id desc -- the new one is kept even if the clock was set back
                  limit ?2)
                """, user, MAX_SESSIONS, hash);
    }

    /** Finds a session with its selected account. */
    public Optional<Session> find(byte[] hash, Instant now, Duration idle, Duration lifetime) {
        return find(hash, null, now, idle, lifetime);
    }

    /**
     * Finds a session if it was last used less than {@code idle} ago and started less than {@code lifetime} ago.
     *
     * @param other an account to return as if it were selected; null for the selected account
     */
    public Optional<Session> find(byte[] hash, Long other, Instant now, Duration idle, Duration lifetime) {
        return sql.first("""
                select s.id as session, s.seen_at, s.source, p.id as user, p.email, p.name as user_name, p.administrator,
                  p.totp_step, p.deleted_at as user_deleted_at, m.role, a.*
                from sessions s
                join users p on p.id = s.user_id
                left join members m on m.user_id = s.user_id and m.account_id = coalesce(?, s.account_id)
                left join accounts a on a.id = m.account_id and a.deleted_at is null
                where s.hash = ? and s.seen_at > ? and s.created_at > ?
                """, row -> {
            User user = new User(row.number("user"), row.text("email"), row.text("user_name"),
                    row.number("administrator") == 1);
            boolean isMember = row.text("name") != null;
            SessionSource source = row.constant(SessionSource.class, "source");
            return new Session(row.number("session"), user, isMember ? AccountDao.account(row) : null,
                    isMember ? Role.of(row.text("role")) : null, row.instant("seen_at"), source,
                    row.number("two_factor") == 1 && row.number("totp_step") == 0 && source == SessionSource.PASSWORD,
                    row.optionalNumber("user_deleted_at") != null);
        }, other, hash, now.minus(idle), now.minus(lifetime));
    }

    /** A user's sessions, most recently used first. */
    public List<SessionInfo> list(long user, Instant now, Duration idle, Duration lifetime) {
        return sql.list(SessionInfo.class, """
                select *, browser as user_agent from sessions
                where user_id = ? and seen_at > ? and created_at > ?
                order by seen_at desc, id desc
                """, user, now.minus(idle), now.minus(lifetime));
    }

    /** Updates the time of a session's last use and its browser. */
    public void touch(byte[] hash, Browser browser, Instant now) {
        sql.update("""
                update sessions
                set seen_at = ?, browser = ?, address = ?
                where hash = ?
                """, now, browser.userAgent(), browser.address(), hash);
    }

    /** Selects another account for a session. */
    public void changeAccount(Session session, long account) {
        sql.update("""
                update sessions
                set account_id = ?
                where id = ?
                """, account, session.id);
        rememberAccount(session.user.id(), account);
    }

    /** Stores the account to select in the user's next session. @param account null keeps the stored one */
    private void rememberAccount(long user, Long account) {
        sql.update("""
                update users
                set account_id = coalesce(?, account_id)
                where id = ?
                """, account, user);
    }

    /** The account that the user last selected, even if the user is no longer a member; empty if none was selected. */
    public Optional<Long> lastAccount(long user) {
        return sql.first(Long.class, "select account_id from users where id = ? and account_id is not null", user);
    }

    public void delete(byte[] hash) {
        sql.update("""
                delete from sessions
                where hash = ?
                """, hash);
    }

    /** Ends one of a user's sessions. @return whether the session existed */
    public boolean delete(long user, long session) {
        return sql.update("""
                delete from sessions
                where user_id = ? and id = ?
                """, user, session) > 0;
    }

    /** Ends all of a user's sessions but one. */
    public void deleteOthers(long user, long session) {
        sql.update("""
                delete from sessions
                where user_id = ? and id <> ?
                """, user, session);
    }

    public void deleteAll(long user) {
        sql.update("""
                delete from sessions
                where user_id = ?
                """, user);
    }

    public void deleteUnusedSince(Instant time) {
        sql.update("""
                delete from sessions
                where seen_at < ?
                """, time);
    }
}
