package stet.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import stet.core.Account;

/** The sessions of the web application, by the SHA-256 of the cookie's value. */
public final class SessionDao {
    private final Sql sql;

    SessionDao(Sql sql) {
        this.sql = sql;
    }

    public record Session(Account account, Instant seenAt) {
    }

    public void add(byte[] hash, long account, Instant now) {
        sql.update("""
                insert into sessions (hash, account_id, created_at, seen_at)
                values (?, ?, ?, ?)
                """, hash, account, now, now);
    }

    /** Finds a session that was used less than {@code idle} ago and began less than {@code lifetime} ago. */
    public Optional<Session> find(byte[] hash, Instant now, Duration idle, Duration lifetime) {
        return sql.first("""
                select a.*, s.seen_at
                from sessions s join accounts a on a.id = s.account_id
                where s.hash = ? and s.seen_at > ? and s.created_at > ?
                """, row -> new Session(Dao.account(row), row.instant("seen_at")), hash, now.minus(idle), now.minus(lifetime));
    }

    public void touch(byte[] hash, Instant now) {
        sql.update("""
                update sessions
                set seen_at = ?
                where hash = ?
                """, now, hash);
    }

    public void delete(byte[] hash) {
        sql.update("""
                delete from sessions
                where hash = ?
                """, hash);
    }

    public void deleteAll(long account) {
        sql.update("""
                delete from sessions
                where account_id = ?
                """, account);
    }

    public void deleteUnusedSince(Instant time) {
        sql.update("""
                delete from sessions
                where seen_at < ?
                """, time);
    }
}
