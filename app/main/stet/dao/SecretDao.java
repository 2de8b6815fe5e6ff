package stet.dao;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.core.AccountSecret;
import stet.core.Activity.ActivityKind;
import stet.core.Role;
import stet.core.SecretGrant;
import stet.core.SecretKind;
import stet.core.Validation;

/**
 * An account's API keys or its deploy tokens. Secrets of one kind are unknown to the statements of the other. The database stores only a
 * secret's SHA-256 and first characters.
 */
public final class SecretDao {
    private final Sql sql;
    private final Dao dao;
    private final SecretKind kind;

    SecretDao(Dao dao, SecretKind kind) {
        this.sql = dao.sql();
        this.dao = dao;
        this.kind = kind;
    }

    /** Adds an API key. */
    public AccountSecret add(Account account, String name, String key, Instant now) {
        return add(account, name, null, key, null, now);
    }

    /**
     * Adds an API key or deploy token, if the account's limit as of this transaction allows it.
     *
     * @param role      a deploy token's role, writer or editor; null for an API key
     * @param expiresAt null for a secret that does not expire
     * @throws Refusal if the name or role is invalid, the account has reached its limit, or the secret already exists
     */
    public AccountSecret add(Account account, String name, Role role, String secret, Instant expiresAt, Instant now) {
        deleteExpired(account.id(), now);
        Validation.name(name);
        checkLimit(account, now);
        return recorded(account, kind == SecretKind.KEY ? ActivityKind.KEY_ADDED : ActivityKind.TOKEN_ADDED,
                insert(account, name, role, secret, expiresAt, now), now);
    }

    /**
     * A rotated key does not count toward the limit; {@link #rotate} limits the number of rotated keys.
     *
     * @throws Refusal if the account has reached the limit of its plan or its own, or {@link SecretKind#MAX_TOKENS}
     */
    private void checkLimit(Account account, Instant now) {
        boolean isKey = kind == SecretKind.KEY;
        long limit = isKey ? dao.accounts().find(account.id()).orElse(account).keys() : SecretKind.MAX_TOKENS;
        long used = list(account.id()).stream().filter(each -> isKey ? each.expiresAt() == null : !each.isExpired(now)).count();
        if (used >= limit) {
            throw new Refusal(kind.word(), account.name() + " has reached its " + kind.word() + " limit (" + limit + "); delete a " + kind.word()
                    + (isKey ? " or raise the limit" : " first"));
        }
    }

    private AccountSecret insert(Account account, String name, Role role, String secret, Instant expiresAt, Instant now) {
        if (role == Role.OWNER || (role == null) != (kind == SecretKind.KEY)) {
            throw new Refusal("role", "A deploy token's role must be writer or editor");
        }
        byte[] hash = Secret.sha256(secret);
        if (sql.exists("select 1 from secrets where hash = ?", hash)) {
            throw new Refusal(kind.word(), "This " + kind.word() + " already exists; use another " + kind.word());
        }
        sql.update("""
                insert into secrets (account_id, name, role, hash, start, created_at, created_by, expires_at)
                values (?, ?, ?, ?, ?, ?, ?, ?)
                """, account.id(), name, role, hash, Secret.start(secret), now, dao.author().name(), expiresAt);
        return find(account.id(), sql.number("select last_insert_rowid()")).orElseThrow();
    }

    private AccountSecret recorded(Account account, ActivityKind change, AccountSecret added, Instant now) {
        dao.activity().add(account.id(), change, added.name(), added.start() + "..." + (added.role() == null ? "" : ", " + added.role().word()), now);
        return added;
    }

    /** Lists an account's secrets by creation time, including expired ones. */
    public List<AccountSecret> list(long account) {
        return sql.list(AccountSecret.class, """
                select s.*, u.last_at as last_used_at
                from secrets s left join secret_uses u on u.secret_id = s.id
                where s.account_id = ?1 and (s.role is null) = ?2
                order by s.id
                """, account, kind == SecretKind.KEY);
    }

    public Optional<AccountSecret> find(long account, long id) {
        return list(account).stream().filter(secret -> secret.id() == id).findFirst();
    }

