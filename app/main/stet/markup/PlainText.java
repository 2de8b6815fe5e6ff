package stet.markup;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Converts filled HTML to plain text: links with their addresses, images as alt text, lists with dashes, and one line per block
 * of text.
 */
public final class PlainText {
    private static final Set<String> LEFT_OUT = Set.of("script", "style", "title", "noembed", "noframes", "iframe");
    private static final Set<String> LINES = Set.of("br", "tr", "div", "li", "center", "address", "dt", "dd", "body", "section",
            "header", "footer", "article", "caption", "form", "option");
    private static final Set<String> PARAGRAPHS = Set.of("p", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "blockquote",
            "hr", "pre", "dl");
    /** Padding characters that follow a preheader so that inboxes show no body text after it. */
    private static final Pattern PADDING =
            Pattern.compile("[\\u00a0\\u00ad\\u034f\\u061c\\u200b-\\u200f\\u2007\\u2060\\ufeff]+");
    /**
     * Maximum length of the extracted text. Reading stops after the token that reaches this length, so a preheader's length can be greater.
     */
    private static final int MAX_PREHEADER_CHARS = 250;
    /** Inline styles that hide a preheader. */
    private static final Pattern HIDING = Pattern.compile("(?=[dfmov])(?:display\\s*:\\s*none|visibility\\s*:\\s*hidden|mso-hide\\s*:\\s*all"
            + "|opacity\\s*:\\s*0|(?:max-height|font-size)\\s*:\\s*[01](?:px)?)\\s*(?:[;!]|$)", Pattern.CASE_INSENSITIVE);

    private final StringBuilder text = new StringBuilder();
    /** Line breaks (at most two) and space to insert before the next word. */
    private int breaks;
    private boolean isSpaced;
    /** The address of the open link (null if there is none), and the position where the link's text starts. */
    private String address;
    private int linkStart;

    private PlainText() {
    }

    /** @return lines ending with LF; empty if there is no text */
    public static String of(String html) {
        PlainText plain = new PlainText();
        boolean isLeftOut = false;
        for (Html.Token token : Html.in(html)) {
            if (!token.hidden()) {
                switch (token.kind()) {
                    case START -> plain.start(token);
                    case END -> plain.end(token.name());
                    case TEXT, TAG -> plain.add(Entities.decode(token.source()));
                    case RAW -> plain.add(isLeftOut ? "" : Entities.decode(token.source()));
                    default -> { }
                }
            }
            isLeftOut = token.kind() == Html.Kind.START && LEFT_OUT.contains(token.name());
        }
        plain.closeLink();
        return plain.text.isEmpty() ? "" : plain.text.append('\n').toString();
    }

    /**
     * The text that an inbox shows after the subject: the email's first text, hidden or not, without padding.
     *
     * @param length number of characters in the preheader, a hidden element before all other text; 0 without a preheader
     */
    public record Preheader(String text, int length) {
        public static Preheader of(String html) {
            PlainText plain = new PlainText();
            String hidden = null; // name of the open hidden element
            int depth = 0;
            int end = 0;
            for (Html.Token token : Html.in(html)) {
                if (plain.text.length() >= MAX_PREHEADER_CHARS) {
                    break;
                }
                boolean isStart = token.kind() == Html.Kind.START;
                if ((token.kind() == Html.Kind.TEXT || token.kind() == Html.Kind.TAG) && !token.hidden()) {
                    plain.add(PADDING.matcher(Entities.decode(token.source())).replaceAll(" "));
                } else if (isStart || token.kind() == Html.Kind.END) {
                    plain.isSpaced = true;
                    if (hidden == null && isStart && plain.text.isEmpty() && !token.name().equals("img") && isHidden(token)) {
                        hidden = token.name();
                    }
                    depth += hidden == null || !hidden.equals(token.name()) ? 0 : isStart ? 1 : -1;
                    if (hidden != null && depth == 0) {
                        end = plain.text.length();
                        hidden = null;
                    }
                }
            }
            String found = plain.text.toString().strip();
            int own = hidden == null ? end : found.length();
            int cut = Math.min(found.length(), MAX_PREHEADER_CHARS);
            return new Preheader(found.substring(0, cut > 0 && Character.isHighSurrogate(found.charAt(cut - 1)) ? cut - 1 : cut),
                    found.codePointCount(0, Math.min(own, found.length())));
        }

    }

    /** True if the element is hidden by its own attributes or has a preheader class. */
    static boolean isHidden(Html.Token token) {
        Html.Attribute style = token.attribute("style");
        Html.Attribute classes = token.attribute("class");
        return token.attribute("hidden") != null || style != null && HIDING.matcher(style.value()).find()
                || classes != null && classes.value().toLowerCase(Locale.ROOT).contains("preheader");
    }

    /** True if a text token contains only whitespace and padding. */
    static boolean isBlank(String source) {
        return source.isBlank() || PADDING.matcher(Entities.decode(source)).replaceAll(" ").isBlank();
    }

    private void start(Html.Token token) {
        String name = token.name();
        breakFor(name);
        if (name.equals("li")) {
            add("- ");
        } else if (name.equals("td") || name.equals("th")) {
            isSpaced = true;
        } else if (name.equals("img")) {
            Html.Attribute alt = token.attribute("alt");
            add(alt == null ? "" : Entities.decode(alt.value()));
        } else if (name.equals("a")) {
            closeLink();
            Html.Attribute href = token.attribute("href");
            address = href == null ? null : Entities.decode(href.value()).strip();
            linkStart = text.length();
        }
    }

    private void end(String name) {
        if (name.equals("a")) {
            closeLink();
        }
        breakFor(name);
    }

    /**
     * Appends the open link's address unless the link's text is the address. Shows only http, https, mailto and tel addresses, and
     * addresses with tags.
     */
    private void closeLink() {
        if (address != null && address.matches("(?i)(https?|mailto|tel):.*|.*\\{\\{.*")) {
            String shown = text.substring(Math.min(linkStart, text.length())).strip();
            String bare = address.replaceFirst("(?i)^(mailto|tel):", "");
            if (!shown.equals(address) && !shown.equals(bare)) {
                isSpaced = true;
                add(shown.isEmpty() ? address : "<" + address + ">");
            }
        }
        address = null;
    }

    private void breakFor(String name) {
        breaks = Math.max(breaks, PARAGRAPHS.contains(name) ? 2 : LINES.contains(name) ? 1 : 0);
    }

    /** Appends words, collapsing each run of whitespace into one space. */
    private void add(String more) {
        for (int i = 0; i < more.length(); i++) {
            char c = more.charAt(i);
            if (c <= ' ') {
                isSpaced = true;
                continue;
            }
            if (breaks > 0 && !text.isEmpty()) {
                text.append("\n".repeat(breaks));
            } else if (isSpaced && !text.isEmpty()) {
                text.append(' ');
            }
            breaks = 0;
            isSpaced = false;
            text.append(c);
        }
    }
}
