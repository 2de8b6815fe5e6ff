package stet.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import stet.base.Json;
import stet.harness.Machine;
import stet.harness.Running;
import stet.harness.Terminal;

/** The npm client's commands, all in one Node.js process, with the test's clock. */
final class NpmClient implements AutoCloseable {
    private final Process node;
    private final Writer in;
    private final BufferedReader out;

    NpmClient() {
        Machine.has("node");
        try {
            node = new ProcessBuilder("node", "app/test/cli/driver.mjs").redirectError(ProcessBuilder.Redirect.INHERIT).start();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        in = node.outputWriter(StandardCharsets.UTF_8);
        out = node.inputReader(StandardCharsets.UTF_8);
    }

    /** @param clock read while the command runs */
    Terminal.Result run(Supplier<Instant> clock, Map<String, String> environment, String... arguments) {
        ObjectNode command = Json.object();
        List.of(arguments).forEach(command.putArray("args")::add);
        ObjectNode variables = command.putObject("environment");
        environment.forEach(variables::put);
        CompletableFuture<String> line = CompletableFuture.supplyAsync(this::line);
        Instant[] sent = {clock.get()};
        send(Long.toString(sent[0].toEpochMilli()));
        send(new String(Json.write(command), StandardCharsets.UTF_8));
        boolean isDone = Running.comes(() -> {
            Instant now = clock.get();
            if (!now.equals(sent[0])) {
                sent[0] = now;
                send(Long.toString(now.toEpochMilli()));
            }
            return line.isDone();
        });
        JsonNode result = isDone ? Json.tree(line.join()) : null;
        if (result == null) {
            throw new AssertionError(String.join(" ", arguments) + " did not end");
        }
        return new Terminal.Result(result.get("code").asInt(), result.get("out").asText(), result.get("err").asText());
    }

    private String line() {
        try {
            return out.readLine();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void send(String line) {
        try {
            in.write(line + "\n");
            in.flush();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() {
        node.destroyForcibly();
    }
}
