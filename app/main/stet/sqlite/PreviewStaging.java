package stet.sqlite;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.PushPreviewDao.PreviewSize;
import stet.dao.PushPreviewDao.StagedItem;
import stet.dao.PushPreviewDao;

/** Stages the previews of a push. One short transaction then replaces the previews of that name. */
public final class PreviewStaging implements AutoCloseable {
    /** Size of the texts that wait in memory to be written; a single larger one is allowed. */
    private static final int BATCH_BYTES = 256 << 10;

    private final Db db;
    private final Account account;
    private final Author author;
    private final Instant now;
    private final StagedTexts texts;
    private final Queue<Consumer<Dao>> batch = new ArrayDeque<>();
    private final List<StagedItem> staged = new ArrayList<>();
    private long batchBytes;
    private long bytes;

    public PreviewStaging(Db db, Account account, Author author, Instant now) {
        this.db = db;
        this.account = account;
        this.author = author;
        this.now = now;
        this.texts = new StagedTexts(db, account, author, now);
    }

    /**
     * Adds an email or an image.
     *
     * @param item a template's ID, or an image's full name
     * @throws Refusal if there are more than an account may have, or the account would exceed its storage limit
     */
    public void add(String item, byte[] text) {
        bytes += text.length;
        batchBytes += text.length;
        batch.add(dao -> staged.add(new StagedItem(item, texts.add(dao, text), Secret.sha256(text))));
        PushPreviewDao.checkPush(new PreviewSize(staged.size() + batch.size(), bytes));
        if (batchBytes >= BATCH_BYTES) {
            write();
        }
    }

    private void write() {
        batchBytes = 0;
        texts.write(batch, "the push was stopped");
    }

    /**
     * Replaces the previews of a name.
     *
     * @return the links' secrets, by template ID
     * @throws Refusal if garbage collection has removed the texts, or the account would exceed its storage limit
     */
    public Map<String, String> commit(String name, Supplier<String> secrets) {
        write();
        return db.write(account, author.checked(dao -> {
            if (texts.areRemoved(dao)) {
                throw new Refusal("The previews could not be saved. Try again");
            }
            return dao.pushPreviews().replace(account.id(), name, staged, secrets, now);
        }));
    }

    @Override
    public void close() {
        texts.release();
    }
}
