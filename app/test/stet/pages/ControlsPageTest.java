package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import stet.harness.Chromium;
import stet.harness.Doubled;
import stet.harness.Look;
import stet.harness.Pictures;
import stet.harness.Window;
import stet.testing.StetFixture;

/** The test double's control page shows live state, and its buttons work. */
@Tag("browser")
@ExtendWith(Chromium.class)
class ControlsPageTest {
    private static final String PRO = "stet-pro-key";

    @Test
    void theFocusStaysOnItsRequest(Window window, @TempDir Path folder) {
        try (StetFixture fixture = StetFixture.start(Doubled.folder(folder))) {
            Doubled stet = new Doubled(fixture.url());
            stet.get("welcome", PRO);
            stet.get("welcome", PRO);
            window.driver.get(fixture.url() + "/_fixture");
            window.heading("Test double").find("button", "GET /api/v1/templates/welcome");
            window.script("document.querySelector('details[data-number=\"1\"] summary').focus()");
            stet.get("welcome", PRO);
            Window.within(() -> "three requests", () -> window.script("return document.querySelectorAll('details').length").equals(3L));
            assertEquals("1", window.script("return document.activeElement.parentNode.dataset.number"));
            window.alone(); // otherwise the page would poll a closed double
        }
    }

    @Test
    void aFaultWhoseTimesAreNoNumberIsRejected(Window window, @TempDir Path folder) {
        try (StetFixture fixture = StetFixture.start(Doubled.folder(folder))) {
            window.driver.get(fixture.url() + "/_fixture");
            window.expect(".*status of 400.*").heading("Test double").type("Times", "many").click("Add fault").sees(".toast.failed", "a whole number");
            assertEquals(0, fixture.faults().list().size());
            window.alone(); // otherwise the page would poll a closed double
        }
    }

    @Test
    void aStateThatArrivesLateIsNotShown(Window window, @TempDir Path folder) {
        try (StetFixture fixture = StetFixture.start(Doubled.folder(folder))) {
            window.driver.get(fixture.url() + "/_fixture");
            window.heading("Test double").click("Add fault").sees("Fault added.").find("button", "Delete fault 1");
            // Holds a response with the fault until the page has shown that it is deleted.
            window.script("""
                    const fetched = window.fetch;
                    const released = new Promise(done => { window.release = done; });
                    let sent = 0;
                    window.fetch = async (path, options) => {
                      const number = path === '/_fixture/faults' && options.method === 'GET' ? ++sent : 0;
                      const response = await fetched(path, options);
                      if (number === 1) {
                        window.isHeld = true;
                        const text = await response.text();
                        await released;
                        response.text = async () => {
                          setTimeout(() => { window.isOver = true; }); // after the page's own steps
                          return text;
                        };
                      }
                      return response;
                    };
                    """);
            Window.within(() -> "nothing is held", () -> Boolean.TRUE.equals(window.script("return window.isHeld")));
            window.click("Delete fault 1").sees("No faults.");
            window.script("""
                    new MutationObserver(() => { window.isBack ||= document.querySelector('[aria-label="Delete fault 1"]') !== null; })
                        .observe(document.querySelector('main'), { childList: true, subtree: true });
                    window.release();
                    """);
            Window.within(() -> "not over", () -> Boolean.TRUE.equals(window.script("return window.isOver")));
            assertEquals(null, window.script("return window.isBack ?? null"));
            window.alone(); // otherwise the page would poll a closed double
        }
    }

    /** One journey through the parts of the page: requests, faults, usage, images, the clock, expectations, and the last two buttons. */
    @Test
    void thePageShowsStateAndItsButtonsChangeIt(Window window, @TempDir Path folder) {
        try (StetFixture fixture = StetFixture.start(Doubled.folder(folder))) {
            Doubled stet = new Doubled(fixture.url());
            window.driver.get(fixture.url() + "/_fixture");
            window.heading("Test double").sees("No requests yet.").sees("No faults.");
            stet.get("welcom", PRO);
            window.sees("GET /api/v1/templates/welcom").sees("td.request", "\"welcom\" is unknown; did you mean \"welcome\"?")
                    .sees("ci of pro@example.com");

            window.type("Template", "welcome").type("Times", "1").click("Add fault").sees("Fault added.");
            window.find("button", "Delete fault 1");
            assertEquals(500, stet.get("welcome", PRO).status());
            window.sees("td.request", "fault 1 set status 500").sees("No faults.");
            window.click("Add fault").click("Delete fault 2").sees("No faults.");

            window.click("Use up pro@example.com").sees("5000 of 5000");
            assertEquals(429, stet.get("welcome", PRO).status());
            window.click("End of period pro@example.com");
            Window.within(() -> "the period has not ended", () -> !window.shown("main").contains("5000 of 5000"));
            assertEquals(200, stet.get("welcome", PRO).status());
            window.sees("1 of 5000").click("Reset pro@example.com").sees("No requests yet.");
            fixture.accounts().image("pro@example.com", "logo.png", Pictures.png(4, 3, 1));
            window.sees("logo.png");
            window.click("Stop").sees(".now", "stopped").click("+ 30 days").sees("Clock changed.").click("Reset")
                    .sees(".now", "system time");

            stet.get("welcome", PRO);
            stet.control("POST", "/verify", "{\"template\": \"receipt\"}");
            window.sees("Expected at least 1 request with template \"receipt\", but there was none");
            stet.done("POST", "/faults", "{\"drop\": true}");
            stet.done("POST", "/faults", "{\"maxDelayMs\": 500}");
            window.sees("1 of 5000").sees("any request").sees("0 to 500 ms delay");
            Look look = new Look(window);
            look.at("controls", () -> window.heading("Test double"));
            assertEquals("", look.wrong());
            window.looks("light", 1280, 900);
            window.click("Clear journal").sees("No requests yet.").click("Reset everything").sees("0 of 5000");
            assertEquals(0, fixture.faults().list().size());
            assertEquals(0, fixture.accounts().used("pro@example.com"));
            window.alone(); // otherwise the page would poll a closed double
        }
    }
}
