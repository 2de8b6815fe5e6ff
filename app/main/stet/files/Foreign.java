package stet.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.text.Normalizer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import stet.base.Amount;
import stet.base.Fields;
import stet.base.FileNames;
import stet.base.Json;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Samples;
import stet.core.TemplateField;
import stet.core.Validation;

/**
 * Converts another system's export, or plain HTML files, to the layout of an account folder. HTML files are kept byte for byte, except for
 * addresses of images beside them.
 *
 * <pre>
 * shop/welcome.html           ─► templates/shop-welcome.html       any HTML, Handlebars or Mustache; the path becomes the ID
 * shop/welcome.json           ─► its test data                     or its own JSON, as Stet exports it
 * reset/content.html          ─► templates/reset.html              Postmark's
 * reset/meta.json             ─► name, ID, subject and test data
 * d-1.json                    ─► a template for each object in it  {@link Exports}
 * shop/img/logo.png           ─► images/logo.png                   {@link ForeignImages}
 * </pre>
 */
final class Foreign implements Listing {
    /** Name of a Postmark template's HTML file. The file's folder is named after the template. */
    static final String CONTENT = "content.html";
    private static final String TEMPLATES = "templates/";
    private static final int MAX_JSON_FILES = 30_000;
    /** Maximum total size of texts from JSON, which stay in memory during the import. */
    private static final long MAX_HELD_BYTES = 8 << 20;
    private static final int MAX_NAMED = 10;
    /** Maximum number of characters of a name that are read to derive an ID. Other systems' names may have millions of characters. */
    private static final int MAX_NAME = 1_000;
    /** Plain text templates beside HTML ones. */
    private static final Pattern PLAIN = Pattern.compile("(?i).*\\.(?:text|txt)\\.[a-z]+");
    private static final Pattern EXTENSION = Pattern.compile("(?i)(?:\\.html?)?\\.[a-z]+$");
    private static final int MAX_ID = 64;
    private static final Set<String> META = Set.of("Name", "Alias", "Subject", "TemplateType", "LayoutTemplate", "TestRenderModel");

    private final Source source;
    private final String top;
    private final SortedMap<String, Found> pages = new TreeMap<>();
    private final SortedMap<String, Found> jsons = new TreeMap<>();
    private final SortedSet<String> unread = new TreeSet<>();
    private final ForeignImages images;
    /** Each template's origin by its ID in lower case, because file systems may ignore case. */
    private final Map<String, String> origins = new HashMap<>();
    /** Folder to omit from all IDs, with a trailing slash, because IDs with it would be cut to the same characters; may be empty. */
    private String common = "";
    /** Whether there is HTML outside {@code templates/}. Files directly in it then keep the IDs that an account's folder gives them. */
    private boolean isMixed;
    private long held;

    private record Found(String path, long bytes, Supplier<byte[]> reader) {
        /** The path without its extension; for {@code a.html.hbs}, without both. */
        String stem() {
            String stem = EXTENSION.matcher(path).replaceFirst("");
            return stem.isEmpty() || stem.endsWith("/") ? path.substring(0, path.lastIndexOf('.')) : stem;
        }

        /** The text without a byte order mark; empty if it is not UTF-8. */
        String text() {
            return Utf8.withoutMark(Utf8.decode(reader.get()).orElse(""));
        }
    }

    /** @param source receives the templates @param top the files' common folder to omit from IDs, with a trailing slash; may be empty */
    Foreign(Source source, String top) {
        this.source = source;
        this.images = new ForeignImages(source);
        this.top = top;
    }

