package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.cli.Command;
import stet.core.Account;
import stet.core.Person;
import stet.core.Plan;
import stet.core.Role;

/** The activity of an account: each change is recorded with its person, and read by the owners and editors. */
class ActivityTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String EMAIL = "ada@example.com";
    /** Routes that change nothing of an account: they read, check, or concern a person's own session. */
    private static final Set<String> NO_CHANGE = Set.of("POST /data/check", "POST /data/templates/:id/versions/:id/preview",
            "POST /data/templates/:id/presence", "POST /data/blocks/:id/presence", "PUT /data/session", "DELETE /data/session",
            "DELETE /data/sessions");

    @TempDir
    Path folder;

    @AutoClose
    private final Running stet = new Running(null, "set-up");

    private static JsonNode json(Client.Reply reply) {
        try {
            return JSON.readTree(reply.body());
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** What a page of the activity shows of each row. */
    private static List<String> rows(Browser browser, String query, String... fields) {
        Client.Reply reply = browser.get("/data/activity" + query);
        assertEquals(200, reply.status(), reply.text());
        return StreamSupport.stream(json(reply).get("rows").spliterator(), false)
                .map(row -> List.of(fields).stream().map(field -> row.get(field).asText()).collect(Collectors.joining("|"))).toList();
    }

    private Browser of(Account account, String email, Role role) {
        Person person = stet.db.write(dao -> {
            Person added = dao.people().add(email, null, stet.now());
            dao.people().setRole(account.id(), added.id(), role, stet.now());
            return added;
        });
        return Browser.of(stet, account, person);
    }

    // ---- nothing is forgotten

    /** One request for each changing route, in an order in which each finds what it changes, with the row that it leaves. */
    private Map<String, String> changes(Browser browser) {
        Map<String, String> rows = new LinkedHashMap<>();
        String zip = new String(new RawZip().file("templates/imported.html", "<p>hi</p>").bytes(), StandardCharsets.ISO_8859_1);
        String[][] calls = {
            {"POST /data/templates", "", "{'id':'welcome','name':'Welcome'}"},
            {"PUT /data/templates/:id", "welcome", "{'revision':1,'subject':'Hi','html':'<p>','samples':{}}"},
            {"PUT /data/templates/:id/name", "welcome", "{'name':'Hello'}"},
            {"POST /data/templates/:id/request", "welcome", "{'note':'first'}"},
            {"DELETE /data/templates/:id/request", "welcome", null},
            {"POST /data/templates/:id/publish", "welcome", "{'revision':2,'note':'first'}"},
            {"POST /data/templates/:id/versions/:id/publish", "welcome 1", "{}"},
            {"POST /data/templates/:id/versions/:id/restore", "welcome 1", "{'revision':2}"},
            {"DELETE /data/templates/:id", "welcome", null},
            {"POST /data/blocks", "", "{'name':'footer','html':'<i>'}"},
            {"PUT /data/blocks/:id", "footer", "{'revision':REVISION,'html':'<b>'}"},
            {"DELETE /data/blocks/:id", "footer", null},
            {"POST /data/keys", "", "{'name':'web'}"},
            {"POST /data/keys/:id/rotate", "1", "{'hours':0}"},
            {"DELETE /data/keys/:id", "1", null},
            {"POST /data/import", "", zip},
            {"POST /data/session", "", "{'email':'ada@example.com','password':'correct horse'}"},
            {"PUT /data/password", "", "{'current':'correct horse','password':'battery staple'}"},
        };
        for (String[] call : calls) {
            String method = call[0].substring(0, call[0].indexOf(' '));
            String path = call[0].substring(method.length() + 1);
            for (String id : call[1].split(" ")) {
                path = path.replaceFirst(":id", id);
            }
            if (call[0].equals("PUT /data/blocks/:id")) {
                call[2] = call[2].replace("REVISION", json(browser.get(path)).get("revision").asText());
            }
            boolean isZip = path.equals("/data/import");
            if (call[0].startsWith("POST /data/templates/:id/versions/:id/restore")) {
                stet.draft(stet.account(EMAIL), "welcome", "Hello", "other", "<b>"); // nobody's, so that the restored one differs
                call[2] = "{'revision':3}";
            }
            Client.Reply reply = isZip ? zipped(browser, path, call[2])
                    : browser.send(method, path, call[2] == null ? null : call[2].replace('\'', '"'));
            assertTrue(reply.status() < 300, call[0] + ": " + reply.status() + " " + reply.text());
            rows.put(call[0], rows(browser, "", "kind", "subject", "detail", "actor", "address").get(0));
            stet.clock.advance(Duration.ofMinutes(11)); // so that no row is one with the next
        }
        return rows;
    }

    private Client.Reply zipped(Browser browser, String path, String zip) {
        try (Client client = new Client(stet.server.address())) {
            return client.write(client.request("POST", path, null, "Cookie: " + browser.cookie, "Content-Type: application/zip",
                    "Content-Length: " + zip.length(), "Connection: close") + zip).read(false);
        }
    }

    @Test
    void eachChangingRouteLeavesARow() throws IOException {
        Browser browser = Browser.of(stet);
        assertEquals(200, browser.post("/data/setup",
                "{\"token\":\"set-up\",\"email\":\"ada@example.com\",\"password\":\"correct horse\",\"plan\":\"pro\"}").status());
        Map<String, String> rows = new LinkedHashMap<>();
        rows.put("POST /data/setup", rows(browser, "", "kind", "subject", "detail", "actor", "address").get(0));
        rows.putAll(changes(browser));
        String by = "|ada@example.com|127.0.0.1";
        String start = stet.db.read(dao -> dao.keys().list(stet.account(EMAIL).id())).get(0).start() + "...";
        String deleted = rows.get("DELETE /data/keys/:id").split("\\|")[2];
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put("POST /data/setup", "account-added|ada@example.com|pro");
        expected.put("POST /data/templates", "template-created|welcome|Welcome");
        expected.put("PUT /data/templates/:id", "draft-saved|welcome|1 save");
        expected.put("PUT /data/templates/:id/name", "template-renamed|welcome|Hello");
        expected.put("POST /data/templates/:id/request", "publication-requested|welcome|first");
        expected.put("DELETE /data/templates/:id/request", "request-withdrawn|welcome|");
        expected.put("POST /data/templates/:id/publish", "template-published|welcome|version 1: first");
        expected.put("POST /data/templates/:id/versions/:id/publish", "template-published|welcome|version 2");
        expected.put("POST /data/templates/:id/versions/:id/restore", "draft-saved|welcome|1 save");
        expected.put("DELETE /data/templates/:id", "template-deleted|welcome|");
        expected.put("POST /data/blocks", "block-saved|footer|1 save");
        expected.put("PUT /data/blocks/:id", "block-saved|footer|1 save");
        expected.put("DELETE /data/blocks/:id", "block-deleted|footer|");
        expected.put("POST /data/keys", "key-added|web|" + deleted);
        expected.put("POST /data/keys/:id/rotate", "key-rotated|web|" + start);
        expected.put("DELETE /data/keys/:id", "key-deleted|web|" + deleted);
        expected.put("POST /data/import", "imported||1 created");
        expected.put("POST /data/session", "sign-in|ada@example.com|1 sign-in");
        expected.put("PUT /data/password", "password-changed|ada@example.com|");
        expected.replaceAll((route, row) -> row + by);
        assertEquals(expected, rows);

        Set<String> changing = new TreeSet<>();
        Matcher route = Pattern.compile("\"((?:POST|PUT|PATCH|DELETE) /data/[^\"]+)\"").matcher(Files.readString(Path.of("app/main/stet/Handler.java")));
        while (route.find()) {
            changing.add(route.group(1));
        }
        changing.removeAll(NO_CHANGE);
        assertEquals(changing, new TreeSet<>(rows.keySet()), "a route that changes something needs a row here");
    }

    /** Lines of the command line with the kind of the row that each leaves. */
    @Test
    void eachChangingCommandLeavesARow() throws IOException {
        Terminal terminal = new Terminal(folder.resolve("data"));
        Path files = Files.createDirectories(folder.resolve("files/templates")).getParent();
        Files.writeString(files.resolve("templates/welcome.html"), "<p>one</p>");
        Files.createDirectories(files.resolve("blocks"));
        Files.writeString(files.resolve("blocks/footer.html"), "<i>");
        terminal.done("account", "add", EMAIL, "--plan", "pro");
        Map<Command, String> rows = new LinkedHashMap<>();
        rows.put(Command.ACCOUNT_ADD, newest(terminal));
        Files.writeString(folder.resolve("password"), "battery staple");
        String[][] lines = {{"account", "password", EMAIL, "--password-file", folder.resolve("password").toString()}, {"account", "plan", EMAIL, "free", "--requests", "7"}, {"key", "add", EMAIL, "web"}, {"key", "delete", EMAIL, "1"},
            {"import", files.toString(), "--account", EMAIL, "--publish"}, {"template", "publish", EMAIL, "welcome"},
            {"template", "prune", EMAIL, "welcome", "--keep", "1", "--yes"}, {"template", "delete", EMAIL, "welcome", "--yes"}};
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
        assertEquals(Map.of(Command.ACCOUNT_ADD, "account-added|ada@example.com|pro",
                Command.ACCOUNT_PASSWORD, "password-changed|ada@example.com|", Command.ACCOUNT_PLAN, "plan-changed||limits: 7 requests, the plan's keys",
                Command.KEY_ADD, "key-added|web|KEY...", Command.KEY_DELETE, "key-deleted|web|KEY...",
                Command.IMPORT, "imported||1 created, 1 published, 1 block",
                Command.TEMPLATE_PUBLISH, "template-published|welcome|version 2",
                Command.TEMPLATE_PRUNE, "versions-deleted|welcome|1 version",
                Command.TEMPLATE_DELETE, "template-deleted|welcome|"), rows);
    }

    /** The newest row, which is the command line's. */
    private static String newest(Terminal terminal) throws IOException {
        JsonNode row = JSON.readTree(terminal.done("activity", EMAIL, "--limit", "1", "--json")).get(0);
        assertEquals("command line", row.get("actor").asText());
        assertEquals("", row.get("address").asText());
        return row.get("kind").asText() + "|" + row.get("subject").asText() + "|" + row.get("detail").asText().replaceAll("stet_\\w+", "KEY");
    }

    @Test
    void theCommandListsTheNewestFirst() throws IOException {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.done("account", "add", EMAIL);
        terminal.done("key", "add", EMAIL, "web");
        String[] table = terminal.done("activity", EMAIL).split("\\R");
        assertTrue(table[0].matches("AT +ACTOR +KIND +SUBJECT +DETAIL +ADDRESS"), table[0]);
        assertTrue(table[1].contains("command line  key-added      web"), table[1]);
        assertTrue(table[2].contains("command line  account-added  ada@example.com  free"), table[2]);
        String at = JSON.readTree(terminal.done("activity", EMAIL, "--json")).get(0).get("at").asText();
        assertEquals("[]\n", terminal.done("activity", EMAIL, "--since", "9999-01-01T00:00:00Z", "--json"));
        assertTrue(JSON.readTree(terminal.done("activity", EMAIL, "--since", at, "--json")).size() >= 1);
        assertEquals("--limit is \"0\", not a whole number from 1 to 100000" + System.lineSeparator(),
                terminal.run("activity", EMAIL, "--limit", "0").err());
    }

    @Test
    void seedsAndOtherDataOfNobodyLeaveNone() {
        Account account = stet.account(EMAIL, Plan.PRO);
        stet.template(account, "welcome", "<p>");
        stet.key(account);
        assertEquals(List.of(), rows(Browser.of(stet, account), "", "kind"));
        assertEquals("null", json(Browser.of(stet, account).get("/data/templates/welcome")).get("savedBy").toString());
    }

    // ---- few rows

    /** Minutes of Ada's and Ben's saves and publications, with the rows that they leave, the newest first. */
    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "A0 A1 A9; A:3 saves",
        "A0 A9 A10 A11; A:2 saves A:2 saves",
        "A0 B1 A2 B3; B:1 save A:1 save B:1 save A:1 save",
        "A0 P1 A2; A:1 save P A:1 save",
        "A0 a1 A2 a3; a:2 saves A:2 saves"})
    void savesInOneGoAreOneRow(String saves, String expected) {
        Account account = stet.account(EMAIL, Plan.PRO);
        stet.draft(account, "welcome", "Welcome", "", "");
        stet.draft(account, "other", "Other", "", "");
        Browser ada = Browser.of(stet, account);
        Browser ben = of(account, "ben@example.com", Role.WRITER);
        Map<String, Integer> revisions = new LinkedHashMap<>(Map.of("welcome", 1, "other", 1));
        int minute = 0;
        for (String save : saves.split(" ")) {
            int at = Integer.parseInt(save.substring(1));
            stet.clock.advance(Duration.ofMinutes(at - minute));
            minute = at;
            String id = save.startsWith("a") ? "other" : "welcome";
            Client.Reply reply = save.startsWith("P") ? ada.post("/data/templates/welcome/publish", "{\"revision\":" + revisions.get(id) + "}")
                    : (save.startsWith("B") ? ben : ada).put("/data/templates/" + id, "{\"revision\":" + revisions.get(id)
                            + ",\"subject\":\"" + save + "\",\"html\":\"\",\"samples\":{}}");
            assertEquals(200, reply.status(), reply.text());
            revisions.computeIfPresent(id, (any, revision) -> save.startsWith("P") ? revision : revision + 1);
        }
        assertEquals(expected, rows(ada, "", "actor", "kind", "subject", "detail").stream()
                .map(row -> row.replaceFirst("ada@example.com.draft-saved.welcome.", "A:").replaceFirst("ada@example.com.draft-saved.other.", "a:")
                        .replaceFirst("ben@example.com.draft-saved.welcome.", "B:").replaceFirst(".*published.*", "P"))
                .collect(Collectors.joining(" ")));
    }

    // ---- the page

    @Test
    void pagesFiltersAndRoles() {
        Account account = stet.account(EMAIL, Plan.PRO);
        Browser ada = Browser.of(stet, account);
        Browser ben = of(account, "ben@example.com", Role.EDITOR);
        Browser carl = of(account, "carl@example.com", Role.WRITER);
        for (int i = 0; i < 120; i++) {
            (i % 3 == 0 ? ben : ada).post("/data/templates", "{\"id\":\"t" + i + "\",\"name\":\"T\"}");
        }
        ada.post("/data/keys", "{\"name\":\"web\"}");
        assertEquals("key-added|web|127.0.0.1", rows(ada, "", "kind", "subject", "address").get(0));
        assertEquals("template-created|t119|", rows(ben, "", "kind", "subject", "address").get(0), "editors see neither keys nor addresses");
        assertEquals(List.of(), rows(ben, "?kind=key-added", "kind"));
        answered(403, "{\"error\":\"Only editors and owners of the account can do this\"}", carl.get("/data/activity"));
        List<String> seen = new ArrayList<>();
        String before = "";
        for (int page = 0; page < 3; page++) {
            seen.addAll(rows(ada, before, "subject"));
            assertEquals(page == 2 ? 121 : 50 * page + 50, seen.size());
            before = "?before=" + json(ada.get("/data/activity" + before)).get("before");
        }
        assertEquals("?before=null", before);
        assertEquals(IntStream.rangeClosed(1, 120).mapToObj(i -> "t" + (120 - i)).toList(), seen.subList(1, 121));
        long person = stet.db.read(dao -> dao.people().find("ben@example.com")).orElseThrow().id();
        assertEquals(40, rows(ada, "?person=" + person, "id").size());
        assertEquals(List.of("t7"), rows(ada, "?subject=t7&kind=template-created&person=1", "subject"));
        assertEquals(List.of(), rows(ada, "?person=0", "subject"));
        assertEquals(List.of(), rows(ada, "?kind=no-such", "subject"));
        assertEquals(400, ada.get("/data/activity?before=x").status());
        JsonNode all = json(ada.get("/data/activity"));
        assertEquals("[{\"id\":1,\"name\":\"ada@example.com\"},{\"id\":2,\"name\":\"ben@example.com\"},{\"id\":3,\"name\":\"carl@example.com\"}]",
                all.get("people").toString());
        assertTrue(all.get("kinds").toString().contains("sign-in-failed"));
        assertEquals("\"imported\"", json(ben.get("/data/activity")).get("kinds").get(10).toString());
        assertEquals(11, json(ben.get("/data/activity")).get("kinds").size());
    }

    // ---- sign-ins

    private static void fail(Browser browser, String email) {
        browser.post("/data/session", "{\"email\":\"" + email + "\",\"password\":\"a wrong one\"}");
    }

    private Account known(String email) {
        return stet.account(email, Plan.PRO, "correct horse");
    }

    @Test
    void signInsAreTheOwnersOfEachAccountOfThePerson() {
        Account one = known(EMAIL);
        Account two = stet.account("bob@example.com", Plan.PRO);
        stet.db.change(dao -> dao.people().setRole(two.id(), stet.owner(one).id(), Role.WRITER, stet.now()));
        Browser browser = Browser.of(stet);
        fail(browser, "ADA@example.com");
        fail(browser, "nobody@example.com");
        for (int i = 0; i < 2; i++) {
            assertEquals(200, browser.post("/data/session", "{\"email\":\"ada@example.com\",\"password\":\"correct horse\"}").status());
        }
        for (Account account : List.of(one, two)) {
            Browser owner = Browser.of(stet, account, stet.db.read(dao -> dao.people().find(account.name())).orElseThrow());
            Supplier<List<String>> rows = () -> rows(owner, "", "kind", "subject", "detail", "actor", "address");
            assertEquals(Set.of("sign-in|ada@example.com|2 sign-ins|ada@example.com|127.0.0.1",
                    "sign-in-failed|ada@example.com|1 time|unknown|127.0.0.1"), Set.copyOf(rows.get()));
        }
    }

    /** The first is written within seconds, and all others of a minute together. */
    @Test
    void aFloodOfFailedSignInsIsARowAMinute() {
        Account account = known(EMAIL);
        Browser owner = Browser.of(stet, account);
        Browser browser = Browser.of(stet);
        fail(browser, EMAIL);
        assertEquals(List.of("1 time"), rows(owner, "", "detail"));
        for (int i = 0; i < 7; i++) {
            fail(browser, EMAIL);
        }
        assertEquals(List.of("1 time"), rows(owner, "", "detail"), "not yet");
        stet.clock.advance(Duration.ofMinutes(1));
        assertEquals(List.of("7 times", "1 time"), rows(owner, "", "detail"));
        fail(browser, EMAIL);
        stet.restart();
        assertEquals(List.of("1 time", "7 times", "1 time"), rows(owner, "", "detail"), "written at the end");
    }
}
