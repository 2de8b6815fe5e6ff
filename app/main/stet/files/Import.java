package stet.files;

import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import stet.core.Account;
import stet.core.Draft;
import stet.core.FilesDigest;
import stet.core.Refusal;
import stet.core.Samples;
import stet.core.Template;
import stet.core.Utf8;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.SourceDao.Arrival;
import stet.dao.SourceDao.Head;
import stet.dao.SourceDao.How;
import stet.dao.TrashDao;
import stet.dao.VersionDao;
import stet.files.Changes.Variables;
import stet.markup.DraftText;
import stet.markup.Problems.Level;
import stet.markup.Publisher;
import stet.markup.Publisher.Expansion;
import stet.sqlite.Db;
import stet.sqlite.Staging;

/**
 * Saves files as an account's templates and blocks, all of them or none.
 *
 * <pre>
 * compare each file with the account, expand drafts to publish: reading only
 *   └─ a dry run ends here ─ stage new texts, in short transactions ─ one short transaction applies them
 * </pre>
 *
 * <p>If the account changes in between, the changed parts are compared again.
 */
public final class Import {
    /** Maximum number of comparisons if others keep changing the account. */
    private static final int MAX_TRIES = 8;
    /** Maximum number of conflicts for which the activity log is searched for the latest author. */
    private static final int MAX_LOOKED_UP = 50;
    /** Limits on conflicts and variable names in a plan, because commands read JSON of at most 100,000 values. */
    static final int MAX_CONFLICTS = 1_000;
    private static final int MAX_VARIABLES = 20_000;

    /** Whether to publish the drafts whose live version would change. */
    public enum Publishing {
        NONE,
        /** Refuses drafts with errors. */
        CHECKED,
        /** Publishes drafts despite errors. */
        FORCED;

        /** @throws Refusal if force is set without publish */
        public static Publishing of(boolean publish, boolean force) {
            if (force && !publish) {
                throw new Refusal("force", "force requires publish");
            }
            return force ? FORCED : publish ? CHECKED : NONE;
        }
    }

    /**
     * @param overwrite whether to replace local changes made since the last import or push
     * @param prune     whether to remove templates and blocks that came from files and are missing from these
     * @param renames   whether names of live templates may change
     */
    public record Options(Publishing publishing, boolean overwrite, boolean prune, boolean renames, Arrival arrival) {
        public static Options of(Publishing publishing, boolean overwrite) {
            return new Options(publishing, overwrite, false, true, new Arrival(How.IMPORT, ""));
        }
    }

    /** Thrown if the account changed after the push decided which files to leave out. */
    public static final class Outdated extends Refusal {
        private static final long serialVersionUID = 1;

        Outdated() {
            super("The account changed during the push. Nothing was saved. Push again");
        }
    }

    private final Db db;
    private final Account account;
    private final AccountFiles files;
    private final Options options;
    private final Author author;
    private final Clock clock;
    private final Map<String, Outcome> outcomes = new TreeMap<>();
    private final List<String> newBlocks = new ArrayList<>();
    private Map<String, String> comparedBlocks;
    private Pruning pruning = Pruning.NOTHING;

    public Import(Db db, Account account, AccountFiles files, Publishing publishing, Author author, Clock clock) {
        this(db, account, files, Options.of(publishing, false), author, clock);
    }

    public Import(Db db, Account account, AccountFiles files, Options options, Author author, Clock clock) {
        this.db = db;
        this.account = account;
        this.files = files;
        this.options = options;
        this.author = author;
        this.clock = clock;
    }

    /** @param head of the compared template, or null if it is new @param published null if not published */
    private record Outcome(Head head, boolean changed, Published published) {
        private boolean isFor(Head now) {
            return now == null ? head == null : now.isUnchanged(head);
        }
    }

    private record Published(Variables variables, Map<Level, List<String>> problems) {
    }

