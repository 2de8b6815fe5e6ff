package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Draft;
import stet.core.Password;
import stet.core.Person;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Template;
import stet.files.Seed;

/**
 * Each page and its main dialogs, light and dark, wide and narrow: nothing that axe-core finds serious or critical,
 * nothing wider than the window, and a picture of each in {@code target/screens}.
 */
@Tag("browser")
@ExtendWith(Chromium.class)
class PagesLookTest {
    private static final String AXE = Window.resource("/axe.min.js");
    /** What keeps someone from using a page, each with its first places. */
    private static final String VIOLATIONS = """
            const done = arguments[arguments.length - 1];
            const said = node => node.html.slice(0, 200) + ' (' + node.failureSummary.replace(/\\s+/g, ' ') + ')';
            const only = arguments[0] ? { runOnly: { type: 'rule', values: arguments[0] } } : {};
            axe.run(document, { iframes: false, preload: false, resultTypes: ['violations'], ...only }).then(
              found => done(found.violations.filter(one => ['serious', 'critical'].includes(one.impact))
                .map(one => one.id + ': ' + one.nodes.slice(0, 3).map(said).join(' | '))),
              failure => done([String(failure)]));
            """;
    /** What sticks out of the window, and is not in a part that scrolls. */
    private static final String TOO_WIDE = """
            const root = document.documentElement;
            return root.scrollWidth <= root.clientWidth ? '' : [...document.querySelectorAll('body *')]
              .filter(node => node.getBoundingClientRect().right > root.clientWidth + 1).slice(0, 3)
              .map(node => node.outerHTML.slice(0, 120)).join(' | ');
            """;
    private static final Path FOLDER = Running.temporary();
    private static Path zip;

    @AutoClose
    private static final Running stet = new Running();

    @AutoClose
    private static final Running empty = new Running(null, "token");
    private static Account demo;

    /** A page, and what is done on it before it is looked at. */
    private record View(String name, String path, Consumer<Window> steps) {
    }

