package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stet.base.Secret;
import stet.base.Totp;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Password;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.dao.CommentDao.NewComment;
import stet.dao.Dao;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.MailSink;
import stet.harness.Pictures;
import stet.harness.RawZip;
import stet.harness.Rows;
import stet.harness.Running;
import stet.images.ImageFile;
import stet.sqlite.WritingLock;

/**
 * Rights revoked between a request's head and its effect: while its body is held back, and while it waits for the writing lock. Covers
 * every writing route in the handler's switch; a new route needs a row here.
 */
public class RightsTest {
    private static final String PASSWORD = "correct horse";
    private static final String SIGNED_OUT = "401 {\"error\":\"Signed out\",\"setup\":false}";
    private static final String NO_MEMBER = "403 {\"error\":\"You no longer belong to this account\"}";
    private static final String SUSPENDED = "403 {\"error\":\"This account is suspended; contact an administrator\"}";
    private static final String TWO_FACTOR = "403 {\"error\":\"This account requires two-factor authentication; set it up on the Security page\","
            + "\"twoFactor\":true}";
    private static final String EDITORS_ONLY = "403 {\"error\":\"Only editors and owners of the account can do this\"}";
    private static final String OWNERS_ONLY = "403 {\"error\":\"Only owners of the account can do this\"}";
    private static final String ADMINISTRATORS_ONLY = "403 {\"error\":\"Only administrators of this server can do this\"}";
    private static final String SWITCHED = "409 {\"error\":\"You have switched to another account; reload the page\"}";
    private static final byte[] TOTP_SECRET = new byte[Totp.SECRET_BYTES];

    /** Each writing route's body, or null for none. With this body, a user with the route's right succeeds. */
    private static final Map<String, String> BODIES = new HashMap<>();
    private static final byte[] LOGO = Pictures.png(4, 4, 8);
    private static final byte[] FORMER = Pictures.png(4, 4, 9);
    /** Routes that write nothing. */
    private static final Set<String> READING = Set.of("POST /data/templates/:id/presence", "POST /data/blocks/:id/presence",
            "POST /data/check", "POST /data/filled", "POST /data/eml", "POST /data/templates/:id/versions/:id/preview", "POST /data/export",
            "POST /data/import/difference", "POST /data/comparisons", "POST /data/installation/images");

