package stet.files;

import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.FilesDigest;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.SourceDao.Arrival;
import stet.dao.SourceDao.Head;
import stet.dao.SourceDao.How;
import stet.files.Changes.VariableChanges;
import stet.files.Comparison.FileOutcome;
import stet.files.Comparison.Published;
import stet.markup.Problems.Level;
import stet.sqlite.Db;
import stet.sqlite.Staging;

/**
 * Saves files as an account's templates and blocks, all of them or none.
 *
 * <pre>
 * Comparison: compares each file with the account, expands drafts to publish
 *   └─ a dry run ends here ─ new texts are staged in short transactions ─ one short transaction applies them
 * </pre>
 *
 * <p>If the account changes before the last transaction, the changed parts are compared again.
 */
public final class Import {
    /** Maximum number of times that the files are compared if other users keep changing the account. */
    private static final int MAX_TRIES = 8;
    /** Maximum number of conflicts for which to look up the latest author in the activity log. */
    private static final int MAX_LOOKED_UP = 50;
    private static final int MAX_VARIABLES = 20_000;

    private final Db db;
    private final Account account;
    private final AccountFiles files;
    private final ImportOptions options;
    private final Author author;
    private final Clock clock;
    private final Comparison comparison;
    private Pruning pruning = Pruning.NOTHING;

    public Import(Db db, Account account, AccountFiles files, PublishMode publishing, Author author, Clock clock) {
        this(db, account, files, ImportOptions.of(publishing, false), author, clock);
    }

    public Import(Db db, Account account, AccountFiles files, ImportOptions options, Author author, Clock clock) {
        this.db = db;
        this.account = account;
        this.files = files;
        this.options = options;
        this.author = author;
        this.clock = clock;
        this.comparison = new Comparison(db, account, files, options.publishing(), options.renames(), clock);
    }

    /**
     * Applies all changes. If there are conflicts and overwriting is not allowed, applies no changes and returns the conflicts.
     *
     * @throws Refusal if a file cannot be imported or a draft cannot be published (the message names the file), or if the account keeps
     *         changing
     */
    public Changes run() {
        try (Staging staging = new Staging(db, account, author, options.arrival(), clock.instant())) {
            AccountHeads state = state();
            for (int left = MAX_TRIES; left > 0; left--) {
                Changes plan = plan(state, staging);
                if (plan.isRefused() || plan.isEmpty() && staging.isEmpty()) {
                    return plan;
                }
                String detail = options.arrival().how() == How.IMPORT ? plan.inWords() : "";
                if (staging.commit(state.revision(), detail, plan.published().size(), this::prune, clock.instant())) {
                    return plan;
                }
                AccountHeads next = state();
                if (next.revision() == state.revision()) { // garbage collection deleted the staged texts
                    staging.clear();
                    comparison.restart();
                }
                state = next;
            }
        }
        throw new Refusal("The account was changed during the import. Nothing was imported. Try again");
    }

    /** Reports the changes that {@link #run} would make, without writing. */
    public Changes dryRun() {
        return plan(state(), null);
    }

    /** @param staging null to write nothing */
    private Changes plan(AccountHeads state, Staging staging) {
        pruning = options.prune() ? Pruning.of(db, account.id(), files, state.templates(), state.blockHeads(), clock.instant()) : Pruning.NOTHING;
        List<Conflict> conflicts = conflicts(state);
        if (!conflicts.isEmpty() && !options.overwrite()) {
            return state.refused(files, conflicts);
        }
        comparison.run(state, staging);
        Map<String, FileOutcome> outcomes = comparison.outcomes();
        if (staging != null) {
            stageSources(state, staging);
        }
        List<String> created = ids(outcome -> outcome.head() == null);
        List<String> changed = ids(FileOutcome::changed);
        Map<String, VariableChanges> variables = new TreeMap<>();
        Map<Level, List<String>> problems = new EnumMap<>(Level.class); // errors before warnings
        add(problems, Level.WARNING, comparison.invisible());
        int named = 0;
        for (Map.Entry<String, FileOutcome> each : outcomes.entrySet()) {
            Published published = each.getValue().published();
            Head head = each.getValue().head();
            add(problems, Level.WARNING, each.getValue().invisible());
            if (published != null) {
                published.problems().forEach((level, sentences) -> add(problems, level, sentences));
                if (!published.variables().isEmpty() && named < MAX_VARIABLES) {
                    variables.put(each.getKey(), published.variables());
                    named += published.variables().added().size() + published.variables().removed().size();
                }
            } else if (head != null && head.rolledBack() && options.publishing() != PublishMode.NONE && !comparison.isServed(head)) {
                add(problems, Level.WARNING, List.of(each.getKey() + " was rolled back and will serve an earlier version until its files or shared blocks change"));
            }
        }
        return new Changes(created, changed, outcomes.size() - created.size() - changed.size(), List.copyOf(comparison.newBlocks()),
                ids(outcome -> outcome.published() != null), List.of(), conflicts, pruning.templates(), pruning.blocks(),
                pruning.reviewLinks(), variables,
                problems.values().stream().flatMap(List::stream).limit(AccountFiles.MAX_WARNINGS).toList(), files.notices());
    }

