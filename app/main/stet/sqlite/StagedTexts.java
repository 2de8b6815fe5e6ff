package stet.sqlite;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import stet.core.Account;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.StoreException;

/**
 * Texts that an import or a push of previews writes in many short transactions, before one short transaction refers to them. Garbage
 * collection removes the texts if the process is killed before that.
 */
final class StagedTexts {
    /** Time after which garbage collection may remove the texts. */
    private static final Duration TIMEOUT = Duration.ofDays(1);

    private final Db db;
    private final Account account;
    private final Author author;
    private final Instant deadline;
    private final Queue<Long> added = new ArrayDeque<>();

    StagedTexts(Db db, Account account, Author author, Instant now) {
        this.db = db;
        this.account = account;
        this.author = author;
        this.deadline = now.plus(TIMEOUT);
    }

    /**
     * Runs and removes the steps of a batch, such as {@link #add}.
     *
     * @param stopped error message if the process stops before the last step
     * @throws stet.base.Refusal if the account would exceed its storage limit
     * @throws StoreException    if the process stops before the last step, or writing fails
     */
    void write(Queue<Consumer<Dao>> batch, String stopped) {
        boolean isWritten = batch.isEmpty() || db.inSlices(author, dao -> dao.storage().bounded(account.id(), () -> {
            batch.remove().accept(dao);
            return !batch.isEmpty();
        }));
        if (!isWritten) {
            throw new StoreException(stopped);
        }
    }

    /** Adds a text. @return its ID */
    long add(Dao dao, byte[] text) {
        long id = dao.addText(account.id(), text);
        dao.garbage().add(id, deadline);
        added.add(id);
        return id;
    }

    /** Whether garbage collection, which begins with the first text, has removed texts, for example because the clock was set forward. */
    boolean areRemoved(Dao dao) {
        return !added.isEmpty() && !dao.garbage().isWaiting(added.peek(), deadline);
    }

    /** Stops tracking texts that {@link #areRemoved}. */
    void forget() {
        added.clear();
    }

    /** Leaves the texts to garbage collection, which keeps those in use. */
    void release() {
        try {
            if (!added.isEmpty()) {
                db.inSlices(dao -> {
                    dao.garbage().release(added.remove(), deadline);
                    return !added.isEmpty();
                });
            }
        } catch (StoreException full) {
            // Garbage collection will check the texts after a day anyway.
        }
    }
}
