package stet.sqlite;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Activity.ActivityKind;
import stet.core.Draft;
import stet.core.ImageNames;
import stet.core.Samples;
import stet.core.TemplateDetails;
import stet.core.Validation;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.SourceDao.FilesOrigin;
import stet.dao.StoreException;
import stet.dao.VersionDao;
import stet.images.ImageFile;
import stet.markup.DraftText;

/**
 * Stages an import of any size: many short transactions write the data before one transaction moves it to the account.
 *
 * <pre>
 * texts    ─► texts, unreferenced, and garbage ──────────────┐
 * the rest ─► temporary tables of the write connection ──────┴─► commit: one short transaction ─► the account's rows
 * </pre>
 *
 * <p>The import is invisible until the commit.
 */
public final class Staging implements ImportTarget, AutoCloseable {
    /** Maximum size of the data that waits in memory to be written; a single larger item is allowed. */
    private static final int BATCH_BYTES = 256 << 10;
    private static final int BATCH_ROWS = 250;
    /** Maximum number of rows that the final transaction writes; each takes about 2 µs. */
    static final long MAX_ROWS = 100_000;
    /** Maximum number of characters of test data that the final transaction copies; each KiB takes about 4 µs. */
    private static final long MAX_SAMPLE_CHARACTERS = 16 << 20;
    /** Number of characters of test data that take as long to write as one row. */
    private static final int CHARACTERS_OF_ROW = 512;

    private final Db db;
    /** Distinguishes this import's rows from those of other imports in this process. */
    private final long id;
    private final Account account;
    private final Author author;
    private final FilesOrigin origin;
    private final StagedTexts texts;
    private final Queue<Consumer<Dao>> batch = new ArrayDeque<>();
    /** Texts that the account already has and this import reuses. Deleting their version or image may delete them. */
    private final List<Long> reused = new ArrayList<>();
    private final Set<String> sources = new HashSet<>();
    private long batchBytes;
    private long batchRows;
    private long rows;
    private long sampleCharacters;

    public Staging(Db db, Account account, Author author, FilesOrigin origin, Instant now) {
        this.db = db;
        this.id = db.nextImport();
        this.account = account;
        this.author = author;
        this.origin = origin;
        this.texts = new StagedTexts(db, account, author, now);
        db.changeUncached(dao -> dao.staged(id).createTables());
    }

    /** Stages a new or changed shared block or image. @param html the HTML, or the image's accepted file */
    @Override
    public void block(String name, byte[] html, byte[] sha256, List<String> blocks) {
        if (ImageNames.isImage(name)) {
            image(name, ImageFile.of(html), sha256);
            return;
        }
        Validation.id("name", name);
        stage(html.length, 1 + blocks.size(), dao -> dao.staged(id).addBlock(name, sha256, texts.add(dao, html), blocks));
    }

    /** Stages a new or replaced image. A file that the account has is not stored twice. */
    private void image(String name, ImageFile file, byte[] sha256) {
        stage(file.bytes().length, 1, dao -> {
            long text = reusedOrAdded(dao, dao.images().textId(account.id(), sha256), file.bytes());
            dao.staged(id).addImage(name, sha256, text, file);
        });
    }

    /** Stages only the sets of test data that change. */
    @Override
    public void draft(Draft draft, Samples before, boolean isMoved, boolean isNewHtml) {
        String template = draft.id();
        DraftText text = DraftText.of(draft);
        SampleChanges samples = SampleChanges.of(before, draft.samples());
        sampleCharacters += samples.characters();
        if (sampleCharacters > MAX_SAMPLE_CHARACTERS) {
            throw new Refusal("The import has more than " + (MAX_SAMPLE_CHARACTERS >> 20) + " million characters of new or changed"
                    + " test data; split it into several imports");
        }
        long moreBytes = samples.characters() + (isNewHtml ? text.html().length : 0);
        long moreRows = 1 + text.blocks().size() + samples.changed().size() + samples.removed().size()
                + (samples.characters() + samples.oldCharacters()) / CHARACTERS_OF_ROW;
        stage(moreBytes, moreRows, dao -> {
            Long html = !isNewHtml ? null
                    : reusedOrAdded(dao, dao.versions().draftText(account.id(), template, text.sha256(), text.html()), text.html());
            dao.staged(id).addDraft(template, draft.name(), isMoved, text, html, samples.newDefault());
            samples.removed().forEach(set -> dao.staged(id).addSamples(template, set, null, false));
            samples.changed().forEach((set, document) ->
                    dao.staged(id).addSamples(template, set, document, set.equals(draft.samples().defaultName())));
        });
    }

