package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import stet.Look.View;
import stet.core.Account;
import stet.core.Plan;

/** The pages without an editor and their dialogs, as everyone sees them. */
@Tag("browser")
@ExtendWith(Chromium.class)
class PagesLookTest {
    @AutoClose
    private static DemoDesk desk;

    @BeforeAll
    static void fill() throws IOException {
        desk = new DemoDesk();
    }

    private static final List<View> VIEWS = List.of(
            new View("templates", "/", window -> window.heading("Templates")),
            new View("templates-new", "/", window -> window.press("New template…").heading("New template").preview("Confirm my address")),
            new View("templates-delete", "/", window -> window.press("Delete Receipt").heading("Delete Receipt?")),
            new View("templates-found", "/?q=hello", window -> window.heading("Templates").sees(".found", "line ")),
            new View("templates-publish", "/", window -> window.tick("All that are shown").sees(".choosing", "chosen").press("Publish…")
                    .sees(".publications", "is not closed")),
            new View("templates-tag", "/", window -> window.tick("Choose Receipt").tick("Choose Welcome").press("Tag…").heading("Tag 2 templates")),
            new View("templates-delete-many", "/", window -> window.tick("Choose Receipt").tick("Choose Welcome").press("Delete…")
                    .heading("Delete 2 templates?")),
            new View("templates-import", "/", window -> window.press("Import…").heading("Import templates")),
            new View("trash", "/trash", window -> window.heading("Trash").sees("tbody", "Old newsletter")),
            new View("trash-empty", "/trash", window -> window.heading("Trash").press("Empty the trash…").heading("Empty the trash?")),
            new View("blocks", "/blocks", window -> window.heading("Shared blocks")),
            new View("keys", "/keys", window -> window.heading("Keys")),
            new View("keys-new", "/keys", window -> window.press("New key…").type("Name", "staging").press("Create").heading("Your new key")),
            new View("keys-rotate", "/keys", window -> window.press("Rotate website").heading("Rotate website")),
            new View("usage", "/usage", window -> window.heading("Usage")),
            new View("activity", "/activity", window -> window.heading("Activity").sees(".activity", "Publication requested")),
            new View("people", "/people", window -> window.heading("People").sees(".open-invitations", "Ben")),
            new View("people-invite", "/people", window -> window.press("Invite…").heading("Invite somebody")),
            new View("account", "/account", window -> window.heading("Account")),
            new View("security", "/security", window -> window.heading("Security").sees("For everybody")),
            new View("security-setup", "/security", window -> window.press("Set up…").type("Password", "correct horse").press("Go on")
                    .sees("Have an app for codes read this picture")),
            new View("import", "/account", window -> {
                window.heading("Account").driver.findElement(By.id("import-file")).sendKeys(desk.zip.toString());
                window.heading("Import mails.zip?").press("Show difference of thanks").sees("ins.line", "Thank you");
            }),
            new View("installation", "/installation", window -> window.heading("Installation").sees("tbody", "Acme")),
            new View("installation-plan", "/installation", window -> window.press("Plan Acme").heading("Plan of Acme")),
            new View("installation-delete", "/installation", window -> window.press("Delete Acme").heading("Delete Acme?")),
            new View("nothing", "/templates/gone", window -> window.heading("Nothing here")));

    @Test
    void everyPageIsForEveryone(Window window) {
        Look look = new Look(window);
        Running empty = desk.empty;
        look.at("signin", () -> window.open(desk.stet, "/signin").heading("Sign in"));
        look.at("setup", () -> window.open(empty, "/setup#token").heading("Set up Stet"));
        look.at("join", () -> window.open(desk.stet, "/join#invitation").heading("Join demo@example.com"));
        look.at("reset", () -> window.open(desk.stet, "/reset#reset").heading("New password"));
        look.at("docs", () -> window.open(desk.stet, "/docs").heading("Stet"));
        look.at("docs-api", () -> window.open(desk.stet, "/docs/api"));
        Account fresh = empty.account("ada@example.com", Plan.FREE);
        look.at("templates-none", () -> window.signedIn(empty, fresh, "/").heading("No templates yet"));
        look.at("keys-none", () -> window.open(empty, "/keys").heading("No keys yet"));
        look.at("no-account", () -> window.signedIn(empty, empty.person("new@example.com"), "/").heading("You belong to no account"));
        for (View view : VIEWS) {
            look.at(view.name(), () -> view.steps().accept(window.signedIn(desk.stet, desk.demo, view.path())));
        }

        // From the first publication to a key, and the page of keys at its limit.
        empty.draft(fresh, "welcome", "Welcome", "Hi", "<p>Hi</p>");
        look.at("first-key", () -> window.signedIn(empty, fresh, "/templates/welcome").heading("Welcome").press("Publish…").press("Publish")
                .heading("Welcome is live"));
        look.at("first-request", () -> window.press("Make a key").heading("Your new key"));
        look.at("keys-full", () -> window.open(empty, "/keys").sees("Your plan allows 1 key."));
        assertEquals("", look.wrong());
    }
}
