package stet.files;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import stet.base.Json;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.Utf8;
import stet.core.Draft;
import stet.core.FilesDigest;
import stet.core.ImageNames;
import stet.core.ImageType;
import stet.core.Samples;
import stet.core.TemplateDetails;
import stet.core.Validation;
import stet.images.ImageFile;
import stet.markup.Checks;
import stet.markup.Publisher;

/**
 * An account's drafts and shared blocks as files, in one format for imports, exports, seeds and fixtures. All files except account.json are
 * checked, one at a time, when opened. Long texts are not kept in memory but read again on demand.
 */
public final class AccountFiles implements AutoCloseable {
    static final int MAX_WARNINGS = 100;
    /** Name of the file beside the account's files that names servers and accounts; not part of an account. */
    public static final String TARGETS = "stet.json";

    private final Source source;
    /** Looks up the parts of a template to keep when only its HTML is imported; null to keep nothing. */
    private final Function<String, Optional<TemplateFile>> kept;
    private final SortedMap<String, DraftFile> drafts = new TreeMap<>();
    private final SortedMap<String, byte[]> blocks = new TreeMap<>();
    /** Names of the sets of test data, by template. */
    private final Map<String, List<String>> sets = new HashMap<>();
    private Pulled pulled = Pulled.NOTHING;
    private Unchanged unchanged = Unchanged.NOTHING;

    /**
     * A draft's in-memory parts.
     *
     * @param sha256    see {@link Draft#sha256}
     * @param digest    see {@link FilesDigest}
     * @param published whether to publish the draft
     * @param updatedAt the template's {@code updatedAt} in an export of live versions, or null
     */
    public record DraftFile(String name, byte[] sha256, String digest, boolean published, Instant updatedAt, TemplateDetails details) {
    }

    private AccountFiles(Source source, Function<String, Optional<TemplateFile>> kept) {
        this.source = source;
        this.kept = kept;
    }

    /**
     * Checks all files except account.json. Closing the result closes the source. If a file is invalid, closes the source immediately.
     *
     * @throws Refusal if a file is invalid; the message names the file and, if known, the field
     */
    public static AccountFiles of(Source source) {
        return of(source, false, null);
    }

    /** Omits the record of what was changed in the files' account, for a push to another account. @return the source */
    public static Source withoutPulled(Source source) {
        source.omit(AccountPath.PathKind.PULLED.path());
        return source;
    }

    /** Checks the files for an import. @throws Refusal if a file is invalid or there is nothing to import */
    public static AccountFiles toImport(Source source) {
        return toImport(source, null);
    }

    /**
     * Checks the files for an import.
     *
     * @param kept takes a template's ID and returns the parts to keep if only the HTML is imported
     * @throws Refusal as for {@link #toImport(Source)}
     */
    public static AccountFiles toImport(Source source, Function<String, Optional<TemplateFile>> kept) {
        return of(source, true, source.isForeign() ? kept : null);
    }

    private static AccountFiles of(Source source, boolean isImport, Function<String, Optional<TemplateFile>> kept) {
        AccountFiles files = new AccountFiles(source, kept);
        try {
            source.forEach(files::addSet);
            source.forEach(files::add);
            if (isImport) {
                source.checkNotEmpty();
            }
            return files;
        } catch (Throwable refused) {
            source.close();
            throw refused;
        }
    }

    /** Adds a set of test data to its template's list; ignores other files. The lists are complete before any template is read. */
    private void addSet(String path, AccountPath parsed) {
        if (parsed.kind() == AccountPath.PathKind.SAMPLES) {
            checkHtml(path, parsed.name());
            List<String> names = sets.computeIfAbsent(parsed.name(), id -> new ArrayList<>());
            names.add(parsed.set());
            if (names.size() > Samples.SETS) {
                throw new Refusal(parsed.name() + " can have at most " + Samples.SETS + " sets of test data").in(path);
            }
        }
    }

    private void checkHtml(String path, String id) {
        if (!source.has(AccountPath.PathKind.HTML.path(id))) {
            throw new Refusal("The file " + id + ".html is missing; add it").in(path);
        }
    }

