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
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Samples;
import stet.core.Template;
import stet.dao.SourceDao.Head;
import stet.dao.TrashDao;
import stet.dao.VersionDao;
import stet.files.Changes.VariableChanges;
import stet.markup.DraftText;
import stet.markup.Problems.Level;
import stet.markup.Publisher.Expansion;
import stet.markup.Publisher;
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
    private final PublishMode publishing;
    private final PublishRule rule;
    private final boolean renames;
    private final Clock clock;
    private final Map<String, FileOutcome> outcomes = new TreeMap<>();
    private final List<String> newBlocks = new ArrayList<>();
    private final List<String> invisible = new ArrayList<>();
    /** Digests of the account's blocks at the last comparison; null before the first comparison. */
    private Map<String, String> comparedBlocks;

    /** @param renames see {@link ImportOptions} */
    Comparison(Db db, Account account, AccountFiles files, PublishMode publishing, boolean renames, Clock clock) {
        this.db = db;
        this.account = account;
        this.files = files;
        this.publishing = publishing;
        this.rule = new PublishRule(files);
        this.renames = renames;
        this.clock = clock;
    }

    /**
     * @param head      the template's state when compared, or null if the template is new
     * @param published null if nothing is published
     * @param invisible see {@link UnseenChanges}
     */
    record FileOutcome(Head head, boolean changed, Published published, List<String> invisible) {
        FileOutcome(Head head, boolean changed, Published published) {
            this(head, changed, published, List.of());
        }

        private boolean isFor(Head now) {
            return now == null ? head == null : now.isUnchanged(head);
        }
    }

    record Published(VariableChanges variables, Map<Level, List<String>> problems) {
    }

    /** The results by template ID. */
    Map<String, FileOutcome> outcomes() {
        return outcomes;
    }

    /** Names of the new or changed blocks in the files. */
    List<String> newBlocks() {
        return newBlocks;
    }

    /** Warnings about the new or changed blocks; see {@link UnseenChanges}. */
    List<String> invisible() {
        return invisible;
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
        state.room().check(state.templates().keySet(), files.drafts().keySet(), state.blocks().keySet(), files.blocks().keySet());
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
                throw TrashDao.taken(id).in(AccountPath.PathKind.HTML.path(id));
            }
            compareAgain(id, state.templates().get(id), staging, head -> compare(id, head, staging));
        }
        for (String id : files.unchanged().templates().keySet()) {
            compareAgain(id, state.unchanged(files, id), staging, head -> publishUnchanged(id, head, staging));
        }
        if (!state.blocks().entrySet().containsAll(files.unchanged().blocks().entrySet())) {
            throw new Conflict.Outdated();
        }
    }

    /** Compares a template, unless it is unchanged since the last comparison. */
    private void compareAgain(String id, Head head, Staging staging, Function<Head, FileOutcome> comparison) {
        FileOutcome before = outcomes.get(id);
        if (before != null && before.isFor(head)) {
            return;
        }
        if (before != null && staging != null) {
            staging.remove(id);
        }
        outcomes.put(id, comparison.apply(head));
    }

    private void compareBlocks(Staging staging) {
        newBlocks.clear();
        invisible.clear();
        files.blockDigests().entrySet().stream().filter(each -> !each.getValue().equals(comparedBlocks.get(each.getKey())))
                .forEach(each -> newBlocks.add(each.getKey()));
        new FileProblems(files).check(newBlocks, this::block);
        for (String name : newBlocks) {
            byte[] html = files.block(name);
            String before = !comparedBlocks.containsKey(name) ? null : db.read(dao -> dao.blocks().html(account.id(), name)).map(Utf8::text).orElse(null);
            invisible.addAll(UnseenChanges.changes(AccountPath.PathKind.BLOCK.path(name), before, Utf8.text(html)));
            if (staging != null) {
                staging.block(name, html, files.blocks().get(name), Publisher.included(Utf8.text(html)));
            }
        }
    }

    /** @param head the template's current state, or null if the template is new */
    private FileOutcome compare(String id, Head head, Staging staging) {
        AccountFiles.DraftFile file = files.draftFile(id);
        boolean same = head != null && file.digest().equals(head.digest());
        byte[] ownText = ownText(id, file, head);
        boolean toPublish = publishing.includes(file.published()) && !rule.isServed(head, ownText);
        if (same && !toPublish) {
            return new FileOutcome(head, false, null);
        }
        Draft draft = files.draft(id);
        if (!same && staging != null) {
            stage(id, draft, file, head, staging);
        }
        checkName(file, head, id);
        return new FileOutcome(head, head != null && !same, toPublish ? publish(draft, file.sha256(), ownText, head, staging) : null,
                same ? List.of() : invisible(draft, head));
    }

    private List<String> invisible(Draft draft, Head head) {
        Optional<Template> before = head == null ? Optional.empty() : db.read(dao -> dao.templates().find(account.id(), draft.id()));
        String html = AccountPath.PathKind.HTML.path(draft.id());
        List<String> sentences = new ArrayList<>(UnseenChanges.changes(files.shown(html), before.map(Template::html).map(Utf8::text).orElse(null), Utf8.text(draft.html())));
        before.ifPresent(template -> draft.samples().documents().forEach((set, document) -> {
            String old = template.samples().documents().get(set);
            String path = AccountPath.PathKind.SAMPLES.path(draft.id(), set);
            sentences.addAll(UnseenChanges.changes(files.shown(path), old, document));
        }));
        return sentences;
    }

    private void checkName(AccountFiles.DraftFile file, Head head, String id) {
        if (!renames && head != null && head.published() > 0 && !file.name().equals(head.name())) {
            throw new Refusal("Only editors and owners can rename a published template")
                    .in(AccountPath.PathKind.JSON.path(id));
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
     * SHA-256 of the draft that the files contain. If they contain only its HTML, the subject is the account's own, and an unpublished edit of
     * the subject does not count.
     */
    private byte[] ownText(String id, AccountFiles.DraftFile file, Head head) {
        return head != null && head.live() != null && files.isOnlyHtml(id)
                && db.read(dao -> dao.versions().isLiveDraftHtml(account.id(), id, files.draft(id).html())) ? head.live() : file.sha256();
    }

    /** Whether the template's live version is its draft; see {@link PublishRule#isServed}. */
    boolean isServed(Head head) {
        return rule.isServed(head, head.sha256());
    }

    private FileOutcome publishUnchanged(String id, Head head, Staging staging) {
        if (!publishing.includes(!files.unchanged().unpublished().contains(id)) || isServed(head)) {
            return new FileOutcome(head, false, null);
        }
        Template template = db.read(dao -> dao.templates().intact(account.id(), id));
        Draft draft = new Draft(id, template.name(), template.subject(), template.html(), Samples.NONE);
        return new FileOutcome(head, false, publish(draft, head.sha256(), head.sha256(), head, staging));
    }

    /**
     * @param sha256  the draft's SHA-256
     * @param ownText as {@link #ownText} returns it
     * @return null if the live version stays, also because of a rollback
     */
    private Published publish(Draft draft, byte[] sha256, byte[] ownText, Head head, Staging staging) {
        Map<Level, List<String>> problems = new EnumMap<>(Level.class);
        Expansion expansion = new FileProblems(files).expand(draft, publishing == PublishMode.FORCED, this::block, problems);
        VersionDao.Prepared prepared = VersionDao.Prepared.of(draft.html(), sha256, expansion);
        if (head != null && (!rule.publishes(head, ownText, expansion.blocks()) || isRolledBack(head, sha256, expansion)
                || !db.read(dao -> dao.versions().isNew(account.id(), draft.id(), prepared)))) {
            return null;
        }
        if (staging != null) {
            staging.version(draft.id(), prepared, clock.instant());
        }
        List<String> before = head == null ? List.of() : db.read(dao -> dao.versions().variables(account.id(), draft.id()));
        return new Published(VariableChanges.of(before, expansion.variables()), problems);
    }

    private boolean isRolledBack(Head head, byte[] sha256, Expansion expansion) {
        return PublishRule.keepsRollback(head, sha256) && Collections.disjoint(newBlocks, expansion.blocks().keySet());
    }

    private Optional<String> block(String name) {
        return files.blocks().containsKey(name) ? Optional.of(Utf8.text(files.block(name)))
                : db.read(dao -> dao.blocks().html(account.id(), name)).map(Utf8::text);
    }
}
