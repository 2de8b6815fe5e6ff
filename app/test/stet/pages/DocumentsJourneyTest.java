package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** The documents in a browser: the page list and search. */
@Tag("browser")
@ExtendWith(Chromium.class)
class DocumentsJourneyTest {
    @Test
    void thePageListMarksThePageAndLeadsToOthers(Window window) {
        try (Running stet = new Running()) {
            window.open(stet, "/docs/api").heading("The API");
            assertEquals("The API", window.script("return document.querySelector('#pages [aria-current]').textContent"));
            window.follow("Team and roles").heading("Team and roles");
            window.alone();
        }
    }

    @Test
    void wordsAreFoundUnderTheirHeadings(Window window) {
        try (Running stet = new Running()) {
            window.open(stet, "/docs/api").heading("The API");
            window.type("Search documentation", "fail2ban").sees("#found", "Security: Failed sign-ins");
            window.type("Search documentation", "qqqqq").sees("#found", "No results");
            window.type("Search documentation", "Retry-After quota").sees("#found", "The API: Quota");
            window.alone();
        }
    }
}