    private static final List<View> VIEWS = List.of(
            new View("templates", "/", window -> window.heading("Templates")),
            new View("templates-new", "/", window -> window.press("New template…").heading("New template")),
            new View("templates-delete", "/", window -> window.press("Delete Receipt").heading("Delete Receipt?")),
            new View("templates-found", "/?q=hello", window -> window.heading("Templates").sees(".found", "line ")),
            new View("templates-publish", "/", window -> window.tick("All that are shown").sees(".choosing", "chosen").press("Publish…")
                    .sees(".publications", "its first version").sees(".publications", "is not closed")),
            new View("templates-tag", "/", window -> window.tick("Choose Receipt").tick("Choose Welcome").press("Tag…").heading("Tag 2 templates")),
            new View("templates-delete-many", "/", window -> window.tick("Choose Receipt").tick("Choose Welcome").press("Delete…")
                    .heading("Delete 2 templates?")),
            new View("templates-import", "/", window -> window.press("Import…").heading("Import templates")),
            new View("trash", "/trash", window -> window.heading("Trash").sees("tbody", "Old newsletter")),
            new View("trash-empty", "/trash", window -> window.heading("Trash").press("Empty the trash…").heading("Empty the trash?")),
            new View("template", "/templates/welcome", window -> window.heading("Welcome").preview("Welcome")),
            new View("template-blocks", "/templates/receipt", window -> window.heading("Receipt").tab("Blocks").preview("Thank you")),
            new View("template-checks", "/templates/newsletter", window -> window.heading("Autumn newsletter").tab("Checks")
                    .sees(".checks", "is not closed").preview("Autumn")),
            new View("template-history", "/templates/receipt", window -> window.heading("Receipt").tab("History")
                    .sees("ol.versions", "Version 1").preview("Thank you")),
            new View("template-api", "/templates/receipt", window -> window.heading("Receipt").tab("API").preview("Thank you")),
            new View("template-view", "/templates/receipt", window -> window.heading("Receipt").tab("History")
                    .press("View version 1").heading("Version 1").preview("Thank you")),
            new View("template-difference", "/templates/receipt", window -> window.heading("Receipt").tab("History")
                    .press("Difference version 1").sees("ins.line", "delivery")),
            new View("publish", "/templates/receipt", window -> window.heading("Receipt").press("Publish…").heading("Publish Receipt")
                    .sees("ins.line", "delivery")),
            new View("publish-blocked", "/templates/newsletter", window -> window.heading("Autumn newsletter").press("Publish…")
                    .heading("Publishing is blocked")),
            new View("conflict", "/templates/password-reset", window -> {
                window.heading("Password reset");
                stet.db.change(dao -> dao.save(demo.id(), other(dao.template(demo.id(), "password-reset").orElseThrow()), stet.now()));
                window.type("Subject", "Choose your new password").ctrl("s").heading("Someone else saved meanwhile");
            }),
            new View("blocks", "/blocks", window -> window.heading("Shared blocks")),
            new View("block", "/blocks/footer", window -> window.heading("footer").preview("Questions")),
            new View("stale", "/stale", window -> window.heading("Older blocks in live templates")
                    .press("Show difference of Welcome").sees("ins.line", "Harbour")),
            new View("keys", "/keys", window -> window.heading("Keys")),
            new View("keys-new", "/keys", window -> window.press("New key…").type("Name", "staging").press("Create").heading("Your new key")),
            new View("keys-rotate", "/keys", window -> window.press("Rotate website").heading("Rotate website")),
            new View("usage", "/usage", window -> window.heading("Usage")),
            new View("activity", "/activity", window -> window.heading("Activity").sees(".activity", "Publication requested")),
            new View("template-desk", "/templates/receipt", window -> window.heading("Receipt").sees(".presence", "Ben Ode has this open")
                    .sees(".request", "for the sale").sees(".live-version", "published").preview("Thank you")),
            new View("people", "/people", window -> window.heading("People").sees(".open-invitations", "Ben")),
            new View("people-invite", "/people", window -> window.press("Invite…").heading("Invite somebody")),
            new View("account", "/account", window -> window.heading("Account")),
            new View("security", "/security", window -> window.heading("Security").sees("For everybody")),
            new View("security-setup", "/security", window -> window.press("Set up…").type("Password", "correct horse").press("Go on")
                    .sees("Have an app for codes read this picture")),
            new View("import", "/account", window -> {
                window.heading("Account").driver.findElement(By.id("import-file")).sendKeys(zip.toString());
                window.heading("Import mails.zip?").press("Show difference of thanks").sees("ins.line", "Thank you");
            }),
            new View("installation", "/installation", window -> window.heading("Installation").sees("tbody", "Acme")),
            new View("installation-plan", "/installation", window -> window.press("Plan Acme").heading("Plan of Acme")),
            new View("installation-delete", "/installation", window -> window.press("Delete Acme").heading("Delete Acme?")),
            new View("leave", "/templates/welcome", window -> window.heading("Welcome").type("Subject", "Hi").follow("Keys")
                    .heading("Leave with unsaved changes?")),
            new View("signin-again", "/templates/welcome", window -> {
                window.heading("Welcome").type("Subject", "Hi");
                window.driver.executeCdpCommand("Network.clearBrowserCookies", Map.of());
                window.ctrl("s").heading("Sign in again");
            }),
            new View("nothing", "/templates/gone", window -> window.heading("Nothing here")));

