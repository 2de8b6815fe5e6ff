package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import stet.access.TwoFactorTest;
import stet.base.Totp;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.DemoAccount;
import stet.harness.Look.View;
import stet.harness.Look;
import stet.harness.Pictures;
import stet.harness.Running;
import stet.harness.Window;

/** Accessibility and layout of the pages without an editor, and their dialogs. */
@Tag("browser")
@ExtendWith(Chromium.class)
class PagesLookTest {
    @AutoClose
    private static DemoAccount data;

    @BeforeAll
    static void fill() throws IOException {
        data = new DemoAccount();
    }

    /** Modules whose dialogs {@link EditorLookTest} checks. */
    static final Set<String> OF_EDITOR = Set.of("features.js", "block.js", "choose.js", "conflict.js", "mergedialog.js", "editorpage.js", "history.js", "insert.js", "recovery.js",
            "publish.js",
            "request.js", "reviewlinks.js", "comments.js", "shortcuts.js", "signin.js", "stale.js", "setdialogs.js");

    /** Pages of an owner who is also an administrator. */
    private static final List<View> VIEWS = List.of(
            new View("templates", "/templates", window -> window.heading("Templates")),
            new View("templates-new", "/", window -> window.click("New template…").heading("New template")
                    .preview("Confirm my address")),
            new View("templates-new-picture", null, window -> {
                window.choose("Weekly digest").preview("Your week at");
                window.inPreview("if (document.querySelector('img').naturalWidth < 500) throw new Error('no picture')");
            }),
            new View("templates-duplicate", "/", window -> window.choose("More actions for Receipt", "Duplicate…").heading("Duplicate Receipt")),
            new View("templates-delete", "/", window -> window.choose("More actions for Receipt", "Delete…").heading("Delete Receipt?")),
            new View("templates-found", "/?q=hello", window -> window.heading("Templates").sees(".found", "line ")),
            new View("templates-publish", "/", window -> window.tick("Select all shown").sees(".choosing", "selected")
                    .click("Publish…")
                    .sees(".by-mail", "is not closed")),
            new View("templates-tag", "/", window -> window.tick("Select Receipt").tick("Select Welcome").click("Tag…")
                    .heading("Tag 2 templates")),
            new View("templates-failed", null, window -> window.type("Add",
                    "a tag that is much longer than any tag may be, so it is refused")
                    .click("Save").sees(".failures", "Receipt")),
            new View("templates-replace", "/", window -> window.tick("Select Receipt").click("Replace…").heading("Replace in 1 draft")),
            new View("templates-replace-places", null, window -> window.type("Find", "<p>").type("Replace with", "<p class=\"text\">")
                    .click("Find").heading("Matches found").click("Show difference of Receipt").sees("ins.line.added", "text")),
            new View("templates-replaced", null, window -> window.click("Replace in 1 text").heading("Replaced")),
            new View("templates-delete-many", "/", window -> window.tick("Select Receipt").tick("Select Welcome").click("Delete…")
                    .heading("Delete 2 templates?")),
            new View("templates-import", "/", window -> window.click("Import…").heading("Import templates")),
            new View("trash", "/trash", window -> window.heading("Trash").sees("tbody", "Old newsletter")),
            new View("trash-restore", "/trash", window -> window.click("Restore Spring").heading("Restore Spring?")),
            new View("trash-delete", "/trash", window -> window.click("Delete permanently Old newsletter")
                    .heading("Delete Old newsletter permanently?")),
            new View("trash-empty", "/trash", window -> window.heading("Trash").click("Empty trash…")
                    .heading("Empty trash?")),
            new View("blocks", "/blocks", window -> window.heading("Shared blocks")),
            new View("blocks-new", "/blocks", window -> window.click("New block…").heading("New block")),
            new View("blocks-delete", "/blocks", window -> window.click("Delete footer").heading("Delete block footer?")),
            new View("images", "/images", window -> upload(window, "logo.png", Pictures.png(320, 80, 5)).sees(".list.images", "logo.png")),
            new View("images-copy", null, window -> upload(window, "wide.png", Pictures.png(1600, 300, 5)).heading("Use a smaller copy?")),
            new View("images-used", null, window -> {
                data.stet.draft(data.demo, "poster", "Poster", "Our shop", "<img src='{{> images/logo.png}}'>");
                window.goTo("/images").sees(".list.images", "1 draft or block");
            }),
            new View("images-uses", null, window -> {
                window.click("logo.png is used in 1 draft or block").heading("Uses of logo.png");
                data.stet.db.change(dao -> dao.trash().remove(data.demo.id(), "poster", data.stet.now()));
            }),
            new View("images-delete", "/images", window -> window.click("Delete logo.png").heading("Delete image logo.png?")),
            new View("images-earlier", null, window -> window.click("Delete").closed().sees("logo.png deleted.")
                    .script("document.querySelector('.former').open = true")),
            new View("images-deleted", null, window -> window.click("Delete permanently the earlier file of logo.png")
                    .heading("Delete the earlier file of logo.png permanently?")),
            new View("keys", "/keys", window -> window.heading("Keys")),
            new View("keys-make", "/keys", window -> window.click("New key…").heading("New key")),
            new View("keys-new", null, window -> window.type("Name", "staging").click("Create").heading("Your new key")),
            new View("keys-rotate", "/keys", window -> window.click("Rotate website").heading("Rotate website")),
            new View("tokens-make", "/keys", window -> window.click("New token…").heading("New deploy token")),
            new View("tokens-new", null, window -> window.type("Name", "ci").click("Create").heading("Your new deploy token")),
            new View("tokens-rotate", "/keys", window -> window.click("Rotate token ci").heading("Rotate ci")),
            new View("tokens-delete", "/keys", window -> window.click("Delete token ci").heading("Delete token ci?")),
            new View("keys-delete", "/keys", window -> window.click("Delete website").heading("Delete key website?")),
            new View("usage", "/usage", window -> window.heading("Usage")),
            new View("activity", "/activity", window -> window.heading("Activity").sees(".activity", "Review requested")),
            new View("users", "/users", window -> window.heading("Users").sees(".open-invitations", "Ben")),
            new View("users-invite", "/users", window -> window.click("Invite…").heading("Invite users")),
            new View("users-invitation", null, window -> window.click("Create links").heading("Your invitation")),
            new View("users-role", "/users", window -> window.click("Role Grace Hopper").heading("Role of Grace Hopper")),
            new View("users-password", "/users", window -> window.click("New password Ben Ode")
                    .heading("Reset password for Ben Ode?")),
            new View("users-reset", null, window -> window.click("Create link").sees("This link is shown only once")),
            new View("users-remove", "/users", window -> window.click("Remove Grace Hopper").heading("Remove Grace Hopper?")),
            new View("users-leave", "/users", window -> window.click("Leave account").heading("Leave demo@example.com?")),
            new View("account", "/account", window -> window.heading("Account")),
            new View("account-rename", "/account", window -> window.click("Name and label…").heading("Account name and label")),
            new View("account-brand", "/account", window -> window.click("Change the look of new emails").heading("Look of new emails")),
            new View("templates-new-empty", "/", window -> window.click("New template…").heading("New template").choose("Empty")
                    .sees("You are asked once").preview("Headline")),
            new View("account-webhook-new", "/account", window -> window.click("Set up a webhook").heading("Webhook")),
            new View("account-webhook", null, window -> window.type("URL", "https://192.0.2.1/hook").click("Save").closed()
                    .click("Send a test").sees("Last delivery failed")),
            new View("account-webhook-remove", null, window -> window.click("Remove the webhook").heading("Remove the webhook?")),
            new View("import", "/account", window -> {
                window.heading("Account").driver.findElement(By.id("import-file")).sendKeys(data.zip.toString());
                window.heading("Import mails.zip?").click("Show text of thanks").sees("pre.source", "Thank you");
            }),
            new View("imported", null, window -> window.tick("Overwrite these changes").click("Import")
                    .heading("Imported")),
            new View("installation", "/installation", window -> window.heading("Administration").sees("tbody", "Acme")),
            new View("installation-new", "/installation", window -> window.click("New account…").heading("New account")),
            new View("installation-owner", null, window -> window.type("Name", "Umbrella").click("Create")
                    .heading("Invite the owner")),
            new View("installation-invite", "/installation", window -> window.click("Invite Acme")
                    .heading("Invite an owner to Acme?")),
            new View("installation-plan", "/installation", window -> window.click("Plan Acme").heading("Plan of Acme")),
            new View("installation-rename", "/installation", window -> window.click("Rename Acme").heading("Rename Acme")),
            new View("installation-suspend", "/installation", window -> window.click("Suspend Umbrella")
                    .heading("Suspend Umbrella?")),
            new View("installation-resume", "/installation", window -> window.click("Resume Acme").heading("Resume Acme?")),
            new View("installation-delete", "/installation", window -> window.click("Delete Acme").heading("Delete Acme?")),
            new View("nothing", "/templates/gone", window -> window.heading("Page not found")),
            new View("security", "/security", window -> window.heading("Security").sees("For everyone")),
            new View("security-everywhere", "/security", window -> window.click("Sign out everywhere…")
                    .heading("Sign out everywhere?")),
            new View("security-everybody", "/security", window -> window.click("Require…")
                    .heading("Require two-factor authentication for everyone?")),
            new View("security-password", "/security", window -> window.click("Set up…").heading("Set up two-factor authentication")),
            new View("security-setup", null, window -> window.type("Password", "correct horse").click("Continue")
                    .sees("Scan this QR code with your authenticator app")),
            new View("security-codes", null, window -> window.type("Code", code(window)).click("Turn on")
                    .heading("Your recovery codes")),
            new View("security-on", null, window -> window.click("I've saved them").closed().sees("10 recovery codes left.")),
            new View("security-renew", "/security", window -> window.click("New recovery codes…").heading("New recovery codes")),
            new View("security-off", "/security", window -> window.click("Turn off…").heading("Turn off two-factor authentication")));

