package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;
import stet.harness.Terminal;

/** One invitation to several accounts, several invitations at once, and the invite command. */
class InviteSeveralTest {
    @TempDir
    Path folder;
    @AutoClose
    private Running stet;
    private Account staging;
    private Account production;
    private User eve;
    private Browser browser;

    @BeforeEach
    void start() {
        stet = new Running(folder.resolve("data"));
        staging = account("staging", "eve@example.com");
        production = account("production", "eve@example.com");
        eve = stet.owner(staging);
        browser = Browser.of(stet, staging, eve);
    }

    private Account account(String name, String owner) {
        return stet.db.write(dao -> dao.accounts().addWithOwner(name, owner, null, Plan.PRO, stet.now()));
    }

    private Client.Reply invite(Object notes, Object others) {
        return browser.post("/data/invitations", Utf8.text(Json.write(Map.of("role", "editor", "notes", notes, "others", others))));
    }

    private Client.Reply invite(Account other) {
        return invite(List.of("ben@example.com", "Carl"), List.of(Map.of("account", other.id(), "role", "writer")));
    }

    private static String secret(JsonNode made, int i) {
        return "{\"secret\":\"" + made.at("/links/" + i + "/link").asText().replaceFirst(".*#", "") + "\"";
    }

    private List<String> open(Account account) {
        return stet.db.read(dao -> dao.links().invitations(account.id(), stet.now())).stream()
                .map(link -> link.note() + " " + link.role().word()).sorted().toList();
    }

    private String members(Account account) {
        return stet.db.read(dao -> dao.members().list(account.id())).stream()
                .map(member -> member.user().email() + " " + member.role().word()).skip(1).toList().toString();
    }

    @Test
    void eachUserGetsOneLinkForAllAccounts() {
        Client.Reply reply = invite(production);
        assertEquals(201, reply.status(), reply.text());
        JsonNode made = Json.tree(reply.text());
        assertEquals("2 ben@example.com Carl", made.get("links").size() + " " + made.at("/links/0/note").asText() + " "
                + made.at("/links/1/note").asText());
        assertEquals(List.of("Carl editor", "ben@example.com editor"), open(staging));
        assertEquals(List.of("Carl writer", "ben@example.com writer"), open(production));
        Browser ben = Browser.of(stet);
        assertEquals("[{\"name\":\"staging\",\"role\":\"editor\"},{\"name\":\"production\",\"role\":\"writer\"}]",
                Json.tree(ben.post("/data/link", secret(made, 0) + "}").text()).get("accounts").toString());
        assertEquals(200, ben.post("/data/link/register", secret(made, 0)
                + ",\"name\":\"Ben\",\"email\":\"ben@example.com\",\"password\":\"correct horse\"}").status());
        assertEquals("[ben@example.com editor] [ben@example.com writer]", members(staging) + " " + members(production));
        assertEquals(422, ben.post("/data/link", secret(made, 0) + "}").status(), "it works once");
        assertEquals(List.of("Carl editor"), open(staging));
        for (Account account : List.of(staging, production)) {
            List<String> kinds = stet.db.read(dao -> dao.activity().since(account.id(), Instant.EPOCH, 9)).stream()
                    .map(row -> row.kind().word() + " " + row.subject()).toList();
            assertTrue(kinds.containsAll(List.of("user-invited ben@example.com", "user-invited Carl", "user-added ben@example.com")), kinds.toString());
        }
    }

    /** An invitation that is withdrawn or lost in one account stays open in the other. */
    @ParameterizedTest
    @CsvSource({"withdrawn", "deleted", "member already"})
    void theInvitationToTheOtherAccountStaysOpen(String ending) {
        JsonNode made = Json.tree(invite(production).text());
        User zoe = stet.user("zoe@example.com");
        stet.db.change(dao -> {
            switch (ending) {
                case "withdrawn" -> dao.links().invitations(production.id(), stet.now()).forEach(link ->
                        dao.links().revoke(link, stet.now()));
                case "deleted" -> dao.accounts().delete(production, stet.now());
                default -> dao.members().setRole(production.id(), zoe.id(), Role.OWNER, stet.now());
            }
        });
        assertEquals(200, Browser.of(stet, null, zoe).post("/data/link/join", secret(made, 0) + "}").status());
        assertEquals("[zoe@example.com editor]", members(staging));
        assertEquals(ending.equals("member already") ? "[zoe@example.com owner]" : "[]", members(production));
    }