    @BeforeAll
    static void fill() throws IOException {
        stet.clock.set(Instant.now().minus(Duration.ofDays(19)).toString());
        stet.db.change(dao -> seed().into(dao, stet.now(), new SecureRandom()));
        demo = stet.account("demo@example.com");
        stet.db.change(dao -> {
            dao.accounts().changeLimits(demo.id(), 520L, 5L);
            dao.people().setOperator(dao.people().members(demo.id()).get(0).person().id(), true);
            dao.accounts().suspend(dao.accounts().addEmpty("Acme", Plan.FREE, stet.now()), true, stet.now());
        });
        String website = "key-of-the-website";
        String shop = "key-of-the-shop";
        stet.db.change(dao -> {
            dao.keys().add(demo, "website", website, stet.now());
            dao.keys().add(demo, "shop, nightly", shop, stet.now());
        });
        try (Client client = new Client(stet.server.address())) {
            for (int day = 0; day < 19; day++) {
                for (int i = 0; i < 17 + day * 7 % 13; i++) {
                    String id = i % 9 == 8 ? "reciept" : new String[] {"welcome", "receipt", "password-reset", "receipt"}[i % 4];
                    client.get(Running.TEMPLATES + id, i % 3 == 0 ? shop : website);
                }
                stet.clock.advance(Duration.ofDays(1));
            }
        }
        edit("receipt", "Thank you for your order", "Thank you for your order, {{name}}", "<p>Hello {{name}}, this is",
                "<p>Expected delivery: {{delivery}}.</p>\n<p>Hello {{name}}, this is");
        stet.clock.advance(Duration.ofMinutes(-50));
        stet.draft(demo, "thanks", "Thanks", "Thank you", "<p>Thank you</p>");
        stet.db.change(dao -> dao.blocks().save(demo.id(), "footer", utf8(text(dao.blocks().html(demo.id(), "footer").orElseThrow())
                .replace("Questions?", "Harbour Books, 12 Quay Street. Questions?")), stet.now()));
        stet.draft(demo, "newsletter", "Autumn newsletter", "News from {{company}}", """
                <h1>Autumn at {{company}}</h1>
                <img src="http://example.com/leaves.png">
                <p>Dear {{firstName}}, dear {{firstname}},</p>
                <p>{{> signature}}</p>
                <p>Read on at {{url</p>
                """);
        stet.clock.advance(Duration.ofMinutes(50));
        stet.password(demo, Password.hashCheaply("correct horse", new SecureRandom()));
        Person grace = stet.member(demo, "grace@example.com", Role.EDITOR, "correct horse");
        stet.db.change(dao -> dao.people().changeName(grace.id(), "Grace Hopper"));
        stet.member(demo, "a-long-address-of-somebody@mail.harbour-books.example.com", Role.WRITER, "correct horse");
        stet.db.change(dao -> dao.as(new Actor(1L, "Ada Lovelace", "")).links().invite(demo.id(), Role.WRITER, "Ben", stet.now(), "invitation"));
        stet.db.change(dao -> dao.links().reset(demo.id(), grace.id(), stet.now(), "reset"));
        atTheDesk();
        zip = Files.write(FOLDER.resolve("mails.zip"), Browser.of(stet, demo).get("/data/export").body());
        stet.db.change(dao -> {
            dao.trash().remove(demo.id(), "thanks", stet.now());
            dao.save(demo.id(), new Draft("old-news", "Old newsletter", "", new byte[0], Map.of()), stet.now());
            dao.trash().delete(demo.id(), "old-news", stet.now());
            dao.library().changeTags(demo.id(), "receipt", List.of("shop", "transactional"), List.of(), stet.now());
            dao.library().changeTags(demo.id(), "welcome", List.of("sign-up"), List.of(), stet.now());
        });
    }

