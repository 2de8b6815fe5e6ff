package stet.markup;

import java.util.List;
import java.util.function.Consumer;
import stet.base.Excerpt;
import stet.markup.Grammar.SyntaxFault;
import stet.markup.Html.Attribute;
import stet.markup.Html.HtmlKind;
import stet.markup.Html.Token;

/**
 * Finds HTML that is not closed, so that every mail client loses the text after it (HTML standard, 13.2.5).
 *
 * <pre>
 * &lt;a href="{{url}}&gt;View&lt;/a&gt;&lt;p class="x"&gt;Rest      the value of href ends at the next quote, so "View" is lost
 * &lt;style&gt;p{} &lt;p&gt;Rest                           without &lt;/style&gt;, everything is CSS
 * &lt;!-- note &lt;p&gt;Rest                           without --&gt;, everything is a comment
 * </pre>
 */
final class Unclosed {
    private static final int MAX_QUOTED_CHARS = 60;
    private static final String REST = " is not closed, so no mail client shows the rest of the email";

    private final String html;
    private final Consumer<SyntaxFault> faults;
    /** The last start tag, which names the element of raw text. */
    private Token element;
    /** The {@code <!--[if mso]>} whose content is being read. */
    private Token condition;
    /** Number of open SVG and MathML elements, where {@code <![CDATA[} is text. */
    private int foreign;

    private Unclosed(String html, Consumer<SyntaxFault> faults) {
        this.html = html;
        this.faults = faults;
    }

    /** Reports the faults of an expanded draft, in order. Ignores the content of conditional comments, which only Outlook reads. */
    static void check(String html, Consumer<SyntaxFault> faults) {
        Unclosed unclosed = new Unclosed(html, faults);
        for (Token token : Html.in(html)) {
            if (!token.hidden()) {
                unclosed.read(token);
            }
        }
    }

    private void read(Token token) {
        switch (token.kind()) {
            case START -> start(token);
            case END -> {
                if (foreign > 0 && isForeign(token)) {
                    foreign--;
                }
            }
            case UNCLOSED -> unclosedTag(token);
            case RAW -> raw(token);
            case COMMENT -> {
                if (!isClosed(token)) {
                    fault(token.start(), html.startsWith("[if", token.start() + 4) ? opening(token) : "\"<!--\"", REST);
                }
            }
            case CONDITION -> {
                if (html.startsWith("<!--", token.start())) {
                    condition = token;
                } else if (!isClosed(token)) {
                    fault(condition.start(), opening(condition), REST);
                }
            }
            case DECLARATION -> declaration(token);
            default -> { }
        }
    }

    private void start(Token token) {
        element = token;
        boolean isSelfClosing = html.charAt(token.end() - 2) == '/';
        if (isForeign(token) && !isSelfClosing) {
            foreign++;
        }
        Attribute attribute = lateQuote(token.attributes());
        if (attribute != null) {
            faultOfQuote(attribute, " is not closed, so no mail client shows the text up to the next quote");
        }
    }

    /** True for an element whose content follows the rules of XML. */
    private static boolean isForeign(Token token) {
        return token.name().equals("svg") || token.name().equals("math");
    }

    private void unclosedTag(Token token) {
        List<Attribute> attributes = token.attributes();
        Attribute last = attributes.isEmpty() ? null : attributes.get(attributes.size() - 1);
        boolean isQuoted = last != null && last.valueEnd() == token.end() && last.valueStart() > last.nameEnd()
                && "\"'".indexOf(html.charAt(last.valueStart() - 1)) >= 0;
        if (isQuoted) {
            faultOfQuote(last, REST);
        } else if (!isBlank(token.nameEnd(), token.end())) {
            fault(token.start(), quoted(token.start(), token.nameEnd()), REST);
        }
    }

    private void raw(Token token) {
        if (token.end() == html.length() && !element.name().equals("plaintext") && !isBlank(token.start(), token.end())) {
            fault(element.start(), "\"<" + element.name() + ">\"", REST);
        }
    }

