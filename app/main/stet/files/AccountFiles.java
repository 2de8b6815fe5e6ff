package stet.files;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import stet.core.Draft;
import stet.core.Fields;
import stet.core.Refusal;
import stet.core.Secret;
import stet.core.Validation;

/**
 * The drafts and shared blocks of an account as files: one format for import, export, seeds and fixtures. All of them are
 * checked once, one after the other; what is long is not kept, but read again when it is asked for.
 */
public final class AccountFiles implements AutoCloseable {
    private final Source source;
    private final SortedMap<String, DraftFile> drafts = new TreeMap<>();
    private final SortedMap<String, byte[]> blocks = new TreeMap<>();

    /**
     * What is known of a draft without reading it again.
     *
     * @param sha256    of subject and html, as {@link Draft#sha256} has it
     * @param bytes     of the html
     * @param published whether it is to be served; when not, it is a draft only
     */
    public record DraftFile(String id, String name, byte[] sha256, long bytes, boolean published) {
    }

    /** What a template's JSON says. */
    private record Details(String name, String subject, Map<String, String> samples, boolean published) {
    }

    private AccountFiles(Source source) {
        this.source = source;
    }

    /**
     * Reads all files but account.json; the source is closed with this, and when a file is refused.
     *
     * @throws Refusal naming the file, and the field where there is one
     */
    public static AccountFiles of(Source source) {
        AccountFiles files = new AccountFiles(source);
        try {
            source.contents().places().forEach(files::check);
            return files;
        } catch (Throwable refused) {
            files.close();
            throw refused;
        }
    }

    /** The same for an import, which is refused when there is nothing to do. */
    public static AccountFiles toImport(Source source) {
        AccountFiles files = of(source);
        try {
            source.contents().checkNotEmpty();
            return files;
        } catch (Refusal empty) {
            files.close();
            throw empty;
        }
    }

    private void check(String path, Place place) {
        switch (place.kind()) {
            case BLOCK -> blocks.put(place.name(), Secret.sha256(html(path)));
            case HTML -> {
                Details details = details(place.name());
                Draft draft = draft(place.name(), details);
                drafts.put(draft.id(), new DraftFile(draft.id(), draft.name(), draft.sha256(), draft.html().length,
                        details.published()));
            }
            case JSON -> {
                if (!has(Place.path(Place.Kind.HTML, place.name()))) {
                    throw new Refusal("There is no " + place.name() + ".html beside it").in(path);
                }
            }
            case SETTINGS -> { }
        }
    }

    /** By id. */
    public SortedMap<String, DraftFile> drafts() {
        return drafts;
    }

    /** A draft as a whole. @throws Refusal when it is another by now, or gone */
    public Draft draft(String id) {
        Draft draft = draft(id, details(id));
        checkSame(Place.path(Place.Kind.HTML, id), drafts.get(id).sha256(), draft.sha256());
        return draft;
    }

    /** What the preview of a draft fills in. */
    public Map<String, String> samples(String id) {
        return details(id).samples();
    }

    /** The SHA-256 of each block's html, by name. */
    public SortedMap<String, byte[]> blocks() {
        return blocks;
    }

    /** The html of a block. @throws Refusal when it is another by now, or gone */
    public byte[] block(String name) {
        String path = Place.path(Place.Kind.BLOCK, name);
        byte[] html = html(path);
        checkSame(path, blocks.get(name), Secret.sha256(html));
        return html;
    }

    /** {@code .git/, README.md, logo.png}: what was passed over, a folder as one; empty for nothing. */
    public List<String> passedOver() {
        return source.contents().passedOver();
    }

    @Override
    public void close() {
        source.close();
    }

    private static void checkSame(String path, byte[] before, byte[] now) {
        if (!Arrays.equals(before, now)) {
            throw new Refusal("The file has changed while it was read").in(path);
        }
    }

    private boolean has(String path) {
        return source.contents().places().containsKey(path);
    }

    private byte[] html(String path) {
        byte[] bytes = source.read(path);
        return at(path, () -> Validation.html(bytes));
    }

    private Draft draft(String id, Details details) {
        byte[] html = html(Place.path(Place.Kind.HTML, id));
        return at(Place.path(Place.Kind.JSON, id), () -> new Draft(id, details.name(), details.subject(), html, details.samples()));
    }

    private Details details(String id) {
        String path = Place.path(Place.Kind.JSON, id);
        if (!has(path)) {
            return new Details(id, "", Map.of(), true);
        }
        byte[] json = source.read(path);
        return at(path, () -> {
            Fields fields = Fields.withoutNull(json);
            Details details = new Details(fields.text("name", id), fields.text("subject", ""), fields.texts("samples"),
                    fields.flag("published", true));
            fields.end();
            return details;
        });
    }

    /** Has refusals name the file. */
    static <T> T at(String path, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (Refusal refusal) {
            throw refusal.in(path);
        }
    }
}
