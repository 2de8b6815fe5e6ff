package stet.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.PushApi;
import stet.harness.Running;

/** The types of the data that live versions need (types.md). */
class TypesTest {
    private static final String TOKEN = "stet_deploy_types";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);

    private void template(String id, String subject, String html, Map<String, String> sets) {
        stet.db.change(dao -> dao.templates().save(ada.id(), new Draft(id, id, subject, html.getBytes(StandardCharsets.UTF_8), sets), stet.now()));
        stet.publish(ada, id);
    }

    private Client.Reply types(String query) {
        if (stet.db.read(dao -> dao.tokens().list(ada.id())).isEmpty()) {
            stet.db.change(dao -> dao.tokens().add(ada, "ci", Role.WRITER, TOKEN, null, stet.now()));
        }
        Client.Reply reply = stet.get("/push/types" + query, TOKEN);
        PushApi.check("GET", "/push/types" + query, reply);
        return reply;
    }

    private String typescript() {
        return Json.tree(types("?lang=ts").text()).get("types").asText();
    }

    /** Fields of all types, in one line each: {@code Name: field, field}. */
    private String fields() {
        return typescript().lines().filter(line -> line.startsWith("  ") || line.startsWith("export")).map(line -> line.startsWith("export")
                ? "\n" + line.replaceAll("export type (\\w+) = \\{", "$1:") : line.replaceAll("^ +|;$", " ").strip())
                .collect(Collectors.joining(" ")).strip().replaceAll(" *\nEmails:.*", "");
    }

    /** One template with one or two sets of test data, and the fields of its type. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '¦', textBlock = """
            {{a}} {{{b}}}                                ¦ {"a": "x", "b": 1}                     ¦                  ¦ TEmail: a: string b: number
            {{a}}                                        ¦ {"a": true}                            ¦                  ¦ TEmail: a: boolean
            {{a}}                                        ¦                                        ¦                  ¦ TEmail: a: string | number | boolean
            {{a}}                                        ¦ {"a": "x"}                             ¦ {"a": 2}         ¦ TEmail: a: string | number | boolean
            {{a}} {{b}}                                  ¦ {"a": "x", "b": "y"}                   ¦ {"a": "x"}       ¦ TEmail: a: string b?: string | null
            {{a}} {{b}}                                  ¦ {"a": "x", "b": null}                  ¦                  ¦ TEmail: a: string b?: string | number | boolean | null
            {{a}} {{b}}                                  ¦ {}                                     ¦ {"a": "x"}       ¦ TEmail: a: string b: string | number | boolean
            {{#if a}}{{a}}{{/if}}                        ¦ {"a": "x"}                             ¦                  ¦ TEmail: a?: string | null
            {{#if a}}{{b}}{{/if}}                        ¦ {"a": true, "b": "x"}                  ¦                  ¦ TEmail: a?: boolean | null b?: string | null
            {{#if a}}{{b}}{{/if}}{{b}}                   ¦ {"b": "x"}                             ¦                  ¦ TEmail: a?: unknown | null b: string
            {{#unless a}}{{b}}{{else}}{{c}}{{/unless}}   ¦                                        ¦                  ¦ TEmail: a?: unknown | null b?: string | number | boolean | null c?: string | number | boolean | null
            {{#a}}{{a}}{{/a}}                            ¦ {"a": "x"}                             ¦                  ¦ TEmail: a?: string | null
            {{^a}}{{b}}{{/a}}                            ¦ {"b": "x"}                             ¦                  ¦ TEmail: a?: unknown | null b?: string | null
            {{#if (eq a "x")}}{{b}}{{/if}}               ¦ {"a": "x", "b": "y"}                   ¦                  ¦ TEmail: a: string b?: string | null
            {{#if a}}x{{else if b}}y{{/if}}              ¦ {"a": 1, "b": 2}                       ¦                  ¦ TEmail: a?: number | null b?: number | null
            {{#each a}}{{b}}{{/each}}                    ¦ {"a": [{"b": "x"}]}                    ¦                  ¦ TEmail: a: Array<TEmailA> TEmailA: b: string
            {{#each a}}{{b}}{{../c}}{{/each}}            ¦ {"a": [{"b": "x"}], "c": 1}            ¦                  ¦ TEmail: a: Array<TEmailA> c: number TEmailA: b: string
            {{#each a}}{{b}}{{#if c}}{{c}}{{/if}}{{/each}} ¦ {"a": [{"b": "x", "c": 1}, {"b": "y"}]} ¦                ¦ TEmail: a: Array<TEmailA> TEmailA: b: string c?: number | null
            {{#each a}}{{b}}{{/each}}                    ¦ {"a": [{"b": "x"}, {}]}                ¦                  ¦ TEmail: a: Array<TEmailA> TEmailA: b: string
            {{#each a}}{{b}}{{c}}{{/each}}               ¦ {"a": [{"b": "x", "c": 1}, {"b": "y"}]} ¦                ¦ TEmail: a: Array<TEmailA> TEmailA: b: string c?: number | null
            {{#if a}}{{#each a}}{{b}}{{/each}}{{/if}}    ¦ {"a": [{"b": "x"}]}                    ¦                  ¦ TEmail: a?: Array<TEmailA> | null TEmailA: b: string
            {{#a}}{{b}}{{/a}}                            ¦ {"a": [{"b": "x"}]}                    ¦                  ¦ TEmail: a: Array<TEmailA> TEmailA: b: string
            {{#a}}{{b}}{{/a}}                            ¦ {"a": {"b": "x"}}                      ¦                  ¦ TEmail: a?: TEmailA | null TEmailA: b: string
            {{#a}}{{b}}{{/a}}                            ¦                                        ¦                  ¦ TEmail: a: Array<TEmailA> TEmailA: b: string | number | boolean
            {{#a}}yes{{/a}}                              ¦                                        ¦                  ¦ TEmail: a?: unknown | null
            {{#with a}}{{b}}{{/with}}                    ¦ {"a": {"b": "x"}}                      ¦                  ¦ TEmail: a: TEmailA TEmailA: b: string
            {{a.b.c}} {{a.d}}                            ¦ {"a": {"b": {"c": "x"}, "d": 1}}       ¦                  ¦ TEmail: a: TEmailA TEmailA: b: TEmailAB d: number TEmailAB: c: string
            {{#each a}}{{this}}{{/each}}                 ¦ {"a": ["x"]}                           ¦                  ¦ TEmail: a: Array<string>
            {{#a}}{{.}}{{/a}}                            ¦ {"a": [1, "x"]}                        ¦                  ¦ TEmail: a: Array<string | number | boolean>
            {{#each a}}{{@key}} {{b}}{{/each}}           ¦ {"a": {"k": {"b": "x"}}}               ¦                  ¦ TEmail: a: Record<string, TEmailA> TEmailA: b: string
            {{#each a as |row|}}{{row.b}}{{/each}}       ¦ {"a": [{"b": 1}]}                      ¦                  ¦ TEmail: a: Array<TEmailA> TEmailA: b: number
            {{a.length}} {{#each a}}{{b}}{{/each}}       ¦ {"a": [{"b": 1}]}                      ¦                  ¦ TEmail: a: Array<TEmailA> TEmailA: b: number
            {{a.b}}                                      ¦ {"a.b": 1}                             ¦ {"c": "x"}       ¦ TEmail: a: TEmailA TEmailA: b: number
            {{a.b}}                                      ¦ {"c": "x"}                             ¦ {"a.b": 1}       ¦ TEmail: a: TEmailA TEmailA: b: number
            {{json a}}                                   ¦ {"a": {"b": 1}}                        ¦                  ¦ TEmail: a: unknown
            {{[first name]}} {{class}}                   ¦ {"first name": "x", "class": "y"}      ¦                  ¦ TEmail: class: string "first name": string
            {{b}} {{a}} {{C}}                            ¦ {"a": "x", "b": "y", "C": "z"}         ¦                  ¦ TEmail: C: string a: string b: string
            none                                         ¦                                        ¦                  ¦ TEmail:
            """)
    void aTypeHasTheFieldsOfItsHtmlAndTestData(String html, String data, String more, String expected) {
        Map<String, String> sets = new TreeMap<>();
        if (data != null) {
            sets.put("one", data);
        }
        if (more != null) {
            sets.put("two", more);
        }
        template("t", "", html, sets);
        assertEquals(expected, fields().replaceAll(" *\n", " "));
    }

    /** A republication changes only the comment, and an unpublished draft changes nothing. */
    @Test
    void theFileHasTheTypeOfEachLiveVersion() {
        template("welcome-back", "Hi {{name}}", "<p>{{#if code}}{{code}}{{/if}}</p>", Map.of("ada", "{\"name\": \"Ada\", \"code\": \"1\"}"));
        stet.draft(ada, "draft", "Draft", "", "{{secret}}");
        String file = """
                // Generated by "stet types"; do not edit.

                /** Data of the email "welcome-back". */
                // Version 1
                export type WelcomeBackEmail = {
                  code?: string | null;
                  name: string;
                };

                /** The data of each email by its ID. */
                export type Emails = {
                  "welcome-back": WelcomeBackEmail;
                };
                """;
        assertEquals(file, typescript());
        assertEquals(Json.tree(types("?lang=ts").text()), Json.tree(browser.get("/data/templates/welcome-back/types?lang=ts").text()));
        template("welcome-back", "Hello {{name}}", "<p>{{#if code}}{{code}}{{/if}}</p>", Map.of("ada", "{\"name\": \"Ada\", \"code\": \"1\"}"));
        assertEquals(file.replace("Version 1", "Version 2"), typescript());
    }

    /** Different IDs and names never become one type or field; words of the language are changed. */
    @Test
    void namesAreUnique() {
        template("a-b", "", "{{x.y}}", Map.of());
        template("A_b", "", "{{class}} {{class_}} {{def}} {{map}} {{to_dict}} {{Map}}", Map.of());
        template("1", "", "{{[1]}}", Map.of());
        String java = Json.tree(types("?lang=java&package=com.example.mails").text()).get("types").asText();
        for (String part : new String[] {"package com.example.mails;", " class X1Email ", " class ABEmail ", " class ABEmail2 ", " class ABEmail2X ",
            " class_(", " class__(", " map_(", "put(\"class\"", "put(\"class_\""}) {
            assertTrue(java.contains(part), part + "\n" + java);
        }
        String python = Json.tree(types("?lang=python").text()).get("types").asText();
        assertTrue(python.contains("    def_: ") && python.contains("    to_dict_: "), python);
        assertTrue(Json.tree(types("?lang=go&package=mails").text()).get("types").asText().contains("\tMap_ "));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            ''                            | 422 | {"error":"lang must be ts, java, python, go","field":"lang"}
            ?lang=rust                    | 422 | {"error":"lang must be ts, java, python, go","field":"lang"}
            ?lang=ts&packag=x             | 422 | {"error":"Unknown parameter packag; known parameters: lang, package","field":"packag"}
            ?lang=java&package=a-b        | 422 | {"error":"\\"a-b\\" is not a valid package name; use a name such as com.example.emails","field":"package"}
            ?lang=go&package=a.b          | 422 | {"error":"\\"a.b\\" is not a valid package name; use a name such as emails","field":"package"}
            ?lang=java&package=a%3Bimport | 422 | {"error":"\\"a;import\\" is not a valid package name; use a name such as com.example.emails","field":"package"}
            """)
    void wrongParametersAreRefused(String query, int status, String body) {
        Client.Reply reply = types(query);
        assertEquals(status + " " + body, reply.status() + " " + reply.text());
    }
}
