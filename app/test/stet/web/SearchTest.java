package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Samples;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Pictures;
import stet.harness.Running;

/** Search covers names, ids, tags, drafts, live versions and shared blocks. */
class SearchTest {
    @AutoClose
    private static final Running stet = new Running();
    private static final Account ada = stet.account("ada@example.com", Plan.PRO);
    private static final Account zed = stet.account("zed@example.com", Plan.PRO);
    private static final Browser browser = Browser.of(stet, ada);

    @BeforeAll
    static void fill() {
        stet.draft(ada, "welcome", "Welcome", "Hi {{name}}", "<p>\r\n  <b>50% off</b>, Caf\u00c9 M\u00dcLLER_shop</p>\n");
        stet.clock.advance(Duration.ofMinutes(1));
        stet.draft(ada, "receipt", "Your receipt", "Order 100%", "<p>Thanks</p>\n<a href=\"https://harbour.example/ORDER\">See</a>");
        stet.clock.advance(Duration.ofMinutes(1));
        stet.draft(ada, "digest", "Digest", "", "\u20ac".repeat(100) + "weekly" + "\u20ac".repeat(100) + "\nThanks " + "x".repeat(500));
        stet.db.change(dao -> dao.library().changeTags(ada.id(), "digest", List.of("news letter"), List.of(), stet.now()));
        stet.block(zed, "footer", "<p>Imprint, Old Street</p>");
        stet.draft(zed, "letter", "Letter", "One", "<h1>First</h1>\n{{> footer}}");
        stet.publish(zed, "letter");
        stet.block(zed, "footer", "<p>Imprint, New Street</p>");
        stet.draft(zed, "changed", "Changed", "Alpha", "<p>before</p>");
        stet.publish(zed, "changed");
        stet.draft(zed, "changed", "Changed", "Beta", "<p>after</p>");
        stet.template(zed, "same", "<p>unchanged</p>");
        stet.template(zed, "gone", "<p>vanished</p>");
        stet.db.change(dao -> dao.trash().delete(zed.id(), "gone", stet.now()));
        Account eve = stet.account("eve@example.com", Plan.PRO);
        stet.draft(eve, "foreign", "Welcome Thanks", "order", "<p>Thanks order</p>");
        stet.publish(eve, "foreign");
        stet.block(eve, "thanks", "<p>Thanks order</p>");
    }

