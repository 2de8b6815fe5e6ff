package stet.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A test double as its user sees it: an address, and JSON under /_fixture. Opens a new connection for each request. */
public record Doubled(URI url) {
    /** The data of {@link #folder}, for tests that share one double. */
    public static final Path DATA = folder(Running.temporary());

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Running.delete(DATA.getParent())));
    }

    public Client.Reply control(String method, String path, String json) {
        try (Client client = client()) {
            byte[] body = json.getBytes(StandardCharsets.UTF_8);
            client.write(client.request(method, "/_fixture" + path, null, "Connection: close", "Content-Length: " + body.length)
                    + new String(body, StandardCharsets.ISO_8859_1));
            return client.read(false);
        }
    }

    /** Calls a control that must succeed. @return the body */
    public String done(String method, String path, String json) {
        Client.Reply reply = control(method, path, json);
        if (reply.status() / 100 != 2) {
            throw new AssertionError(method + " " + path + " " + json + ": " + reply.status() + " " + reply.text());
        }
        return reply.text();
    }

    public Client.Reply get(String id, String key) {
        return send("GET", id, key);
    }

    public Client.Reply send(String method, String id, String key) {
        try (Client client = client()) {
            return client.send(method, Running.TEMPLATES + id, key);
        }
    }

    public Client client() {
        return new Client(new InetSocketAddress(url.getHost(), url.getPort()));
    }

    /** Creates a folder with a Pro and a Free account, as a user would write it. */
    public static Path folder(Path parent) {
        return write(parent.resolve("seed"),
                "pro/account.json", """
                        {"email": "pro@example.com", "plan": "pro", "createdAt": "2026-01-31T09:00:00Z",
                         "password": "a long word", "keys": [{"name": "ci", "key": "stet-pro-key"}]}
                        """,
                "pro/templates/welcome.html", "<p>Hello {{name}} {{> footer}}</p>\r\n",
                "pro/templates/welcome.json", "{\"name\": \"Welcome\", \"subject\": \"Hi {{name}}\"}",
                "pro/templates/unborn.html", "<p>later</p>",
                "pro/templates/unborn.json", "{\"published\": false}",
                "pro/blocks/footer.html", "<i>{{company}}</i>",
                "free/account.json", """
                        {"email": "free@example.com", "createdAt": "2026-01-31T09:00:00Z",
                         "keys": [{"name": "ci", "key": "stet-free-key"}]}
                        """,
                "free/templates/welcome.html", "<p>free</p>");
    }

    /** @param filesAndTexts alternating paths and texts */
    public static Path write(Path folder, String... filesAndTexts) {
        try {
            for (int i = 0; i < filesAndTexts.length; i += 2) {
                Path file = folder.resolve(filesAndTexts[i]);
                Files.createDirectories(file.getParent());
                Files.writeString(file, filesAndTexts[i + 1]);
            }
            return folder;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
