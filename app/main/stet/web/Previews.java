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
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import stet.core.Account;
import stet.core.HeapBudget;
import stet.core.Secret;
import stet.core.Utf8;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.markup.PlainText.Preheader;
import stet.markup.PreviewPage;
import stet.markup.Sampler;
import stet.markup.SourceMap;
import stet.markup.SourceMarks;

/**
 * Previews: authored html at an address of its own, which the page that asked for it alone knows. It runs in a sandboxed frame
 * without an origin: it fetches images and fonts only, sends nothing and cannot leave its frame. A preview that one can work in
 * runs one script, ours, by a nonce: preview-frame.js tells the page around it what was clicked, and no more.
 */
public final class Previews {
    /** Previews that are kept, the newest of one account and of all, and their bytes. */
    private static final int MAX_PER_ACCOUNT = 8;
    private static final int MAX_KEPT = 200;
    private static final long MAX_BYTES = HeapBudget.LARGE_BYTES / 2;
    private static final long MAX_BYTES_PER_ACCOUNT = MAX_BYTES / 2;
    private static final int ID_BYTES = 18;
    private static final int NAME_BYTES = 6;
    private static final String SCRIPT = "/stet/static/preview-frame.js";
    private static final String POLICY = "; default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; "
            + "font-src https: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

    /** Has a click on a link open a window, which the sandbox does not allow, so that nothing is fetched. */
    private static final String NO_NAVIGATION = "<base target=\"_blank\">";

    private final RandomGenerator random;
    private final Map<String, Preview> kept = new LinkedHashMap<>();

    /** Made when the first preview needs it. */
    private String script;

    /** @param nonce of our script, or null where there is none */
    private record Preview(long owner, byte[] html, String nonce) {
    }

    public Previews(RandomGenerator random) {
        this.random = random;
    }

    /**
     * A preview that one can work in.
     *
     * @param preview   its address
     * @param cut       whether it is too long to be shown whole
     * @param marked    whether its parts lead to the draft
     * @param sent      bytes of the html with its test data
     */
    record Marked(String preview, boolean cut, boolean marked, Preheader preheader, @JsonIgnore long sent) {
    }

    /** Keeps an expanded draft, filled in, with the marks of its parts. */
    Marked addMarked(Account account, String expanded, SourceMap map, ObjectNode data) {
        return addMarked(account.id(), expanded, map, data);
    }

    /** @param owner an account, or the guests of one, {@link Reviews#lane}: nobody's previews push out another one's */
    Marked addMarked(long owner, String expanded, SourceMap map, ObjectNode data) {
        byte[] bytes = new byte[NAME_BYTES];
        random.nextBytes(bytes);
        String name = "s" + HexFormat.of().formatHex(bytes); // no mail can guess it
        SourceMarks marks = SourceMarks.of(expanded, map, name);
        Sampler.Filled marked = Sampler.html(expanded, data, marks);
        Sampler.Filled filled = marked.cut() ? Sampler.html(expanded, data) : marked;
        String nonce = Secret.newId(random, ID_BYTES);
        String element = "<script nonce=\"" + nonce + "\" data-name=\"" + name + "\">" + script() + "</script>";
        return new Marked(add(owner, PreviewPage.with(filled.text(), element), nonce), filled.cut(),
                marks != SourceMarks.NONE && filled == marked, Preheader.of(filled.text()), filled.bytes());
    }

    private synchronized String script() {
        if (script == null) {
            try (InputStream file = Previews.class.getResourceAsStream(SCRIPT)) {
                script = Utf8.text(file.readAllBytes());
            } catch (IOException brokenJar) {
                throw new UncheckedIOException(brokenJar);
            }
        }
        return script;
    }

    /** Keeps an html until newer ones need the room. @param nonce of our script in it, or null. @return its address */
    String add(Account account, String mail, String nonce) {
        return add(account.id(), mail, nonce);
    }

    synchronized String add(long owner, String mail, String nonce) {
        byte[] html = Utf8.encode(mail + NO_NAVIGATION);
        String id = Secret.newId(random, ID_BYTES);
        forget(preview -> preview.owner == owner, MAX_PER_ACCOUNT - 1, MAX_BYTES_PER_ACCOUNT - html.length);
        forget(preview -> true, MAX_KEPT - 1, MAX_BYTES - html.length);
        kept.put(id, new Preview(owner, html, nonce));
        return "/previews/" + id;
    }

    /** Forgets the oldest of some previews until no more than these are left. */
    private void forget(Predicate<Preview> which, int count, long bytes) {
        List<Map.Entry<String, Preview>> some = kept.entrySet().stream().filter(entry -> which.test(entry.getValue())).toList();
        long sum = 0;
        for (int i = some.size() - 1, number = 1; i >= 0; i--, number++) {
            sum += some.get(i).getValue().html.length;
            if (number > count || sum > bytes) {
                kept.remove(some.get(i).getKey());
            }
        }
    }

    /** Shows a preview. Opened by itself, outside our page's frame, it runs no script. */
    public synchronized Answer show(Request request) {
        Preview preview = kept.get(request.id());
        if (preview == null) {
            throw Failure.NOT_FOUND.thrown();
        }
        boolean isByItself = "document".equals(request.header("Sec-Fetch-Dest"));
        String sandbox = preview.nonce == null || isByItself ? "sandbox"
                : "sandbox allow-scripts; script-src 'nonce-" + preview.nonce + "'";
        return Answer.unstored(200, Answer.HTML, preview.html)
                .with("Content-Security-Policy", sandbox + POLICY)
                .with("Referrer-Policy", "no-referrer");
    }
}