    private static Seed seed() {
        try {
            return Seed.read(Path.of("app/demo")).get(0);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Ben, who writes and asks, and whose page stays open; and whoever tries his password. */
    private static void atTheDesk() {
        Person ben = stet.member(demo, "ben@example.com", Role.WRITER, "correct horse");
        stet.db.change(dao -> dao.people().changeName(ben.id(), "Ben Ode"));
        Browser browser = Browser.of(stet, demo, ben);
        assertEquals(201, browser.post("/data/blocks", "{\"name\":\"address\",\"html\":\"12 Quay Street\"}").status());
        stet.db.change(dao -> dao.blocks().delete(demo.id(), "address", stet.now()));
        assertEquals(200, browser.post("/data/templates/receipt/request", "{\"note\":\"for the sale on Friday\"}").status());
        Browser.of(stet).post("/data/session", "{\"email\":\"ben@example.com\",\"password\":\"a guess\"}");
        assertEquals(200, browser.post("/data/templates/receipt/presence", "{\"dirty\":true}").status());
    }

    private static void edit(String id, String... replacements) {
        stet.db.change(dao -> {
            var draft = dao.template(demo.id(), id).orElseThrow();
            String html = text(draft.html());
            for (int i = 0; i < replacements.length; i += 2) {
                html = html.replace(replacements[i], replacements[i + 1]);
            }
            dao.save(demo.id(), new Draft(id, draft.name(), draft.subject(), utf8(html), draft.samples()), stet.now());
        });
    }

    private static Draft other(Template draft) {
        String html = text(draft.html());
        return new Draft(draft.id(), draft.name(), "Your new password at {{company}}",
                utf8(html.contains("Dear") ? html.replace("Dear", "Good day,") : html.replace("Hello", "Dear")), draft.samples());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    @AfterAll
    static void close() {
        Running.delete(FOLDER);
    }

    @Test
    void everyPageIsForEveryone(Window window) {
        List<String> wrong = new ArrayList<>();
        look(window, "signin", wrong, () -> window.open(stet, "/signin").heading("Sign in"));
        look(window, "setup", wrong, () -> window.open(empty, "/setup#token").heading("Set up Stet"));
        look(window, "join", wrong, () -> window.open(stet, "/join#invitation").heading("Join demo@example.com"));
        look(window, "reset", wrong, () -> window.open(stet, "/reset#reset").heading("New password"));
        look(window, "docs", wrong, () -> window.open(stet, "/docs").heading("Stet"));
        look(window, "docs-api", wrong, () -> window.open(stet, "/docs/api"));
        Account fresh = empty.account("ada@example.com", Plan.FREE);
        look(window, "templates-none", wrong, () -> window.signedIn(empty, fresh, "/").heading("No templates yet"));
        look(window, "keys-none", wrong, () -> window.open(empty, "/keys").heading("No keys yet"));
        look(window, "no-account", wrong, () -> window.signedIn(empty, empty.person("new@example.com"), "/").heading("You belong to no account"));
        for (View view : VIEWS) {
            look(window, view.name, wrong, () -> view.steps.accept(window.signedIn(stet, demo, view.path)));
        }
        assertEquals("", String.join("\n", wrong));
    }

    /** The page is opened once: in the dark it is drawn anew, as it is when the system's own look changes. */
    static void look(Window window, String name, List<String> wrong, Runnable steps) {
        window.looks("light", 1280, 900);
        steps.run();
        window.script(AXE);
        for (String scheme : List.of("light", "dark")) {
            window.looks(scheme, 1280, 900);
            // In the dark the colours alone are others.
            List<String> rules = scheme.equals("light") ? null : List.of("color-contrast");
            for (Object violation : (List<?>) window.driver.executeAsyncScript(VIOLATIONS, rules)) {
                wrong.add(name + ", " + scheme + ", " + violation);
            }
            window.shoot(name + "-" + scheme + "-1280");
        }
        for (int width : new int[] {390, 360}) {
            window.looks("light", width, 844);
            checkWidth(window, name, width, wrong);
        }
        window.shootWhole(name + "-light-360");
        // A frame is drawn only while it is on the screen.
        if ((Boolean) window.script("const preview = document.querySelector('.preview'); preview?.scrollIntoView(); "
                + "return preview !== null && document.querySelector('dialog') === null")) {
            window.shoot(name + "-light-360-preview");
        }
    }

    private static void checkWidth(Window window, String name, int width, List<String> wrong) {
        Object wide = window.script(TOO_WIDE);
        if (!wide.equals("")) {
            wrong.add(name + ", wider than " + width + " px: " + wide);
        }
    }
}
