package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stet.base.Json;
import stet.base.Secret;
import stet.core.Account;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.MailSink;
import stet.harness.Pictures;
import stet.harness.Running;
import stet.images.ImageFile;

/**
 * Calls every data route without a session, with another account's session, and with each role. Reads the routes and roles from
 * the handler's switch; a new route needs a role there and a row here.
 */
public class TenancyTest {
    private static final String SIGNED_OUT = "{\"error\":\"Signed out\",\"setup\":false}";
    /** Routes that start or end a session, or open a link. */
    static final Set<String> OPEN = Set.of("POST /data/setup", "POST /data/session", "POST /data/session/proxy", "DELETE /data/session",
            "POST /data/link", "POST /data/link/register", "POST /data/link/reset", "POST /data/link/confirm", "POST /data/link/request", "GET /data/mail", "POST /data/review", "POST /data/review/comments");
    private static final String NO_MEMBER = "{\"error\":\"You no longer belong to this account\"}";
    private static final String SUSPENDED = "{\"error\":\"This account is suspended; contact an administrator\"}";
    private static final String ADMINISTRATORS_ONLY = "{\"error\":\"Only administrators of this server can do this\"}";
    /** Part of every text in the first account, and of no text in the second. */
    private static final String SECRET = "alphas-own";
    private static final String PASSWORD = "correct horse";

    /** Each route's body, or null for none. The first account's owner could send it, so only the id makes the request fail. */
    private static final Map<String, String> BODIES = new HashMap<>();

