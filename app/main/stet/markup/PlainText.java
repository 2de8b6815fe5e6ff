package stet.markup;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import stet.base.Excerpt;

/**
 * Converts filled HTML to plain text as browsers show it: links with their addresses, images as alt text, lists with dashes, one line per
 * block of text. Hidden elements and the padding of preheaders are left out.
 */
public final class PlainText {
    private static final Set<String> LEFT_OUT = Set.of("script", "style", "title", "noembed", "noframes", "iframe");
    private static final Set<String> LINES = Set.of("tr", "div", "li", "center", "address", "dt", "dd", "body", "section",
            "header", "footer", "article", "caption", "form", "option");
    private static final Set<String> PARAGRAPHS = Set.of("p", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "blockquote",
            "hr", "pre", "dl");
    /** Elements that a start tag of the same name ends. */
    private static final Set<String> ENDED_BY_NEXT = Set.of("td", "th", "tr", "li", "p", "dt", "dd", "option");
    /** Elements that continue a word: {@code un<b>seen</b>}. */
    private static final Set<String> INLINE = Set.of("a", "abbr", "b", "big", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "mark",
            "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr");
    /** Characters that pad a preheader so that inboxes show no body text after it. Within words, they join or separate letters. */
    private static final String PADDING = "\u00a0\u00ad\u034f\u061c\u200b\u200c\u200d\u200e\u200f\u2007\u2060\ufeff";
    private static final char SOFT_HYPHEN = '\u00ad';
    /** Maximum number of padding characters between two letters; more are a preheader's padding. */
    private static final int MAX_JOINERS = 4;
    /** Maximum number of line breaks in a row. */
    private static final int MAX_BREAKS = 3;
    /** Maximum depth of open elements; deeper ones are treated like the element at this depth. */
    private static final int MAX_DEPTH = 200;
    /**
     * Maximum length of the extracted text. Reading stops after the token that reaches this length, so a preheader's length can be greater.
     */
    private static final int MAX_PREHEADER_CHARS = 250;
    /** Inline styles that hide a preheader. */
    private static final Pattern HIDING = Pattern.compile("(?=[dfmov])(?:display\\s*:\\s*none|visibility\\s*:\\s*hidden|mso-hide\\s*:\\s*all"
            + "|opacity\\s*:\\s*0|(?:max-height|font-size)\\s*:\\s*[01](?:px)?)\\s*(?:[;!]|$)", Pattern.CASE_INSENSITIVE);
    /** Inline styles that hide everything in an element, unlike a small font or Outlook's own property. */
    private static final Pattern UNSEEN = Pattern.compile("(?=[dmv])(?:display\\s*:\\s*none|visibility\\s*:\\s*hidden"
            + "|max-height\\s*:\\s*0(?:px)?)\\s*(?:[;!]|$)", Pattern.CASE_INSENSITIVE);
    private static final Pattern PRESERVED = Pattern.compile("white-space\\s*:\\s*(?:pre|break-spaces)", Pattern.CASE_INSENSITIVE);

    private final StringBuilder text = new StringBuilder();
    private final Deque<Open> open = new ArrayDeque<>(List.of(new Open("", false, false, false)));
    /** Line breaks of blocks and of {@code <br>} to insert before the next word, and whether a space precedes it. */
    private int breaks;
    private int lines;
    private boolean isSpaced;
    /** Padding characters since the last word; in preformatted text, also whitespace. */
    private final StringBuilder pending = new StringBuilder();
    /** True from a list item's start to its first word, which follows a dash on the same line. */
    private boolean isItem;
    /** True after an address that must not run into the next word. */
    private boolean isAddress;
    /** The address of the open link (null if there is none), and the position where the link's text starts. */
    private String address;
    private int linkStart;

    /** An open element and what it passes on to its content. */
    private record Open(String name, boolean isHidden, boolean isPreserved, boolean isInItem) {
    }

    private PlainText() {
    }

    /** @return lines ending with LF; empty if there is no text */
    public static String of(String html) {
        PlainText plain = new PlainText();
        String element = "";
        for (Html.Token token : Html.in(html)) {
            if (!token.hidden()) {
                plain.read(token, element);
            }
            element = token.kind() == Html.HtmlKind.START ? token.name() : "";
        }
        plain.closeLink();
        return plain.text.isEmpty() ? "" : plain.text.append('\n').toString();
    }

