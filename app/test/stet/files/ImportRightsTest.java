package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
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
import stet.harness.RawZip;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;

/** Files arrive in many transactions, each of which checks the right; once the right has ended, no more is written. */
class ImportRightsTest {
    private static final int TEMPLATES = 12;
    private static final int BYTES = 200_000;

    @TempDir
    Path folder;
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Account source = stet.account("source@example.com", Plan.PRO);
    private final User eve = stet.member(ada, "eve@example.com", Role.OWNER, "correct horse");
    /** SQL that ends the right. */
    private String end;

    private static String html(int number) {
        return "<p>" + number + "</p>" + "x".repeat(BYTES);
    }

    private static byte[] zip() {
        RawZip zip = new RawZip();
        IntStream.range(0, TEMPLATES).forEach(i -> zip.file("templates/mail-" + i + ".html", html(i)));
        return zip.bytes();
    }

    private String push() {
        byte[] body = zip();
        String token = "stet_deploy_of-the-account";
        stet.db.change(dao -> dao.tokens().add(ada, "ci", Role.EDITOR, token, null, stet.now()));
        arm();
        try (Client client = new Client(stet.server.address())) {
            Client.Reply reply = client.write(client.request("POST", "/push", token, "Connection: close", "Content-Length: " + body.length)
                    + new String(body, StandardCharsets.ISO_8859_1)).read(false);
            return reply.status() + " " + reply.text();
        }
    }

    private String importZip() {
        Browser browser = Browser.of(stet, ada, eve);
        arm();
        Client.Reply reply = browser.postZip("/data/import", zip());
        return reply.status() + " " + reply.text();
    }

    private String copy() {
        stet.member(source, "eve@example.com", Role.OWNER, "correct horse");
        IntStream.range(0, TEMPLATES).forEach(i -> stet.draft(source, "mail-" + i, "Mail", "", html(i)));
        List<String> ids = IntStream.range(0, TEMPLATES).mapToObj(i -> "mail-" + i).toList();
        arm();
        Client.Reply reply = Browser.of(stet, source, eve).post("/data/copies/" + ada.id(), Utf8.text(Json.write(Map.of("templates", ids))));
        return reply.status() + " " + reply.text();
    }

    private String command() throws IOException {
        Files.createDirectories(folder.resolve("templates"));
        for (int i = 0; i < TEMPLATES; i++) {
            Files.writeString(folder.resolve("templates/mail-" + i + ".html"), html(i));
        }
        arm();
        Terminal.Result result = new Terminal(stet.folder).run("import", folder.toString(), "--account", ada.name());
        return result.code() + " " + result.err().strip();
    }

    /** Ends the right within the transaction that writes the first text, and counts the texts. */
    private void arm() {
        stet.db.changeUncached(dao -> {
            dao.sql().execute("create table written (text integer)");
            dao.sql().execute("create trigger written after insert on texts begin insert into written values (new.id); " + end + "; end");
        });
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            push   | delete from secrets                                  | 401 {"error":"The deploy token is missing
            push   | update accounts set suspended_at = 1 where id = ACC  | 403 {"error":"This account is suspended;
            zip    | update members set role = 'editor' where user_id = EVE | 403 {"error":"Only owners of the account
            zip    | delete from sessions                                 | 401 {"error":"Signed out
            copy   | delete from members where user_id = EVE and account_id = ACC | 404 {"error":"Not found
            import | update accounts set deleted_at = 1 where id = ACC    | 1 Account ada@example.com was deleted in the meantime. Nothing was changed.
            """)
    void nothingIsWrittenOnceTheRightHasEnded(String route, String ending, String response) throws IOException, SQLException {
        end = ending.replace("ACC", "" + ada.id()).replace("EVE", "" + eve.id());
        String got = switch (route) {
            case "push" -> push();
            case "zip" -> importZip();
            case "copy" -> copy();
            default -> command();
        };
        assertTrue(got.startsWith(response), got);
        int written = Integer.parseInt(Rows.of(stet.folder, "select count(*) from written").get(0));
        assertTrue(written >= 1 && written <= 2, written + " texts were written; one batch has up to 256 KB");
        stet.db.changeUncached(dao -> dao.sql().execute("drop trigger written; drop table written"));
        assertEquals(List.of("0"), Rows.of(stet.folder, "select count(*) from templates where account_id = " + ada.id()));
        stet.sweep();
        assertEquals(List.of("0"), Rows.of(stet.folder, "select count(*) from texts where account_id = " + ada.id()));
    }
}
