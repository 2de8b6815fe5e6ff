package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/** Warnings about buttons whose copies for Outlook differ, as the editor and the publish dialog show them. */
class ButtonsTest {
    @AutoClose
    private static final Running stet = new Running();
    private static final Account ada = stet.account("ada@example.com", Plan.PRO);
    private static final Browser browser = Browser.of(stet, ada);

    static {
        stet.block(ada, "button", "<b>\n</b><!--[if mso]><v:rect href=\"https://a\">Old</v:rect><![endif]--><a href=\"https://a\">New</a>");
    }

    /** Cases that the pages' tests read, too; each begins with its name. */
    private static Stream<String> cases() throws IOException {
        return Arrays.stream(Files.readString(Path.of("app/test/pages/buttons.txt")).split("(?m)^=== ")).skip(1);
    }

    /** Emails in which the editor finds copies, which the pages' tests edit. */
    static List<String> buttons() throws IOException {
        return cases().filter(each -> !each.startsWith("no copy: ")).toList();
    }

    static List<String> others() throws IOException {
        return cases().filter(each -> each.startsWith("no copy: ")).toList();
    }

    private static String warnings(String html) {
        Client.Reply reply = browser.post("/data/check", Json.object().put("subject", "Hi").put("html", html).set("samples", Json.object()).toString());
        Stream<JsonNode> problems = StreamSupport.stream(Json.tree(reply.text()).get("problems").spliterator(), false);
        return problems.filter(each -> each.get("sentence").asText().startsWith("the button's")).map(each -> each.get("level").asText() + " "
                + each.path("block").asText("").replace("null", "") + each.get("lines") + " " + each.get("sentence").asText()
                .replaceFirst("; the conditional comment contains a copy of the button$", "")).collect(Collectors.joining("; "));
    }

    /** A button with another link and label; its copies stay. */
    private static String changed(String button, String link, String label) {
        String html = button.substring(button.indexOf('\n') + 1);
        String shown = html.substring(html.indexOf("<a id=\"shown\""));
        String before = html.substring(0, html.length() - shown.length());
        String linked = link == null ? shown : shown.replaceFirst("href=\"[^\"]*\"", "href=\"" + link + "\"");
        return before + (label == null ? linked : linked.replaceFirst("(?s)Show\\s+me(?!((?!</a>).)*Show\\s+me)", label)); // not that of a copy inside
    }

    @ParameterizedTest
    @MethodSource("buttons")
    void equalCopiesHaveNoWarning(String button) {
        assertEquals("", warnings(changed(button, null, null)));
    }

    @ParameterizedTest
    @MethodSource("buttons")
    void aCopysOtherLinkHasAWarning(String button) {
        String warnings = warnings(changed(button, "https://example.com/new", null));
        assertTrue(warnings.matches("(?s)warning \\[[\\d,]+] the button's link in Outlook, \".*\", differs from its link in other clients, \"https://example.com/new\""), warnings);
    }

    /** A copy around or inside the link has the link's own label. */
    @ParameterizedTest
    @MethodSource("buttons")
    void aCopysOtherLabelHasAWarning(String button) {
        String warnings = warnings(changed(button, null, "Buy"));
        String expected = hasOneLabel(button) ? "" : "(?s)warning \\[[\\d,]+] the button's label in Outlook, \".*\", differs from its label in other clients, \"Buy.*\"";
        assertTrue(warnings.matches(expected), warnings);
    }

    /** A copy that is a link is then a link of its own; a VML element stays a copy, and differs in its link and its label. */
    @ParameterizedTest
    @MethodSource("buttons")
    void onlyVmlElementsStayCopiesIfUrlAndLabelChange(String button) {
        boolean isLink = button.startsWith("a table for") || button.startsWith("two copies");
        int warnings = warnings(changed(button, "https://b", "Buy")).split("the button's").length - 1;
        assertEquals(isLink ? 0 : hasOneLabel(button) ? 1 : 2, warnings);
    }

    private static boolean hasOneLabel(String button) {
        return button.startsWith("the link is the content") || button.startsWith("v:roundrect inside the link, around its label");
    }

    @ParameterizedTest
    @MethodSource("others")
    void otherPartsAreNotCompared(String other) {
        assertEquals("", warnings(other.substring(other.indexOf('\n') + 1)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            <!--[if mso]><a href="https://a">Old</a><![endif]--><a href="https://b">New</a>                                      | ``
            <!--[if mso]><a href="https://a">Go</a><![endif]--><a href="https://b">Go</a>                                        | warning [1] the button's link in Outlook, "https://a", differs from its link in other clients, "https://b"
            <!--[if mso]><v:rect href="https://a"><center>Hi</center></v:rect><![endif]-->Hello <a href="https://b">New</a>      | ``
            <!--[if mso]><v:rect href="https://a"><![endif]--><a href="https://b">New</a> or <a href="https://c">Old</a><!--[if mso]></v:rect><![endif]--> | ``
            <!--[if mso]><v:rect href="https://a"><![endif]--><a href="https://b">New</a><!--[if mso]></v:rect><![endif]-->      | warning [1] the button's link in Outlook, "https://a", differs from its link in other clients, "https://b"
            <!--[if mso]><v:rect fillcolor="#fff"><![endif]--><a href="https://b">New</a><!--[if mso]></v:rect><![endif]-->      | ``
            <!-- <v:rect href="https://a">New</v:rect> --><a href="https://b">New</a>                                            | ``
            ~<!--[if mso]><v:rect href="https://a?b&amp;c"/><![endif]-->~<a href="https://a?b&c"><img src="https://a/b" alt="Hi" width="9"></a> | ``
            ~<!--[if mso]><v:rect href="https://a"/><![endif]-->~<a href="https://b"><img src="https://a/b" alt="Hi" width="9"></a> | warning [2] the button's link in Outlook, "https://a", differs from its link in other clients, "https://b"
            <!--[if mso]><v:rect href="https://a">{{#if x}}Buy{{else}}See{{/if}}</v:rect><![endif]--><a href="https://a">{{#if x}}Buy{{else}}See{{/if}}</a> | ``
            <!--[if mso]><v:rect href="https://a">{{#if y}}Buy{{/if}}</v:rect><![endif]--><a href="https://a">{{#if x}}Buy{{/if}}</a> | warning [1] the button's label in Outlook, "{{#if y}}Buy{{/if}}", differs from its label in other clients, "{{#if x}}Buy{{/if}}"
            <!--[if mso]><v:rect href="https://a">{{#if x}}<v:fill/>{{/if}}</v:rect><![endif]--><a href="https://a">Go</a> | ``
            {{> button}}                                                                                                         | warning button[2] the button's label in Outlook, "Old", differs from its label in other clients, "New"
            """)
    void copiesThatDifferHaveTheseWarnings(String html, String expected) {
        assertEquals(expected, warnings(html.replace('~', '\n')));
    }

    /** Long labels are compared up to a limit, and sentences stay short. */
    @Test
    void manyAndLongButtonsAreBounded() {
        String one = "<!--[if mso]><v:rect href=\"https://a\">" + "x".repeat(10_000) + "</v:rect><![endif]--><a href=\"https://" + "b".repeat(2_000) + "\">" + "x".repeat(10_000) + "</a>\n";
        String found = warnings(one.repeat(90));
        assertTrue(found.startsWith("warning [1,2,3") && found.length() < 600, found);
        assertEquals("", warnings("<!--[if mso]><v:rect href=\"a\">".repeat(30_000) + "<a href=\"https://a\">".repeat(30_000)));
    }
}
