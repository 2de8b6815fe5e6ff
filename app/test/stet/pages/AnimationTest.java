package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.pages.WritePage.add;
import static stet.pages.WritePage.click;
import static stet.pages.WritePage.has;
import static stet.pages.WritePage.ready;
import static stet.pages.WritePage.rewrite;
import static stet.pages.WritePage.says;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import stet.harness.Chromium;
import stet.harness.DemoAccount;
import stet.harness.WebpAnimation;
import stet.harness.Window;

/**
 * The README's animation: an email is changed in <em>Write</em> and published. The test takes each step on the page; with
 * {@code -Dstet.pictures=true}, it also takes the animation anew. Its frames are in target/screens; look at them before committing.
 */
@Tag("browser")
@ExtendWith(Chromium.class)
class AnimationTest {
    private static final Path FILE = Path.of("app/docs/images/write.webp");
    private static final int MAX_BYTES = 400_000;
    private static final int QUALITY = 70;

    /** The frames as the browser shows them, each as a data URL. */
    private static final String DECODED = """
            const data = Uint8Array.from(atob(arguments[0]), character => character.charCodeAt(0));
            return (async () => {
              const decoder = new ImageDecoder({ data, type: 'image/webp' });
              await decoder.tracks.ready;
              await decoder.completed;
              const frames = [];
              for (let frameIndex = 0; frameIndex < decoder.tracks.selectedTrack.frameCount; frameIndex++) {
                const { image } = await decoder.decode({ frameIndex });
                const canvas = Object.assign(document.createElement('canvas'), { width: image.displayWidth, height: image.displayHeight });
                canvas.getContext('2d').drawImage(image, 0, 0);
                frames.push(canvas.toDataURL());
              }
              return frames;
            })();
            """;

    @Test
    void theAnimationHasAFrameForEachStepTaken(Window window) throws IOException {
        WebpAnimation animation = new WebpAnimation(window, QUALITY);
        try (DemoAccount data = new DemoAccount()) {
            window.looks("light", 1120, 700).signedIn(data.stet, data.demo, "/usage").heading("Usage").writes();
            window.signedIn(data.stet, data.demo, "/templates/welcome").heading("Welcome").preview("Confirm my address");
            ready(window);
            animation.frame(1500);
            click(window, "h1");
            ready(window);
            animation.frame(700);
            rewrite(window, "h1", "Good to");
            animation.frame(250);
            window.keys(" have you");
            animation.frame(250);
            window.keys(" here, ").keys(Keys.ENTER);
            has(window, "Good to have you here, {{name}}, heading");
            ready(window);
            animation.frame(1000);
            add(window, "button", () -> { });
            says(window, "Button added");
            animation.frame(900);
            window.type("Label", "Start reading").keys(Keys.TAB);
            has(window, "Start reading, button");
            window.type("Link", "https://harbour.example/books").keys(Keys.TAB);
            says(window, "link changed");
            animation.frame(900);
            window.type("Background", "#7a1f5c").keys(Keys.TAB);
            says(window, "background changed");
            animation.frame(1000);
            window.click("Publish…").heading("Publish Welcome").sees("ins.line", "Good to");
            animation.frame(2000);
            window.click("Publish").closed().sees(".live-version", "Version 2 published");
            animation.frame(2500);
            if (Boolean.getBoolean("stet.pictures")) {
                Files.write(FILE, animation.bytes());
            }
            byte[] file = Files.readAllBytes(FILE);
            assertTrue(file.length <= MAX_BYTES, FILE + " has " + file.length + " bytes");
            List<?> decoded = (List<?>) window.script(DECODED, Base64.getEncoder().encodeToString(file));
            assertEquals(WebpAnimation.times(animation.bytes()).size(), decoded.size(), "The steps have changed: take the animation with -Dstet.pictures=true");
            Path folder = Files.createDirectories(Path.of("target/screens"));
            for (int i = 0; i < decoded.size(); i++) {
                Files.write(folder.resolve("animation-" + i + ".png"), Base64.getDecoder().decode(((String) decoded.get(i)).split(",")[1]));
            }
            window.alone(); // otherwise the page would poll a stopped server
        }
    }
}