    /** @param element name of the element that the previous token started, or empty */
    private void read(Html.Token token, String element) {
        switch (token.kind()) {
            case START -> start(token);
            case END -> end(token.name());
            case TEXT, TAG, RAW -> {
                if (!open.peek().isHidden && !(token.kind() == Html.HtmlKind.RAW && LEFT_OUT.contains(element))) {
                    String words = Entities.decode(token.source());
                    add(element.equals("pre") ? words.replaceFirst("^(?:\r\n?|\n)", "") : words);
                }
            }
            default -> { }
        }
    }

    /**
     * The text that an inbox shows after the subject: the email's first text, hidden or not, without padding.
     *
     * @param length number of characters in the preheader, a hidden element before all other text; 0 without a preheader
     */
    public record Preheader(String text, int length) {
        public static Preheader of(String html) {
            PreheaderReader reader = new PreheaderReader();
            for (Html.Token token : Html.in(html)) {
                if (reader.plain.text.length() >= MAX_PREHEADER_CHARS) {
                    break;
                }
                if (!token.hidden()) {
                    reader.read(token);
                }
            }
            String text = reader.plain.text.toString().strip();
            int length = reader.isInHidden() ? text.length() : Math.min(reader.hiddenChars, text.length());
            return new Preheader(Excerpt.start(text, MAX_PREHEADER_CHARS), text.codePointCount(0, length));
        }
    }

    /** Reads the beginning of an email as an inbox does, which shows hidden text, too. */
    private static final class PreheaderReader {
        final PlainText plain = new PlainText();
        /** Length of the text of a hidden element before all other text. */
        int hiddenChars;
        /** Name of the open hidden element, and the number of open elements of this name in it, itself included. */
        private String hidden = "";
        private int depth;

        boolean isInHidden() {
            return depth > 0;
        }

        void read(Html.Token token) {
            switch (token.kind()) {
                case TEXT, TAG -> plain.add(Entities.decode(token.source()));
                case START -> {
                    separate(token);
                    if (!isInHidden() && plain.text.isEmpty() && !token.isVoid() && isHidden(token)) {
                        hidden = token.name();
                        depth = 1;
                    } else if (isInHidden() && token.name().equals(hidden)) {
                        depth++;
                    }
                }
                case END -> {
                    separate(token);
                    if (isInHidden() && token.name().equals(hidden)) {
                        depth--;
                        hiddenChars = plain.text.length();
                    }
                }
                default -> { }
            }
        }

        private void separate(Html.Token token) {
            plain.isSpaced |= !INLINE.contains(token.name());
        }
    }

    /** True if the element is hidden by its own attributes or has a preheader class. */
    static boolean isHidden(Html.Token token) {
        Html.Attribute style = token.attribute("style");
        Html.Attribute classes = token.attribute("class");
        return token.attribute("hidden") != null || style != null && HIDING.matcher(Entities.decodeAttribute(style.value())).find()
                || classes != null && classes.value().toLowerCase(Locale.ROOT).contains("preheader");
    }

    /** True if a text token contains only whitespace and padding. */
    static boolean isBlank(String source) {
        int at = 0;
        while (at < source.length() && isPadding(source.charAt(at))) {
            at++;
        }
        return at == source.length() || source.charAt(at) == '&' && Entities.decode(source).chars().allMatch(PlainText::isPadding);
    }

    private static boolean isPadding(int c) {
        return PADDING.indexOf(c) >= 0 || Character.isWhitespace(c);
    }

    private void start(Html.Token token) {
        String name = token.name();
        if (ENDED_BY_NEXT.contains(name) && open.peek().name.equals(name)) {
            open.pop(); // the end tag of the previous element was omitted
        }
        Open around = open.peek();
        Html.Attribute attribute = token.attribute("style");
        String style = attribute == null ? "" : Entities.decodeAttribute(attribute.value());
        boolean isHidden = around.isHidden || name.equals("template") || token.attribute("hidden") != null || UNSEEN.matcher(style).find();
        if (!isHidden) {
            startShown(token, name);
        }
        if (!token.isVoid() && open.size() < MAX_DEPTH) {
            open.push(new Open(name, isHidden, isPreserved(name, style, around), around.isInItem || name.equals("li")));
        }
    }

    /** True if whitespace in an element is shown as written. */
    private static boolean isPreserved(String name, String style, Open around) {
        boolean isInherited = around.isPreserved && !style.contains("white-space");
        return isInherited || name.equals("pre") || PRESERVED.matcher(style).find();
    }

