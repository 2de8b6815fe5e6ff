package stet.sqlite;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import stet.core.Account;
import stet.core.Activity.Kind;
import stet.core.Refusal;
import stet.core.Samples;
import stet.core.Validation;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.GarbageDao;
import stet.dao.SourceDao.Arrival;
import stet.dao.StoreException;
import stet.dao.VersionDao;
import stet.markup.DraftText;

/**
 * Stages an import of any size: many short transactions write it before the one that makes it the account's.
 *
 * <pre>
 * texts    ─► texts, which nothing refers to yet, and garbage ─┐
 * the rest ─► temporary tables of the writing connection ──────┴─► commit: one short transaction ─► the account's
 * </pre>
 *
 * <p>Nothing is visible before the commit. {@link GarbageDao} removes the texts of a killed import.
 */
public final class Staging implements AutoCloseable {
    /** Bounds of what waits in memory to be written. */
    private static final int BATCH_BYTES = 256 << 10;
    private static final int BATCH_ROWS = 250;
    /** Bound of the last transaction: some 2 us a row. */
    static final long MAX_ROWS = 100_000;
    /** Bound of the test data in it, which the last transaction copies: 4 us a KiB. */
    private static final long MAX_SAMPLE_CHARACTERS = 16 << 20;
    /** Test data that takes as long as a row. */
    private static final int CHARACTERS_OF_ROW = 512;
    /** An import that takes longer has to start over. */
    private static final Duration TIMEOUT = Duration.ofDays(1);

    private final Db db;
    /** Tells its rows from those of other imports of this process. */
    private final long id;
    private final Account account;
    private final Author author;
    private final Arrival arrival;
    private final Instant deadline;
    private final Queue<Consumer<Dao>> batch = new ArrayDeque<>();
    private final Queue<Long> texts = new ArrayDeque<>();
    /** Texts of earlier versions, which may be removed with these. */
    private final List<Long> reused = new ArrayList<>();
    private final Set<String> sources = new HashSet<>();
    private long batchBytes;
    private long batchRows;
    private long rows;
    private long sampleCharacters;

    public Staging(Db db, Account account, Author author, Arrival arrival, Instant now) {
        this.db = db;
        this.id = db.nextImport();
        this.account = account;
        this.author = author;
        this.arrival = arrival;
        this.deadline = now.plus(TIMEOUT);
        db.writeUncached(dao -> dao.staged(id).createTables());
    }

    /** Stages a shared block, new or with another text. @param blocks named in its html */
    public void block(String name, byte[] html, byte[] sha256, List<String> blocks) {
        Validation.id("name", name);
        stage(html.length, 1 + blocks.size(), dao -> dao.staged(id).addBlock(name, sha256, add(dao, html), blocks));
    }

    /**
     * Stages a draft, new or changed, with the sets of its test data that differ.
     *
     * @param moved   whether name, subject or html differ
     * @param newHtml whether the html differs
     * @param before  test data that the template has
     */
    public void draft(String template, String name, DraftText text, boolean moved, boolean newHtml, Samples before,
                      Samples samples) {
        Map<String, String> changed = without(samples, before);
        Map<String, String> replaced = without(before, samples);
        Set<String> removed = new TreeSet<>(replaced.keySet());
        removed.removeAll(changed.keySet());
        boolean isMovedDefault = !before.documents().isEmpty() && !Objects.equals(before.defaultName(), samples.defaultName());
        long characters = characters(changed) + (isMovedDefault ? charactersOfDefaults(before, samples, changed) : 0);
        sampleCharacters += characters;
        if (sampleCharacters > MAX_SAMPLE_CHARACTERS) {
            throw new Refusal("The import has more than " + (MAX_SAMPLE_CHARACTERS >> 20) + " MiB of test data that is new or"
                    + " changed: import it in parts");
        }
        stage(characters + (newHtml ? text.html().length : 0), 1 + text.blocks().size() + changed.size() + removed.size()
                + (characters + characters(replaced)) / CHARACTERS_OF_ROW, dao -> {
            Long added = !newHtml ? null : used(dao.versions().draftText(account.id(), template, text.sha256(), text.html()), dao,
                    text.html());
            dao.staged(id).addDraft(template, name, moved, text, added, isMovedDefault ? samples.defaultName() : null);
            removed.forEach(set -> dao.staged(id).addSamples(template, set, null, false));
            changed.forEach((set, document) -> dao.staged(id).addSamples(template, set, document, set.equals(samples.defaultName())));
        });
    }

    /** The documents that are not the same in others. */
    private static Map<String, String> without(Samples samples, Samples others) {
        Map<String, String> documents = new TreeMap<>(samples.documents());
        documents.entrySet().removeAll(others.documents().entrySet());
        return documents;
    }

    /** Rows of another default are written whole, with their documents. @param changed documents, which are written anyway */
    private static long charactersOfDefaults(Samples before, Samples samples, Map<String, String> changed) {
        return Stream.of(before.defaultName(), samples.defaultName()).filter(name -> name != null && !changed.containsKey(name))
                .mapToLong(name -> samples.documents().getOrDefault(name, "").length()).sum();
    }