    static {
        row("POST /data/setup",
                "{\"token\":\"none\",\"email\":\"eve@example.com\",\"password\":\"" + PASSWORD + "\",\"plan\":\"free\"}");
        row("POST /data/session", "{\"email\":\"alpha@example.com\",\"password\":\"a wrong one\"}");
        row("DELETE /data/session", null);
        row("GET /data/session", null);
        row("PUT /data/session", "{\"account\":1}");
        row("POST /data/session/proxy", "{}");
        row("GET /data/sessions", null);
        row("DELETE /data/sessions", null);
        row("DELETE /data/sessions/:id", null);
        row("PUT /data/password", "{\"current\":\"" + PASSWORD + "\",\"password\":\"another one\"}");
        row("PUT /data/user", "{\"name\":\"\",\"email\":\"alpha@example.com\",\"current\":\"a wrong one\"}");
        row("POST /data/link", "{\"secret\":\"guessed\"}");
        row("POST /data/link/join", "{\"secret\":\"guessed\"}");
        row("POST /data/link/register", "{\"secret\":\"guessed\",\"name\":\"\",\"email\":\"eve@example.com\","
                + "\"password\":\"" + PASSWORD + "\"}");
        row("POST /data/link/reset", "{\"secret\":\"guessed\",\"password\":\"" + PASSWORD + "\"}");
        row("POST /data/link/confirm", "{\"secret\":\"guessed\"}");
        row("POST /data/link/request", "{\"email\":\"alpha@example.com\"}");
        row("GET /data/mail", null);
        row("GET /data/mail/own", null);
        row("POST /data/mail/confirmation", "{}");
        row("PUT /data/mail/choices", "{\"tests\":true,\"reviews\":false}");
        row("GET /data/mail/queue", null);
        row("GET /data/tests", null);
        row("POST /data/tests", "{\"template\":\"alphas-own-template\",\"subject\":\"\",\"html\":\"{{> alphas-own-block}}\",\"samples\":{},\"to\":1}");
        row("GET /data/tests/:id", null);
        row("POST /data/templates/:id/versions/:id/tests", "{\"to\":1}");
        row("POST /data/review/tests", "{\"secret\":\"guessed\",\"to\":1}");
        row("GET /data/members", null);
        row("PUT /data/members/:id", "{\"role\":\"owner\"}");
        row("DELETE /data/members/:id", null);
        row("GET /data/members/:id/secrets", null);
        row("POST /data/members/:id/reset", "{}");
        row("DELETE /data/membership", null);
        row("PUT /data/account", "{\"name\":\"taken\"}");
        row("POST /data/invitations", "{\"role\":\"owner\"}");
        row("DELETE /data/invitations/:id", null);
        row("GET /data/installation", null);
        row("POST /data/installation/images", "{}");
        row("POST /data/accounts", "{\"name\":\"taken\",\"plan\":\"pro\"}");
        row("POST /data/accounts/:id/invitation", "{}");
        row("PUT /data/accounts/:id/plan", "{\"plan\":\"none\"}");
        row("PUT /data/accounts/:id/name", "{\"name\":\"taken\"}");
        row("POST /data/accounts/:id/suspend", "{}");
        row("POST /data/accounts/:id/resume", "{}");
        row("DELETE /data/accounts/:id", null);
        row("GET /data/two-factor", null);
        row("POST /data/two-factor", "{\"password\":\"" + PASSWORD + "\"}");
        row("PUT /data/two-factor", "{\"code\":\"123456\"}");
        row("POST /data/two-factor/off", "{\"code\":\"123456\"}");
        row("POST /data/two-factor/codes", "{\"code\":\"123456\"}");
        row("PUT /data/two-factor/required", "{\"required\":false}");
        row("GET /data/templates", null);
        row("POST /data/templates", "{\"id\":\"copy\",\"name\":\"Copy\",\"copyOf\":\"alphas-own-template\"}");
        row("GET /data/ids", null);
        row("GET /data/starters", null);
        row("GET /data/templates/:id", null);
        row("PUT /data/templates/:id", "{\"revision\":1,\"subject\":\"taken\",\"html\":\"taken\",\"samples\":{}}");
        row("PUT /data/templates/:id/name", "{\"name\":\"taken\",\"revision\":1}");
        row("DELETE /data/templates/:id", null);
        row("PUT /data/templates/:id/tags", "{\"add\":[\"taken\"],\"remove\":[\"alphas-own-tag\"]}");
        row("PUT /data/templates/:id/features", "{\"add\":[\"css-gap\"],\"remove\":[]}");
        row("GET /data/templates/:id/reviews", null);
        row("GET /data/templates/:id/comments", null);
        row("POST /data/templates/:id/comments", "{\"text\":\"hi\"}");
        row("PUT /data/templates/:id/comments/:id", "{}");
        row("DELETE /data/templates/:id/comments/:id", null);
        row("POST /data/review/comments", "{\"secret\":\"guessed\",\"name\":\"Kim\",\"text\":\"hi\"}");
        row("POST /data/review", "{\"secret\":\"guessed\"}");
        row("POST /data/templates/:id/reviews", "{}");
        row("POST /data/templates/:id/versions/:id/reviews", "{}");
        row("DELETE /data/templates/:id/reviews/:id", null);
        row("GET /data/clients", null);
        row("PUT /data/clients", "{\"clients\":[\"aol\"]}");
        row("GET /data/brand", null);
        row("PUT /data/brand", "{\"colour\":\"#112233\",\"background\":\"#ffffff\",\"font\":\"arial\"}");
        row("GET /data/search", null);
        row("POST /data/export", "{\"templates\":[\"alphas-own-template\"]}");
        row("GET /data/deletions", null);
        row("POST /data/deletions/:id/restore", "{}");
        row("DELETE /data/deletions/:id", null);
        row("DELETE /data/deletions", null);
        row("POST /data/filled", "{\"subject\":\"\",\"html\":\"{{> alphas-own-block}}\",\"samples\":{}}");
        row("POST /data/eml", "{\"subject\":\"\",\"html\":\"{{> alphas-own-block}}\",\"samples\":{}}");
        row("POST /data/check", "{\"subject\":\"\",\"html\":\"{{> alphas-own-block}}\",\"samples\":{}}");
        row("GET /data/templates/:id/types", null);
        row("GET /data/templates/:id/publication", null);
        row("POST /data/templates/:id/publish", "{\"revision\":1,\"note\":\"taken\"}");
        row("POST /data/comparisons", "{\"templates\":[\"alphas-own-template\"]}");
        row("POST /data/publications", "{\"templates\":[{\"id\":\"alphas-own-template\",\"revision\":1,\"sha256\":\"\"}]}");
        row("GET /data/templates/:id/versions", null);
        row("GET /data/templates/:id/versions/:id", null);
        row("POST /data/templates/:id/versions/:id/preview", "{}");
        row("POST /data/templates/:id/versions/:id/restore", "{\"revision\":1}");
        row("POST /data/templates/:id/versions/:id/publish", "{}");
        row("POST /data/templates/:id/presence", "{\"dirty\":true}");
        row("POST /data/blocks/:id/presence", "{\"dirty\":true}");
        row("POST /data/templates/:id/request", "{\"note\":\"taken\"}");
        row("DELETE /data/templates/:id/request", null);
        row("GET /data/activity", null);
        row("GET /data/stale", null);
        row("GET /data/blocks", null);
        row("POST /data/blocks", "{\"name\":\"mine\",\"html\":\"mine\"}");
        row("GET /data/blocks/:id", null);
        row("PUT /data/blocks/:id", "{\"revision\":1,\"html\":\"taken\"}");
        row("DELETE /data/blocks/:id", null);
        String image = "\"file\":\"" + Base64.getEncoder().encodeToString(Pictures.png(3, 3, 7)) + "\"}";
        row("GET /data/images", null);
        row("POST /data/images", "{\"name\":\"mine.png\"," + image);
        row("GET /data/images/:id", null);
        row("PUT /data/images/:id", "{\"revision\":1," + image);
        row("DELETE /data/images/:id", null);
        row("DELETE /data/image-files/:id", null);
        row("GET /data/keys", null);
        row("POST /data/keys", "{\"name\":\"mine\"}");
        row("GET /data/tokens", null);
        row("POST /data/tokens", "{\"name\":\"mine\",\"role\":\"editor\"}");
        row("DELETE /data/tokens/:id", null);
        row("POST /data/tokens/:id/rotate", "{\"hours\":0}");
        row("DELETE /data/keys/:id", null);
        row("POST /data/keys/:id/rotate", "{\"hours\":0}");
        row("GET /data/webhook", null);
        row("PUT /data/webhook", "{\"url\":\"https://taken.example\"}");
        row("DELETE /data/webhook", null);
        row("POST /data/webhook/test", null);
        row("GET /data/usage", null);
        row("GET /data/backups", null);
        row("GET /data/export", null);
        row("POST /data/copies/:id", "{\"templates\":[\"alphas-own-template\"]}");
        row("POST /data/import", "no zip");
        row("POST /data/import/difference", "no zip");
    }

