package stet.cli;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import stet.core.Json;
import stet.core.Refusal;
import stet.core.SystemFailure;
import stet.files.AccountFiles;
import stet.files.AccountState;
import stet.files.Changes;
import stet.files.Import;
import stet.files.Import.Publishing;
import stet.files.PushZip;
import stet.files.Source;
import stet.files.Zip;

/** An account on a server, accessed with a deploy token. */
final class ServerTarget implements Target {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    /** Maximum time to wait for a response, including time queued behind the account's other requests. */
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    /** Maximum number of attempts while the server is busy or the account keeps changing. */
    private static final int MAX_TRIES = 5;
    private static final long MAX_PAUSE_SECONDS = 10;
    private static final int MAX_JSON_BYTES = 64 << 20;

    private final Cli cli;
    private final URI server;
    private final String token;
    /** Follows no redirects because the token must not reach another server. */
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1).build();
    private final Path temporary = Files.createTempFile("stet", ".zip");
    private String account = "";
    private String label;

    ServerTarget(Cli cli, URI server, String token) throws IOException {
        this.cli = cli;
        this.server = server;
        this.token = token;
        if (!"https".equalsIgnoreCase(server.getScheme()) && !cli.config.has(Option.ALLOW_HTTP) && !isLoopback(server.getHost())) {
            Files.delete(temporary);
            throw new Refusal("The token would be sent to " + server + " unencrypted. Use https or " + Option.ALLOW_HTTP.word() + ".");
        }
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            return false;
        }
    }

    @Override
    public String name() {
        return Printer.printable(label == null ? account : label + " (" + account + ")") + " at " + server;
    }

    @Override
    public String account() {
        return account;
    }

    @Override
    public String label() {
        return label;
    }

    private record Reply(int status, Path file) {
        JsonNode json() throws IOException {
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(MAX_JSON_BYTES);
                return bytes.length == 0 ? Json.object() : Json.readObject(bytes);
            } catch (Refusal notJson) {
                return Json.object();
            }
        }
    }

    /** @return a reply with status 200 or 409 @throws Refusal with the server's error, if any, for another status */
    private Reply send(String method, String path, BodyPublisher body) throws IOException {
        Path file = Files.createTempFile("stet", ".answer");
        file.toFile().deleteOnExit();
        HttpRequest request = HttpRequest.newBuilder(URI.create(server + path)).timeout(TIMEOUT)
                .header("Authorization", "Bearer " + token).header("Content-Type", "application/zip").method(method, body).build();
        for (int left = MAX_TRIES;; left--) {
            try {
                HttpResponse<Path> response = client.send(request, BodyHandlers.ofFile(file, CREATE, WRITE, TRUNCATE_EXISTING));
                Reply reply = new Reply(response.statusCode(), response.body());
                if (reply.status == 200 || reply.status == 409) {
                    return reply;
                }
                JsonNode error = reply.json().path("error"); // not in a proxy's error, after which the server may still execute the request
                if (reply.status != 503 || left == 1 || error.isMissingNode() && path.contains("/rollback")) {
                    String to = response.headers().firstValue("Location").map(location -> ", a redirect to " + location).orElse("");
                    String sentence = server + ": " + Printer.printable(error.asText("unexpected response with status " + reply.status + to
                            + "; is this a Stet server?"));
                    throw reply.status < 500 ? new Refusal(sentence) : new SystemFailure(sentence);
                }
                Thread.sleep(1_000 * Math.min(response.headers().firstValueAsLong("Retry-After").orElse(1), MAX_PAUSE_SECONDS));
            } catch (ConnectException | HttpConnectTimeoutException unreachable) {
                throw new ConnectException("Cannot connect to " + server);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for " + server, stopped);
            }
        }
    }

    @Override
    public AccountState state() throws IOException {
        AccountState state = Json.record(stets(send("GET", "/push", BodyPublishers.noBody()).json(), "templates"), AccountState.class);
        account = state.account();
        label = state.label();
        return state;
    }

    /** Sends the differences from the server's state. Retries if the state changes before the differences arrive. */
    @Override
    public Changes push(AccountFiles files, Import.Options options, boolean dryRun) throws IOException {
        boolean publishes = options.publishing() != Publishing.NONE;
        String path = "/push?" + query(Map.of("publish", publishes, "force", options.publishing() == Publishing.FORCED, "dryRun", dryRun,
                "overwrite", options.overwrite(), "prune", options.prune(), "note", options.arrival().note()));
        for (int left = MAX_TRIES;; left--) {
            AccountState state = state();
            PushZip.write(temporary, files, state);
            cli.err.println("Sending " + Files.size(temporary) + " bytes to " + name());
            Reply reply = send("POST", path, BodyPublishers.ofFile(temporary));
            JsonNode json = reply.json();
            if (!json.path("outdated").asBoolean()) {
                return Json.record(stets(json, "created"), Changes.class).with(files.notices());
            }
            if (left == 1) {
                throw new Refusal(server + ": " + Printer.printable(json.path("error").asText()));
            }
        }
    }

    /** Checks that the reply comes from Stet and not from another server. @param field a field that the reply must have */
    private JsonNode stets(JsonNode json, String field) {
        if (!json.has(field)) {
            throw new Refusal(server + ": unexpected response; is this a Stet server?");
        }
        return json;
    }

    private static String query(Map<String, Object> parameters) {
        return parameters.entrySet().stream().map(each -> each.getKey() + "="
                + URLEncoder.encode(Objects.toString(each.getValue()), StandardCharsets.UTF_8)).sorted().collect(Collectors.joining("&"));
    }

    @Override
    public Source pull(boolean published) throws IOException {
        Reply reply = send("GET", "/pull?published=" + published, BodyPublishers.noBody());
        Files.move(reply.file, temporary, StandardCopyOption.REPLACE_EXISTING);
        return Zip.open(temporary, Long.MAX_VALUE);
    }

    @Override
    public RolledBack rollBack(String template, Integer to, String note) throws IOException {
        String query = query(to == null ? Map.of("note", note) : Map.of("note", note, "to", to));
        JsonNode done = stets(send("POST", "/push/templates/" + URLEncoder.encode(template, StandardCharsets.UTF_8)
                + "/rollback?" + query, BodyPublishers.noBody()).json(), "version");
        return new RolledBack(done.path("version").asInt(), done.path("of").asInt());
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(temporary);
    }
}