    /** Checks a file and keeps its part that stays in memory. */
    private void add(String path, AccountPath parsed) {
        String name = parsed.name();
        switch (parsed.kind()) {
            case BLOCK -> blocks.put(name, Secret.sha256(html(path)));
            case IMAGE -> blocks.put(name, Secret.sha256(image(path)));
            case HTML -> {
                drafts.put(name, read(name));
                if (source.isForeign()) {
                    noticeTags(draft(name));
                }
            }
            case JSON -> checkHtml(path, name);
            case PULLED -> pulled = at(path, () -> Pulled.of(source.read(path)));
            case UNCHANGED -> unchanged = at(path, () -> Unchanged.of(source.read(path)));
            case SAMPLES, ACCOUNT -> { }
        }
    }

    private DraftFile read(String id) {
        TemplateFile file = template(id);
        Draft draft = draft(id, file);
        String digest = FilesDigest.ofTemplate(draft.sha256(), draft.name(), file.details(), file.samples().lines());
        return new DraftFile(draft.name(), draft.sha256(), digest, file.published(), file.updatedAt(), file.details());
    }

    /** Whether the files come from another system or are plain HTML. */
    public boolean isForeign() {
        return source.isForeign();
    }

    /** @throws Refusal if the files come from another system or are plain HTML, because such files may not cover the whole account */
    public void checkMayPrune() {
        if (isForeign()) {
            throw new Refusal("--prune supports only files in Stet's format; push again without --prune");
        }
    }

    /** All drafts by ID. */
    public SortedMap<String, DraftFile> drafts() {
        return drafts;
    }

    /**
     * The parts of a draft that are kept in memory. Parts that come from the account instead of the files are read again because they may
     * have changed. Null for an unknown ID.
     */
    public DraftFile draftFile(String id) {
        if (isOnlyHtml(id)) {
            drafts.put(id, read(id));
        }
        return drafts.get(id);
    }

    /** Whether only the draft's HTML comes from the files, and the account keeps the rest. */
    boolean isOnlyHtml(String id) {
        return kept != null && source.isBare(id);
    }

    /** The changes made in Stet that are already included in these files. */
    Pulled pulled() {
        return pulled;
    }

    /** Templates and blocks that a push omitted because the account already has them. */
    Unchanged unchanged() {
        return unchanged;
    }

    /** A complete draft. @throws Refusal if the draft's files have changed or been deleted */
    public Draft draft(String id) {
        Draft draft = draft(id, template(id));
        checkUnchanged(AccountPath.PathKind.HTML.path(id), drafts.get(id).sha256(), draft.sha256());
        return draft;
    }

    /** SHA-256 of each block's HTML, by name, and of each image's accepted file, by full name. */
    public SortedMap<String, byte[]> blocks() {
        return blocks;
    }

    /** The expansion of {@code {{> name}}}, if these files have it. @param images the start of images' addresses */
    public Optional<String> text(String name, String images) {
        byte[] sha256 = blocks.get(name);
        if (sha256 == null) {
            return Optional.empty();
        }
        return Optional.of(ImageNames.isImage(name) ? images + "/" + ImageNames.file(sha256, ImageType.ofName(name)) : Utf8.text(block(name)));
    }

    /** The full name of an image by its file name in addresses; empty if these files do not have it. */
    Optional<String> imageName(String file) {
        byte[] sha256 = ImageNames.sha256(file);
        return blocks.keySet().stream().filter(name -> ImageNames.isImage(name) && Arrays.equals(blocks.get(name), sha256)).findFirst();
    }

    /** A block's HTML or an image's accepted file. @throws Refusal if the block's file has changed or been deleted */
    public byte[] block(String name) {
        String path = AccountPath.ofBlock(name);
        byte[] html = ImageNames.isImage(name) ? image(path) : html(path);
        checkUnchanged(path, blocks.get(name), Secret.sha256(html));
        return html;
    }

    /** The path of a file to show in messages. */
    String shown(String path) {
        return source.shown(path);
    }

    void forEachFile(BiConsumer<String, AccountPath> action) {
        source.forEach(action);
    }

    /** A file's bytes, unchanged. */
    byte[] file(String path) {
        return source.read(path);
    }

    public boolean has(String path) {
        return source.has(path);
    }

    /** The templates' digests by ID; see {@link FilesDigest}. */
    SortedMap<String, String> digests() {
        SortedMap<String, String> digests = new TreeMap<>();
        drafts.forEach((id, file) -> digests.put(id, file.digest()));
        return digests;
    }

