package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/** The pieces of a draft in the reply of its check: whole, exact, and bounded. */
class PiecesTest {
    @AutoClose
    private static final Running stet = new Running();
    private static final Account ada = stet.account("ada@example.com", Plan.PRO);
    private static final Browser browser = Browser.of(stet, ada);

    private static JsonNode check(String html, boolean isAsked) {
        ObjectNode draft = Json.object().put("subject", "Hi").put("html", html);
        draft.set("samples", Json.object());
        if (isAsked) {
            draft.put("pieces", true);
        }
        Client.Reply reply = browser.post("/data/check", draft.toString());
        assertEquals(200, reply.status(), reply.text());
        return Json.readObject(reply.body());
    }

    private static JsonNode pieces(String html) {
        return check(html, true).get("pieces");
    }

    @Test
    void thePiecesComeOnlyIfTheyAreAskedFor() {
        assertNull(check("<p>Hi</p>", false).get("pieces"));
        assertEquals("{\"list\":[{\"form\":\"blocks\",\"in\":-1,\"from\":0,\"to\":9,\"pieces\":[0]}],"
                + "\"piece\":[{\"kind\":\"text\",\"from\":0,\"to\":9,\"open\":[0,3],\"content\":[3,5],\"label\":\"Hi\",\"in\":0}],\"fixed\":[]}", pieces("<p>Hi</p>").toString());
    }

    @Test
    void aButtonHasAllPlacesOfItsValues() {
        String html = "<h1>&#128512; Hi</h1>\n<!--[if mso]><v:roundrect href=\"{{url}}\" fillcolor=\"#FFAA00\"><center style=\"color:#fff\">Go</center></v:roundrect><![endif]-->\n"
                + "<!--[if !mso]><!--><a href=\"{{url}}\" style=\"background:#fa0 url(x.png); color: #ffffff; padding: 8px\">Go</a><!--<![endif]-->";
        JsonNode button = pieces(html).at("/piece/1");
        assertEquals("button", button.get("kind").asText());
        assertEquals(html.substring(html.indexOf("<!--[if mso]")), html.substring(button.get("from").asInt(), button.get("to").asInt()));
        StringBuilder values = new StringBuilder();
        button.get("values").properties().forEach(property -> {
            values.append(property.getKey());
            property.getValue().forEach(range -> values.append(" [").append(html, range.get(0).asInt(), range.get(1).asInt()).append(']'));
            values.append('\n');
        });
        assertEquals("link [{{url}}] [{{url}}]\nlabel [Go] [Go]\nbackground [#FFAA00] [#fa0]\ncolor [#fff] [#ffffff]\npadding [8px]\n", values.toString());
    }

    @Test
    void anEmailOfMoreThanTwoThousandPartsIsNotSplit() {
        assertEquals("{\"list\":[],\"piece\":[],\"fixed\":[],\"problem\":\"This email has more than 2,000 parts, so it can be edited only as HTML.\"}",
                pieces("<p>a</p>".repeat(2_001)).toString());
        assertEquals(2_000, pieces("<p>a</p>".repeat(2_000)).get("piece").size());
    }
}
