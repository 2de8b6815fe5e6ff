package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import stet.harness.Jar;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;

/** A push between two real jars, one of which is killed with SIGKILL at different points, is applied completely or not at all. */
@Tag("jar")
class PushKilledTest {
    private static final String ADA = "ada@example.com";
    private static final int DRAFTS = 100;
    private static final int MOMENTS = 10;

    private Path home;
    private Path data;
    private String token;

    @BeforeEach
    void fill() throws IOException {
        home = Running.temporary();
        data = home.resolve("data");
        Terminal terminal = new Terminal(data);
        terminal.account(ADA, "pro");
        token = terminal.done("token", "add", ADA, "ci", "--role", "editor").strip();
    }

    @AfterEach
    void delete() {
        Running.delete(home);
    }

    /** Writes different texts for each round, enough that storing them takes a while. */
    private Path files(int round) throws IOException {
        Path templates = Files.createDirectories(home.resolve("files-" + round).resolve("templates"));
        for (int i = 0; i < DRAFTS; i++) {
            Files.writeString(templates.resolve("mail-" + i + ".html"), ("<p>" + round + " " + i * 7919 % 1_000 + "</p>\n").repeat(500));
        }
        return templates.getParent();
    }

    private Process push(Jar server, int round, String... more) throws IOException {
        List<String> command = Jar.command(home, List.of(), "push", files(round).toString(), "--server",
                "http://127.0.0.1:" + server.address.getPort(), "--publish", "--note", "round " + round);
        command.addAll(List.of(more));
        ProcessBuilder client = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(home.resolve("out").toFile());
        client.environment().put("STET_TOKEN", token);
        return client.start();
    }

    private long number(String query) {
        return Long.parseLong(Rows.of(data, query).get(0));
    }

    /** Returns the round from which all templates come; 0 before the first round. One statement, because the server may be committing. */
    private int served() {
        String live = "templates t join versions v on v.template = t.row and v.number = t.published";
        String[] found = Rows.of(data, "select (select count(distinct v.note) from " + live + ") || '|' || (select count(*) from templates)"
                + " || '|' || (select count(*) from " + live + " and v.draft_sha256 = t.sha256) || '|' || (select count(*) from sources)"
                + " || '|' || coalesce((select max(v.note) from " + live + "), 'round 0')").get(0).split("\\|");
        String all = String.join(", ", found);
        boolean isEmpty = found[0].equals("0");
        assertTrue(isEmpty || found[0].equals("1"), "of several pushes: " + all);
        for (int i = 1; i <= 3; i++) {
            assertEquals(isEmpty ? 0 : DRAFTS, Integer.parseInt(found[i]), all);
        }
        return Integer.parseInt(found[4].substring("round ".length()));
    }

    private void waitForTexts(long texts, Process push) {
        assertTrue(Running.comes(() -> number("select count(*) from texts") >= texts || !push.isAlive()));
    }

    private static void kill(Process process) throws InterruptedException {
        process.destroyForcibly();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    }

    @Test
    void aPushIsAllOrNothingIfTheServerIsKilled() throws IOException, InterruptedException {
        List<String> rounds = new ArrayList<>();
        for (int round = 1; round <= MOMENTS; round++) {
            int before;
            try (Jar server = new Jar(data)) {
                before = served();
                long texts = number("select count(*) from texts");
                Process push = push(server, round);
                waitForTexts(texts + (round - 1) * DRAFTS / (MOMENTS - 1), push);
                server.kill();
                assertTrue(push.waitFor(60, TimeUnit.SECONDS));
                int after = served();
                assertTrue(after == before || after == round, before + ", " + after);
                assertTrue(push.exitValue() == 2 || after == round, "exit " + push.exitValue() + ": " + Files.readString(home.resolve("out")));
                rounds.add(before + " to " + after);
            }
        }
        try (Jar server = new Jar(data)) {
            Process push = push(server, MOMENTS + 1);
            assertTrue(push.waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, push.exitValue(), Files.readString(home.resolve("out")));
            assertEquals(MOMENTS + 1, served(), rounds.toString());
        }
    }

    /** The previews of a name come from one push, and each email keeps its link. */
    @Test
    void previewsAreAllOrNothingIfTheServerIsKilled() throws IOException, InterruptedException {
        List<String> links = List.of();
        for (int round = 1; round <= MOMENTS / 2 + 1; round++) {
            try (Jar server = new Jar(data)) {
                long texts = number("select count(*) from texts");
                Process push = push(server, round, "--preview", "pr-1");
                if (round <= MOMENTS / 2) {
                    waitForTexts(texts + (round - 1) * DRAFTS / (MOMENTS / 2 - 1), push);
                    server.kill();
                }
                assertTrue(push.waitFor(60, TimeUnit.SECONDS));
                List<String> found = Rows.of(data, "select p.item || ' ' || p.secret from push_previews p order by p.item");
                List<String> rounds = Rows.of(data, "select distinct substr(cast(x.html as text), instr(cast(x.html as text), '<p>'), 5) as part"
                        + " from push_previews p join texts x on x.id = p.text");
                assertTrue(found.isEmpty() && rounds.isEmpty() || found.size() == DRAFTS && rounds.size() == 1, found.size() + " of " + rounds);
                assertTrue(links.isEmpty() || links.equals(found), "the links have changed");
                assertTrue(push.exitValue() == 2 || found.size() == DRAFTS, Files.readString(home.resolve("out")));
                links = found;
            }
        }
        assertEquals(DRAFTS, links.size());
        assertEquals(0, number("select count(*) from templates"));
    }

    @Test
    void aPushIsAllOrNothingIfTheClientIsKilled() throws IOException, InterruptedException {
        try (Jar server = new Jar(data)) {
            for (int round = 1; round <= MOMENTS; round++) {
                int before = served();
                long texts = number("select count(*) from texts");
                Process push = push(server, round);
                if (round == 2) {
                    assertTrue(Running.comes(() -> isSending() || !push.isAlive()));
                } else if (round > 2) {
                    waitForTexts(texts + (round - 2) * DRAFTS / (MOMENTS - 2), push);
                }
                kill(push);
                int after = served();
                assertTrue(after >= before && after <= round, before + ", " + after); // the server completes a push that has arrived
            }
            Process push = push(server, MOMENTS + 1);
            assertTrue(push.waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, push.exitValue(), Files.readString(home.resolve("out")));
            assertEquals(MOMENTS + 1, served());
        }
    }

    private boolean isSending() {
        try {
            return Files.readString(home.resolve("out")).contains("Sending");
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }
}
