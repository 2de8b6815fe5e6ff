package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** Editing a shared block: live versions with outdated text, a preview of the changes, and publishing selected templates. */
@Tag("browser")
@ExtendWith(Chromium.class)
class BlocksJourneyTest {
    @AutoClose
    private final Running stet = new Running();

    private String served(String id, String key) {
        return stet.get(Running.TEMPLATES + id + "?format=html", key).text();
    }

    /** One journey: three live templates use the block; two are published at once, and the one with other changes only when it is ticked. */
    @Test
    void anEditedBlockIsPublishedWhereItIsTicked(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        String key = stet.key(ada);
        stet.block(ada, "footer", "<p>Old Street</p>");
        stet.block(ada, "frame", "<hr>{{> footer}}");
        for (String id : new String[] {"welcome", "receipt", "reset"}) {
            stet.draft(ada, id, "The " + id, "Hi", "<h1>" + id + "</h1>" + (id.equals("reset") ? "{{> frame}}" : "{{> footer}}"));
            stet.publish(ada, id);
        }
        stet.template(ada, "plain", "<p>No block</p>");
        stet.draft(ada, "receipt", "The receipt", "Hi", "<h1>receipt, not ready</h1>{{order}}{{> footer}}");

        window.signedIn(stet, ada, "/").heading("Templates").follow("Shared blocks").heading("Shared blocks").follow("footer")
                .heading("footer");
        window.sees("[role=tabpanel]", "welcome").write("<p>New Street {{unclosed</p>").ctrl("s").sees(".error", "Not saved: ");
        window.write("<p>New Street</p>").preview("New Street");
        window.save().sees(".notice", "3 live templates use an older version of this block: ");
        assertEquals("<h1>welcome</h1><p>Old Street</p>", served("welcome", key));

        window.follow("Review and publish").heading("Live templates with outdated blocks");
        window.click("Show changes to The reset").sees("del.line", "Old").sees("ins.line", "New")
                .tab("Preview").sees("figcaption", "New version").click("Close").closed();
        window.sees("tr[data-id=receipt]", "other unpublished changes").click("Show changes to The receipt")
                .sees("dialog[open]", "Publishing this template also publishes the other changes in its draft.").sees("dialog[open]", "1 variable added: order")
                .sees("dialog[open]", "API keys that fetched the template in the last 30 days").click("Close").closed();
        // Templates with other changes are not preselected.
        window.click("Publish 2 templates…").heading("Publish 2 templates").sees(".account-line", "ada@example.com");
        assertEquals("Shared footer", window.value("Note for each version"));
        window.click("Publish 2 templates").closed().sees("2 templates published.");
        assertEquals("<h1>welcome</h1><p>New Street</p>", served("welcome", key));
        assertEquals("<h1>reset</h1><hr><p>New Street</p>", served("reset", key));
        assertEquals("<h1>receipt</h1><p>Old Street</p>", served("receipt", key));
        window.follow("Templates").heading("Templates").sees("tr[data-id=receipt]", "older footer");
        assertEquals("The receipt", window.shown("tr:has(.badge) .name"));
        window.follow("older footer").heading("Live templates with outdated blocks");
        // Templates whose callers must change are not preselected either.
        window.tick("Select all").click("Publish 1 template…").heading("Publish 1 template").sees(".publications", "1 variable added: order");
        assertFalse(window.find("button", "Publish 0 templates").isEnabled());
        window.tick("Publish The receipt").click("Publish 1 template").closed().sees("Every live template uses the latest version of its shared blocks");
        assertEquals("<h1>receipt, not ready</h1>{{order}}<p>New Street</p>", served("receipt", key));
    }

    @Test
    void onlyAnUnusedBlockIsDeleted(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.block(ada, "footer", "<p>Old Street</p>");
        stet.block(ada, "frame", "<hr>{{> footer}}");
        window.signedIn(stet, ada, "/blocks").heading("Shared blocks").click("Delete footer").click("Delete").closed()
                .sees(".toast", "The shared block \"footer\" is still used by ");
        window.sees("tbody", "footer").click("New block…").type("Name", "spare").click("Create").heading("spare").follow("Shared blocks").heading("Shared blocks");
        window.click("Delete spare").click("Delete").closed().sees("spare deleted.")
                .shows("tbody .name", "footer\nframe");
    }

    @Test
    void aConflictOverABlockShowsBothTexts(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.block(ada, "footer", "<p>Old Street</p>");
        window.signedIn(stet, ada, "/blocks/footer").heading("footer");
        stet.block(ada, "footer", "<p>Their Street</p>");
        window.write("<p>My Street</p>").ctrl("s").heading("Someone else saved changes");
        window.sees("del.line", "Their").sees("ins.line", "My").click("Use theirs").closed().sees("The editor now contains the saved version");
        assertEquals("<p>Their Street</p>", window.text());
        window.write("<p>My Street</p>").save();
    }

    @Test
    void aBlockOfManyTemplatesListsThemInParts(Window window) {
        Account ada = stet.account("ada@example.com", Plan.PRO);
        stet.block(ada, "footer", "<p>Old Street</p>");
        for (int i = 100; i <= 200; i++) { // one more than is listed at first
            stet.draft(ada, "mail-" + i, "Mail " + i, "Hi", "{{> footer}}");
            stet.publish(ada, "mail-" + i);
        }
        stet.block(ada, "footer", "<p>New Street</p>");
        window.signedIn(stet, ada, "/blocks/footer").heading("footer")
                .sees(".notice", "101 live templates use an older version of this block: mail-100, mail-101, mail-102, mail-103, mail-104, mail-105,"
                        + " mail-106, mail-107, mail-108, mail-109 and 91 more.");
        assertEquals(100, window.shown("[role=tabpanel] li a").lines().count());
        window.click("Show all 101").sees("[role=tabpanel]", "mail-200");
        assertEquals(101, window.shown("[role=tabpanel] li a").lines().count());
        window.follow("Shared blocks").heading("Shared blocks").click("Delete footer").click("Delete").closed()
                .sees(".toast", "mail-118, mail-119 and 81 more");
    }
}