    private static Client.Reply search(String query) {
        return browser.get("/data/search?q=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            WELCOME            | welcome
            order              | receipt
            thanks             | digest receipt
            thanks order       | receipt
            order thanks see   | receipt
            thanks welcome     | ''
            50%                | welcome
            %                  | receipt welcome
            r_s                | welcome
            _                  | welcome
            5_%                | ''
            *                  | ''
            café               | welcome
            CAFÉ müller_       | welcome
            letter             | digest
            https://harbour    | receipt
            \\                 | ''
            "                  | receipt
            {{name}}           | welcome
            ''                 | digest receipt welcome
            """)
    void textsWithAllWordsAreFound(String query, String ids) {
        Client.Reply reply = search(query);
        assertEquals(200, reply.status(), reply.text());
        assertEquals(ids, Pattern.compile("\"id\":\"([^\"]+)\"").matcher(reply.text()).results().map(found -> found.group(1))
                .collect(Collectors.joining(" ")), reply.text());
    }

    /** Search finds the words that the preview shows. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            m\u00fcller     | <p>Gr&uuml;&szlig;e von M&uuml;ller &amp; S&ouml;hne</p>   | Gr\u00fc\u00dfe von M\u00fcller & S\u00f6hne</p>
            s\u00f6hne &    | <p>Gr&uuml;&szlig;e von M&uuml;ller &amp; S&ouml;hne</p>   | n M\u00fcller & S\u00f6hne</p>
            don\u2019t      | <p>Don&rsquo;t &check;</p>                                 | <p>Don\u2019t \u2713</p>
            don\u2019t      | <p>Don&#146;t</p>                                          | <p>Don\u2019t</p>
            caf\u00e9s      | <p>Cafe\u0301s</p>                                        | <p>Caf\u00e9s</p>
            cafe\u0301s     | <p>Caf\u00e9s</p>                                         | <p>Caf\u00e9s</p>
            cooperate        | <p>co&shy;oper\u00adate</p>                               | <p>cooperate</p>
            10 kg            | <p>10&nbsp;kg&#10;more</p>                                 | <p>10&nbsp;kg&#10;more</p>
            m\u00fcller     | <p>a&NewLine;M&uuml;ller</p>                               | <p>a M\u00fcller</p>
            m\u00fcller     | <p>M&uuml;ller&#10;and</p>                                 | <p>M\u00fcller and</p>
            m\u00fcller     | <p>b&#10a&#x0D;b&#xAM&uuml;ller</p>                        | <p>b a b M\u00fcller</p>
            m\u00fcller     | <p>&#100;&#xA0;M&uuml;ller</p>                              | <p>d M\u00fcller</p>
            a=1&copy=2       | <a href="?a=1&copy=2">                                     | <a href="?a=1&copy=2">
            """)
    void wordsAreFoundAsThePreviewShowsThem(String query, String html, String text) throws IOException {
        Account eva = stet.account("eva" + (query + html).hashCode() + "@example.com", Plan.PRO);
        stet.draft(eva, "other", "Other", "", "<p>Muller</p>");
        stet.draft(eva, "mail", "Mail", "", "<p>\r\n</p>\n" + html);
        String reply = Browser.of(stet, eva).get("/data/search?q=" + URLEncoder.encode(query, StandardCharsets.UTF_8)).text();
        JsonNode found = new ObjectMapper().readTree(reply).path("templates");
        assertEquals(1, found.size(), reply);
        assertEquals("mail 3 " + text, found.path(0).path("id").asText() + " " + found.path(0).path("line") + " " + found.path(0).path("text").asText());
    }

    @Test
    void aResultHasTheLineOfAWord() {
        answered(200, "{\"templates\":[{\"id\":\"welcome\",\"line\":2,\"text\":\"<b>50% off</b>, CafÉ MÜLLER_shop</p>\"}],\"live\":[],\"blocks\":[],\"unsearched\":0}", search("OFF"));
        answered(200, "{\"templates\":[{\"id\":\"receipt\",\"line\":null,\"text\":null}],\"live\":[],\"blocks\":[],\"unsearched\":0}", search("your receipt order"));
        answered(200, "{\"templates\":[{\"id\":\"digest\",\"line\":1,\"text\":\"" + "\u20ac".repeat(4) + "weekly" + "\u20ac".repeat(22)
                + "\"}],\"live\":[],\"blocks\":[],\"unsearched\":0}", search("weekly"));
        assertTrue(search("thanks digest").text().contains("\"line\":2,\"text\":\"Thanks " + "x".repeat(63) + "\""));
    }

    /** A live version is found if its draft does not match; it contains its shared blocks as of publication. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            imprint        | ''         | letter:2     | footer:1
            old street     | ''         | letter:2     | ''
            new street     | ''         | ''           | footer:1
            footer         | letter:2   | ''           | footer:null
            alpha          | ''         | changed:null | ''
            before         | ''         | changed:1    | ''
            changed before | ''         | changed:1    | ''
            after          | changed:1  | ''           | ''
            alpha after    | ''         | ''           | ''
            unchanged      | same:1     | ''           | ''
            vanished       | ''         | ''           | ''
            """)
    void liveVersionsAndSharedBlocksAreFound(String query, String drafts, String live, String blocks) throws IOException {
        JsonNode found = new ObjectMapper().readTree(Browser.of(stet, zed).get("/data/search?q=" + query.replace(' ', '+')).text());
        assertEquals(List.of(drafts, live, blocks), Stream.of("templates", "live", "blocks").map(list -> found.get(list).findValuesAsText("id")
                .stream().map(id -> id + ":" + found.get(list).findValue("line").asText()).collect(Collectors.joining(" "))).toList());
    }

    /** An image is a shared block without HTML, and has no page of its own that a result could link to. */
    @ParameterizedTest
    @ValueSource(strings = {"logo", "images", "IHDR"})
    void imagesAreNotSearched(String query) {
        Account amy = stet.account("amy." + query + "@example.com", Plan.PRO);
        stet.image(amy, "logo.png", Pictures.png(2, 2, 0));
        answered(200, "{\"templates\":[],\"live\":[],\"blocks\":[],\"unsearched\":0}", Browser.of(stet, amy).get("/data/search?q=" + query));
    }

    /** The word follows characters whose lower case has more or fewer bytes. */
    @ParameterizedTest
    @ValueSource(strings = {"\u0130", "\u1e9e", "\u023a", "\u212a"})
    void theLineIsRightBehindCharactersWhoseLowerCaseHasAnotherLength(String character) {
        Account zoe = stet.account(Integer.toHexString(character.charAt(0)) + "@example.com", Plan.PRO);
        stet.draft(zoe, "istanbul", "Mail", "", character.repeat(100) + "\nSee caf\u00c9 now\n" + "x".repeat(300));
        answered(200, "{\"templates\":[{\"id\":\"istanbul\",\"line\":2,\"text\":\"See caf\u00c9 now\"}],\"live\":[],\"blocks\":[],\"unsearched\":0}",
                Browser.of(stet, zoe).get("/data/search?q=caf%C3%A9"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ?q=a&q=b              | A search requires exactly one q parameter
            ''                    | A search requires exactly one q parameter
            ?q=%ff                | A search requires exactly one q parameter
            ?q=a+b+c+d+e+f+g+h+i  | The search has 9 words; the limit is 8
            """)
    void anInvalidSearchIsRejected(String query, String sentence) {
        answered(422, "{\"error\":\"" + sentence + "\",\"field\":\"q\"}", browser.get("/data/search" + query));
    }

    @Test
    void aSearchHasAtMostTwoHundredCharacters() {
        assertEquals(200, search("\u20ac".repeat(200)).status());
        answered(422, "{\"error\":\"The search must be at most 200 characters\",\"field\":\"q\"}", search("x".repeat(201)));
    }

    /** Searches the HTML of the most recently changed templates only, finds others by name, and reports how many. */
    @Tag("slow")
    @Test
    void tooMuchHtmlIsNotSearched() {
        Account big = stet.account("big@example.com", Plan.PRO);
        Browser their = Browser.of(stet, big);
        byte[] html = ("x".repeat((2 << 20) - 6) + "needle").getBytes(StandardCharsets.UTF_8);
        stet.db.change(dao -> {
            for (int i = 0; i < 34; i++) {
                dao.templates().save(big.id(), new Draft("t" + i, i == 0 ? "Oldest" : "T", "", html, Samples.NONE), stet.now().plusSeconds(i));
            }
        });
        String found = their.get("/data/search?q=needle").text();
        assertTrue(found.startsWith("{\"templates\":[{\"id\":\"t33\",\"line\":1,"), found.substring(0, 200));
        assertTrue(found.endsWith("\"unsearched\":2}"), found.substring(found.length() - 100));
        answered(200, "{\"templates\":[{\"id\":\"t0\",\"line\":null,\"text\":null}],\"live\":[],\"blocks\":[],\"unsearched\":1}", their.get("/data/search?q=oldest"));
        stet.block(big, "t0", "x".repeat(1 << 20));
        found = their.get("/data/search?q=needle").text();
        assertTrue(found.endsWith("\"unsearched\":3}"), "a block with the ID of a template: " + found.substring(found.length() - 100));
    }
}