    static {
        row("PUT /data/session", "{\"account\":OTHER}");
        row("DELETE /data/sessions", null);
        row("DELETE /data/sessions/:id", null);
        row("PUT /data/password", "{\"current\":\"" + PASSWORD + "\",\"password\":\"another password\"}");
        row("POST /data/two-factor", "{\"password\":\"" + PASSWORD + "\"}");
        row("PUT /data/two-factor", "{\"code\":\"CODE\"}");
        row("POST /data/two-factor/off", "{\"password\":\"" + PASSWORD + "\",\"code\":\"recovery\"}");
        row("POST /data/two-factor/codes", "{\"password\":\"" + PASSWORD + "\",\"code\":\"recovery\"}");
        row("PUT /data/two-factor/required", "{\"required\":true}");
        row("PUT /data/user", "{\"name\":\"Eve\",\"email\":\"MAIL\"}");
        row("POST /data/link/join", "{\"secret\":\"invitation-MAIL\"}");
        row("POST /data/mail/confirmation", null);
        row("PUT /data/mail/choices", "{\"tests\":true,\"reviews\":false}");
        row("POST /data/tests", "{\"template\":\"welcome\",\"subject\":\"\",\"html\":\"EVIL\",\"samples\":{},\"to\":EVE}");
        row("POST /data/templates/:id/versions/:id/tests", "{\"to\":EVE}");
        row("POST /data/review/tests", "{\"secret\":\"review-MAIL\",\"to\":EVE}");
        row("PUT /data/members/:id", "{\"role\":\"writer\"}");
        row("DELETE /data/members/:id", null);
        row("POST /data/members/:id/reset", null);
        row("DELETE /data/membership", null);
        row("PUT /data/account", "{\"name\":\"Renamed NUMBER\"}");
        row("POST /data/invitations", "{\"role\":\"owner\"}");
        row("DELETE /data/invitations/:id", null);
        row("POST /data/installation/images", "{}");
        row("POST /data/accounts", "{\"name\":\"Added NUMBER\",\"plan\":\"pro\"}");
        row("POST /data/accounts/:id/invitation", "{}");
        row("PUT /data/accounts/:id/plan", "{\"plan\":\"none\"}");
        row("PUT /data/accounts/:id/name", "{\"name\":\"Renamed NUMBER\"}");
        row("POST /data/accounts/:id/suspend", null);
        row("POST /data/accounts/:id/resume", null);
        row("DELETE /data/accounts/:id", null);
        row("POST /data/templates", "{\"id\":\"new\",\"name\":\"New\"}");
        row("PUT /data/templates/:id", "{\"revision\":1,\"subject\":\"EVIL\",\"html\":\"EVIL\",\"samples\":{}}");
        row("PUT /data/templates/:id/name", "{\"name\":\"EVIL\",\"revision\":1}");
        row("DELETE /data/templates/:id", null);
        row("PUT /data/templates/:id/tags", "{\"add\":[\"evil\"],\"remove\":[]}");
        row("PUT /data/templates/:id/features", "{\"add\":[\"css-gap\"],\"remove\":[]}");
        row("POST /data/templates/:id/reviews", null);
        row("POST /data/templates/:id/versions/:id/reviews", null);
        row("DELETE /data/templates/:id/reviews/:id", null);
        row("POST /data/templates/:id/comments", "{\"text\":\"hi\"}");
        row("PUT /data/templates/:id/comments/:id", "{}");
        row("DELETE /data/templates/:id/comments/:id", null);
        row("PUT /data/clients", "{\"clients\":[\"aol\"]}");
        row("PUT /data/brand", "{\"colour\":\"#112233\",\"background\":\"#ffffff\",\"font\":\"arial\"}");
        row("POST /data/deletions/:id/restore", "{}");
        row("DELETE /data/deletions/:id", null);
        row("DELETE /data/deletions", null);
        row("POST /data/templates/:id/presence", "{\"dirty\":true}");
        row("POST /data/blocks/:id/presence", "{\"dirty\":true}");
        row("POST /data/templates/:id/request", "{\"note\":\"EVIL\"}");
        row("DELETE /data/templates/:id/request", null);
        row("POST /data/check", "{\"subject\":\"\",\"html\":\"{{> footer}}\",\"samples\":{}}");
        row("POST /data/filled", "{\"subject\":\"\",\"html\":\"{{> footer}}\",\"samples\":{}}");
        row("POST /data/eml", "{\"subject\":\"\",\"html\":\"{{> footer}}\",\"samples\":{}}");
        row("POST /data/templates/:id/publish", "{\"revision\":1,\"note\":\"EVIL\"}");
        row("POST /data/comparisons", "{\"templates\":[\"welcome\"]}");
        row("POST /data/publications", "{\"note\":\"EVIL\",\"templates\":[{\"id\":\"welcome\",\"revision\":1,\"sha256\":\""
                + HexFormat.of().formatHex(Secret.sha256("Hello\0<p>hello <i>footer</i></p>")) + "\"}]}");
        row("POST /data/templates/:id/versions/:id/preview", "{}");
        row("POST /data/templates/:id/versions/:id/restore", "{\"revision\":2}");
        row("POST /data/templates/:id/versions/:id/publish", "{}");
        row("POST /data/blocks", "{\"name\":\"evil\",\"html\":\"EVIL\"}");
        row("PUT /data/blocks/:id", "{\"revision\":1,\"html\":\"EVIL\"}");
        row("DELETE /data/blocks/:id", null);
        String evil = "\"file\":\"" + Base64.getEncoder().encodeToString(Pictures.png(3, 3, 7)) + "\"}";
        row("POST /data/images", "{\"name\":\"evil.png\"," + evil);
        row("PUT /data/images/:id", "{\"revision\":2," + evil);
        row("DELETE /data/images/:id", null);
        row("DELETE /data/image-files/:id", null);
        row("POST /data/keys", "{\"name\":\"evil\"}");
        row("PUT /data/webhook", "{\"url\":\"https://evil.example\"}");
        row("DELETE /data/webhook", null);
        row("POST /data/webhook/test", null);
        row("POST /data/tokens", "{\"name\":\"evil\",\"role\":\"editor\"}");
        row("DELETE /data/tokens/:id", null);
        row("POST /data/tokens/:id/rotate", "{\"hours\":0}");
        row("DELETE /data/keys/:id", null);
        row("POST /data/keys/:id/rotate", "{\"hours\":0}");
        row("POST /data/copies/:id", "{\"templates\":[\"welcome\"]}");
        row("POST /data/export", "{\"templates\":[\"welcome\"]}");
        String zip = new RawZip().file("templates/welcome.html", "EVIL").text();
        row("POST /data/import", zip);
        row("POST /data/import/difference", zip);
    }

