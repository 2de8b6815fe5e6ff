package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;
import stet.server.HeavyWorkTest;

/** Importing a zip after previewing its changes, and exporting a zip of what the API serves. */
@Tag("browser")
@ExtendWith(Chromium.class)
class FilesJourneyTest {
    private static final String HELLO = "<p>Hello {{name}} \u2014 \u00e5</p>";

    @AutoClose
    private final Running stet = new Running();
    private final Path folder = Running.temporary();

    @AfterEach
    void close() {
        Running.delete(folder);
    }

    private Path zip(String name, Map<String, String> files) throws IOException {
        Path zip = folder.resolve(name);
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                out.putNextEntry(new ZipEntry(file.getKey()));
                out.write(file.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
        return zip;
    }

    private static Map<String, String> unzip(Path zip) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(zip))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                files.put(entry.getName(), new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return files;
    }

    /** One journey: two invalid zips change nothing, a conflict stops the third until it is confirmed, and its export changes nothing. */
    @Test
    void aZipIsImportedAfterItsPlanAndExportedAgain(Window window) throws IOException {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        String key = stet.key(ada);
        stet.template(ada, "welcome", "<p>Old</p>");
        Map<String, String> files = new TreeMap<>(Map.of("templates/hello.html", HELLO, "templates/welcome.html", "<p>New</p>",
                "templates/hello.json", "{\"name\": \"Hello\", \"subject\": \"Hi {{name}}\"}", "blocks/footer.html", "<p>Foot</p>",
                        "images/logo.svg", "x"));

        window.signedIn(stet, ada, "/account").heading("Account");
        give(window, zip("bad.zip", Map.of("templates/hello.html", HELLO, "templates/hello.json", "{\"nam\": 1}")));
        window.sees("templates/hello.json").sees("Nothing was changed.").click("Close").closed();
        give(window, zip("broken.zip", Map.of("templates/broken.html", "<p>{{#if a}}</p>")));
        window.heading("Import broken.zip?").tick("Also publish new templates and templates whose live version would change").sees(".toast.failed", "templates/broken.html");
        assertEquals(false, window.script("return document.querySelector('dialog [name=publish]').checked"));
        window.click("Cancel").closed();
        give(window, zip("mails.zip", files));
        window.heading("Import mails.zip?").sees("Nothing has changed yet").sees("dialog dl", "hello").sees("dialog dl", "footer");
        assertEquals("New templates | 1 template: hello | Changed drafts | 1 draft: welcome | Shared blocks | 1 block: footer | Unchanged | none"
                + " | Ignored | images/",
                String.join(" | ", window.shown("dialog dl").lines().filter(line -> !line.isBlank()).toList()));
        assertEquals(404, stet.get(Running.TEMPLATES + "hello", key).status());
        window.expect(".*status of 409.*"); // local changes are replaced only on request
        window.sees("1 item would overwrite changes made here:").sees("welcome was created here");
        window.tick("Also publish new templates and templates whose live version would change").click("Import").sees("Nothing was changed: template welcome was created in Stet");
        assertEquals(404, stet.get(Running.TEMPLATES + "hello", key).status());
        window.tick("Overwrite these changes").click("Import").heading("Imported").sees("2 templates published.");
        window.follow("View templates").heading("Templates").sees("tr[data-id=hello] .state", "Published");
        assertEquals(HELLO, stet.get(Running.TEMPLATES + "hello?format=html", key).text());
        assertEquals("<p>New</p>", stet.get(Running.TEMPLATES + "welcome?format=html", key).text());

        allowDownloads(window);
        window.open(stet, "/account").heading("Account").follow("Export zip");
        Path exported = downloaded();
        Map<String, String> out = unzip(exported);
        for (String id : new String[] {"hello", "welcome"}) {
            assertEquals(stet.get(Running.TEMPLATES + id + "?format=html", key).text(), out.get("templates/" + id + ".html"));
        }
        assertEquals("<p>Foot</p>", out.get("blocks/footer.html"));
        assertNotNull(out.get("templates/hello.json"));
        give(window, exported);
        window.sees("dialog dl", "2 templates");
        assertTrue(window.shown("dialog dl").replace('\n', ' ').contains("Changed drafts none"), window.shown("dialog dl"));
    }

    @Test
    void anExportIsRetriedWhileTheServerIsBusy(Window window) throws IOException, SQLException {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        for (int i = 0; i < 17; i++) {
            stet.template(ada, "mail-" + i, "");
        }
        window.expect(".*status of 503.*");
        allowDownloads(window);
        window.signedIn(stet, ada, "/account").heading("Account");
        try (HeavyWorkTest.Crowded crowded = new HeavyWorkTest.Crowded(stet, Browser.of(stet, ada), 17)) {
            assertTrue(Running.comes(() -> !crowded.answered().isEmpty()));
            window.follow("Export zip");
            assertTrue(Running.comes(() -> (boolean) window.driver.executeScript(
                    "return performance.getEntriesByType('resource').some(each => each.responseStatus === 503)")));
            window.heading("Exporting all templates");
            crowded.release();
            window.closed();
            assertEquals(34, unzip(downloaded()).size(), "an .html and a .json file for each of the 17 templates");
        }
    }

    private void allowDownloads(Window window) {
        window.driver.executeCdpCommand("Browser.setDownloadBehavior", Map.of("behavior", "allow", "downloadPath",
                folder.toString()));
    }

    private Path downloaded() {
        Path zip = folder.resolve("stet.zip");
        // The browser first creates an empty file, then writes to another file beside it.
        Window.within(() -> "nothing was downloaded", () -> zip.toFile().length() > 0
                && folder.toFile().list((any, name) -> name.endsWith(".crdownload")).length == 0);
        return zip;
    }

    private static void give(Window window, Path zip) {
        window.driver.findElement(By.id("import-file")).sendKeys(zip.toString());
    }
}