    @Override
    public void details(String template, TemplateDetails details) {
        stage(0, 1, dao -> dao.staged(id).addDetails(template, details));
    }

    @Override
    public void source(String kind, String name, byte[] sha256, boolean isLiveKnown, boolean keepsRollback) {
        boolean isNew = sources.add(kind + " " + name); // a digest that replaces an earlier one adds no row
        stage(0, isNew ? 1 : 0, dao -> dao.staged(id).addSource(kind, name, sha256, isLiveKnown, keepsRollback));
    }

    public boolean isEmpty() {
        return rows == 0;
    }

    @Override
    public void version(String template, VersionDao.Prepared prepared, Instant now) {
        Map<String, byte[]> blocks = prepared.publication().blocks();
        byte[] html = prepared.publication().html();
        stage(prepared.isDraft() ? 0 : html.length, 1 + blocks.size(), dao -> {
            Long text = prepared.isDraft() ? null
                    : reusedOrAdded(dao, dao.versions().text(account.id(), template, prepared.sha256(), html), html);
            dao.staged(id).addVersion(dao.versions().nextRow(account.id(), template, prepared, author.actor().name(), origin.note(), now), text,
                    blocks);
        });
    }

    /** @param same an identical text that the account already has @return the text's ID */
    private long reusedOrAdded(Dao dao, Optional<Long> same, byte[] html) {
        same.ifPresent(reused::add);
        return same.orElseGet(() -> texts.add(dao, html));
    }

    /** Adds work to the batch, or to a new one if it would be too large. @throws Refusal if the import has too many changes */
    private void stage(long moreBytes, long moreRows, Consumer<Dao> work) {
        if (batchBytes + moreBytes > BATCH_BYTES || batchRows + moreRows > BATCH_ROWS) {
            write();
        }
        rows += moreRows;
        if (rows > MAX_ROWS) {
            throw new Refusal("The import has more than " + MAX_ROWS + " changes; split it into several imports."
                    + " Each of these counts as one change: a template, a set of test data, a use of a shared block, and every "
                    + CHARACTERS_OF_ROW + " characters of test data");
        }
        batch.add(work);
        batchBytes += moreBytes;
        batchRows += moreRows;
    }

    private void write() {
        texts.write(batch, "the import was stopped");
        clearBatch();
    }

    private void clearBatch() {
        batch.clear();
        batchBytes = 0;
        batchRows = 0;
    }

    /** Removes what was staged for a template. */
    public void remove(String template) {
        write();
        db.changeUncached(dao -> dao.staged(id).remove(template));
    }

    /** Removes everything that was staged. The texts stay until {@link #close}. */
    public void clear() {
        clearBatch();
        reused.clear();
        sources.clear();
        rows = 0;
        sampleCharacters = 0;
        db.changeUncached(dao -> dao.staged(id).clear());
    }

    /**
     * Moves all staged data to the account in one transaction, which writes rows but no texts.
     *
     * @param contentRevision the account's revision when its content was compared with the files
     * @param detail          detail of the activity entry; empty if the activity is recorded elsewhere or nothing changed
     * @param published       number of new live versions
     * @param others          further changes in the same transaction
     * @return false, without changes, if the account has changed since the comparison or garbage collection has removed the texts
     */
    public boolean commit(long contentRevision, String detail, int published, Consumer<Dao> others, Instant now) {
        write();
        return db.withoutForeignKeys(() -> db.write(account, author.checked(dao -> {
            boolean isRemoved = texts.areRemoved(dao);
            if (isRemoved) {
                texts.forget();
            }
            if (isRemoved || dao.garbage().isAnyRemoved(account.id(), reused)
                    || dao.accounts().contentRevision(account.id()) != contentRevision) {
                return false;
            }
            dao.staged(id).save(account.id(), origin, now);
            others.accept(dao);
            if (!detail.isEmpty()) {
                dao.activity().add(account.id(), ActivityKind.IMPORTED, "", published, detail, now);
            }
            return true;
        })));
    }

    /** Leaves the staged texts to garbage collection. */
    @Override
    public void close() {
        try {
            clear();
        } catch (StoreException full) {
            // The temporary tables end with the process.
        }
        texts.release();
    }
}