    private static void row(String route, String body) {
        BODIES.put(route, body);
    }

    @AutoClose
    private static Running stet;
    @AutoClose
    private static MailSink sink;
    private static int cases;

    @BeforeAll
    static void start() throws IOException { // not at class initialization, because another test uses this class without running its tests
        stet = new Running();
        sink = new MailSink();
        stet.restartWithMail(sink.url());
    }

    /** An account with data for each route, and Eve, who has exactly the right that the route requires. */
    private static final class Scene {
        final int number = ++cases;
        final String needed;
        final String mail = "eve-" + number + "@example.com";
        final Account account = stet.account("team-" + number + "@example.com", Plan.PRO);
        final Account other = stet.account("other-" + number + "@example.com", Plan.PRO);
        /** Eve is a writer here as well. */
        final Account elsewhere = stet.account("elsewhere-" + number + "@example.com", Plan.PRO);
        final User eve;
        final Browser browser;
        private final String path;
        private final String body;

        Scene(String route) throws IOException {
            needed = TenancyTest.role(route);
            boolean isOfAccount = !needed.equals("self") && !needed.equals("administrator");
            eve = stet.member(account, mail, isOfAccount ? Role.valueOf(needed) : Role.WRITER, PASSWORD);
            User bob = stet.member(account, "bob-" + number + "@example.com", Role.EDITOR, PASSWORD);
            stet.block(account, "footer", "<i>footer</i>");
            stet.block(account, "unused", "<i>unused</i>");
            stet.db.change(dao -> List.of(FORMER, LOGO).forEach(file -> dao.images().save(account.id(), "images/logo.png", ImageFile.of(file), stet.now())));
            stet.draft(account, "gone", "Gone", "", "<p>gone</p>");
            stet.draft(account, "welcome", "Welcome", "Hello", "<p>hello {{> footer}}</p>");
            if (route.contains("/versions/")) {
                stet.publish(account, "welcome");
                stet.draft(account, "welcome", "Welcome", "Hello", "<p>newer</p>");
            }
            if (route.endsWith("/versions/:id/publish")) {
                stet.publish(account, "welcome");
            }
            stet.key(account);
            long[] ids = stet.db.write(dao -> {
                dao.trash().delete(account.id(), "gone", stet.now());
                if (route.startsWith("DELETE") && route.endsWith("/request")) {
                    dao.requests().add(account.id(), "welcome", "", stet.now());
                }
                if (needed.equals("administrator")) {
                    dao.users().setAdministrator(eve.id(), true);
                }
                if (route.equals("POST /data/copies/:id")) {
                    dao.members().setRole(elsewhere.id(), eve.id(), Role.WRITER, stet.now());
                }
                if (route.equals("PUT /data/session")) {
                    dao.members().setRole(other.id(), eve.id(), Role.OWNER, stet.now());
                }
                if (route.startsWith("DELETE /data/accounts") || route.endsWith("/resume")) {
                    dao.accounts().setSuspended(other, true, stet.now());
                }
                if (route.endsWith("/accounts/:id/invitation")) {
                    dao.members().setRole(other.id(), bob.id(), Role.OWNER, stet.now());
                    dao.sql().update("delete from members where account_id = ?", other.id());
                }
                if (route.startsWith("PUT /data/two-factor") || route.matches(".*/(off|codes)")) {
                    dao.twoFactors().begin(eve.id(), TOTP_SECRET);
                }
                if (route.matches(".*/(off|codes)")) {
                    assertTrue(dao.twoFactors().confirm(eve.id(), Totp.code(TOTP_SECRET, stet.now()), stet.now()));
                    dao.twoFactors().setRecoveryCodes(eve.id(), List.of("recovery"));
                }
                if (route.contains("/tests")) {
                    dao.users().confirm(eve.id());
                }
                boolean needsReview = route.startsWith("DELETE") && route.contains("/reviews/") || route.contains("/review/");
                long review = !needsReview ? 0 : dao.as(new Actor(eve.id(), "eve", "")).reviews()
                        .add(account.id(), "welcome", null, stet.now(), "review-" + mail).orElseThrow().id();
                long comment = 0;
                if (route.contains("/comments/")) {
                    assertTrue(dao.comments().add(account.id(), "welcome", NewComment.byGuest("Kim", null, "", null, "hi"), stet.now()));
                    comment = dao.comments().list(account.id(), "welcome").get(0).id();
                }
                if (route.contains("/webhook")) {
                    dao.as(new Actor(eve.id(), "eve", "")).webhooks().set(account.id(), "https://192.0.2.1/", "192.0.2.1", stet.now());
                }
                dao.links().invite(account.id(), Role.OWNER, "", "notes", stet.now(), "own-" + mail);
                dao.links().invite(other.id(), Role.OWNER, "", "notes", stet.now(), "invitation-" + mail);
                Browser.addSession(dao, "second-" + mail, eve.id(), account.id(), stet.now());
                return new long[] {dao.keys().list(account.id()).get(0).id(), bob.id(),
                    dao.links().invitations(account.id(), stet.now()).get(0).id(),
                    dao.sessions().find(Secret.sha256("second-" + mail), stet.now(), Duration.ofDays(1), Duration.ofDays(1)).orElseThrow().id(),
                    dao.tokens().add(account, "ci", Role.WRITER, "token-" + mail, null, stet.now()).id(), review, comment};
            });
            if (route.equals("PUT /data/two-factor/required")) { // requires two-factor authentication of Eve
                stet.db.change(dao -> dao.twoFactors().confirm(eve.id(), Totp.code(TOTP_SECRET, stet.now()), stet.now()));
            }
            browser = Browser.of(stet, account, eve);
            path = route.substring(route.indexOf(' ') + 1).replace("/templates/:id", "/templates/welcome")
                    .replace("/versions/:id", "/versions/1").replace("/blocks/:id", route.startsWith("DELETE") ? "/blocks/unused" : "/blocks/footer")
                    .replace("/images/:id", "/images/logo.png").replace("/image-files/:id", "/image-files/" + HexFormat.of().formatHex(Secret.sha256(ImageFile.of(FORMER).bytes())) + ".png")
                    .replace("/deletions/:id", "/deletions/gone").replace("/keys/:id", "/keys/" + ids[0]).replace("/tokens/:id", "/tokens/" + ids[4])
                    .replace("/members/:id", "/members/" + ids[1]).replace("/invitations/:id", "/invitations/" + ids[2])
                    .replace("/sessions/:id", "/sessions/" + ids[3]).replace("/reviews/:id", "/reviews/" + ids[5]).replace("/comments/:id", "/comments/" + ids[6])
                    .replace("/accounts/:id", "/accounts/" + other.id()).replace("/copies/:id", "/copies/" + elsewhere.id())
                    + (route.equals("DELETE /data/accounts/:id") ? "?name=" + other.name() : "")
                    + (route.endsWith("/import") ? "?overwrite=true" : route.endsWith("/difference") ? "?template=welcome"
                            : route.endsWith("/search") ? "?q=hello" : "");
            assertFalse(path.contains(":id"), "A new kind of id: " + path);
            String given = BODIES.get(route);
            body = given == null ? "" : given.replace("MAIL", mail).replace("EVE", "" + eve.id()).replace("OTHER", "" + other.id()).replace("NUMBER", "" + number)
                    .replace("CODE", Totp.code(TOTP_SECRET, stet.now()));
            stet.sweep();
        }

