package stet.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import stet.core.Account;
import stet.core.Person;
import stet.core.Role;

/** The sessions of the web application, by the SHA-256 of the cookie's value. */
public final class SessionDao {
    private final Sql sql;

    SessionDao(Sql sql) {
        this.sql = sql;
    }

    /**
     * A person who is signed in.
     *
     * @param account in which the person works, or null where they do not belong to it, or to any
     * @param role    in it, or null
     */
    public record Session(long id, Person person, Account account, Role role, Instant seenAt) {
    }

    /** @param account in which the person works first, or null */
    public void add(byte[] hash, long person, Long account, Instant now) {
        sql.update("""
                insert into sessions (hash, person_id, account_id, created_at, seen_at)
                values (?, ?, ?, ?, ?)
                """, hash, person, account, now, now);
    }

    /** Finds a session that was used less than {@code idle} ago and began less than {@code lifetime} ago. */
    public Optional<Session> find(byte[] hash, Instant now, Duration idle, Duration lifetime) {
        return sql.first("""
                select s.id as session, s.seen_at, p.id as person, p.email, p.name as person_name, p.operator, m.role, a.*
                from sessions s
                join people p on p.id = s.person_id
                left join members m on m.person_id = s.person_id and m.account_id = s.account_id
                left join accounts a on a.id = m.account_id and a.name is not null
                where s.hash = ? and s.seen_at > ? and s.created_at > ?
                """, row -> {
            Person person = new Person(row.number("person"), row.text("email"), row.text("person_name"), row.number("operator") == 1);
            boolean isMember = row.text("name") != null;
            return new Session(row.number("session"), person, isMember ? Dao.account(row) : null,
                    isMember ? Role.of(row.text("role")) : null, row.instant("seen_at"));
        }, hash, now.minus(idle), now.minus(lifetime));
    }

    public void touch(byte[] hash, Instant now) {
        sql.update("""
                update sessions
                set seen_at = ?
                where hash = ?
                """, now, hash);
    }

    /** Has the session's person work in another account. */
    public void changeAccount(long session, long account) {
        sql.update("""
                update sessions
                set account_id = ?
                where id = ?
                """, account, session);
    }

    public void delete(byte[] hash) {
        sql.update("""
                delete from sessions
                where hash = ?
                """, hash);
    }

    public void deleteAll(long person) {
        sql.update("""
                delete from sessions
                where person_id = ?
                """, person);
    }

    public void deleteUnusedSince(Instant time) {
        sql.update("""
                delete from sessions
                where seen_at < ?
                """, time);
    }
}
