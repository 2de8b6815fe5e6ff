package stet.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import stet.base.Json;
import stet.base.Refusal;
import stet.cli.ServerClient.Ask;
import stet.cli.ServerClient.Reply;
import stet.files.AccountFiles;
import stet.files.AccountState;
import stet.files.Changes;
import stet.files.ImportOptions;
import stet.files.LiveTypes;
import stet.files.PublishMode;
import stet.files.PushZip;
import stet.files.Source;
import stet.files.Zip;
import stet.types.Language;

/** An account on a server, accessed with a deploy token. */
final class ServerTarget implements Target {
    /** Maximum number of attempts to push while the account keeps changing. */
    private static final int MAX_TRIES = 5;
    private static final String MAY_BE_SAVED = "The files may have been saved. Run the command again; it sends only what is missing.";
    private static final String MAY_BE_ROLLED_BACK =
            "The template may have been rolled back. Check its history before you run the command again.";

    private final Cli cli;
    private final URI server;
    private final ServerClient client;
    /** The zip file of a push or pull. */
    private final Path temporary;
    /** The entry in stet.json whose account the token must belong to; null for any account. */
    private final Targets.NamedTarget expected;
    private String account = "";
    private String label;
    /** The state that {@link #checkRoom} has downloaded for the first attempt to push, or null. */
    private AccountState known;

