package stet.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fields of a JSON object: of one type each, and none that nobody asked for. */
class FieldsTest {
    private static Fields of(String json) {
        return new Fields(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void whatIsThere() {
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
    void whatIsNotThere(String json) {
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
            {"text":1}            | text   | "text" is not a text
            {"text":{}}           | text   | "text" is not a text
            {"text":"\\ud800"}    | text   | "text" has half of a surrogate pair, which UTF-8 cannot hold
            {"text":"\\ude00\\ud83d"} | text | "text" has half of a surrogate pair, which UTF-8 cannot hold
            {"number":"1"}        | number | "number" is not a whole number
            {"number":1.0}        | number | "number" is not a whole number
            {"number":9223372036854775808} | number | "number" is not a whole number
            {"flag":"true"}       | flag   | "flag" is not true or false
            {"flag":1}            | flag   | "flag" is not true or false
            {"texts":[]}          | texts  | "texts" is not an object
            {"texts":{"a":1}}     | texts.a | "texts.a" is not a text
            {"texts":{"a":null}}  | texts.a | "texts.a" is not a text
            {"texts":{"a":"\\ud800"}} | texts | "texts" has half of a surrogate pair, which UTF-8 cannot hold
            {"other":1}           | other  | "other" is not a known field
            """)
    void whatIsRefused(String json, String field, String sentence) {
        Consumer<Fields> reading = fields -> {
            fields.text("text", null);
            fields.number("number", null);
            fields.flag("flag", false);
            fields.texts("texts");
            fields.end();
        };
        Refusal refusal = assertThrows(Refusal.class, () -> reading.accept(of(json)));
        assertEquals(field + ": " + sentence, refusal.field() + ": " + refusal.getMessage());
    }
}
