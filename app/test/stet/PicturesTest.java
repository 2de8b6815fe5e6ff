package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.core.FilesDigest;
import stet.core.Secret;

/**
 * The README's pictures match the page: the text they show and each picture's SHA-256 are stored beside them. After a change of the
 * page, {@code -Dstet.pictures=true} takes new pictures, to be checked before they are committed.
 */
@Tag("browser")
@ExtendWith(Chromium.class)
class PicturesTest {
    private static final Path FOLDER = Path.of("app/docs/images");
    private static final int BYTES = 150_000;
    /** The readable text, without whitespace, which depends on the machine's fonts. */
    private static final String TEXT = """
            return [document.title, ...document.body.innerText.split('\\n')].map(line => line.replace(/\\s+/g, ' ').trim())
              .filter(line => line !== '' && !/^\\d+$/.test(line)).join('\\n');
            """;

    @Test
    void thePicturesShowThePageAsItIs(Window window) throws IOException {
        boolean takes = Boolean.getBoolean("stet.pictures");
        try (DemoAccount data = new DemoAccount()) {
            window.signedIn(data.stet, data.demo, "/templates/welcome").heading("Welcome").sees(".live-version", "published")
                    .preview("Confirm my address");
            StringBuilder text = new StringBuilder(window.script(TEXT) + "\n");
            for (String scheme : List.of("light", "dark")) {
                Path file = FOLDER.resolve("desk-" + scheme + ".webp");
                if (takes) {
                    window.looks(scheme, 1440, 860).preview("Confirm my address");
                    Files.write(file, Base64.getDecoder().decode((String) window.driver.executeCdpCommand("Page.captureScreenshot",
                            Map.of("format", "webp", "quality", 85)).get("data")));
                }
                byte[] picture = Files.readAllBytes(file);
                assertTrue(picture.length <= BYTES, file + " has " + picture.length + " bytes");
                text.append(FilesDigest.hex(Secret.sha256(picture))).append("  ").append(file.getFileName()).append('\n');
            }
            if (takes) {
                Files.writeString(FOLDER.resolve("desk.txt"), text);
            }
            assertEquals(Files.readString(FOLDER.resolve("desk.txt")), text.toString(),
                    "The page has changed: take its pictures with -Dstet.pictures=true, and look at them");
            window.alone(); // otherwise the page would poll a stopped server
        }
    }
}
