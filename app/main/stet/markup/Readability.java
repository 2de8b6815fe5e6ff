package stet.markup;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.markup.Html.Attribute;
import stet.markup.Html.Token;
import stet.markup.Publisher.Origin;

/**
 * Warns about accessibility problems in an expanded draft: low contrast between inline colours, links without text, and a missing language
 * or title. Contrast is not checked in hidden elements or where a style sheet may change the colours.
 */
final class Readability {
    /** WCAG 2.1, 1.4.3, for normal text. */
    private static final double LEAST_CONTRAST = 4.5;
    /** Maximum nesting depth that is tracked. */
    private static final int MAX_DEPTH = 200;
    private static final int UNKNOWN = -1;
    /** The default background, not set by any element. */
    private static final int PAGE = -2;

    /** Elements that have the text colour of the one around them. */
    private static final Set<String> PHRASES = Set.of("b", "strong", "i", "em", "u", "small", "span", "font");
    private static final Pattern DECLARATION =
            Pattern.compile("(?:^|;)\\s*+(color|background(?:-color)?)\\s*+:([^;]*+)", Pattern.CASE_INSENSITIVE);
    private static final Pattern IMPORTANT = Pattern.compile("!\\s*important", Pattern.CASE_INSENSITIVE);
    private static final Pattern HEX = Pattern.compile("#(\\p{XDigit}{3}|\\p{XDigit}{6})");
    private static final Pattern RGB = Pattern.compile("rgb\\( ?(\\d{1,3}) ?, ?(\\d{1,3}) ?, ?(\\d{1,3}) ?\\)");
    private static final Map<String, Integer> NAMED = Map.ofEntries(Map.entry("black", 0), Map.entry("white", 0xffffff),
            Map.entry("silver", 0xc0c0c0), Map.entry("gray", 0x808080), Map.entry("grey", 0x808080), Map.entry("red", 0xff0000),
            Map.entry("maroon", 0x800000), Map.entry("yellow", 0xffff00), Map.entry("olive", 0x808000), Map.entry("lime", 0xff00),
            Map.entry("green", 0x8000), Map.entry("aqua", 0xffff), Map.entry("teal", 0x8080), Map.entry("blue", 0xff),
            Map.entry("navy", 0x80), Map.entry("fuchsia", 0xff00ff), Map.entry("purple", 0x800080), Map.entry("orange", 0xffa500),
            Map.entry("lightgray", 0xd3d3d3), Map.entry("lightgrey", 0xd3d3d3), Map.entry("darkgray", 0xa9a9a9));

    private final IntFunction<Origin> origins;
    private final Problems problems;
    private final Deque<Open> open = new ArrayDeque<>();
    /** Name of the start tag just before; otherwise empty. */
    private String element = "";
    /** The open link while it has no text yet; otherwise null. */
    private Token link;
    /** The {@code html} element. */
    private Token document;
    private boolean isTitled;
    /** True if a style sheet sets backgrounds. */
    private boolean hasStyledBackgrounds;

    /** An open element. @param color inline text colour, or {@link #UNKNOWN} @param background also {@link #PAGE} */
    private record Open(String name, int color, int background, boolean isHidden) {
    }

    /** @param origins maps positions in the HTML, with shared blocks expanded, to their source */
    Readability(IntFunction<Origin> origins, Problems problems) {
        this.origins = origins;
        this.problems = problems;
        open.push(new Open("", UNKNOWN, PAGE, false));
    }

    void read(Token token) {
        if (!token.hidden()) {
            String name = token.kind() == Html.HtmlKind.START ? token.name() : "";
            read(token, name);
            element = name;
        }
    }

    private void warn(Token token, String sentence) {
        problems.warn(origins, token.start(), "", sentence);
    }

    /** Reports what is known only at the end of the email. */
    void end() {
        endLink();
        if (document != null && !isTitled) {
            warn(document, "the email has no title for browsers and screen readers; add <title> to its <head>");
        }
    }

    /** Warns if the open link has no text. */
    private void endLink() {
        if (link != null) {
            warn(link, "the link has no text, so screen readers cannot announce its purpose and nothing is visible while images are blocked; "
                    + "add text to the link or alt text to its image");
        }
        link = null;
    }

    private void read(Token token, String name) {
        switch (token.kind()) {
            case START -> start(token, name);
            case END -> end(token.name());
            case TEXT -> {
                if (!PlainText.isBlank(token.source())) {
                    link = null;
                    checkContrast(token);
                }
            }
            case TAG -> link = null;
            case RAW -> {
                isTitled |= element.equals("title") && !token.source().isBlank();
                hasStyledBackgrounds |= element.equals("style") && token.source().contains("background");
            }
            default -> { }
        }
    }

