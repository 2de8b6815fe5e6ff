package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.access.AuthHeader;
import stet.access.TrustedProxies;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.core.Validation;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Doubled;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.server.Server;

/** Names and email addresses with invisible characters are rejected everywhere, and nothing changes. */
class NamesTest {
    private static final String PASSWORD = "correct horse";
    /** Tab, line feed, ESC, NUL, C1, soft hyphen, zero-width, directional, BOM, a tag, separators, fillers, blank Braille and vowels, reserved. */
    private static final int[] INVISIBLE = {9, 10, 0x1b, 0, 0x7f, 0x85, 0xad, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x202a, 0x202e,
        0x2060, 0x2066, 0x2069, 0x61c, 0xfeff, 0xe0041, 0x2028, 0x2029, 0x115f, 0x1160, 0x3164, 0xffa0, 0x2800, 0x17b4, 0x17b5, 0x16fe4, 0x1d159,
        0x2065, 0xfff0, 0xe0080, 0xe0fff};
    /** Names of which a mark changes no character: alone, after a space, after another mark; each with the mark. */
    private static final Map<String, Integer> MARKS_ALONE = Map.of("\\ufe0f", 0xfe0f, "\\u034f", 0x34f, "\\udb40\\udd00", 0xe0100, "\\u180b", 0x180b,
            " \\u00a0\\ufe0f ", 0xfe0f, "a \\u034fb", 0x34f, "a\\ufe0f\\ufe0f", 0xfe0f);
    /** Combining marks and spaces, which are not allowed in addresses. */
    private static final int[] NOT_IN_ADDRESSES = {0x34f, 0xfe0f, 0xe0100, 0x180b, 0xa0, 0x3000, 0x2003};

    /** Spaces that {@link String#strip} keeps, because they allow no line break. */
    private static final List<String> NO_BREAK_SPACES = List.of("\\u00a0", "\\u2007", "\\u202f", " \\u00a0\\u3000 ");

    @AutoClose
    private final Running stet = new Running(null, "set-up");
    private Account ada;
    private Browser owner;

    private static String json(int character) {
        StringBuilder escaped = new StringBuilder();
        for (char each : Character.toChars(character)) {
            escaped.append(String.format("\\u%04x", (int) each));
        }
        return escaped.toString();
    }

    private static String sentence(String what, int character) {
        return "The " + what + " must not contain the invisible character " + String.format("U+%04X", character);
    }

    private static String refusal(String field, String what, int character) {
        return "{\"error\":\"" + sentence(what, character) + "\",\"field\":\"" + field + "\"}";
    }