    private static void add(Map<Level, List<String>> problems, Level level, List<String> sentences) {
        problems.computeIfAbsent(level, any -> new ArrayList<>()).addAll(sentences);
    }

    private List<String> ids(Predicate<FileOutcome> condition) {
        Map<String, FileOutcome> outcomes = comparison.outcomes();
        return outcomes.keySet().stream().filter(id -> condition.test(outcomes.get(id))).toList();
    }

    /** Finds conflicts by comparing digests, before expanding or staging drafts. The commit succeeds only if the state has not changed. */
    private List<Conflict> conflicts(AccountHeads state) {
        List<Conflict> conflicts = new ArrayList<>(pruning.conflicts());
        conflicts.addAll(state.conflicts(files, options.publishing()::includes));
        return conflicts.isEmpty() ? conflicts : db.read(author.checked(dao -> IntStream.range(0, Math.min(conflicts.size(), Conflict.MAX)).mapToObj(i ->
                i < MAX_LOOKED_UP ? conflicts.get(i).withLatest(dao, account.id()) : conflicts.get(i)).toList()));
    }

    /** Stages the digests of files that differ from the recorded sources. */
    private void stageSources(AccountHeads state, Staging staging) {
        comparison.outcomes().forEach((id, outcome) -> {
            AccountFiles.DraftFile file = files.drafts().get(id);
            String digest = file != null ? file.digest() : files.unchanged().templates().get(id);
            boolean isKnown = outcome.head() != null && digest.equals(FilesDigest.hex(outcome.head().source()))
                    && (isOfThisWay(outcome.head().how()) || !Conflict.isAsItCame(outcome.head()));
            if ((!isKnown || outcome.changed() || outcome.published() != null) && isToNote(outcome.head())) {
                boolean isLiveKnown = options.overwrite() || outcome.head() == null || outcome.published() != null
                        || Conflict.of(outcome.head(), digest, file == null ? null : FilesDigest.hex(file.sha256()), true,
                        files.pulled().templates().get(id)).isEmpty();
                staging.source("template", id, HexFormat.of().parseHex(digest), isLiveKnown, outcome.published() == null
                        && PublishRule.keepsRollback(outcome.head(), file == null ? outcome.head().sha256() : file.sha256()));
            }
        });
        Map<String, String> digests = new TreeMap<>(files.unchanged().blocks());
        digests.putAll(files.blockDigests());
        digests.forEach((name, digest) -> {
            Head head = state.blockHeads().get(name);
            boolean isKnown = head != null && digest.equals(FilesDigest.hex(head.source())) && isOfThisWay(head.how());
            if ((!isKnown || comparison.newBlocks().contains(name)) && isToNote(head)) {
                staging.source("block", name, HexFormat.of().parseHex(digest), false, false);
            }
        });
    }

    /**
     * Whether to record the new source. A copy keeps a source recorded by a seed, import or push, so that the next push does not
     * silently revert the copy.
     */
    private boolean isToNote(Head head) {
        return options.arrival().how() != How.COPY || head == null || head.source() == null || head.how() == How.COPY;
    }

    /**
     * Whether a recorded source with this origin can stay. A push replaces sources recorded by a seed, import or copy, so that a later push
     * may prune those templates and blocks.
     */
    private boolean isOfThisWay(How how) {
        return options.arrival().how() != How.PUSH || how == How.PUSH;
    }

    private void prune(Dao dao) {
        pruning.run(dao, account.id(), options.arrival().note(), clock.instant());
    }

    private AccountHeads state() {
        return db.read(author.checked(dao -> AccountHeads.of(dao, account.id(), options.arrival().how() == How.COPY)));
    }
}
