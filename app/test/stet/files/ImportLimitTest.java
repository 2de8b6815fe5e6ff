package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static stet.harness.Browser.answered;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Validation;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.harness.Terminal;

/** An import or push that would exceed the limits ends before any file is read. The files here are invalid, so reading one would show. */
class ImportLimitTest {
    private static final String TOKEN = "stet_deploy_of-the-test";
    private static final byte[] INVALID = {(byte) 0xff};

    @TempDir
    Path folder;

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Terminal terminal = new Terminal(stet.folder);

    /** @param kind {@code templates} or {@code blocks} */
    private void fill(String kind) {
        stet.db.change(dao -> {
            for (int i = 0; i < Validation.TEMPLATES && kind.equals("templates"); i++) {
                dao.templates().save(ada.id(), new Draft("full-" + i, "x", "", new byte[] {'x'}, Map.of()), stet.now());
            }
            for (int i = 0; i < Validation.BLOCKS && kind.equals("blocks"); i++) {
                dao.blocks().save(ada.id(), "full-" + i, new byte[] {'x'}, stet.now());
            }
            dao.tokens().add(ada, "ci", Role.EDITOR, TOKEN, null, stet.now());
        });
        terminal.environment.put("STET_TOKEN", TOKEN);
    }

    /** One of the files is already in the account, and does not count. */
    private static List<String> paths(String kind) {
        return List.of(kind + "/full-7.html", kind + "/one-more.html");
    }

    private Path zip(String kind) throws IOException {
        RawZip zip = new RawZip();
        for (String path : paths(kind)) {
            zip.file(path, INVALID);
        }
        return Files.write(folder.resolve(kind + ".zip"), zip.bytes());
    }

    private Path files(String kind) throws IOException {
        for (String path : paths(kind)) {
            Files.createDirectories(folder.resolve(kind + "-files").resolve(kind));
            Files.write(folder.resolve(kind + "-files").resolve(path), INVALID);
        }
        return folder.resolve(kind + "-files");
    }

    private Client.Reply push(byte[] zip) {
        try (Client client = new Client(stet.server.address())) {
            client.write(client.request("POST", "/push", TOKEN, "Connection: close", "Content-Length: " + zip.length)
                    + new String(zip, StandardCharsets.ISO_8859_1));
            return client.read(false);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            templates | The account would have 10001 templates; the limit is 10000
            blocks    | The account would have 1001 shared blocks; the limit is 1000
            """)
    void anImportBeyondTheLimitEndsBeforeItsFilesAreRead(String kind, String sentence) throws IOException {
        fill(kind);
        String zip = zip(kind).toString();
        String files = files(kind).toString();
        String error = "{\"error\":\"" + sentence + "\",\"field\":null}";
        Browser browser = Browser.of(stet, ada);
        answered(422, error, browser.postZip("/data/import", Files.readAllBytes(zip(kind))));
        answered(422, error, browser.postZip("/data/import?dryRun=true", Files.readAllBytes(zip(kind))));
        answered(422, error, push(Files.readAllBytes(zip(kind))));
        for (String path : new String[] {zip, files}) {
            for (List<String> command : List.of(List.of("import", path, "--account", "ada@example.com"),
                    List.of("import", path, "--account", "ada@example.com", "--dry-run"),
                    List.of("push", path, "--account", "ada@example.com"),
                    List.of("push", path, "--server", stet.server.url().toString(), "--dry-run"),
                    List.of("push", path, "--server", stet.server.url().toString()))) {
                assertEquals(new Terminal.Result(1, "", sentence + "\n"), terminal.run(command.toArray(String[]::new)), command.toString());
            }
        }
    }
}
