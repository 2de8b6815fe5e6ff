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
 * Converts another system's export, or plain HTML files, to the layout of an account folder. HTML files are kept byte for byte, except for addresses of images beside them.
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

        String text() {
            String text = Utf8.decode(reader.get()).orElse("");
            return text.startsWith("\ufeff") ? text.substring(1) : text;
        }
    }

    /** @param source receives the templates @param top common folder to omit from IDs, with a trailing slash; may be empty */
    Foreign(Source source, String top) {
        this.source = source;
        this.images = new ForeignImages(source);
        this.top = top;
    }

    @Override
    public boolean add(String whole, long bytes, Supplier<byte[]> reader) {
        String path = whole.startsWith(top) ? whole.substring(top.length()) : whole;
        boolean isPage = AccountPath.isPage(path) && !PLAIN.matcher(path).matches();
        if (AccountPath.isHidden(path)) {
            passOver(path);
            return false;
        }
        boolean isImage = ForeignImages.isImage(path);
        if (!isPage && !isImage && !AccountPath.isJson(path)) {
            unread.add(path);
            return false;
        }
        if (path.indexOf(FileNames.REPLACEMENT) >= 0) {
            throw new Refusal("The name is not UTF-8; rename the file").in(path);
        }
        if (path.startsWith("/") || ("/" + path + "/").contains("/../")) {
            throw new Refusal("The path must not lead outside the folder").in(path);
        }
        if (isImage) {
            images.add(path, bytes, reader);
            return true;
        }
        if ((isPage ? pages : jsons).put(path, new Found(path, bytes, reader)) != null) {
            throw new Refusal("The file appears twice; remove one copy").in(path);
        }
        if (jsons.size() > MAX_JSON_FILES) {
            throw new Refusal("An import can have at most " + MAX_JSON_FILES + " JSON files");
        }
        return true;
    }

    /** A source that contains only this file, regardless of its name. */
    Source only(String path, long bytes, Supplier<byte[]> reader) {
        (AccountPath.isJson(path) ? jsons : pages).put(path, new Found(path, bytes, reader));
        return source();
    }

    @Override
    public void passOver(String path) {
        source.passOver(path);
    }

    @Override
    public void addLink(String path) {
        unread.add(path + " (symbolic link)");
    }

    /** The templates. @throws Refusal naming both files if two files would become the same template */
    Source source() {
        isMixed = pages.keySet().stream().anyMatch(path -> !path.startsWith(TEMPLATES));
        omitCommon();
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
    private void omitCommon() {
        Set<String> cut = new HashSet<>();
        boolean isClash = false;
        for (Found page : pages.values()) {
            String whole = whole(page.stem());
            isClash |= !cut.add(whole.substring(0, Math.min(MAX_ID, whole.length())).toLowerCase(Locale.ROOT)) && whole.length() > MAX_ID;
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

    /** Derives an ID from a path: {@code shop/Welcome mail} becomes shop-Welcome-mail. */
    private static String whole(String path) {
        return Normalizer.normalize(path.substring(0, Math.min(MAX_NAME, path.length())), Normalizer.Form.NFKD).replaceAll("\\p{M}+", "")
                .replaceAll("[^A-Za-z0-9_-]+", "-").replaceAll("^[-_]+", "");
    }

    private static String id(String path, String origin) {
        String id = whole(path);
        String cut = id.substring(0, Math.min(MAX_ID, id.length())).replaceAll("-+$", "");
        if (cut.isEmpty()) {
            throw new Refusal("The file name has no letter or digit for an ID; rename the file").in(origin);
        }
        return cut;
    }

    /** Derives an ID and reserves it. An ID that was cut gets a number if another one has the same characters. */
    private String newId(String path, String origin) {
        String id = id(path, origin);
        boolean isCut = path.length() > MAX_NAME || whole(path).length() > MAX_ID;
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

    private static String name(String text, String id) {
        String name = Validation.INVISIBLE.matcher(text).replaceAll("").strip();
        return name.isEmpty() ? id : name.substring(0, name.offsetByCodePoints(0, Math.min(200, name.codePointCount(0, name.length()))));
    }

    private void addHtml(String id, String origin, long bytes, Supplier<byte[]> reader) {
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

    private byte[] hold(byte[] bytes) {
        held += bytes.length;
        if (held > MAX_HELD_BYTES) {
            throw new Refusal("The JSON files contain more than " + (MAX_HELD_BYTES >> 20) + " MiB of templates; import them in batches");
        }
        return bytes;
    }

    // ---- HTML, with JSON beside it

    private void read(Found page) {
        String stem = page.stem();
        boolean isContent = ("/" + page.path).endsWith("/" + CONTENT);
        String folder = stem.substring(0, stem.lastIndexOf('/') + 1);
        boolean isPlace = isMixed && !isContent && folder.equals(TEMPLATES);
        String path = isContent && !folder.isEmpty() ? folder.substring(0, folder.length() - 1) : isPlace ? stem.substring(TEMPLATES.length()) : stem;
        Found meta = isContent ? jsons.remove(folder + "meta.json") : null;
        if (meta != null) {
            readMeta(page, meta, path);
            return;
        }
        String id = newId(path.startsWith(common) && path.length() > common.length() ? path.substring(common.length()) : path, page.path);
        if (!id.equals(path.replace('/', '-'))) {
            source.notice(page.path + " becomes template " + id);
        }
        addHtml(id, page.path, page.bytes, page.reader);
        Found beside = jsons.get(stem + ".json");
        ObjectNode json = beside == null ? null : object(beside);
        if (json != null) {
            jsons.remove(beside.path);
        }
        boolean isOwn = json != null && json.has("subject") && TemplateField.names().containsAll(new Fields(json).names());
        if (isOwn) {
            source.notice(beside.path + " provides the name, subject and other fields of " + id);
            source.add(AccountPath.PathKind.JSON.path(id), beside.path, beside.bytes, beside.reader);
            return;
        }
        addJson(id, page.path, Json.object().put("name", name(path, id)));
        source.bare(id);
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
            source.notice(page.path + ": imported without its layout \"" + Source.named(meta.layout) + "\"");
        }
        Exports.unread(json, META).ifPresent(sentence -> source.notice(file.path + ": " + sentence));
        String id = newId(meta.alias.isBlank() ? path : meta.alias, page.path);
        addHtml(id, page.path, page.bytes, page.reader);
        addJson(id, file.path, Json.object().put("name", name(meta.name, id)).put("subject", meta.subject));
        if (meta.data != null) {
            addSet(id, file.path, meta.data);
        }
    }

    // ---- JSON

    /** The JSON object in a file, or null for other content. */
    private static ObjectNode object(Found file) {
        return file.bytes <= AccountPath.MAX_BYTES && Json.tree(file.text()) instanceof ObjectNode object ? object : null;
    }

    /** Name of a JSON file without folder and extension, for exports that do not name their template. */
    private static String name(Found file) {
        String stem = file.stem();
        return stem.substring(stem.lastIndexOf('/') + 1);
    }

    private void readExport(Found file) {
        JsonNode json = file.bytes > AccountPath.MAX_BYTES ? null : Json.tree(file.text());
        if (json == null) {
            return;
        }
        int others = 0;
        String place = Source.named(file.path) + ": ";
        for (ObjectNode item : Exports.items(json, sentence -> source.notice(place + sentence))) {
            Optional<Exports.ExportedTemplate> template = AccountFiles.at(file.path,
                    () -> Exports.template(item, name(file), sentence -> source.notice(place + sentence)));
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
        ObjectNode json = Json.object().put("name", name(template.name(), id)).put("subject", template.subject())
                .put("published", template.published());
        template.tags().forEach(json.putArray("tags")::add);
        addJson(id, path, json);
        if (template.data() != null) {
            addSet(id, path, template.data());
        }
    }
}
