package shop;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Fetches published templates from Stet. Use one client per app; it is thread-safe. Copy and adapt it.
 *
 * <pre>
 * 200                  returns the body and caches it with its ETag
 * 304                  returns the cached body, which is still current
 * 404, 400, 401, 403   throws an exception; retrying would not help
 * 429                  returns the cached body and sends nothing until Retry-After; throws if nothing is cached
 * 5xx, or incomplete   retries after a pause, then returns the cached body; throws if nothing is cached
 * response or timeout
 * </pre>
 */
public final class TemplateClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final int TRIES = 3;
    /** Pause before the second attempt; doubles each time. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();
    private final String baseUrl;
    private final String key;
    private final Duration timeout;
    private final Duration maxPause;
    private final InstantSource clock;
    /** One per template and format in use. */
    private final Map<String, Kept> kept = new ConcurrentHashMap<>();
    /** End of the period whose quota is used up. */
    private volatile Instant refusedUntil = Instant.MIN;

    private record Kept(String etag, String body) {
    }

    /** A template could not be fetched. */
    public static final class TemplateException extends IOException {
        private static final long serialVersionUID = 1;
        /** The response's status, or 0 without a response. */
        public final int status;

        TemplateException(String path, int status, String text) {
            super(path + ": " + (status == 0 ? "no answer" : status + " " + text));
            this.status = status;
        }
    }

    /**
     * @param baseUrl  like {@code https://stet.example.com/api/v1}
     * @param timeout  limit of one attempt, including the body
     * @param maxPause limit of the pause between attempts, even if Retry-After is longer
     */
    public TemplateClient(String baseUrl, String key, Duration timeout, Duration maxPause, InstantSource clock) {
        this.baseUrl = baseUrl;
        this.key = key;
        this.timeout = timeout;
        this.maxPause = maxPause;
        this.clock = clock;
    }

    /** The published HTML of a template, with variables not filled in. */
    public String html(String id) throws TemplateException, InterruptedException {
        return get("/templates/" + URLEncoder.encode(id, StandardCharsets.UTF_8) + "?format=html");
    }

    /** A template as JSON, with all six fields. */
    public String json(String id) throws TemplateException, InterruptedException {
        return get("/templates/" + URLEncoder.encode(id, StandardCharsets.UTF_8));
    }

    private String get(String path) throws TemplateException, InterruptedException {
        if (clock.instant().isBefore(refusedUntil)) {
            return kept(path, 429, "Plan limit exceeded, until " + refusedUntil);
        }
        for (int tries = 1; ; tries++) {
            HttpResponse<String> answer = send(path);
            int status = answer == null ? 0 : answer.statusCode();
            String text = answer == null ? "" : answer.body();
            if (status == 200) {
                answer.headers().firstValue("ETag").ifPresent(etag -> kept.put(path, new Kept(etag, text)));
                return text;
            } else if (status == 304) {
                return kept.get(path).body();
            } else if (status == 429) {
                refusedUntil = clock.instant().plus(retryAfter(answer));
                return kept(path, status, text);
            } else if (status != 0 && status < 500) {
                kept.remove(path);
                throw new TemplateException(path, status, text);
            } else if (tries == TRIES) {
                return kept(path, status, text);
            }
            pause(answer, tries);
        }
    }

    /** The response, or null if none arrived completely in time. */
    private HttpResponse<String> send(String path) throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(baseUrl + path)).header("Authorization", "Bearer " + key);
        Kept last = kept.get(path);
        if (last != null) {
            request.header("If-None-Match", last.etag());
        }
        // A request's own timeout covers only the response head; this one covers the body as well.
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(request.build(),
                BodyHandlers.ofString(StandardCharsets.UTF_8));
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            answer.cancel(true);
            return null;
        } catch (ExecutionException lost) {
            return null; // no connection, or closed before the response was complete
        }
    }

    private String kept(String path, int status, String text) throws TemplateException {
        Kept last = kept.get(path);
        if (last == null) {
            throw new TemplateException(path, status, text);
        }
        return last.body();
    }

    private void pause(HttpResponse<String> answer, int tries) throws InterruptedException {
        Duration pause = PAUSE.multipliedBy(1L << (tries - 1));
        Duration asked = answer == null ? Duration.ZERO : retryAfter(answer);
        Duration longer = asked.compareTo(pause) > 0 ? asked : pause;
        Thread.sleep((longer.compareTo(maxPause) > 0 ? maxPause : longer).toMillis());
    }

    private static Duration retryAfter(HttpResponse<String> answer) {
        return Duration.ofSeconds(answer.headers().firstValueAsLong("Retry-After").orElse(0));
    }
}