    @Override
    public boolean add(String whole, long bytes, Supplier<byte[]> reader) {
        String path = whole.startsWith(top) ? whole.substring(top.length()) : whole;
        if (AccountPath.isHidden(path)) {
            passOver(path);
            return false;
        }
        boolean isPage = AccountPath.isPage(path) && !PLAIN.matcher(path).matches();
        boolean isImage = ForeignImages.isImage(path);
        if (!isPage && !isImage && !AccountPath.isJson(path)) {
            unread.add(path);
            return false;
        }
        checkPath(path);
        if (isImage) {
            images.add(path, bytes, reader);
        } else if ((isPage ? pages : jsons).put(path, new Found(path, bytes, reader)) != null) {
            throw new Refusal("The file appears twice; remove one copy").in(path);
        }
        if (jsons.size() > MAX_JSON_FILES) {
            throw new Refusal("An import can have at most " + MAX_JSON_FILES + " JSON files");
        }
        return true;
    }

    private static void checkPath(String path) {
        if (path.indexOf(FileNames.REPLACEMENT) >= 0) {
            throw new Refusal("The name is not UTF-8; rename the file").in(path);
        }
        if (path.startsWith("/") || ("/" + path + "/").contains("/../")) {
            throw new Refusal("The path must not lead outside the folder").in(path);
        }
    }

    /** A source that contains only this file, regardless of its name. */
    Source only(String path, long bytes, Supplier<byte[]> reader) {
        (AccountPath.isJson(path) ? jsons : pages).put(path, new Found(path, bytes, reader));
        return convert();
    }

    @Override
    public void passOver(String path) {
        source.passOver(path);
    }

    @Override
    public void addLink(String path) {
        unread.add(path + " (symbolic link)");
    }

    /**
     * Reads the files that were added.
     *
     * @return the source with their templates
     * @throws Refusal if a file cannot be converted, or none is a template
     */
    Source convert() {
        isMixed = pages.keySet().stream().anyMatch(path -> !path.startsWith(TEMPLATES));
        findCommon();
        pages.values().forEach(this::read);
        List.copyOf(jsons.values()).forEach(this::readExport);
        unread.addAll(jsons.keySet());
        images.end(unread);
        String names = unread.stream().limit(MAX_NAMED).collect(Collectors.joining(", "))
                + (unread.size() > MAX_NAMED ? " and " + (unread.size() - MAX_NAMED) + " more" : "");
        if (!source.isForeign()) {
            throw new Refusal("Nothing to import: no HTML and no JSON in a known format" + (names.isEmpty() ? "" : ", only " + names));
        }
        if (!names.isEmpty()) {
            source.notice("Skipped: " + names);
        }
        return source;
    }

    /** Finds the folder to omit if two IDs would be cut to the same characters. */
    private void findCommon() {
        Set<String> starts = new HashSet<>();
        boolean isClash = false;
        for (Found page : pages.values()) {
            String id = wholeId(page.stem());
            boolean isNew = starts.add(id.substring(0, Math.min(MAX_ID, id.length())).toLowerCase(Locale.ROOT));
            isClash |= !isNew && id.length() > MAX_ID;
        }
        if (isClash) {
            String first = pages.firstKey();
            String last = pages.lastKey();
            int same = 0;
            while (same < Math.min(first.length(), last.length()) && first.charAt(same) == last.charAt(same)) {
                same++;
            }
            common = first.substring(0, first.lastIndexOf('/', same - 1) + 1);
        }
    }

    /** Derives an ID of any length from a path: {@code shop/Welcome mail} becomes shop-Welcome-mail. May be empty. */
    private static String wholeId(String path) {
        return Normalizer.normalize(path.substring(0, Math.min(MAX_NAME, path.length())), Normalizer.Form.NFKD).replaceAll("\\p{M}+", "")
                .replaceAll("[^A-Za-z0-9_-]+", "-").replaceAll("^[-_]+", "");
    }

    /** Derives an ID of at most 64 characters from a path. @throws Refusal naming the origin if the path has no character for an ID */
    private static String shortenedId(String path, String origin) {
        String id = wholeId(path);
        String shortened = id.substring(0, Math.min(MAX_ID, id.length())).replaceAll("-+$", "");
        if (shortened.isEmpty()) {
            throw new Refusal("The file name has no letter or digit for an ID; rename the file").in(origin);
        }
        return shortened;
    }

