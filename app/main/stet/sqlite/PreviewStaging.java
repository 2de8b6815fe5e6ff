package stet.sqlite;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Supplier;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.dao.Author;
import stet.dao.PushPreviewDao.StagedItem;
import stet.dao.PushPreviewDao;
import stet.dao.StoreException;

/**
 * Stages the previews of a push: many short transactions write their texts, as {@link Staging} does, and one short transaction replaces the
 * previews of that name. Garbage collection removes the texts of a killed push.
 */
public final class PreviewStaging implements AutoCloseable {
    /** Size of the texts that wait in memory to be written; a single larger one is allowed. */
    private static final int BATCH_BYTES = 256 << 10;
    private static final Duration TIMEOUT = Duration.ofDays(1);

    private final Db db;
    private final Account account;
    private final Author author;
    private final Instant now;
    private final Instant deadline;
    private final Queue<Item> batch = new ArrayDeque<>();
    private final List<StagedItem> staged = new ArrayList<>();
    private long batchBytes;
    private long bytes;

    private record Item(String name, byte[] text) {
    }

    public PreviewStaging(Db db, Account account, Author author, Instant now) {
        this.db = db;
        this.account = account;
        this.author = author;
        this.now = now;
        this.deadline = now.plus(TIMEOUT);
    }

    /** @param item a template's ID, or an image's full name @throws Refusal if there are more than an account may have */
    public void add(String item, byte[] text) {
        bytes += text.length;
        batchBytes += text.length;
        batch.add(new Item(item, text));
        PushPreviewDao.check(staged.size() + batch.size(), bytes);
        if (batchBytes >= BATCH_BYTES) {
            write();
        }
    }

    private void write() {
        batchBytes = 0;
        if (!batch.isEmpty() && !db.inSlices(author, dao -> {
            staged.add(dao.storage().bounded(account.id(), () -> {
                Item item = batch.remove();
                long text = dao.addText(account.id(), item.text);
                dao.garbage().add(text, deadline);
                return new StagedItem(item.name, text, Secret.sha256(item.text));
            }));
            return !batch.isEmpty();
        })) {
            throw new StoreException("the push was stopped");
        }
    }

    /** Replaces the previews of a name. @return the links' secrets, by template ID */
    public Map<String, String> commit(String name, Supplier<String> secrets) {
        write();
        return db.write(account, author.checked(dao -> {
            if (dao.garbage().isRemoved(account.id(), staged.stream().map(StagedItem::text).toList())) { // if the clock was set forward
                throw new Refusal("The previews could not be saved. Try again");
            }
            return dao.pushPreviews().replace(account.id(), name, staged, secrets, now);
        }));
    }

    /** Leaves the texts to garbage collection. Texts in use are kept. */
    @Override
    public void close() {
        try {
            Queue<StagedItem> left = new ArrayDeque<>(staged);
            if (!left.isEmpty()) {
                db.inSlices(dao -> {
                    dao.garbage().release(left.remove().text(), deadline);
                    return !left.isEmpty();
                });
            }
        } catch (StoreException full) {
            // Garbage collection will check the texts after a day anyway.
        }
    }
}