    @ParameterizedTest
    @CsvSource({"OWNER, []", "EDITOR, '[Carl writer, ben@example.com writer]'"})
    void revokingEndsTheInvitationsToAllAccountsThatTheUserOwns(Role there, String left) {
        invite(production);
        stet.member(production, "max@example.com", Role.OWNER, "correct horse");
        stet.db.change(dao -> dao.members().setRole(production.id(), eve.id(), there, stet.now()));
        stet.db.read(dao -> dao.links().invitations(staging.id(), stet.now())).forEach(link ->
                assertEquals(204, browser.delete("/data/invitations/" + link.id()).status()));
        assertEquals("[] " + left, open(staging) + " " + open(production));
        assertEquals(there == Role.OWNER ? 2 : 0, stet.db.read(dao -> dao.activity().since(production.id(), Instant.EPOCH, 9)).stream()
                .filter(row -> row.kind().word().equals("invitation-revoked")).count());
    }

    @Test
    void aSuspendedAccountDoesNotKeepUsersOutOfTheOther() {
        JsonNode made = Json.tree(invite(production).text());
        stet.db.change(dao -> dao.accounts().setSuspended(production, true, stet.now()));
        assertEquals(200, Browser.of(stet, null, stet.user("zoe@example.com")).post("/data/link/join", secret(made, 0) + "}").status());
        assertEquals("[zoe@example.com editor] []", members(staging) + " " + members(production));
        assertEquals(2, open(production).size(), "that part stays open");
    }

    @Test
    void aMemberOfAllAccountsIsRejected() {
        JsonNode made = Json.tree(invite(production).text());
        answered(422, "{\"error\":\"You already belong to staging and production\",\"field\":\"secret\"}",
                browser.post("/data/link/join", secret(made, 0) + "}"));
    }