    private void start() {
        ada = stet.account("ada@example.com", Plan.PRO, PASSWORD);
        stet.db.change(dao -> dao.users().setAdministrator(stet.owner(ada).id(), true));
        stet.draft(ada, "welcome", "Welcome", "", "");
        owner = Browser.of(stet, ada);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            POST | /data/templates              | {"id": "new", "name": "NAME"}
            PUT  | /data/templates/welcome/name | {"name": "NAME", "revision": 1}
            POST | /data/keys                   | {"name": "NAME"}
            PUT  | /data/account                | {"name": "NAME"}
            PUT  | /data/user                 | {"name": "NAME", "email": "ada@example.com"}
            POST | /data/accounts               | {"name": "NAME", "plan": "pro"}
            PUT  | /data/accounts/ACCOUNT/name  | {"name": "NAME"}
            POST | /data/link/register          | {"secret": "invitation", "name": "NAME", "email": "eve@example.com", "password": "correct horse"}
            """)
    void aNameWithAnInvisibleCharacterIsRejected(String method, String path, String body) {
        start();
        stet.db.change(dao -> dao.links().invite(ada.id(), Role.WRITER, "", "notes", stet.now(), "invitation"));
        List<String> before = rows();
        for (int character : INVISIBLE) {
            for (String name : List.of("a%sb", "%sab", "ab%s", "%s")) {
                answered(422, refusal("name", "name", character), owner.send(method, path.replace("ACCOUNT", "" + ada.id()),
                        body.replace("NAME", name.replace("%s", json(character)))));
                stet.clock.advance(Duration.ofMinutes(1)); // replenishes link attempts
            }
        }
        assertEquals(before, rows());
        Client.Reply visible = owner.send(method, path.replace("ACCOUNT", "" + ada.id()), body.replace("NAME", "a \u00e9\u0301 \ud83d\ude80"));
        assertTrue(visible.status() < 300, visible.text());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            POST | /data/templates              | {"id": "new", "name": "NAME"}
            POST | /data/tokens                 | {"name": "NAME", "role": "writer"}
            PUT  | /data/account                | {"name": "NAME"}
            PUT  | /data/user                   | {"name": "NAME", "email": "ada@example.com"}
            POST | /data/link/register          | {"secret": "invitation", "name": "NAME", "email": "eve@example.com", "password": "correct horse"}
            """)
    void anInvisibleMarkThatChangesNoCharacterIsRejected(String method, String path, String body) {
        start();
        stet.db.change(dao -> dao.links().invite(ada.id(), Role.WRITER, "", "notes", stet.now(), "invitation"));
        List<String> before = rows();
        MARKS_ALONE.forEach((name, mark) -> {
            answered(422, refusal("name", "name", mark), owner.send(method, path, body.replace("NAME", name)));
            stet.clock.advance(Duration.ofMinutes(1)); // replenishes link attempts
        });
        assertEquals(before, rows());
        Client.Reply visible = owner.send(method, path, body.replace("NAME", "\\u2764\\ufe0f 1\\ufe0f\\u20e3"));
        assertTrue(visible.status() < 300, visible.text());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            POST | /data/templates              | {"id": "new", "name": "NAME"}
            PUT  | /data/templates/welcome/name | {"name": "NAME", "revision": 1}
            POST | /data/keys                   | {"name": "NAME"}
            POST | /data/tokens                 | {"name": "NAME", "role": "writer"}
            PUT  | /data/account                | {"name": "NAME"}
            POST | /data/accounts               | {"name": "NAME", "plan": "pro"}
            PUT  | /data/accounts/ACCOUNT/name  | {"name": "NAME"}
            """)
    void aNameOfSpacesOfAnyKindIsEmpty(String method, String path, String body) {
        start();
        List<String> before = rows();
        for (String spaces : NO_BREAK_SPACES) {
            answered(422, "{\"error\":\"The name must not be empty\",\"field\":\"name\"}",
                    owner.send(method, path.replace("ACCOUNT", "" + ada.id()), body.replace("NAME", spaces)));
        }
        assertEquals(before, rows());
    }

    @Test
    void spacesOfAnyKindAroundTheNameOfAnAccountOrUserAreRemoved() {
        start();
        for (String spaces : NO_BREAK_SPACES) {
            assertEquals(200, owner.put("/data/account", "{\"name\": \"" + spaces + "Acme" + spaces + "\", \"label\": \"" + spaces + "\"}").status());
            Account account = stet.db.read(dao -> dao.accounts().find(ada.id())).orElseThrow();
            assertEquals("Acme", account.name());
            assertEquals("", account.label());
            assertEquals(200, owner.put("/data/user", "{\"name\": \"" + spaces + "Ada" + spaces + "\", \"email\": \"ada@example.com\"}").status());
            assertEquals("Ada", stet.owner(ada).name());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            PUT  | /data/account                | {"name": "NAME"}
            POST | /data/accounts               | {"name": "NAME", "plan": "pro"}
            PUT  | /data/accounts/ACCOUNT/name  | {"name": "NAME"}
            """)
    void spacesAroundAnAccountsNameDoNotCountTowardsItsLength(String method, String path, String body) {
        start();
        String name = "x".repeat(Validation.NAME_CHARACTERS);
        Client.Reply reply = owner.send(method, path.replace("ACCOUNT", "" + ada.id()), body.replace("NAME", " " + name + "\\u00a0"));
        assertTrue(reply.status() < 300, reply.text());
        assertTrue(stet.db.read(dao -> dao.accounts().named(name)).isPresent());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Ben Bäker", "Ben\\u00a0Bäker", "Ben Bäker\\u00a0", "\\u202fben  bäker", "Command\\u00a0line", "command line\\u2007",
        "Ben Ba\\u0308ker", "Ben Bäker\\ufe0f", "B\\u034fen BA\\u0308\\u034fKER", "\\uff22en Bäker", "ben@example.com\\ufe0f", "Stet\\u034f"})
    void aNameThatLooksLikeAnotherUsersIsTaken(String name) {
        start();
        User ben = stet.member(ada, "ben@example.com", Role.WRITER, PASSWORD);
        stet.db.change(dao -> dao.users().changeName(ben.id(), "Ben Bäker"));
        Client.Reply reply = owner.put("/data/user", "{\"name\": \"" + name + "\", \"email\": \"ada@example.com\"}");
        assertEquals(422, reply.status(), reply.text());
        assertTrue(reply.text().contains("could be mistaken for someone else"), reply.text());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            PUT  | /data/user        | {"name": "", "email": "EMAIL", "current": "correct horse"}
            POST | /data/link/register | {"secret": "invitation", "name": "", "email": "EMAIL", "password": "correct horse"}
            """)
    void anAddressWithAnInvisibleCharacterIsRejected(String method, String path, String body) {
        start();
        stet.db.change(dao -> dao.links().invite(ada.id(), Role.WRITER, "", "notes", stet.now(), "invitation"));
        List<String> before = rows();
        addresses((email, character) -> {
            stet.clock.advance(Duration.ofMinutes(1)); // replenishes link attempts
            return owner.send(method, path, body.replace("EMAIL", email)).text();
        });
        assertEquals(before, rows());
    }

    @Test
    void theFirstAccountsAddressMustBeVisible() {
        addresses((email, character) -> Browser.of(stet).post("/data/setup", "{\"token\":\"set-up\",\"name\":\"a\",\"email\":\"" + email
                + "\",\"password\":\"" + PASSWORD + "\",\"plan\":\"free\"}").text());
        assertEquals(List.of("0"), Rows.of(stet.folder, "select count(*) from accounts"));
    }

    /** A way to enter an email address. */
    private interface Door {
        /** The response to an address with this character. */
        String refusal(String email, int character);
    }

    private static void addresses(Door door) {
        for (int character : INVISIBLE) {
            for (String email : List.of("ada%s@example.com", "%sada@example.com", "ada@exa%smple.com")) {
                assertEquals(refusal("email", "email address", character), door.refusal(email.replace("%s", json(character)), character));
            }
        }
        for (int character : NOT_IN_ADDRESSES) {
            String refusal = door.refusal("ada" + json(character) + "@example.com", character);
            assertTrue(refusal.endsWith("\"field\":\"email\"}"), refusal);
        }
    }

    @Test
    void aProxysAddressMustBeVisibleAndItsNameIsCleaned() {
        start();
        stet.server.close();
        stet.server = new Server(stet.db, stet.upkeep, stet.clock, new Server.Settings(new InetSocketAddress("127.0.0.1", 0), null,
                TrustedProxies.LOOPBACK, new AuthHeader("Remote-User", TrustedProxies.LOOPBACK, Role.WRITER, null), null, false, null, null), null, null);
        Function<String, String> bytes = text -> new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        for (String character : List.of("\u200b", "\u202e", "\u00ad", "\u3164")) {
            answered(422, refusal("email", "email address", character.codePointAt(0)), Browser.of(stet).post("/data/session/proxy", "{}",
                    "Remote-User: " + bytes.apply("a" + character + "da@example.com")));
        }
        assertEquals(200, Browser.of(stet).post("/data/session/proxy", "{}", "Remote-User: zoe@example.com",
                "Remote-Name: " + bytes.apply("Z\u200bo\u202ee")).status());
        assertEquals("Zoe", stet.db.read(dao -> dao.users().find("zoe@example.com")).orElseThrow().name());
        assertEquals(200, Browser.of(stet).post("/data/session/proxy", "{}", "Remote-User: max@example.com",
                "Remote-Name: " + bytes.apply("\u00a0\u200b\ufe0fMax \ufe0f\u00a0")).status());
        assertEquals("Max", stet.db.read(dao -> dao.users().find("max@example.com")).orElseThrow().name());
    }

    /** Notes, which are shown in lists and printed by commands, like names. */
    @Test
    void aNoteWithAnInvisibleCharacterIsRejected() {
        start();
        stet.db.change(dao -> dao.templates().save(ada.id(), new Draft("welcome", "Welcome", "", Utf8.encode("<p>1</p>"), Map.of()), stet.now()));
        String token = "stet_deploy_names";
        stet.db.change(dao -> dao.tokens().add(ada, "ci", Role.EDITOR, token, null, stet.now()));
        for (int character : INVISIBLE) {
            String refusal = refusal("note", "note", character);
            String note = "{\"revision\":2,\"note\":\"a" + json(character) + "b\"}";
            answered(422, refusal, owner.post("/data/templates/welcome/publish", note));
            answered(422, refusal, owner.post("/data/templates/welcome/request", note.replace("\"revision\":2,", "")));
            answered(422, refusal, owner.post("/data/publications", "{\"templates\":[{\"id\":\"welcome\",\"revision\":2,\"sha256\":\"\"}],\"note\":\"a" + json(character) + "\"}"));
            String query = URLEncoder.encode("a" + Character.toString(character), StandardCharsets.UTF_8);
            try (Client client = stet.client()) {
                answered(422, refusal, client.write(client.request("POST", "/push/templates/welcome/rollback?note=" + query, token)).read(false));
            }
        }
        assertEquals(200, owner.post("/data/templates/welcome/publish", "{\"revision\":2,\"note\":\"B\u00fcro \ud83d\ude00\"}").status());
    }

    /** Control characters in subjects and comments. Direction marks and joiners are legitimate there. */
    @Test
    void subjectsAndCommentsHaveNoControlCharacters() {
        start();
        for (int character : new int[] {0x1b, 0, 0x7f, 0x85, 0x9b, 0x2028, 0x2029}) {
            answered(422, refusal("subject", "subject", character), owner.put("/data/templates/welcome",
                    "{\"revision\":1,\"subject\":\"a" + json(character) + "\",\"html\":\"\",\"samples\":{}}"));
            answered(422, refusal("text", "comment", character), owner.post("/data/templates/welcome/comments", "{\"text\":\"a" + json(character) + "\"}"));
        }
        assertEquals(200, owner.put("/data/templates/welcome", "{\"revision\":1,\"subject\":\"a\\t\u200f\u200d\",\"html\":\"\",\"samples\":{}}").status());
        assertEquals(200, owner.post("/data/templates/welcome/comments", "{\"text\":\"a\\r\\n\\tb\\n\u200f\u200d\"}").status());
    }

    /** Terminals display some of these characters and interpret others. */
    @ParameterizedTest
    @ValueSource(ints = {9, 0x1b, 0x200b, 0x202e, 0xad, 0xe0041})
    void commandsRejectInvisibleCharacters(int character, @TempDir Path folder) throws IOException {
        String text = Character.toString(character);
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.account("ada@example.com", "pro");
        String name = sentence("name", character);
        String email = sentence("email address", character);
        refused(email, terminal.run("account", "add", "a" + text + "da@example.com"));
        refused(name, terminal.run("account", "add", "eve@example.com", "--name", "Shop" + text));
        refused(name, terminal.run("account", "rename", "ada@example.com", "Shop" + text));
        refused(name, terminal.run("key", "add", "ada@example.com", "c" + text + "i"));
        refused(sentence("note", character), terminal.run("rollback", "welcome", "--account", "ada@example.com", "--note", "a" + text));

        Terminal first = new Terminal(folder.resolve("first"));
        first.environment.put("STET_ADMIN_PASSWORD", PASSWORD);
        refused(email, first.run("serve", "--listen", "127.0.0.1:0", "--admin-email", "a" + text + "@example.com"));
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 0x1b, 0x200b, 0x202e, 0xad, 0xe0041})
    void anImportedNameWithAnInvisibleCharacterIsRejected(int character, @TempDir Path folder) throws IOException {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.account("ada@example.com", "pro");
        Path files = Doubled.write(folder.resolve("files"), "templates/welcome.html", "",
                "templates/welcome.json", "{\"name\": \"a" + json(character) + "\"}");
        refused("templates/welcome.json: " + sentence("name", character), terminal.run("import", files.toString(), "--account", "ada@example.com"));
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 0x1b, 0x200b, 0x202e, 0xad, 0xe0041})
    void aSeedWithAnInvisibleCharacterIsRejected(int character, @TempDir Path folder) throws IOException {
        seedIsRejected("{\"email\": \"a%s@example.com\"}", "\"email\": " + sentence("email address", character), character, folder);
        seedIsRejected("{\"email\": \"a@example.com\", \"keys\": [{\"name\": \"a%s\", \"key\": \"stet-a-key\"}]}",
                "\"keys[0].name\": " + sentence("name", character), character, folder);
    }

    private static void seedIsRejected(String account, String sentence, int character, Path folder) throws IOException {
        String seed = Doubled.write(folder.resolve("seed"), "account.json", account.replace("%s", json(character))).toString();
        Terminal terminal = new Terminal(folder.resolve("other"));
        for (String[] line : new String[][] {{"serve", "--listen", "127.0.0.1:0", "--seed", seed}, {"fixture", seed}}) {
            Terminal.Result result = terminal.run(line);
            assertEquals(1, result.code());
            assertTrue(result.err().endsWith("account.json: " + sentence + System.lineSeparator()), result.err());
        }
    }

    private static void refused(String sentence, Terminal.Result result) {
        assertEquals("1 " + sentence, result.code() + " " + result.err().strip());
    }

    private List<String> rows() {
        return Rows.of(stet.folder, "select (select group_concat(name) from accounts) || (select group_concat(email || name) from users)"
                + " || (select group_concat(id || name) from templates) || (select count(*) from secrets)");
    }
}
