package stet.http;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The path and query of a request. The shape of the path comes from its raw form; only the IDs are decoded. */
final class RequestTarget {
    /** Paths after which the next segment is an ID. RoutesTest compares the list with the routes. */
    static final Set<String> BEFORE_IDS = Set.of("/api/v1/templates", "/assets", "/assets/:id", "/assets/:id/:id", "/blocks", "/docs",
            "/images", "/previews", "/push/previews", "/push/templates", "/templates",
            "/data/accounts", "/data/blocks", "/data/copies", "/data/deletions", "/data/image-files", "/data/images", "/data/invitations",
            "/data/keys", "/data/members", "/data/sessions", "/data/tests", "/data/tokens",
            "/data/templates", "/data/templates/:id/versions", "/data/templates/:id/reviews", "/data/templates/:id/comments",
            "/_fixture/assets", "/_fixture/assets/:id", "/_fixture/assets/:id/:id", "/_fixture/faults",
            "/_fixture/accounts", "/_fixture/accounts/:id/blocks", "/_fixture/accounts/:id/images", "/_fixture/accounts/:id/keys",
            "/_fixture/accounts/:id/templates");
    /** More than the number of segments in any route. In a longer path, the remaining segments are read as one. */
    private static final int MAX_SEGMENTS = 10;
    /** The path of the retrieval endpoint without the ID. It is read without splitting, which saves 1% of such a request's CPU time. */
    private static final String TEMPLATE = "/api/v1/templates/";
    private static final String TEMPLATE_SHAPE = TEMPLATE + ":id";

    /** The path with {@code :id} in place of each ID; empty if the path is malformed. */
    final String path;
    /** The IDs in the path, decoded. */
    final List<String> ids = new ArrayList<>();
    private final String query;

    RequestTarget(URI uri) {
        this.path = withoutIds(uri);
        this.query = uri.getRawQuery();
    }

    /** The decoded names of all query parameters; an empty string for a name that cannot be decoded. */
    Set<String> parameterNames() {
        return pairs().stream().map(pair -> pair.name == null ? "" : pair.name).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The decoded values of a query parameter; null for a value that cannot be decoded or is written as an array, {@code name[]}. */
    List<String> parameters(String name) {
        List<String> values = new ArrayList<>(1);
        for (QueryPair pair : pairs()) {
            if (name.equals(pair.name)) {
                values.add(pair.value);
            } else if (pair.name != null && pair.name.startsWith(name + "[")) {
                values.add(null);
            }
        }
        return values;
    }

    /** A query parameter, decoded; null for a name or value that cannot be decoded. */
    private record QueryPair(String name, String value) {
    }

    private List<QueryPair> pairs() {
        List<QueryPair> pairs = new ArrayList<>(1);
        for (String pair : query == null ? new String[0] : query.replace('+', ' ').split("&")) {
            int equals = pair.indexOf('=');
            pairs.add(equals < 0 ? new QueryPair(decode(pair), "")
                    : new QueryPair(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1))));
        }
        return pairs;
    }

    /** Collects the IDs in {@link #ids}. @return the path with {@code :id} in place of each; empty if the path is malformed */
    private String withoutIds(URI uri) {
        String raw = uri.getRawPath();
        if (raw == null || !raw.startsWith("/") || uri.toString().startsWith("//")) {
            return "";
        }
        if (raw.startsWith(TEMPLATE) && raw.length() > TEMPLATE.length() && raw.indexOf('/', TEMPLATE.length()) < 0) {
            ids.add(id(raw.substring(TEMPLATE.length())));
            return TEMPLATE_SHAPE;
        }
        String shape = "";
        for (String segment : raw.substring(1).split("/", MAX_SEGMENTS)) {
            boolean isId = BEFORE_IDS.contains(shape);
            if (isId && segment.isEmpty()) {
                return "";
            }
            if (isId) {
                ids.add(id(segment));
            }
            shape += isId ? "/:id" : "/" + segment;
        }
        return shape;
    }

    /** Decodes an ID. An invalid ID stays encoded and is never found because no valid ID contains {@code %}. */
    private static String id(String segment) {
        String id = decode(segment);
        return id == null || id.indexOf('/') >= 0 || id.indexOf('\0') >= 0 ? segment : id;
    }

    /** Percent-decodes text; null if an escape is invalid or the result is not UTF-8. */
    private static String decode(String raw) {
        if (raw.indexOf('%') < 0) {
            return raw;
        }
        byte[] bytes = raw.getBytes(StandardCharsets.UTF_8);
        int length = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != '%') {
                bytes[length++] = bytes[i];
            } else if (i + 2 < bytes.length && HexFormat.isHexDigit(bytes[i + 1]) && HexFormat.isHexDigit(bytes[i + 2])) {
                bytes[length++] = (byte) (HexFormat.fromHexDigit(bytes[i + 1]) << 4 | HexFormat.fromHexDigit(bytes[i + 2]));
                i += 2;
            } else {
                return null;
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length)).toString();
        } catch (CharacterCodingException notUtf8) {
            return null;
        }
    }
}