    private void declaration(Token token) {
        boolean isData = html.startsWith("<![CDATA[", token.start());
        boolean isClosed = html.charAt(token.end() - 1) == '>';
        if (!isClosed && token.end() > token.start() + 2) {
            fault(token.start(), quoted(token.start(), token.end()), REST);
        } else if (isData && foreign == 0 && !html.startsWith("]]>", token.end() - 3)) {
            fault(token.start(), "\"<![CDATA[\"", " ends at the first \">\", so no mail client shows the text before it; remove <![CDATA[ and ]]>");
        }
    }

    /**
     * The attribute whose value swallows markup, because its quote is closed only by a later attribute's quote:
     * {@code href="a>View</a><p class="}. Null if there is none.
     */
    private Attribute lateQuote(List<Attribute> attributes) {
        for (int i = 0; i < attributes.size(); i++) {
            if (swallows(attributes.get(i), attributes.subList(i + 1, attributes.size()))) {
                return attributes.get(i);
            }
        }
        return null;
    }

    private boolean swallows(Attribute attribute, List<Attribute> following) {
        int tagEnd = find('>', attribute.valueStart(), attribute.valueEnd());
        if (tagEnd < 0) {
            return false;
        }
        // href='a>Don't</a>: after the quote, the text is read as an attribute's name.
        boolean isReadAsName = !following.isEmpty() && following.get(0).nameStart() == attribute.valueEnd() + 1 && nameHas('<', following.get(0));
        // href="a>View</a><p class="x">: the value ends with the name of an attribute, and x" is a name.
        boolean hasQuoteInName = following.stream().limit(2).anyMatch(next -> nameHas('"', next) || nameHas('\'', next));
        boolean endsWithName = html.substring(tagEnd, attribute.valueEnd()).stripTrailing().endsWith("=");
        return isReadAsName || hasMarkup(tagEnd, attribute.valueEnd()) && (hasQuoteInName || endsWithName);
    }

    private boolean nameHas(char c, Attribute attribute) {
        return find(c, attribute.nameStart(), attribute.nameEnd()) >= 0;
    }

    /** True if a tag begins in a range. */
    private boolean hasMarkup(int from, int to) {
        for (int at = find('<', from, to); at >= 0; at = find('<', at + 1, to)) {
            if (at + 1 < to && (html.charAt(at + 1) == '/' || Character.isLetter(html.charAt(at + 1)))) {
                return true;
            }
        }
        return false;
    }

    /** Index of a char in a range; -1 if there is none. */
    private int find(char c, int from, int to) {
        for (int at = from; at < to; at++) {
            if (html.charAt(at) == c) {
                return at;
            }
        }
        return -1;
    }

    /** True for a comment that ends with {@code -->} or {@code --!>}; the latter is not closed by its own opening dashes: {@code <!--!>}. */
    static boolean isClosed(Token token) {
        boolean isOpening = token.kind() == HtmlKind.COMMENT && token.end() - token.start() < "<!----!>".length();
        return token.text().startsWith("-->", token.end() - 3) || token.text().startsWith("--!>", token.end() - 4) && !isOpening;
    }

    private boolean isBlank(int from, int to) {
        return Tag.skip(html, from, to) == to;
    }

    /** The start of a conditional comment, in quotation marks: {@code <!--[if mso]>}. */
    static String opening(Token token) {
        String start = excerpt(token.text(), token.start(), token.end());
        int bracket = start.indexOf("]>");
        return '"' + (bracket < 0 ? start : start.substring(0, bracket + 2)).replaceAll("\\s+", " ") + '"';
    }

    /** The beginning of a range, in quotation marks. */
    private String quoted(int from, int to) {
        return '"' + excerpt(html, from, to) + '"';
    }

    private static String excerpt(String text, int from, int to) {
        return Excerpt.of(text.substring(from, Math.min(to, from + MAX_QUOTED_CHARS + 1)), MAX_QUOTED_CHARS);
    }

    /** Reports what begins at a position. @param quote its beginning, in quotation marks */
    private void fault(int place, String quote, String words) {
        faults.accept(new SyntaxFault(place, quote, words, true));
    }

    private void faultOfQuote(Attribute attribute, String words) {
        String name = excerpt(html, attribute.nameStart(), attribute.nameEnd());
        faults.accept(new SyntaxFault(attribute.nameStart(), "", "the quote after \"" + name + "=\"" + words, true));
    }
}
