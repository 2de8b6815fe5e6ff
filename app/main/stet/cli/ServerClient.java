package stet.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import stet.base.Excerpt;
import stet.base.Json;
import stet.base.Reason;
import stet.base.Refusal;

/**
 * Sends requests with a deploy token to a server, which may be another one than meant, behind a broken proxy, or hostile. Each response
 * has a limit on its time and its size; the JDK's request timeout ends with the head (JDK-8208693).
 *
 * <pre>
 * 200, 409 ────────────────────────────────► reply
 * 503 ─────────────────────────────────────► sent again, up to MAX_TRIES times
 * {"error": "..."} with another status ────► Refusal (exit code 1)
 * 500, anything else, late, too long, lost ► ServerFailure (exit code 2)
 * </pre>
 */
final class ServerClient implements AutoCloseable {
    static final long MAX_JSON_BYTES = 16 << 20;
    static final long MAX_ZIP_BYTES = 4L << 30;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    /** Maximum time for a request and its response, including time queued behind the account's other requests. */
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    /** A long response may take longer if its average speed is at least this, in bytes per second. */
    private static final long MIN_SPEED = 16 << 10;
    /** Interval between checks of the clock, by which a test can move the time. */
    private static final long POLL_MILLIS = 50;
    /** Maximum number of attempts while the server is busy. */
    private static final int MAX_TRIES = 5;
    private static final long MAX_PAUSE_SECONDS = 10;
    /** Maximum number of characters of a server's text in a message. */
    private static final int MAX_CHARACTERS = 2_000;
    private static final String NO_STET = "; is this a Stet server?";

