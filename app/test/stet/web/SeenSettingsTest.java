package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static stet.harness.Browser.answered;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/** Two users change one setting: a form sends what it showed, and nobody replaces a value without seeing it. */
class SeenSettingsTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO, "correct horse");
    private final Browser browser = Browser.of(stet, ada);
    private final Browser other = Browser.of(stet, ada, stet.member(ada, "eve@example.com", Role.OWNER, "correct horse"));

    private static Client.Reply send(Browser browser, String route, String value, String seen) {
        String json = (value.substring(0, value.length() - 1) + (seen == null ? "}" : ",'seen':" + seen + "}")).replace('\'', '"');
        String[] words = route.split(" ");
        return words[0].equals("PUT") ? browser.put(words[1], json) : browser.post(words[1], json);
    }

    @ParameterizedTest(name = "{0} {2}")
    @CsvSource(delimiterString = " | ", quoteCharacter = '`', textBlock = """
            PUT /data/account | {'name':'ada@example.com','label':'','colour':null} | {'name':'Harbour','label':'','colour':null} | {'name':'Cove','label':'','colour':''}
            PUT /data/account | {'name':'ada@example.com','label':'','colour':null} | {'name':'ada@example.com','label':'Live','colour':null} | {'name':'ada@example.com','label':'Test','colour':''}
            PUT /data/account | {'name':'ada@example.com','label':'','colour':null} | {'name':'ada@example.com','label':'','colour':'red'} | {'name':'ada@example.com','label':'','colour':'blue'}
            PUT /data/accounts/1/name | {'name':'ada@example.com'} | {'name':'Harbour'} | {'name':'Cove'}
            PUT /data/accounts/1/plan | {'plan':'pro','requests':null,'keys':null,'storage':null,'images':null} | {'plan':'free','requests':null,'keys':null,'storage':null,'images':null} | {'plan':'none'}
            PUT /data/accounts/1/plan | {'plan':'pro','requests':null,'keys':null,'storage':null,'images':null} | {'plan':'pro','requests':7,'keys':null,'storage':null,'images':null} | {'plan':'pro','requests':8}
            PUT /data/accounts/1/plan | {'plan':'pro','requests':null,'keys':null,'storage':null,'images':null} | {'plan':'pro','requests':null,'keys':2,'storage':null,'images':null} | {'plan':'pro','requests':7}
            PUT /data/accounts/1/plan | {'plan':'pro','requests':null,'keys':null,'storage':null,'images':null} | {'plan':'pro','requests':null,'keys':null,'storage':2048,'images':null} | {'plan':'pro'}
            PUT /data/accounts/1/plan | {'plan':'pro','requests':null,'keys':null,'storage':null,'images':null} | {'plan':'pro','requests':null,'keys':null,'storage':null,'images':2048} | {'plan':'pro'}
            PUT /data/webhook | {'url':null} | {'url':'https://hooks.example/1'} | {'url':'https://hooks.example/2'}
            PUT /data/clients | {'clients':['gmail']} | {'clients':['aol']} | {'clients':['hey']}
            PUT /data/brand | {'colour':'#2455c3','background':'#f3f4f7','font':'system','logo':''} | {'colour':'#112233','background':'#ffffff','font':'arial','logo':''} | {'colour':'#332211','background':'#ffffff','font':'georgia','logo':''}
            PUT /data/members/2 | {'role':'owner'} | {'role':'editor'} | {'role':'writer'}
            POST /data/templates/welcome/request | {'note':null} | {'note':'for Friday'} | {'note':'for Monday'}
            """)
    void nobodyReplacesAnothersValueUnseen(String route, String before, String theirs, String mine) {
        stet.db.changeUncached(dao -> {
            dao.users().setAdministrator(stet.owner(ada).id(), true);
            dao.users().setAdministrator(dao.users().find("eve@example.com").orElseThrow().id(), true);
            dao.mailClients().choose(ada.id(), List.of("gmail"), stet.now());
        });
        stet.draft(ada, "welcome", "Welcome", "", "<p>Hi</p>");
        String given = theirs.replace("'colour':null", "'colour':''");
        assertEquals(2, send(other, route, given, before).status() / 100, "what the form showed is there");
        stet.clock.advance(Duration.ofMinutes(1));
        String conflict = "{\"error\":\"This has been changed since you opened it\",\"theirs\":{\"value\":" + theirs.replace('\'', '"')
                + ",\"by\":\"eve@example.com\",\"at\":\"2026-01-31T09:00:00.000Z\"}}";
        answered(409, conflict, send(browser, route, mine, before));
        answered(409, conflict, send(browser, route, mine, "{}"));
        assertEquals(2, send(browser, route, given, before).status() / 100, "the same value, such as a repeated request");
        assertEquals(2, send(browser, route, mine, theirs).status() / 100, "after it was seen");
        assertEquals(2, send(browser, route, given, null).status() / 100, "a request that does not say");
        answered(422, "{\"error\":\"\\\"seen\\\" must be an object\",\"field\":\"seen\"}", send(browser, route, mine, "'x'"));
    }

    /** A name is stored without the spaces around it, so the repeated request asks for the value that is there. */
    @ParameterizedTest
    @ValueSource(strings = {"PUT /data/account", "PUT /data/accounts/1/name"})
    void aRepeatedNameWithSpacesIsNoConflict(String route) {
        stet.db.changeUncached(dao -> dao.users().setAdministrator(stet.owner(ada).id(), true));
        String before = route.endsWith("/name") ? "{'name':'ada@example.com'}" : "{'name':'ada@example.com','label':'','colour':null}";
        assertEquals(2, send(browser, route, "{'name':' Harbour '}", before).status() / 100);
        assertEquals(ada.id(), stet.account("Harbour").id());
        assertEquals(2, send(browser, route, "{'name':' Harbour '}", before).status() / 100);
    }

    /** Only the form's own values matter. */
    @Test
    void anotherSettingOfTheAccountIsNoConflict() {
        assertEquals(200, other.put("/data/clients", "{\"clients\":[\"aol\"]}").status());
        assertEquals(200, send(browser, "PUT /data/account", "{'name':'Cove'}", "{'name':'ada@example.com','label':'','colour':null}").status());
    }

    @Test
    void aWebhookThatWasRemovedIsNotSetAgainUnseen() {
        assertEquals(200, send(other, "PUT /data/webhook", "{'url':'https://hooks.example/1'}", "{'url':null}").status());
        answered(204, "", other.delete("/data/webhook"));
        assertEquals(409, send(browser, "PUT /data/webhook", "{'url':'https://hooks.example/2'}", "{'url':'https://hooks.example/1'}").status());
    }

    /** A request that was withdrawn leaves nothing to replace. */
    @Test
    void aWithdrawnRequestIsNoConflict() {
        stet.draft(ada, "welcome", "Welcome", "", "<p>Hi</p>");
        assertEquals(200, send(other, "POST /data/templates/welcome/request", "{'note':'x'}", "{'note':null}").status());
        assertEquals(200, other.delete("/data/templates/welcome/request").status());
        assertEquals(200, send(browser, "POST /data/templates/welcome/request", "{'note':'y'}", "{'note':'x'}").status());
    }
}
