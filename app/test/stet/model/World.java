package stet.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import stet.base.Json;
import stet.base.Secret;
import stet.base.Timestamp;
import stet.dao.PushPreviewDao;
import stet.harness.Client.Reply;
import stet.harness.Client;
import stet.harness.Doubled;
import stet.harness.Pictures;
import stet.harness.Running;
import stet.images.ImageFile;
import stet.model.ModelAccount.Refused;
import stet.model.ModelAccount.Template;
import stet.model.ModelAccount.Token;
import stet.testing.StetFixture;

/** A running test double with its web application, and the model to compare it with. */
final class World implements AutoCloseable {
    static final String ADA = "ada@example.com";
    static final String BOB = "bob@example.com";
    static final String CYD = "cyd@example.com";
    static final List<String> EMAILS = List.of(ADA, BOB, CYD);
    static final List<String> IDS = List.of("one", "two", "three", "four");
    static final List<String> BLOCKS = List.of("a", "b", "c");
    /** Images; in the model, the text of each is its address. */
    static final List<String> IMAGES = List.of("images/x.png", "images/y.png");
    /** Files by address. */
    static final Map<String, byte[]> PICTURES = pictures();
    private static final String PASSWORD = "a long word";
    private static final String FIXTURE = "/_fixture";
    private static final List<String> ROLES = List.of("writer", "editor", "owner");
    private static final Path DATA = data();

    final Model model = new Model();
    private static final int TRACED = 80;
    /** The latest requests and responses, for failure reports. */
    final Deque<String> trace = new ArrayDeque<>();
    Random random = new Random(0);
    /** An earlier export of an account, to import later. */
    ModelAccount.Files exported;
    /** An earlier pull of an account. */
    ModelAccount.Pulled pulled = ModelAccount.Pulled.NOTHING;
    private final StetFixture fixture = StetFixture.folder(DATA).now(Model.START).web().start();
    private Client client;
    private final Map<String, String> cookies = new HashMap<>();
    /** Selected account by email address. */
    private final Map<String, String> working = new HashMap<>();

    /** A member who can sign in. */
    record Member(String user, ModelAccount account) {
        boolean is(String role) {
            return ROLES.indexOf(account.members.get(user)) >= ROLES.indexOf(role);
        }
    }

