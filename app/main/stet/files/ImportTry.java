package stet.files;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Draft;
import stet.core.ImageNames;
import stet.core.PreviewedEmail;
import stet.core.Samples;
import stet.core.Template;
import stet.core.TemplateDetails;
import stet.dao.Dao;
import stet.dao.SourceDao.Head;
import stet.dao.TrashDao;
import stet.dao.VersionDao;
import stet.files.AccountFiles.DraftFile;
import stet.files.Changes.Findings;
import stet.files.Changes.FoundConflicts;
import stet.files.Changes.Removals;
import stet.files.Changes.SavedTexts;
import stet.files.Changes.VariableChanges;
import stet.files.Decisions.NewVersion;
import stet.files.Decisions.TemplateDecision;
import stet.markup.Publisher.Expansion;
import stet.markup.Publisher;
import stet.sqlite.ImportTarget;

/**
 * One try of an import: compares the files with one state of the account, decides what changes, and hands that to the target.
 *
 * <pre>
 * files and heads ─► pruning, conflicts ─► blocks ─► each template: changed? published? ─► Changes
 *                          │                 └──────────────┴─► ImportTarget
 *                          └─► with conflicts, nothing else
 * </pre>
 *
 * <p>Changes nothing in the account except by {@link #prune}. If the account changes meanwhile, the next try starts with the decisions that {@link #stillValid}.
 */
final class ImportTry {
    /** Maximum number of conflicts for which to look up the latest author in the activity log. */
    private static final int MAX_LOOKED_UP = 50;

    /** Reads the account. */
    interface AccountReader {
        <T> T read(Function<Dao, T> questions);
    }

    /** Values that all tries of an import share. */
    record ImportWork(AccountReader reader, long account, AccountFiles files, ImportOptions options, InstantSource clock) {
    }

    private final ImportWork work;
    private final AccountFiles files;
    private final ImportOptions options;
    private final AccountHeads heads;
    private final ImportTarget target;
    private final PublishRule rule;
    private final Pruning pruning;
    private final SourceNotes sources;
    /** The drafts in the files, and those that a push omitted because the account has them. */
    private final SortedMap<String, DraftFile> drafts = new TreeMap<>();
    private Decisions decisions = Decisions.NONE;
    /** See {@link #images()}; null until it is needed. */
    private String images;

    /**
     * @throws Refusal           if the removals show that these are the wrong files
     * @throws Conflict.Outdated if the account no longer has what a push omitted
     */
    ImportTry(ImportWork work, AccountHeads heads, ImportTarget target) {
        this.work = work;
        this.files = work.files;
        this.options = work.options;
        this.heads = heads;
        this.target = target;
        heads.checkHas(files.unchanged());
        this.rule = new PublishRule(options.publishing(), files, heads);
        this.pruning = options.prune() ? Pruning.of(work.reader, work.account, files, heads, work.clock.instant()) : Pruning.NOTHING;
        this.sources = new SourceNotes(options, files.pulled(), target);
        files.drafts().keySet().forEach(id -> drafts.put(id, files.draftFile(id)));
        files.unchanged().templates().keySet().forEach(id -> drafts.put(id, omitted(heads.templates().get(id))));
    }

    private DraftFile omitted(Head head) {
        return new DraftFile(head.name(), head.sha256(), head.digest(), !files.unchanged().unpublished().contains(head.id()), null, head.details());
    }

    /**
     * Decides everything and hands it to the target; if there are conflicts and overwriting is not allowed, only finds the conflicts.
     *
     * @param earlier decisions of an earlier try that still hold; the target has received them
     * @throws Refusal if a file cannot be imported or a draft cannot be published; the message names the file
     */
    Changes run(Decisions earlier) {
        List<Conflict> conflicts = conflicts();
        if (!conflicts.isEmpty() && !options.overwrite()) {
            return refused(conflicts);
        }
        heads.room().check(heads.templates().keySet(), files.drafts().keySet(), heads.blocks().keySet(), files.blocks().keySet());
        List<String> blockWarnings = earlier.blocks().orElseGet(this::decideBlocks);
        SortedMap<String, TemplateDecision> templates = new TreeMap<>(earlier.templates());
        drafts.forEach((id, file) -> templates.computeIfAbsent(id, any -> decide(id, file)));
        decisions = new Decisions(Optional.of(blockWarnings), templates);
        sources.addBlocks(rule, heads.blockHeads());
        return new Changes(decisions.texts(rule.newBlocks()), new FoundConflicts(List.of(), conflicts), pruning.removals(),
                decisions.findings(files.notices()));
    }

    /** The decisions that hold in a later state of the account. A changed block ends all of them, because any draft may include it. */
    Decisions stillValid(AccountHeads later) {
        SortedMap<String, TemplateDecision> templates = new TreeMap<>(decisions.templates());
        templates.keySet().removeIf(id -> !later.isUnchanged(id, heads));
        return later.blocks().equals(heads.blocks()) ? new Decisions(decisions.blocks(), templates) : Decisions.NONE;
    }