    private void startShown(Html.Token token, String name) {
        breakFor(name);
        switch (name) {
            case "br" -> {
                lines += isItem ? 0 : 1;
                pending.setLength(0);
            }
            case "li" -> isItem = true;
            case "td", "th" -> isSpaced = true;
            case "img" -> {
                Html.Attribute alt = token.attribute("alt");
                add(alt == null ? "" : Entities.decodeAttribute(alt.value()));
            }
            case "a" -> {
                closeLink();
                Html.Attribute href = token.attribute("href");
                address = href == null ? null : Entities.decodeAttribute(href.value()).strip();
                linkStart = text.length();
            }
            default -> { }
        }
    }

    private void end(String name) {
        boolean isHidden = open.peek().isHidden;
        if (open.stream().limit(open.size() - 1L).anyMatch(each -> each.name.equals(name))) {
            while (!open.pop().name.equals(name)) {
                // The loop also closes inner elements that have no end tags.
            }
        }
        if (isHidden) {
            return;
        }
        if (name.equals("a")) {
            closeLink();
        }
        isItem &= !name.equals("li") && !name.equals("ul") && !name.equals("ol");
        breakFor(name);
    }

    /**
     * Appends the open link's address unless the link's text is the address. Shows only http, https, mailto and tel addresses, and
     * addresses with tags.
     */
    private void closeLink() {
        if (address != null && address.matches("(?is)(https?|mailto|tel):.*|.*\\{\\{.*")) {
            String shown = text.substring(Math.min(linkStart, text.length())).strip();
            String bare = address.replaceFirst("(?i)^(mailto|tel):", "");
            boolean isShown = shown.equals(address) || shown.equals(bare);
            if (!isShown) {
                isSpaced = true;
                add(shown.isEmpty() ? address : "<" + address + ">");
            }
            isAddress = isShown || shown.isEmpty();
        }
        address = null;
    }

    /** Ends the line before and after a block. Blocks in a list item are lines, and its first one continues the line of its dash. */
    private void breakFor(String name) {
        boolean isParagraph = PARAGRAPHS.contains(name);
        if (isParagraph || LINES.contains(name)) {
            int needed = isParagraph && !open.peek().isInItem ? 2 : 1;
            breaks = isItem ? breaks : Math.max(breaks, needed);
            pending.setLength(0);
        }
    }

    /** Appends words, collapsing each run of whitespace into one space except in preformatted text. */
    private void add(String more) {
        boolean isPreserved = open.peek().isPreserved;
        for (int i = 0; i < more.length(); i++) {
            char c = more.charAt(i);
            if (isPreserved && c <= ' ') {
                boolean isCrOfCrlf = c == '\r' && more.startsWith("\n", i + 1);
                pending.append(isCrOfCrlf ? "" : c == '\r' ? "\n" : String.valueOf(c));
            } else if (c <= ' ') {
                isSpaced = true;
            } else if (PADDING.indexOf(c) < 0) {
                separate(c, isPreserved);
                text.append(c);
            } else if (c != SOFT_HYPHEN && (isPreserved || pending.length() <= MAX_JOINERS)) {
                pending.append(c);
            }
        }
    }

    /** The pending characters between two letters as they are kept: themselves if they are few, otherwise a space or nothing. */
    private String joined() {
        boolean hasSpace = pending.chars().anyMatch(c -> c == '\n' || c == ' ' || isFixedSpace(c));
        boolean isKept = pending.length() <= MAX_JOINERS && (!hasSpace || pending.chars().allMatch(PlainText::isFixedSpace));
        return isKept ? pending.toString() : hasSpace ? " " : "";
    }

    private static boolean isFixedSpace(int c) {
        return c == '\u00a0' || c == '\u2007';
    }

    /** Inserts line breaks, spaces or joiners before a visible character. */
    private void separate(char next, boolean isPreserved) {
        int rows = text.isEmpty() ? 0 : Math.min(MAX_BREAKS, Math.max(breaks, lines));
        text.append("\n".repeat(rows)).append(isItem ? "- " : "");
        boolean isWithin = rows == 0 && !isItem && !text.isEmpty();
        if (isPreserved) {
            text.append(isWithin && isSpaced && pending.isEmpty() ? " " : "").append(pending);
        } else if (isWithin && isSpaced) {
            text.append(' ');
        } else if (isWithin && !pending.isEmpty()) {
            text.append(joined());
        } else if (isWithin && isAddress && ".,;:!?)]}>\"'\u2019\u201d\u00bb".indexOf(next) < 0) {
            text.append(' ');
        }
        breaks = 0;
        lines = 0;
        isSpaced = false;
        isItem = false;
        isAddress = false;
        pending.setLength(0);
    }
}
