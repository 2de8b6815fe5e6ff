package stet.dao;

import java.time.Instant;
import java.util.function.Supplier;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.LimitChange;
import stet.core.Storage;

/** The number of bytes that accounts store, counted by the schema's triggers, and the storage limits. */
public final class StorageDao {
    private final Sql sql;
    private final Dao dao;

    StorageDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /** An account's storage; nothing, without a limit, for an unknown account. */
    public Storage of(long account) {
        return sql.first(Storage.class, """
                select s.bytes, coalesce(a.storage_limit, (select bytes from storage_default)) as "limit"
                from storage s join accounts a on a.id = s.account_id
                where s.account_id = ?
                """, account).orElse(new Storage(0, Long.MAX_VALUE));
    }

    /**
     * Runs work that may increase the account's storage use, and checks the storage limit in the same transaction. An account over
     * its limit can still reduce its storage.
     *
     * @throws Refusal if the account stores more than before and exceeds its limit, or the part that a writer may use
     */
    public <T> T bounded(long account, Supplier<T> work) {
        long before = of(account).bytes();
        T result = work.get();
        if (isExceeded(account, before)) {
            dao.garbage().removeReplaced(account); // including texts that the work replaced
            if (isExceeded(account, before)) {
                throw of(account).refusal(dao.members().room(account, of(account).limit()));
            }
        }
        return result;
    }

    private boolean isExceeded(long account, long before) {
        Storage storage = of(account);
        return storage.bytes() > dao.members().room(account, storage.limit()) && storage.bytes() > before;
    }

    /** Sets an account's storage limit and records any change. Null means the default limit. */
    public void changeLimit(Account account, Long bytes, Instant now) {
        int changed = sql.update("""
                update accounts
                set storage_limit = ?1
                where id = ?2 and storage_limit is not ?1
                """, bytes, account.id());
        if (changed > 0) {
            dao.activity().addLimits(account.id(), new LimitChange.OfBytes(LimitChange.ByteLimit.STORAGE, bytes), now);
        }
    }

    /** Sets the default storage limit of accounts. */
    public void setDefault(long bytes) {
        sql.update("update storage_default set bytes = ?1 where bytes <> ?1", bytes);
    }
}