    private final URI server;
    private final String token;
    private final Clock clock;
    /** Follows no redirects because the token must not reach another server. */
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1).build();
    private final Path file = Files.createTempFile("stet", ".answer");
    /** The {@link Ask#unknown} of an earlier attempt or request, whose outcome stays unknown whatever the next response is; or empty. */
    private String unknown = "";

    ServerClient(URI server, String token, Clock clock) throws IOException {
        this.server = server;
        this.token = token;
        this.clock = clock;
    }

    /**
     * A request.
     *
     * @param path     with any query
     * @param maxBytes maximum length of the response
     * @param unknown  sentence for users if the request may have been carried out although no response arrived; may be empty
     */
    record Ask(String method, String path, BodyPublisher body, long maxBytes, String unknown) {
        /** Whether the request may be sent again even if it may have been carried out. */
        boolean isRepeatable() {
            return !method.equals("POST") || !path.contains("/rollback?");
        }
    }

    /** @param file overwritten by the next response */
    record Reply(int status, HttpHeaders headers, Path file) {
        /** The body if it is a JSON object, otherwise an empty object. */
        JsonNode json() throws IOException {
            if (Files.size(file) > MAX_JSON_BYTES) {
                return Json.object();
            }
            try (InputStream in = Files.newInputStream(file)) {
                return Json.readObject(in);
            } catch (Refusal notJson) {
                return Json.object();
            }
        }

        /** Stet's error; empty for another program's response. */
        Optional<String> error() throws IOException {
            return Optional.of(json().path("error")).filter(JsonNode::isTextual).map(error -> shown(error.textValue()));
        }

        /** Part of a sentence that says where a redirect leads; empty for another status. */
        private String redirect() {
            return headers.firstValue("Location").filter(any -> status / 100 == 3).map(location -> ", a redirect to " + shown(location)).orElse("");
        }

        /** Part of a sentence that names the compression, which a proxy may add although the request does not allow it; empty without one. */
        private String encoding() {
            return headers.firstValue("Content-Encoding").filter(encoding -> !encoding.equalsIgnoreCase("identity"))
                    .map(encoding -> ", compressed with " + shown(encoding)).orElse("");
        }
    }

    private static String shown(String text) {
        return Excerpt.of(Printer.printable(text), MAX_CHARACTERS);
    }

    /**
     * Sends a request, repeatedly while the server is busy.
     *
     * @return a reply with status 200 or 409
     * @throws Refusal       with Stet's error, unless its status is 500 or above
     * @throws ServerFailure with such an error, without a complete response, or for a response that is not Stet's
     */
    Reply send(Ask ask) throws IOException {
        for (int left = MAX_TRIES;; left--) {
            Reply reply = receive(ask);
            if (reply.status == 200 || reply.status == 409) {
                return reply;
            }
            Optional<String> error = reply.error(); // empty for a proxy's error, after which the server may still execute the request
            if (reply.status == 503 && left > 1 && (error.isPresent() || ask.isRepeatable())) {
                unknown = error.isPresent() ? unknown : unknownAfter(ask);
                pause(pauseSeconds(reply.headers.firstValue("Retry-After").orElse("")));
            } else if (error.isPresent() && reply.status < 500) {
                throw refused(error.get());
            } else {
                throw error.isPresent() ? new ServerFailure(afterEarlier(server + ": " + error.get())) : unexpected(ask, reply);
            }
        }
    }

    /** The failure for an error that Stet returned. */
    Refusal refused(String error) {
        return new Refusal(afterEarlier(server + ": " + error));
    }

    /** The failure for a reply that does not come from Stet. */
    ServerFailure unexpected(Ask ask, Reply reply) {
        return new ServerFailure(server + ": unexpected response with status " + reply.status + reply.redirect() + reply.encoding() + NO_STET
                + after(ask));
    }

    private String unknownAfter(Ask ask) {
        return ask.unknown.isEmpty() ? unknown : ask.unknown;
    }

    private String after(Ask ask) {
        return unknownAfter(ask).isEmpty() ? "" : " " + unknownAfter(ask);
    }

    /** A sentence about a request that was not carried out, with what is unknown of earlier ones. */
    private String afterEarlier(String sentence) {
        return unknown.isEmpty() ? sentence : sentence + (sentence.endsWith(".") ? " " : ". ") + unknown;
    }

    /** Seconds to wait according to {@code Retry-After}; 1 for a date or anything else that is no number of seconds (RFC 9110, 10.2.3). */
    static long pauseSeconds(String retryAfter) {
        if (!retryAfter.matches("[0-9]+")) {
            return 1;
        }
        boolean isLonger = retryAfter.length() > 9; // perhaps too large for a long
        return isLonger ? MAX_PAUSE_SECONDS : Math.min(Long.parseLong(retryAfter), MAX_PAUSE_SECONDS);
    }

    private void pause(long seconds) throws IOException {
        try {
            Thread.sleep(1_000 * seconds);
        } catch (InterruptedException stopped) {
            throw interrupted();
        }
    }

    private ServerFailure interrupted() {
        Thread.currentThread().interrupt();
        return new ServerFailure("Interrupted while waiting for " + server);
    }

    private Reply receive(Ask ask) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server + ask.path)).header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/zip").method(ask.method, ask.body).build();
        Limited body = new Limited(file, ask.maxBytes);
        Instant end = clock.instant().plus(TIMEOUT);
        CompletableFuture<HttpResponse<Path>> response = client.sendAsync(request, body);
        try {
            while (true) {
                try {
                    HttpResponse<Path> received = response.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
                    return new Reply(received.statusCode(), received.headers(), file);
                } catch (TimeoutException running) {
                    if (clock.instant().isAfter(end.plusSeconds(body.bytes / MIN_SPEED))) {
                        throw new ServerFailure(server + ": no complete response within " + TIMEOUT.toMinutes() + " minutes." + after(ask));
                    }
                }
            }
        } catch (ExecutionException failure) {
            throw failure(ask, body, failure.getCause());
        } catch (InterruptedException stopped) {
            throw interrupted();
        } finally {
            response.cancel(true); // ends the connection if no complete response has arrived
        }
    }

    private IOException failure(Ask ask, Limited body, Throwable cause) {
        if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException) {
            return new ServerFailure(afterEarlier("Cannot connect to " + server));
        }
        if (body.failure != null) {
            return body.failure; // the disk, not the server
        }
        if (body.bytes > ask.maxBytes) {
            return new ServerFailure(server + ": the response is longer than " + (ask.maxBytes >> 20) + " MiB" + NO_STET + after(ask));
        }
        String reason = cause instanceof IOException broken ? shown(Reason.of(broken)) : "it is not HTTP";
        return new ServerFailure(server + ": the connection failed before a complete response arrived (" + reason + ")." + after(ask));
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
    }

    /** Writes a body to a file, up to a limit. */
    private static final class Limited implements BodyHandler<Path>, BodySubscriber<Path> {
        private final Path file;
        private final long maxBytes;
        private final CompletableFuture<Path> result = new CompletableFuture<>();
        private volatile long bytes;
        /** Why the file could not be written, or null. */
        private volatile IOException failure;
        private Flow.Subscription subscription;
        private FileChannel out;

        Limited(Path file, long maxBytes) {
            this.file = file;
            this.maxBytes = maxBytes;
        }

        @Override
        public BodySubscriber<Path> apply(HttpResponse.ResponseInfo head) {
            return this;
        }

        @Override
        public CompletionStage<Path> getBody() {
            return result;
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            try {
                out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
                given.request(1);
            } catch (IOException full) {
                fail(full);
            }
        }

        @Override
        public void onNext(List<ByteBuffer> slices) {
            try {
                for (ByteBuffer slice : slices) {
                    bytes += slice.remaining();
                    if (bytes > maxBytes) {
                        stop(new IOException("too long"));
                        return;
                    }
                    while (slice.hasRemaining()) {
                        out.write(slice);
                    }
                }
                subscription.request(1);
            } catch (IOException full) {
                fail(full);
            }
        }

        private void fail(IOException full) {
            failure = full;
            stop(full);
        }

        private void stop(IOException why) {
            subscription.cancel();
            onError(why);
        }

        @Override
        public void onError(Throwable broken) {
            close();
            result.completeExceptionally(broken);
        }

        @Override
        public void onComplete() {
            close();
            result.complete(file);
        }

        private void close() {
            try {
                if (out != null) {
                    out.close();
                }
            } catch (IOException full) {
                failure = full;
                result.completeExceptionally(full);
            }
        }
    }
}