        /** Returns the rows after a sweep, because a timer may sweep at any time. */
        List<String> swept() throws SQLException {
            stet.sweep();
            return rows();
        }

        /** Rows that the request may change, except garbage. */
        List<String> rows() throws SQLException {
            List<String> rows = TenancyTest.rows(stet.folder, account);
            rows.addAll(TenancyTest.rows(stet.folder, other));
            rows.addAll(TenancyTest.rows(stet.folder, elsewhere));
            rows.removeIf(row -> row.matches("(?s)(garbage|texts)\\|.*"));
            rows.addAll(Rows.of(stet.folder, "select name from accounts where name = 'Added " + number + "'"));
            rows.addAll(Rows.of(stet.folder, "select email || name || hex(totp_secret) || totp_step from users where id = " + eve.id()));
            rows.addAll(Rows.of(stet.folder, "select id from mails where user_id = " + eve.id()));
            rows.addAll(Rows.of(stet.folder, "select id from templates where deleted_at is not null and removed_at is null and account_id = "
                    + account.id()));
            return rows;
        }

        /** Sends the request except for its last bytes. */
        Client send(String route, int held) {
            return send(browser, route, held);
        }

        Client send(Browser sender, String route, int held) {
            Client client = new Client(stet.server.address());
            String head = client.request(route.substring(0, route.indexOf(' ')), path, null, "Cookie: " + sender.cookie,
                    "Connection: close", "Content-Type: " + (route.contains("/import") ? "application/zip" : "application/json"),
                    "Content-Length: " + body.length());
            return client.write(head + body.substring(0, body.length() - held));
        }

