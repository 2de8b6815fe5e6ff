package stet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import stet.base.Json;

/** A signed-in user of the web application, simulated by its data requests. */
final class Author {
    private final Signed browser;
    private final String url;
    private final String key;
    private long revision;

    private Author(String url, String key) throws Exception {
        this.browser = Signed.in(url, Data.AUTHOR);
        this.url = url;
        this.key = key;
        this.revision = browser.get("/data/templates/welcome").get("revision").longValue();
    }

    static Author signIn(String url, Data data) throws Exception {
        return new Author(url, data.authorKey());
    }

    void list() throws Exception {
        int listed = browser.get("/data/templates").get("templates").size();
        if (listed != Data.AUTHORED) {
            throw new Broken("the list has " + listed + " templates");
        }
    }

    void save(byte[] html) throws Exception {
        ObjectNode draft = Json.object().put("revision", revision).put("subject", "Hi {{name}}")
                .put("html", new String(html, StandardCharsets.UTF_8));
        draft.putObject("samples");
        revision = browser.send("PUT", "/data/templates/welcome", draft).get("revision").longValue();
    }

    void publish() throws Exception {
        ObjectNode wanted = Json.object().put("revision", revision).put("note", "");
        revision = browser.send("POST", "/data/templates/welcome/publish", wanted).get("revision").longValue();
    }

    /** Requests the template once; returns whether the API serves this HTML. */
    boolean isServed(byte[] html) throws Exception {
        return Arrays.equals(Throughput.fetch(url, Throughput.HTML, key).body(), html);
    }
}
