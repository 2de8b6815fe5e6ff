package stet.files;

import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import stet.core.Account;
import stet.core.Draft;
import stet.core.FilesDigest;
import stet.core.Refusal;
import stet.core.Samples;
import stet.core.Template;
import stet.core.Utf8;
import stet.dao.SourceDao.Head;
import stet.dao.TrashDao;
import stet.dao.VersionDao;
import stet.files.Changes.Variables;
import stet.files.Import.Publishing;
import stet.markup.DraftText;
import stet.markup.Problems.Level;
import stet.markup.Publisher;
import stet.markup.Publisher.Expansion;
import stet.sqlite.Db;
import stet.sqlite.Staging;

/**
 * Compares an import's files with the account, expands the drafts to publish, and stages new texts. Writes nothing else. Later runs skip
 * the files of templates that have not changed since the last comparison.
 */
final class Comparison {
    private final Db db;
    private final Account account;
    private final AccountFiles files;
    private final Publishing publishing;
    private final boolean renames;
    private final Clock clock;
    private final Map<String, Outcome> outcomes = new TreeMap<>();
    private final List<String> newBlocks = new ArrayList<>();
    /** Digests of the account's blocks at the last comparison; null before the first comparison. */
    private Map<String, String> comparedBlocks;

    /** @param renames see {@link Import.Options} */
    Comparison(Db db, Account account, AccountFiles files, Publishing publishing, boolean renames, Clock clock) {
        this.db = db;
        this.account = account;
        this.files = files;
        this.publishing = publishing;
        this.renames = renames;
        this.clock = clock;
    }

    /** @param head the template's state when compared, or null if the template is new @param published null if nothing is published */
    record Outcome(Head head, boolean changed, Published published) {
        private boolean isFor(Head now) {
            return now == null ? head == null : now.isUnchanged(head);
        }
    }

    record Published(Variables variables, Map<Level, List<String>> problems) {
    }

    /** The results by template ID. */
    Map<String, Outcome> outcomes() {
        return outcomes;
    }

    /** Names of the new or changed blocks in the files. */
    List<String> newBlocks() {
        return newBlocks;
    }

    /** Makes the next run compare and stage everything. */
    void restart() {
        comparedBlocks = null;
    }

    /**
     * Compares all files or, in later runs, the files of templates that have changed since the last comparison.
     *
     * @param staging null to write nothing
     * @throws Refusal if a file cannot be imported
     */
    void run(AccountHeads state, Staging staging) {
        checkCount(state.templates().keySet(), files.drafts().keySet(), AccountPath.Kind.HTML);
        checkCount(state.blocks().keySet(), files.blocks().keySet(), AccountPath.Kind.BLOCK);
        if (!state.blocks().equals(comparedBlocks)) { // start over because any draft may include a changed block
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
            throw new Import.Outdated();
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

    /** Checks that the import does not exceed the maximum number of templates or blocks. */
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

    /** @param head the template's current state, or null if the template is new */
    private Outcome compare(String id, Head head, Staging staging) {
        AccountFiles.DraftFile file = files.draftFile(id);
        boolean same = head != null && file.digest().equals(head.digest());
        boolean toPublish = publishing.includes(file.published());
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
        if (!renames && head != null && head.published() > 0 && !file.name().equals(head.name())) {
            throw new Refusal("Only editors and owners can rename a published template")
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
     * Whether the live version was made from this draft and these files' shared blocks, so that the draft need not be published. Other
     * blocks are ignored because their unpublished edits must not be published with these files.
     */
    boolean isServed(Head head) {
        return Arrays.equals(head.live(), head.sha256()) && (head.blocks() == null || head.blocks().lines().allMatch(line -> {
            String block = line.substring(0, line.indexOf(' '));
            String digest = files.blocks().containsKey(block) ? FilesDigest.hex(files.blocks().get(block))
                    : files.unchanged().blocks().get(block);
            return digest == null || line.endsWith(" " + digest);
        }));
    }

    private Outcome publishUnchanged(String id, Head head, Staging staging) {
        if (!publishing.includes(!files.unchanged().unpublished().contains(id)) || isServed(head)) {
            return new Outcome(head, false, null);
        }
        Template template = db.read(dao -> dao.templates().intact(account.id(), id));
        Draft draft = new Draft(id, template.name(), template.subject(), template.html(), Samples.NONE);
        return new Outcome(head, false, publish(draft, head.sha256(), head.digest(), head, staging));
    }

    /**
     * @param sha256 the draft's SHA-256
     * @param digest the digest of the draft's files
     * @return null if an identical version is live or a rollback is still in effect
     */
    private Published publish(Draft draft, byte[] sha256, String digest, Head head, Staging staging) {
        Map<Level, List<String>> problems = new EnumMap<>(Level.class);
        Expansion expansion = files.expand(draft, publishing == Publishing.FORCED, this::block, problems);
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