    /**
     * Applies all changes, or none if there are conflicts that may not be overwritten, which the result then lists.
     *
     * @throws Refusal naming file and line of a draft that cannot be published; or if the account keeps changing
     */
    public Changes run() {
        try (Staging staging = new Staging(db, account, author, options.arrival, clock.instant())) {
            AccountHeads state = state();
            for (int left = MAX_TRIES; left > 0; left--) {
                Changes plan = plan(state, staging);
                if (plan.isRefused() || plan.isEmpty() && staging.isEmpty()) {
                    return plan;
                }
                String detail = options.arrival.how() == How.IMPORT ? plan.inWords() : "";
                if (staging.commit(state.revision(), detail, plan.published().size(), this::prune, clock.instant())) {
                    return plan;
                }
                AccountHeads next = state();
                if (next.revision() == state.revision()) { // the staged texts were removed as unreferenced
                    staging.clear();
                    comparedBlocks = null;
                }
                state = next;
            }
        }
        throw new Refusal("The account was changed during the import. Nothing was imported. Try again");
    }

    /** Reports the changes of {@link #run} without writing. */
    public Changes dryRun() {
        return plan(state(), null);
    }

    /** @param staging null to write nothing */
    private Changes plan(AccountHeads state, Staging staging) {
        pruning = options.prune ? Pruning.of(db, account.id(), files, state.templates(), state.blockHeads()) : Pruning.NOTHING;
        List<Conflict> conflicts = conflicts(state);
        if (!conflicts.isEmpty() && !options.overwrite) {
            return state.refused(files, conflicts);
        }
        compare(state, staging);
        if (staging != null) {
            stageSources(state, staging);
        }
        List<String> created = ids(outcome -> outcome.head == null);
        List<String> changed = ids(Outcome::changed);
        Map<String, Variables> variables = new TreeMap<>();
        Map<Level, List<String>> problems = new EnumMap<>(Level.class); // errors before warnings
        int named = 0;
        for (Map.Entry<String, Outcome> each : outcomes.entrySet()) {
            Published published = each.getValue().published;
            Head head = each.getValue().head;
            if (published != null) {
                published.problems.forEach((level, sentences) -> add(problems, level, sentences));
                if (!published.variables.isEmpty() && named < MAX_VARIABLES) {
                    variables.put(each.getKey(), published.variables);
                    named += published.variables.added().size() + published.variables.removed().size();
                }
            } else if (head != null && head.rolledBack() && options.publishing != Publishing.NONE && !isServed(head)) {
                add(problems, Level.WARNING, List.of(each.getKey() + " was rolled back and serves an earlier version until its files change"));
            }
        }
        return new Changes(created, changed, outcomes.size() - created.size() - changed.size(), List.copyOf(newBlocks),
                ids(outcome -> outcome.published != null), List.of(), conflicts, pruning.templates(), pruning.blocks(), variables,
                problems.values().stream().flatMap(List::stream).limit(AccountFiles.MAX_WARNINGS).toList(), files.notices());
    }

    private static void add(Map<Level, List<String>> problems, Level level, List<String> sentences) {
        problems.computeIfAbsent(level, any -> new ArrayList<>()).addAll(sentences);
    }

    private List<String> ids(Predicate<Outcome> condition) {
        return outcomes.keySet().stream().filter(id -> condition.test(outcomes.get(id))).toList();
    }

    /** Finds conflicts from digests alone, before drafts are expanded or staged. The commit applies to the same state. */
    private List<Conflict> conflicts(AccountHeads state) {
        List<Conflict> conflicts = new ArrayList<>(pruning.conflicts());
        conflicts.addAll(state.conflicts(files, this::isToPublish));
        return conflicts.isEmpty() ? conflicts : db.read(author.checked(dao -> IntStream.range(0, Math.min(conflicts.size(), MAX_CONFLICTS)).mapToObj(i ->
                i < MAX_LOOKED_UP ? conflicts.get(i).withLatest(dao, account.id()) : conflicts.get(i)).toList()));
    }

    private boolean isToPublish(boolean published) {
        return published && options.publishing != Publishing.NONE;
    }