    @AutoClose
    private static Running stet;
    @AutoClose
    private static MailSink sink;
    private static Account alpha;
    private static Account beta;
    /** Has a member for each role, named after the role. The owner is not the only owner. */
    private static Account team;
    private static Account suspended;
    private static long alphasKey;
    private static long alphasMember;
    private static long alphasInvitation;
    private static long alphasSession;
    private static long alphasReview;
    private static long alphasToken;
    private static String alphasImage;
    private static long alphasTest;

    private static void row(String route, String body) {
        BODIES.put(route, body);
    }

    @BeforeAll
    static void fill() throws IOException { // not at class initialization, because other tests use this class without running its tests
        stet = new Running();
        sink = new MailSink();
        stet.restartWithMail(sink.url());
        alpha = stet.account("alpha@example.com", Plan.PRO, PASSWORD);
        beta = stet.account("beta@example.com", Plan.PRO, "another horse");
        team = stet.account("team@example.com", Plan.PRO);
        suspended = stet.account("suspended@example.com", Plan.PRO, "another horse");
        stet.block(alpha, "alphas-own-block", "<i>alphas-own</i>");
        stet.block(alpha, "alphas-own-unused", "<i>alphas-own</i>");
        ImageFile file = ImageFile.of(Pictures.png(4, 4, 9));
        stet.db.change(dao -> dao.images().save(alpha.id(), "images/alphas-own-unused.png", file, stet.now()));
        ImageFile former = ImageFile.of(Pictures.png(5, 5, 9)); // without a name, so that nothing uses it
        stet.db.change(dao -> dao.images().save(alpha.id(), "images/alphas-own-former.png", former, stet.now()));
        stet.db.change(dao -> dao.blocks().delete(alpha.id(), "images/alphas-own-former.png", stet.now()));
        alphasImage = HexFormat.of().formatHex(Secret.sha256(former.bytes())) + ".png";
        stet.draft(alpha, "alphas-own-template", "alphas-own name", "alphas-own subject",
                "<p>alphas-own {{> alphas-own-block}}</p>");
        stet.publish(alpha, "alphas-own-template");
        stet.db.change(dao -> dao.library().changeTags(alpha.id(), "alphas-own-template", List.of("alphas-own-tag"), List.of(), stet.now()));
        stet.block(alpha, "alphas-own-block", "<i>alphas-own and newer</i>");
        stet.draft(alpha, "alphas-own-deleted", "alphas-own name", "alphas-own subject", "<p>alphas-own</p>");
        stet.db.change(dao -> dao.trash().delete(alpha.id(), "alphas-own-deleted", stet.now()));
        String key = stet.key(alpha);
        alphasKey = stet.db.read(dao -> dao.keys().list(alpha.id())).get(0).id();
        alphasToken = stet.db.write(dao -> dao.tokens().add(alpha, "alphas-own", Role.EDITOR, "secret", null, stet.now())).id();
        alphasMember = stet.member(alpha, "alphas-own@example.com", Role.EDITOR, PASSWORD).id();
        stet.db.change(dao -> dao.links().invite(alpha.id(), Role.OWNER, "alphas-own note", "notes", stet.now(), "secret"));
        alphasInvitation = stet.db.read(dao -> dao.links().invitations(alpha.id(), stet.now())).get(0).id();
        stet.db.change(dao -> dao.accounts().setSuspended(suspended, true, stet.now()));
        assertEquals(200, stet.get(Running.TEMPLATES + "alphas-own-template", key).status());
        assertEquals(404, stet.get(Running.TEMPLATES + "alphas-own-slip", key).status());
        Browser owner = Browser.of(stet, alpha);
        alphasReview = Json.tree(owner.post("/data/templates/alphas-own-template/reviews", "{}").text()).get("id").asLong();
        assertEquals(200, owner.post("/data/templates/alphas-own-template/comments", "{\"text\":\"alphas-own comment\"}").status());
        stet.confirm("alpha@example.com");
        alphasTest = Json.tree(owner.post("/data/templates/alphas-own-template/versions/1/tests", "{\"to\":" + stet.owner(alpha).id() + "}").text()).get("id").asLong();
        assertTrue(Running.comes(() -> stet.db.read(dao -> dao.mailQueue().waiting()) == 0));
        alphasSession = stet.db.read(dao -> dao.sessions().list(stet.owner(alpha).id(), stet.now(), Duration.ofDays(1), Duration.ofDays(1)))
                .get(0).id();
        assertTrue(Running.comes(() -> owner.get("/data/usage").text().contains("alphas-own-slip")));
    }

