package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;
import static stet.harness.Browser.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Activity;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Pictures;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.images.ImageFile;

/** Account activity: each change is recorded with its author, and owners and editors can read the record. */
class ActivityTest {
    private static final String EMAIL = "ada@example.com";
    /** Routes without a row: they read, validate, or change only a user's own session and settings, or a guest's comments and what is resolved. */
    private static final Set<String> NO_ROW = Set.of("POST /data/webhook/test", "POST /data/installation/images", "POST /data/check", "POST /data/comparisons",
            "POST /data/filled", "POST /data/eml", "POST /data/templates/:id/versions/:id/preview", "POST /data/templates/:id/presence", "POST /data/blocks/:id/presence", "PUT /data/session", "DELETE /data/session",
            "DELETE /data/sessions", "DELETE /data/sessions/:id", "POST /data/link", "POST /data/review", "POST /data/review/comments", "PUT /data/templates/:id/comments/:id",
            "POST /data/export", "POST /data/import/difference", "POST /data/mail/confirmation", "PUT /data/mail/choices",
            "POST /data/two-factor"); // only starts set-up

    /** Routes whose entries other tests check, because the requests need a proxy, a mail server, a current code or another account. */
    private static final Set<String> ELSEWHERE = Set.of("POST /data/session/proxy", // AuthHeaderTest
            "PUT /data/two-factor", "POST /data/two-factor/off", "POST /data/two-factor/codes", // TwoFactorTest
            "POST /data/link/request", // ForgotPasswordTest
            "POST /data/link/confirm", // ConfirmedAddressTest
            "POST /data/tests", "POST /data/templates/:id/versions/:id/tests", "POST /data/review/tests", // SendTestTest
            "POST /data/copies/:id", // CopyTest
            "POST /data/publications"); // PublicationsTest

    @AutoClose
    private final Running stet = new Running(null, "set-up");

    /** Returns the given fields of each row on an activity page. */
    private static List<String> rows(Browser browser, String query, String... fields) {
        Client.Reply reply = browser.get("/data/activity" + query);
        assertEquals(200, reply.status(), reply.text());
        return StreamSupport.stream(json(reply).get("rows").spliterator(), false)
                .map(row -> List.of(fields).stream().map(field -> row.get(field).asText()).collect(Collectors.joining("|"))).toList();
    }

    private Browser of(Account account, String email, Role role) {
        return Browser.of(stet, account, stet.member(account, email, role, "correct horse"));
    }

    // ---- completeness

    /** A request and the row it writes: kind, subject, detail and author. */
    private record Change(Browser browser, String route, String ids, String body, String row) {
    }