    @Test
    void suspendedAccountsRejectTheInvitedUser() {
        JsonNode made = Json.tree(invite(production).text());
        stet.db.change(dao -> List.of(staging, production).forEach(each -> dao.accounts().setSuspended(each, true, stet.now())));
        answered(403, "{\"error\":\"This account is suspended; contact an administrator\"}",
                Browser.of(stet, null, stet.user("zoe@example.com")).post("/data/link/join", secret(made, 0) + "}"));
        assertEquals("[]", members(staging));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(textBlock = """
            an editor there   | 403 {"error":"Only owners of the account can do this"}
            removed there     | 404 {"error":"Not found"}
            suspended         | 403 {"error":"This account is suspended; contact an administrator"}
            deleted           | 404 {"error":"Not found"}
            of others         | 404 {"error":"Not found"}
            unknown           | 404 {"error":"Not found"}
            this one          | 422 {"error":"An account is listed twice; remove the duplicate","field":"others"}
            twice             | 422 {"error":"An account is listed twice; remove the duplicate","field":"others"}
            no role           | 422 {"error":"\\"others[0].role\\" is missing","field":"others[0].role"}
            a wrong address   | 422 {"error":"\\"ben@\\" is not a valid email address; enter an address such as ada@example.com","field":"email"}
            a member          | 422 {"error":"eve@example.com already belongs to staging","field":"notes"}
            a member there    | 422 {"error":"max@example.com already belongs to production","field":"notes"}
            too many notes    | 422 {"error":"Enter at most 20 entries at a time","field":"notes"}
            too many accounts | 422 {"error":"Enter at most 20 entries at a time","field":"others"}
            a long note       | 422 {"error":"The note is 201 characters; the limit is 200","field":"note"}
            too many open     | 422 {"error":"Invitation limit reached (50); revoke an invitation first","field":null}
            """, delimiter = '|', quoteCharacter = '$')
    void aWrongEntryCreatesNoInvitation(String wrong, String expected) {
        Account foreign = account("foreign", "z@example.com");
        stet.member(production, "max@example.com", Role.OWNER, "correct horse");
        stet.db.change(dao -> {
            switch (wrong) {
                case "an editor there" -> dao.members().setRole(production.id(), eve.id(), Role.EDITOR, stet.now());
                case "removed there" -> dao.members().remove(production.id(), eve.id());
                case "suspended" -> dao.accounts().setSuspended(production, true, stet.now());
                case "deleted" -> dao.accounts().delete(production, stet.now());
                case "too many open" -> IntStream.range(0, 49).forEach(i ->
                        dao.links().invite(production.id(), Role.WRITER, "", "notes", stet.now(), "secret" + i));
                default -> { }
            }
        });
        List<String> before = rowsOfBoth();
        Map<String, Object> there = Map.of("account", production.id(), "role", "writer");
        List<Object> notes = new ArrayList<>(List.of("Carl", "Dora"));
        List<Object> others = new ArrayList<>(List.of(there));
        switch (wrong) {
            case "of others" -> others.set(0, Map.of("account", foreign.id(), "role", "writer"));
            case "unknown" -> others.set(0, Map.of("account", 999, "role", "writer"));
            case "this one" -> others.set(0, Map.of("account", staging.id(), "role", "writer"));
            case "twice" -> others.add(there);
            case "no role" -> others.set(0, Map.of("account", production.id()));
            case "a wrong address" -> notes.add("ben@");
            case "a member" -> notes.add("eve@example.com");
            case "a member there" -> notes.add("max@example.com");
            case "too many notes" -> IntStream.range(0, 19).forEach(i -> notes.add("n" + i));
            case "too many accounts" -> IntStream.range(0, 20).forEach(i -> others.add(there));
            case "a long note" -> notes.add("n".repeat(201));
            default -> { }
        }
        Client.Reply reply = invite(notes, others);
        assertEquals(expected, reply.status() + " " + reply.text());
        assertEquals(before, rowsOfBoth());
    }

    private List<String> rowsOfBoth() {
        return List.of(open(staging).toString(), open(production).toString());
    }

    // ---- the command

    @Test
    void theCommandPrintsALink() {
        Terminal terminal = new Terminal(folder.resolve("data"));
        String link = terminal.done("user", "invite", "ben@example.com", "--account", "staging", "--role", "editor",
                "--base-url", "https://mail.example.com").strip();
        assertTrue(link.matches("https://mail\\.example\\.com/join#[0-9A-Za-z]{32}"), link);
        assertEquals(List.of("ben@example.com editor"), open(staging));
        assertEquals(200, Browser.of(stet).post("/data/link/register", "{\"secret\":\"" + link.replaceFirst(".*#", "")
                + "\",\"name\":\"Ben\",\"email\":\"ben@example.com\",\"password\":\"correct horse\"}").status());
        assertEquals("[ben@example.com editor]", members(staging));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(textBlock = """
            eve@example.com --account staging             | eve@example.com already belongs to staging
            ben --account staging                         | "ben" is not a valid email address; enter an address such as ada@example.com
            ben@example.com --account stagin              | Account stagin not found; did you mean staging?
            ben@example.com --account staging --role boss | "boss" is not a role; choose owner, editor or writer
            ben@example.com                               | needs --account
            """, delimiter = '|', quoteCharacter = '$')
    void theCommandRejectsInvalidInvitations(String line, String sentence) {
        Terminal.Result result = new Terminal(folder.resolve("data")).run(("user invite " + line).split(" "));
        assertEquals(1, result.code());
        assertTrue(result.err().contains(sentence), result.err());
        assertEquals(List.of(), open(staging));
    }
}