    /** IDs of the templates about which a later try decides again. */
    Set<String> outdated(Decisions valid) {
        return decisions.without(valid);
    }

    /** Prunes in the transaction that saves the files. */
    void prune(Dao dao) {
        pruning.run(dao, work.account, options.origin().note(), work.clock.instant());
    }

    // ---- previews

    /**
     * Expands each email that the changes concern: its draft, the version to publish, or a shared block that it includes.
     *
     * @param receiver takes {@link PreviewedEmail#json} by template ID, and the files of changed images in these emails by full name
     */
    void preview(Changes changes, BiConsumer<String, byte[]> receiver) {
        SavedTexts texts = changes.texts();
        List<String> including = work.reader.read(dao -> dao.blocks().templatesUsing(work.account, texts.blocks()));
        Set<String> shown = new TreeSet<>(including);
        Stream.of(texts.created(), texts.changed(), texts.published()).forEach(shown::addAll);
        shown.retainAll(drafts.keySet());
        Set<String> included = new TreeSet<>();
        for (String id : shown) {
            Draft draft = draft(id);
            Publisher publisher = new Publisher(this::block);
            String html = publisher.expand(draft.subject(), Utf8.text(draft.html()));
            receiver.accept(id, new PreviewedEmail(draft.name(), draft.subject(), html, draft.samples().documents(), draft.samples().defaultName()).json());
            included.addAll(publisher.includedBlocks().keySet());
        }
        texts.blocks().stream().filter(ImageNames::isImage).filter(included::contains).forEach(name -> receiver.accept(name, files.block(name)));
    }

    // ---- conflicts

    /** Finds conflicts by comparing digests, before expanding any draft. The import succeeds only if the heads have not changed. */
    private List<Conflict> conflicts() {
        List<Conflict> conflicts = new ArrayList<>(pruning.conflicts());
        drafts.forEach((id, file) -> head(id).flatMap(head -> Conflict.ofTemplate(head, file, options.publishing().includes(file.published()),
                files.pulled().templates().get(id))).ifPresent(conflicts::add));
        files.blockDigests().forEach((name, digest) -> Optional.ofNullable(heads.blockHeads().get(name)).flatMap(head ->
                Conflict.ofDraft(head, digest, files.pulled().blocks().get(name))).ifPresent(conflicts::add));
        return conflicts.isEmpty() ? conflicts : work.reader.read(dao -> withAuthors(dao, conflicts));
    }

    private List<Conflict> withAuthors(Dao dao, List<Conflict> conflicts) {
        Stream<Conflict> first = conflicts.stream().limit(MAX_LOOKED_UP).map(conflict -> conflict.withLatest(dao, work.account));
        return Stream.concat(first, conflicts.stream().skip(MAX_LOOKED_UP)).limit(Conflict.MAX).toList();
    }

    private Optional<Head> head(String id) {
        return Optional.ofNullable(heads.templates().get(id));
    }

    /** The changes that the files would make, as far as digests tell. Omits what would be published or pruned. */
    private Changes refused(List<Conflict> conflicts) {
        Predicate<String> isNew = id -> head(id).isEmpty();
        List<String> created = drafts.keySet().stream().filter(isNew).toList();
        List<String> changed = drafts.keySet().stream().filter(isNew.negate()).filter(id -> !isSame(drafts.get(id), heads.templates().get(id))).toList();
        return new Changes(new SavedTexts(created, changed, drafts.size() - created.size() - changed.size(), List.copyOf(rule.newBlocks()), List.of()),
                new FoundConflicts(conflicts, List.of()), Removals.NONE, Findings.of(files.notices()));
    }

    // ---- shared blocks

    /** Hands the new and changed blocks to the target. @return warnings about them @throws Refusal if no email could include one of them */
    private List<String> decideBlocks() {
        new FileProblems(files).checkBlocks(rule.newBlocks(), this::block);
        List<String> warnings = new ArrayList<>();
        for (String name : rule.newBlocks()) {
            byte[] html = files.block(name);
            if (ImageNames.isImage(name)) {
                target.block(name, html, files.blocks().get(name), List.of());
                continue;
            }
            String before = !heads.blocks().containsKey(name) ? null
                    : work.reader.read(dao -> dao.blocks().html(work.account, name)).map(Utf8::text).orElse(null);
            warnings.addAll(UnseenChanges.warnings(AccountPath.ofBlock(name), before, Utf8.text(html)));
            target.block(name, html, files.blocks().get(name), Publisher.included(Utf8.text(html)));
        }
        return warnings;
    }

    /** The start of images' addresses. */
    private String images() {
        if (images == null) {
            images = work.reader.read(dao -> dao.images().url());
        }
        return images;
    }

    /** The expansion of {@code {{> name}}}, from the files or, if they do not have it, the account. */
    private Optional<String> block(String name) {
        return files.blocks().containsKey(name) ? files.text(name, images())
                : work.reader.read(dao -> dao.blocks().text(work.account, name));
    }

    // ---- templates

