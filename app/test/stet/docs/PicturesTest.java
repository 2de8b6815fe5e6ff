package stet.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.base.Secret;
import stet.core.FilesDigest;
import stet.harness.Chromium;
import stet.harness.DemoAccount;
import stet.harness.Window;

/**
 * The documents' pictures match the pages: the text they show and each picture's SHA-256 are stored beside them. After a page
 * changes, {@code -Dstet.pictures=true} takes new pictures; check them before committing.
 */
@Tag("browser")
@ExtendWith(Chromium.class)
class PicturesTest {
    private static final Path FOLDER = Path.of("app/docs/images");
    private static final int BYTES = 150_000;
    /** The readable text without whitespace, which depends on the machine's fonts, and as if it was read at once, whatever the machine's speed. */
    private static final String TEXT = """
            return [document.title, ...document.querySelector(arguments[0]).innerText.split('\\n')]
              .map(line => line.replace(/\\s+/g, ' ').replace(/\\d+ (?:second|minute)s? ago/, 'just now').trim())
              .filter(line => line !== '' && !/^\\d+$/.test(line)).join('\\n');
            """;

    /** @param selector the element to show @param height of the window in px */
    private record Picture(String name, String path, int height, String selector, Consumer<Window> steps) {
    }

    private static final List<Picture> PICTURES = List.of(
            new Picture("desk", "/templates/welcome", 860, "body", window -> window.heading("Welcome").sees(".live-version", "published")
                    .preview("Confirm my address")),
            new Picture("test-data", "/templates/receipt", 1000, ".panes .tabs", window -> window.heading("Receipt").tab("Data")
                    .click("Add a row to items").sees(".sample-rows", "2").preview("Thank you")),
            new Picture("publish", "/templates/receipt", 900, "dialog[open]", window -> window.heading("Receipt").click("Publish…")
                    .heading("Publish Receipt").sees("ins.line", "delivery")));

    @Test
    void thePicturesShowThePagesAsTheyAre(Window window) throws IOException {
        boolean takes = Boolean.getBoolean("stet.pictures");
        try (DemoAccount data = new DemoAccount()) {
            for (Picture picture : PICTURES) {
                window.looks("light", 1440, picture.height).signedIn(data.stet, data.demo, picture.path);
                picture.steps.accept(window);
                StringBuilder text = new StringBuilder(window.script(TEXT, picture.selector) + "\n");
                for (String scheme : List.of("light", "dark")) {
                    Path file = FOLDER.resolve(picture.name + "-" + scheme + ".webp");
                    if (takes) {
                        window.scheme(scheme);
                        Files.write(file, taken(window, picture.selector));
                    }
                    byte[] bytes = Files.readAllBytes(file);
                    assertTrue(bytes.length <= BYTES, file + " has " + bytes.length + " bytes");
                    text.append(FilesDigest.hex(Secret.sha256(bytes))).append("  ").append(file.getFileName()).append('\n');
                }
                Path stored = FOLDER.resolve(picture.name + ".txt");
                if (takes) {
                    Files.writeString(stored, text);
                }
                assertEquals(Files.readString(stored), text.toString(), "The page has changed: take its pictures with -Dstet.pictures=true, and look at them");
                window.alone(); // otherwise the page would poll a stopped server
            }
        }
    }

    private static byte[] taken(Window window, String selector) {
        Map<?, ?> box = (Map<?, ?>) window.script("const { x, y, width, height } = document.querySelector(arguments[0]).getBoundingClientRect(); "
                + "return { x, y, width, height }", selector);
        Map<String, Object> clip = new HashMap<>(Map.of("scale", 1));
        box.forEach((name, value) -> clip.put((String) name, value));
        return Base64.getDecoder().decode((String) window.driver.executeCdpCommand("Page.captureScreenshot",
                Map.of("format", "webp", "quality", 85, "clip", clip)).get("data"));
    }
}