    /** One request per changing route, ordered so that each request finds its target. */
    private List<Change> changes(Browser ada, Account account) {
        User bob = stet.user("bob@example.com");
        stet.db.change(dao -> {
            for (String secret : List.of("one", "two")) {
                dao.links().invite(account.id(), Role.WRITER, "", "notes", stet.now(), secret);
            }
            dao.links().addReset(account.id(), bob.id(), stet.now(), "three");
        });
        Browser stranger = Browser.of(stet);
        Browser eve = stranger; // after she registers
        String zip = new RawZip().file("templates/imported.html", "<p>hi</p>").text();
        String by = "ada@example.com";
        byte[] png = ImageFile.of(Pictures.png(3, 3, 1)).bytes();
        String image = Base64.getEncoder().encodeToString(png);
        String other = Base64.getEncoder().encodeToString(Pictures.png(3, 3, 2));
        String file = HexFormat.of().formatHex(Secret.sha256(png)) + ".png";
        return List.of(
                new Change(ada, "POST /data/templates", "", "{'id':'welcome','name':'Welcome'}", "template-created|welcome|Welcome|" + by),
                new Change(ada, "PUT /data/templates/:id", "welcome", "{'revision':1,'subject':'Hi','html':'<p>','samples':{}}",
                        "draft-saved|welcome|1 save|" + by),
                new Change(ada, "PUT /data/templates/:id/name", "welcome", "{'name':'Hello','revision':1}", "template-renamed|welcome|Hello|" + by),
                new Change(ada, "PUT /data/templates/:id/tags", "welcome", "{'add':['shop','new'],'remove':[]}", "tags-changed|welcome|new, shop|" + by),
                new Change(ada, "PUT /data/templates/:id/features", "welcome", "{'add':['css-gap','css-float'],'remove':[]}",
                        "features-changed|welcome|2 accepted|" + by),
                new Change(ada, "PUT /data/clients", "", "{'clients':['aol']}", "mail-clients-changed||1 mail client|" + by),
                new Change(ada, "PUT /data/brand", "", "{'colour':'#112233','background':'#ffffff','font':'arial'}", "brand-changed||#112233|" + by),
                new Change(ada, "PUT /data/webhook", "", "{'url':'https://hooks.example/1'}", "webhook-changed||hooks.example|" + by),
                new Change(ada, "DELETE /data/webhook", "", null, "webhook-changed||removed|" + by),
                new Change(ada, "POST /data/templates/:id/request", "welcome", "{'note':'first'}", "review-requested|welcome|first|" + by),
                new Change(ada, "DELETE /data/templates/:id/request", "welcome", null, "review-request-withdrawn|welcome||" + by),
                new Change(ada, "POST /data/templates/:id/reviews", "welcome", "{}", "review-link-created|welcome|draft|" + by),
                new Change(ada, "DELETE /data/templates/:id/reviews/:id", "welcome 1", null, "review-link-revoked|welcome|draft|" + by),
                new Change(ada, "POST /data/templates/:id/comments", "welcome", "{'text':'Good'}", "comment-added|welcome||" + by),
                new Change(ada, "DELETE /data/templates/:id/comments/:id", "welcome 1", null, "comment-deleted|welcome||" + by),
                new Change(ada, "POST /data/templates/:id/publish", "welcome", "{'revision':2,'note':'first'}",
                        "template-published|welcome|version 1: first|" + by),
                new Change(ada, "POST /data/templates/:id/versions/:id/reviews", "welcome 1", "{}", "review-link-created|welcome|version 1|" + by),
                new Change(ada, "PUT /data/templates/:id", "welcome", "{'revision':2,'subject':'','html':'<b>','samples':{}}",
                        "draft-saved|welcome|1 save|" + by),
                new Change(ada, "POST /data/templates/:id/publish", "welcome", "{'revision':3}", "template-published|welcome|version 2|" + by),
                new Change(ada, "POST /data/templates/:id/versions/:id/publish", "welcome 1", "{}", "template-published|welcome|version 3|" + by),
                new Change(ada, "POST /data/templates/:id/versions/:id/restore", "welcome 1", "{'revision':3}", "draft-saved|welcome|1 save|" + by),
                new Change(ada, "DELETE /data/templates/:id", "welcome", null, "template-deleted|welcome||" + by),
                new Change(ada, "POST /data/blocks", "", "{'name':'footer','html':'<i>'}", "block-saved|footer|1 save|" + by),
                new Change(ada, "PUT /data/blocks/:id", "footer", "{'revision':5,'html':'<b>'}", "block-saved|footer|1 save|" + by),
                new Change(ada, "DELETE /data/blocks/:id", "footer", null, "block-deleted|footer||" + by),
                new Change(ada, "POST /data/images", "", "{'name':'logo.png','file':'" + image + "'}", "block-saved|images/logo.png|1 save|" + by),
                new Change(ada, "PUT /data/images/:id", "logo.png", "{'revision':7,'file':'" + other + "'}", "block-saved|images/logo.png|1 save|" + by),
                new Change(ada, "DELETE /data/images/:id", "logo.png", null, "block-deleted|images/logo.png||" + by),
                new Change(ada, "DELETE /data/image-files/:id", file, null, "image-file-deleted|images/logo.png|" + file + "|" + by),
                new Change(ada, "POST /data/deletions/:id/restore", "welcome", "{}", "template-restored|welcome||" + by),
                new Change(ada, "DELETE /data/templates/:id", "welcome", null, "template-deleted|welcome||" + by),
                new Change(ada, "DELETE /data/deletions/:id", "welcome", null, "template-deleted-permanently|welcome||" + by),
                new Change(ada, "POST /data/templates", "", "{'id':'other','name':'Other'}", "template-created|other|Other|" + by),
                new Change(ada, "DELETE /data/templates/:id", "other", null, "template-deleted|other||" + by),
                new Change(ada, "DELETE /data/deletions", "", null, "trash-emptied||1 template|" + by),
                new Change(ada, "POST /data/keys", "", "{'name':'web'}", "key-added|web|KEY...|" + by),
                new Change(ada, "POST /data/keys/:id/rotate", "1", "{'hours':0}", "key-rotated|web|KEY...|" + by),
                new Change(ada, "DELETE /data/keys/:id", "2", null, "key-deleted|web|KEY...|" + by),
                new Change(ada, "POST /data/tokens", "", "{'name':'ci','role':'editor'}", "token-added|ci|KEY..., editor|" + by),
                new Change(ada, "POST /data/tokens/:id/rotate", "3", "{'hours':0}", "token-rotated|ci|KEY..., editor|" + by),
                new Change(ada, "DELETE /data/tokens/:id", "4", null, "token-deleted|ci|KEY...|" + by),
                new Change(ada, "POST /data/import", "", zip, "imported||1 created|" + by),
                new Change(ada, "POST /data/session", "", "{'email':'ada@example.com','password':'correct horse'}",
                        "sign-in|ada@example.com|1 sign-in|" + by),
                new Change(ada, "PUT /data/password", "", "{'current':'correct horse','password':'battery staple'}",
                        "password-changed|ada@example.com||" + by),
                new Change(Browser.of(stet, null, bob), "POST /data/link/join", "", "{'secret':'one'}",
                        "user-added|bob@example.com|writer, invited by |bob@example.com"),
                new Change(stranger, "POST /data/link/register", "", "{'secret':'two','name':'','email':'eve@example.com','password':'correct horse'}",
                        "user-added|eve@example.com|writer, invited by |eve@example.com"),
                new Change(Browser.of(stet), "POST /data/link/reset", "", "{'secret':'three','password':'correct horse'}",
                        "password-changed|bob@example.com|by a link of |bob@example.com"),
                new Change(ada, "PUT /data/members/:id", Long.toString(bob.id()), "{'role':'editor'}", "role-changed|bob@example.com|editor|" + by),
                new Change(ada, "POST /data/members/:id/reset", Long.toString(bob.id()), "{}", "reset-link-created|bob@example.com||" + by),
                new Change(ada, "DELETE /data/members/:id", Long.toString(bob.id()), null, "user-removed|bob@example.com||" + by),
                new Change(eve, "DELETE /data/membership", "", null, "user-removed|eve@example.com|left|eve@example.com"),
                new Change(ada, "POST /data/invitations", "", "{'role':'writer','notes':['Carl']}", "user-invited|Carl|writer|" + by),
                new Change(ada, "DELETE /data/invitations/:id", "5", null, "invitation-revoked|Carl|writer|" + by),
                new Change(ada, "PUT /data/account", "", "{'name':'Harbour'}", "account-renamed|Harbour|Cove|" + by),
                new Change(ada, "PUT /data/account", "", "{'name':'Harbour','label':'Live','colour':'red'}", "account-labelled|Live|red|" + by),
                new Change(ada, "POST /data/accounts", "", "{'name':'second','plan':'free'}", "account-added|second|free|" + by),
                new Change(ada, "POST /data/accounts/:id/invitation", "2", "{}", "user-invited||owner|" + by),
                new Change(ada, "DELETE /data/accounts/:id", "2?name=second", null, "account-deleted|second||" + by),
                new Change(ada, "PUT /data/accounts/:id/plan", "1", "{'plan':'pro','requests':7}",
                        "plan-changed||limits: 7 requests, the plan's keys|" + by),
                new Change(ada, "PUT /data/accounts/:id/name", "1", "{'name':'Books'}", "account-renamed|Books|Harbour|" + by),
                new Change(ada, "POST /data/accounts/:id/suspend", "1", "{}", "account-suspended|||" + by),
                new Change(ada, "POST /data/accounts/:id/resume", "1", "{}", "account-resumed|||" + by),
                new Change(ada, "PUT /data/user", "", "{'name':'Ada','email':'ada@new.example.com','current':'battery staple'}",
                        "email-changed|ada@new.example.com|ada@example.com|Ada"),
                new Change(ada, "PUT /data/two-factor/required", "", "{'required':true}",
                        "two-factor-changed||required for everyone|Ada"));
    }