    /** Decides about a template, and hands what changes to the target. @throws Refusal naming the file if it cannot be saved or published */
    private TemplateDecision decide(String id, DraftFile file) {
        if (heads.trash().contains(id)) {
            throw TrashDao.taken(id).in(AccountPath.PathKind.HTML.path(id));
        }
        Head head = heads.templates().get(id);
        boolean isSame = isSame(file, head);
        byte[] own = ownDraft(id, file, head);
        boolean mayPublish = rule.mayPublish(head, file.published(), own);
        List<String> warnings = new ArrayList<>();
        Optional<NewVersion> version = Optional.empty();
        if (!isSame || mayPublish) {
            Draft draft = draft(id);
            if (!isSame) {
                checkName(id, file, head);
                save(draft, file, head);
                warnings.addAll(unseen(draft, head));
            }
            version = mayPublish ? publish(draft, file, own, head) : version;
        }
        if (version.isEmpty() && rule.staysRolledBack(head)) {
            warnings.add(id + " was rolled back and will serve an earlier version until its files or shared blocks change");
        }
        TemplateDecision decision = new TemplateDecision(head == null, head != null && !isSame, version, warnings);
        sources.addTemplate(id, file, head, decision);
        return decision;
    }

    /** @param head the template's current state, or null if the template is new, as in the methods below */
    private static boolean isSame(DraftFile file, Head head) {
        return head != null && file.digest().equals(head.digest());
    }

    /**
     * SHA-256 of the draft that the files contain. If they contain only its HTML, the subject is the account's own, and an unpublished edit of
     * the subject does not count.
     */
    private byte[] ownDraft(String id, DraftFile file, Head head) {
        boolean isSubjectKept = head != null && head.live() != null && files.isOnlyHtml(id);
        boolean isLive = isSubjectKept && work.reader.read(dao -> dao.versions().isLiveDraftHtml(work.account, id, files.draft(id).html()));
        return isLive ? head.live() : file.sha256();
    }

    /** A draft in the files or, if a push omitted it, the account's. */
    private Draft draft(String id) {
        if (files.drafts().containsKey(id)) {
            return files.draft(id);
        }
        Template template = work.reader.read(dao -> dao.templates().intact(work.account, id));
        return new Draft(id, template.name(), template.subject(), template.html(), template.samples());
    }

    private void checkName(String id, DraftFile file, Head head) {
        if (!options.renames() && head != null && head.published() > 0 && !file.name().equals(head.name())) {
            throw new Refusal("Only editors and owners can rename a published template").in(AccountPath.PathKind.JSON.path(id));
        }
    }

    private void save(Draft draft, DraftFile file, Head head) {
        String id = draft.id();
        Samples before = head == null ? Samples.NONE : work.reader.read(dao -> dao.templates().samples(work.account, id));
        boolean sameText = head != null && Arrays.equals(file.sha256(), head.sha256());
        boolean sameName = head != null && file.name().equals(head.name());
        if (!sameText || !sameName || !draft.samples().equals(before)) {
            boolean sameHtml = sameText || head != null && work.reader.read(dao -> dao.templates().hasHtml(work.account, id, draft.html()));
            target.draft(draft, before, !sameName || !sameText, !sameHtml);
        }
        if (!file.details().equals(head == null ? TemplateDetails.NONE : head.details())) {
            target.details(id, file.details());
        }
    }

    /** Warnings about changes to a template's files that a reader does not see. */
    private List<String> unseen(Draft draft, Head head) {
        Optional<Template> before = head == null ? Optional.empty() : work.reader.read(dao -> dao.templates().find(work.account, draft.id()));
        String html = AccountPath.PathKind.HTML.path(draft.id());
        List<String> sentences = new ArrayList<>(UnseenChanges.warnings(files.shown(html), before.map(Template::html).map(Utf8::text).orElse(null),
                Utf8.text(draft.html())));
        before.ifPresent(template -> draft.samples().documents().forEach((set, document) -> {
            String old = template.samples().documents().get(set);
            String path = AccountPath.PathKind.SAMPLES.path(draft.id(), set);
            sentences.addAll(UnseenChanges.warnings(files.shown(path), old, document));
        }));
        return sentences;
    }

    /** @return empty if the live version stays, also because of a rollback */
    private Optional<NewVersion> publish(Draft draft, DraftFile file, byte[] own, Head head) {
        FileProblems.Expanded expanded = new FileProblems(files).expand(draft, options.publishing().isForced(file), this::block);
        Expansion expansion = expanded.expansion();
        VersionDao.Prepared prepared = VersionDao.Prepared.of(draft.html(), file.sha256(), expansion);
        if (!rule.publishes(head, own, file.sha256(), expansion.blocks().keySet())
                || head != null && !work.reader.read(dao -> dao.versions().isNew(work.account, draft.id(), prepared))) {
            return Optional.empty();
        }
        target.version(draft.id(), prepared, work.clock.instant());
        List<String> before = head == null ? List.of() : work.reader.read(dao -> dao.versions().variables(work.account, draft.id()));
        return Optional.of(new NewVersion(VariableChanges.of(before, expansion.variables()), expanded.problems()));
    }
}
