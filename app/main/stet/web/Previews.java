package stet.web;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.random.RandomGenerator;
import stet.base.HeapBudget;
import stet.base.Secret;
import stet.base.Utf8;
import stet.core.Owner;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.markup.PlainText.Preheader;
import stet.markup.PreviewPage;
import stet.markup.Sampler;
import stet.markup.SourceMap;
import stet.markup.SourceMarks;

/**
 * Serves untrusted HTML at unguessable URLs, known only to the page that requested the preview. A preview runs in a sandboxed frame with
 * an opaque origin: it can load only images and fonts, and can neither submit forms nor navigate. Interactive previews run a
 * single script, which a nonce permits; the script only highlights parts of the email and reports user actions to the page.
 */
public final class Previews {
    /** Maximum number and size of stored previews, per account and in total. If a maximum is exceeded, the oldest previews are dropped. */
    private static final int MAX_PER_ACCOUNT = 8;
    private static final int MAX_KEPT = 200;
    private static final long MAX_BYTES = HeapBudget.LARGE_BYTES / 2;
    private static final long MAX_BYTES_PER_ACCOUNT = MAX_BYTES / 2;
    private static final int ID_BYTES = 18;
    private static final int NAME_BYTES = 6;
    private static final List<String> SCRIPTS = List.of("frame-document.js", "frame-texts.js", "frame-places.js", "piece-boxes.js", "image-files.js",
            "preview-frame.js");
    private static final String POLICY = "; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' https: data:; "
            + "font-src https: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

    /** Makes links without a target open in a new window, which the sandbox blocks, so that a click fetches nothing. */
    private static final String NO_NAVIGATION = "<base target=\"_blank\">";

    private final RandomGenerator random;
    /** The address of an image of this server. */
    private final Pattern imageAddress;
    /** Stored previews by ID, oldest first. Guarded by this. */
    private final Map<String, Preview> kept = new LinkedHashMap<>();

    /** @param nonce nonce of the preview script, or null without a script */
    private record Preview(Owner owner, byte[] html, String nonce) {
    }

    /** @param images the start of images' addresses; previews load them from this server instead, which may not have that address yet */
    public Previews(RandomGenerator random, String images) {
        this.random = random;
        this.imageAddress = Pattern.compile(Pattern.quote(images) + "(/[0-9a-f]{64}\\.(?:png|jpg|gif))");
    }

    /**
     * An interactive preview.
     *
     * @param preview its URL path
     * @param cut     true if the email is too long to be shown in full
     * @param marked  true if the preview's parts are linked to the draft
     * @param sent    size of the HTML filled with test data, in bytes
     */
    record Marked(String preview, boolean cut, boolean marked, Preheader preheader, @JsonIgnore long sent) {
    }

    /**
     * Fills an expanded draft with test data and stores it with source marks.
     *
     * @param owner an account's members or its guests, who have separate limits
     */
    Marked addMarked(Owner owner, String expanded, SourceMap map, ObjectNode data) {
        byte[] bytes = new byte[NAME_BYTES];
        random.nextBytes(bytes);
        String name = "s" + HexFormat.of().formatHex(bytes); // random, so that the author of an email cannot guess it
        SourceMarks marks = SourceMarks.of(expanded, map, name);
        Sampler.Filled marked = Sampler.html(expanded, data, marks);
        Sampler.Filled filled = marked.cut() ? Sampler.html(expanded, data) : marked;
        String nonce = Secret.newId(random, ID_BYTES);
        String element = "<script nonce=\"" + nonce + "\" data-name=\"" + name + "\">" + Script.TEXT + "</script>";
        return new Marked(add(owner, PreviewPage.with(filled.text(), element), nonce), filled.cut(),
                marks != SourceMarks.NONE && filled == marked, Preheader.of(filled.text()), filled.bytes());
    }

    /** A holder class, so that the script is loaded on first use. */
    private static final class Script {
        static final String TEXT = script();
    }

    private static String script() {
        StringBuilder script = new StringBuilder();
        for (String name : SCRIPTS) {
            try (InputStream file = Previews.class.getResourceAsStream("/stet/static/preview/" + name)) {
                script.append(Utf8.text(file.readAllBytes()));
            } catch (IOException brokenJar) {
                throw new UncheckedIOException(brokenJar);
            }
        }
        return script.toString();
    }

    /**
     * Stores an email's HTML until newer previews take its place.
     *
     * @param owner an account's members or its guests
     * @param nonce nonce of the preview script, or null without a script
     * @return the preview's URL path
     */
    synchronized String add(Owner owner, String mail, String nonce) {
        byte[] html = Utf8.encode(imageAddress.matcher(mail).replaceAll("/images$1") + NO_NAVIGATION);
        String id = Secret.newId(random, ID_BYTES);
        dropOldest(preview -> preview.owner.equals(owner), MAX_PER_ACCOUNT - 1, MAX_BYTES_PER_ACCOUNT - html.length);
        dropOldest(preview -> true, MAX_KEPT - 1, MAX_BYTES - html.length);
        kept.put(id, new Preview(owner, html, nonce));
        return "/previews/" + id;
    }

    /** Drops the oldest matching previews that exceed these limits. */
    private void dropOldest(Predicate<Preview> which, int count, long bytes) {
        List<Map.Entry<String, Preview>> some = kept.entrySet().stream().filter(entry -> which.test(entry.getValue())).toList();
        long sum = 0;
        for (int i = some.size() - 1, number = 1; i >= 0; i--, number++) {
            sum += some.get(i).getValue().html.length;
            if (number > count || sum > bytes) {
                kept.remove(some.get(i).getKey());
            }
        }
    }

    private synchronized Preview find(String id) {
        return Optional.ofNullable(kept.get(id)).orElseThrow(Failure.NOT_FOUND::thrown);
    }

    /**
     * Serves a preview. Scripts are disabled if the browser reports that it opens the preview outside a frame.
     *
     * @param bodies holds a large body until the response is closed
     */
    public Response show(Request request, BiFunction<Owner, Response, Response> bodies) {
        Preview preview = find(request.id());
        boolean isByItself = "document".equals(request.header("Sec-Fetch-Dest"));
        String sandbox = preview.nonce == null || isByItself ? "sandbox"
                : "sandbox allow-scripts; script-src 'nonce-" + preview.nonce + "'";
        return bodies.apply(preview.owner, Response.unstored(200, Response.HTML, preview.html)
                .with("Content-Security-Policy", sandbox + POLICY)
                .with("Referrer-Policy", "no-referrer"));
    }
}
