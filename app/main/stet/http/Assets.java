package stet.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import stet.base.Utf8;

/**
 * Serves the web application and the documentation from the jar. Browsers revalidate the page on each load. The URLs of scripts and
 * styles contain this version's fingerprint so that browsers can cache the files for a year.
 */
public final class Assets {
    private static final Map<String, String> TYPES = Map.of("html", Response.HTML, "json", Response.JSON,
            "js", "text/javascript; charset=utf-8", "css", "text/css; charset=utf-8", "svg", "image/svg+xml",
            "webp", "image/webp");
    /** Extensions of files that are served as plain text. */
    private static final Set<String> TEXTS = Set.of("txt", "java", "cjs", "cts", "mjs", "py", "go", "sh", "yml");
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            + "connect-src 'self'; font-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; "
            + "frame-ancestors 'none'";
    private static final String REVALIDATED = "no-cache";
    private static final String IMMUTABLE = "public, max-age=31536000, immutable";
    private static final int FINGERPRINT_BYTES = 8;

    private final Map<AssetFile, Response> files = new ConcurrentHashMap<>();

    /** A file in the jar as it is served. */
    private record AssetFile(String folder, String name, String cacheControl) {
    }

    /** The HTML page of the web application. */
    public Response page(Request request) {
        return file("/stet/static/", "index.html", REVALIDATED, request);
    }

    /** The 404 for an unknown URL: a page for browsers, JSON for programs. */
    public Response notFound(Request request) {
        String accept = request.header("Accept");
        boolean isPage = accept != null && accept.contains("text/html") && List.of("GET", "HEAD").contains(request.method())
                && !request.target().startsWith("/api/") && !request.target().startsWith("/data/");
        if (!isPage) {
            return Failure.NOT_FOUND.response();
        }
        return read("/stet/static/", "index.html", "no-store").orElseThrow().withStatus(404);
    }

    /** The page with the test double's controls. */
    public Response controls(Request request) {
        return file("/stet/static/", "fixture/fixture.html", REVALIDATED, request);
    }

    /**
     * An asset by its path, such as {@code app.js} or {@code frame/dom.js}. A page from another version gets this version's file, which must
     * be revalidated.
     */
    public Response file(Request request) {
        String cacheControl = request.id().equals(Fingerprint.VALUE) ? IMMUTABLE : REVALIDATED;
        return file("/stet/static/", request.laterIds(), cacheControl, request);
    }

    /** The start page of the documentation. */
    public Response readme(Request request) {
        return file("/stet/docs/", "README.html", REVALIDATED, request);
    }

    /** A documentation page by name, or a file that such a page links to. */
    public Response document(Request request) {
        return file("/stet/docs/", request.id().contains(".") ? request.id() : request.id() + ".html", REVALIDATED, request);
    }

    private Response file(String folder, String name, String cacheControl, Request request) {
        Response file = files.computeIfAbsent(new AssetFile(folder, name, cacheControl),
                unread -> read(folder, name, cacheControl).orElse(null));
        if (file == null) {
            return Failure.NOT_FOUND.response();
        }
        if (!file.isWanted(request)) {
            return Failure.PRECONDITION_FAILED.response();
        }
        return file.isKnown(request) ? file.notModified() : file;
    }

    /** Reads a file from the jar; empty if there is no such file, or it has an unknown type. */
    private Optional<Response> read(String folder, String name, String cacheControl) {
        String ending = name.substring(name.lastIndexOf('.') + 1);
        String type = TEXTS.contains(ending) ? Response.TEXT : TYPES.get(ending);
        if (type == null || !name.matches("(?:[a-z]+/)?[A-Za-z0-9][A-Za-z0-9._-]*")) {
            return Optional.empty();
        }
        try (InputStream file = Assets.class.getResourceAsStream(folder + name)) {
            if (file == null) {
                return Optional.empty();
            }
            byte[] body = type.equals(Response.HTML) ? withFingerprint(file.readAllBytes()) : file.readAllBytes();
            return Optional.of(Response.of(200, type, body).withETagOf(body)
                    .with("Cache-Control", cacheControl)
                    .with("Content-Security-Policy", POLICY)
                    .with("Cross-Origin-Opener-Policy", "same-origin")
                    .with("Cross-Origin-Resource-Policy", "same-origin")
                    .with("Referrer-Policy", "same-origin"));
        } catch (IOException brokenJar) {
            throw new UncheckedIOException(brokenJar);
        }
    }

    private byte[] withFingerprint(byte[] html) {
        return Utf8.encode(Utf8.text(html).replace("\"/assets/", "\"/assets/" + Fingerprint.VALUE + '/')
                .replace("\"/_fixture/assets/", "\"/_fixture/assets/" + Fingerprint.VALUE + '/'));
    }

    /** The version's fingerprint, computed on first use so that startup is not delayed. */
    private static final class Fingerprint {
        static final String VALUE = fingerprint();
    }

    /** Computes one digest over all files, because scripts import each other without a fingerprint. */
    private static String fingerprint() {
        try {
            Path home = Path.of(Assets.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (FileSystem jar = Files.isDirectory(home) ? null : FileSystems.newFileSystem(home);
                    Stream<Path> all = Files.walk(jar == null ? home.resolve("stet/static") : jar.getPath("stet/static"))) {
                for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
                    digest.update(Files.readAllBytes(file));
                }
            }
            return HexFormat.of().formatHex(digest.digest(), 0, FINGERPRINT_BYTES);
        } catch (IOException | NoSuchAlgorithmException | URISyntaxException brokenJar) {
            throw new IllegalStateException(brokenJar);
        }
    }
}
