package stet.pages;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.NoSuchFrameException;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Chromium;
import stet.harness.Pictures;
import stet.harness.Running;
import stet.harness.Window;
import stet.images.ImageFile;

/** A marketer's images: a logo, a large photograph and an animation, in the list, in an email and as the API returns it. */
@Tag("browser")
@ExtendWith(Chromium.class)
class ImagesJourneyTest {
    /** Drops or pastes a file. */
    private static final String DROP = """
                const bytes = Uint8Array.from(atob(arguments[0]), c => c.charCodeAt(0));
                const data = new DataTransfer();
                data.items.add(new File([bytes], arguments[1], { type: 'image/png' }));
                const target = document.querySelector(arguments[2]);
                const { left, top } = target.getBoundingClientRect();
                const event = arguments[3] === 'drop' ? new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data, clientX: left + 20, clientY: top + 8 })
                  : new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data });
                target.dispatchEvent(event);
                return event.defaultPrevented;
                """;

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    @TempDir
    private Path folder;

    private void upload(Window window, Path file) {
        window.driver.findElement(By.cssSelector("input[type=file]")).sendKeys(file.toString());
    }

    /** A photograph as a telephone makes it: large, hard to compress, on its side, with the place where it was taken. */
    private Path photo() throws IOException {
        BufferedImage image = new BufferedImage(4_000, 3_000, BufferedImage.TYPE_INT_RGB);
        Random random = new Random(1);
        for (int y = 0; y < 3_000; y++) {
            for (int x = 0; x < 4_000; x++) {
                image.setRGB(x, y, random.nextInt(0x40) * 0x10101 + ((x >> 4 & 0x7f) << 16) + ((y >> 4 & 0x7f) << 8));
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(image, "jpg", out);
        byte[] exif = Pictures.segment(0xe1, Pictures.join(Pictures.latin("Exif\0\0"), Pictures.exif(6)));
        Path file = Files.write(folder.resolve("IMG_0042.JPG"), Pictures.with(out.toByteArray(), 2, exif));
        assertTrue(Files.size(file) > 2 << 20, "the server would accept " + Files.size(file) + " bytes");
        return file;
    }

    private static String digest(ImageFile image) {
        return HexFormat.of().formatHex(Secret.sha256(image.bytes()));
    }

    private void insert(Window window, String name, String description) {
        window.choose("Edit", "Insert image…").sees("dialog[open]", "Choose an image");
        window.driver.findElement(By.cssSelector("input[name=name][value='" + name + "']")).click();
        window.type("Description", description).click("Insert").closed();
        Window.within(window::text, () -> window.text().contains(name)); // the page inserts it after the dialog has closed
    }

    /** Natural sizes of the images in the preview, once they are loaded. */
    private static void previewShows(Window window, String sizes) {
        Object[] shown = new Object[1];
        Window.within(() -> "the preview shows " + shown[0], () -> {
            try {
                window.driver.switchTo().frame(window.driver.findElement(By.cssSelector(".stage iframe:not(.coming)")));
                shown[0] = window.script("return [...document.images].map(each => each.naturalWidth + 'x' + each.naturalHeight).join(' ')");
            } catch (NoSuchElementException | NoSuchFrameException | StaleElementReferenceException replaced) {
                return false;
            } finally {
                window.driver.switchTo().defaultContent();
            }
            return sizes.equals(shown[0]);
        });
    }

    @Test
    void anImageIsInsertedOnceItIsChosenAndDescribed(Window window) {
        stet.image(ada, "our-logo.png", Pictures.png(320, 80, 5));
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hello</p>\n");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").choose("Edit", "Insert image…").sees("dialog[open]", "Choose an image");
        window.click("Insert").sees("dialog[open]", "Choose an image.");
        window.driver.findElement(By.cssSelector("input[name=name][value='our-logo.png']")).click();
        window.click("Insert").sees(".error", "Describe the image, or mark it as decorative.");
        window.type("Description", "Our \"Logo\"").click("Insert").closed();
        Window.within(window::text, () -> window.text().contains("<img src=\"{{> images/our-logo.png}}\" width=\"320\" alt=\"Our &quot;Logo&quot;\""));
    }

    /** One journey: three files are uploaded, the photograph as a smaller copy, inserted, previewed and published. */
    @Test
    void imagesInAnEmailArePublishedWithoutMetadata(Window window) throws IOException {
        String key = stet.key(ada);
        Path logo = Files.write(folder.resolve("Our Logo.png"), Pictures.png(320, 80, 5));
        Path dance = Files.write(folder.resolve("dance.gif"), Pictures.animation(40, 40, 5));
        window.signedIn(stet, ada, "/").heading("Templates").follow("Images").heading("Images").sees("No images yet");
        upload(window, logo);
        window.sees(".list.images", "our-logo.png").sees(".list.images", "320 × 80");
        upload(window, photo());
        window.sees("dialog[open]", "too large for an email").sees("dialog[open]", "3000 × 4000").sees("dialog[open]", "1200 × 1600").click("Use the smaller copy").closed();
        window.sees(".list.images", "img_0042.jpg").sees(".list.images", "1200 × 1600");
        upload(window, dance);
        window.sees(".list.images", "dance.gif");
        window.looks("light", 1280, 800);

        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hello</p>\n");
        window.goTo("/templates/welcome").heading("Welcome");
        insert(window, "our-logo.png", "Our logo");
        insert(window, "img_0042.jpg", "The harbour");
        insert(window, "dance.gif", "A dance");
        Window.within(window::text, () -> window.text().contains("<img src=\"{{> images/img_0042.jpg}}\" width=\"600\" alt=\"The harbour\""));
        window.preview("Hello");
        previewShows(window, "320x80 1200x1600 40x40");

        window.save().click("Publish…").heading("Publish Welcome").sees("cannot load images from http://127.0.0.1:8080/images").click("Publish").closed()
                .sees("Version 1 of Welcome is live.");
        Map<String, byte[]> served = served(stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
        assertEquals(Set.of("png", "jpg", "gif"), served.keySet());
        for (byte[] file : served.values()) {
            String text = new String(file, StandardCharsets.ISO_8859_1);
            assertFalse(text.contains("GPS-POSITION") || text.contains("SECRETCAM") || text.contains("Exif"));
        }
        assertArrayEquals(ImageFile.of(Files.readAllBytes(logo)).bytes(), served.get("png"));
        assertEquals(1_200 * 1_600, Pictures.pixels(served.get("jpg")).length);
        assertTrue(served.get("jpg").length <= 1 << 20, served.get("jpg").length + " bytes");
        ImageReader reader = ImageIO.getImageReadersByFormatName("gif").next();
        reader.setInput(ImageIO.createImageInputStream(new ByteArrayInputStream(served.get("gif"))));
        assertEquals(5, reader.getNumImages(true), "the animation's pictures");
    }

    /** The files that a published email loads from this server, by their type. */
    private Map<String, byte[]> served(String html) {
        return Pattern.compile("src=\"http://127\\.0\\.0\\.1:8080(/images/[^\".]*\\.([a-z]+))\"").matcher(html).results()
                .collect(Collectors.toMap(address -> address.group(2), address -> stet.get(address.group(1), null).body()));
    }

    /** Adds the image our-logo.png, and publishes the email welcome with it. */
    private ImageFile publishedLogo() {
        ImageFile logo = ImageFile.of(Pictures.png(320, 80, 5));
        stet.db.change(dao -> dao.images().save(ada.id(), "images/our-logo.png", logo, stet.now()));
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hello</p><img src=\"{{> images/our-logo.png}}\" alt=\"Logo\">");
        stet.publish(ada, "welcome");
        return logo;
    }

    @Test
    void aDownloadedEmlFileHasTheAddressesOfItsImages(Window window) throws IOException {
        publishedLogo();
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").preview("Hello");
        window.driver.executeCdpCommand("Browser.setDownloadBehavior", Map.of("behavior", "allow", "downloadPath", folder.toString()));
        window.choose("Export", "Download .eml").sees("Open the file in your mail client");
        Path email = folder.resolve("welcome.eml");
        Window.within(() -> "no file but " + List.of(folder.toFile().list()), () -> email.toFile().length() > 0);
        String parts = Files.readString(email);
        String encoded = parts.substring(parts.indexOf("\r\n\r\n", parts.lastIndexOf("Content-Type: text/html")) + 4, parts.lastIndexOf("\r\n--stet-part--"));
        String html = new String(Base64.getMimeDecoder().decode(encoded), StandardCharsets.UTF_8);
        assertEquals(1, Pattern.compile("http://127.0.0.1:8080/images/[0-9a-f]{64}\\.png").matcher(html).results().count(), html);
    }

    @Test
    void aReplacedImageStaysInPublishedEmails(Window window) throws IOException {
        String key = stet.key(ada);
        ImageFile logo = publishedLogo();
        String old = "/images/" + digest(logo) + ".png";
        String published = stet.get(Running.TEMPLATES + "welcome?format=html", key).text();
        assertTrue(published.contains(old), published);
        Path other = Files.write(folder.resolve("New Logo.png"), Pictures.png(2_000, 500, 9)); // its smaller copy has to be a PNG
        window.signedIn(stet, ada, "/images").heading("Images");
        // Attaches the file field that Replace makes, so that the test can fill it in; a user's browser opens a file dialog.
        window.script("HTMLInputElement.prototype.click = function () { document.body.append(this); }");
        window.click("Replace our-logo.png");
        window.driver.findElement(By.cssSelector("body > input[type=file]")).sendKeys(other.toString());
        window.click("Use the smaller copy").closed().sees("our-logo.png replaced. Published emails keep the old image until you publish them again.").sees(".list.images", "1200 × 300");
        assertEquals(published, stet.get(Running.TEMPLATES + "welcome?format=html", key).text());
        window.goTo("/stale").sees("welcome").sees("images/our-logo.png");
        window.goTo("/templates/welcome").heading("Welcome").preview("Hello");
        previewShows(window, "1200x300");
        stet.publish(ada, "welcome");
        assertFalse(stet.get(Running.TEMPLATES + "welcome?format=html", key).text().contains(old));
        assertArrayEquals(logo.bytes(), stet.get(old, null).body(), "emails that were sent load it");
    }

    @Test
    void theFileItselfIsSentIfTheBrowserCannotEncodeACopy(Window window) {
        String wide = Base64.getEncoder().encodeToString(Pictures.png(1600, 300, 7));
        window.signedIn(stet, ada, "/images").heading("Images").script("HTMLCanvasElement.prototype.toBlob = done => done(null)");
        window.script(DROP, wide, "Wide.png", ".images-page", "drop");
        window.sees(".list.images", "1600 × 300");
    }

    @Test
    void onlyAnUnusedImageIsDeletedAndThenItsEarlierFile(Window window) {
        publishedLogo();
        window.signedIn(stet, ada, "/images").heading("Images").click("our-logo.png is used in 1 draft or block, 1 live email").sees("dialog[open]", "welcome").click("Close").closed();
        window.click("Delete our-logo.png").click("Delete").closed().sees(".toast", "is still used by welcome");
        String spare = Base64.getEncoder().encodeToString(Pictures.png(30, 30, 7));
        window.script(DROP, spare, "Spare.png", ".images-page", "drop");
        window.sees(".list.images", "spare.png").click("Delete spare.png").click("Delete").closed().sees("spare.png deleted.").sees("1 earlier file, kept for published and sent emails");
        window.driver.findElement(By.cssSelector(".former summary")).click();
        window.click("Delete permanently the earlier file of spare.png").click("Delete permanently").closed().sees("The file is deleted.");
    }

    @Test
    void anImageIsAddedAndReplacedWithoutHtml(Window window) throws IOException {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<div>\n  <h1>Hello</h1>\n  <p>Welcome to the shop</p>\n</div>\n");
        window.signedIn(stet, ada, "/usage").heading("Usage").writes().open(stet, "/templates/welcome").heading("Welcome").sees(".pieces", "Hello");
        window.click("Add image").sees("dialog[open]", "Choose an image");
        choose(window, Files.write(folder.resolve("Logo.png"), Pictures.png(320, 80, 5)));
        window.type("Description", "A \"logo\" of {{shop}}").click("Insert").closed();
        Window.within(window::text, () -> window.text().contains(
                "<img src=\"{{> images/logo.png}}\" width=\"320\" alt=\"A &quot;logo&quot; of {{shop}}\" style=\"display: block; width: 100%; max-width: 320px;"));
        window.sees(".piece-panel", "Choose an image").click("Choose an image…").sees("dialog[open]", "Choose an image");
        choose(window, Files.write(folder.resolve("Other.png"), Pictures.png(100, 50, 6)));
        window.click("Insert").closed();
        Window.within(window::text, () -> window.text().contains("<img src=\"{{> images/other.png}}\" width=\"320\" alt=\"A &quot;logo"));
    }

    @Test
    void theHintAboutMissingImagesGoesWithTheFirst(Window window, @TempDir Path folder) throws IOException {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hello</p>\n");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").choose("Edit", "Insert image…")
                .sees("dialog[open]", "This account has no images yet.");
        choose(window, Files.write(folder.resolve("Logo.png"), Pictures.png(320, 80, 5)));
        assertFalse(window.shown("dialog[open]").contains("no images yet"));
    }

