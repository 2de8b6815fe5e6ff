package stet.web;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Response;

/**
 * Authored html under an address of its own, for a sandboxed frame: no script runs, nothing is fetched but images and
 * fonts, nothing can be sent or left. The address is a secret of the page that asked for it, and soon forgotten.
 */
public final class Previews {
    private static final int KEPT = 40;
    private static final int ID_BYTES = 18;
    private static final String POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline' https:; img-src https: data:; "
            + "font-src https: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

    private final RandomGenerator random;
    private final Map<String, byte[]> kept = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, byte[]> eldest) {
            return size() > KEPT;
        }
    };

    public Previews(RandomGenerator random) {
        this.random = random;
    }

    /** Keeps an html for a while. @return its address */
    synchronized String add(byte[] html) {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        String id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        kept.put(id, html);
        return "/preview/" + id;
    }

    public synchronized Response show(String id) {
        byte[] html = kept.get(id);
        if (html == null) {
            return Failure.NOT_FOUND;
        }
        return Answer.of(200, Answer.HTML, html)
                .with("Cache-Control", "no-store")
                .with("Content-Security-Policy", POLICY)
                .with("Referrer-Policy", "no-referrer");
    }
}
