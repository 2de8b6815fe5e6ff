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
            case END -> foreign -= foreign > 0 && isForeign(token) ? 1 : 0;
            case UNCLOSED -> tag(token);
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
        foreign += isForeign(token) && html.charAt(token.end() - 2) != '/' ? 1 : 0;
        Attribute attribute = lateQuote(token.attributes());
        if (attribute != null) {
            fault(attribute.nameStart(), "the quote after " + opening(attribute), " is not closed, so no mail client shows the text up to the next quote");
        }
    }

    private static boolean isForeign(Token token) {
        return token.name().equals("svg") || token.name().equals("math");
    }

    private void tag(Token token) {
        List<Attribute> attributes = token.attributes();
        Attribute last = attributes.isEmpty() ? null : attributes.get(attributes.size() - 1);
        boolean isQuoted = last != null && last.valueEnd() == token.end() && last.valueStart() > last.nameEnd()
                && "\"'".indexOf(html.charAt(last.valueStart() - 1)) >= 0;
        if (isQuoted) {
            fault(last.nameStart(), "the quote after " + opening(last), REST);
        } else if (!isBlank(token.nameEnd(), token.end())) {
            fault(token.start(), cut(token.start(), token.nameEnd()), REST);
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
            fault(token.start(), cut(token.start(), token.end()), REST);
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
            Attribute each = attributes.get(i);
            int tagEnd = find('>', each.valueStart(), each.valueEnd());
            if (tagEnd < 0) {
                continue;
            }
            boolean hasOddNames = attributes.subList(i + 1, attributes.size()).stream().limit(2)
                    .anyMatch(next -> find('"', next.nameStart(), next.nameEnd()) >= 0 || find('\'', next.nameStart(), next.nameEnd()) >= 0);
            boolean runsOn = i + 1 < attributes.size() && attributes.get(i + 1).nameStart() == each.valueEnd() + 1
                    && find('<', attributes.get(i + 1).nameStart(), attributes.get(i + 1).nameEnd()) >= 0;
            if (runsOn || hasMarkup(tagEnd, each.valueEnd()) && (hasOddNames || html.substring(tagEnd, each.valueEnd()).stripTrailing().endsWith("="))) {
                return each;
            }
        }
        return null;
    }

    private boolean hasMarkup(int from, int to) {
        for (int at = find('<', from, to); at >= 0; at = find('<', at + 1, to)) {
            if (at + 1 < to && (html.charAt(at + 1) == '/' || Character.isLetter(html.charAt(at + 1)))) {
                return true;
            }
        }
        return false;
    }

    private int find(char c, int from, int to) {
        for (int at = from; at < to; at++) {
            if (html.charAt(at) == c) {
                return at;
            }
        }
        return -1;
    }

    /** True for a comment that ends with {@code -->} or {@code --!>}. */
    static boolean isClosed(Token token) {
        return token.text().startsWith("-->", token.end() - 3)
                || token.text().startsWith("--!>", token.end() - 4) && (token.kind() != HtmlKind.COMMENT || token.end() - token.start() >= 8);
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

    private String opening(Attribute attribute) {
        return '"' + excerpt(html, attribute.nameStart(), attribute.nameEnd()) + "=\"";
    }

    private String cut(int from, int to) {
        return '"' + excerpt(html, from, to) + '"';
    }

    private static String excerpt(String text, int from, int to) {
        return Excerpt.of(text.substring(from, Math.min(to, from + MAX_QUOTED_CHARS + 1)), MAX_QUOTED_CHARS);
    }

    private void fault(int place, String quote, String words) {
        boolean isTag = quote.startsWith("\"");
        faults.accept(new SyntaxFault(place, isTag ? quote : "", isTag ? words : quote + words, true));
    }
}
