package stet.files;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import stet.core.Account;
import stet.core.Amount;
import stet.core.Draft;
import stet.core.Refusal;
import stet.core.Samples;
import stet.core.Utf8;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.TrashDao;
import stet.dao.VersionDao;
import stet.markup.DraftText;
import stet.markup.Problems;
import stet.markup.Problems.Problem;
import stet.markup.Publisher;
import stet.markup.Publisher.Expansion;
import stet.sqlite.Db;
import stet.sqlite.Staging;

/**
 * Saves files as an account's templates and blocks, all of them or none.
 *
 * <pre>
 * compare each file with the account, expand drafts to publish: reading only
 *   └─ a dry run ends here ─ stage new texts, in short transactions ─ one short transaction makes them the account's
 * </pre>
 *
 * <p>When the account has changed meanwhile, the changed parts are compared again.
 */
public final class Import {
    /** Times that the files are compared with an account that others change. */
    private static final int MAX_TRIES = 8;

    /** Which drafts are published: none, or each that would be served differently. */
    public enum Publishing {
        NONE,
        /** Refuses drafts with errors. */
        CHECKED,
        /** Publishes drafts with errors, too. */
        FORCED
    }

    /**
     * The changes of an import.
     *
     * @param created   ids of new templates
     * @param changed   ids of templates with another draft
     * @param unchanged number of templates that were as in the files
     * @param blocks    names of shared blocks that are new or have another text
     * @param published ids of templates whose served version is new
     */
    public record Result(List<String> created, List<String> changed, int unchanged, List<String> blocks, List<String> published) {
        /** The numbers of what is changed; empty where nothing is. */
        String inWords() {
            return Stream.of(created.size() + " created", changed.size() + " changed", published.size() + " published",
                    Amount.of(blocks.size(), "block")).filter(words -> !words.startsWith("0 ")).collect(Collectors.joining(", "));
        }
    }

    private final Db db;
    private final Account account;
    private final AccountFiles files;
    private final Publishing publishing;
    private final Author author;
    private final Clock clock;
    private final Map<String, Outcome> outcomes = new TreeMap<>();
    private final List<String> newBlocks = new ArrayList<>();
    private Map<String, String> comparedBlocks;

    public Import(Db db, Account account, AccountFiles files, Publishing publishing, Author author, Clock clock) {
        this.db = db;
        this.account = account;
        this.files = files;
        this.publishing = publishing;
        this.author = author;
        this.clock = clock;
    }

    /** The account without its texts. @param blocks the SHA-256 of each block in hex, by name */
    private record State(long revision, Map<String, Dao.Head> templates, Set<String> trash, Map<String, String> blocks) {
    }

    /** @param head of the template that was compared with, or null where there was none */
    private record Outcome(Dao.Head head, boolean changed, boolean published) {
        private boolean isCreated() {
            return head == null;
        }

        private boolean isFor(Dao.Head now) {
            return now == null ? head == null : now.isUnchanged(head);
        }
    }

    /** @throws Refusal naming the file and line, when a draft cannot be published; or when the account changes too often */
    public Result run() {
        try (Staging staging = new Staging(db, account, author, clock.instant())) {
            State state = state();
            for (int left = MAX_TRIES; left > 0; left--) {
                compare(state, staging);
                if (staging.commit(state.revision, result().inWords(), clock.instant())) {
                    return result();
                }
                State next = state();
                if (next.revision == state.revision) { // the staged texts were removed as unused
                    staging.clear();
                    comparedBlocks = null;
                }
                state = next;
            }
        }
        throw new Refusal("Others changed this account's templates all the time: nothing is imported; try it once more");
    }

    /** Reports the changes of {@link #run} without writing anything. */
    public Result dryRun() {
        compare(state(), null);
        return result();
    }

    private State state() {
        return db.read(author.checked(dao -> new State(dao.accounts().contentRevision(account.id()), dao.heads(account.id()),
                dao.trash().ids(account.id()), hex(dao.blocks().sha256s(account.id())))));
    }

    private static Map<String, String> hex(Map<String, byte[]> sha256s) {
        Map<String, String> hex = new TreeMap<>();
        sha256s.forEach((name, sha256) -> hex.put(name, HexFormat.of().formatHex(sha256)));
        return hex;
    }

    private Result result() {
        List<String> created = ids(Outcome::isCreated);
        List<String> changed = ids(Outcome::changed);
        return new Result(created, changed, outcomes.size() - created.size() - changed.size(), List.copyOf(newBlocks),
                ids(Outcome::published));
    }

    private List<String> ids(Predicate<Outcome> condition) {
        return outcomes.keySet().stream().filter(id -> condition.test(outcomes.get(id))).toList();
    }

    /** @param staging or null: nothing is written */
    private void compare(State state, Staging staging) {
        checkCount(state.templates.keySet(), files.drafts().keySet(), AccountPath.Kind.HTML);
        checkCount(state.blocks.keySet(), files.blocks().keySet(), AccountPath.Kind.BLOCK);
        if (!state.blocks.equals(comparedBlocks)) { // any draft may include a changed block: begin anew
            if (comparedBlocks != null && staging != null) {
                staging.clear();
            }
            comparedBlocks = state.blocks;
            outcomes.clear();
            compareBlocks(staging);
        }
        for (String id : files.drafts().keySet()) {
            if (state.trash.contains(id)) {
                throw TrashDao.taken(id).in(AccountPath.Kind.HTML.path(id));
            }
            Dao.Head head = state.templates.get(id);
            Outcome before = outcomes.get(id);
            if (before != null && before.isFor(head)) {
                continue;
            }
            if (before != null && staging != null) {
                staging.remove(id);
            }
            outcomes.put(id, compare(id, head, staging));
        }
    }