    /**
     * Derives an ID and reserves it. An ID that was cut gets a number if another one has the same characters.
     *
     * @throws Refusal if an ID that was not cut is reserved already
     */
    private String newId(String path, String origin) {
        String id = shortenedId(path, origin);
        boolean isCut = path.length() > MAX_NAME || wholeId(path).length() > MAX_ID;
        String start = id;
        for (int number = 2; isCut && origins.containsKey(id.toLowerCase(Locale.ROOT)); number++) {
            id = start.substring(0, Math.min(start.length(), MAX_ID - ("-" + number).length())) + "-" + number;
        }
        String other = origins.putIfAbsent(id.toLowerCase(Locale.ROOT), origin);
        if (other != null) {
            throw new Refusal("This file and " + other + " would both become template " + id + "; rename one of them").in(origin);
        }
        return id;
    }

    /** Makes another system's name valid, or takes the ID if nothing is left of it. */
    private static String validName(String text, String id) {
        String name = Validation.cleaned(text);
        int characters = Math.min(Validation.NAME_CHARACTERS, name.codePointCount(0, name.length()));
        return name.isEmpty() ? id : name.substring(0, name.offsetByCodePoints(0, characters));
    }

    private void addHtml(String id, String origin, long bytes, Supplier<byte[]> reader) {
        AccountPath.PathKind.HTML.checkSize(origin, bytes); // before the page is read for its images
        source.add(AccountPath.PathKind.HTML.path(id), origin, bytes, images.read(origin, reader));
    }

    private void addJson(String id, String origin, ObjectNode json) {
        byte[] bytes = hold(Json.writeLines(json));
        source.add(AccountPath.PathKind.JSON.path(id), origin, bytes.length, () -> bytes);
    }

    private void addSet(String id, String origin, JsonNode data) {
        byte[] bytes = hold(Json.writeLines(data));
        source.add(AccountPath.PathKind.SAMPLES.path(id, Samples.DEFAULT), origin, bytes.length, () -> bytes);
    }

    /** Counts bytes that stay in memory. @return these bytes @throws Refusal if there are too many */
    private byte[] hold(byte[] bytes) {
        held += bytes.length;
        if (held > MAX_HELD_BYTES) {
            throw new Refusal("The JSON files contain more than " + (MAX_HELD_BYTES >> 20) + " MiB of templates; import them in batches");
        }
        return bytes;
    }

    // ---- HTML, with JSON beside it

    private void read(Found page) {
        String path = named(page);
        Found meta = isContent(page) ? jsons.remove(page.path.substring(0, page.path.length() - CONTENT.length()) + "meta.json") : null;
        if (meta != null) {
            readMeta(page, meta, path);
            return;
        }
        String id = newId(path.startsWith(common) && path.length() > common.length() ? path.substring(common.length()) : path, page.path);
        if (!id.equals(path.replace('/', '-'))) {
            source.notice(page.path + " becomes template " + id);
        }
        addHtml(id, page.path, page.bytes, page.reader);
        addBeside(page, id, path);
    }

    private static boolean isContent(Found page) {
        return ("/" + page.path).endsWith("/" + CONTENT);
    }

    /** The path that names a page: that of a Postmark template's folder, or the page's own without extension. */
    private String named(Found page) {
        String stem = page.stem();
        int folder = stem.lastIndexOf('/') + 1;
        if (isContent(page)) {
            return folder == 0 ? stem : stem.substring(0, folder - 1);
        }
        return isMixed && stem.substring(0, folder).equals(TEMPLATES) ? stem.substring(folder) : stem;
    }

