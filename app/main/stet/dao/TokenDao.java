package stet.dao;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Activity.ActivityKind;
import stet.core.DeployToken;
import stet.core.Role;
import stet.core.Validation;

/** Deploy tokens. The database stores only a token's SHA-256 and first characters. */
public final class TokenDao {
    private final Sql sql;
    private final Dao dao;

    TokenDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /** A token and the account that it pushes to. */
    public record Grant(DeployToken token, Account account) {
    }

    /**
     * @param role      writer or editor
     * @param expiresAt or null
     * @throws Refusal if the name or role is invalid, or if the account has reached its token limit
     */
    public DeployToken add(Account account, String name, Role role, String secret, Instant expiresAt, Instant now) {
        deleteExpired(account.id(), now);
        return insert(account, name, role, secret, expiresAt, ActivityKind.TOKEN_ADDED, now);
    }

    private void deleteExpired(long account, Instant now) {
        sql.update("""
                delete from deploy_tokens
                where account_id = ? and expires_at <= ?
                """, account, now);
    }

    private DeployToken insert(Account account, String name, Role role, String secret, Instant expiresAt, ActivityKind kind, Instant now) {
        Validation.name(name);
        if (role == Role.OWNER) {
            throw new Refusal("role", "A deploy token's role must be writer or editor");
        }
        if (list(account.id()).stream().filter(token -> !token.isExpired(now)).count() >= DeployToken.MAX) {
            throw new Refusal("token", account.name() + " has reached its token limit (" + DeployToken.MAX + "); delete a token first");
        }
        sql.update("""
                insert into deploy_tokens (account_id, name, role, hash, start, created_at, created_by, expires_at)
                values (?, ?, ?, ?, ?, ?, ?, ?)
                """, account.id(), name, role, Secret.sha256(secret), Secret.start(secret), now, dao.author().name(), expiresAt);
        dao.activity().add(account.id(), kind, name, Secret.start(secret) + "..., " + role.word(), now);
        return list(account.id()).stream().reduce((first, last) -> last).orElseThrow();
    }

    /** Lists an account's tokens by creation time, including expired ones. */
    public List<DeployToken> list(long account) {
        return sql.list(DeployToken.class, """
                select * from deploy_tokens
                where account_id = ?
                order by id
                """, account);
    }

    public Optional<DeployToken> find(long account, long id) {
        return list(account).stream().filter(token -> token.id() == id).findFirst();
    }

    /**
     * Replaces a token with a new one of the same name, role and lifetime. Keeps the old token's row so that {@link #restore} can restore
     * the token.
     *
     * @param oldEnds latest expiry time of the old token
     * @return empty if the old token is unknown or expired
     */
    public Optional<DeployToken> rotate(Account account, long id, String secret, Instant now, Instant oldEnds) {
        deleteExpired(account.id(), now);
        return find(account.id(), id).map(old -> {
            end(account.id(), id, old.expiresAt() == null || oldEnds.isBefore(old.expiresAt()) ? oldEnds : old.expiresAt());
            Instant end = old.expiresAt() == null ? null : now.plus(Duration.between(old.createdAt(), old.expiresAt()));
            return insert(account, old.name(), old.role(), secret, end, ActivityKind.TOKEN_ROTATED, now);
        });
    }

    private void end(long account, long id, Instant at) {
        sql.update("""
                update deploy_tokens
                set expires_at = ?3
                where account_id = ?1 and id = ?2
                """, account, id, at);
    }

    /**
     * Undoes a rotation: restores the old token's expiry.
     *
     * @param before the token before the rotation
     * @param ending the expiry that the rotation set
     * @return whether the token works again; false if it no longer exists, has expired or its expiry was changed again
     */
    public boolean restore(long account, DeployToken before, Instant ending, Instant now) {
        boolean isUnchanged = find(account, before.id()).filter(token -> ending.equals(token.expiresAt())).isPresent();
        if (isUnchanged) {
            end(account, before.id(), before.expiresAt());
        }
        return isUnchanged && !before.isExpired(now);
    }

    /** @return whether the token existed and had not expired */
    public boolean delete(long account, long id, Instant now) {
        Optional<DeployToken> deleted = find(account, id).filter(token -> !token.isExpired(now));
        sql.update("""
                delete from deploy_tokens
                where account_id = ? and id = ?
                """, account, id);
        deleted.ifPresent(token -> dao.activity().add(account, ActivityKind.TOKEN_DELETED, token.name(), token.start() + "...", now));
        return deleted.isPresent();
    }

    /** @param hash the token's SHA-256 @return empty if the token is unknown or expired */
    public Optional<Grant> grant(byte[] hash, Instant now) {
        return sql.first("""
                select t.id as token, t.name as token_name, t.role, t.start, t.created_at as added_at, t.created_by, t.expires_at,
                  t.last_used_at, a.*
                from deploy_tokens t join accounts a on a.id = t.account_id
                where t.hash = ? and a.deleted_at is null
                """, row -> new Grant(new DeployToken(row.number("token"), row.text("token_name"), Role.of(row.text("role")),
                row.text("start"), row.instant("added_at"), row.text("created_by"), row.optionalInstant("expires_at"),
                row.optionalInstant("last_used_at")), AccountDao.account(row)), hash).filter(grant -> !grant.token.isExpired(now));
    }

    public void used(long id, Instant now) {
        sql.update("update deploy_tokens set last_used_at = ? where id = ?", now, id);
    }
}