        String rest(int held) {
            return body.substring(body.length() - held);
        }
    }

    /** Ways in which a right ends. */
    private enum Ending {
        REMOVED, DEMOTED, SUSPENDED, SIGNED_OUT, NEW_PASSWORD, TWO_FACTOR, SWITCHED, DELETED;

        /** Returns the response to a request that needs the right; null if this ending does not affect the request. */
        String refusal(String needed) {
            return switch (this) {
                case SIGNED_OUT, NEW_PASSWORD -> RightsTest.SIGNED_OUT;
                case REMOVED -> needed.equals("administrator") ? null : needed.equals("self") ? RightsTest.SIGNED_OUT : NO_MEMBER;
                case DEMOTED -> needed.equals("administrator") ? ADMINISTRATORS_ONLY : needed.equals("OWNER") ? OWNERS_ONLY
                        : needed.equals("EDITOR") ? EDITORS_ONLY : null;
                case TWO_FACTOR -> needed.equals("self") ? null : RightsTest.TWO_FACTOR;
                case SUSPENDED -> needed.matches("self|administrator") ? null : RightsTest.SUSPENDED;
                case SWITCHED -> needed.matches("self|administrator") ? null : RightsTest.SWITCHED;
                case DELETED -> needed.matches("self|administrator") ? null : RightsTest.SIGNED_OUT;
            };
        }

        void happen(Dao dao, Scene scene) {
            long account = scene.account.id();
            long eve = scene.eve.id();
            switch (this) {
                case REMOVED -> {
                    dao.members().remove(account, eve);
                    dao.members().remove(scene.other.id(), eve);
                    dao.members().remove(scene.elsewhere.id(), eve);
                    dao.users().deleteWithoutAccount(eve, false, stet.now());
                }
                case DEMOTED -> {
                    dao.users().setAdministrator(eve, false);
                    dao.members().setRole(account, eve, scene.needed.equals("OWNER") ? Role.EDITOR : Role.WRITER, stet.now());
                }
                case SUSPENDED -> dao.accounts().setSuspended(scene.account, true, stet.now());
                case SIGNED_OUT -> dao.sessions().deleteAll(eve);
                case NEW_PASSWORD -> dao.users().changePassword(eve, Password.hashCheaply("a new password", new SecureRandom()));
                case TWO_FACTOR -> {
                    dao.twoFactors().remove(eve);
                    dao.twoFactors().setRequired(account, true);
                }
                case SWITCHED -> {
                    dao.members().setRole(scene.other.id(), eve, Role.OWNER, stet.now());
                    dao.sessions().find(Secret.sha256(scene.browser.cookie.substring(5)), stet.now(), Duration.ofDays(1), Duration.ofDays(1))
                            .ifPresent(session -> dao.sessions().changeAccount(session, scene.other.id()));
                }
                case DELETED -> {
                    dao.members().remove(scene.elsewhere.id(), eve);
                    dao.accounts().delete(scene.account, stet.now());
                }
            }
        }
    }

    static List<String> writingRoutes() throws IOException {
        List<String> routes = TenancyTest.routes().stream()
                .filter(route -> !route.startsWith("GET ") && !TenancyTest.OPEN.contains(route)).toList();
        assertTrue(routes.size() > 45, routes.toString());
        for (String route : routes) {
            assertTrue(BODIES.containsKey(route), "A new route needs a row in BODIES: " + route);
        }
        return routes;
    }

    static List<String> changingRoutes() throws IOException {
        return writingRoutes().stream().filter(route -> !READING.contains(route)).toList();
    }

