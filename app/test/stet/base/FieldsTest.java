package stet.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Plan;

/** Fields of a JSON object: types are checked and unknown fields rejected. */
class FieldsTest {
    private static Fields of(String json) {
        return new Fields(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void fieldsAreReadWithTheirTypes() {
        Fields fields = of("{\"text\":\"\ud83d\ude00\\ud83d\\ude00\",\"number\":-7,\"flag\":true,\"texts\":{\"b\":\"1\",\"a\":\"\"}}");
        assertEquals("\ud83d\ude00\ud83d\ude00", fields.text("text"));
        assertEquals(-7L, fields.number("number", null));
        assertEquals(true, fields.flag("flag", false));
        Map<String, String> texts = fields.texts("texts");
        assertEquals(List.of("b", "a"), List.copyOf(texts.keySet()));
        assertEquals(Map.of("a", "", "b", "1"), texts);
        fields.end();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}
            {"text":null,"number":null,"flag":null,"texts":null}
            """)
    void missingAndNullFieldsHaveDefaults(String json) {
        Fields fields = of(json);
        assertNull(fields.text("text", null));
        assertEquals(5L, fields.number("number", 5L));
        assertEquals(true, fields.flag("flag", true));
        assertEquals(Map.of(), fields.texts("texts"));
        assertEquals("\"text\" is missing", assertThrows(Refusal.class, () -> fields.text("text")).getMessage());
        fields.end();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"text":1}            | text   | "text" must be a string
            {"text":{}}           | text   | "text" must be a string
            {"text":"\\ud800"}    | text   | "text" contains an unpaired surrogate, which UTF-8 cannot encode; remove it
            {"text":"\\ude00\\ud83d"} | text | "text" contains an unpaired surrogate, which UTF-8 cannot encode; remove it
            {"number":"1"}        | number | "number" must be a whole number
            {"number":1.0}        | number | "number" must be a whole number
            {"number":9223372036854775808} | number | "number" must be a whole number
            {"flag":"true"}       | flag   | "flag" must be true or false
            {"flag":1}            | flag   | "flag" must be true or false
            {"texts":[]}          | texts  | "texts" must be an object
            {"texts":{"a":1}}     | texts.a | "texts.a" must be a string
            {"texts":{"a":null}}  | texts.a | "texts.a" must be a string
            {"texts":{"a":"\\ud800"}} | texts.a | "texts.a" contains an unpaired surrogate, which UTF-8 cannot encode; remove it
            {"other":1}           | other  | "other" is not a known field
            """)
    void wrongFieldsAreRefused(String json, String field, String sentence) {
        Consumer<Fields> reading = fields -> {
            fields.text("text", null);
            fields.number("number", null);
            fields.flag("flag", false);
            fields.texts("texts");
            fields.end();
        };
        refused(field, sentence, () -> reading.accept(of(json)));
    }

    @Test
    void nestedFieldsAreRead() {
        Fields fields = of("{\"inner\":{\"b\":1,\"a\":null},\"list\":[{\"at\":\"2026-01-31T09:00:00Z\"},{}],\"null\":null}");
        assertEquals(List.of("inner", "list", "null"), List.copyOf(fields.names()));
        Fields inner = fields.object("inner");
        assertEquals(List.of("b", "a"), List.copyOf(inner.names()));
        assertEquals(1L, inner.number("b", 0, 1, null));
        assertEquals(9L, inner.number("a", 0, 1, 9L));
        assertEquals(true, inner.has("a"));
        assertEquals(false, inner.has("c"));
        inner.end();
        List<Fields> list = fields.objects("list");
        assertEquals(Instant.parse("2026-01-31T09:00:00Z"), list.get(0).instant("at"));
        assertNull(list.get(1).instant("at"));
        assertNull(fields.object("null"));
        assertEquals(List.of(), fields.objects("null"));
        fields.end();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            {"inner":[]}                 | inner         | "inner" must be an object
            {"inner":{"number":-1}}      | inner.number  | "inner.number" must be a whole number from 0 to 7
            {"inner":{"number":8}}       | inner.number  | "inner.number" must be a whole number from 0 to 7
            {"inner":{"other":8}}        | inner.other   | "inner.other" is not a known field
            {"list":{}}                  | list          | "list" must be an array
            {"list":[{},7]}              | list[1]       | "list[1]" must be an object
            {"list":[null]}              | list[0]       | "list[0]" must be an object
            {"list":[{},{"at":7}]}       | list[1].at    | "list[1].at" must be a string
            {"list":[{"at":"today"}]}    | list[0].at    | "list[0].at": "today" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z
            {"list":[{"plan":"gold"}]}   | list[0].plan  | "list[0].plan": "gold" is not a plan; choose free, pro or none
            {"list":[{"other":1}]}       | list[0].other | "list[0].other" is not a known field
            """)
    void wrongNestedFieldsAreRefused(String json, String field, String sentence) {
        refused(field, sentence, () -> readInside(of(json)));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            {"inner":null}               | inner         | "inner" must be an object
            {"inner":{"number":null}}    | inner.number  | "inner.number" must be a whole number from 0 to 7
            {"list":null}                | list          | "list" must be an array
            {"list":[{"at":null}]}       | list[0].at    | "list[0].at" must be a string
            """)
    void nullIsAWrongValueInAFile(String json, String field, String sentence) {
        readInside(of(json));
        refused(field, sentence, () -> readInside(Fields.ofFile(json.getBytes(StandardCharsets.UTF_8))));
    }

    private static void readInside(Fields fields) {
        Fields inner = fields.object("inner");
        if (inner != null) {
            inner.number("number", 0, 7, null);
            inner.end();
        }
        for (Fields each : fields.objects("list")) {
            each.instant("at");
            each.parse("plan", Plan::of);
            each.end();
        }
        fields.end();
    }

    private static void refused(String field, String sentence, Executable reading) {
        Refusal refusal = assertThrows(Refusal.class, reading);
        assertEquals(field + ": " + sentence, refusal.field() + ": " + refusal.getMessage());
    }
}
