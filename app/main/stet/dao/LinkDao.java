package stet.dao;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.core.Account;
import stet.core.Activity.Kind;
import stet.core.Person;
import stet.core.Refusal;
import stet.core.Role;
import stet.core.Secret;
import stet.core.Validation;

/**
 * Links that an owner or the administrator sends as they like: invitations to an account, and new passwords. Of a link's secret the
 * database holds the SHA-256.
 *
 * <pre>
 * made ──► open ── used, with its effect in one transaction ──┐
 *            │ ─── withdrawn, or replaced by a newer one ─────┼──► gone
 *            └──── expired ── garbage collection ─────────────┘
 * </pre>
 */
public final class LinkDao {
    /** Time for which an invitation can be accepted. */
    public static final Duration INVITATION_LIFETIME = Duration.ofHours(72);
    /** Time for which a link to a new password can be used. */
    public static final Duration RESET_LIFETIME = Duration.ofHours(24);
    /** Open invitations of an account, at most. A person has at most one link to a new password. */
    public static final int MAX_INVITATIONS = 50;

    private final Sql sql;
    private final Dao dao;

    LinkDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /**
     * An open link: an invitation, or a link to a new password.
     *
     * @param account to which it invites, or whose owner made it; null for one that the administrator made for a person
     * @param person  who gets a new password; null for an invitation
     * @param role    of an invitation, else null
     * @param madeBy  name of its author at that time
     */
    public record Link(long id, Account account, Person person, Role role, String note, String madeBy, Instant createdAt,
                       Instant expiresAt) {
        public boolean isInvitation() {
            return role != null;
        }
    }

    // ---- made by the transaction's author

    /**
     * @param note may be the email address of whom it is for
     * @throws Refusal when that belongs to the account already, or the account has as many open invitations as it may have
     */
    public void invite(long account, Role role, String note, Instant now, String secret) {
        if (dao.people().find(note).flatMap(person -> dao.people().role(account, person.id())).isPresent()) {
            throw new Refusal("notes", note + " belongs to " + dao.accounts().find(account).orElseThrow().name() + " already");
        }
        long open = sql.number("""
                select count(*) from links
                where account_id = ? and role is not null and expires_at > ?
                """, account, now);
        if (open >= MAX_INVITATIONS) {
            throw new Refusal("This account has " + MAX_INVITATIONS + " open invitations, which is the most: withdraw one first");
        }
        add(account, null, role, Validation.note(note), now, now.plus(INVITATION_LIFETIME), secret);
    }

    /** Adds a link to a new password, which replaces an older one. @param account whose owner makes it, or null for the administrator */
    public void reset(Long account, long person, Instant now, String secret) {
        deleteResets(person);
        add(account, person, null, "", now, now.plus(RESET_LIFETIME), secret);
    }

    private void add(Long account, Long person, Role role, String note, Instant now, Instant expiresAt, String secret) {
        sql.update("""
                insert into links (hash, account_id, person_id, role, note, maker_id, made_by, created_at, expires_at)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, Secret.sha256(secret), account, person, role, note, dao.author().person(),
                dao.author().name() == null ? "" : dao.author().name(), now, expiresAt);
    }

    // ---- open ones

    /** The open invitations of an account, the newest first. */
    public List<Link> invitations(long account, Instant now) {
        return sql.list("""
                select l.id as link, l.role, l.note, l.made_by, l.created_at as made_at, l.expires_at, a.*
                from links l join accounts a on a.id = l.account_id
                where l.account_id = ? and l.role is not null and l.expires_at > ?
                order by l.id desc
                """, row -> link(row, AccountDao.account(row), null), account, now);
    }

    /** Finds the open link of a secret; nothing for one of a deleted account. */
    public Optional<Link> find(String secret, Instant now) {
        return all(secret, now).stream().findFirst();
    }

    /** The same with one for each account that an invitation is for. */
    public List<Link> all(String secret, Instant now) {
        byte[] hash = Secret.sha256(secret);
        Optional<Person> person = sql.first(Person.class, """
                select p.*
                from links l join people p on p.id = l.person_id
                where l.hash = ?
                """, hash);
        return sql.list("""
                select l.id as link, l.role, l.note, l.made_by, l.created_at as made_at, l.expires_at, a.*
                from links l left join accounts a on a.id = l.account_id
                where l.hash = ? and l.expires_at > ? and (l.account_id is null or a.deleted_at is null)
                order by l.id
                """, row -> link(row, row.text("name") == null ? null : AccountDao.account(row), person.orElse(null)), hash, now);
    }

    /** The parts of an invitation for several accounts. */
    public List<Link> ofSameSecret(long invitation) {
        return sql.list("""
                select l.id as link, l.role, l.note, l.made_by, l.created_at as made_at, l.expires_at, a.*
                from links l join accounts a on a.id = l.account_id
                where l.hash = (select hash from links where id = ?) and l.role is not null
                order by l.id
                """, row -> link(row, AccountDao.account(row), null), invitation);
    }

    private static Link link(Row row, Account account, Person person) throws SQLException {
        return new Link(row.number("link"), account, person, row.text("role") == null ? null : Role.of(row.text("role")),
                row.text("note"), row.text("made_by"), row.instant("made_at"), row.instant("expires_at"));
    }

    // ---- their end

    /** Uses a link up, in the transaction of its effect. @return whether it was there: of two at once, one gets it */
    public boolean use(long link) {
        return sql.update("""
                delete from links
                where id = ?
                """, link) > 0;
    }

    /** @return whether the account had this open invitation */
    public boolean withdraw(long account, long link, Instant now) {
        return sql.update("""
                delete from links
                where account_id = ? and id = ? and role is not null and expires_at > ?
                """, account, link, now) > 0;
    }

    /** Deletes the links that a person made in an account, of which they may know the secrets. */
    public void deleteMadeBy(long account, long person) {
        sql.update("""
                delete from links
                where account_id = ? and maker_id = ?
                """, account, person);
    }

    private record Open(long accountId, String note, String role) {
    }

    /** Deletes all links that a person made, those for reviewers too, in whichever account, and records the invitations among them. */
    public void withdrawAllOf(long person, Instant now) {
        sql.list(Open.class, """
                select account_id, note, role from links
                where maker_id = ? and role is not null and expires_at > ?
                """, person, now).forEach(open ->
                dao.activity().add(open.accountId, Kind.INVITATION_WITHDRAWN, open.note, open.role, now));
        sql.update("""
                delete from links
                where maker_id = ?
                """, person);
        dao.reviews().revokeAllOf(person);
    }

    /** Deletes the links by which a person gets a new password. */
    public void deleteResets(long person) {
        sql.update("""
                delete from links
                where person_id = ?
                """, person);
    }

    void deleteAll(long account) {
        sql.update("""
                delete from links
                where account_id = ?
                """, account);
    }
}