    @Test
    void eachChangingRouteLeavesARowAndALine() throws IOException {
        Browser ada = Browser.of(stet);
        assertEquals(200, ada.post("/data/setup",
                "{\"token\":\"set-up\",\"name\":\"Cove\",\"email\":\"ada@example.com\",\"password\":\"correct horse\",\"plan\":\"pro\",\"requests\":7,\"keys\":2}").status());
        assertEquals("administrator-added|ada@example.com||ada@example.com", newest());
        assertEquals(List.of("plan-changed||limits: 7 requests, 2 keys", "account-added|Cove|pro"), rows(ada, "", "kind", "subject", "detail"));
        Set<String> changing = changingRoutes();
        changing.remove("POST /data/setup");
        Set<String> tried = new TreeSet<>();
        for (Change change : changes(ada, stet.account(EMAIL))) {
            String method = change.route.substring(0, change.route.indexOf(' '));
            String path = change.route.substring(method.length() + 1);
            for (String id : change.ids.split(" ")) {
                path = path.replaceFirst(":id", id);
            }
            String target = path;
            String log = Running.logged(() -> {
                Client.Reply reply = target.equals("/data/import") ? ada.postZip(target, change.body.getBytes(StandardCharsets.ISO_8859_1))
                        : change.browser.send(method, target, change.body == null ? null : change.body.replace('\'', '"'));
                assertTrue(reply.status() < 300, change.route + ": " + reply.status() + " " + reply.text());
            });
            String kind = change.row.replaceFirst("\\|.*", "");
            assertTrue(log.matches("(?s).* INFO " + kind + " .*"), () -> change.route + " is no line: " + log);
            assertEquals(change.row, newest(), change.route);
            stet.clock.advance(Duration.ofMinutes(11)); // later, so that rows are not merged
            tried.add(change.route);
        }
        assertEquals(changing, tried, "a route that changes something needs a row here");
    }

