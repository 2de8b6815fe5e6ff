package stet.cli;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import stet.harness.Terminal;

/** The npm client ends each command with the same sentence and exit code as the Java program, whatever the server sends. */
@Tag("jar")
class NpmOddServerTest extends OddServerTest {
    private static NpmClient client;

    @BeforeAll
    static void open() {
        client = new NpmClient();
    }

    @AfterAll
    static void close() {
        if (client != null) {
            client.close();
        }
    }

    @Override
    Terminal.Result execute(Terminal terminal, String... words) {
        Map<String, String> environment = new HashMap<>(terminal.environment);
        environment.remove("STET_DATA");
        return client.run(terminal.clock::instant, environment, words);
    }
}