    /** Stages the digests of files that differ from those that arrived last. */
    private void stageSources(AccountHeads state, Staging staging) {
        outcomes.forEach((id, outcome) -> {
            AccountFiles.DraftFile file = files.drafts().get(id);
            String digest = file != null ? file.digest() : files.unchanged().templates().get(id);
            boolean isKnown = outcome.head != null && digest.equals(FilesDigest.hex(outcome.head.source()))
                    && (isOfThisWay(outcome.head.how()) || !Conflict.isAsItCame(outcome.head));
            if ((!isKnown || outcome.changed || outcome.published != null) && isToNote(outcome.head)) {
                boolean isLiveKnown = options.overwrite || outcome.head == null || outcome.published != null
                        || Conflict.of(outcome.head, digest, file == null ? null : FilesDigest.hex(file.sha256()), true,
                        files.pulled().templates().get(id)).isEmpty();
                staging.source("template", id, HexFormat.of().parseHex(digest), isLiveKnown);
            }
        });
        Map<String, String> digests = new TreeMap<>(files.unchanged().blocks());
        digests.putAll(files.blockDigests());
        digests.forEach((name, digest) -> {
            Head head = state.blockHeads().get(name);
            boolean isKnown = head != null && digest.equals(FilesDigest.hex(head.source())) && isOfThisWay(head.how());
            if ((!isKnown || newBlocks.contains(name)) && isToNote(head)) {
                staging.source("block", name, HexFormat.of().parseHex(digest), false);
            }
        });
    }

    /** A copy does not replace the source of a push or import, so that the next push does not silently revert the copy. */
    private boolean isToNote(Head head) {
        return options.arrival.how() != How.COPY || head == null || head.source() == null || head.how() == How.COPY;
    }

    /** A push takes over templates that arrived another way, so that a later push may prune them. */
    private boolean isOfThisWay(How how) {
        return options.arrival.how() != How.PUSH || how == How.PUSH;
    }

    private void prune(Dao dao) {
        pruning.run(dao, account.id(), options.arrival.note(), clock.instant());
    }

    private AccountHeads state() {
        return db.read(author.checked(dao -> AccountHeads.of(dao, account.id(), options.arrival.how() == How.COPY)));
    }

    /** @param staging null to write nothing */
    private void compare(AccountHeads state, Staging staging) {
        checkCount(state.templates().keySet(), files.drafts().keySet(), AccountPath.Kind.HTML);
        checkCount(state.blocks().keySet(), files.blocks().keySet(), AccountPath.Kind.BLOCK);
        if (!state.blocks().equals(comparedBlocks)) { // any draft may include a changed block, so start over
            if (comparedBlocks != null && staging != null) {
                staging.clear();
            }
            comparedBlocks = state.blocks();
            outcomes.clear();
            compareBlocks(staging);
        }
        for (String id : files.drafts().keySet()) {
            if (state.trash().contains(id)) {
                throw TrashDao.taken(id).in(AccountPath.Kind.HTML.path(id));
            }
            compareAgain(id, state.templates().get(id), staging, head -> compare(id, head, staging));
        }
        for (String id : files.unchanged().templates().keySet()) {
            compareAgain(id, state.unchanged(files, id), staging, head -> publishUnchanged(id, head, staging));
        }
        if (!state.blocks().entrySet().containsAll(files.unchanged().blocks().entrySet())) {
            throw new Outdated();
        }
    }

    /** Compares a template, unless it is unchanged since the last comparison. */
    private void compareAgain(String id, Head head, Staging staging, Function<Head, Outcome> comparison) {
        Outcome before = outcomes.get(id);
        if (before != null && before.isFor(head)) {
            return;
        }
        if (before != null && staging != null) {
            staging.remove(id);
        }
        outcomes.put(id, comparison.apply(head));
    }

    /** Refuses more files than an export or import allows. */
    private static void checkCount(Set<String> present, Set<String> added, AccountPath.Kind kind) {
        long count = present.size() + added.stream().filter(each -> !present.contains(each)).count();
        if (count > kind.maxFiles) {
            throw new Refusal("The account would have " + count + " " + kind.plural + "; the limit is " + kind.maxFiles);
        }
    }

    private void compareBlocks(Staging staging) {
        newBlocks.clear();
        files.blockDigests().entrySet().stream().filter(each -> !each.getValue().equals(comparedBlocks.get(each.getKey())))
                .forEach(each -> newBlocks.add(each.getKey()));
        if (staging != null) {
            for (String name : newBlocks) {
                byte[] html = files.block(name);
                staging.block(name, html, files.blocks().get(name), Publisher.included(Utf8.text(html)));
            }
        }
    }

