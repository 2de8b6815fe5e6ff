package stet.api;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.Optional;
import java.util.function.BiFunction;
import stet.base.HeapBudget;
import stet.base.Lazy;
import stet.core.DailyRequests;
import stet.core.ImageNames;
import stet.core.Owner;
import stet.http.Response;
import stet.http.RouteResult;
import stet.http.Failure;
import stet.http.Request;
import stet.images.ImageProbe;
import stet.sqlite.Cache;
import stet.sqlite.Db;
import stet.sqlite.Statistics;

/**
 * The endpoint for images, which recipients' mail clients load: public, without a key, and never counted toward a quota. An address contains
 * the SHA-256 of its image, so caches may keep it forever.
 */
public final class GetImage {
    private static final String POLICY = "default-src 'none'; sandbox";
    private static final String IMMUTABLE = "public, max-age=31536000, immutable";
    /** Estimated memory of an image in addition to its bytes. */
    private static final int OVERHEAD = 1_024;

    private final Db db;
    private final Clock clock;
    private final Statistics statistics;
    private final BiFunction<Owner, Response, Response> bodies;
    private final Lazy<ImageProbe> probe = new Lazy<>(() -> ImageProbe.of(new SecureRandom()));
    private final Cache<String, Served> cache;
    /** Held from the reading of a large image until {@link #bodies} holds it, so that many requests at once take the memory of one. */
    private final Object reading = new Object();

    /** A request for an image, which must not use the API's threads. */
    public record ImageRequest(Request request) implements RouteResult {
    }

    /** @param account an account that has the image; 0 for the probe */
    private record Served(long account, byte[] sha256, Response response) {
    }

    /** @param bodies holds a body until its response is closed */
    public GetImage(Db db, Clock clock, Statistics statistics, BiFunction<Owner, Response, Response> bodies) {
        this.db = db;
        this.clock = clock;
        this.statistics = statistics;
        this.bodies = bodies;
        this.cache = new Cache<>(db, HeapBudget.IMAGE_CACHE_BYTES);
    }

    /** An image that only this process serves, for tests of the images' address. */
    public Lazy<ImageProbe> probe() {
        return probe;
    }

    /** The image, or 404 for everything that is not exactly the address of one. */
    public Response response(Request request) {
        String file = request.id();
        byte[] sha256 = ImageNames.sha256(file);
        if (sha256 == null) {
            return Failure.NOT_FOUND.response();
        }
        Optional<Served> small = small(file);
        if (small.isPresent()) {
            return response(small.get(), request);
        }
        synchronized (reading) {
            return find(file, sha256).map(served -> response(served, request)).orElseGet(Failure.NOT_FOUND::response);
        }
    }

    /** A cached image that {@link #bodies} does not hold; empty for others, which the caller may not keep while it waits. */
    private Optional<Served> small(String file) {
        return Optional.ofNullable(cache.get(file)).filter(kept -> kept.response.body().length < Response.LARGE_BODY);
    }

    private Response response(Served served, Request request) {
        if (!served.response.isWanted(request)) {
            return Failure.PRECONDITION_FAILED.response();
        }
        if (!isOfOwnPage(request)) {
            statistics.image(served.sha256, DailyRequests.day(clock.instant()));
        }
        return served.response.isKnown(request) ? served.response.notModified() : bodies.apply(Owner.RECIPIENTS, served.response);
    }

    /** Whether a page of this server shows the image, whose users are not recipients. A preview is sandboxed, so its first request counts. */
    private static boolean isOfOwnPage(Request request) {
        return "same-origin".equals(request.header("Sec-Fetch-Site"));
    }

    private Optional<Served> find(String file, byte[] sha256) {
        Served kept = cache.get(file);
        if (kept == null) {
            kept = cache.make(file, () -> read(file, sha256).orElse(null), Served::account, served -> served.response.body().length + OVERHEAD);
        }
        if (kept != null) {
            return Optional.of(kept);
        }
        return file.equals(probe.get().file()) ? Optional.of(served(0, sha256, file, probe.get().bytes())) : readFromPreview(file, sha256);
    }

    /** An image that an account has. */
    private Optional<Served> read(String file, byte[] sha256) {
        return db.read(dao -> dao.images().served(sha256, ImageNames.type(file)))
                .map(image -> served(image.account(), sha256, file, image.bytes()));
    }

    /** An image that only a preview has. It is not cached, because the preview expires. */
    private Optional<Served> readFromPreview(String file, byte[] sha256) {
        return db.read(dao -> dao.pushPreviews().image(sha256, ImageNames.type(file), clock.instant()))
                .map(image -> served(image.account(), sha256, file, image.bytes()));
    }

    private static Served served(long account, byte[] sha256, String file, byte[] bytes) {
        return new Served(account, sha256, Response.of(200, ImageNames.type(file).mediaType, bytes).withETag(file.substring(0, file.indexOf('.')))
                .with("Cache-Control", IMMUTABLE)
                .with("Content-Security-Policy", POLICY)
                .with("Cross-Origin-Resource-Policy", "cross-origin"));
    }
}
