package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** Character references mean what they mean in a browser, in text and in attributes. */
class EntitiesTest {
    private static final String DECODING = """
            const node = document.createElement('div');
            return arguments[0].map(source => {
              node.innerHTML = `<p title="${source}">${source}</p>`;
              return node.firstChild.textContent + '|' + node.firstChild.title;
            });
            """;

    @AutoClose
    private final Running stet = new Running();

    /** All names of the HTML standard; those without a semicolon are listed without it. */
    private static List<String> names() throws Exception {
        try (var file = Entities.class.getResourceAsStream("/stet/entities/names.txt")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().map(line -> line.split(" ")[0]).toList();
        }
    }

    @Test
    void eachNameOfTheStandardIsDecoded() throws Exception {
        assertEquals(2_231, names().stream().mapToInt(name -> name.endsWith(";") ? 1 : 2).sum(), "names in the HTML standard");
        for (String name : names()) {
            String reference = "&" + name + (name.endsWith(";") ? "" : ";");
            assertEquals(-1, Entities.decode(reference + "x").indexOf(reference), name);
        }
    }

    @Tag("browser")
    @ExtendWith(Chromium.class)
    @Test
    void referencesAreDecodedAsInABrowser(Window window) throws Exception {
        List<String> sources = new ArrayList<>(List.of("&", "&;", "&#;", "&#y;", "&#xD800;", "&#1114112;", "&#99999999999999999999;", "&#x10FFFF;",
                "&#xfdd0;", "&#00000000065;", "&#X41", "&nosuch;", "&Amp;"));
        for (String name : names()) {
            for (String next : List.of("", "a", "=", "1", " ", "&", ";", "\u00e9")) {
                sources.add("&" + name + next);
            }
        }
        IntStream.range(0, 300).forEach(number -> sources.addAll(List.of("&#" + number + ";", "&#x" + Integer.toHexString(number) + "g")));
        window.open(stet, "/");
        List<?> shown = (List<?>) window.script(DECODING, sources);
        for (int i = 0; i < sources.size(); i++) {
            String source = sources.get(i);
            assertEquals(shown.get(i), Entities.decode(source) + "|" + Entities.decodeAttribute(source), source);
        }
    }
}