    /** Read from the source, because the running program cannot list its cases. */
    static List<String> routes() throws IOException {
        Path source = Path.of("app/main/stet/server/Handler.java");
        List<String> routes = new ArrayList<>();
        Matcher route = Pattern.compile("\"((?:GET|POST|PUT|PATCH|DELETE) /data/[^\"]+)\"").matcher(Files.readString(source));
        while (route.find()) {
            routes.add(route.group(1));
        }
        assertTrue(routes.size() > 25, routes.toString());
        return routes;
    }

    /** Returns a route's required role: an account role, "self" for any signed-in user, "administrator", or "open". */
    static String role(String route) throws IOException {
        Matcher line = Pattern.compile("case \"" + Pattern.quote(route)
                + "\" -> (?:as\\((WRITER|EDITOR|OWNER), |(signedIn|administrator|administratorReport)\\()?")
                .matcher(Files.readString(Path.of("app/main/stet/server/Handler.java")));
        assertTrue(line.find(), route);
        String role = line.group(1) != null ? line.group(1)
                : Map.of("", "open", "signedIn", "self").getOrDefault(Objects.requireNonNullElse(line.group(2), ""), "administrator");
        assertEquals(OPEN.contains(route), role.equals("open"), "A route without a role: " + route);
        return role;
    }