    /** The routes that need a row, as the server's source lists them, without those that other tests check. */
    private static Set<String> changingRoutes() throws IOException {
        Matcher route = Pattern.compile("\"((?:POST|PUT|PATCH|DELETE) /data/[^\"]+)\"").matcher(Files.readString(Path.of("app/main/stet/server/Handler.java")));
        Set<String> routes = route.results().map(found -> found.group(1)).collect(Collectors.toCollection(TreeSet::new));
        routes.removeAll(NO_ROW);
        routes.removeAll(ELSEWHERE);
        return routes;
    }

    /** Returns the newest row across all accounts and the installation, which must name this machine's address. */
    private String newest() {
        Activity newest = stet.db.read(dao -> Stream.concat(Stream.of((Long) null), dao.accounts().list().stream().map(Account::id))
                .flatMap(account -> dao.activity().since(account, Instant.EPOCH, 1).stream())
                .max(Comparator.comparing(Activity::id))).orElseThrow();
        assertEquals("127.0.0.1", newest.address());
        return newest.kind().word() + "|" + newest.subject() + "|" + newest.detail().replaceAll("stet_\\w+", "KEY") + "|" + newest.actor();
    }

    @Test
    void changesWithoutAnAuthorLeaveNeitherRowsNorAName() {
        Account account = stet.account(EMAIL, Plan.PRO);
        stet.template(account, "welcome", "<p>");
        stet.key(account);
        assertEquals(List.of(), rows(Browser.of(stet, account), "", "kind"));
        assertEquals("null", json(Browser.of(stet, account).get("/data/templates/welcome")).get("savedBy").toString());
    }

    // ---- merged rows

