package stet.http;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The files of the web application and the documents, out of the jar; a browser asks each time whether it has the current one. */
public final class Assets {
    private static final Map<String, String> TYPES = Map.of(
            "html", Answer.HTML,
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml",
            "json", Answer.JSON,
            "txt", Answer.TEXT,
            "java", Answer.TEXT,
            "mjs", Answer.TEXT,
            "sh", Answer.TEXT);
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            + "connect-src 'self'; font-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; "
            + "frame-ancestors 'none'";

    private final Map<String, Answer> files = new ConcurrentHashMap<>();

    /** The one page, which the browser makes every page of. */
    public Response page(Request request) {
        return file("/static/", "index.html", request);
    }

    /** A file by its name. */
    public Response file(Request request) {
        return file("/static/", request.id(), request);
    }

    /** The first of the documents. */
    public Response readme(Request request) {
        return file("/docs/", "README.html", request);
    }

    /** A document by its name, or a file that one links to. */
    public Response document(Request request) {
        return file("/docs/", request.id().contains(".") ? request.id() : request.id() + ".html", request);
    }

    private Response file(String folder, String name, Request request) {
        Answer file = files.get(folder + name);
        if (file == null) {
            Optional<Answer> read = read(folder, name);
            if (read.isEmpty()) {
                return Failure.NOT_FOUND;
            }
            file = read.get();
            files.put(folder + name, file);
        }
        return file.isKnown(request) ? file.notModified() : file;
    }

    private static Optional<Answer> read(String folder, String name) {
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        if (type == null || !name.matches("[A-Za-z0-9][A-Za-z0-9.-]*")) {
            return Optional.empty();
        }
        try (InputStream file = Assets.class.getResourceAsStream(folder + name)) {
            if (file == null) {
                return Optional.empty();
            }
            byte[] body = file.readAllBytes();
            return Optional.of(Answer.of(200, type, body)
                    .with(body, EntityTag.of(MessageDigest.getInstance("SHA-256").digest(body)))
                    .with("Cache-Control", "no-cache")
                    .with("Content-Security-Policy", POLICY)
                    .with("Cross-Origin-Opener-Policy", "same-origin")
                    .with("Cross-Origin-Resource-Policy", "same-origin")
                    .with("Referrer-Policy", "same-origin"));
        } catch (IOException | NoSuchAlgorithmException brokenJar) {
            throw new IllegalStateException(brokenJar);
        }
    }
}