    private static void choose(Window window, Path file) {
        window.driver.findElement(By.cssSelector("dialog[open] input[type=file]")).sendKeys(file.toString());
        window.sees("dialog[open]", file.getFileName().toString().toLowerCase(java.util.Locale.ROOT));
    }

    @Test
    void droppedAndPastedImagesAreAdded(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hello</p>\n");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome");
        String png = Base64.getEncoder().encodeToString(Pictures.png(50, 20, 7));
        assertEquals(true, window.script(DROP, png, "Dropped.png", ".CodeMirror-scroll", "drop"));
        window.sees("dialog[open]", "dropped.png").tick("Decorative, needs no description").click("Insert").closed();
        Window.within(window::text, () -> window.text().contains("<img src=\"{{> images/dropped.png}}\" width=\"50\" alt=\"\""));
        window.save().follow("Images").heading("Images");
        assertEquals(true, window.script(DROP, Base64.getEncoder().encodeToString(Pictures.png(51, 20, 7)), "Pasted.png", ".images-page", "paste"));
        window.sees(".list.images", "pasted.png");
    }

    /** Files dragged from the desktop: on the email, into the pane of an image, and where they are ignored or rejected. */
    @Test
    void imagesAreDroppedAndPastedOnTheEmail(Window window) throws IOException {
        Path photo = Files.write(folder.resolve("Tulips.png"), Pictures.png(120, 40, 8));
        Path other = Files.write(folder.resolve("Roses.png"), Pictures.png(90, 30, 9));
        Path text = Files.writeString(folder.resolve("notes.txt"), "notes");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<div>\n  <h1>Hello</h1>\n  <p>Welcome to the shop</p>\n</div>\n");
        window.signedIn(stet, ada, "/usage").heading("Usage").writes().open(stet, "/templates/welcome").heading("Welcome").sees(".pieces", "Hello").preview("Hello");
        Window.within(() -> "no boxes", () -> (Boolean) window.script("return !document.querySelector('.stage[aria-busy], .stage iframe.coming, .canvas[aria-busy]')"));
        window.dropFile(text, ".stage iframe", 60, 20);
        window.dropFile(text, "h1", 5, 5);
        assertEquals(1, window.driver.getWindowHandles().size());
        window.dragFile(photo, ".stage iframe", 60, 20).sees(".drop-line", "Email");
        window.dropFile(photo, ".stage iframe", 60, 20);
        window.sees("dialog[open]", "tulips.png").type("Description", "Tulips").click("Insert").closed();
        Window.within(window::text, () -> window.text().contains("<div>\n  <img src=\"{{> images/tulips.png}}\" width=\"120\" alt=\"Tulips\""));
        assertEquals(1, window.driver.getWindowHandles().size(), "no other tab");
        window.sees(".piece-panel", "Choose an image").dropFile(other, ".field[data-property=source]", 20, 40);
        window.sees("dialog[open]", "roses.png").click("Insert").closed();
        Window.within(window::text, () -> window.text().contains("<img src=\"{{> images/roses.png}}\" width=\"120\" alt=\"Tulips\""));
        Window.within(() -> "no boxes", () -> (Boolean) window.script("return !document.querySelector('.stage[aria-busy], .stage iframe.coming, .canvas[aria-busy]')"));
        pasteIntoEmail(window, Pictures.png(50, 20, 7));
        window.sees("dialog[open]", "pasted.png").tick("Decorative, needs no description").click("Insert").closed();
        Window.within(window::text, () -> window.text().contains("<img src=\"{{> images/pasted.png}}\" width=\"50\" alt=\"\""));
        window.click("HTML").dropFile(photo, ".stage iframe", 60, 20).sees(".toast", "into the HTML");
    }

    /** Pastes into the preview, whose frame may be replaced by a newer one at any time. */
    private static void pasteIntoEmail(Window window, byte[] png) {
        Window.within(() -> "no paste", () -> {
            try {
                WebElement frame = (WebElement) window.script("return [...document.querySelectorAll('.stage iframe:not(.coming)')].pop()");
                frame.click();
                window.driver.switchTo().frame(frame);
                return (Boolean) window.driver.executeScript(DROP, Base64.getEncoder().encodeToString(png), "Pasted.png", "h1", "paste");
            } catch (StaleElementReferenceException replaced) {
                return false;
            } finally {
                window.driver.switchTo().defaultContent();
            }
        });
    }

    /** A file that is an image and, to a careless browser, a page or a script. */
    @Test
    void nothingIsExecutedFromAnImagesAddress(Window window) {
        String attack = "<script>document.title = window.hacked = 'hacked'</script>";
        byte[] polyglot = Pictures.with(Pictures.png(8, 8, 1), 33, Pictures.chunk("iCCP", ("x\0\0" + attack).getBytes(StandardCharsets.ISO_8859_1)));
        ImageFile file = ImageFile.of(polyglot);
        assertTrue(new String(file.bytes(), StandardCharsets.ISO_8859_1).contains(attack));
        stet.db.change(dao -> dao.images().save(ada.id(), "images/evil.png", file, stet.now()));
        String path = "/images/" + digest(file) + ".png";
        window.expect("(?s).*Applying inline style violates.*"); // Chromium's own, to show an image in a tab
        window.expect("(?s).*its MIME type \\('image/png'\\) is not executable.*");
        window.open(stet, path);
        assertEquals("image/png", window.script("return document.contentType"));
        assertNull(window.script("return window.hacked ?? null"));
        window.signedIn(stet, ada, "/images").heading("Images");
        assertNull(window.script("return document.title === 'hacked' ? 'hacked' : window.hacked ?? null"));
        assertEquals("frame loaded, script refused", window.driver.executeAsyncScript("""
                const [address, done] = arguments;
                const events = [];
                for (const [name, tag] of [['frame', 'iframe'], ['script', 'script']]) {
                  const node = Object.assign(document.createElement(tag), { src: address });
                  const finish = outcome => {
                    events.push(name + ' ' + outcome);
                    if (events.length === 2) {
                      done(events.sort().join(', '));
                    }
                  };
                  node.onload = () => finish('loaded');
                  node.onerror = () => finish('refused');
                  document.body.append(node);
                }
                """, path));
        assertNull(window.script("return window.hacked ?? null"));
    }
}