    /** The path with the first account's ids. */
    private static String alphas(String route) {
        return path(route, "alphas-own-template", "alphas-own-unused", alphasKey, alphasMember, alphasInvitation, alpha.id());
    }

    /** The path with unknown ids. */
    private static String unknown(String route) {
        return path(route, "no-such", "no-such", 999_999, 999_999, 999_999, 999_999);
    }

    private static String path(String route, String template, String block, long key, long member, long invitation, long account) {
        return route.substring(route.indexOf(' ') + 1).replace("/templates/:id", "/templates/" + template)
                .replace("/versions/:id", "/versions/1").replace("/comments/:id", "/comments/" + (account == alpha.id() ? 1 : account)).replace("/reviews/:id", "/reviews/" + (account == alpha.id() ? alphasReview : account)).replace("/blocks/:id", "/blocks/" + block)
                .replace("/images/:id", "/images/" + block + ".png").replace("/image-files/:id", "/image-files/" + (account == alpha.id() ? alphasImage : "no-such.png"))
                .replace("/deletions/:id", "/deletions/" + (account == alpha.id() ? "alphas-own-deleted" : template))
                .replace("/keys/:id", "/keys/" + key).replace("/tokens/:id", "/tokens/" + (account == alpha.id() ? alphasToken : account)).replace("/members/:id", "/members/" + member)
                .replace("/tests/:id", "/tests/" + (account == alpha.id() ? alphasTest : account)).replace("/invitations/:id", "/invitations/" + invitation).replace("/accounts/:id", "/accounts/" + account).replace("/copies/:id", "/copies/" + account)
                .replace("/sessions/:id", "/sessions/" + (account == alpha.id() ? alphasSession : account));
    }

