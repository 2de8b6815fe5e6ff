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
import stet.core.Actor;
import stet.core.User;
import stet.core.Role;
import stet.core.Validation;

/**
 * Invitations, password-reset links and links that confirm an email address. The first two are created by owners, by administrators or on
 * the command line, and passed on by their creators through any channel; a user can also request a reset link by email. The database stores
 * only the SHA-256 of a link's secret, and of the secret of the same link in an email ({@link MailDao}).
 *
 * <pre>
 * made ──► open ── used, in the transaction that applies it ──┐
 *            │ ─── revoked, or replaced by a newer one ─────┼──► gone
 *            └──── expired ── garbage collection ─────────────┘
 * </pre>
 */
public final class LinkDao {
    public static final Duration INVITATION_LIFETIME = Duration.ofHours(72);
    public static final Duration RESET_LIFETIME = Duration.ofHours(24);
    /** Anyone can request an email with a reset link for a user, so this link is valid for a shorter time. */
    private static final Duration REQUESTED_RESET_LIFETIME = Duration.ofHours(1);
    public static final Duration ADDRESS_LIFETIME = Duration.ofHours(24);
    /** Maximum number of open invitations per account. A user has at most one password-reset link. */
    public static final int MAX_INVITATIONS = 50;

    private final Sql sql;
    private final Dao dao;

    LinkDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /** Purposes of links. The names are stored. */
    public enum LinkKind { INVITATION, RESET, ADDRESS }

    /**
     * An open link.
     *
     * @param account the invitation's account, or the account whose owner made the reset link; null for other links
     * @param user    the user whose password is reset or whose address is confirmed; null for an invitation
     * @param role    the role that an invitation offers; null for other links
     * @param email   the address that the link confirms; null for other links
     * @param madeBy  the creator's name when the link was created
     * @param makerId the creator's user ID; null for the command line
     * @param isRequested whether its own user requested the link
     */
    public record Link(long id, LinkKind kind, Account account, User user, Role role, String email, String note, String madeBy, Long makerId,
                       boolean isRequested, Instant createdAt, Instant expiresAt) {
        public boolean isInvitation() {
            return kind == LinkKind.INVITATION;
        }
    }

    /** Holds for a link that its user requested. */
    private static final String IS_REQUESTED = "maker_id = user_id";
    /** Links with their accounts, as {@link #link} reads them. */
    private static final String LINK = """
            select l.id as link, l.kind, l.role, l.email as to_confirm, l.note, l.made_by, l.maker_id, %s as requested,
              l.created_at as made_at, l.expires_at, a.*
            from links l left join accounts a on a.id = l.account_id
            """.formatted(IS_REQUESTED);

    /**
     * The columns of a new link that depend on its kind.
     *
     * @param account the invitation's account, or the account of the owner who makes a reset link; otherwise null
     * @param user    null for an invitation
     * @param role    null unless an invitation
     * @param email   the address to confirm; null for other links
     */
    private record LinkRow(LinkKind kind, Long account, Long user, Role role, String email, String note, Duration lifetime) {
        static LinkRow invitation(long account, Role role, String note) {
            return new LinkRow(LinkKind.INVITATION, account, null, role, null, note, INVITATION_LIFETIME);
        }

        static LinkRow reset(Long account, long user, Duration lifetime) {
            return new LinkRow(LinkKind.RESET, account, user, null, null, "", lifetime);
        }

        static LinkRow confirmation(long user, String email) {
            return new LinkRow(LinkKind.ADDRESS, null, user, null, email, "", ADDRESS_LIFETIME);
        }
    }

    // ---- creating links; the transaction's author is the creator

