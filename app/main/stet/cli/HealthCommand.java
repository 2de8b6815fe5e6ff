package stet.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.base.Reason;
import stet.base.Refusal;

/**
 * The {@code health} command, which checks a service once or, with {@code --wait}, repeatedly until the service is healthy or the time
 * is up.
 */
record HealthCommand(Config config, PrintStream out) {
    /** Maximum time for a response, even if the server sends it byte by byte. */
    private static final int TIMEOUT_SECONDS = 5;
    private static final long PAUSE_MILLIS = 200;
    private static final int MAX_RESPONSE_BYTES = 4 << 10;
    private static final Pattern REASON = Pattern.compile("\\{\"status\":\"failing\",\"reason\":\"([^\"\\\\]{1,200})\"}");

    /** @throws Refusal with the reason if the service is not healthy */
    void run() {
        URI health = address();
        long wait = config.duration(Option.WAIT).orElse(Duration.ZERO).toNanos();
        long begin = System.nanoTime();
        Optional<String> wrong = ask(health);
        while (wrong.isPresent() && System.nanoTime() - begin < wait) {
            pause();
            wrong = ask(health);
        }
        wrong.ifPresent(reason -> {
            throw new Refusal(health + " " + reason);
        });
        out.println("ok");
    }

    /** The given URL or, by default, the URL of {@code serve} on this machine. Appends {@code /healthz} if missing. */
    private URI address() {
        if (config.operands().isEmpty()) {
            return URI.create(config.localUrl() + "/healthz");
        }
        String given = config.operands().get(0);
        URI url = HttpUrl.server(given).orElseThrow(() ->
                new Refusal("\"" + given + "\" is not a URL such as http://127.0.0.1:8080"));
        return url.getPath().endsWith("/healthz") ? url : URI.create(url + "/healthz");
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new Refusal("Interrupted before the service became healthy");
        }
    }

    /** @return empty if the service is healthy, otherwise the problem, worded to follow the address in a sentence */
    private static Optional<String> ask(URI health) {
        FutureTask<Optional<String>> response = new FutureTask<>(() -> askWithoutLimit(health));
        // Runs in a separate thread, because HttpURLConnection has no timeout for a whole exchange.
        Thread thread = new Thread(response, "stet-health");
        thread.setDaemon(true);
        thread.start();
        try {
            return response.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException slow) {
            return Optional.of("did not respond within " + TIMEOUT_SECONDS + " s");
        } catch (ExecutionException failure) {
            return Optional.of("does not respond: "
                    + (failure.getCause() instanceof IOException cause ? Reason.of(cause) : failure.getCause()));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.of("was interrupted");
        }
    }

    /** Like {@link #ask}, without a limit on the time of the whole exchange. */
    private static Optional<String> askWithoutLimit(URI health) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) health.toURL().openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout(TIMEOUT_SECONDS * 1_000);
        connection.setReadTimeout(TIMEOUT_SECONDS * 1_000);
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        try {
            int status = connection.getResponseCode();
            String body;
            try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                body = in == null ? "" : new String(in.readNBytes(MAX_RESPONSE_BYTES), StandardCharsets.UTF_8);
            }
            if (status == 200 && body.equals("{\"status\":\"ok\"}")) {
                return Optional.empty();
            }
            Matcher reason = REASON.matcher(body);
            return Optional.of(status == 503 && reason.matches() ? "is failing: " + reason.group(1)
                    : "returned " + status + "; is this a Stet server?");
        } finally {
            connection.disconnect();
        }
    }
}
