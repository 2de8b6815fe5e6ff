package stet.core;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import stet.base.Refusal;

/** Colours for account labels. Pages show them with sufficient contrast (WCAG 2.2, 1.4.3) in light and dark mode. */
public enum Colour {
    RED, ORANGE, GREEN, BLUE, PURPLE, GREY;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @return null for an empty word @throws Refusal for an unknown word */
    public static Colour of(String word) {
        if (word.isEmpty()) {
            return null;
        }
        return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst()
                .orElseThrow(() -> new Refusal("colour", "Unknown colour \"" + word + "\"; choose one of "
                        + Arrays.stream(values()).map(Colour::word).collect(Collectors.joining(", "))));
    }
}