    /** Folders of two accounts: a published template, a draft, and nested shared blocks. */
    private static Path data() {
        Path folder = Running.temporary();
        for (String email : List.of(ADA, BOB)) {
            ModelAccount account = seed(email);
            String name = email.substring(0, 3) + "/";
            Doubled.write(folder, name + "account.json", "{\"email\": \"" + email + "\", \"plan\": \"" + account.plan
                    + "\", \"createdAt\": \"" + Model.START + "\", \"password\": \"" + PASSWORD + "\", \"keys\": [{\"name\": \""
                    + account.keys.get(0).name() + "\", \"key\": \"" + account.keys.get(0).value() + "\"}]}");
            files(account.export()).forEach((path, bytes) ->
                    Doubled.write(folder, name + path, new String(bytes, StandardCharsets.UTF_8)));
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Running.delete(folder)));
        return folder;
    }

    private static ModelAccount seed(String email) {
        ModelAccount account = new ModelAccount(email);
        account.plan = email.equals(ADA) ? "pro" : "free";
        account.anchor = Model.START;
        account.members.put(email, "owner");
        String key = "stet-" + email.substring(0, 3) + "-1";
        account.keys.add(new ModelAccount.Key(key, key, null));
        account.putBlock("a", "<i>{{company}}</i>{{> b}}", Model.START);
        account.putBlock("b", "<b>{{street}}</b>", Model.START);
        account.put("one", "One", "Hi {{name}}", "<p>Hello {{name}} {{> b}}</p>\r\n", true, Model.START);
        account.put("two", "Two", "", "<p>Later</p>{{> a}}", false, Model.START);
        account.templates.keySet().forEach(account::noteSource);
        account.blocks.forEach((name, block) -> account.blockSources.put(name, block.html()));
        return account;
    }

    World() {
        for (String email : List.of(ADA, BOB)) {
            model.accounts.put(email, seed(email));
            model.users.put(email, true);
        }
        model.started();
    }

    void trace(String line) {
        trace.add(line);
        if (trace.size() > TRACED) {
            trace.remove();
        }
    }

    // ---- randomness

    <T> T any(Collection<T> of) {
        return List.copyOf(of).get(random.nextInt(of.size()));
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    ModelAccount anyAccount() {
        return any(model.accounts.values());
    }

    /** Null if nobody can sign in. */
    Member anyMember() {
        List<Member> members = new ArrayList<>();
        model.accounts.values().forEach(account -> account.members.keySet().stream()
                .filter(user -> model.users.getOrDefault(user, false)).forEach(user -> members.add(new Member(user, account))));
        return members.isEmpty() ? null : any(members);
    }

    /** Returns a template id, usually of an existing template. */
    String anyId(ModelAccount account) {
        return account.templates.isEmpty() || chance(20) ? any(IDS) : any(account.templates.keySet());
    }

    String anyBlock(ModelAccount account) {
        List<String> blocks = account.blocks.keySet().stream().filter(name -> !isImage(name)).toList();
        return blocks.isEmpty() || chance(20) ? any(BLOCKS) : any(blocks);
    }

    static boolean isImage(String block) {
        return block.startsWith("images/");
    }

    private static Map<String, byte[]> pictures() {
        Map<String, byte[]> pictures = new LinkedHashMap<>();
        for (int colour = 1; colour <= 3; colour++) {
            byte[] file = ImageFile.of(Pictures.png(3, 3, 60 * colour)).bytes();
            pictures.put("http://127.0.0.1:8080/images/" + HexFormat.of().formatHex(Secret.sha256(file)) + ".png", file);
        }
        return pictures;
    }

    String anyText() {
        return anyText(BLOCKS);
    }

    /** A block's text; usually includes only later blocks, to avoid cycles. */
    String anyText(String block) {
        return anyText(chance(10) ? BLOCKS : BLOCKS.subList(BLOCKS.indexOf(block) + 1, BLOCKS.size()));
    }

    private String anyText(List<String> blocks) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            text.append(chance(8) ? "<img src='{{> " + any(IMAGES) + "}}'>" : !blocks.isEmpty() && chance(45) ? "{{> " + any(blocks) + "}}" : any(List.of("<p>Gr\u00fc\u00dfe \ud83d\ude00</p>", "\r\n",
                    "{{name}}", "{{ user.name }}", "{{{raw}}}", "{{#items}}.{{/items}}", "{{! note }}", "<b>" + random.nextInt(3) + "</b>")));
        }
        return text + (chance(2) ? ModelAccount.ERROR : chance(2) ? "{{> nothing}}" : "");
    }

    String anySubject() {
        return any(List.of("", "Hi", "Hi {{name}}", "{{first}} {{name}} \u20ac"));
    }

    /** Returns the revision that an editor has seen; sometimes an outdated one. */
    long seen(long revision) {
        return chance(8) ? revision - 1 : revision;
    }

    // ---- the web application

    /**
     * Sends a request of the web application and applies its change to the model.
     *
     * @param role required @param done status on success @param json null for no body
     * @return the response, or null if rejected
     */
    Reply page(Member member, String role, String method, String path, Object json, int done, Runnable change) {
        return page(member, role, method, path, json == null ? null : Json.write(json), "application/json", done, change);
    }

    Reply page(Member member, String role, String method, String path, byte[] body, String type, int done, Runnable change) {
        int expected = member.is(role) ? status(done, 422, change) : 403;
        Reply reply = as(member, method, path, body, type);
        expect(method + " " + path, expected, reply.status() == done || reply.status() == expected ? reply.status()
                : reply.status() + " " + reply.text());
        return expected == done ? reply : null;
    }

    /** Changes the model. @return the service's expected status */
    private static int status(int done, int refused, Runnable change) {
        try {
            change.run();
            return done;
        } catch (Refused refusal) {
            return refusal.status == 422 ? refused : refusal.status;
        }
    }

    JsonNode read(Member member, String path) {
        Reply reply = as(member, "GET", path, null, null);
        expect("GET " + path, 200, reply.status());
        return Json.readObject(reply.body());
    }

    /** A guest opens a review link and may comment. @param comment or null */
    void review(ModelAccount account, String secret, String comment) {
        String template = account.reviewLinks.get(secret).template();
        byte[] body = Json.write(comment == null ? Map.of("secret", secret) : Map.of("secret", secret, "name", "Kim", "text", comment));
        String path = "/data/review" + (comment == null ? "" : "/comments");
        Reply reply = request("POST", path, body, "Content-Type: application/json");
        if (reply.status() == 429) {
            return; // because the clock is stopped
        }
        expect(path, comment == null ? 200 : 201, reply.status());
        if (comment != null) {
            account.comment(template, comment);
        }
        expect("comments of " + template, account.comments.getOrDefault(template, List.of()), texts(Json.readObject(reply.body())));
    }

    static List<String> texts(JsonNode reply) {
        return StreamSupport.stream(reply.get("comments").spliterator(), false).map(each -> each.get("text").asText()).toList();
    }

    /** Signs in first if the session has ended. */
    private Reply as(Member member, String method, String path, byte[] body, String type) {
        for (int i = 0; ; i++) {
            Reply reply = working(member) ? request(method, path, body, "Cookie: " + cookies.get(member.user), "Content-Type: " + type)
                    : null;
            if (reply != null && reply.status() != 401 || i == 1) {
                return reply;
            }
            signIn(member.user);
        }
    }

    private void signIn(String user) {
        byte[] body = Json.write(Map.of("email", user, "password", PASSWORD));
        Reply reply = request("POST", "/data/session", body, "Content-Type: application/json");
        expect("sign-in of " + user, 200, reply.status());
        cookies.put(user, reply.cookies().stream().map(cookie -> cookie.split(";")[0]).filter(cookie -> !cookie.contains("-known="))
                .findFirst().orElseThrow());
        working.remove(user);
    }

    /** Selects the member's account. @return whether the member has a session */
    private boolean working(Member member) {
        if (!cookies.containsKey(member.user)) {
            return false;
        }
        if (member.account.email.equals(working.get(member.user))) {
            return true;
        }
        String cookie = "Cookie: " + cookies.get(member.user);
        Reply session = request("GET", "/data/session", null, cookie);
        if (session.status() == 401) {
            return false;
        }
        for (JsonNode account : Json.readObject(session.body()).get("accounts")) {
            if (account.get("name").asText().equals(member.account.email)) {
                byte[] body = Json.write(Map.of("account", account.get("id").asLong()));
                expect("switch", 200, request("PUT", "/data/session", body, cookie, "Content-Type: application/json").status());
                working.put(member.user, member.account.email);
                return true;
            }
        }
        throw new AssertionError(member.user + " is no member of " + member.account.email);
    }

    /** Returns an account's number if the user is a member; otherwise an unknown number. */
    long number(Member member, ModelAccount account) {
        for (JsonNode each : read(member, "/data/session").get("accounts")) {
            if (each.get("name").asText().equals(account.email)) {
                return each.get("id").asLong();
            }
        }
        return 999_999;
    }

    /** Must be called after account numbers may have changed. */
    void forgetWorking() {
        working.clear();
    }

    // ---- deploy tokens

    /** Sends a request with a token and applies its change to the model. @return the response, or null if rejected */
    Reply push(Token token, String role, String method, String path, byte[] body, Runnable change) {
        int expected = token.hasEnded(model.now()) ? 401 : ROLES.indexOf(token.role()) < ROLES.indexOf(role) ? 403 : status(200, 422, change);
        Reply reply = request(method, path, body, "Authorization: Bearer " + token.secret());
        expect(method + " " + path, expected, reply.status() == expected ? expected : reply.status() + " " + reply.text());
        return expected == 200 ? reply : null;
    }

    /** Makes previews, which change nothing else. Emails that are still previewed keep their links. */
    void preview(ModelAccount account, Token token, String name, ModelAccount.Files files, boolean publish, String path) {
        ModelAccount pushed = account.copy();
        Reply reply = push(token, "writer", "POST", path, zip(files, ModelAccount.Pulled.NOTHING),
                () -> pushed.importFiles(files, ModelAccount.Pulled.NOTHING, publish, true, true, model.now()));
        if (reply != null) {
            Map<String, ModelAccount.Preview> before = account.previews.getOrDefault(name, Map.of());
            Map<String, ModelAccount.Preview> after = new TreeMap<>();
            JsonNode plan = Json.readObject(reply.body());
            plan.path("previews").properties().forEach(each -> {
                String secret = each.getValue().asText().replaceFirst(".*#", "");
                if (before.containsKey(each.getKey())) {
                    expect("the link of " + each.getKey(), before.get(each.getKey()).secret(), secret);
                }
                after.put(each.getKey(), new ModelAccount.Preview(secret, pushed.shown(each.getKey()), model.now().plus(PushPreviewDao.LIFETIME)));
            });
            account.previews.put(name, after);
            for (String changed : List.of("created", "changed", "published")) {
                plan.get(changed).forEach(id -> expect("a preview of " + id.asText(), true, after.containsKey(id.asText())));
            }
        }
    }

    /** A guest opens previews, which nothing in the account has changed. */
    void reviewPreviews(Map<String, ModelAccount.Preview> previews) {
        previews.forEach((id, preview) -> {
            Reply reply = request("POST", "/data/review", Json.write(Map.of("secret", preview.secret(), "compare", true)), "Content-Type: application/json");
            if (reply.status() != 429 && preview.html() != null) { // 429 because the clock is stopped
                expect("the preview of " + id, preview.html(), reply.status() == 200 ? Json.readObject(reply.body()).at("/shown/html").asText() : reply.status());
            }
        });
    }

    // ---- the controls

    /** Calls a control and applies its change to the model. @return the response, or null if rejected */
    Reply control(String method, String path, Object json, int done, Runnable change) {
        int expected = status(done, 400, change);
        Reply reply = request(method, FIXTURE + path, json == null ? new byte[0] : Json.write(json));
        expect(method + " " + path, expected, reply.status() == expected ? expected : reply.status() + " " + reply.text());
        return expected == done ? reply : null;
    }

    JsonNode control(String path) {
        Reply reply = request("GET", FIXTURE + path, null);
        expect(path, 200, reply.status());
        return Json.readObject(reply.body());
    }

    // ---- the API

    /** Sends an API request and compares the whole response. @param format null for none */
    void get(String method, String key, String id, String format, boolean isKnown) {
        Model.Response expected = model.get(key, id, format == null || format.equals("html") || format.equals("variables"));
        String path = Running.TEMPLATES + id + (format == null ? "" : "?format=" + format);
        byte[] body = expected.status() != 200 ? null : body(expected.template(), format);
        String tag = body == null ? null : "\"" + new Reply(200, Map.of(), body).sha256() + "\"";
        Reply reply;
        try {
            reply = request(method, path, null, "Authorization: Bearer " + key, "If-None-Match: " + (isKnown ? tag : "\"other\""));
        } catch (UncheckedIOException lost) {
            expect(path + " is lost", true, expected.lost());
            client = null;
            return;
        }
        expect(path + " is lost", false, expected.lost());
        boolean isSame = isKnown && expected.status() == 200;
        expect(path, isSame ? 304 : expected.status(), reply.status());
        if (body != null) {
            expect(path + ": ETag", tag, reply.header("ETag"));
            expect(path, isSame || method.equals("HEAD") ? "" : new String(body, StandardCharsets.UTF_8), reply.text());
        }
        if (expected.period() != null) {
            expect(path + ": RateLimit-Policy", "\"monthly\";q=" + expected.limit() + ";w=" + expected.period().seconds(),
                    reply.header("RateLimit-Policy"));
            expect(path + ": RateLimit", "\"monthly\";r=" + expected.left() + ";t=" + expected.secondsLeft(), reply.header("RateLimit"));
            expect(path + ": Retry-After", expected.status() == 429 ? Long.toString(expected.secondsLeft()) : null,
                    reply.header("Retry-After"));
        }
    }

    private static byte[] body(Template template, String format) {
        ModelAccount.Version served = template.served();
        if ("html".equals(format)) {
            return served.html().getBytes(StandardCharsets.UTF_8);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        if (format == null) {
            json.put("id", template.id());
            json.put("name", template.name());
            json.put("subject", served.subject());
            json.put("html", served.html());
        }
        json.put("variables", served.variables());
        if (format == null) {
            json.put("updatedAt", Timestamp.format(template.updatedAt()));
        }
        return Json.write(json);
    }

    /** Advances the time, so that later changes have later times. */
    void tick() {
        setClock(model.clock.plusSeconds(1));
    }

    /** First deletes expired templates permanently, because the service may remove them at any time. */
    void setClock(Instant to) {
        model.accounts.values().forEach(account -> List.copyOf(account.trash.values()).stream()
                .filter(trashed -> !trashed.deletedAt().plus(Duration.ofDays(30)).isAfter(to))
                .forEach(trashed -> control("DELETE", "/accounts/" + account.email + "/templates/" + trashed.template().id(), null, 204,
                        () -> account.remove(trashed.template().id()))));
        control("PUT", "/clock", Map.of("now", to), 200, () -> model.setClock(to));
    }

    // ---- comparisons

    /** Compares an account's numbers and names, and sends an API request. */
    void glance(ModelAccount account) {
        JsonNode shown = control("/accounts/" + account.email);
        Instant now = model.now(account);
        ModelAccount.Period period = account.period(now);
        expect("the account", account.email + " " + account.plan + " " + account.used(now) + " " + account.requests() + "/"
                + account.keyLimit() + " " + Timestamp.format(period.start()) + " " + Timestamp.format(period.end()) + " "
                + account.keys.stream().map(ModelAccount.Key::name).toList() + account.templates.keySet()
                + account.blocks.keySet().stream().filter(name -> !isImage(name)).toList(),
                text(shown, "email") + " " + text(shown, "plan") + " " + text(shown, "used") + " " + text(shown.get("limits"), "requests")
                + "/" + text(shown.get("limits"), "keys") + " " + text(shown.get("period"), "start") + " "
                + text(shown.get("period"), "end") + " " + list(shown.get("keys")) + list(shown.get("templates"))
                + list(shown.get("blocks")));
        if (!account.keys.isEmpty()) {
            get("GET", any(account.keys).value(), anyId(account), null, false);
        }
    }

    /** Compares everything that users and apps see of an account. */
    void look(ModelAccount account) {
        glance(account);
        expect("its journal", model.journal.getOrDefault(account.email, 0),
                control("/requests?limit=1&account=" + account.email).get("total").asInt());
        if (!account.keys.isEmpty()) {
            String key = any(account.keys).value();
            IDS.forEach(id -> get("GET", key, id, any(List.of("html", "variables")), false));
        }
        account.templates.values().forEach(template -> {
            JsonNode draft = control("/accounts/" + account.email + "/templates/" + template.id()).get("draft");
            expect("the draft " + template.id(), template.subject() + " " + template.html(), text(draft, "subject") + " " + text(draft, "html"));
        });
        account.members.keySet().stream().filter(user -> model.users.get(user)).findFirst()
                .ifPresent(user -> lookAtPages(new Member(user, account)));
    }

    private void lookAtPages(Member member) {
        ModelAccount account = member.account;
        JsonNode list = read(member, "/data/templates");
        expect("the list", account.templates.values().stream().map(template -> template.id() + " " + template.name() + " "
                + template.state() + " " + Timestamp.format(template.updatedAt()) + " " + account.stale(template)).toList(),
                rows(list.get("templates"), row -> text(row, "id") + " " + text(row, "name") + " " + text(row, "state") + " "
                + text(row, "updatedAt") + " " + list(row.get("stale"))));
        expect("the trash", account.trash.values().stream().map(deleted -> deleted.template().id() + " "
                + Timestamp.format(deleted.deletedAt())).sorted().toList(), rows(read(member, "/data/deletions").get("templates"),
                row -> text(row, "id") + " " + text(row, "deletedAt")).stream().sorted().toList());
        expect("templates in the trash", account.trash.size(), list.get("deleted").asInt());
        expect("live and in the trash", List.of(), account.trash.keySet().stream().filter(account.templates::containsKey).toList());
        expect("the images", account.blocks.entrySet().stream().filter(block -> isImage(block.getKey())).map(block -> block.getKey() + " "
                + block.getValue().html()).toList(), rows(read(member, "/data/images").get("images"),
                row -> row.has("name") ? "images/" + text(row, "name") + " " + text(row, "address") : "").stream().filter(row -> !row.isEmpty()).toList());
        expect("the blocks", account.blocks.entrySet().stream().filter(block -> !isImage(block.getKey())).map(block -> block.getKey() + " "
                + Timestamp.format(block.getValue().updatedAt())).toList(),
                rows(read(member, "/data/blocks").get("blocks"), row -> text(row, "name") + " " + text(row, "updatedAt")));
        expect("the mail clients", account.clients.toString(), rows(read(member, "/data/clients").get("clients"),
                row -> row.get("chosen").asBoolean() ? text(row, "id") : "").stream().filter(id -> !id.isEmpty()).sorted().toList().toString());
        expect("used", account.used(model.now()), read(member, "/data/usage").get("used").asLong());
        expect("the users", new TreeMap<>(account.members).toString(), rows(read(member, "/data/members").get("users"),
                row -> text(row, "email") + "=" + text(row, "role")).stream().sorted().toList().toString()
                .replace('[', '{').replace(']', '}'));
        account.templates.values().forEach(template -> {
            JsonNode shown = read(member, "/data/templates/" + template.id());
            expect("the draft " + template.id(), template.revision() + " " + template.subject() + " " + template.html(),
                    text(shown, "revision") + " " + text(shown, "subject") + " " + text(shown, "html"));
            expect("features accepted for " + template.id(), account.accepted(template.id()).toString(), rows(shown.path("accepted"), row -> text(row, "id")).toString());
            expect("the newest versions of " + template.id(), Math.min(100, template.versions().size()),
                    read(member, "/data/templates/" + template.id() + "/versions").get("versions").size());
        });
    }

    private static String text(JsonNode node, String field) {
        return node.get(field).asText();
    }

    private static List<String> list(JsonNode array) {
        return rows(array, JsonNode::asText);
    }

    private static List<String> rows(JsonNode array, java.util.function.Function<JsonNode, String> text) {
        List<String> rows = new ArrayList<>();
        array.forEach(each -> rows.add(text.apply(each)));
        return rows;
    }

    static void expect(String what, Object expected, Object found) {
        if (!String.valueOf(expected).equals(String.valueOf(found))) {
            throw new AssertionError(what + ":\n  expected " + expected + "\n  found    " + found);
        }
    }

    // ---- files

    private static Map<String, byte[]> files(ModelAccount.Files files) {
        Map<String, byte[]> entries = new TreeMap<>();
        files.templates().forEach((id, file) -> {
            entries.put("templates/" + id + ".html", file.html().getBytes(StandardCharsets.UTF_8));
            entries.put("templates/" + id + ".json", Json.write(Map.of("name", file.name(), "subject", file.subject(), "published",
                    file.published())));
        });
        files.blocks().forEach((name, html) -> entries.put(isImage(name) ? name : "blocks/" + name + ".html",
                isImage(name) ? PICTURES.get(html) : html.getBytes(StandardCharsets.UTF_8)));
        return entries;
    }

    static byte[] zip(ModelAccount.Files files, ModelAccount.Pulled pulled) {
        Map<String, byte[]> entries = files(files);
        if (pulled.json() != null) {
            entries.put("stet-pulled.json", pulled.json());
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (String path : entries.keySet()) {
                zip.putNextEntry(new ZipEntry(path));
                zip.write(entries.get(path));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return bytes.toByteArray();
    }

    static Map<String, String> unzip(byte[] bytes) {
        Map<String, String> entries = new TreeMap<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(bytes))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                entries.put(entry.getName(), new String(zip.readAllBytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return entries;
    }

    // ---- HTTP

    /** @throws UncheckedIOException if no complete response arrives */
    private Reply request(String method, String path, byte[] body, String... headers) {
        if (client == null) {
            client = new Client(new InetSocketAddress("127.0.0.1", fixture.port()));
        }
        List<String> lines = new ArrayList<>(List.of(headers));
        if (body != null) {
            lines.add("Content-Length: " + body.length);
        }
        client.write(client.request(method, path, null, lines.toArray(String[]::new))
                + (body == null ? "" : new String(body, StandardCharsets.ISO_8859_1)));
        String sent = method + " " + path + (body == null || body.length == 0 || body[0] != '{' ? "" : " " + new String(body, StandardCharsets.UTF_8));
        try {
            Reply reply = client.read(method.equals("HEAD"));
            trace(sent + " -> " + reply.status());
            if ("close".equalsIgnoreCase(reply.header("Connection"))) {
                client.close();
                client = null;
            }
            return reply;
        } catch (UncheckedIOException lost) {
            trace(sent + " -> " + lost);
            client.close();
            client = null;
            throw lost;
        }
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
        fixture.close();
    }
}