    /**
     * Replaces a secret with a new one of the same name, role and lifetime. Keeps the old secret's row so that {@link #restore} can restore
     * the secret.
     *
     * @param oldExpiresAt latest expiry time of the old secret
     * @return empty if the old secret is unknown or expired
     * @throws Refusal if the new secret already exists; if there would be too many tokens; if the old key has already been rotated, or if it
     *                 would keep working although there are already as many working rotated keys as current keys, which would circumvent
     *                 the limit
     */
    public Optional<AccountSecret> rotate(Account account, long id, String secret, Instant now, Instant oldExpiresAt) {
        deleteExpired(account.id(), now);
        return find(account.id(), id).map(old -> {
            if (kind == SecretKind.KEY) {
                checkRotation(account, old, now, oldExpiresAt);
            }
            boolean isSooner = old.expiresAt() == null || oldExpiresAt.isBefore(old.expiresAt());
            expire(account.id(), id, isSooner ? oldExpiresAt : old.expiresAt());
            if (kind == SecretKind.TOKEN) {
                checkLimit(account, now); // after the old token may have expired, which no longer counts
            }
            Instant expiresAt = old.expiresAt() == null ? null : now.plus(Duration.between(old.createdAt(), old.expiresAt()));
            return recorded(account, kind == SecretKind.KEY ? ActivityKind.KEY_ROTATED : ActivityKind.TOKEN_ROTATED,
                    insert(account, old.name(), old.role(), secret, expiresAt, now), now);
        });
    }

    private void checkRotation(Account account, AccountSecret old, Instant now, Instant oldExpiresAt) {
        if (old.expiresAt() != null) {
            throw new Refusal("This key has already been rotated; delete it or rotate the new key");
        }
        List<AccountSecret> keys = list(account.id());
        long rotated = keys.stream().filter(each -> each.expiresAt() != null).count();
        if (oldExpiresAt.isAfter(now) && rotated >= keys.size() - rotated) {
            throw new Refusal("hours", "A key from an earlier rotation still works; delete it first,"
                    + " or let the key being replaced expire immediately");
        }
    }

    private void expire(long account, long id, Instant at) {
        sql.update("""
                update secrets
                set expires_at = ?3
                where account_id = ?1 and id = ?2
                """, account, id, at);
    }

    /**
     * Undoes a rotation: restores the old secret's expiry.
     *
     * @param before    the secret before the rotation
     * @param expiresAt the expiry that the rotation set
     * @return whether the secret works again; false if it no longer exists, has expired or its expiry was changed again
     */
    public boolean restore(long account, AccountSecret before, Instant expiresAt, Instant now) {
        boolean isUnchanged = find(account, before.id()).filter(secret -> expiresAt.equals(secret.expiresAt())).isPresent();
        if (isUnchanged) {
            expire(account, before.id(), before.expiresAt());
        }
        return isUnchanged && !before.isExpired(now);
    }

    private void deleteExpired(long account, Instant now) {
        sql.update("""
                delete from secrets
                where account_id = ?1 and expires_at <= ?2 and (role is null) = ?3
                """, account, now, kind == SecretKind.KEY);
    }

    /** Deletes a secret, even if it has expired. @return whether the secret existed */
    public boolean delete(long account, long id, Instant now) {
        Optional<AccountSecret> deleted = find(account, id);
        deleted.ifPresent(secret -> {
            sql.update("""
                    delete from secrets
                    where account_id = ? and id = ?
                    """, account, id);
            dao.activity().add(account, kind == SecretKind.KEY ? ActivityKind.KEY_DELETED : ActivityKind.TOKEN_DELETED, secret.name(),
                    secret.start() + "...", now);
        });
        return deleted.isPresent();
    }

    /** Finds a secret by its SHA-256, even if the secret has expired. */
    public Optional<SecretGrant> access(byte[] hash) {
        return sql.first("""
                select s.id as secret_id, s.name as secret_name, s.start as secret_start, s.role as secret_role, s.expires_at, a.*
                from secrets s join accounts a on a.id = s.account_id
                where s.hash = ?1 and (s.role is null) = ?2 and a.deleted_at is null
                """, row -> new SecretGrant(row.number("secret_id"), row.text("secret_name"), row.text("secret_start"),
                row.constant(Role.class, "secret_role"), row.optionalInstant("expires_at"), AccountDao.account(row)), hash, kind == SecretKind.KEY);
    }

    /** The time of a secret's last recorded use. */
    public Optional<Instant> lastUsed(long id) {
        return sql.first(Instant.class, "select last_at from secret_uses where secret_id = ?", id);
    }

    /** Records the time of a secret's use. Does nothing if the secret no longer exists. */
    public void recordUse(long id, Instant now) {
        sql.update("""
                insert into secret_uses (secret_id, last_at)
                select id, ?2 from secrets
                where id = ?1
                on conflict do update
                set last_at = max(last_at, ?2)
                """, id, now);
    }
}
