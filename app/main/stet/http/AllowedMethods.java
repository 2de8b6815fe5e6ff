package stet.http;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The methods of each path that users, apps, monitors and pipelines use, for the {@code Allow} header of a 405. The paths under /data,
 * which only the pages use, are not listed; there, other methods get 404. RoutesTest compares the paths with the routes.
 */
public final class AllowedMethods {
    static final Set<String> GET_ONLY = Set.of("/api/v1/templates/:id", "/healthz", "/docs", "/docs/:id", "/",
            "/templates", "/templates/:id", "/templates/:id/preview", "/blocks", "/blocks/:id", "/blocks/:id/preview",
            "/images", "/images/:id", "/stale", "/trash",
            "/keys", "/usage", "/activity", "/users", "/account", "/security", "/installation",
            "/signin", "/setup", "/join", "/reset", "/forgot", "/confirm", "/review", "/assets/:id/:id", "/assets/:id/:id/:id", "/previews/:id",
            "/pull", "/push/templates/:id/versions", "/push/types");
    static final Map<String, String> OTHERS = Map.of("/push", "GET, HEAD, POST", "/push/previews/:id", "DELETE",
            "/push/templates/:id/rollback", "POST");

    private AllowedMethods() {
    }

    /** The methods as a list for {@code Allow}; empty for another path. */
    public static Optional<String> of(String path) {
        return GET_ONLY.contains(path) ? Optional.of("GET, HEAD") : Optional.ofNullable(OTHERS.get(path));
    }
}