    /** Refuses more than an export, and so the next import, may have. */
    private static void checkCount(Set<String> present, Set<String> added, AccountPath.Kind kind) {
        long count = present.size() + added.stream().filter(each -> !present.contains(each)).count();
        if (count > kind.maxFiles) {
            throw new Refusal("The account would have " + count + " " + kind.plural + ", the most is " + kind.maxFiles);
        }
    }

    private void compareBlocks(Staging staging) {
        newBlocks.clear();
        hex(files.blocks()).forEach((name, sha256) -> {
            if (!sha256.equals(comparedBlocks.get(name))) {
                newBlocks.add(name);
            }
        });
        if (staging != null) {
            for (String name : newBlocks) {
                byte[] html = files.block(name);
                staging.block(name, html, files.blocks().get(name), Publisher.included(Utf8.text(html)));
            }
        }
    }

    /** @param head of the template, or null when there is none */
    private Outcome compare(String id, Dao.Head head, Staging staging) {
        AccountFiles.DraftFile file = files.draftFile(id);
        Samples samples = files.samples(id);
        Samples samplesBefore = head == null ? Samples.NONE : db.read(dao -> dao.samples(account.id(), id));
        boolean sameText = head != null && Arrays.equals(file.sha256(), head.sha256());
        boolean sameName = head != null && file.name().equals(head.name());
        boolean sameTags = file.tags().equals(head == null ? List.of() : head.tags());
        boolean same = sameName && sameText && samples.equals(samplesBefore);
        boolean toPublish = publishing != Publishing.NONE && file.published();
        if (!sameTags && staging != null) {
            staging.tags(id, file.tags());
        }
        if (same && !toPublish) {
            return new Outcome(head, !sameTags, false);
        }
        Draft draft = files.draft(id);
        if (!same && staging != null) {
            boolean sameHtml = sameText || head != null && db.read(dao -> dao.isHtml(account.id(), id, draft.html()));
            staging.draft(id, draft.name(), DraftText.of(draft), !sameName || !sameText, !sameHtml, samplesBefore, samples);
        }
        boolean published = toPublish && publish(draft, file, head, staging);
        return new Outcome(head, head != null && !(same && sameTags), published);
    }

    private boolean publish(Draft draft, AccountFiles.DraftFile file, Dao.Head head, Staging staging) {
        Expansion expansion = expand(files, draft, publishing == Publishing.FORCED, this::block);
        VersionDao.Prepared prepared = VersionDao.Prepared.of(draft.html(), file.sha256(), expansion);
        if (head != null && !db.read(dao -> dao.versions().isNew(account.id(), draft.id(), prepared))) {
            return false;
        }
        if (staging != null) {
            staging.version(draft.id(), prepared, clock.instant());
        }
        return true;
    }

    private Optional<String> block(String name) {
        return files.blocks().containsKey(name) ? Optional.of(Utf8.text(files.block(name)))
                : db.read(dao -> dao.blocks().html(account.id(), name)).map(Utf8::text);
    }

    /**
     * Saves and publishes the files of a new account, within the transaction that adds it.
     *
     * @param asServed whether what was served when it was exported is published again as it was, at the same time
     */
    static void into(Dao dao, long account, AccountFiles files, Instant now, boolean asServed) {
        files.blocks().keySet().forEach(name -> dao.blocks().save(account, name, files.block(name), now));
        files.drafts().forEach((id, file) -> {
            Draft draft = files.draft(id);
            boolean wasServed = asServed && file.updatedAt() != null;
            Instant time = wasServed ? file.updatedAt() : now;
            dao.save(account, draft, time);
            dao.library().setTags(account, id, file.tags());
            if (file.published()) {
                Expansion expansion = expand(files, draft, wasServed, name -> dao.blocks().html(account, name).map(Utf8::text));
                VersionDao.Prepared prepared = VersionDao.Prepared.of(draft.html(), file.sha256(), expansion);
                dao.versions().publish(account, id, prepared, "", time);
            }
        });
    }

    /** @throws Refusal naming each problem with its file and line */
    private static Expansion expand(AccountFiles files, Draft draft, boolean force, Function<String, Optional<String>> blocks) {
        Publisher publisher = new Publisher(blocks);
        try {
            return publisher.publish(draft.subject(), Utf8.text(draft.html()), force);
        } catch (Refusal refusal) {
            String sentences = Problems.sentence(publisher.problems().stopping(force).stream()
                    .map(row -> sentence(row, draft.id(), files)).toList());
            throw sentences.isEmpty() ? refusal.in(AccountPath.Kind.HTML.path(draft.id())) : new Refusal("html", sentences);
        }
    }

    private static String sentence(Problems.Row row, String id, AccountFiles files) {
        Problem problem = row.problem();
        String html = AccountPath.Kind.HTML.path(id);
        if (problem.block() != null && !files.blocks().containsKey(problem.block())) {
            return html + ": " + row;
        }
        if (problem.block() == null && problem.field().equals("subject")) {
            return AccountPath.Kind.JSON.path(id) + ": \"subject\": " + problem.sentence();
        }
        String path = problem.block() == null ? html : AccountPath.Kind.BLOCK.path(problem.block());
        return path + ": " + row.place() + ": " + problem.sentence();
    }
}
