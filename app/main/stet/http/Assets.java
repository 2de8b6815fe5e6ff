package stet.http;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The files of the web application, out of the jar; a browser asks each time whether it has the current one. */
public final class Assets {
    private static final Map<String, String> TYPES = Map.of(
            "html", Answer.HTML,
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml",
            "txt", Answer.TEXT);
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            + "connect-src 'self'; font-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; "
            + "frame-ancestors 'none'";

    private final Map<String, Answer> files = new ConcurrentHashMap<>();

    /** The one page, which the browser makes every page of. */
    public Response page(Request request) {
        return file("index.html", request);
    }

    /** A file by its name. */
    public Response file(Request request) {
        return file(request.id(), request);
    }

    private Response file(String name, Request request) {
        Answer file = files.get(name);
        if (file == null) {
            Optional<Answer> read = read(name);
            if (read.isEmpty()) {
                return Failure.NOT_FOUND;
            }
            file = read.get();
            files.put(name, file);
        }
        return file.isKnown(request) ? file.notModified() : file;
    }

    private static Optional<Answer> read(String name) {
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        if (type == null || !name.matches("[A-Za-z0-9][A-Za-z0-9.-]*")) {
            return Optional.empty();
        }
        try (InputStream file = Assets.class.getResourceAsStream("/static/" + name)) {
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