    /** Saves and publications by Ada and Ben, with their minutes and the resulting rows, newest first. */
    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "A0 A1 A9; A:3 saves",
        "A0 A9 A10 A11; A:2 saves A:2 saves",
        "A0 B1 A2 B3; B:1 save A:1 save B:1 save A:1 save",
        "A0 P1 A2; A:1 save P A:1 save",
        "A0 a1 A2 a3; a:2 saves A:2 saves"})
    void savesByOneAuthorWithinTenMinutesAreOneRow(String saves, String expected) {
        Account account = stet.account(EMAIL, Plan.PRO);
        stet.draft(account, "welcome", "Welcome", "", "");
        stet.draft(account, "other", "Other", "", "");
        Browser ada = Browser.of(stet, account);
        Browser ben = of(account, "ben@example.com", Role.WRITER);
        Map<String, Integer> revisions = new LinkedHashMap<>(Map.of("welcome", 1, "other", 1));
        int minute = 0;
        for (String save : saves.split(" ")) {
            int at = Integer.parseInt(save.substring(1));
            stet.clock.advance(Duration.ofMinutes(at - minute));
            minute = at;
            String id = save.startsWith("a") ? "other" : "welcome";
            Client.Reply reply = save.startsWith("P") ? ada.post("/data/templates/welcome/publish", "{\"revision\":" + revisions.get(id) + "}")
                    : (save.startsWith("B") ? ben : ada).put("/data/templates/" + id, "{\"revision\":" + revisions.get(id)
                            + ",\"subject\":\"" + save + "\",\"html\":\"\",\"samples\":{}}");
            assertEquals(200, reply.status(), reply.text());
            revisions.computeIfPresent(id, (any, revision) -> save.startsWith("P") ? revision : revision + 1);
        }
        assertEquals(expected, rows(ada, "", "actor", "kind", "subject", "detail").stream()
                .map(row -> row.replaceFirst("ada@example.com.draft-saved.welcome.", "A:").replaceFirst("ada@example.com.draft-saved.other.", "a:")
                        .replaceFirst("ben@example.com.draft-saved.welcome.", "B:").replaceFirst(".*published.*", "P"))
                .collect(Collectors.joining(" ")));
    }

    // ---- the page

    /** Creates 120 templates, each third one by Ben, and then a key. */
    private static void fill(Browser ada, Browser ben) {
        for (int i = 0; i < 120; i++) {
            assertEquals(201, (i % 3 == 0 ? ben : ada).post("/data/templates", "{\"id\":\"t" + i + "\",\"name\":\"T\"}").status());
        }
        assertEquals(201, ada.post("/data/keys", "{\"name\":\"web\"}").status());
    }

    @Test
    void ownersSeeAllRowsInPagesOfFifty() {
        Account account = stet.account(EMAIL, Plan.PRO);
        Browser ada = Browser.of(stet, account);
        fill(ada, of(account, "ben@example.com", Role.EDITOR));
        assertEquals("key-added|web|ada@example.com|127.0.0.1", rows(ada, "", "kind", "subject", "email", "address").get(0));
        List<String> seen = new ArrayList<>();
        String before = "";
        for (int page = 0; page < 3; page++) {
            seen.addAll(rows(ada, before, "subject"));
            assertEquals(page == 2 ? 121 : 50 * page + 50, seen.size());
            before = "?before=" + json(ada.get("/data/activity" + before)).get("before");
        }
        assertEquals("?before=null", before);
        assertEquals(IntStream.rangeClosed(1, 120).mapToObj(i -> "t" + (120 - i)).toList(), seen.subList(1, 121));
    }

    @Test
    void aPageBeforeNoNumberIsMalformed() {
        assertEquals(400, Browser.of(stet, stet.account(EMAIL, Plan.PRO)).get("/data/activity?before=x").status());
    }

    @Test
    void editorsSeeNeitherKeysNorAddressesAndWritersNothing() {
        Account account = stet.account(EMAIL, Plan.PRO);
        Browser ada = Browser.of(stet, account);
        Browser ben = of(account, "ben@example.com", Role.EDITOR);
        assertEquals(201, ada.post("/data/templates", "{\"id\":\"welcome\",\"name\":\"Welcome\"}").status());
        assertEquals(201, ada.post("/data/keys", "{\"name\":\"web\"}").status());
        assertEquals(List.of("template-created|welcome|"), rows(ben, "", "kind", "subject", "address"));
        assertEquals(List.of(), rows(ben, "?kind=key-added", "kind"));
        answered(403, "{\"error\":\"Only editors and owners of the account can do this\"}",
                of(account, "carl@example.com", Role.WRITER).get("/data/activity"));
    }

    @Test
    void rowsAreFilteredByUserSubjectAndKind() {
        Account account = stet.account(EMAIL, Plan.PRO);
        Browser ada = Browser.of(stet, account);
        fill(ada, of(account, "ben@example.com", Role.EDITOR));
        long ben = stet.db.read(dao -> dao.users().find("ben@example.com")).orElseThrow().id();
        assertEquals(40, rows(ada, "?user=" + ben, "id").size());
        assertEquals(List.of("t7"), rows(ada, "?subject=t7&kind=template-created&user=1", "subject"));
        assertEquals(List.of(), rows(ada, "?user=0", "subject"));
        assertEquals(List.of(), rows(ada, "?kind=no-such", "subject"));
        assertEquals(50, rows(ada, "?kind=%ff", "id").size(), "a value that is not UTF-8 does not filter");
    }

    @Test
    void theFiltersListUsersAndTheKindsThatARoleSees() {
        Account account = stet.account(EMAIL, Plan.PRO);
        Browser ben = of(account, "ben@example.com", Role.EDITOR);
        JsonNode owners = json(Browser.of(stet, account).get("/data/activity"));
        assertEquals("[{\"id\":1,\"name\":\"ada@example.com\"},{\"id\":2,\"name\":\"ben@example.com\"}]", owners.get("users").toString());
        assertTrue(owners.get("kinds").has("sign-in-failed"));
        JsonNode editors = json(ben.get("/data/activity")).get("kinds");
        assertEquals("Files imported", editors.get("imported").asText());
        assertFalse(editors.has("sign-in-failed"));
        assertEquals(27, editors.size(), "a new kind that editors see is counted here");
    }

    // ---- sign-ins

    private static void fail(Browser browser, String email) {
        browser.post("/data/session", "{\"email\":\"" + email + "\",\"password\":\"a wrong one\"}");
    }

    private Account known(String email) {
        return stet.account(email, Plan.PRO, "correct horse");
    }

    @Test
    void ownersOfEachAccountOfAUserSeeTheSignIns() {
        Account one = known(EMAIL);
        Account two = stet.account("bob@example.com", Plan.PRO);
        stet.db.change(dao -> dao.members().setRole(two.id(), stet.owner(one).id(), Role.WRITER, stet.now()));
        Browser browser = Browser.of(stet);
        fail(browser, "ADA@example.com");
        fail(browser, "nobody@example.com");
        for (int i = 0; i < 2; i++) {
            assertEquals(200, browser.post("/data/session", "{\"email\":\"ada@example.com\",\"password\":\"correct horse\"}").status());
        }
        for (Account account : List.of(one, two)) {
            Browser owner = Browser.of(stet, account, stet.db.read(dao -> dao.users().find(account.name())).orElseThrow());
            Supplier<List<String>> rows = () -> rows(owner, "", "kind", "subject", "detail", "actor", "address");
            assertEquals(Set.of("sign-in|ada@example.com|2 sign-ins|ada@example.com|127.0.0.1",
                    "sign-in-failed|ada@example.com|1 time|unknown|127.0.0.1"), Set.copyOf(rows.get()));
        }
    }

    /** Failed sign-ins of a user from one address within ten minutes are one row, which is written at once. */
    @Test
    void aFloodOfFailedSignInsIsARowInTenMinutes() {
        Account account = known(EMAIL);
        Browser owner = Browser.of(stet, account);
        Browser browser = Browser.of(stet);
        fail(browser, EMAIL);
        assertEquals(List.of("1 time"), rows(owner, "", "detail"));
        for (int i = 0; i < 7; i++) {
            fail(browser, EMAIL);
        }
        assertEquals(List.of("8 times"), rows(owner, "", "detail"));
        fail(browser, EMAIL);
        stet.restart();
        assertEquals(List.of("9 times"), rows(owner, "", "detail"));
        stet.clock.advance(Duration.ofMinutes(10));
        fail(Browser.of(stet), EMAIL);
        assertEquals(List.of("1 time", "9 times"), rows(Browser.of(stet, account), "", "detail"));
    }

    /** The response to a failed sign-in is the same for a known user, whose row cannot be written, and for an unknown one. */
    @Test
    void aFailedSignInThatCannotBeRecordedIsOnlyLogged() {
        Account account = known(EMAIL);
        stet.db.change(dao -> dao.sql().execute("""
                create trigger full before insert on activity begin select raise(abort, 'full'); end
                """));
        Browser browser = Browser.of(stet);
        Set<String> replies = new TreeSet<>();
        String log = Running.logged(() -> {
            for (String email : List.of(EMAIL, "nobody@example.com")) {
                Client.Reply reply = browser.post("/data/session", "{\"email\":\"" + email + "\",\"password\":\"a wrong one\"}");
                replies.add(reply.status() + " " + reply.text());
            }
        });
        assertEquals(1, replies.size(), replies.toString());
        assertTrue(replies.iterator().next().startsWith("422 "), replies.toString());
        assertEquals(2, log.lines().filter(line -> line.contains("WARN sign-in-failed")).count(), log);
        stet.db.change(dao -> dao.sql().execute("drop trigger full"));
        assertEquals(List.of(), rows(Browser.of(stet, account), "", "detail"));
    }

    @Test
    void reviewRequestsWithinTenMinutesAreOneRow() {
        Account account = stet.account(EMAIL, Plan.PRO);
        Browser ada = Browser.of(stet, account);
        stet.draft(account, "welcome", "Welcome", "", "<p>");
        for (int i = 0; i < 5; i++) {
            assertEquals(200, ada.post("/data/templates/welcome/request", "{\"note\":\"" + i + "\"}").status());
        }
        assertEquals(List.of("4"), rows(ada, "?kind=review-requested", "detail"));
        stet.clock.advance(Duration.ofMinutes(10));
        assertEquals(200, ada.post("/data/templates/welcome/request", "{\"note\":\"later\"}").status());
        assertEquals(List.of("later", "4"), rows(ada, "?kind=review-requested", "detail"));
    }
}
