package stet.dao;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Activity.ActivityKind;
import stet.core.Key;
import stet.core.KeyGrant;
import stet.core.Validation;

/** API keys. The database stores only a key's SHA-256 and first characters. */
public final class KeyDao {
    private final Sql sql;
    private final Dao dao;

    KeyDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /**
     * Adds a key, if the account's key limit as of this transaction allows it.
     *
     * @throws Refusal if the name is invalid, the account has reached its key limit, or the key already exists
     */
    public Key add(Account account, String name, String key, Instant now) {
        Validation.name(name);
        deleteExpired(account.id(), now);
        long limit = dao.accounts().find(account.id()).orElse(account).keys();
        long lasting = sql.number("""
                select count(*) from api_keys
                where account_id = ? and expires_at is null
                """, account.id());
        if (lasting >= limit) {
            throw new Refusal("key", account.name() + " has reached its key limit (" + limit + "); delete a key or raise the limit");
        }
        return insert(account, name, key, ActivityKind.KEY_ADDED, now);
    }

    private Key insert(Account account, String name, String key, ActivityKind kind, Instant now) {
        if (access(Secret.sha256(key)).isPresent()) {
            throw new Refusal("key", "This key already exists; use another key");
        }
        sql.update("""
                insert into api_keys (account_id, name, hash, start, created_at, created_by)
                values (?, ?, ?, ?, ?, ?)
                """, account.id(), name, Secret.sha256(key), Secret.start(key), now, dao.author().name());
        record(account.id(), kind, name, Secret.start(key), now);
        return list(account.id()).stream().reduce((first, last) -> last).orElseThrow();
    }

    /** Lists an account's keys by creation time, including expired rotated keys. */
    public List<Key> list(long account) {
        return sql.list(Key.class, """
                select id, name, start, created_at, created_by, expires_at from api_keys
                where account_id = ?
                order by id
                """, account);
    }

    /**
     * Replaces a key with a new one of the same name. The old key expires at the given time and no longer counts toward the
     * limit.
     *
     * @return empty if the old key is unknown or expired
     * @throws Refusal if the old key has already been rotated, if the new key already exists, or if the old key would keep working
     *                 although there are already as many working rotated keys as current keys, which would circumvent the limit
     */
    public Optional<Key> rotate(Account account, long id, String key, Instant now, Instant oldEnds) {
        List<Key> keys = list(account.id());
        Optional<Key> old = keys.stream().filter(each -> each.id() == id && !each.isExpired(now)).findFirst();
        if (old.isEmpty()) {
            return Optional.empty();
        }
        if (old.get().expiresAt() != null) {
            throw new Refusal("This key has already been rotated; delete it or rotate the new key");
        }
        long lasting = keys.stream().filter(each -> each.expiresAt() == null).count();
        long ending = keys.stream().filter(each -> each.expiresAt() != null && each.expiresAt().isAfter(now)).count();
        if (oldEnds.isAfter(now) && ending >= lasting) {
            throw new Refusal("hours", "A key from an earlier rotation still works; delete it first, or let the key being replaced expire immediately");
        }
        end(account.id(), id, oldEnds);
        return Optional.of(insert(account, old.get().name(), key, ActivityKind.KEY_ROTATED, now));
    }

    private void end(long account, long id, Instant at) {
        sql.update("""
                update api_keys
                set expires_at = ?3
                where account_id = ?1 and id = ?2
                """, account, id, at);
    }

    /**
     * Undoes a rotation: the old key no longer expires.
     *
     * @param at the expiry time that the rotation set
     * @return false if the key no longer exists or expires at another time, because it was changed again
     */
    public boolean restore(long account, long id, Instant at) {
        return sql.update("""
                update api_keys
                set expires_at = null
                where account_id = ? and id = ? and expires_at = ?
                """, account, id, at) > 0;
    }

    public void deleteExpired(long account, Instant now) {
        sql.update("""
                delete from api_keys
                where account_id = ? and expires_at <= ?
                """, account, now);
    }

    /** @return whether the key existed */
    public boolean delete(long account, long id, Instant now) {
        Optional<Key> deleted = list(account).stream().filter(key -> key.id() == id).findFirst();
        sql.update("""
                delete from api_keys
                where account_id = ? and id = ?
                """, account, id);
        deleted.ifPresent(key -> record(account, ActivityKind.KEY_DELETED, key.name(), key.start(), now));
        return deleted.isPresent();
    }

    private void record(long account, ActivityKind kind, String name, String start, Instant now) {
        dao.activity().add(account, kind, name, start + "...", now);
    }

    /** Finds a key by its SHA-256. */
    public Optional<KeyGrant> access(byte[] hash) {
        return sql.first("""
                select k.id as key_id, k.start as key_start, k.expires_at, a.*
                from api_keys k join accounts a on a.id = k.account_id
                where k.hash = ? and a.deleted_at is null
                """, row -> new KeyGrant(row.number("key_id"), row.text("key_start"),
                row.optionalInstant("expires_at"), AccountDao.account(row)), hash);
    }
}