    private static Client.Reply call(Browser browser, String route, String path) {
        assertTrue(BODIES.containsKey(route), "A new route needs a row in BODIES: " + route);
        assertFalse(path.contains(":id"), "A new kind of id: " + path);
        String type = "Content-Type: " + (route.startsWith("POST /data/import") ? "application/zip" : "application/json");
        return browser.send(route.substring(0, route.indexOf(' ')), path, BODIES.get(route), type);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("routes")
    void onlyOpenRoutesWorkWithoutASession(String route) throws SQLException {
        List<String> before = rows(alpha);
        String path = alphas(route);
        Client.Reply reply = call(Browser.of(stet), route, path);
        if (!OPEN.contains(route)) {
            answered(401, SIGNED_OUT, reply);
            assertEquals("Cookie realm=\"stet\"", reply.header("WWW-Authenticate"));
            Browser stranger = Browser.of(stet);
            stranger.cookie = "stet=unknown";
            answered(401, SIGNED_OUT, call(stranger, route, path));
        }
        assertFalse(reply.text().contains(SECRET), reply.text());
        assertEquals(before, rows(alpha));
    }

    /** A browser of the other account's owner, added again if a test of a route has removed the owner. */
    private static Browser betas() {
        return Browser.of(stet, beta, stet.member(beta, "beta@example.com", Role.OWNER, "another horse"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("routes")
    void noRouteShowsAnotherAccountsData(String route) throws SQLException, IOException {
        List<String> before = rows(alpha);
        Client.Reply foreign = call(betas(), route, alphas(route));
        if (role(route).equals("administrator")) {
            answered(403, ADMINISTRATORS_ONLY, foreign);
        } else if (route.contains(":id")) {
            Client.Reply unknown = call(betas(), route, unknown(route));
            answered(404, "{\"error\":\"Not found\"}", foreign);
            answered(404, "{\"error\":\"Not found\"}", unknown);
            unknown.headers().remove("date");
            foreign.headers().remove("date");
            assertEquals(unknown.headers(), foreign.headers());
        }
        assertNotEquals(500, foreign.status());
        String repeated = foreign.text().replace("{{> alphas-own-block}}", "").replace("Template alphas-own-template not found", "")
                .replace("\"subject\":\"alphas-own-template\"", "") // this account's activity has a template of the same id
                .replace("{\"id\":\"alphas-own-template\",\"status\":404,\"error\":\"Not found\"}", "")
                .replace("\"name\":\"alphas-own-block\"", "")
                .replace("shared block \\\"alphas-own-block\\\" not found", "");
        assertFalse(repeated.contains(SECRET), foreign.text());
        assertEquals(before, rows(alpha));
    }

    static List<String> restrictedRoutes() throws IOException {
        List<String> routes = new ArrayList<>(routes());
        routes.removeAll(OPEN);
        return routes;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("restrictedRoutes")
    void eachRouteRequiresItsRole(String route) throws SQLException, IOException {
        String needed = role(route);
        List<String> before = rows(alpha);
        for (Role role : Role.values()) {
            String refusal = refusal(needed, role);
            User own = stet.member(team, role.word() + "@example.com", role, "another horse");
            check(refusal, route, call(Browser.of(stet, team, own), route, unknown(route)));
            User foreign = stet.member(beta, role.word() + "-of-beta@example.com", role, "another horse");
            check(refusal, route, call(Browser.of(stet, beta, foreign), route, alphas(route)));
        }
        assertEquals(before, rows(alpha));
    }

    /** @return the complete body of the 403 that a member with this role gets, or null if the route works or finds nothing */
    private static String refusal(String needed, Role role) {
        if (needed.equals("administrator")) {
            return ADMINISTRATORS_ONLY;
        }
        if (needed.equals("self") || role.includes(Role.valueOf(needed))) {
            return null;
        }
        return needed.equals("OWNER") ? "{\"error\":\"Only owners of the account can do this\"}"
                : "{\"error\":\"Only editors and owners of the account can do this\"}";
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("restrictedRoutes")
    void removedUsersAndSuspendedAccountsUseNoRouteOfAnAccount(String route) throws SQLException, IOException {
        String needed = role(route);
        List<String> before = rows(alpha);
        boolean isOfAccount = !needed.equals("self") && !needed.equals("administrator");
        String nobodys = isOfAccount ? NO_MEMBER : needed.equals("administrator") ? ADMINISTRATORS_ONLY : null;
        User removed = stet.member(alpha, "removed@example.com", Role.OWNER, "another horse");
        Browser open = Browser.of(stet, alpha, removed);
        stet.db.change(dao -> assertTrue(dao.members().remove(alpha.id(), removed.id())));
        check(nobodys, route, call(open, route, alphas(route)));
        check(nobodys, route, call(Browser.of(stet, null, removed), route, alphas(route)));
        check(isOfAccount ? SUSPENDED : nobodys, route, call(Browser.of(stet, suspended), route, alphas(route)));
        stet.db.change(dao -> dao.users().setAdministrator(removed.id(), true));
        check(isOfAccount ? NO_MEMBER : null, route, call(Browser.of(stet, null, removed), route, unknown(route)));
        stet.db.change(dao -> dao.users().setAdministrator(removed.id(), false));
        assertEquals(before, rows(alpha));
    }

    /** @param refusal the complete body of a 403, or null if the route works or finds nothing */
    private static void check(String refusal, String route, Client.Reply reply) {
        if (refusal != null) {
            answered(403, refusal, reply);
        } else if (!route.equals("PUT /data/session")) {
            assertTrue(Set.of(200, 201, 204, 404, 409, 415, 422).contains(reply.status()), reply.status() + " " + reply.text());
        }
        assertFalse(reply.text().replaceAll("alphas-own-(template|block)", "").contains(SECRET), reply.text());
    }

    @Test
    void missingAndForeignIdsInABodyReadTheSame() {
        Browser browser = betas();
        answered(422, "{\"error\":\"Template alphas-own-template not found\",\"field\":\"copyOf\"}",
                browser.post("/data/templates", "{\"name\":\"Copy\",\"copyOf\":\"alphas-own-template\"}"));
        answered(422, "{\"error\":\"Template no-such not found\",\"field\":\"copyOf\"}",
                browser.post("/data/templates", "{\"name\":\"Copy\",\"copyOf\":\"no-such\"}"));
        for (String block : List.of("alphas-own-block", "no-such")) {
            String check = browser.post("/data/check", BODIES.get("POST /data/check").replace("alphas-own-block", block)).text();
            assertTrue(check.contains("{\"name\":\"" + block + "\",\"line\":1,\"exists\":false}"), check);
        }
    }

    @Test
    void theIdOfAnotherAccountsTemplateIsFree() {
        Browser browser = betas();
        assertEquals(201, browser.post("/data/templates", "{\"id\":\"alphas-own-template\",\"name\":\"Mine\"}").status());
        answered(204, "", browser.delete("/data/templates/alphas-own-template"));
        answered(204, "", browser.delete("/data/deletions/alphas-own-template")); // other tests look for the id in this account's trash
    }

    /** All rows of an account. */
    public static List<String> rows(Account account) throws SQLException {
        stet.sweep();
        return rows(stet.folder, account);
    }

    public static List<String> rows(Path folder, Account account) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("stet.db"));
                Statement statement = connection.createStatement()) {
            List<String> tables = new ArrayList<>();
            try (ResultSet names = statement.executeQuery("""
                    select name from sqlite_schema
                    where type = 'table' and name not like 'sqlite%' and name not in ('changes', 'opened', 'retention', 'storage_default', 'image_requests', 'image_settings', 'mail_settings')
                    order by name
                    """)) {
                while (names.next()) {
                    tables.add(names.getString(1));
                }
            }
            for (String table : tables) {
                String owner = switch (table) {
                    case "accounts" -> "id = ";
                    case "activity" -> "kind <> 'sign-in-failed' and kind <> 'reset-requested' and account_id = "; // anyone may try
                    case "samples", "accepted_features", "versions", "version_blocks", "template_uses" -> "template in (select row from templates where account_id = ";
                    case "secret_uses" -> "secret_id in (select id from secrets where account_id = ";
                    case "garbage" -> "text in (select id from texts where account_id = ";
                    case "users" -> "id in (select user_id from members where account_id = ";
                    case "sessions", "recovery_codes" -> "user_id in (select user_id from members where account_id = ";
                    default -> "account_id = ";
                };
                rows.addAll(rows(statement, table, owner + account.id() + (owner.contains("(") ? ")" : "")));
            }
        }
        assertFalse(rows.isEmpty());
        return rows;
    }

    private static List<String> rows(Statement statement, String table, String where) throws SQLException {
        List<String> rows = new ArrayList<>();
        // The mailer changes an email's state at any time; a request can only drop it.
        String columns = table.equals("mails") ? "id, kind, account_id, user_id, sender_id, address, template, state = 'dropped', created_at" : "*";
        try (ResultSet result = statement.executeQuery("select " + columns + " from " + table + " where " + where)) {
            assertNotNull(result);
            while (result.next()) {
                StringBuilder row = new StringBuilder(table);
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    Object value = result.getObject(i);
                    row.append('|').append(value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value);
                }
                rows.add(row.toString());
            }
        }
        return rows;
    }
}
