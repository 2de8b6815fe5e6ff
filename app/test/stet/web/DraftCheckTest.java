package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;
import static stet.harness.Browser.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;
import stet.markup.MailFile;

/** The check of a draft: its problems, variables, preview and filled email. {@link CheckTest} has the bounds. */
class DraftCheckTest {
    /** Opens clicked links outside the preview. */
    private static final String BASE = "<base target=\"_blank\">";
    private static final String PREVIEW = "/previews/[A-Za-z0-9_-]{24}";
    private static final String FILLABLE = "{\"subject\":\"Hi {{name}}\",\"html\":\"<p>{{name}}</p>{{> footer}}\",\"samples\":{\"a\":\"{\\\"name\\\":\\\"A & B\\\"}\"}}";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);

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
        assertEquals("line 2: \"<style>\" is not closed, so no mail client shows the rest of the email", json(browser.post("/data/check", "{\"subject\":\"Hi\",\"html\":\"a\\n<style>p{}<p>b\",\"samples\":{}}")).get("lost").asText());
        assertNull(json(browser.post("/data/check", "{\"subject\":\"Hi\",\"html\":\"<style>p{}</style>\",\"samples\":{}}")).get("lost"));
    }
}