    private static Window upload(Window window, String name, byte[] file) {
        try {
            window.heading("Images").driver.findElement(By.cssSelector(".images-page input[type=file]")).sendKeys(Files.write(data.zip.resolveSibling(name), file).toString());
            return window;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String code(Window window) {
        return Totp.code(TwoFactorTest.secret(window.value("Key").replace(" ", "")), data.stet.now());
    }

    @Test
    void pagesAndDialogsAreAccessibleAndFitTheWindow(Window window) throws IOException {
        Look look = new Look(window);
        Running empty = data.empty;
        look.at("signin", () -> window.open(data.stet, "/signin").heading("Sign in"));
        look.at("setup", () -> window.open(empty, "/setup#token").heading("Set up Stet"));
        look.at("setup-used", () -> window.open(data.stet, "/setup#token").heading("Set up Stet")
                .sees("This server already has an account"));
        look.at("join", () -> window.open(data.stet, "/join#invitation").heading("Join demo@example.com"));
        look.at("join-ended", () -> window.open(data.stet, "/join#gone").heading("Invitation"));
        look.at("reset", () -> window.open(data.stet, "/reset#reset").heading("New password"));
        look.at("forgot-off", () -> window.open(data.stet, "/forgot").heading("Forgot password").sees("This server sends no emails."));
        look.at("confirm-ended", () -> window.open(data.stet, "/confirm#gone").heading("Confirm email address"));
        look.at("review", () -> window.open(data.stet, "/review#review").heading("Receipt").sees(".comments", "A little formal?")
                .preview("Thank you"));
        look.at("review-changes", () -> window.click("Show changes from the live version of Receipt").sees("ins.line", "delivery"));
        look.at("review-answer", () -> window.click("Reply to comment by Kim").heading("Reply to Kim"));
        look.at("review-ended", () -> window.open(data.stet, "/signin").open(data.stet, "/review#gone").heading("Review"));
        look.at("docs", () -> window.open(data.stet, "/docs").heading("Stet"));
        look.at("docs-writing", () -> {
            window.open(data.stet, "/docs/writing").heading("Write emails");
            Window.within(() -> "a picture is missing", () -> (Boolean) window.script(
                    "return document.images.length === 3 && [...document.images].every(image => image.naturalWidth > 300)"));
        });
        look.at("docs-api", () -> window.open(data.stet, "/docs/api"));

        // an empty account, and an unknown one
        Account fresh = empty.account("ada@example.com", Plan.FREE);
        look.at("templates-none", () -> window.signedIn(empty, fresh, "/").heading("No templates yet"));
        look.at(List.of(
                new View("keys-none", "/keys", each -> each.heading("No keys yet")),
                new View("blocks-none", "/blocks", each -> each.heading("No shared blocks yet")),
                new View("images-none", "/images", each -> each.heading("No images yet")),
                new View("usage-none", "/usage", each -> each.heading("Usage")),
                new View("trash-none", "/trash", each -> each.sees("The trash is empty."))));
        look.at("no-account", () -> window.signedIn(empty, empty.user("new@example.com"), "/")
                .heading("You do not belong to any account"));

        // from the first publication to a key, and the page of keys at its limit
        empty.draft(fresh, "welcome", "Welcome", "Hi", "<p>Hi</p>");
        look.at("first-key", () -> window.signedIn(empty, fresh, "/templates/welcome").heading("Welcome").click("Publish…")
                .click("Publish")
                .heading("Welcome is live"));
        look.at("first-request", () -> window.click("Create API key").heading("Your new key"));
        look.at("keys-full", () -> window.goTo("/keys").sees("This account is limited to 1 key."));

        // a user with two accounts and limited rights
        Account harbour = data.stet.account("harbour@example.com", Plan.FREE);
        User grace = data.stet.member(harbour, "grace@example.com", Role.WRITER, "correct horse");
        look.at("choose-account", () -> window.signedIn(data.stet, Browser.of(data.stet, null, grace), "/")
                .heading("Choose an account"));
        Browser browser = Browser.of(data.stet, harbour, grace);
        look.at("join-with", () -> window.signedIn(data.stet, browser, "/join#invitation").sees("You are signed in as"));
        look.at(List.of(
                new View("refused", "/keys", each -> each.heading("Page unavailable")),
                new View("switch", "/account", each -> each.click("harbour@example.com, switch account")
                        .heading("Switch account")),
                new View("switched", "/users", each -> {
                    each.heading("Users");
                    browser.put("/data/session", "{\"account\":" + data.demo.id() + "}");
                    each.click("Leave account").click("Leave").sees("#banner", "You switched to demo@example.com");
                })));

        window.signedIn(data.stet, data.demo, "/");
        look.at(VIEWS);
        look.at("signin-code", () -> window.goTo("/").click("Sign out").heading("Sign in").type("Email", "demo@example.com")
                .type("Password", "correct horse").click("Sign in").sees("Enter the code from your authenticator app"));

        Set<String> modules = new TreeSet<>(Look.modules().keySet());
        modules.removeAll(OF_EDITOR);
        modules.removeAll(Set.of("copy.js", "links.js", "sendtest.js")); // AccountsJourneyTest, MailJourneyTest
        modules.remove("pieceforms.js"); // WriteLookTest
        assertEquals("[]", look.missed(modules, Pattern.compile("(?!/(templates|blocks)/:|/stale).*")).toString());
        assertEquals("", look.wrong());
    }
}
