package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.cli.Command;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Running;
import stet.harness.Terminal;

/** The command {@code activity}, and the rows that commands leave. */
class ActivityCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String EMAIL = "ada@example.com";

    @TempDir
    Path folder;

    /** A list by hand: no test finds a new command that changes an account. */
    @Test
    void commandsThatChangeAnAccountLeaveARow() throws IOException {
        Terminal terminal = new Terminal(folder.resolve("data"));
        Path files = Files.createDirectories(folder.resolve("files/templates")).getParent();
        Files.writeString(files.resolve("templates/welcome.html"), "<p>one</p>");
        Files.createDirectories(files.resolve("blocks"));
        Files.writeString(files.resolve("blocks/footer.html"), "<i>");
        terminal.done("account", "add", EMAIL, "--plan", "pro");
        Map<Command, String> rows = new LinkedHashMap<>();
        rows.put(Command.ACCOUNT_ADD, newest(terminal));
        Files.writeString(folder.resolve("password"), "battery staple");
        String[][] lines = {{"user", "password", EMAIL, "--password-file", folder.resolve("password").toString()},
            {"account", "plan", EMAIL, "free", "--requests", "7"}, {"account", "suspend", EMAIL}, {"account", "resume", EMAIL},
            {"user", "reset", EMAIL}, {"key", "add", EMAIL, "web"}, {"key", "rotate", EMAIL, "1"}, {"key", "delete", EMAIL, "1"},
            {"import", files.toString(), "--account", EMAIL, "--publish"}, {"template", "publish", EMAIL, "welcome"},
            {"template", "prune", EMAIL, "welcome", "--keep", "1", "--yes"}, {"template", "delete", EMAIL, "welcome", "--yes"},
            {"template", "restore", EMAIL, "welcome"}, {"account", "label", EMAIL, "Live", "--colour", "red"}, {"account", "rename", EMAIL, "Harbour"}};
        for (String[] line : lines) {
            if (line[1].equals("publish")) {
                Files.writeString(files.resolve("templates/welcome.html"), "<p>two</p>");
                terminal.done("import", files.toString(), "--account", EMAIL);
            }
            terminal.done(line);
            Command command = List.of(Command.values()).stream().filter(each -> String.join(" ", line).startsWith(each.words() + " "))
                    .findFirst().orElseThrow();
            rows.put(command, newest(terminal));
        }
        Map<Command, String> expected = new LinkedHashMap<>(Map.of(Command.ACCOUNT_ADD, "account-added|ada@example.com|pro",
                Command.USER_PASSWORD, "password-changed|ada@example.com|", Command.ACCOUNT_PLAN, "plan-changed||limits: 7 requests, the plan's keys",
                Command.KEY_ADD, "key-added|web|KEY...", Command.KEY_ROTATE, "key-rotated|web|KEY...", Command.KEY_DELETE, "key-deleted|web|KEY...",
                Command.IMPORT, "imported||1 created, 1 published, 1 block",
                Command.TEMPLATE_PUBLISH, "template-published|welcome|version 2",
                Command.TEMPLATE_PRUNE, "versions-pruned|welcome|1 version",
                Command.TEMPLATE_DELETE, "template-deleted|welcome|"));
        expected.putAll(Map.of(Command.ACCOUNT_SUSPEND, "account-suspended||", Command.ACCOUNT_RESUME, "account-resumed||",
                Command.TEMPLATE_RESTORE, "template-restored|welcome|", Command.USER_RESET, "reset-link-created|ada@example.com|",
                Command.ACCOUNT_LABEL, "account-labelled|Live|red", Command.ACCOUNT_RENAME, "account-renamed|Harbour|ada@example.com"));
        assertEquals(expected, rows);
    }

    /** The newest row, written by the command line. */
    private static String newest(Terminal terminal) throws IOException {
        JsonNode row = JSON.readTree(terminal.done("activity", EMAIL, "--limit", "1", "--json")).get(0);
        assertEquals("command line", row.get("actor").asText());
        assertEquals("", row.get("address").asText());
        return row.get("kind").asText() + "|" + row.get("subject").asText() + "|" + row.get("detail").asText().replaceAll("stet_\\w+", "KEY");
    }

    private Terminal withAccount() {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.done("account", "add", EMAIL, "--plan", "free");
        return terminal;
    }

    @Test
    void theCommandListsTheNewestFirst() throws IOException {
        Terminal terminal = withAccount();
        terminal.done("key", "add", EMAIL, "web");
        String[] table = terminal.done("activity", EMAIL).split("\\R");
        assertTrue(table[0].matches("AT +ACTOR +KIND +SUBJECT +DETAIL +ADDRESS +USER"), table[0]);
        assertTrue(table[1].contains("command line  key-added      web"), table[1]);
        assertTrue(table[2].contains("command line  account-added  ada@example.com  free"), table[2]);
    }

    @Test
    void theCommandListsRowsSinceATime() throws IOException {
        Terminal terminal = withAccount();
        String first = terminal.clock.instant().toString();
        terminal.clock.advance(Duration.ofSeconds(1));
        terminal.done("key", "add", EMAIL, "web");
        assertEquals(2, JSON.readTree(terminal.done("activity", EMAIL, "--since", first, "--json")).size());
        assertEquals(1, JSON.readTree(terminal.done("activity", EMAIL, "--since", terminal.clock.instant().toString(), "--json")).size());
        terminal.clock.advance(Duration.ofSeconds(1));
        assertEquals("[]\n", terminal.done("activity", EMAIL, "--since", terminal.clock.instant().toString(), "--json"));
    }

    @Test
    void theCommandRejectsALimitOfZero() {
        Terminal terminal = withAccount();
        assertEquals("--limit is \"0\"; it must be a whole number from 1 to 100000" + System.lineSeparator(),
                terminal.run("activity", EMAIL, "--limit", "0").err());
    }

    @Test
    void administrationRowsOutliveAccountsAndAreInNoAccount() throws IOException {
        Terminal terminal = withAccount();
        terminal.done("account", "add", "ben@example.com", "--plan", "free");
        for (String off : new String[] {"--off", "--off", "--yes", "--yes"}) { // repeating one changes nothing
            terminal.done(("user administrator " + EMAIL + " " + off).split(" "));
        }
        terminal.done("account", "delete", "ben@example.com", "--yes");
        List<String> rows = new ArrayList<>();
        JSON.readTree(terminal.done("activity", "--json")).forEach(row ->
                rows.add(row.get("kind").asText() + " " + row.get("subject").asText() + " by " + row.get("actor").asText()));
        assertEquals(List.of("account-deleted ben@example.com by command line", "administrator-added ada@example.com by command line",
                "administrator-removed ada@example.com by command line", "administrator-added ada@example.com by command line"), rows);
        assertEquals("account-added|ada@example.com|free", newest(terminal));
    }

    @Test
    void administrationRowsAreLimited() throws IOException {
        Terminal terminal = withAccount();
        terminal.done("user", "administrator", EMAIL, "--off");
        assertEquals(2, JSON.readTree(terminal.done("activity", "--json")).size());
        assertEquals(1, JSON.readTree(terminal.done("activity", "--limit", "1", "--json")).size());
    }

    @Test
    void theCommandPrintsTheUserOfARow() {
        try (Running stet = new Running()) {
            Browser ada = Browser.of(stet, stet.account(EMAIL, Plan.PRO));
            assertEquals(201, ada.post("/data/keys", "{\"name\":\"web\"}").status());
            assertTrue(new Terminal(stet.folder).done("activity", EMAIL, "--json", "--limit", "1").contains("\"user\":\"ada@example.com\""));
        }
    }
}
