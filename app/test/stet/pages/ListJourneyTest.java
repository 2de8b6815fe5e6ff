package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Samples;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Window;

/** The template list: search, filters, bulk actions, trash, and drag-and-drop import. */
@Tag("browser")
@ExtendWith(Chromium.class)
class ListJourneyTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final String key = stet.key(ada);

    private int status(String id) {
        return stet.get(Running.TEMPLATES + id, key).status();
    }

    private static List<String> names(Window window) {
        return window.shown(".list .name").lines().toList();
    }

    private void fill() {
        stet.template(ada, "welcome", "<p>Hello {{name}}</p>");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hello {{first}}</p>\n<p>the needle</p>");
        stet.clock.advance(Duration.ofMinutes(1));
        stet.template(ada, "receipt", "<p>Thanks</p>");
        stet.draft(ada, "broken", "Broken", "", "<p>{{open</p>");
        stet.draft(ada, "fresh", "Fresh", "100% fresh", "<p>Fresh {{name}}</p>");
        stet.db.change(dao -> dao.library().changeTags(ada.id(), "receipt", List.of("shop"), List.of(), stet.now()));
    }

    /** From 90% of the limit, everyone who can write is warned until there is space again. */
    @Test
    void theListWarnsNearTheLimitOfTheStorage(Window window) {
        stet.draft(ada, "large", "Large", "", "x".repeat(90 << 10));
        stet.draft(ada, "small", "Small", "", "x");
        stet.db.change(dao -> dao.storage().changeLimit(ada, (100L << 10) + 12, stet.now()));
        window.signedIn(stet, ada, "/").heading("Templates");
        assertEquals("", window.shown("main .warning"), "a little less than 90%");
        stet.draft(ada, "smaller", "Smaller", "", "xxxxxxxxxxx");
        window.signedIn(stet, Browser.of(stet, ada, stet.member(ada, "will@example.com", Role.WRITER, "correct horse")), "/")
                .sees("main .warning", "This account uses 90.0 KiB of its 100.0 KiB storage limit. Delete templates and empty the trash, or ask an administrator");
        window.signedIn(stet, ada, "/").choose("More actions for Large", "Delete…").click("Delete").closed().follow("Trash (1)").heading("Trash");
        window.click("Empty trash\u2026").click("Empty trash").sees("The trash is empty.");
        stet.sweep();
        window.goTo("/").heading("Templates");
        assertEquals("", window.shown("main .warning"));
    }

    @Test
    void aSearchFindsNamesSubjectsTextsAndBlocks(Window window) {
        fill();
        stet.block(ada, "footer", "<p>Needle and thread</p>");
        window.signedIn(stet, ada, "/").heading("Templates").sees(".matches", "4 templates");
        window.type("Search templates", "RECEIPT").sees(".matches", "1 of 4 templates").sees("tr[data-id=receipt]", "receipt");
        window.type("Search templates", "100%").sees(".matches", "1 of 4 templates").sees("tr[data-id=fresh]", "Fresh");
        window.type("Search templates", "hello name").sees(".matches", "1 of 4 templates")
                .sees("tr[data-id=welcome] .found", "live version, line 1: <p>Hello {{name}}</p>");
        window.type("Search templates", "needle").sees("tr[data-id=welcome] .found", "line 2: <p>the needle</p>")
                .sees(".in-blocks", "footer, shared block, line 1: <p>Needle and thread</p>");
        window.type("Search templates", " ").sees(".matches", "4 templates");
        Window.within(() -> window.shown(".in-blocks"), () -> window.shown(".in-blocks").isEmpty());
    }

    @Test
    void aSearchLeavesTheColumnsInPlaceAndIsRestoredByBack(Window window) {
        fill();
        window.signedIn(stet, ada, "/").heading("Templates").sees(".matches", "4 templates");
        Object columns = columns(window);
        window.type("Search templates", "NEEDLE").sees(".matches", "1 of 4 templates").sees(".found", "line 2: <p>the needle</p>");
        assertEquals(columns, columns(window), "the columns have moved");
        Window.within(() -> "the address", () -> window.script("return location.search").equals("?q=NEEDLE"));
        // The whole row is clickable.
        new Actions(window.driver).moveToElement(window.driver.findElement(By.cssSelector("tr[data-id=welcome] .time"))).click()
                .perform();
        window.heading("Welcome").script("history.back()");
        window.heading("Templates").sees(".matches", "1 of 4 templates");
        assertEquals("NEEDLE", window.value("Search templates"));
    }

    @Test
    void theListIsSortedOncePerOrderAndNotPerKeystroke(Window window) {
        fill();
        window.signedIn(stet, ada, "/").heading("Templates").sees(".matches", "4 templates");
        assertEquals(List.of("Broken", "Fresh", "receipt", "Welcome"), names(window));
        window.script("const { sort } = Array.prototype; window.sorts = 0; Array.prototype.sort = function (...given) {"
                + " window.sorts += this.length === 4 ? 1 : 0; return sort.apply(this, given); }");
        window.type("Search templates", "needle").sees(".matches", "1 of 4 templates").type("Search templates", " ").sees(".matches", "4 templates");
        assertEquals(0L, window.script("return window.sorts"));
        window.pick("Sort", "Last updated");
        assertEquals("Welcome", names(window).get(3), "the oldest");
        assertEquals(1L, window.script("return window.sorts"));
    }

    @Test
    void theListIsFilteredByStateAndTag(Window window) {
        fill();
        window.signedIn(stet, ada, "/").heading("Templates").pick("Sort", "Last updated");
        window.pick("State", "Never published").sees(".matches", "2 of 4 templates").pick("State", "All states");
        window.click("Show tag shop").sees(".matches", "1 of 4 templates");
        Window.within(() -> "the address", () -> window.script("return location.search").equals("?sort=updated&tag=shop"));
    }

    /** If the page sent both changes at once, this would delay the first response until the second was shown, and then hide Mails. */
    @Test
    void anEarlierResponseThatArrivesLateHidesNoTag(Window window) {
        fill();
        window.signedIn(stet, ada, "/templates/receipt").heading("receipt");
        window.script("""
                const fetched = window.fetch;
                const released = new Promise(done => { window.release = done; });
                let changes = 0;
                window.shown = 0; // number of changes whose response the page has shown
                window.fetch = async (path, ...rest) => {
                  const change = path.endsWith('/tags') ? ++changes : 0;
                  const response = await fetched(path, ...rest);
                  if (change === 1) {
                    await released;
                    while (changes > 1 && window.shown === 0) {
                      await new Promise(requestAnimationFrame);
                    }
                  }
                  if (change > 0) {
                    const text = await response.text();
                    response.text = async () => {
                      setTimeout(() => { window.shown++; }); // after the page's own steps
                      return text;
                    };
                  }
                  return response;
                };
                """);
        window.find("field", "Add a tag").sendKeys("autumn, Mails", Keys.ENTER);
        window.script("window.release()");
        Window.within(() -> "not shown", () -> window.script("return window.shown").equals(2L));
        window.sees(".tagging", "autumn").sees(".tagging", "Mails").click("Remove tag shop");
        Window.within(() -> "the tags", () -> stet.db.read(dao -> dao.library().tags(ada.id(), "receipt")).orElseThrow()
                .equals(List.of("autumn", "Mails")));
        window.follow("Templates").heading("Templates").sees("tr[data-id=receipt] .tags", "autumn");
    }

    private static Object columns(Window window) {
        return window.script("return [...document.querySelectorAll('.list thead th')]"
                + ".map(each => Math.round(each.getBoundingClientRect().x))");
    }

    @Test
    void severalTemplatesArePublished(Window window) {
        fill();
        window.signedIn(stet, ada, "/").heading("Templates");
        assertNull(window.look("button", "Publish…"));
        window.tick("Select all shown").sees(".choosing", "4 selected").click("Publish…").heading("Publish 4 templates");
        assertEquals(1L, requests(window, "/data/comparisons"), "the drafts are checked by one request");
        window.sees(".publications", "1 variable added: first").sees(".publications", "1 variable removed: name")
                .sees(".by-mail", "is not closed");
        window.sees(".publications", "no changes since live version 1").click("Show difference of Welcome")
                .sees("ins.line.added", "needle").click("Show text of Fresh").sees("pre.source", "<p>Fresh {{name}}</p>");
        assertEquals(404, status("fresh"));
        window.type("Note for each version", "all at once").click("Publish 2 templates").closed().sees("2 templates published.");
        assertEquals(200, status("fresh"));
        assertEquals(404, status("broken"));
        assertEquals("all at once", stet.db.read(dao -> dao.versions().list(ada.id(), "fresh", Long.MAX_VALUE, Integer.MAX_VALUE)).get(0).note());
    }

    @Test
    void severalTemplatesAreTagged(Window window) {
        fill();
        window.signedIn(stet, ada, "/").heading("Templates").tick("Select Fresh").tick("Select Broken").sees(".choosing", "2 selected").click("Tag…");
        window.type("Add", "new, -no").click("Save").sees("is not a valid tag").click("Close").closed();
        window.tick("Select Fresh").tick("Select Broken").click("Tag…").type("Add", "new").click("Save").closed()
                .sees("2 templates tagged.");
        window.sees("tr[data-id=fresh] .tags", "new").sees("tr[data-id=broken] .tags", "new");
    }

    @Test
    void severalTemplatesAreDeletedAndRestored(Window window) {
        fill();
        stet.publish(ada, "fresh");
        stet.db.change(dao -> dao.library().changeTags(ada.id(), "fresh", List.of("new"), List.of(), stet.now()));
        assertEquals(200, status("fresh"));
        // Another window deletes one of the two first.
        window.signedIn(stet, ada, "/").heading("Templates").tick("Select Fresh").tick("Select Broken");
        stet.db.change(dao -> dao.trash().delete(ada.id(), "broken", stet.now()));
        window.expect(".*status of 404.*");
        window.click("Delete…").heading("Delete 2 templates?").sees("Requests for 1 published template will return 404.").click("Delete");
        window.sees(".failures", "Broken").sees("1 template moved to the trash, 1 failed.").click("Close").closed();
        assertEquals(404, status("fresh"));
        window.sees(".matches", "2 templates").follow("Trash (2)").heading("Trash");
        window.click("Restore Fresh").heading("Restore Fresh?").click("Restore").heading("Fresh")
                .sees(".details .state", "Published").sees(".tagging", "new");
        assertEquals(200, status("fresh"));
        window.open(stet, "/trash").heading("Trash").click("Delete permanently Broken").click("Delete permanently").closed()
                .sees("The trash is empty.");
        assertFalse(stet.db.<Boolean>read(dao -> dao.trash().has(ada.id(), "broken")));
    }

    private static Object requests(Window window, String path) {
        return window.script("return performance.getEntriesByType('resource').filter(each => each.name.endsWith('" + path + "')).length");
    }

    /** More templates than a list holds. In one list, two changed after the check of the drafts; the others are published. */
    @Test
    void twoHundredTemplatesArePublishedByFewRequests(Window window) {
        for (int i = 0; i < 205; i++) {
            stet.draft(ada, "mail-" + i, "Mail " + i, "Hi", "<p>Hello</p>");
        }
        window.signedIn(stet, ada, "/").heading("Templates").tick("Select all shown").click("Publish…").heading("Publish 205 templates");
        assertEquals(3L, requests(window, "/data/comparisons"), "of at most 100 templates each");
        stet.draft(ada, "mail-7", "Mail 7", "Hi", "<p>Newer</p>");
        stet.db.change(dao -> dao.trash().delete(ada.id(), "mail-8", stet.now()));
        window.click("Publish 205 templates").sees("[role=alert]", "203 templates published, 2 failed.");
        assertEquals("Mail 7 mail-7\nThis draft has changed since you opened it.\nMail 8 mail-8\nNot found.", window.shown(".failures li"));
        assertEquals("Close", window.script("return document.activeElement.textContent"));
        assertEquals(3L, requests(window, "/data/publications"));
        assertEquals(List.of("203"), Rows.of(stet.folder, "select count(*) from templates where published = 1"));
        window.click("Close").closed().sees(".matches", "204 templates").tick("Select all shown").click("Publish…").heading("Publish 204 templates")
                .click("Publish 1 template").closed().sees("1 template published.");
    }

    /** The server processes a list of large drafts in parts: it compares one of these at a time, and publishes two. */
    @Test
    void largeDraftsArePublishedInParts(Window window) {
        for (int i = 0; i < 3; i++) {
            stet.draft(ada, "mail-" + i, "Mail " + i, "Hi", "<p>Hello</p>" + "<!-- large -->\n".repeat(100_000));
        }
        window.signedIn(stet, ada, "/").heading("Templates").tick("Select all shown").click("Publish…").heading("Publish 3 templates")
                .click("Publish 3 templates").closed().sees("3 templates published.");
        assertEquals(3L, requests(window, "/data/comparisons"));
        assertEquals(2L, requests(window, "/data/publications"));
    }

    private String html(String id) {
        return stet.db.read(dao -> new String(dao.templates().find(ada.id(), id).orElseThrow().html(), StandardCharsets.UTF_8));
    }

    @Test
    void aReplacementInSeveralDraftsIsUndone(Window window) {
        stet.draft(ada, "one", "One", "A shop", "<a class=\"x\" href=\"/old\">shop</a>\n");
        stet.draft(ada, "two", "Two", "", "<a href=\"/old\"  class=\"x\">shop</a> <a class=\"x\" href=\"/old\">\nshop</a>");
        stet.draft(ada, "three", "Three", "", "<p>Nothing of it</p>");
        stet.block(ada, "footer", "<a class=\"x\" href=\"/old\">shop</a>");
        window.signedIn(stet, ada, "/").heading("Templates").tick("Select all shown").click("Replace…").heading("Replace in 3 drafts");
        window.click("Find").sees("Enter the text to find.");
        window.type("Find", "<a class=\"x\" href=\"/old\">shop</a>").type("Replace with", "{{> shop}}")
                .tick("Ignore whitespace and attribute order").tick("Also search all shared blocks").click("Find")
                .heading("Matches found").sees("1 place").click("Show difference of One").sees("ins.line.added", "{{> shop}}");
        window.tick("Replace in footer").click("Replace in 2 texts").heading("Replaced").sees("2 texts saved.");
        assertEquals("{{> shop}}\n", html("one"));
        assertEquals("{{> shop}} <a class=\"x\" href=\"/old\">\nshop</a>", html("two"));
        // Another user changes one of the two first.
        stet.draft(ada, "two", "Two", "", "Changed since");
        window.expect(".*status of 409.*");
        window.click("Undo").sees(".failures", "Two").sees("1 text restored, 1 failed.").click("Close").closed();
        assertEquals("<a class=\"x\" href=\"/old\">shop</a>\n", html("one"));
        assertEquals("Changed since", html("two"));
        assertEquals("<p>Nothing of it</p>", html("three"));
    }

    @Test
    void aReplacementIncludesTheSubjectAndMayFindNothing(Window window) {
        stet.draft(ada, "one", "One", "A shop", "<p>The shop</p>");
        stet.draft(ada, "three", "Three", "", "<p>Nothing of it</p>");
        window.signedIn(stet, ada, "/").heading("Templates").tick("Select One").click("Replace…").type("Find", "shop").type("Replace with", "store").click("Find")
                .sees("2 places").click("Replace in 1 text").heading("Replaced").click("Done").closed();
        assertEquals("A store", stet.db.read(dao -> dao.templates().find(ada.id(), "one")).orElseThrow().subject());
        window.tick("Select Three").click("Replace…").type("Find", "absent").click("Find").sees("No matches found.");
    }

    private static final String ROWS = "return document.querySelectorAll('.list tbody tr:not(.spacer)').length";

    /** Maximum number of templates. Before rows are rendered, they can be found, sorted and selected; Back restores the place. */
    @Test
    void aLongListRendersRowsAsTheyScrollIntoView(Window window) {
        stet.db.change(dao -> {
            for (int i = 0; i < 10_000; i++) {
                dao.templates().save(ada.id(), new Draft("mail-" + i, "Mail " + i, "", new byte[0], Samples.NONE), stet.now().plusSeconds(i));
            }
        });
        window.signedIn(stet, ada, "/").heading("Templates").sees(".matches", "10,000 templates").sees("tr[data-id=mail-0]", "Mail 0");
        long rows = (Long) window.script(ROWS);
        assertTrue(rows < 200, () -> rows + " rows");
        assertEquals("10001", window.script("return document.querySelector('.list').getAttribute('aria-rowcount')"));
        window.script("scrollTo(0, document.documentElement.scrollHeight)");
        window.sees("tr[data-id=mail-9999]", "Mail 9999");
        assertTrue((Long) window.script(ROWS) < 300);
        assertEquals("10001", window.script("return document.querySelector('tr[data-id=mail-9999]').getAttribute('aria-rowindex')"));

        // Rows not yet rendered are included in selections, and in ranges.
        window.tick("Select Mail 9999").sees(".choosing", "1 selected").script("scrollTo(0, 0)");
        new Actions(window.driver).keyDown(Keys.SHIFT).click(window.find("checkbox", "Select Mail 2")).keyUp(Keys.SHIFT).perform();
        window.sees(".choosing", "9,998 selected").tick("Select all shown").sees(".choosing", "10,000 selected");
        window.type("Search templates", "Mail 99").sees(".matches", "280 of 10,000 templates").sees(".choosing", "280 selected");
        window.type("Search templates", " ").sees(".matches", "10,000 templates").pick("Sort", "Last updated")
                .sees(".list tbody tr:first-child", "Mail 9999");

        // Back restores the scroll position.
        window.script("scrollTo(0, 200000)");
        Window.within(() -> "no row", () -> (Boolean) window.script("return document.elementFromPoint(600, 400)?.closest('tr:not(.spacer)') !== null"));
        String name = (String) window.script("return document.elementFromPoint(600, 400).closest('tr').querySelector('.name').textContent");
        window.follow(name).heading(name).script("history.back()");
        window.heading("Templates").find("link", name);
        Window.within(() -> "the place has moved to " + window.script("return scrollY"),
                () -> Math.abs((Long) window.script("return Math.round(scrollY)") - 200_000) < 100);
    }

    private static void slow(Window window, int milliseconds) {
        window.driver.executeCdpCommand("Network.enable", Map.of());
        window.driver.executeCdpCommand("Network.emulateNetworkConditions",
                Map.of("offline", false, "latency", milliseconds, "downloadThroughput", -1, "uploadThroughput", -1));
    }

    @Test
    void aWriterIsOfferedToExportButNotToPublishDeleteImportOrRestore(Window window) {
        fill();
        window.signedIn(stet, Browser.of(stet, ada, stet.member(ada, "ben@example.com", Role.WRITER, "correct horse")), "/")
                .heading("Templates");
        window.tick("Select Fresh").sees(".choosing", "1 selected").find("button", "Export");
        slow(window, 60_000);
        window.click("Export").heading("Exporting 1 template").click("Stop").closed();
        slow(window, 0);
        assertNull(window.look("button", "Publish…"));
        assertNull(window.look("button", "Delete…"));
        assertNull(window.look("button", "Import…"));
        stet.db.change(dao -> dao.trash().delete(ada.id(), "fresh", stet.now()));
        window.open(stet, "/trash").heading("Trash").sees("tbody", "Fresh");
        assertNull(window.look("button", "Restore Fresh"));
    }

    /** Drops files from the disk like a user. */
    private static void drop(Window window, Path... files) {
        for (String type : List.of("dragEnter", "dragOver", "drop")) {
            window.driver.executeCdpCommand("Input.dispatchDragEvent", Map.of("type", type, "x", 300, "y", 300, "data",
                    Map.of("items", List.of(), "files", List.of(files).stream().map(Path::toString)
                            .toList(), "dragOperationsMask", 1)));
        }
    }

    private String draft(String id) {
        return stet.db.read(dao -> dao.templates().find(ada.id(), id).map(each -> each.name() + " " + each.subject() + " " + each.samples().documents()
                + " " + new String(each.html(), StandardCharsets.UTF_8))).orElse("none");
    }

    @Test
    void droppedFilesAreImportedAfterTheirDifferencesAreShown(Window window, @TempDir Path folder) throws IOException {
        byte[] html = "<p>Hello {{name}}</p>\n<p>old</p>\n".getBytes(StandardCharsets.UTF_8);
        stet.db.change(dao -> dao.templates().save(ada.id(), new Draft("welcome", "Welcome", "Hi {{name}}", html, Samples.of(Map.of("lena",
                "{\"name\": \"Ada\"}"), "lena")), stet.now()));
        stet.db.change(dao -> dao.library().changeTags(ada.id(), "welcome", List.of("shop"), List.of(), stet.now()));
        window.signedIn(stet, ada, "/").heading("Templates");
        Path welcome = Files.writeString(folder.resolve("welcome.html"), "<p>Hello {{name}}</p>\n<p>newer \u00e5</p>\n");
        Path summer = Files.writeString(folder.resolve("Summer s\u00e4le.htm"), "<p>Summer</p>");
        drop(window, welcome, summer);
        window.heading("Import 2 files?").sees("dialog dl", "1 draft: welcome").sees("dialog dl", "1 template: Summer-sale")
                .sees("Summer s\u00e4le.htm becomes template Summer-sale");
        window.click("Show difference of welcome").sees("ins.line.added", "newer \u00e5").sees("del.line.removed", "old");
        assertEquals("+\nadded:\nnewer \u00e5", window.shown("dialog ins.line"), "only its HTML changes");
        window.click("Show text of Summer-sale").sees("pre.source", "<p>Summer</p>");
        assertEquals("Welcome Hi {{name}} {lena={\"name\": \"Ada\"}} <p>Hello {{name}}</p>\n<p>old</p>\n", draft("welcome"), "nothing is changed yet");
        assertEquals("none", draft("Summer-sale"), "nothing is changed yet");
        window.tick("Overwrite these changes").click("Import").heading("Imported").click("Close").closed();
        window.sees("tr[data-id=Summer-sale]", "Summer s\u00e4le").sees("tr[data-id=welcome] .tags", "shop");
        assertEquals("Welcome Hi {{name}} {lena={\"name\": \"Ada\"}} <p>Hello {{name}}</p>\n<p>newer \u00e5</p>\n", draft("welcome"));
    }

    @Test
    void aDroppedFolderIsAnAccountsTemplatesAndBlocks(Window window, @TempDir Path folder) throws IOException {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hello</p>");
        window.signedIn(stet, ada, "/").heading("Templates");
        Path account = Files.createDirectories(folder.resolve("mails/templates")).getParent();
        Files.createDirectories(account.resolve("blocks"));
        Files.createDirectories(account.resolve(".git"));
        Files.writeString(account.resolve(".git/x.html"), "no");
        Files.writeString(account.resolve("blocks/footer.html"), "<i>footer</i>");
        Files.writeString(account.resolve("templates/welcome.html"), "<p>of the folder</p>");
        Files.writeString(account.resolve("templates/welcome.json"),
                "{\"name\": \"Welcome 2\", \"tags\": [\"shop\"], \"defaultSamples\": \"ben\"}");
        Files.writeString(Files.createDirectories(account.resolve("templates/welcome.samples"))
                .resolve("ben.json"), "{\"name\": \"Ben\"}");
        drop(window, account);
        window.heading("Import mails?").sees("dialog dl", "1 block: footer").click("Show difference of welcome");
        window.sees("del.line.removed", "\"name\": \"Welcome\"").sees("ins.line.added", "\"name\": \"Welcome 2\"")
                .sees("ins.line.added", "of the folder");
        window.sees("ins.line.added", "\"ben\"");
        window.click("Cancel").closed();
        assertEquals("Welcome Hi {} <p>Hello</p>", draft("welcome"));
    }

    @Test
    void otherDroppedFilesAreRejected(Window window, @TempDir Path folder) throws IOException {
        window.signedIn(stet, ada, "/").heading("No templates yet");
        drop(window, Files.writeString(folder.resolve("note.txt"), "x"));
        window.sees(".toast", "Nothing to import. Choose a .zip, .html or .json file.");
    }
}