    /** @param expected the entry in stet.json, or null */
    ServerTarget(Cli cli, URI server, String token, boolean allowHttp, Targets.NamedTarget expected) throws IOException {
        if (!"https".equalsIgnoreCase(server.getScheme()) && !allowHttp && !isLoopback(server.getHost())) {
            throw new Refusal("The token would be sent to " + server + " unencrypted. Use https or " + Option.ALLOW_HTTP.word() + ".");
        }
        this.cli = cli;
        this.expected = expected == null || expected.account() == null ? null : expected;
        this.server = server;
        this.temporary = Files.createTempFile("stet", ".zip");
        try {
            this.client = new ServerClient(server, token, cli.clock);
        } catch (IOException noFile) {
            Files.delete(temporary);
            throw noFile;
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
        return Printer.printable(label == null || label.isEmpty() ? account : label + " (" + account + ")") + " at " + server;
    }

    @Override
    public String account() {
        return account;
    }

    @Override
    public String label() {
        return label;
    }

    /** Whether both have the same account at the same address. Call {@link #state} of both first. */
    boolean isSameAccountAs(ServerTarget other) {
        return server.equals(other.server) && account.equals(other.account);
    }

    private static Ask get(String path, long maxBytes) {
        return new Ask("GET", path, BodyPublishers.noBody(), maxBytes, "");
    }

    /** Reads a record from a reply, all of whose values are checked. */
    private <T> T record(Ask ask, Reply reply, JsonNode json, Class<T> type) {
        try {
            return Json.record(json, type);
        } catch (Refusal otherKind) {
            throw new UncheckedIOException(client.unexpected(ask, reply));
        }
    }

    @Override
    public AccountState state() throws IOException {
        Ask ask = get("/push", ServerClient.MAX_JSON_BYTES);
        Reply reply = client.send(ask);
        AccountState state = record(ask, reply, reply.json(), AccountState.class);
        if (expected != null && !expected.account().equals(state.account())) {
            throw new Refusal("The token in " + expected.variable() + " belongs to the account " + Printer.printable(state.account()) + "; set the token of "
                    + expected.account());
        }
        account = state.account();
        label = state.label();
        return state;
    }

    @Override
    public void checkRoom(Source files) throws IOException {
        known = state();
        files.checkRoom(known.templates().keySet(), known.blocks().keySet());
    }

    /** Sends the differences from the server's state. Retries if the state changes before the differences arrive. */
    @Override
    public Changes push(AccountFiles files, ImportOptions options, boolean dryRun) throws IOException {
        return push(files, options, dryRun, Map.of());
    }

    /** Makes a preview of each email that a push would change. @param name replaces the earlier previews of this name */
    Changes preview(AccountFiles files, ImportOptions options, String name) throws IOException {
        return push(files, options, true, Map.of("preview", name));
    }

    private Changes push(AccountFiles files, ImportOptions options, boolean dryRun, Map<String, Object> more) throws IOException {
        boolean publishes = options.publishing() != PublishMode.NONE;
        Map<String, Object> parameters = new HashMap<>(Map.of("publish", publishes, "force", options.publishing() == PublishMode.FORCED, "dryRun", dryRun,
                "overwrite", options.overwrite(), "prune", options.prune(), "note", options.origin().note()));
        parameters.putAll(more);
        String path = "/push?" + query(parameters);
        for (int left = MAX_TRIES;; left--) {
            AccountState state = known != null ? known : state();
            known = null;
            PushZip.write(temporary, files, state);
            cli.err.println("Sending " + Files.size(temporary) + " bytes to " + name());
            Ask ask = new Ask("POST", path, BodyPublishers.ofFile(temporary), ServerClient.MAX_JSON_BYTES, dryRun ? "" : MAY_BE_SAVED);
            Reply reply = client.send(ask);
            JsonNode json = reply.json();
            if (!json.path("outdated").asBoolean()) {
                if (json.has("error") && !json.has("created")) {
                    throw client.refused(reply.error().orElseThrow(() -> new UncheckedIOException(client.unexpected(ask, reply))));
                }
                return record(ask, reply, json, Changes.class).withNotices(files.notices());
            }
            if (left == 1) {
                throw client.refused(reply.error().orElse("the account keeps changing; try again"));
            }
        }
    }

    /** The response to the end of previews. */
    private record Ended(Integer ended) {
        Ended {
            Objects.requireNonNull(ended);
        }
    }

    /** Ends the previews of a name. @return the number of emails that they showed */
    int endPreviews(String name) throws IOException {
        state(); // names the account
        Ask ask = new Ask("DELETE", "/push/previews/" + URLEncoder.encode(name, StandardCharsets.UTF_8), BodyPublishers.noBody(), ServerClient.MAX_JSON_BYTES, "");
        Reply reply = client.send(ask);
        return record(ask, reply, reply.json(), Ended.class).ended;
    }

    private static String query(Map<String, Object> parameters) {
        return parameters.entrySet().stream().map(each -> each.getKey() + "="
                + URLEncoder.encode(Objects.toString(each.getValue()), StandardCharsets.UTF_8)).sorted().collect(Collectors.joining("&"));
    }

    /** Checks the account before the first request that does not need the state. */
    private void checkAccount() throws IOException {
        if (expected != null && account.isEmpty()) {
            state();
        }
    }

    @Override
    public Source pull(boolean published) throws IOException {
        checkAccount();
        Ask ask = get("/pull?published=" + published, ServerClient.MAX_ZIP_BYTES);
        Reply reply = client.send(ask);
        if (reply.status() != 200) {
            throw client.unexpected(ask, reply);
        }
        Files.move(reply.file(), temporary, StandardCopyOption.REPLACE_EXISTING);
        try {
            return Zip.open(temporary, Long.MAX_VALUE);
        } catch (Refusal noZip) {
            throw new ServerFailure(client.unexpected(ask, reply).getMessage() + " (" + noZip.getMessage() + ")");
        }
    }

    @Override
    public RolledBack rollBack(String template, Integer to, String note) throws IOException {
        checkAccount();
        String query = query(to == null ? Map.of("note", note) : Map.of("note", note, "to", to));
        Ask ask = new Ask("POST", "/push/templates/" + URLEncoder.encode(template, StandardCharsets.UTF_8) + "/rollback?" + query,
                BodyPublishers.noBody(), ServerClient.MAX_JSON_BYTES, MAY_BE_ROLLED_BACK);
        Reply reply = client.send(ask);
        Optional<String> error = reply.error();
        if (error.isPresent()) {
            throw client.refused(error.get());
        }
        return record(ask, reply, reply.json(), RolledBack.class);
    }

    @Override
    public LiveTypes types(Language language, String name) throws IOException {
        checkAccount();
        Ask ask = get("/push/types?" + query(Map.of("lang", language.word(), "package", name)), ServerClient.MAX_JSON_BYTES);
        Reply reply = client.send(ask);
        return record(ask, reply, reply.json(), LiveTypes.class);
    }

    @Override
    public void close() throws IOException {
        try {
            client.close();
        } finally {
            Files.deleteIfExists(temporary);
        }
    }
}
