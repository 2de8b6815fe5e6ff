package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;
import stet.markup.MailFile;

/** Publishing drafts, and the version history, over the web application's routes. */
class PublishingTest {
    private static final String NOT_FOUND = "{\"error\":\"Not found\"}";
    private static final String AT = "2026-01-31T09:00:00.000Z";
    private static final String LATER = "2026-01-31T10:00:00.000Z";
    /** Opens clicked links outside the preview. */
    private static final String BASE = "<base target=\"_blank\">";
    private static final String PREVIEW = "/previews/[A-Za-z0-9_-]{24}";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);
    private final String key = stet.key(ada);

    private static JsonNode json(Client.Reply reply) {
        assertEquals(200, reply.status(), reply.text());
        return Json.readObject(reply.body());
    }

    private static final String SAVED = "\"savedBy\":null,\"savedAt\":\"" + AT + "\",\"request\":null";

    private static String sha256(String html) {
        return HexFormat.of().formatHex(Secret.sha256(html.getBytes(StandardCharsets.UTF_8)));
    }

    private static String version(int number, String at, String note, String html, boolean live) {
        return "{\"number\":" + number + ",\"publishedAt\":\"" + at + "\",\"publishedBy\":\"ada@example.com\",\"note\":\"" + note + "\",\"bytes\":" + html.length()
                + ",\"sha256\":\"" + sha256(html) + "\",\"live\":" + live + "}";
    }

    private static String template(String state, String subject, String html, int revision, String updated, String version) {
        return "{\"id\":\"welcome\",\"name\":\"Welcome\",\"nameRevision\":1,\"subject\":\"" + subject + "\",\"html\":\"" + html + "\",\"samples\":{},\"state\":\""
                + state + "\",\"stale\":[],\"createdAt\":\"" + AT + "\",\"updatedAt\":\"" + updated + "\",\"revision\":" + revision
                + ",\"savedBy\":null,\"savedAt\":\"" + updated + "\",\"request\":null,\"published\":" + version + ",\"tags\":[],\"lastFetched\":null}";
    }

    private String served() {
        return stet.get(Running.TEMPLATES + "welcome?format=html", key).text();
    }

    @Test
    void aCheckReturnsVariablesBlocksProblemsAndAPreview() {
        stet.block(ada, "footer", "<i>{{company}}</i>");
        Client.Reply reply = browser.post("/data/check", "{\"subject\":\"Hi {{name}}\",\"html\":\"<p>{{name}}\\n{{ amount }} {{name}}</p>\\n"
                + "{{> footer}}\\n{{> missing}}\",\"samples\":{\"a\":\"{\\\"name\\\":\\\"A & B\\\"}\"}}");
        assertEquals(200, reply.status());
        String expected = "\\Q{\"bytes\":70,\"variables\":["
                + "{\"name\":\"name\",\"morePlaces\":0,\"places\":[{\"field\":\"subject\",\"line\":1},{\"field\":\"html\",\"line\":1},{\"field\":\"html\",\"line\":2}]},"
                + "{\"name\":\"amount\",\"morePlaces\":0,\"places\":[{\"field\":\"html\",\"line\":2}]},{\"name\":\"company\",\"morePlaces\":0,\"places\":[]}],\"moreVariables\":0,"
                + "\"tree\":[{\"name\":\"name\",\"isList\":false,\"isMissing\":false,\"example\":\"A & B\",\"inner\":[]},"
                + "{\"name\":\"amount\",\"isList\":false,\"isMissing\":true,\"inner\":[]},{\"name\":\"company\",\"isList\":false,\"isMissing\":true,\"inner\":[]}],"
                + "\"sets\":[{\"name\":\"a\",\"missing\":[\"amount\",\"company\"],\"moreMissing\":0}],"
                + "\"blocks\":[{\"name\":\"footer\",\"line\":3,\"exists\":true},{\"name\":\"missing\",\"line\":4,\"exists\":false}],"
                + "\"problems\":[{\"level\":\"refused\",\"field\":\"html\",\"block\":null,\"lines\":[4],\"quote\":\"\",\"sentence\":\"shared block \\\"missing\\\" not found\"}],\"moreProblems\":0,"
                + "\"subject\":\"Hi A & B\",\"preview\":\"\\E" + PREVIEW + "\",\"cut\":false,\"marked\":true,\"preheader\":\\Q{\"text\":\"A & B {{ amount }} A & B {{company}} {{> missing}}\",\"length\":0}}";
        assertTrue(reply.text().matches(expected), reply.text());
        answered(200, "<p>A &amp; B\n{{ amount }} A &amp; B</p>\n<i>{{company}}</i>\n{{> missing}}" + BASE,
                Browser.unmarked(Browser.of(stet).get(json(reply).get("preview").asText())));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            # refused: there is nothing to publish
            Hi   | \\n\\n{{> x}}                       | html    | refused | 3 | shared block "x" not found
            Hi   | \\n\\n{{> "x"}}                     | html    | refused | 3 | shared block "x" not found
            Hi   | \\n{{> @partial-block}}             | html    | refused | 2 | {{> @partial-block}} is allowed only inside {{#*inline}}
            # errors: the mail will break at the caller
            Hi   | <p>{{name                           | html    | error   | 1 | "{{" is not closed
            {{a  | <p></p>                             | subject | error   | 1 | "{{" is not closed
            {{> footer}} | <p></p>                     | subject | error   | 1 | a subject cannot include a shared block
            Hi   | \\n{{#if a}}x                      | html    | error   | 2 | "{{#if a}}" is not closed
            Hi   | x\\n\\n{{/if}}                    | html    | error   | 3 | "{{/if}}" closes no section
            Hi   | {{#if a}}x\\n{{/each}}             | html    | error   | 2 | "{{/each}}" closes "{{#if a}}"
            Hi   | {{#if a}}x{{/if}}\\n{{/if}}        | html    | error   | 2 | "{{/if}}" closes no section
            Hi   | a\\n{{else}}                       | html    | error   | 2 | "{{else}}" is outside a section
            Hi {{#if a}}x | <p></p>                    | subject | error   | 1 | "{{#if a}}" is not closed
            Hi   | a\\n{{> open}}                     | html    | error   | 2 | "{{#with user}}" is not closed, in the shared block "open"
            Hi   | {{> open}}{{/with}}\\n{{#b}}        | html    | error   | 2 | "{{#b}}" is not closed
            Hi   | a\\n<<<<<<< HEAD\\nb\\n=======\\nc\\n>>>>>>> stet | html | error | 2 | unresolved merge conflict; choose a version and remove the lines that start with <<<<<<<, ======= and >>>>>>>
            Hi   | <<<<<<< HEAD                        | html    | error   | 1 | unresolved merge conflict; choose a version and remove the lines that start with <<<<<<<, ======= and >>>>>>>
            Hi   | a {{> merged}}                      | html    | error   | 3 | unresolved merge conflict; choose a version and remove the lines that start with <<<<<<<, ======= and >>>>>>>
            # errors: the parser of Handlebars rejects the whole mail
            Hi   | \\n{{ .Name }} | html | error | 2 | "{{ .Name }}" has a "." where a name must stand
            Hi   | \\n{{&nbsp;name&nbsp;}} | html | error | 2 | "{{&nbsp;name&nbsp;}}" contains HTML, which Handlebars rejects; move the HTML out of the tag
            Hi   | \\n{{<b>name</b>}} | html | error | 2 | "{{<b>name</b>}}" contains HTML, which Handlebars rejects; move the HTML out of the tag
            Hi   | \\n{{name;}} | html | error | 2 | "{{name;}}" contains ";", which Handlebars rejects in a name; put such a name in brackets: {{[name]}}
            Hi   | \\n{{%name%}} | html | error | 2 | "{{%name%}}" contains "%", which Handlebars rejects in a name; put such a name in brackets: {{[name]}}
            Hi   | \\n{{ user["name"] }} | html | error | 2 | "{{ user["name"] }}" has a "[" directly after a name; write it as in {{user.name}} or {{list.[0]}}
            Hi   | \\n{{items[0].title}} | html | error | 2 | "{{items[0].title}}" has a "[" directly after a name; write it as in {{user.name}} or {{list.[0]}}
            Hi   | \\n{{ &nbsp;name}} | html | error | 2 | "{{ &nbsp;name}}" contains HTML, which Handlebars rejects; move the HTML out of the tag
            Hi   | \\n{{ &#x27;a&#x27; }} | html | error | 2 | "{{ &#x27;a&#x27; }}" contains HTML, which Handlebars rejects; move the HTML out of the tag
            Hi   | \\n{{user.name&nbsp;}} | html | error | 2 | "{{user.name&nbsp;}}" contains HTML, which Handlebars rejects; move the HTML out of the tag
            Hi   | \\n{{#if a &gt; 3}}x{{/if}} | html | error | 2 | "{{#if a &gt; 3}}" contains HTML, which Handlebars rejects; move the HTML out of the tag
            Hi   | \\n{{#if a > b}}x{{/if}} | html | error | 2 | "{{#if a > b}}" has ">", CALCULATION
            Hi   | \\n{{#if a < b}}x{{/if}} | html | error | 2 | "{{#if a < b}}" has "<", CALCULATION
            Hi   | \\n{{#if a && b}}x{{/if}} | html | error | 2 | "{{#if a && b}}" has "&&", CALCULATION
            Hi   | \\n{{#if a BARBAR b}}x{{/if}} | html | error | 2 | "{{#if a BARBAR b}}" has "BARBAR", CALCULATION
            Hi   | \\n{{#if a == b}}x{{/if}} | html | error | 2 | "{{#if a == b}}" has "==", CALCULATION
            Hi   | \\n{{#if a !== b}}x{{/if}} | html | error | 2 | "{{#if a !== b}}" has "!==", CALCULATION
            Hi   | \\n{{#if !a}}x{{/if}} | html | error | 2 | "{{#if !a}}" has "!", CALCULATION
            Hi   | \\n{{ a + b }} | html | error | 2 | "{{ a + b }}" has "+", CALCULATION
            Hi   | \\n<style>p{color:{{c}}}</style> | html | error | 2 | "{{c}}" is followed by a third closing brace, which Handlebars rejects; add a space before it
            Hi   | \\n<style>p{color:{{{c}}}}</style> | html | error | 2 | "{{{c}}}" is followed by a fourth closing brace, which Handlebars rejects; add a space before it
            Hi   | \\n{{=<% %>=}} | html | error | 2 | "{{=<% %>=}}" is ignored; tags always use {{ and }}
            Hi   | \\n{{ name BAR default: "x" }} | html | error | 2 | "{{ name BAR default: "x" }}" has a "BAR"; Handlebars has no filters
            Hi   | {{#if a}}x{{else}}y\\n{{else}}z{{/if}} | html | error | 2 | "{{else}}" is the second {{else}} of "{{#if a}}"
            Hi   | {{#if a}}x{{else}}y\\n{{else if b}}z{{/if}} | html | error | 2 | "{{else if b}}" follows "{{else}}"; {{else}} must come last
            Hi   | {{^a}}x\\n{{else if b}}y{{/a}} | html | error | 2 | "{{else if b}}" is not allowed in "{{^a}}"; begin the section with {{#unless}} instead
            Hi   | {{#> footer}}a\\n{{else}}b{{/footer}} | html | error | 2 | "{{else}}" is not allowed in "{{#> footer}}"
            Hi   | {{#*inline "a"}}a\\n{{else}}b{{/inline}} | html | error | 2 | "{{else}}" is not allowed in "{{#*inline "a"}}"
            Hi   | \\n{{link text="Go" url}} | html | error | 2 | "{{link text="Go" url}}" has "url" after key=value; put plain arguments first
            Hi   | \\n{{ ! note }} | html | error | 2 | "{{ ! note }}" has a space before its sign, which Handlebars rejects; remove the space
            Hi   | \\n{{name as BARxBAR}} | html | error | 2 | "{{name as BARxBAR}}" has "as BAR", which only the opening tag of a section can have
            Hi   | \\n{{list.0}} | html | error | 2 | "{{list.0}}" ends a path with "0"; write [0] in brackets
            Hi   | \\n{{user/../name}} | html | error | 2 | "{{user/../name}}" has ".." after a name; Handlebars accepts it only at the start of a path
            Hi   | \\n{{format (upper name}} | html | error | 2 | "{{format (upper name}}" has a "(" without ")"
            Hi   | \\n{{}} | html | error | 2 | "{{}}" has no name
            Hi   | \\n{{> footer a=1}} | html | error | 2 | "{{> footer a=1}}" passes a value to a shared block, which is not supported; blocks use the variables of the email
            Hi   | \\n{{> footer user}} | html | error | 2 | "{{> footer user}}" passes a value to a shared block, which is not supported; blocks use the variables of the email
            Hi   | \\n{{> (lookup . 'x')}} | html | error | 2 | "{{> (lookup . 'x')}}" chooses a block by a value; only the name of a shared block can be included
            Hi   | \\n{{#user.name}}x{{/user/name}} | html | error | 2 | "{{/user/name}}" closes "{{#user.name}}"
            # errors: every mail client loses what follows
            Hi   | <p>Hi</p>\\n<a href="{{u}}>View</a><p>rest</p> | html | error | 2 | the quote after "href=" is not closed, so no mail client shows the rest of the email
            Hi   | \\n<a href="{{u}}>View</a><p class="x">rest</p> | html | error | 2 | the quote after "href=" is not closed, so no mail client shows the text up to the next quote
            Hi   | a\\n<!-- note <p>rest | html | error | 2 | "<!--" is not closed, so no mail client shows the rest of the email
            Hi   | a\\n<style>p{} <p>rest | html | error | 2 | "<style>" is not closed, so no mail client shows the rest of the email
            Hi   | a\\n<title/><p>rest | html | error | 2 | "<title>" is not closed, so no mail client shows the rest of the email
            Hi   | a\\n<!--[if mso]><p>rest | html | error | 2 | "<!--[if mso]>" is not closed, so no mail client shows the rest of the email
            Hi   | a\\n<!--[if mso]>a<![endif]><p>rest | html | error | 2 | "<!--[if mso]>" is not closed, so no mail client shows the rest of the email
            Hi   | a\\n{{> comment}} | html | error | 2 | "<!--" is not closed, so no mail client shows the rest of the email, in the shared block "comment"
            # warnings: it may look wrong
            Hi   | \\n{{#if a or b}}x{{/if}} | html | warning | 2 | "{{#if a or b}}" passes 3 values to "if", which takes one, so the email fails
            Hi   | \\n{{#if}}x{{/if}} | html | warning | 2 | "{{#if}}" passes no value to "if", which takes one, so the email fails
            Hi   | \\n{{#if a = b}}x{{/if}} | html | warning | 2 | "{{#if a = b}}" passes no value to "if", which takes one, so the email fails
            Hi   | {{#if a}}x\\n{{else if b c}}y{{/if}} | html | warning | 2 | "{{else if b c}}" passes 2 values to "if", which takes one, so the email fails
            Hi   | \\n{{^unless a b}}x{{/unless}} | html | warning | 2 | "{{^unless a b}}" passes 2 values to "unless", which takes one, so the email fails
            Hi   | \\n{{#each items as item}}x{{/each}} | html | warning | 2 | "{{#each items as item}}" has no bars around the name after "as", so the email fails; write as BARnameBAR
            Hi {{#with user name}}x{{/with}} | <p></p> | subject | warning | 1 | "{{#with user name}}" passes 2 values to "with", which takes one, so the email fails
            Hi   | \\n<!--[if mso]><!-- c --><p>MSO</p><![endif]--> | html | warning | 2 | "<!--[if mso]>" ends at the first "-->" inside it, so all clients show what follows; remove the comment inside
            Hi   | \\n<!--[if !mso]><p>a</p><![endif]-->b | html | warning | 2 | "<!--[if !mso]>" begins a comment for all clients except Outlook, so none of them shows its content; write <!--[if !mso]><!-->...<!--<![endif]-->
            Hi   | \\n<p>{{name}} {{name\u200b}}</p> | html | warning | 2 | "{{name<U+200B>}}" contains the invisible character U+200B, so its name is not the one you see; delete the character
            Hi {{name\u2060}} | <p></p> | subject | warning | 1 | "{{name<U+2060>}}" contains the invisible character U+2060, so its name is not the one you see; delete the character
            Hi   | \\n<p>{<span>{x}</span>},</p> | html | warning | 2 | "{<span>{x}" will not be filled in because something stands between its braces; write {{ without markup, entities or spaces in between
            Hi   | \\n<p>{&#123;x}}</p> | html | warning | 2 | "{&#123;x}" will not be filled in because something stands between its braces; write {{ without markup, entities or spaces in between
            Hi   | \\n<p>{first_name} {last_name}</p> | html | warning | 2 | "{first_name}" is another system's tag and will not be filled in; use {{name}} instead
            Hi $[FNAME]$ | <p></p> | subject | warning | 1 | "$[FNAME]$" is a tag of Zoho Campaigns and will not be filled in; use {{name}} instead
            Hi   | \\n{{#> open}}a{{/open}}           | html    | warning | 2 | "{{#> open}}" shows its own content, not the shared block "open"; to include the block, write {{> open}}
            Hi   | \\n {{> empty}}                     | html    | warning | 1 | the email is empty
            ``   | <p></p>                             | subject | warning | 1 | the subject is empty
            Hi   | \\n<img alt="" src="a.png" width=1>| html    | warning | 2 | the image's URL is relative, which does not work in email; use an absolute URL
            Hi   | \\n<a href="%7B%7Burl%7D%7D">a     | html    | warning | 2 | "%7B%7Burl%7D%7D" will not be filled in because its braces are URL-encoded; write {{ and }}
            Hi   | \\n{{first name}}                  | html    | warning | 2 | "{{first name}}" is read as the helper "first" with arguments; for a name with spaces, write {{[first name]}}
            Hi {{first name}} | <p></p>                | subject | warning | 1 | "{{first name}}" is read as the helper "first" with arguments; for a name with spaces, write {{[first name]}}
            """)
    void aProblemHasItsLineLevelAndSentence(String subject, String row, String field, String level, int line, String expected) {
        String html = row.replace("BAR", "|");
        String sentence = expected.replace("BAR", "|").replace("CALCULATION", "but Handlebars does not compare or calculate; let the app supply the result as a value");
        stet.block(ada, "open", "{{#with user}}");
        stet.block(ada, "merged", "a\n\n<<<<<<< HEAD");
        stet.block(ada, "empty", "\n");
        stet.block(ada, "comment", "\n<!-- a");
        JsonNode checked = json(browser.post("/data/check", "{\"subject\":\"" + subject + "\",\"html\":\"" + html.replace("\"", "\\\"") + "\",\"samples\":{}}"));
        assertEquals(1, checked.get("problems").size(), checked.toString());
        JsonNode problem = checked.get("problems").get(0);
        assertEquals(field + " " + level + " " + line + " " + sentence, problem.get("field").asText() + " "
                + problem.get("level").asText() + " " + problem.get("lines").get(0).asInt() + " " + problem.get("sentence").asText());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '¦', quoteCharacter = '`', textBlock = """
            {{#if a}}x{{else}}y{{/if}}{{^b}}z{{/b}} {{#each c as |d|}}{{d}}{{/each}} \\{{ is text
            {{~#if a~}}x{{~^~}}y{{~/if~}}{{!-- {{#if --}}{{{{raw}}}}{{#x}}{{{{/raw}}}} {{#> page}}x{{/page}} {{f a "}}" d=1}}
            {{> head}}<p></p>{{> foot}}
            {{#[a b]}}{{/[a b]}}{{# c }}{{/ c}}{{#user.name}}{{/user.name}}{{#*inline 'row'}}{{/inline}}
            """)
    void validTextsHaveNoProblems(String html) {
        stet.block(ada, "head", "{{#with user}}");
        stet.block(ada, "foot", "{{/with}}");
        assertEquals("[]", json(browser.post("/data/check", "{\"subject\":\"Hi\",\"html\":\"" + html.replace("\\", "\\\\").replace("\"", "\\\"")
                + "\",\"samples\":{}}")).get("problems").toString());
    }

    @Test
    void aDraftIsFilledWithItsTestData() {
        stet.block(ada, "footer", "<i>{{company}}</i>");
        answered(200, "{\"subject\":\"Hi A & B\",\"html\":\"<p>A &amp; B</p><i>{{company}}</i>\"}", browser.post("/data/filled", FILLABLE));
    }

    private static final String FILLABLE = "{\"subject\":\"Hi {{name}}\",\"html\":\"<p>{{name}}</p>{{> footer}}\",\"samples\":{\"a\":\"{\\\"name\\\":\\\"A & B\\\"}\"}}";

    @Test
    void aDraftIsDownloadedAsAnEmlFile() {
        stet.block(ada, "footer", "<i>{{company}}</i>");
        Client.Reply file = browser.post("/data/eml", FILLABLE);
        assertEquals(200, file.status());
        assertEquals("message/rfc822", file.header("Content-Type"));
        assertEquals(new String(MailFile.of("ada@example.com", "Hi A & B", "<p>A &amp; B</p><i>{{company}}</i>", stet.now()),
                StandardCharsets.US_ASCII), file.text());
    }

    @Test
    void aDraftThatIsTooLongIsNoEmlFile() {
        answered(422, "{\"error\":\"The HTML is 2097153 bytes; the limit is 2097152 (2 MiB)\",\"field\":\"html\"}",
                browser.post("/data/eml", "{\"subject\":\"\",\"html\":\"" + "x".repeat((2 << 20) + 1) + "\",\"samples\":{}}"));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
            {}                | English
            {"spanish":true}  | Spanish
            {"spanish":false} | Other
            {"english":false} | Other
            {"english":true}  | English
            """)
    void testDataDecidesAChainOfConditions(String data, String shown) {
        answered(200, "{\"subject\":\"\",\"html\":\"" + shown + "\"}", browser.post("/data/filled", "{\"subject\":\"\",\"html\":"
                + "\"{{#if english}}English{{else if spanish}}Spanish{{else}}Other{{/if}}\",\"samples\":{\"a\":\"" + data.replace("\"", "\\\"") + "\"}}"));
    }

    @Tag("slow")
    @Test
    void checkingHostileDraftsIsBounded() {
        for (String html : new String[] {"<img".repeat(500_000), "<img src=\\\"".repeat(150_000), "{{".repeat(900_000), "{{a}}".repeat(300_000),
            "{{#a}}".repeat(300_000), "{{!".repeat(600_000), "<img src".repeat(250_000) + ">"}) {
            assertEquals(200, browser.post("/data/check", "{\"subject\":\"\",\"html\":\"" + html + "\",\"samples\":{}}").status());
        }
    }

    @Test
    void theNextRequestReturnsThePublishedVersion() {
        stet.draft(ada, "welcome", "Welcome", "Hi {{name}}", "<p>one</p>");
        answered(404, "{\"error\":\"template_not_published\"}", stet.get(Running.TEMPLATES + "welcome", key));
        answered(200, template("published", "Hi {{name}}", "<p>one</p>", 1, AT, version(1, AT, "the first", "<p>one</p>", true)),
                browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"note\":\"the first\"}"));
        answered(200, "{\"id\":\"welcome\",\"name\":\"Welcome\",\"subject\":\"Hi {{name}}\",\"html\":\"<p>one</p>\",\"variables\":[\"name\"],"
                + "\"updatedAt\":\"" + AT + "\"}", stet.get(Running.TEMPLATES + "welcome", key));
        Browser author = Browser.of(stet, ada);
        for (int i = 1; i <= 50; i++) {
            String html = "<p>" + i + "</p>";
            assertEquals(200, author.put("/data/templates/welcome", "{\"revision\":" + i + ",\"subject\":\"\",\"html\":\"" + html + "\",\"samples\":{}}").status());
            assertEquals(i == 1 ? "<p>one</p>" : "<p>" + (i - 1) + "</p>", served());
            assertEquals(200, author.post("/data/templates/welcome/publish", "{\"revision\":" + (i + 1) + "}").status());
            assertEquals(html, served());
        }
    }

    @Test
    void aDraftWithErrorsIsPublishedOnlyByForce() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>{{ is text, {{name}}</p>\n{{#if a}}x");
        String refused = "{\"error\":\"line 1: \\\"{{\\\" is not closed; line 2: \\\"{{#if a}}\\\" is not closed\",\"field\":\"html\"}";
        answered(422, refused, browser.post("/data/templates/welcome/publish", "{\"revision\":1}"));
        answered(422, refused, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":false}"));
        JsonNode publication = json(browser.get("/data/templates/welcome/publication"));
        assertEquals("[\"name\",\"a\"]", publication.get("next").get("variables").toString());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"sha256\":\""
                + publication.get("sha256").asText() + "\",\"force\":true}").status());
        assertEquals("<p>{{ is text, {{name}}</p>\n{{#if a}}x", served());
    }

    @Test
    void anOldVersionWithErrorsIsPublishedAgainWithoutForce() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>{{</p>");
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":true}").status());
        stet.template(ada, "welcome", "<p>two</p>");
        assertEquals(200, browser.post("/data/templates/welcome/versions/1/publish", "{}").status());
        assertEquals("<p>{{</p>", served());
    }

    @Test
    void aDraftWithAnUnknownBlockIsNotPublishedEvenByForce() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>{{> none}} {{</p>");
        answered(422, "{\"error\":\"line 1: shared block \\\"none\\\" not found\",\"field\":\"html\"}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":true}"));
        assertTrue(json(browser.get("/data/templates/welcome/publication")).get("next").isNull());
    }

    @Test
    void whatHandlebarsRejectsNeedsForce() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>\n{{ user.name | default: \"friend\" }}</p>");
        answered(422, "{\"error\":\"line 2: \\\"{{ user.name | default: \\\"friend\\\" }}\\\" has a \\\"|\\\"; Handlebars has no filters\",\"field\":\"html\"}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":1}"));
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":true}").status());
        assertEquals("<p>\n{{ user.name | default: \"friend\" }}</p>", served());
    }

    @Test
    void inlinePartialsArePublishedAsWritten() {
        String inline = "{{#*inline \"row\"}}<tr><td>{{n}}</td></tr>{{/inline}}<table>{{#each items}}{{> row}}{{/each}}</table>{{> row user size=big}}";
        stet.draft(ada, "welcome", "Welcome", "Hi", inline);
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1}").status());
        assertEquals(inline, served());
        assertEquals("{\"variables\":[\"n\",\"items\",\"user\",\"big\"]}", stet.get(Running.TEMPLATES + "welcome?format=variables", key).text());
    }

    @Test
    void aBlockWithValuesNeedsForceAndIsPublishedAsWritten() {
        stet.block(ada, "footer", "<i>{{company}}</i>");
        stet.draft(ada, "welcome", "Welcome", "Hi", "{{> \"footer\"}}{{> footer a=1}}");
        assertEquals(422, browser.post("/data/templates/welcome/publish", "{\"revision\":1}").status());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":true}").status());
        assertEquals("<i>{{company}}</i>{{> footer a=1}}", served());
    }

    @Test
    void helpersOfTheAppAreNamedBesideThePreview() {
        JsonNode checked = json(browser.post("/data/check", "{\"subject\":\"{{upper 'a'}}\",\"html\":\"{{#if (eq a b)}}x{{else}}y{{/if}}{{formatDate d 'x'}}"
                + "{{#if (lookup a 0)}}z{{/if}}{{#*inline 'row'}}{{n}}{{/inline}}{{> row}}\",\"samples\":{}}"));
        assertEquals("[\"upper\",\"eq\",\"formatDate\"]", checked.get("helpers").toString());
        assertEquals("[]", checked.get("problems").toString());
        assertEquals("[]", checked.get("blocks").toString());
        assertNull(json(browser.post("/data/check", "{\"subject\":\"Hi\",\"html\":\"{{#if a}}x{{/if}}\",\"samples\":{}}")).get("helpers"));
    }

    @Test
    void whatMailClientsLoseIsNamedBesideThePreview() {
        assertEquals("line 2: " + LOST, json(browser.post("/data/check", "{\"subject\":\"Hi\",\"html\":\"a\\n<style>p{}<p>b\",\"samples\":{}}")).get("lost").asText());
        assertNull(json(browser.post("/data/check", "{\"subject\":\"Hi\",\"html\":\"<style>p{}</style>\",\"samples\":{}}")).get("lost"));
    }

    private static final String LOST = "\"<style>\" is not closed, so no mail client shows the rest of the email";

    @Test
    void whatMailClientsLoseNeedsForce() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "a\n<style>p{}<p>b");
        answered(422, "{\"error\":\"line 2: " + LOST.replace("\"", "\\\"") + "\",\"field\":\"html\"}", browser.post("/data/templates/welcome/publish", "{\"revision\":1}"));
        JsonNode dialog = json(browser.get("/data/templates/welcome/publication"));
        assertEquals("error " + LOST, dialog.get("problems").get(0).get("level").asText() + " " + dialog.get("problems").get(0).get("sentence").asText());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":true}").status());
        assertEquals("a\n<style>p{}<p>b", served());
    }

    @Test
    void whatCannotBePublishedChangesNothing() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>\n{{name</p>");
        answered(422, "{\"error\":\"line 2: \\\"{{\\\" is not closed\",\"field\":\"html\"}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":1}"));
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>ok</p>");
        answered(409, "{\"error\":\"This draft has changed since you opened it\",\"theirs\":" + template("never", "Hi", "<p>ok</p>", 2, AT, "null") + "}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":1}"));
        answered(422, "{\"error\":\"\\\"revision\\\" is missing\",\"field\":\"revision\"}", browser.post("/data/templates/welcome/publish", "{}"));
        answered(422, "{\"error\":\"The note is 201 characters; the limit is 200\",\"field\":\"note\"}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":2,\"note\":\"" + "n".repeat(201) + "\"}"));
        answered(404, NOT_FOUND, browser.post("/data/templates/no-such/publish", "{\"revision\":1}"));
        answered(200, "{\"versions\":[]}", browser.get("/data/templates/welcome/versions"));
        answered(404, "{\"error\":\"template_not_published\"}", stet.get(Running.TEMPLATES + "welcome", key));
    }

    private static String report(String... names) {
        return "\"report\":{\"tree\":[" + Stream.of(names).map(name -> "{\"name\":\"" + name + "\",\"isList\":false,\"isMissing\":true,\"inner\":[]}")
                .collect(Collectors.joining(",")) + "],\"sets\":[]}";
    }

    @Test
    void thePublicationHasDifferencesVariablesAndRecentKeys() {
        stet.draft(ada, "welcome", "Welcome", "Hi {{name}}", "<p>{{old}}</p>");
        answered(200, "{\"revision\":1,\"problems\":[],\"moreProblems\":0,\"live\":null,\"sha256\":\"" + sha256("Hi {{name}}", "<p>{{old}}</p>") + "\",\"next\":{\"subject\":\"Hi {{name}}\",\"html\":\"<p>{{old}}</p>\","
                + "\"variables\":[\"name\",\"old\"],\"moreVariables\":0},\"added\":[\"name\",\"old\"],\"moreAdded\":0,\"removed\":[],\"moreRemoved\":0,\"unchanged\":false," + report("name", "old") + ",\"keys\":[]," + SAVED + "}",
                browser.get("/data/templates/welcome/publication"));
        stet.publish(ada, "welcome");
        String live = "\"live\":{\"subject\":\"Hi {{name}}\",\"html\":\"<p>{{old}}</p>\",\"variables\":[\"name\",\"old\"],\"moreVariables\":0,\"number\":1}";
        answered(200, "{\"revision\":1,\"problems\":[],\"moreProblems\":0," + live + ",\"sha256\":\"" + sha256("Hi {{name}}", "<p>{{old}}</p>") + "\",\"next\":{\"subject\":\"Hi {{name}}\",\"html\":\"<p>{{old}}</p>\","
                + "\"variables\":[\"name\",\"old\"],\"moreVariables\":0},\"added\":[],\"moreAdded\":0,\"removed\":[],\"moreRemoved\":0,\"unchanged\":true," + report("name", "old") + ",\"keys\":[]," + SAVED + "}",
                browser.get("/data/templates/welcome/publication"));
        stet.clock.advance(Duration.ofHours(1));
        served();
        served();
        stet.draft(ada, "welcome", "Welcome", "Hi {{name}}", "<p>{{new}}</p>");
        String after = "{\"revision\":2,\"problems\":[],\"moreProblems\":0," + live + ",\"sha256\":\"" + sha256("Hi {{name}}", "<p>{{new}}</p>") + "\",\"next\":{\"subject\":\"Hi {{name}}\",\"html\":\"<p>{{new}}</p>\","
                + "\"variables\":[\"name\",\"new\"],\"moreVariables\":0},\"added\":[\"new\"],\"moreAdded\":0,\"removed\":[\"old\"],\"moreRemoved\":0,\"unchanged\":false," + report("name", "new") + ",\"keys\":[%s]," + SAVED.replace(AT, LATER) + "}";
        String fetched = after.formatted("{\"name\":\"test\",\"start\":\"" + Secret.start(key) + "\",\"requests\":2,\"lastAt\":\"" + LATER + "\"}");
        browser.get("/data/usage"); // writes the statistics
        answered(200, fetched, browser.get("/data/templates/welcome/publication"));
        stet.clock.advance(Duration.ofDays(31));
        answered(200, after.formatted(""), Browser.of(stet, ada).get("/data/templates/welcome/publication"));
        answered(404, NOT_FOUND, Browser.of(stet, ada).get("/data/templates/no-such/publication"));
    }

    @Test
    void aDraftIsNotPublishedIfABlockChangedUnseen() {
        stet.block(ada, "footer", "<i>old</i>");
        stet.template(ada, "welcome", "<p>{{> footer}}</p>");
        String seen = sha256("", "<p><i>old</i></p>");
        stet.block(ada, "footer", "<i>new</i>");
        answered(409, "{\"error\":\"A shared block was changed; review the changes again\"}",
                browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"sha256\":\"" + seen + "\"}"));
        assertEquals("<p><i>old</i></p>", served());
        assertEquals(200, browser.post("/data/templates/welcome/publish",
                "{\"revision\":1,\"sha256\":\"" + sha256("", "<p><i>new</i></p>") + "\"}").status());
        assertEquals("<p><i>new</i></p>", served());
    }

    /** After part of a draft is moved to a shared block without changing the text, publishing records the block's use. */
    @Test
    void publishingRecordsTheUseOfABlockMadeFromAPart() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>Hi</p><i>footer</i>");
        stet.publish(ada, "welcome");
        assertEquals(201, browser.post("/data/blocks", "{\"name\":\"footer\",\"html\":\"<i>footer</i>\"}").status());
        assertEquals("changed", json(browser.put("/data/templates/welcome",
                "{\"revision\":1,\"subject\":\"Hi\",\"html\":\"<p>Hi</p>{{> footer}}\",\"samples\":{}}")).get("state").asText());
        JsonNode publication = json(browser.get("/data/templates/welcome/publication"));
        assertEquals("false " + publication.get("live").get("html"), publication.get("unchanged").asText() + " " + publication.get("next").get("html"));
        assertEquals("published", json(browser.post("/data/templates/welcome/publish", "{\"revision\":2}")).get("state").asText());
        assertTrue(json(browser.get("/data/templates/welcome/publication")).get("unchanged").asBoolean());
        assertEquals(200, browser.put("/data/blocks/footer", "{\"revision\":1,\"html\":\"<i>new</i>\"}").status());
        answered(200, "{\"templates\":[{\"id\":\"welcome\",\"name\":\"Welcome\",\"draftChanged\":false,\"blocks\":[\"footer\"]}]}",
                browser.get("/data/stale"));
    }

    /** After a block's text is moved to a block within it, publishing records the inner block's use. */
    @Test
    void publishingRecordsTheUseOfABlockWithinABlock() {
        stet.block(ada, "footer", "<i>footer</i>");
        stet.template(ada, "welcome", "{{> footer}}");
        stet.block(ada, "inner", "<i>footer</i>");
        assertEquals(200, browser.put("/data/blocks/footer", "{\"revision\":1,\"html\":\"{{> inner}}\"}").status());
        assertEquals("false", json(browser.get("/data/templates/welcome/publication")).get("unchanged").asText());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1}").status());
        answered(200, "{\"templates\":[]}", browser.get("/data/stale"));
        stet.block(ada, "inner", "<i>new</i>");
        assertEquals("[\"inner\"]", json(browser.get("/data/stale")).at("/templates/0/blocks").toString());
    }

    @Test
    void aLiveTextIsNeitherPublishedNorReviewedAgain() {
        stet.block(ada, "footer", "<i>F</i>");
        stet.template(ada, "welcome", "<p>one</p>{{> footer}}");
        String same = "{\"error\":\"Nothing to review; the draft matches the live version\",\"field\":null}";
        answered(422, "{\"error\":\"Version 1 is already live\",\"field\":null}", browser.post("/data/templates/welcome/versions/1/publish", "{}"));
        answered(422, same, browser.post("/data/templates/welcome/request", "{\"note\":\"\"}"));
        // A newer block or another draft makes publishing possible.
        stet.block(ada, "footer", "<i>G</i>");
        assertEquals(200, browser.post("/data/templates/welcome/request", "{\"note\":\"\"}").status());
        stet.template(ada, "welcome", "<p>two</p>");
        answered(422, same, browser.post("/data/templates/welcome/request", "{\"note\":\"\"}"));
        assertEquals(200, browser.post("/data/templates/welcome/versions/1/publish", "{}").status());
        assertEquals(200, browser.post("/data/templates/welcome/request", "{\"note\":\"\"}").status());
    }

    private static String sha256(String subject, String html) {
        return HexFormat.of().formatHex(Secret.sha256(subject + "\0" + html));
    }

    @Test
    void versionsAreListedAndShown() {
        publishTwoVersions();
        answered(200, "{\"versions\":[" + second() + "," + first() + "]}", browser.get("/data/templates/welcome/versions"));
        answered(200, first().substring(0, first().length() - 1) + ",\"subject\":\"One {{a}}\",\"html\":\"<p><i>F</i></p>\",\"variables\":[\"a\"],\"moreVariables\":0,"
                + "\"draft\":{\"subject\":\"One {{a}}\",\"html\":\"<p>{{> footer}}</p>\"},"
                + "\"added\":[\"a\"],\"moreAdded\":0,\"removed\":[],\"moreRemoved\":0,\"keys\":[]}", browser.get("/data/templates/welcome/versions/1"));
    }

    private String first() {
        return version(1, AT, "first", "<p><i>F</i></p>", false);
    }

    private String second() {
        return version(2, LATER, "second", "<b>two</b>", true);
    }

    /** Version 1 includes a block; version 2 is live, and its text is the draft. */
    private void publishTwoVersions() {
        stet.block(ada, "footer", "<i>F</i>");
        stet.draft(ada, "welcome", "Welcome", "One {{a}}", "<p>{{> footer}}</p>");
        browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"note\":\"first\"}");
        stet.clock.advance(Duration.ofHours(1));
        stet.draft(ada, "welcome", "Welcome", "Two", "<b>two</b>");
        browser.post("/data/templates/welcome/publish", "{\"revision\":2,\"note\":\"second\"}");
    }

    @Test
    void anUnknownVersionIsNotFound() {
        publishTwoVersions();
        for (String number : new String[] {"0", "3", "-1", "1.0", "x", "99999999999", "01", "%201"}) {
            answered(404, NOT_FOUND, browser.get("/data/templates/welcome/versions/" + number));
            answered(404, NOT_FOUND, browser.post("/data/templates/welcome/versions/" + number + "/preview", "{}"));
            answered(404, NOT_FOUND, browser.post("/data/templates/welcome/versions/" + number + "/restore", "{\"revision\":2}"));
            answered(404, NOT_FOUND, browser.post("/data/templates/welcome/versions/" + number + "/publish", "{}"));
        }
        answered(404, NOT_FOUND, browser.get("/data/templates/no-such/versions"));
        answered(404, NOT_FOUND, browser.get("/data/templates/no-such/versions/1"));
    }

    @Test
    void aVersionIsPreviewedAsItWasPublished() {
        publishTwoVersions();
        JsonNode preview = json(browser.post("/data/templates/welcome/versions/1/preview", "{}"));
        assertEquals(1, preview.size());
        answered(200, "<p><i>F</i></p>" + BASE, browser.get(preview.get("preview").asText()));
    }

    @Test
    void restoringAVersionChangesTheDraftAndNotWhatIsServed() {
        publishTwoVersions();
        stet.clock.advance(Duration.ofHours(1));
        answered(409, "{\"error\":\"This draft has changed since you opened it\",\"theirs\":"
                + template("published", "Two", "<b>two</b>", 2, LATER, second()) + "}",
                browser.post("/data/templates/welcome/versions/1/restore", "{\"revision\":1}"));
        answered(200, template("changed", "One {{a}}", "<p>{{> footer}}</p>", 3, "2026-01-31T11:00:00.000Z", second()).replace("savedBy\":null", "savedBy\":\"ada@example.com\""),
                browser.post("/data/templates/welcome/versions/1/restore", "{\"revision\":2}"));
        assertEquals("<b>two</b>", served());
    }

    /** The history does not change. */
    @Test
    void anOldVersionIsPublishedAgainUnderANewNumber() {
        publishTwoVersions();
        stet.clock.advance(Duration.ofHours(1));
        answered(422, "{\"error\":\"\\\"number\\\" is not a known field\",\"field\":\"number\"}",
                browser.post("/data/templates/welcome/versions/1/publish", "{\"number\":1}"));
        String third = version(3, "2026-01-31T11:00:00.000Z", "back", "<p><i>F</i></p>", true);
        JsonNode again = json(browser.post("/data/templates/welcome/versions/1/publish", "{\"note\":\"back\"}"));
        assertEquals(third, again.get("published").toString());
        assertEquals("changed", again.get("state").asText(), "the draft is that of version 2");
        assertEquals("<p><i>F</i></p>", served());
        answered(200, "{\"versions\":[" + third + "," + second().replace("true", "false") + "," + first() + "]}",
                browser.get("/data/templates/welcome/versions"));
    }

    /** A history of any length is read in pages. */
    @Test
    void aLongHistoryHasPages() {
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>one</p>");
        stet.publish(ada, "welcome");
        String path = "/data/templates/welcome/versions";
        for (int i = 2; i <= 100; i++) {
            stet.db.change(dao -> dao.versions().publishAgain(ada.id(), "welcome", 1, "", stet.now()));
        }
        assertEquals("100 to 1, null", page(path));
        stet.db.change(dao -> dao.versions().publishAgain(ada.id(), "welcome", 1, "", stet.now()));
        assertEquals("101 to 2, 2", page(path));
        assertEquals("1 to 1, null", page(path + "?before=2"));
        assertEquals("[]", json(browser.get(path + "?before=1")).get("versions").toString());
        answered(400, "{\"error\":\"The request is incomplete or malformed\"}", browser.get(path + "?before=x"));
    }

    private String page(String path) {
        JsonNode page = json(browser.get(path));
        JsonNode versions = page.get("versions");
        return versions.get(0).get("number") + " to " + versions.get(versions.size() - 1).get("number") + ", " + page.get("before");
    }
}
