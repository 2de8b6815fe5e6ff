package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import stet.base.Json;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;
import stet.harness.Terminal;

/** Account labels and colours: who can set them, and where they are shown. */
class LabelTest {
    private static final String TOKEN = "stet_deploy_of-the-test";

    @TempDir
    Path folder;
    @AutoClose
    private Running stet;
    private Terminal terminal;
    private Account acme;

    @BeforeEach
    void start() {
        stet = new Running(folder.resolve("data"));
        terminal = new Terminal(folder.resolve("data"));
        acme = stet.db.write(dao -> dao.accounts().addWithOwner("acme", "ada@example.com", null, Plan.PRO, stet.now()));
    }

    private String shown(Browser browser) {
        var session = Json.tree(browser.get("/data/session").text());
        return session.get("label").asText() + "|" + session.get("colour").asText() + "|" + session.get("accounts").get(0).get("label").asText();
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(textBlock = """
            Production | red  | Production|red|Production
            \u0020Stage\u0020 | ''  | Stage|null|Stage
            ''         | blue | |blue|
            <b>{{x}}</b> & " | grey | <b>{{x}}</b> & "|grey|<b>{{x}}</b> & "
            """, delimiterString = " | ", quoteCharacter = '\'')
    void anOwnerSetsLabelAndColour(String label, String colour, String expected) {
        Browser ada = Browser.of(stet, acme);
        Client.Reply reply = ada.put("/data/account", Utf8.text(Json.write(new Given("acme", label, colour))));
        assertEquals(200, reply.status(), reply.text());
        assertEquals(expected, shown(ada));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(textBlock = """
            1234567890123456789012345678901 | red | The label is 31 characters; the limit is 30
            a\u202eb  | red  | The label must not contain the invisible character U+202E
            a\u0007b  | red  | The label must not contain the invisible character U+0007
            Production | pink | Unknown colour "pink"; choose one of red, orange, green, blue, purple, grey
            """, delimiterString = " | ", quoteCharacter = '\'')
    void anInvalidLabelOrColourIsRejected(String label, String colour, String error) {
        Browser ada = Browser.of(stet, acme);
        Client.Reply reply = ada.put("/data/account", Utf8.text(Json.write(new Given("acme", label, colour))));
        assertEquals("422 " + error, reply.status() + " " + Json.tree(reply.text()).get("error").asText());
        assertEquals("|null|", shown(ada));
    }

    record Given(String name, String label, String colour) {
    }

    @ParameterizedTest
    @EnumSource(value = Role.class, names = {"WRITER", "EDITOR"})
    void onlyOwnersSetTheLabel(Role role) {
        Browser eve = Browser.of(stet, acme, stet.member(acme, "eve@example.com", role, "correct horse"));
        answered(403, "{\"error\":\"Only owners of the account can do this\"}",
                eve.put("/data/account", "{\"name\":\"acme\",\"label\":\"Live\",\"colour\":\"red\"}"));
        assertEquals("|null|", shown(eve));
    }

    @Test
    void aCommandSetsAndRemovesTheLabel() {
        Browser ada = Browser.of(stet, acme);
        assertEquals("Account acme is now labelled Live\n", terminal.run("account", "label", "acme", " Live ", "--colour", "green").err());
        assertEquals("Live|green|Live", shown(ada));
        assertEquals("Account acme no longer has a label\n", terminal.run("account", "label", "acme", "").err());
        assertEquals("|null|", shown(ada));
    }

    @Test
    void aRenameKeepsTheLabel() {
        Browser ada = Browser.of(stet, acme);
        terminal.done("account", "label", "acme", "Live", "--colour", "green");
        assertEquals(200, ada.put("/data/account", "{\"name\":\"Harbour\"}").status());
        assertEquals("Live|green|Live", shown(ada));
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " | ", textBlock = """
            a\u202eb | green | The label must not contain the invisible character U+202E
            1234567890123456789012345678901 | green | The label is 31 characters; the limit is 30
            Live | pink | Unknown colour "pink"; choose one of red, orange, green, blue, purple, grey
            """)
    void theCommandRejectsAnInvalidLabelOrColour(String label, String colour, String error) {
        Terminal.Result rejected = terminal.run("account", "label", "acme", label, "--colour", colour);
        assertEquals("1 " + error, rejected.code() + " " + rejected.err().strip());
        assertEquals("|null|", shown(Browser.of(stet, acme)));
    }

    @ParameterizedTest
    @CsvSource({"server", "data folder"})
    void pushAndStatusNameTheAccountByItsLabelFirst(String place) throws Exception {
        Files.createDirectories(folder.resolve("mails/templates"));
        Files.writeString(folder.resolve("mails/templates/welcome.html"), "<p>one</p>");
        stet.db.change(dao -> {
            dao.tokens().add(acme, "ci", Role.EDITOR, TOKEN, null, stet.now());
            dao.accounts().setLabel(acme, "Production", null, stet.now());
        });
        terminal.environment.put("STET_TOKEN", TOKEN);
        String server = stet.server.url().toString();
        String[] where = place.equals("server") ? new String[] {"--server", server} : new String[] {"--account", "acme"};
        String out = terminal.done("push", folder.resolve("mails").toString(), where[0], where[1], "--dry-run");
        assertEquals(List.of("Production (acme)" + (place.equals("server") ? " at " + server : "") + ", a dry run:", "+ welcome", "= 0 unchanged"),
                out.lines().toList());
        JsonNode plan = Json.tree(terminal.done("push", folder.resolve("mails").toString(), where[0], where[1], "--dry-run", "--json"));
        assertEquals("acme Production", plan.path("account").asText() + " " + plan.path("label").asText());
        assertTrue(terminal.done("status", where[0], where[1]).startsWith("Production (acme)"));
    }
}