    /** Adds what a page's JSON file has: the fields of a template's file, or test data. */
    private void addBeside(Found page, String id, String path) {
        Found beside = jsons.get(page.stem() + ".json");
        ObjectNode json = beside == null ? null : object(beside);
        if (json != null) {
            jsons.remove(beside.path);
        }
        if (json != null && json.has("subject") && TemplateField.names().containsAll(new Fields(json).names())) {
            source.notice(beside.path + " provides the name, subject and other fields of " + id);
            source.add(AccountPath.PathKind.JSON.path(id), beside.path, beside.bytes, beside.reader);
            return;
        }
        addJson(id, page.path, Json.object().put("name", validName(path, id)));
        source.addBare(id);
        if (json != null) {
            source.add(AccountPath.PathKind.SAMPLES.path(id, Samples.DEFAULT), beside.path, beside.bytes, beside.reader);
        }
    }

    /** The fields of meta.json as Postmark's command-line tool writes them. @param data test data, or null */
    private record Meta(String name, String alias, String subject, boolean isLayout, String layout, JsonNode data) {
        static Meta of(ObjectNode json) {
            Fields fields = new Fields(json);
            return new Meta(fields.text("Name", ""), fields.text("Alias", ""), fields.text("Subject", ""),
                    fields.text("TemplateType", "").equals("Layout"), fields.text("LayoutTemplate", ""),
                    fields.object("TestRenderModel") == null ? null : json.get("TestRenderModel"));
        }
    }

    private void readMeta(Found page, Found file, String path) {
        ObjectNode json = object(file);
        if (json == null) {
            throw new Refusal("The JSON must be an object").in(file.path);
        }
        Meta meta = AccountFiles.at(file.path, () -> Meta.of(json));
        if (meta.isLayout) {
            source.notice(page.path + ": layouts are not supported; move the layout's parts to shared blocks");
            return;
        }
        if (!meta.layout.isBlank()) {
            source.notice(page.path + ": imported without its layout \"" + Source.shortened(meta.layout) + "\"");
        }
        Exports.unread(json, META).ifPresent(sentence -> source.notice(file.path + ": " + sentence));
        String id = newId(meta.alias.isBlank() ? path : meta.alias, page.path);
        addHtml(id, page.path, page.bytes, page.reader);
        addJson(id, file.path, Json.object().put("name", validName(meta.name, id)).put("subject", meta.subject));
        if (meta.data != null) {
            addSet(id, file.path, meta.data);
        }
    }

    // ---- JSON

    /** The JSON in a file, or null if it is too large or invalid. */
    private static JsonNode tree(Found file) {
        return file.bytes > AccountPath.MAX_BYTES ? null : Json.tree(file.text());
    }

    /** The JSON object in a file, or null for other content. */
    private static ObjectNode object(Found file) {
        return tree(file) instanceof ObjectNode object ? object : null;
    }

    /** Name of a JSON file without folder and extension, for exports that do not name their template. */
    private static String fileName(Found file) {
        String stem = file.stem();
        return stem.substring(stem.lastIndexOf('/') + 1);
    }

    private void readExport(Found file) {
        JsonNode json = tree(file);
        if (json == null) {
            return;
        }
        int others = 0;
        String place = Source.shortened(file.path) + ": ";
        for (ObjectNode item : Exports.items(json, sentence -> source.notice(place + sentence))) {
            Optional<Exports.ExportedTemplate> template = AccountFiles.at(file.path,
                    () -> Exports.template(item, fileName(file), sentence -> source.notice(place + sentence)));
            if (template.isEmpty()) {
                others++;
            } else {
                jsons.remove(file.path);
                add(file.path, template.get());
            }
        }
        if (others > 0 && !jsons.containsKey(file.path)) {
            source.notice(file.path + ": " + Amount.of(others, "object") + " without HTML skipped");
        }
    }

    private void add(String path, Exports.ExportedTemplate template) {
        String id = newId(template.id(), path);
        byte[] html = hold(Utf8.encode(template.html()));
        addHtml(id, path, html.length, () -> html);
        ObjectNode json = Json.object().put("name", validName(template.name(), id)).put("subject", template.subject())
                .put("published", template.published());
        template.tags().forEach(json.putArray("tags")::add);
        addJson(id, path, json);
        if (template.data() != null) {
            addSet(id, path, template.data());
        }
    }
}
