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
 * Fetches published templates from Stet. Copy and adapt this class, and use one client per app; it is thread-safe.
 *
 * <pre>
 * 200                  returns the body and caches it with its ETag
 * 304                  returns the cached body, which is up to date
 * 404, 400, 401, 403   throws an exception; retrying would not help
 * 429                  returns the cached body, and sends no request until Retry-After has passed; throws if nothing is cached
 * 5xx, incomplete      retries after pauses, then returns the cached body; throws if nothing is cached
 * response or timeout
 * </pre>
 */
public final class TemplateClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final int TRIES = 3;
    /** Pause before the second attempt; doubles with each attempt. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();
    private final String baseUrl;
    private final String key;
    private final Duration timeout;
    private final Duration maxPause;
    private final InstantSource clock;
    /** One entry for each template and format in use. */
    private final Map<String, Kept> kept = new ConcurrentHashMap<>();
    /** When the quota is used up, the end of the period. */
    private volatile Instant refusedUntil = Instant.MIN;

    private record Kept(String etag, String body) {
    }

    /** Thrown if a template could not be fetched. */
    public static final class TemplateException extends IOException {
        private static final long serialVersionUID = 1;
        /** Response status, or 0 if there was no response. */
        public final int status;

        TemplateException(String path, int status, String text) {
            super(path + ": " + (status == 0 ? "no answer" : status + " " + text));
            this.status = status;
        }
    }

    /**
     * @param baseUrl  base URL, such as {@code https://stet.example.com/api/v1}
     * @param timeout  time limit for each attempt, including the response body
     * @param maxPause longest pause between attempts, even if Retry-After is longer
     */
    public TemplateClient(String baseUrl, String key, Duration timeout, Duration maxPause, InstantSource clock) {
        this.baseUrl = baseUrl;
        this.key = key;
        this.timeout = timeout;
        this.maxPause = maxPause;
        this.clock = clock;
    }

    /** Returns a template's published HTML without filling in variables. */
    public String html(String id) throws TemplateException, InterruptedException {
        return get("/templates/" + URLEncoder.encode(id, StandardCharsets.UTF_8) + "?format=html");
    }

    /** Returns a template as JSON with all six fields. */
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

    /** Returns the response, or null if no complete response arrived in time. */
    private HttpResponse<String> send(String path) throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(baseUrl + path)).header("Authorization", "Bearer " + key);
        Kept last = kept.get(path);
        if (last != null) {
            request.header("If-None-Match", last.etag());
        }
        // Covers the whole response. HttpRequest's timeout covers only the headers.
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(request.build(),
                BodyHandlers.ofString(StandardCharsets.UTF_8));
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            answer.cancel(true);
            return null;
        } catch (ExecutionException lost) {
            return null; // the connection failed, or closed before the response was complete
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
