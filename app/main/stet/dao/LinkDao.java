package stet.dao;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Activity.ActivityKind;
import stet.core.User;
import stet.core.Role;
import stet.core.Validation;

/**
 * Invitations and password-reset links. Links are created by owners, by administrators or on the command line, and passed on by their
 * creators through any channel. The database stores only the SHA-256 of a link's secret.
 *
 * <pre>
 * made ──► open ── used, in the transaction that applies it ──┐
 *            │ ─── withdrawn, or replaced by a newer one ─────┼──► gone
 *            └──── expired ── garbage collection ─────────────┘
 * </pre>
 */
public final class LinkDao {
    public static final Duration INVITATION_LIFETIME = Duration.ofHours(72);
    public static final Duration RESET_LIFETIME = Duration.ofHours(24);
    /** Maximum number of open invitations per account. A user has at most one password-reset link. */
    public static final int MAX_INVITATIONS = 50;

    private final Sql sql;
    private final Dao dao;

    LinkDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /**
     * An open invitation or password-reset link.
     *
     * @param account the invitation's account, or the account whose owner made the reset link; null if the reset link was made on
     *                the command line
     * @param user  the user whose password is reset; null for an invitation
     * @param role    the role that an invitation offers; null for a reset link
     * @param madeBy the creator's name when the link was created
     */
    public record Link(long id, Account account, User user, Role role, String note, String madeBy, Instant createdAt,
                       Instant expiresAt) {
        public boolean isInvitation() {
            return role != null;
        }
    }

    // ---- creating links; the transaction's author is the creator

    /**
     * @param note for example, the invited user's email address
     * @throws Refusal if the note is a member's email address, or if the account has {@link #MAX_INVITATIONS} open invitations
     */
    public void invite(long account, Role role, String note, Instant now, String secret) {
        if (dao.users().find(note).flatMap(user -> dao.users().role(account, user.id())).isPresent()) {
            throw new Refusal("notes", note + " already belongs to " + dao.accounts().find(account).orElseThrow().name());
        }
        long open = sql.number("""
                select count(*) from links
                where account_id = ? and role is not null and expires_at > ?
                """, account, now);
        if (open >= MAX_INVITATIONS) {
            throw new Refusal("Invitation limit reached (" + MAX_INVITATIONS + "); revoke an invitation first");
        }
        add(account, null, role, Validation.note(note), now, now.plus(INVITATION_LIFETIME), secret);
    }

    /**
     * Adds a password-reset link, replacing any older one.
     *
     * @param account the account of the owner who makes the link; null for the command line
     */
    public void reset(Long account, long user, Instant now, String secret) {
        deleteResets(user);
        add(account, user, null, "", now, now.plus(RESET_LIFETIME), secret);
    }

    private void add(Long account, Long user, Role role, String note, Instant now, Instant expiresAt, String secret) {
        sql.update("""
                insert into links (hash, account_id, user_id, role, note, maker_id, made_by, created_at, expires_at)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, Secret.sha256(secret), account, user, role, note, dao.author().user(),
                dao.author().name() == null ? "" : dao.author().name(), now, expiresAt);
    }

    // ---- open links

    /** An account's open invitations, newest first. */
    public List<Link> invitations(long account, Instant now) {
        return sql.list("""
                select l.id as link, l.role, l.note, l.made_by, l.created_at as made_at, l.expires_at, a.*
                from links l join accounts a on a.id = l.account_id
                where l.account_id = ? and l.role is not null and l.expires_at > ?
                order by l.id desc
                """, row -> link(row, AccountDao.account(row), null), account, now);
    }

    /** Finds an open link by its secret; returns only the first entry of an invitation to several accounts. */
    public Optional<Link> find(String secret, Instant now) {
        return all(secret, now).stream().findFirst();
    }

    /** Finds all entries of an open link by its secret; an invitation to several accounts has an entry for each account. */
    public List<Link> all(String secret, Instant now) {
        byte[] hash = Secret.sha256(secret);
        Optional<User> user = sql.first(User.class, """
                select p.*
                from links l join users p on p.id = l.user_id
                where l.hash = ?
                """, hash);
        return sql.list("""
                select l.id as link, l.role, l.note, l.made_by, l.created_at as made_at, l.expires_at, a.*
                from links l left join accounts a on a.id = l.account_id
                where l.hash = ? and l.expires_at > ? and (l.account_id is null or a.deleted_at is null)
                order by l.id
                """, row -> link(row, row.text("name") == null ? null : AccountDao.account(row), user.orElse(null)), hash, now);
    }

    /** All entries of an invitation, one for each account. @param invitation ID of any entry */
    public List<Link> ofSameSecret(long invitation) {
        return sql.list("""
                select l.id as link, l.role, l.note, l.made_by, l.created_at as made_at, l.expires_at, a.*
                from links l join accounts a on a.id = l.account_id
                where l.hash = (select hash from links where id = ?) and l.role is not null
                order by l.id
                """, row -> link(row, AccountDao.account(row), null), invitation);
    }

    private static Link link(Row row, Account account, User user) throws SQLException {
        return new Link(row.number("link"), account, user, row.text("role") == null ? null : Role.of(row.text("role")),
                row.text("note"), row.text("made_by"), row.instant("made_at"), row.instant("expires_at"));
    }

    // ---- use, withdrawal, deletion

    /**
     * Consumes a link. Call this in the transaction that applies the link, so that only one of two concurrent requests succeeds.
     *
     * @return whether the link existed
     */
    public boolean use(long link) {
        return sql.update("""
                delete from links
                where id = ?
                """, link) > 0;
    }

    /** @return true if the account had this invitation and it was still open */
    public boolean withdraw(long account, long link, Instant now) {
        return sql.update("""
                delete from links
                where account_id = ? and id = ? and role is not null and expires_at > ?
                """, account, link, now) > 0;
    }

    /** Deletes the links that a user made for an account, because the user may know their secrets. */
    public void deleteMadeBy(long account, long user) {
        sql.update("""
                delete from links
                where account_id = ? and maker_id = ?
                """, account, user);
    }

    private record OpenLink(long id, long accountId, String note, String role) {
    }

    private void withdraw(OpenLink open, Instant now) {
        withdraw(open.accountId, open.id, now);
        dao.activity().add(open.accountId, ActivityKind.INVITATION_REVOKED, open.note, open.role, now);
    }

    /** Withdraws the invitations that a user made for accounts that the user does not own, and records each. */
    void withdrawElsewhere(long user, Instant now) {
        sql.list(OpenLink.class, """
                select id, account_id, note, role from links
                where maker_id = ?1 and role is not null and expires_at > ?2
                  and account_id not in (select account_id from members where user_id = ?1 and role = 'owner')
                """, user, now).forEach(open -> withdraw(open, now));
    }

    /** Deletes all invitations, reset links and review links that a user made, in any account. Records each withdrawn invitation. */
    public void withdrawAllOf(long user, Instant now) {
        sql.list(OpenLink.class, """
                select id, account_id, note, role from links
                where maker_id = ? and role is not null and expires_at > ?
                """, user, now).forEach(open -> withdraw(open, now));
        sql.update("""
                delete from links
                where maker_id = ?
                """, user);
        dao.reviews().revokeAllOf(user);
    }

    public void deleteResets(long user) {
        sql.update("""
                delete from links
                where user_id = ?
                """, user);
    }

    void deleteAll(long account) {
        sql.update("""
                delete from links
                where account_id = ?
                """, account);
    }
}