    static List<String> routesWithBody() throws IOException {
        return writingRoutes().stream().filter(route -> BODIES.get(route) != null).toList();
    }

    /** Routes with a body that concern one account. */
    static List<String> accountRoutesWithBody() throws IOException {
        List<String> routes = new ArrayList<>(routesWithBody());
        for (String route : routesWithBody()) {
            if (TenancyTest.role(route).equals("administrator")) {
                routes.remove(route);
            }
        }
        return routes;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("writingRoutes")
    void eachWritingRouteWorksWithItsRight(String route) throws IOException, SQLException {
        Scene scene = new Scene(route);
        List<String> before = scene.rows();
        Client.Reply reply = scene.send(route, 0).read(false);
        assertTrue(reply.status() >= 200 && reply.status() < 300, reply.status() + " " + reply.text());
        if (!READING.contains(route)) {
            assertNotEquals(before, scene.rows());
        }
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @MethodSource("routesWithBody")
    void aRightLostWhileTheBodyArrivesIsNotUsed(String route) throws IOException, SQLException {
        for (Ending ending : Ending.values()) {
            Scene scene = new Scene(route);
            String refusal = ending.refusal(scene.needed);
            if (refusal == null) {
                continue;
            }
            try (Client client = scene.send(route, 1)) {
                waitFor("a body of " + route, RightsTest::isBodyWaitedFor);
                stet.db.change(dao -> ending.happen(dao, scene));
                List<String> before = scene.rows();
                Client.Reply reply = client.write(scene.rest(1)).read(false);
                assertEquals(refusal, reply.status() + " " + reply.text(), ending.name());
                assertTrue(ending == Ending.DELETED || before.equals(scene.swept()), ending.name());
            }
        }
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @MethodSource("changingRoutes")
    void aRightLostWhileWaitingForTheLockIsNotUsed(String route) throws IOException, SQLException {
        for (Ending ending : Ending.values()) {
            Scene scene = new Scene(route);
            String refusal = ending.refusal(scene.needed);
            if (refusal == null) {
                continue;
            }
            List<String> before;
            Client client;
            WritingLock.hold(stet.db);
            try {
                client = scene.send(route, 0);
                waitFor("the lock by " + route, RightsTest::isLockWaitedForByARoute);
                stet.db.change(dao -> ending.happen(dao, scene));
                before = scene.rows();
            } finally {
                WritingLock.release(stet.db);
            }
            Client.Reply reply = client.read(false);
            client.close();
            assertEquals(refusal, reply.status() + " " + reply.text(), ending.name());
            assertTrue(ending == Ending.DELETED || before.equals(scene.swept()), ending.name());
        }
    }

    /**
     * The owner of another account sends this account's ids and holds back the body until a member has sent the same request.
     */
    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @MethodSource("accountRoutesWithBody")
    void anotherAccountsOwnerChangesNothingWithTheseIds(String route) throws IOException, SQLException {
        Scene scene = new Scene(route);
        try (Client client = scene.send(Browser.of(stet, scene.other), route, 1)) {
            waitFor("a body of " + route, RightsTest::isBodyWaitedFor);
            if (!READING.contains(route)) {
                assertTrue(scene.send(route, 0).read(false).status() < 300);
            }
            stet.sweep();
            List<String> before = TenancyTest.rows(stet.folder, scene.account);
            Client.Reply reply = client.write(scene.rest(1)).read(false);
            assertTrue(route.contains(":id") ? reply.status() == 404 : reply.status() < 500, reply.status() + " " + reply.text());
            stet.sweep();
            assertEquals(before, TenancyTest.rows(stet.folder, scene.account));
        }
    }

    /** Pages and exports that count as heavy work. Starters are the same for everyone. */
    static List<String> heavyReads() throws IOException {
        String handler = Files.readString(Path.of("app/main/stet/server/Handler.java"));
        List<String> routes = TenancyTest.routes().stream().filter(route -> route.startsWith("GET ") && !route.equals("GET /data/starters")
                && handler.matches("(?s).*\"" + route + "\" -> [^;]*Kind\\..*")).toList();
        assertTrue(routes.size() > 10, routes.toString());
        return routes;
    }

    /** Saves that wait for the lock occupy all slots for heavy work. */
    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @MethodSource("heavyReads")
    void aRightLostWhileAReadWaitsIsNotUsed(String route) throws IOException {
        for (Ending ending : Ending.values()) {
            String refusal = ending.refusal(TenancyTest.role(route));
            if (refusal == null) {
                continue;
            }
            Client.Reply reply;
            do {
                reply = readAfter(ending, new Scene(route), route);
            } while (reply.status() == 503); // on a slow machine the turn may come too late
            assertEquals(refusal, reply.status() + " " + reply.text(), ending.name());
        }
    }

    private static Client.Reply readAfter(Ending ending, Scene scene, String route) {
        List<Client> saves = new ArrayList<>();
        WritingLock.hold(stet.db);
        try {
            for (Account account : List.of(scene.account, scene.other)) {
                Client save = new Client(stet.server.address());
                String body = "{\"id\":\"saved\",\"name\":\"Saved\"}";
                save.write(save.request("POST", "/data/templates", null, "Cookie: " + Browser.of(stet, account).cookie,
                        "Content-Type: application/json", "Connection: close", "Content-Length: " + body.length()) + body);
                saves.add(save);
            }
            waitFor("the lock by both saves", () -> routesAtTheLock() == saves.size());
            saves.add(scene.send(route, 0));
            waitFor("a turn", RightsTest::isTurnWaitedFor);
            stet.db.change(dao -> ending.happen(dao, scene));
        } finally {
            WritingLock.release(stet.db);
        }
        List<Client.Reply> replies = saves.stream().map(client -> client.read(false)).toList();
        saves.forEach(Client::close);
        return replies.get(2);
    }

    private static void waitFor(String what, BooleanSupplier condition) {
        assertTrue(Running.comes(condition), "Nothing waits for " + what);
    }

    static boolean isBodyWaitedFor() {
        return Thread.getAllStackTraces().values().stream().anyMatch(stack -> Arrays.stream(stack).anyMatch(frame ->
                frame.getClassName().equals("stet.http.Request") && frame.getMethodName().matches("read|body|spool")));
    }

    private static boolean isTurnWaitedFor() {
        return Thread.getAllStackTraces().values().stream().anyMatch(stack ->
                Arrays.stream(stack).anyMatch(frame -> frame.getClassName().equals("stet.base.Turns"))
                && Arrays.stream(stack).anyMatch(frame -> frame.getClassName().equals("java.util.concurrent.Semaphore")));
    }

    public static boolean isLockWaitedForByARoute() {
        return routesAtTheLock() > 0;
    }

    private static long routesAtTheLock() {
        return Thread.getAllStackTraces().values().stream().filter(stack ->
                Arrays.stream(stack).anyMatch(frame -> frame.getClassName().matches("stet\\.(web|access)\\..*"))
                && Arrays.stream(stack).anyMatch(frame -> frame.getClassName().startsWith("java.util.concurrent.locks."))
                && Arrays.stream(stack).anyMatch(frame -> frame.getClassName().equals("stet.sqlite.Writer"))).count();
    }

    /** An import writes in many transactions; the last one, which publishes the result, checks the right again. */
    @Test
    void aRightLostDuringAnImportIsNotUsed() throws IOException, SQLException {
        Scene scene = new Scene("POST /data/import");
        stet.db.changeUncached(dao -> dao.sql().execute("create trigger ends after insert on texts when cast(new.html as text) = 'EVIL'"
                + " begin update members set role = 'editor' where user_id = " + scene.eve.id() + "; end"));
        Client.Reply reply = scene.send("POST /data/import", 0).read(false);
        assertEquals(OWNERS_ONLY, reply.status() + " " + reply.text());
        stet.db.changeUncached(dao -> dao.sql().execute("drop trigger ends"));
        assertEquals("<p>hello {{> footer}}</p>", new String(stet.db.read(dao -> dao.templates().find(scene.account.id(), "welcome")).orElseThrow()
                .html(), StandardCharsets.UTF_8));
        stet.sweep();
        assertEquals(List.of("0"), Rows.of(stet.folder, "select count(*) from texts where cast(html as text) = 'EVIL' and account_id = "
                + scene.account.id()));
    }

    @Test
    void ofTwoOwnersWhoRemoveEachOtherOneStays() throws IOException {
        Scene scene = new Scene("DELETE /data/membership");
        User first = stet.owner(scene.account);
        User second = stet.member(scene.account, "second@example.com", Role.OWNER, PASSWORD);
        atOnce(Browser.of(stet, scene.account, first), "DELETE", "/data/members/" + second.id(),
                Browser.of(stet, scene.account, second), "DELETE", "/data/members/" + first.id(), NO_MEMBER, SIGNED_OUT);
        assertEquals(1, owners(scene.account));
    }

    @Test
    void ofTwoOwnersWhoDemoteEachOtherOneStays() throws IOException {
        Scene scene = new Scene("DELETE /data/membership");
        User first = stet.owner(scene.account);
        User second = stet.member(scene.account, "third@example.com", Role.OWNER, PASSWORD);
        atOnce(Browser.of(stet, scene.account, first), "PUT", "/data/members/" + second.id(),
                Browser.of(stet, scene.account, second), "PUT", "/data/members/" + first.id(), OWNERS_ONLY);
        assertEquals(1, owners(scene.account));
    }

    /** One owner leaves while another is demoted. */
    @Test
    void theLastOwnerDoesNotLeaveWhileAnotherIsDemoted() throws IOException {
        Scene scene = new Scene("DELETE /data/membership");
        User first = stet.owner(scene.account);
        User second = stet.member(scene.account, "fourth@example.com", Role.OWNER, PASSWORD);
        atOnce(Browser.of(stet, scene.account, first), "DELETE", "/data/membership",
                Browser.of(stet, scene.account, first), "PUT", "/data/members/" + second.id(), NO_MEMBER, SIGNED_OUT,
                "422 {\"error\":\"This is the account's last owner; make someone else an owner first\",\"field\":\"role\"}");
        assertEquals(1, owners(scene.account));
    }

    /** An invitation to two accounts, one of which has demoted the user meanwhile. */
    @Test
    void anOwnerWhoBecomesAnEditorOfTheOtherAccountInvitesNobody() throws IOException, SQLException {
        Scene scene = new Scene("POST /data/invitations");
        stet.db.change(dao -> dao.members().setRole(scene.other.id(), scene.eve.id(), Role.OWNER, stet.now()));
        String body = "{\"role\":\"owner\",\"others\":[{\"account\":" + scene.other.id() + ",\"role\":\"owner\"}]}";
        Client client = new Client(stet.server.address());
        List<String> before;
        WritingLock.hold(stet.db);
        try {
            client.write(client.request("POST", "/data/invitations", null, "Cookie: " + scene.browser.cookie, "Content-Type: application/json",
                    "Connection: close", "Content-Length: " + body.length()) + body);
            waitFor("the lock", RightsTest::isLockWaitedForByARoute);
            stet.db.change(dao -> dao.members().setRole(scene.other.id(), scene.eve.id(), Role.EDITOR, stet.now()));
            before = scene.rows();
        } finally {
            WritingLock.release(stet.db);
        }
        Client.Reply reply = client.read(false);
        client.close();
        assertEquals(OWNERS_ONLY, reply.status() + " " + reply.text());
        assertEquals(before, scene.swept());
    }

    private static long owners(Account account) {
        return stet.db.read(dao -> dao.members().list(account.id())).stream().filter(member -> member.role() == Role.OWNER).count();
    }

    /** Sends two requests that both pass the first check before either takes effect; one of them must be rejected. */
    private static void atOnce(Browser one, String method, String path, Browser other, String otherMethod, String otherPath,
                               String... refusals) {
        Client first = new Client(stet.server.address());
        Client second = new Client(stet.server.address());
        WritingLock.hold(stet.db);
        try {
            send(first, one, method, path);
            send(second, other, otherMethod, otherPath);
            waitFor("the lock by both", () -> WritingLock.waiting(stet.db) >= 2 && isLockWaitedForByARoute());
        } finally {
            WritingLock.release(stet.db);
        }
        List<String> replies = Stream.of(first, second).map(client -> client.read(false))
                .map(reply -> reply.status() + " " + reply.text()).sorted().toList();
        first.close();
        second.close();
        assertEquals("204 ", replies.get(0));
        assertTrue(List.of(refusals).contains(replies.get(1)), replies.toString());
    }

    private static void send(Client client, Browser browser, String method, String path) {
        String body = method.equals("PUT") ? "{\"role\":\"editor\"}" : "";
        client.write(client.request(method, path, null, "Cookie: " + browser.cookie, "Content-Type: application/json",
                "Connection: close", "Content-Length: " + body.length()) + body);
    }
}