    private static long characters(Map<String, String> documents) {
        return documents.values().stream().mapToLong(String::length).sum();
    }

    /** Stages the tags of a template, new or there already. They are no part of its draft. */
    public void tags(String template, List<String> tags) {
        stage(0, 1, dao -> dao.staged(id).addTags(template, tags));
    }

    /** Stages the digest of the files of a template or shared block, as {@link stet.dao.StagedDao#addSource}. */
    public void source(String kind, String name, byte[] sha256, boolean isLiveKnown) {
        stage(0, 1, dao -> dao.staged(id).addSource(kind, name, sha256, isLiveKnown));
        rows -= sources.add(kind + " " + name) ? 0 : 1; // it replaces the former
    }

    public boolean isEmpty() {
        return rows == 0;
    }

    /** Stages a version of a template, made from its draft. */
    public void version(String template, VersionDao.Prepared prepared, Instant now) {
        Map<String, byte[]> blocks = prepared.publication().blocks();
        byte[] html = prepared.publication().html();
        stage(prepared.isDraft() ? 0 : html.length, 1 + blocks.size(), dao -> {
            Long added = prepared.isDraft() ? null : used(dao.versions().text(account.id(), template, prepared.sha256(), html), dao,
                    html);
            dao.staged(id).addVersion(dao.versions().row(account.id(), template, prepared, author.actor().name(), arrival.note(), now), added,
                    blocks);
        });
    }

    /** @param same text of an earlier version, to be used again */
    private long used(Optional<Long> same, Dao dao, byte[] html) {
        same.ifPresent(reused::add);
        return same.orElseGet(() -> add(dao, html));
    }

    private long add(Dao dao, byte[] html) {
        long text = dao.addText(account.id(), html);
        dao.garbage().add(text, deadline);
        texts.add(text);
        return text;
    }

    private void stage(long moreBytes, long moreRows, Consumer<Dao> work) {
        if (batchBytes + moreBytes > BATCH_BYTES || batchRows + moreRows > BATCH_ROWS) {
            write();
        }
        rows += moreRows;
        if (rows > MAX_ROWS) {
            throw new Refusal("The import changes too much at once, more than " + MAX_ROWS + " templates, sets of test data (each "
                    + CHARACTERS_OF_ROW + " characters count as one) and uses of shared blocks: import it in parts");
        }
        batch.add(work);
        batchBytes += moreBytes;
        batchRows += moreRows;
    }

    private void write() {
        if (!batch.isEmpty()) {
            if (!db.inSlices(dao -> {
                dao.storage().bounded(account.id(), () -> {
                    batch.remove().accept(dao);
                    return null;
                });
                return !batch.isEmpty();
            })) {
                throw new StoreException("the import is stopped");
            }
            clearBatch();
        }
    }

    private void clearBatch() {
        batch.clear();
        batchBytes = 0;
        batchRows = 0;
    }

    /** Removes a draft and its version, to be staged again. */
    public void remove(String template) {
        write();
        db.writeUncached(dao -> dao.staged(id).remove(template));
    }

    public void clear() {
        clearBatch();
        reused.clear();
        sources.clear();
        rows = 0;
        sampleCharacters = 0;
        db.writeUncached(dao -> dao.staged(id).clear());
    }

    /**
     * Makes everything the account's, in one transaction that writes rows but no texts.
     *
     * @param contentRevision of the account when it was compared with the files
     * @param detail          of the activity; empty where it has rows of its own, or nothing is changed
     * @param others          what the same transaction changes besides
     * @return false when the account has changed since, or garbage collection has taken the texts; then nothing is done
     */
    public boolean commit(long contentRevision, String detail, Consumer<Dao> others, Instant now) {
        write();
        return db.withoutForeignKeys(() -> db.write(account, author.checked(dao -> {
            if (dao.accounts().contentRevision(account.id()) != contentRevision || areTextsRemoved(dao)) {
                return false;
            }
            dao.staged(id).save(account.id(), arrival, now);
            others.accept(dao);
            if (!detail.isEmpty()) {
                dao.activity().add(account.id(), Kind.IMPORTED, "", detail, now);
            }
            return true;
        })));
    }

    /** Whether garbage collection has a text that is referred to. Of the import's own it takes all at once, the first included. */
    private boolean areTextsRemoved(Dao dao) {
        if (!texts.isEmpty() && !dao.garbage().isWaiting(texts.peek(), deadline)) {
            texts.clear();
            return true;
        }
        return dao.garbage().isRemoved(account.id(), reused);
    }

    /** Leaves the staged texts to garbage collection, which keeps those that are in use. */
    @Override
    public void close() {
        try {
            clear();
            if (!texts.isEmpty()) {
                db.inSlices(dao -> {
                    dao.garbage().release(texts.remove(), deadline);
                    return !texts.isEmpty();
                });
            }
        } catch (StoreException full) {
            // Garbage collection looks at them after a day anyway.
        }
    }
}