    /**
     * Adds an invitation.
     *
     * @param note  for example, the invited user's email address
     * @param field the note's field in the user's form
     * @return the link's ID
     * @throws Refusal if the note is a member's email address or invalid, or if the account has {@link #MAX_INVITATIONS} open invitations
     */
    public long invite(long account, Role role, String note, String field, Instant now, String secret) {
        if (dao.users().find(note).flatMap(user -> dao.members().role(account, user.id())).isPresent()) {
            throw new Refusal(field, note + " already belongs to " + dao.accounts().find(account).orElseThrow().name());
        }
        long open = sql.number("""
                select count(*) from links
                where account_id = ? and role is not null and expires_at > ?
                """, account, now);
        if (open >= MAX_INVITATIONS) {
            throw new Refusal("Invitation limit reached (" + MAX_INVITATIONS + "); revoke an invitation first");
        }
        return add(LinkRow.invitation(account, role, Validation.note(note)), now, secret);
    }

    /**
     * Adds a password-reset link, replacing any older one.
     *
     * @param account the account of the owner who makes the link; null for the command line
     * @return its ID
     */
    public long addReset(Long account, long user, Instant now, String secret) {
        delete(user, LinkKind.RESET);
        return add(LinkRow.reset(account, user, RESET_LIFETIME), now, secret);
    }

    /**
     * Adds the password-reset link of an email that somebody requested for a user. Replaces an earlier one, but no link made by an owner or
     * administrator, as anyone can request this one.
     *
     * @return its ID
     */
    long addRequestedReset(User user, Instant now, String secret) {
        deleteRequestedReset(user.id());
        return dao.as(new Actor(user.id(), user.label(), "")).links().add(LinkRow.reset(null, user.id(), REQUESTED_RESET_LIFETIME), now, secret);
    }

    void deleteRequestedReset(long user) {
        sql.update("delete from links where user_id = ? and kind = 'reset' and " + IS_REQUESTED, user);
    }

    /**
     * Adds the link that confirms an email address, replacing any older one.
     *
     * @param email the user's present address or the one to change to
     * @return its ID
     */
    long addConfirmation(long user, String email, Instant now, String secret) {
        delete(user, LinkKind.ADDRESS);
        return add(LinkRow.confirmation(user, email), now, secret);
    }

