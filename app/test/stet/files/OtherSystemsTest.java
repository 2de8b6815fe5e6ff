package stet.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Template;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.harness.Terminal;

/** Exports from other systems, and any HTML, can be imported from the command line or as a zip; omitted content is reported. */
class OtherSystemsTest {
    private static final String ADA = "ada@example.com";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account(ADA, Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);
    private final Terminal terminal = new Terminal(stet.folder);
    @TempDir
    Path folder;
    private final Map<String, byte[]> files = new TreeMap<>();

    private OtherSystemsTest with(String path, String text) {
        return with(path, text.getBytes(StandardCharsets.UTF_8));
    }

    private OtherSystemsTest with(String path, byte[] bytes) {
        files.put(path, bytes);
        return this;
    }

    private Path written() throws IOException {
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.write(path, file.getValue());
        }
        return folder;
    }

    private Client.Reply zip(String query) {
        RawZip zip = new RawZip();
        files.forEach((path, bytes) -> zip.file(path, bytes));
        return post(query, zip);
    }

    private Client.Reply post(String query, RawZip zip) {
        byte[] body = zip.bytes();
        try (Client client = stet.client()) {
            return client.write(client.request("POST", "/data/import" + query, null, "Cookie: " + browser.cookie,
                    "Content-Type: application/zip", "Content-Length: " + body.length)
                    + new String(body, StandardCharsets.ISO_8859_1)).read(false);
        }
    }

    /** Imports from the command line, after checking that a zip of the same files gives the same plan. @return stderr */
    private String imported(String... created) throws IOException {
        JsonNode plan = Json.tree(zip("?dryRun=true").text());
        assertEquals(Json.tree("[\"" + String.join("\",\"", created) + "\"]"), plan.get("created"), plan.toString());
        Terminal.Result result = terminal.run("import", written().toString(), "--account", ADA);
        assertEquals(0, result.code(), result.err());
        List<String> lines = result.err().lines().toList();
        assertEquals(lines.subList(1, lines.size()).stream().filter(line -> !line.startsWith("? ")).toList(),
                texts(plan.path("notices")));
        return String.join("\n", lines.subList(1, lines.size()));
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    private String template(String id) {
        Template template = stet.db.read(dao -> dao.templates().find(ada.id(), id)).orElseThrow();
        return template.name() + " | " + template.subject() + " | " + new String(template.html(), StandardCharsets.UTF_8) + " | "
                + template.samples().documents().toString().replaceAll("\\s+", " ");
    }

    @Test
    void aPostmarkFolderIsImported() throws IOException {
        with("welcome/content.html", "<p>Hi {{name}}</p>\r\n{{#each items}}{{title}}{{/each}}").with("welcome/content.txt", "Hi {{name}}")
                .with("welcome/meta.json", """
                {"Name": "Welcome mail", "Alias": "welcome-2", "Subject": "Hi {{name}}", "TemplateType": "Standard",
                 "LayoutTemplate": "basic", "TestRenderModel": {"name": "Ada", "items": [{"title": "x"}]}}""")
                .with("_layouts/basic/content.html", "<body>{{{ @content }}}</body>")
                .with("_layouts/basic/meta.json", "{\"Name\": \"Basic\", \"Alias\": \"basic\", \"TemplateType\": \"Layout\", \"LayoutTemplate\": null}")
                .with("plain/reset/content.html", "<p>Reset</p>").with("plain/reset/content.txt", "Reset");
        assertEquals("""
                IDs come from file names or file contents: plain/reset/content.html becomes template plain-reset
                _layouts/basic/content.html: layouts are not supported; move the layout's parts to shared blocks
                welcome/content.html: imported without its layout "basic"
                Skipped: plain/reset/content.txt, welcome/content.txt""", imported("plain-reset", "welcome-2"));
        assertEquals("Welcome mail | Hi {{name}} | <p>Hi {{name}}</p>\r\n{{#each items}}{{title}}{{/each}}"
                + " | {default={ \"name\": \"Ada\", \"items\": [ { \"title\": \"x\" } ] } }", template("welcome-2"));
        assertEquals("plain/reset |  | <p>Reset</p> | {}", template("plain-reset"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\u00a0", " \\u00a0\\u200b", "\\ufe0f", "\\u200b\\ufe0f \\u034f", "\\u17b4"})
    void aTemplateWhoseNameIsInvisibleIsNamedAfterItsId(String name) throws IOException {
        with("receipt.json", "{\"id\": \"d-0a1b2c\", \"name\": \"" + name + "\", \"generation\": \"dynamic\", \"versions\": [{\"active\": 1,"
                + " \"html_content\": \"<p>Hi</p>\", \"subject\": \"Hi\"}]}");
        imported("d-0a1b2c");
        assertEquals("d-0a1b2c | Hi | <p>Hi</p> | {}", template("d-0a1b2c"));
    }

    @Test
    void aSendGridTemplateIsImported() throws IOException {
        with("receipt.json", """
                {"id": "d-0a1b2c", "name": "Receipt", "generation": "dynamic", "updated_at": "2020-12-12 16:13:56", "versions": [
                 {"id": "v1", "template_id": "d-0a1b2c", "active": 0, "name": "old", "html_content": "<p>old</p>", "subject": "Old"},
                 {"id": "v2", "template_id": "d-0a1b2c", "active": 1, "name": "new", "html_content": "<p>{{total}} \\u00e5</p>\\r\\n<%body%>",
                  "plain_content": "total", "generate_plain_content": true, "subject": "Your receipt", "editor": "code",
                  "test_data": "{\\"total\\": 7}"}]}""")
                .with("none.json", "{\"id\": \"d-9\", \"name\": \"None\", \"versions\": []}");
        assertEquals("""
                IDs come from file names or file contents: receipt.json becomes template d-0a1b2c
                none.json: the template d-9 (None) has no active version with HTML
                receipt.json: the template d-0a1b2c (Receipt): inactive version "old" skipped
                receipt.json: d-0a1b2c: "plain_content" skipped
                Skipped: none.json
                Warning: receipt.json: line 2: "<%body%>" is another system's tag and will not be filled in; use {{name}} instead""",
                imported("d-0a1b2c"));
        assertEquals("Receipt | Your receipt | <p>{{total}} \u00e5</p>\r\n<%body%> | {default={ \"total\": 7 } }", template("d-0a1b2c"));
    }

    @Test
    void aMailgunTemplateIsImported() throws IOException {
        with("welcome.json", """
                {"template": {"name": "welcome mail", "description": "The first mail", "createdAt": "Wed, 29 Aug 2018 23:31:15 UTC", "id": "4",
                 "version": {"tag": "v0", "template": "<p>{{fname}} %recipient.last%</p>", "engine": "handlebars", "comment": "",
                  "headers": {"Subject": "Hi {{fname}}", "From": "a@example.com"}}}}""");
        assertEquals("""
                IDs come from file names or file contents: welcome.json becomes template welcome-mail
                welcome.json: welcome mail: "description" skipped
                welcome.json: welcome mail: "From" skipped
                Warning: welcome.json: line 1: "%recipient.last%" is a tag of Mailgun and will not be filled in; use {{name}} instead""",
                imported("welcome-mail"));
        assertEquals("welcome mail | Hi {{fname}} | <p>{{fname}} %recipient.last%</p> | {}", template("welcome-mail"));
    }

    @Test
    void mandrillTemplatesAreImported() throws IOException {
        with("templates.json", """
                [{"slug": "first-mail", "name": "First mail", "labels": ["shop"], "code": "<p>new *|FNAME|*</p>", "subject": "S",
                  "publish_code": "<p>*|FNAME|*</p>", "publish_subject": "P", "publish_name": "First mail", "from_email": "a@example.com",
                  "text": "", "published_at": "2013-01-01 15:30:40"},
                 {"slug": "draft", "name": "Draft", "labels": [], "code": "<p>draft</p>", "subject": null, "publish_code": null}]""");
        assertEquals("""
                IDs come from file names or file contents: templates.json becomes template draft
                templates.json: the draft of first-mail differs from the published version and was skipped
                templates.json: first-mail: "from_email" skipped
                Warning: templates.json: line 1: "*|FNAME|*" is a tag of Mailchimp or Mandrill and will not be filled in; use {{name}} instead""",
                imported("draft", "first-mail"));
        assertEquals("First mail | P | <p>*|FNAME|*</p> | {}", template("first-mail"));
        terminal.done("export", folder.resolve("out").toString(), "--account", ADA);
        assertTrue(Files.readString(folder.resolve("out/templates/first-mail.json")).contains("\"shop\""));
    }

    @Test
    void htmlFromAnywhereIsImported() throws IOException {
        with("shop/Welcome mail.html", "\ufeff<p>{{insert name \"default=you\"}}</p>").with("shop/Welcome mail.json", "\ufeff{\"name\": \"Ada\"}")
                .with("\u00fcber.HTM", "<p>\u00fc</p>").with("own.html", "<p>own</p>")
                .with("own.json", "{\"name\": \"Own\", \"subject\": \"Hi\", \"published\": false}")
                .with("package.json", "{\"scripts\": {}}").with("style.css", "a{}").with("list.html", "").with("list.json", "[1]");
        assertEquals("""
                IDs come from file names or file contents: list.html becomes template list
                own.json provides the name, subject and other fields of own
                shop/Welcome mail.html becomes template shop-Welcome-mail
                \u00fcber.HTM becomes template uber
                Skipped: list.json, package.json, style.css
                Warning: shop/Welcome mail.html: line 1: "{{insert name "default=you"}}" needs the helper "insert", which is not built into Handlebars
                ? Warning: shop/Welcome mail.html: the file begins with a byte order mark (U+FEFF), which becomes part of the email; save the file as UTF-8 \
                without it""",
                imported("list", "own", "shop-Welcome-mail", "uber"));
        assertEquals("shop/Welcome mail |  | \ufeff<p>{{insert name \"default=you\"}}</p> | {default={\"name\": \"Ada\"}}", template("shop-Welcome-mail"));
        assertEquals("Own | Hi | <p>own</p> | {}", template("own"));
        assertEquals("\u00fcber |  | <p>\u00fc</p> | {}", template("uber"));
    }

    /** If a template's only file is HTML, its other parts stay unchanged. */
    @Test
    void htmlAloneKeepsTheSubject() throws IOException {
        with("welcome.html", "<p>one</p>");
        imported("welcome");
        JsonNode now = Json.tree(browser.get("/data/templates/welcome").text());
        assertEquals(200, browser.put("/data/templates/welcome", "{\"revision\":" + now.get("revision") + ",\"subject\":\"Hi\",\"html\":\"<p>one</p>\",\"samples\":{\"ada\":\"{}\"}}").status());
        with("welcome.html", "<p>two</p>");
        assertEquals(0, terminal.run("import", written().toString(), "--account", ADA, "--overwrite").code());
        assertEquals("welcome | Hi | <p>two</p> | {ada={}}", template("welcome"));
    }

    @Test
    void aFolderAroundAllFilesOfAZipIsIgnored() {
        RawZip zip = new RawZip().file("repo-main/README.md", "x").file("repo-main/templates/action.html", "<p>a</p>")
                .file("repo-main/templates/inlined/action.html", "<p>b</p>").file("repo-main/.github/x.html", "no");
        assertEquals("[\"templates-action\",\"templates-inlined-action\"]", Json.tree(post("", zip).text()).get("created").toString());
        assertArrayEquals("<p>b</p>".getBytes(StandardCharsets.UTF_8),
                stet.db.read(dao -> dao.templates().find(ada.id(), "templates-inlined-action")).orElseThrow().html());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            a/b.html    | x | a-b.html           | y       | a/b.html: This file and a-b.html would both become template a-b; rename one of them
            A.html      | x | a.html             | y       | a.html: This file and A.html would both become template a; rename one of them
            a.html      | x | b.json | {"id": "a", "html_content": "x", "template_id": "a"} | b.json: This file and a.html would both become template a; rename one of them
            \u4f60.html | x | a.html             | y       | \u4f60.html: The file name has no letter or digit for an ID; rename the file
            a.html      | 3MIB | b.html          | y       | a.html: The file is 3145728 bytes; the limit is 2097152 (2 MiB)
            x/a.html    | LATIN | b.html         | y       | x/a.html: The HTML is not UTF-8; convert it to UTF-8
            w/content.html | x | w/meta.json     | []      | w/meta.json: The JSON must be an object
            w/content.html | x | w/meta.json     | {"Subject": 7} | w/meta.json: "Subject" must be a string
            w/content.html | x | w/meta.json     | {"TestRenderModel": "x"} | w/meta.json: "TestRenderModel" must be an object
            w/content.html | x | w/meta.json     | {"Subject": "a\\nb"} | w/meta.json: The subject contains a line break; it must be a single line
            a.html      | x | a.json             | {"subject": 7}  | a.json: "subject" must be a string
            a.html      | x | b.json             | {"id": "b", "versions": [{"active": 1, "html_content": 7}]} | b.json: "html_content" must be a string
            a.html      | x | b.json             | {"slug": "b", "code": "{}", "labels": "x"} | b.json: "labels" must be an array
            a.html      | x | b.json             | {"slug": "b", "code": "\\ud800"} | b.json: "code" contains an unpaired surrogate, which UTF-8 cannot encode; remove it
            a.css       | x | package.json       | {}      | Nothing to import: no HTML and no JSON in a known format, only a.css, package.json
            a.json      | BOMB | b.json          | DEEP    | Nothing to import: no HTML and no JSON in a known format, only a.json, b.json
            """)
    void invalidAndAmbiguousFilesAreRefused(String path, String text, String other, String otherText, String sentence) throws IOException {
        with(path, bytes(text)).with(other, bytes(otherText));
        assertEquals(sentence, Json.tree(zip("").text()).path("error").asText());
        Terminal.Result result = terminal.run("import", written().toString(), "--account", ADA);
        assertEquals("1 " + sentence, result.code() + " " + result.err().strip());
        assertEquals(List.of("ID  STATE  UPDATED  NAME"), terminal.done("template", "list", ADA).lines().toList());
    }

    /** A nested account folder is not read as another system's folder, because its blocks would become templates. */
    @Test
    void anAccountsFolderFurtherDownIsRefused() throws IOException {
        with("mails/templates/a.html", "x").with("mails/templates/a.json", "{}");
        assertTrue(terminal.run("import", written().toString(), "--account", ADA).err()
                .startsWith("mails/templates/a.html: Unexpected file in an account's folder; "));
    }

    private static byte[] bytes(String text) {
        return switch (text) {
            case "3MIB" -> new byte[3 << 20];
            case "LATIN" -> new byte[] {'<', (byte) 0xe9, '>'};
            case "BOMB" -> ("[" + "[],".repeat(200_000) + "0]").getBytes(StandardCharsets.UTF_8);
            case "DEEP" -> ("[".repeat(100_000) + "]".repeat(100_000)).getBytes(StandardCharsets.UTF_8);
            default -> text.getBytes(StandardCharsets.UTF_8);
        };
    }

    @Test
    void pathsOutsideTheZipAndDuplicatesAreRejected() {
        assertEquals("../a.html: The path must not lead outside the folder", error(new RawZip().file("../a.html", "x").file("b.html", "y")));
        assertEquals("/a.html: The path must not lead outside the folder", error(new RawZip().file("/a.html", "x").file("b.html", "y")));
        assertEquals("a.html: The file appears twice; remove one copy", error(new RawZip().file("a.html", "x").file("a.html", "y")));
    }

    @Test
    void aPathOfManyFoldersIsShortenedToAnId() {
        RawZip deep = new RawZip().file("a/".repeat(5_000) + "b.html", "x");
        assertEquals("[\"" + "a-".repeat(31) + "a\"]", Json.tree(post("?dryRun=true", deep).text()).path("created").toString());
        assertEquals("[\"b\",\"c\"]", Json.tree(post("?dryRun=true", deep.file("a/".repeat(5_000) + "c.html", "y")).text()).path("created").toString(),
                "the common part of the paths is left out");
    }

    @Test
    void tooManyTemplatesAreRejected() {
        RawZip many = new RawZip();
        for (int i = 0; i <= 10_000; i++) {
            many.file("f" + i % 10 + "/" + i + ".html", "");
        }
        assertEquals("An account can have at most 10000 templates", error(many));
    }

    /** The rule for IDs, the first 100 notices, and the number of the others. */
    @Test
    void noticesAreLimited() {
        RawZip notes = new RawZip().file("a.html", "%recipient.x%\n".repeat(300));
        for (int i = 0; i < 300; i++) {
            notes.file("b" + i + ".html", "%recipient.x" + i + "%").file("c" + i + ".png", "x");
        }
        JsonNode notices = Json.tree(post("?dryRun=true", notes).text()).get("notices");
        assertEquals(102, notices.size());
        assertTrue(notices.get(1).asText().startsWith("Skipped: c0.png, c1.png, "), notices.get(1).asText());
        assertTrue(notices.get(1).asText().endsWith(" and 290 more"), notices.get(1).asText());
        assertEquals("202 more", notices.get(101).asText());
    }

    @Test
    void templatesInJsonMustFitIntoMemory() {
        String html = "x".repeat(1 << 20);
        RawZip held = new RawZip();
        for (int i = 0; i < 9; i++) {
            held.file(i + ".json", "{\"slug\": \"t" + i + "\", \"code\": \"" + html + "\"}");
        }
        assertEquals("The JSON files contain more than 8 MiB of templates; import them in batches", error(held));
    }

    /** Names in JSON may have millions of characters. */
    @Test
    void aLongNameIsTruncatedInNotices() {
        String name = "n".repeat((8 << 20) - 20_000);
        StringBuilder json = new StringBuilder("{\"id\": \"d\", \"name\": \"" + name + "\", \"versions\": [");
        for (int i = 0; i < 200; i++) {
            json.append("{\"name\": \"").append(i).append("\"}, ");
        }
        json.append("{\"name\": \"\\ud800\", \"active\": 0}, {\"active\": 1, \"html_content\": \"x\"}]}");
        Client.Reply reply = post("?dryRun=true", new RawZip().file("a.json", json.toString()));
        assertEquals(200, reply.status(), reply.text().length() > 1_000 ? reply.text().substring(0, 1_000) : reply.text());
        assertTrue(reply.text().length() < 40_000, "characters: " + reply.text().length());
        List<String> notices = texts(Json.tree(reply.text()).get("notices"));
        assertEquals("a.json: the template d (" + "n".repeat(100) + "\u2026): inactive version \"0\" skipped", notices.get(1));
        assertEquals("101 more", notices.get(notices.size() - 1));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"slug": "LONG", "code": "x"}                  | 200
            {"slug": "a", "code": "x", "LONG": 1}          | 422
            {"slug": "a", "code": "x", "labels": ["LONG"]} | 200
            """)
    void theResponseToALongIdFieldOrLabelIsShort(String json, int status) {
        Client.Reply reply = post("?dryRun=true", new RawZip().file("a.json", json.replace("LONG", "d".repeat(1 << 20))));
        assertEquals(status, reply.status());
        assertTrue(reply.text().length() < 3_000, "characters: " + reply.text().length());
    }

    @Test
    void templatesBesideOtherHtmlKeepTheirIds() throws IOException {
        with("templates/welcome.html", "<p>a</p>").with("dist/welcome.html", "<p>b</p>");
        imported("dist-welcome", "welcome");
        assertEquals("welcome |  | <p>a</p> | {}", template("welcome"));
    }

    /** Build tools read {@code src/templates} and write {@code dist}: neither is an account's folder. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            src/templates/welcome.html            | dist/welcome.html            | dist-welcome, src-templates-welcome
            src/templates/welcome.html            | src/layouts/main.html        | layouts-main, welcome
            app/src/blocks/footer.html            | index.html                   | app-src-blocks-footer, index
            a/templates/welcome.html              | b/c/welcome.htm              | a-templates-welcome, b-c-welcome
            web/templates/welcome.html            | mail/welcome.hbs             | mail-welcome, web-templates-welcome
            """)
    void nestedTemplatesBesideOtherHtmlAreNoAccountFolder(String path, String other, String ids) throws IOException {
        with(path, "<p>a</p>").with(other, "<p>b</p>");
        JsonNode created = Json.tree(zip("?dryRun=true").text()).path("created");
        assertEquals(ids, String.join(", ", texts(created)));
        assertEquals(0, terminal.run("import", written().toString(), "--account", ADA).code());
    }

    /** A folder with templates and blocks is an account's, whatever else the repository has. */
    @Test
    void aNestedAccountFolderBesideOtherHtmlIsRefused() throws IOException {
        with("public/index.html", "x").with("mails/templates/welcome.html", "{{> footer}}").with("mails/blocks/footer.html", "y");
        assertTrue(terminal.run("import", written().toString(), "--account", ADA).err().contains("Unexpected file in an account's folder"));
    }

    @Test
    void ofPathsThatAreTooLongForAnIdTheLastPartsAreUsed() throws IOException {
        String path = "src/main/resources/templates/notifications/subscription/renewal-reminder-";
        with(path + "first.html", "<p>a</p>").with(path + "second.html", "<p>b</p>");
        assertEquals("[\"renewal-reminder-first\",\"renewal-reminder-second\"]", Json.tree(zip("?dryRun=true").text()).path("created").toString());
        Terminal.Result result = terminal.run("import", written().toString(), "--account", ADA);
        assertEquals(1, result.err().split("becomes template renewal-reminder-first", -1).length - 1, "said once: " + result.err());
        assertEquals("<p>b</p>", new String(stet.db.read(dao -> dao.templates().find(ada.id(), "renewal-reminder-second")).orElseThrow().html(),
                StandardCharsets.UTF_8));
    }

    @Test
    void handlebarsAndMustacheFilesAreImported() throws IOException {
        with("a/welcome.html.hbs", "<p>a</p>").with("a/welcome.text.hbs", "a").with("b.handlebars", "<p>b</p>").with("c.mustache", "<p>c</p>");
        assertTrue(imported("a-welcome", "b", "c").endsWith("Skipped: a/welcome.text.hbs"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"Template": {"TemplateName": "w", "SubjectPart": "Hi", "HtmlPart": "<p>", "TextPart": "x"}}           | w | w | Hi
            {"TemplateName": "w", "TemplateContent": {"Subject": "Hi", "Html": "<p>", "Text": "x"}}                | w | w | Hi
            {"count": 1, "templates": [{"id": 7, "name": "N", "subject": "Hi", "isActive": true, "htmlContent": "<p>"}]} | 7 | N | Hi
            {"Count": 1, "Data": [{"Headers": {"Subject": "Hi"}, "Html-part": "<p>", "Text-part": "x"}], "Total": 1} | file | file | Hi
            {"results": {"id": "w", "name": "N", "published": true, "content": {"subject": "Hi", "html": "<p>", "text": "x"}}} | w | N | Hi
            {"object": "template", "id": "0-1", "alias": "w", "name": "N", "status": "published", "subject": "Hi", "html": "<p>", "text": "x"} | w | N | Hi
            """)
    void responsesOfOtherApisAreRecognisedByTheirShape(String json, String id, String name, String subject) throws IOException {
        with("file.json", json);
        imported(id);
        assertEquals(name + " | " + subject + " | <p> | {}", template(id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\\u00a0", "\\u2007 \\u202f", "\\u200b\\u00a0"})
    void aNameWithNothingVisibleIsReplacedByTheId(String name) throws IOException {
        with("file.json", "{\"count\": 1, \"templates\": [{\"id\": 7, \"name\": \"" + name + "\", \"subject\": \"Hi\", \"htmlContent\": \"<p>\"}]}");
        imported("7");
        assertEquals("7 | Hi | <p> | {}", template("7"));
    }

    /** Accepting HTML beside an account's templates would change all their ids. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            templates/welcome.html       | report.html                | report.html
            templates/welcome.html       | templates/report.htm       | templates/report.htm
            mails/templates/welcome.html | README.md                  | mails/templates/welcome.html
            mails/blocks/footer.html     | package.json               | mails/blocks/footer.html
            mails/templates/welcome.html | mails/templates/old.htm    | mails/templates/old.htm
            """)
    void htmlBesideAnAccountsTemplatesIsRefused(String path, String other, String refused) throws IOException {
        with(path, "x").with(other, "y");
        String sentence = refused + ": Unexpected file in an account's folder; Stet reads only templates/ID.html, templates/ID.json,"
                + " templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json";
        for (String command : List.of("import", "push")) {
            assertEquals(sentence, terminal.run(command, written().toString(), "--account", ADA).err().strip());
        }
    }

    /** Unlike a folder, a zip may have a folder around its files, so only these rows are of a zip. */
    @ParameterizedTest
    @ValueSource(strings = {"report.html", "templates/report.htm"})
    void htmlBesideAnAccountsTemplatesInAZipIsRefused(String other) {
        with("templates/welcome.html", "x").with(other, "y");
        assertEquals(other + ": Unexpected file in an account's folder; Stet reads only templates/ID.html, templates/ID.json,"
                + " templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json", Json.tree(zip("").text()).path("error").asText());
    }

    /** A README beside the folder in a zip does not change ids. */
    @Test
    void notesBesideAFolderInAZipChangeNoId() {
        RawZip zip = new RawZip().file("mails/a.html", "x").file("README.md", "y").file("LICENSE", "z");
        assertEquals("[\"a\"]", Json.tree(post("?dryRun=true", zip).text()).path("created").toString());
    }

    @Test
    void pruneIsForAnAccountsOwnFiles() throws IOException {
        String sentence = "--prune supports only files in Stet's format; push again without --prune";
        with("welcome.html", "x");
        assertEquals(sentence, terminal.run("push", written().toString(), "--account", ADA, "--prune").err().strip());
        Client.Reply reply = pushed("?prune=true&dryRun=true");
        assertEquals("422 " + sentence, reply.status() + " " + Json.tree(reply.text()).path("error").asText());
        assertEquals(200, pushed("?dryRun=true").status());
    }

    private Client.Reply pushed(String query) {
        RawZip zip = new RawZip();
        files.forEach((path, bytes) -> zip.file(path, bytes));
        byte[] body = zip.bytes();
        String token = terminal.done("token", "add", ADA, "ci" + query.length(), "--role", "editor").strip();
        try (Client client = stet.client()) {
            return client.write(client.request("POST", "/push" + query, null, "Authorization: Bearer " + token,
                    "Content-Type: application/zip", "Content-Length: " + body.length)
                    + new String(body, StandardCharsets.ISO_8859_1)).read(false);
        }
    }

    /** "pull" would write Stet's files among the other system's files. */
    @Test
    void aConflictAdvisesAnExportInsteadOfAPull() throws IOException {
        terminal.done("push", with("welcome.html", "one").written().toString(), "--account", ADA);
        JsonNode now = Json.tree(browser.get("/data/templates/welcome").text());
        assertEquals(200, browser.put("/data/templates/welcome", "{\"revision\":" + now.get("revision") + ",\"subject\":\"Hi\",\"html\":\"one\"}").status());
        with("welcome.html", "two");
        String push = terminal.run("push", written().toString(), "--account", ADA).err().strip();
        assertEquals("Nothing was changed. To merge by hand, export the account to another folder; --overwrite overwrites these changes", push);
        String error = terminal.run("import", written().toString(), "--account", ADA).err().strip();
        assertTrue(error.endsWith(". To merge by hand, export the account to another folder; --overwrite overwrites"
                + " the HTML, but keeps names, subjects, tags and test data that are missing from the files"), error);
    }

    @Test
    void omittedPartsOfAListAreReported() throws IOException {
        with("list.json", """
                {"_metadata": {"next": "https://example.com/2"}, "result": [7, "x",
                 {"slug": "one", "code": "x", "labels": ["shop", "promo!", "Shop", "%s"]}]}""".formatted("l".repeat(41)));
        assertEquals("""
                IDs come from file names or file contents: list.json becomes template one
                list.json: skipped values that are not objects: 2
                list.json: further pages of this list are missing
                list.json: one: skipped invalid or duplicate labels: "promo!", "Shop", "%s\"""".formatted("l".repeat(41)),
                imported("one"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"one", "README-mails"})
    void aSingleFileIsImportedWhateverItsName(String name) throws IOException {
        Path html = Files.writeString(folder.resolve(name + ".html"), "<p>1</p>");
        assertEquals("created    " + name + "\n", terminal.done("import", html.toString(), "--account", ADA).replace("\r", ""));
    }

    private String error(RawZip zip) {
        Client.Reply reply = post("", zip);
        assertEquals(422, reply.status(), reply.text());
        return Json.tree(reply.text()).path("error").asText();
    }
}