    private void start(Token token, String name) {
        switch (name) {
            case "html" -> {
                document = token;
                if (value(token, "lang").isBlank() && value(token, "xml:lang").isBlank()) {
                    warn(token, "the email declares no language, which screen readers need for pronunciation; add lang to <html>, "
                            + "such as lang=\"en\"");
                }
            }
            case "a" -> {
                endLink();
                link = token.attribute("href") == null || !value(token, "aria-label").isBlank() ? null : token;
            }
            case "img" -> link = value(token, "alt").isBlank() ? link : null;
            case "td", "th", "tr", "li", "p" -> {
                if (open.peek().name.equals(name)) {
                    open.pop(); // the end tag of the previous element was omitted
                }
            }
            default -> { }
        }
        if (!token.isVoid() && open.size() < MAX_DEPTH) {
            open.push(opened(token, name));
        }
    }

    /** An element that a start tag opens. Styled elements get an unknown colour, as a style sheet may change it. */
    private Open opened(Token token, String name) {
        Open around = open.peek();
        boolean isStyled = token.attribute("class") != null || token.attribute("id") != null;
        int color = PHRASES.contains(name) && !isStyled ? around.color : UNKNOWN;
        int background = isStyled && hasStyledBackgrounds ? UNKNOWN : around.background;
        if (!value(token, "bgcolor").isBlank()) {
            background = color(value(token, "bgcolor"), background);
        }
        Matcher declaration = DECLARATION.matcher(value(token, "style"));
        while (declaration.find()) {
            String value = IMPORTANT.matcher(declaration.group(2)).replaceAll("");
            if (declaration.group(1).equalsIgnoreCase("color")) {
                color = color(value, UNKNOWN);
            } else {
                background = color(value, around.background);
            }
        }
        return new Open(name, color, background, around.isHidden || PlainText.isHidden(token));
    }

    private void end(String name) {
        if (name.equals("a")) {
            endLink();
        }
        if (open.stream().limit(open.size() - 1L).anyMatch(each -> each.name.equals(name))) {
            while (!open.pop().name.equals(name)) {
                // The loop also closes inner elements that have no end tags.
            }
        }
    }

    /** Warns if both colours of a text are known and their contrast is too low. */
    private void checkContrast(Token text) {
        Open element = open.peek();
        int background = element.background == PAGE && !hasStyledBackgrounds ? 0xffffff : element.background;
        if (element.isHidden || element.color < 0 || background < 0) {
            return;
        }
        double contrast = contrast(element.color, background);
        if (contrast < LEAST_CONTRAST) {
            warn(text, String.format(Locale.ROOT, "\"#%06x on #%06x, %.1f:1\" has too little contrast; "
                    + "use colours with a ratio of at least %.1f:1", element.color, background,
                    Math.floor(contrast * 10) / 10, LEAST_CONTRAST));
        }
    }

    /** Contrast ratio as defined in WCAG 2.1, from 1 to 21. */
    static double contrast(int one, int other) {
        double a = luminance(one);
        double b = luminance(other);
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }

    private static double luminance(int color) {
        return 0.2126 * linear(color >> 16) + 0.7152 * linear(color >> 8 & 255) + 0.0722 * linear(color & 255);
    }

    private static double linear(int channel) {
        double value = channel / 255.0;
        return value <= 0.03928 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4);
    }

    /** A colour as {@code 0xrrggbb}, or {@link #UNKNOWN}. @param inherited the colour to return for values such as {@code inherit} */
    private static int color(String given, int inherited) {
        String value = given.strip().toLowerCase(Locale.ROOT);
        if (value.startsWith("#") && HEX.matcher(value).matches()) {
            String digits = value.substring(1);
            return Integer.parseInt(digits.length() == 6 ? digits : digits.replaceAll(".", "$0$0"), 16);
        }
        Matcher rgb = value.startsWith("rgb") ? RGB.matcher(value) : null;
        if (rgb != null && rgb.matches()) {
            return channel(rgb.group(1)) << 16 | channel(rgb.group(2)) << 8 | channel(rgb.group(3));
        }
        return switch (value) {
            case "none", "transparent", "inherit" -> inherited;
            default -> NAMED.getOrDefault(value, UNKNOWN);
        };
    }

    private static int channel(String digits) {
        return Math.min(255, Integer.parseInt(digits));
    }

    /** The value of an attribute; empty if there is none. */
    private static String value(Token token, String attribute) {
        Attribute found = token.attribute(attribute);
        return found == null ? "" : Entities.decodeAttribute(found.value());
    }
}