    private long add(LinkRow link, Instant now, String secret) {
        Actor author = dao.author();
        sql.update("""
                insert into links (kind, hash, account_id, user_id, role, email, note, maker_id, made_by, created_at, expires_at)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, link.kind, Secret.sha256(secret), link.account, link.user, link.role, link.email, link.note, author.user(),
                author.name() == null ? "" : author.name(), now, now.plus(link.lifetime));
        return sql.number("select last_insert_rowid()");
    }

    // ---- open links

    /** An account's open invitations, newest first. */
    public List<Link> invitations(long account, Instant now) {
        return sql.list(LINK + """
                where l.account_id = ? and l.role is not null and l.expires_at > ?
                order by l.id desc
                """, row -> link(row, null), account, now);
    }

    /** Finds an open link by its secret; returns only the first entry of an invitation to several accounts. */
    public Optional<Link> find(String secret, Instant now) {
        return entries(secret, now).stream().findFirst();
    }

    /** Finds all entries of an open link by its secret; an invitation to several accounts has an entry for each account. */
    public List<Link> entries(String secret, Instant now) {
        byte[] hash = hash(secret);
        Optional<User> user = sql.first(User.class, """
                select p.*
                from links l join users p on p.id = l.user_id
                where l.hash = ?
                """, hash);
        return sql.list(LINK + """
                where l.hash = ? and l.expires_at > ? and (l.account_id is null or a.deleted_at is null)
                order by l.id
                """, row -> link(row, user.orElse(null)), hash, now);
    }

    /** The SHA-256 in the link's row. A link in an email has a secret of its own, which leads to the same row. */
    private byte[] hash(String secret) {
        byte[] hash = Secret.sha256(secret);
        return sql.first(byte[].class, """
                select l.hash
                from mails m join links l on l.id = m.link_id
                where m.secret_hash = ?
                """, hash).orElse(hash);
    }

    /** Finds one entry of an open link by its ID. Empty for a link whose user was deleted. */
    Optional<Link> find(long id, Instant now) {
        Optional<User> user = sql.first(User.class, """
                select p.*
                from links l join users p on p.id = l.user_id
                where l.id = ? and p.deleted_at is null
                """, id);
        return sql.first(LINK + """
                where l.id = ? and l.expires_at > ? and (l.account_id is null or a.deleted_at is null)
                """, row -> link(row, user.orElse(null)), id, now)
                .filter(link -> link.isInvitation() || link.user != null);
    }

    /** The address that an open link of this user confirms. */
    public Optional<String> addressToConfirm(long user, Instant now) {
        return sql.first(String.class, "select email from links where user_id = ? and kind = 'address' and expires_at > ?", user, now);
    }

    /** All entries of an invitation, one for each account. @param invitation ID of any entry */
    public List<Link> ofSameSecret(long invitation) {
        return sql.list(LINK + """
                where l.hash = (select hash from links where id = ?) and l.role is not null
                order by l.id
                """, row -> link(row, null), invitation);
    }

    /** @param row a row of {@link #LINK} @param user null for an invitation */
    private static Link link(Row row, User user) throws SQLException {
        Account account = row.text("name") == null ? null : AccountDao.account(row);
        return new Link(row.number("link"), row.constant(LinkKind.class, "kind"), account, user, row.constant(Role.class, "role"),
                row.text("to_confirm"), row.text("note"), row.text("made_by"), row.optionalNumber("maker_id"), row.number("requested") == 1,
                row.instant("made_at"), row.instant("expires_at"));
    }

    // ---- use, revocation, deletion

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

    /** Revokes an invitation, and records that unless the invitation is no longer open. */
    public void revoke(Link invitation, Instant now) {
        revoke(new OpenInvitation(invitation.id, invitation.account.id(), invitation.note, invitation.role), now);
    }

    /** Deletes the links that a user made for an account, because the user may know their secrets. Records each revoked invitation. */
    public void deleteMadeBy(long account, long user, Instant now) {
        sql.list(OpenInvitation.class, """
                select id, account_id, note, role from links
                where account_id = ? and maker_id = ? and role is not null and expires_at > ?
                """, account, user, now).forEach(open -> revoke(open, now));
        sql.update("""
                delete from links
                where account_id = ? and maker_id = ?
                """, account, user);
    }

    private record OpenInvitation(long id, long accountId, String note, Role role) {
    }

    private void revoke(OpenInvitation open, Instant now) {
        boolean isRevoked = sql.update("""
                delete from links
                where account_id = ? and id = ? and role is not null and expires_at > ?
                """, open.accountId, open.id, now) > 0;
        if (isRevoked) {
            dao.activity().add(open.accountId, ActivityKind.INVITATION_REVOKED, open.note, open.role.word(), now);
        }
    }

    /** Revokes the invitations that a user made for accounts that the user does not own, and records each. */
    void revokeElsewhere(long user, Instant now) {
        sql.list(OpenInvitation.class, """
                select id, account_id, note, role from links
                where maker_id = ?1 and role is not null and expires_at > ?2
                  and account_id not in (select account_id from members where user_id = ?1 and role = 'owner')
                """, user, now).forEach(open -> revoke(open, now));
    }

    /** Deletes all links, including review links, that a user made, in any account. Records each revoked invitation. */
    public void revokeAllOf(long user, Instant now) {
        sql.list(OpenInvitation.class, """
                select id, account_id, note, role from links
                where maker_id = ? and role is not null and expires_at > ?
                """, user, now).forEach(open -> revoke(open, now));
        sql.update("""
                delete from links
                where maker_id = ?
                """, user);
        dao.reviews().revokeAllOf(user);
    }

    public void deleteResets(long user) {
        delete(user, LinkKind.RESET);
    }

    /** Deletes the links that could change a user's password or address. */
    void deleteForUser(long user) {
        sql.update("""
                delete from links
                where user_id = ?
                """, user);
    }

    private void delete(long user, LinkKind kind) {
        sql.update("""
                delete from links
                where user_id = ? and kind = ?
                """, user, kind);
    }

    void deleteAll(long account) {
        sql.update("""
                delete from links
                where account_id = ?
                """, account);
    }
}