    /** The digests of {@link #blocks} in hex, by name. */
    SortedMap<String, String> blockDigests() {
        SortedMap<String, String> digests = new TreeMap<>();
        blocks.forEach((name, sha256) -> digests.put(name, FilesDigest.hex(sha256)));
        return digests;
    }

    /** The contents of a template's files in canonical form, by path; empty for an unknown ID. */
    SortedMap<String, String> texts(String id) {
        SortedMap<String, String> texts = new TreeMap<>();
        if (drafts.containsKey(id)) {
            Export.writeTemplate(draft(id), drafts.get(id).details(), true, (path, bytes) -> texts.put(path, Utf8.text(bytes)));
        }
        return texts;
    }

    /** Reports other systems' tags, because Stet does not replace them. */
    private void noticeTags(Draft draft) {
        FileProblems problems = new FileProblems(this);
        Checks.foreignTags(draft.subject(), Utf8.text(draft.html())).rows().forEach(row -> source.notice(problems.labelled(row, draft.id())));
    }

    /** The first 100 notices about another system's files, such as omitted content, and the number of further notices. */
    public List<String> notices() {
        return source.notices();
    }

    /** Up to 10 ignored files and folders, and the number of others: {@code .git/, README.md, logo.png}. */
    public List<String> ignored() {
        return source.ignored();
    }

    @Override
    public void close() {
        source.close();
    }

    private void checkUnchanged(String path, byte[] before, byte[] present) {
        if (!Arrays.equals(before, present)) {
            throw new Refusal("The file changed while it was being read; try again").in(source.shown(path));
        }
    }

    /** Reads an image's file and drops what {@link ImageFile} drops. */
    private byte[] image(String path) {
        byte[] file = source.read(path);
        return at(source.shown(path), () -> {
            ImageFile image = ImageFile.of(file);
            ImageNames.checkType("name", path, image.type());
            return image.bytes();
        });
    }

    private byte[] html(String path) {
        byte[] html = source.read(path);
        return at(source.shown(path), () -> {
            Validation.html(html);
            Publisher.included(Utf8.text(html));
            return html;
        });
    }

    private Draft draft(String id, TemplateFile file) {
        byte[] html = html(AccountPath.PathKind.HTML.path(id));
        return at(source.shown(AccountPath.PathKind.JSON.path(id)), () -> new Draft(id, file.name(), file.subject(), html, file.samples()));
    }

    /** The parts of a template beside its HTML: from its JSON file, or else from the account or with defaults. */
    private TemplateFile template(String id) {
        String path = AccountPath.PathKind.JSON.path(id);
        Map<String, String> documents = documents(id);
        Optional<TemplateFile> rest = isOnlyHtml(id) ? kept.apply(id) : Optional.empty();
        if (rest.isPresent()) {
            return rest.get().withDocuments(documents);
        }
        if (!source.has(path)) {
            return TemplateFile.missing(id, Samples.of(documents, null));
        }
        byte[] bytes = source.read(path);
        return at(source.shown(path), () -> TemplateFile.of(bytes, id, documents));
    }

    /** A template's sets of test data by name. */
    private Map<String, String> documents(String id) {
        Map<String, String> documents = new TreeMap<>();
        long bytes = 0;
        for (String set : sets.getOrDefault(id, List.of())) {
            String path = AccountPath.PathKind.SAMPLES.path(id, set);
            String document = document(path);
            bytes += Utf8.length(document, 0, document.length());
            if (bytes > Samples.BYTES) {
                throw new Refusal("The test data of " + id + " must be at most " + Samples.BYTES + " bytes (1 MiB)").in(source.shown(path));
            }
            documents.put(set, document);
        }
        return documents;
    }

    /** A set's JSON text. @throws Refusal if it is not a JSON object in UTF-8 */
    private String document(String path) {
        byte[] bytes = source.read(path);
        return at(source.shown(path), () -> {
            String text = Utf8.decode(bytes).orElseThrow(() -> new Refusal("The file is not UTF-8; convert it to UTF-8"));
            String document = Utf8.withoutMark(text);
            Json.document(document);
            return document;
        });
    }

    /** Reads a file and adds its path to any error. */
    static <T> T at(String path, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (Refusal refusal) {
            throw refusal.in(path);
        }
    }
}