    /** @param head of the template, or null if it is new */
    private Outcome compare(String id, Head head, Staging staging) {
        AccountFiles.DraftFile file = files.draftFile(id);
        boolean same = head != null && file.digest().equals(head.digest());
        boolean toPublish = isToPublish(file.published());
        if (same && (!toPublish || isServed(head))) {
            return new Outcome(head, false, null);
        }
        Draft draft = files.draft(id);
        if (!same && staging != null) {
            stage(id, draft, file, head, staging);
        }
        checkName(file, head, id);
        return new Outcome(head, head != null && !same, toPublish ? publish(draft, file.sha256(), file.digest(), head, staging) : null);
    }

    private void checkName(AccountFiles.DraftFile file, Head head, String id) {
        if (!options.renames && head != null && head.published() > 0 && !file.name().equals(head.name())) {
            throw new Refusal("Only editors can rename a published template")
                    .in(AccountPath.Kind.JSON.path(id));
        }
    }

    private void stage(String id, Draft draft, AccountFiles.DraftFile file, Head head, Staging staging) {
        Samples before = head == null ? Samples.NONE : db.read(dao -> dao.templates().samples(account.id(), id));
        boolean sameText = head != null && Arrays.equals(file.sha256(), head.sha256());
        boolean sameName = head != null && file.name().equals(head.name());
        if (!file.tags().equals(head == null ? List.of() : head.tags())) {
            staging.tags(id, file.tags());
        }
        if (!sameText || !sameName || !draft.samples().equals(before)) {
            boolean sameHtml = sameText || head != null && db.read(dao -> dao.templates().isHtml(account.id(), id, draft.html()));
            staging.draft(id, draft.name(), DraftText.of(draft), !sameName || !sameText, !sameHtml, before, draft.samples());
        }
    }

    /**
     * Whether the live version was made from this draft and the shared blocks of these files, so that the draft need not be
     * expanded. Other blocks may have unpublished edits, which these files must not publish.
     */
    private boolean isServed(Head head) {
        return Arrays.equals(head.live(), head.sha256()) && (head.blocks() == null || head.blocks().lines().allMatch(line -> {
            String block = line.substring(0, line.indexOf(' '));
            String digest = files.blocks().containsKey(block) ? FilesDigest.hex(files.blocks().get(block))
                    : files.unchanged().blocks().get(block);
            return digest == null || line.endsWith(" " + digest);
        }));
    }

    private Outcome publishUnchanged(String id, Head head, Staging staging) {
        if (!isToPublish(!files.unchanged().unpublished().contains(id)) || isServed(head)) {
            return new Outcome(head, false, null);
        }
        Template template = db.read(dao -> dao.templates().intact(account.id(), id));
        Draft draft = new Draft(id, template.name(), template.subject(), template.html(), Samples.NONE);
        return new Outcome(head, false, publish(draft, head.sha256(), head.digest(), head, staging));
    }

    /**
     * @param sha256 of the draft
     * @param digest of its files
     * @return null if the same version is live or a rollback is still in effect
     */
    private Published publish(Draft draft, byte[] sha256, String digest, Head head, Staging staging) {
        Map<Level, List<String>> problems = new EnumMap<>(Level.class);
        Expansion expansion = files.expand(draft, options.publishing == Publishing.FORCED, this::block, problems);
        VersionDao.Prepared prepared = VersionDao.Prepared.of(draft.html(), sha256, expansion);
        if (head != null && (isRolledBack(head, digest, prepared)
                || !db.read(dao -> dao.versions().isNew(account.id(), draft.id(), prepared)))) {
            return null;
        }
        if (staging != null) {
            staging.version(draft.id(), prepared, clock.instant());
        }
        List<String> before = head == null ? List.of() : db.read(dao -> dao.versions().variables(account.id(), draft.id()));
        return new Published(Variables.of(before, expansion.variables()), problems);
    }

    /** Whether a rollback is still in effect because neither the template's files nor its shared blocks have changed. */
    private boolean isRolledBack(Head head, String digest, VersionDao.Prepared prepared) {
        return head.rolledBack() && digest.equals(head.digest()) && digest.equals(FilesDigest.hex(head.source()))
                && Collections.disjoint(newBlocks, prepared.publication().blocks().keySet());
    }

    private Optional<String> block(String name) {
        return files.blocks().containsKey(name) ? Optional.of(Utf8.text(files.block(name)))
                : db.read(dao -> dao.blocks().html(account.id(), name)).map(Utf8::text);
    }
}
