package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** Features that mail clients do not support, shown and accepted beside the editor; and the preheader field below the subject. */
@Tag("browser")
@ExtendWith(Chromium.class)
class MailClientsJourneyTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);

    @Test
    void aFeatureIsAcceptedForATemplate(Window window) {
        stet.block(ada, "footer", "<p>\n<video></video></p>");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hi</p>\n<p style=\"border-radius:4px\">a</p>\n{{> footer}}");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").tab("Checks")
                .sees(".features", "border-radius: not in Outlook for Windows 2003-2019; partly in Yahoo Mail")
                .sees(".features", "block footer, line 2");
        assertTrue(window.shown(".features li").startsWith("<video> element: not in Gmail"), window.shown(".features li"));
        window.click("Go to line 2").click("Accept border-radius").sees(".features", "1 feature accepted for this template");
        assertNull(window.look("button", "Accept border-radius"));
        window.goTo("/").heading("Templates").goTo("/templates/welcome").heading("Welcome").tab("Checks")
                .sees(".features", "1 feature accepted for this template");
        window.script("document.querySelector('.features details:last-of-type').open = true");
        window.click("Undo accepting border-radius").sees(".features", "border-radius: not in Outlook");
    }

    @Test
    void onlyTheSelectedMailClientsAreCheckedAndAtLeastOneIs(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p style=\"border-radius:4px\">a</p><video></video>");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").tab("Checks").sees(".features", "border-radius: not in Outlook")
                .click("Select clients…").heading("Mail clients").tick("Outlook for Windows").tick("Gmail").click("Save").closed();
        Window.within(() -> window.shown(".features"), () -> !window.shown(".features").contains("Gmail")
                && !window.shown(".features").contains("Outlook for Windows"));
        window.click("Select clients…").heading("Mail clients");
        for (String client : new String[] {"Apple Mail", "new Outlook (Outlook.com)", "Samsung Email", "Yahoo Mail"}) {
            window.tick(client);
        }
        window.click("Save").sees("Choose at least one mail client");
    }

    @Test
    void thePreheaderFieldEditsItsHiddenBlock(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<html>\n<body>\n<p>Dear Ada</p>\n</body>\n</html>");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").sees(".inbox-preheader", "Dear Ada")
                .shows("#preheader-hint", "");
        window.type("Preheader", "Fish & chips for {{name}}").sees(".inbox-lengths", "Preheader: ");
        assertTrue(window.text().startsWith("<html>\n<body>\n<div style=\"display:none;max-height:0;overflow:hidden;mso-hide:all\">"
                + "Fish &amp; chips for {{name}}&#847;&zwnj;&nbsp;"), window.text());
        assertTrue(window.text().endsWith("</div>\n<p>Dear Ada</p>\n</body>\n</html>"), window.text());
        window.sees(".inbox-preheader", "Fish & chips for");
        assertFalse(window.shown(".inbox-preheader").contains("Dear"));
        window.save().goTo("/").heading("Templates").goTo("/templates/welcome").heading("Welcome").sees(".inbox-lengths", "Preheader: ");
        window.type("Preheader", "").sees(".inbox-preheader", "Dear Ada");
        assertEquals(1, window.text().split("mso-hide", -1).length - 1, "its hidden block stays");
    }

    @Test
    void aPreheaderFromASharedBlockIsReadOnly(Window window) {
        stet.block(ada, "header", "<body><p hidden>From the block</p>");
        stet.draft(ada, "with-block", "With block", "Hi", "{{> header}}\n<p>Dear Ada</p>");
        window.signedIn(stet, ada, "/templates/with-block").heading("With block").sees("#preheader-hint", "Edit this text in its shared block");
        assertEquals("true", String.valueOf(window.find("field", "Preheader").getDomProperty("readOnly")));
    }

    @Test
    void aVariableIsInsertedInTheSubjectWhileThePreheaderIsReadOnly(Window window) {
        stet.block(ada, "header", "<body><p hidden>From the block</p>");
        stet.draft(ada, "with-block", "With block", "Hi", "{{> header}}\n<p>Dear {{name}}</p>");
        window.signedIn(stet, ada, "/templates/with-block").heading("With block").sees("#preheader-hint", "Edit this text in its shared block");
        window.find("field", "Preheader").click();
        window.choose("Insert variable", "name");
        assertEquals("Hi{{name}}", window.value("Subject"));
        assertEquals("{{> header}}\n<p>Dear {{name}}</p>", window.text());
    }
}
