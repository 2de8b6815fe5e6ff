package stet.markup;

import java.util.Optional;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.markup.Html.Token;
import stet.markup.Publisher.Origin;

/**
 * Warns about conditional comments of an expanded draft whose content no client shows, or all clients show.
 *
 * <pre>
 * &lt;!--[if mso]&gt;x&lt;![endif]--&gt;              only Outlook
 * &lt;!--[if !mso]&gt;&lt;!--&gt;x&lt;!--&lt;![endif]--&gt;    all other clients
 * &lt;!--[if !mso]&gt;x&lt;![endif]--&gt;             a comment for all other clients: none
 * &lt;!--[if mso]&gt;&lt;!-- a --&gt;x&lt;![endif]--&gt;    the first --&gt; ends the comment: all
 * </pre>
 */
final class Conditionals {
    /** Text in all conditions and their ends, even if written incorrectly. */
    private static final Pattern CONDITION = Pattern.compile("\\[\\s*+(?:if|endif)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern IF = Pattern.compile("<!--\\[if[\\s\\u00a0]");
    /** The start of a condition with a space too many, in an ordinary comment. */
    private static final Pattern SPACED = Pattern.compile("<!--(?:\\s+\\[\\s*+|\\[\\s+)if\\s[^\\]<>]{0,100}\\b(?:mso|ie|vml)\\b[^\\]<>]{0,60}\\]>",
            Pattern.CASE_INSENSITIVE);
    /** A dash for the two hyphens, as word processors replace them. */
    private static final Pattern DASHED = Pattern.compile("<![\\u2010-\\u2015\\u2212]-?\\s*+\\[if\\s", Pattern.CASE_INSENSITIVE);
    /** A program that has another name in conditions, or cannot read them. */
    private static final Pattern UNKNOWN = Pattern.compile(
            "\\b(?:outlook|office|msoffice|ms|word|gmail|yahoo|apple|ios|webkit)\\b", Pattern.CASE_INSENSITIVE);
    /** A condition or its end outside comments. */
    private static final Pattern AS_TEXT = Pattern.compile("\\[if\\s[^\\[\\]<>]{0,60}\\b(?:mso|ie|vml)\\b[^\\[\\]<>]{0,60}\\]|!\\[endif\\]|\\[endif\\]--",
            Pattern.CASE_INSENSITIVE);
    private static final int MIN_AS_TEXT = "[if ie]".length();
    /** The rest of a comment that reveals what follows it: {@code <!-->}, {@code <!-- -->} or {@code -->}. */
    private static final Pattern REVEALING = Pattern.compile("\\s*+(?:<!-{2,}+(?:\\s++-{2,}+!?)?>|<!-{4,}+!>|-{2,}+!?>)");
    private static final Pattern END = Pattern.compile("<!--\\s*+<!\\[endif\\].*", Pattern.DOTALL);

    private static final String UNENDED = " has no matching <![endif]-->, so the wrong clients show or hide what follows";
    private static final String NESTED = " ends at the first \"-->\" inside it, so all clients show what follows; remove the comment inside";

    private final String html;
    private final IntFunction<Origin> origins;
    private final Problems problems;
    /** The outermost open condition that reveals, such as {@code <!--[if !mso]><!-->}, and the number of open ones. */
    private Token revealing;
    private int revealed;
    /** A conditional comment that ended at a comment inside it, until its {@code <![endif]-->} is found. */
    private Token nested;
    /** The {@code <!--[if mso]>} whose content is being read, while nothing in it has been reported. */
    private Token condition;
    /** Number of open {@code <![if mso]>} in the content of a conditional comment. */
    private int inner;

    private Conditionals(String html, IntFunction<Origin> origins, Problems problems) {
        this.html = html;
        this.origins = origins;
        this.problems = problems;
    }

    /**
     * The check of a draft that has conditions.
     *
     * @param html    HTML with shared blocks expanded
     * @param origins maps positions in the HTML to their source
     */
    static Optional<Conditionals> of(String html, IntFunction<Origin> origins, Problems problems) {
        return CONDITION.matcher(html).find() ? Optional.of(new Conditionals(html, origins, problems)) : Optional.empty();
    }

    void read(Token token) {
        if (token.hidden()) {
            hidden(token);
        } else {
            shown(token);
        }
    }

    void end() {
        endNested(false);
        if (revealed > 0) {
            warn(revealing, UNENDED);
        }
    }

    private void shown(Token token) {
        switch (token.kind()) {
            case CONDITION -> {
                if (html.startsWith("<!--", token.start())) {
                    condition(token);
                }
            }
            case COMMENT -> comment(token);
            case DECLARATION -> declaration(token);
            case TEXT -> {
                if (token.end() - token.start() >= MIN_AS_TEXT) {
                    text(token);
                }
            }
            default -> { }
        }
    }

    private void text(Token token) {
        Matcher found = AS_TEXT.matcher(token.source());
        if (found.find()) {
            problems.warn(origins, token.start() + found.start(), '"' + found.group() + '"',
                    " is shown as text by all clients; write <!--[if mso]>...<![endif]--> without markup or entities in between");
        }
    }

    private void condition(Token token) {
        endNested(false);
        condition = token;
        inner = 0;
        String words = html.substring(token.start() + "<!--".length(), token.end() - 1);
        if (words.indexOf('<') >= 0) {
            warn(token, " has markup in its condition, so no client shows its content");
        } else if (Condition.meansOthers(withoutBrackets(words))) {
            warn(token, " begins a comment for all clients except Outlook, so none of them shows its content;"
                    + " write <!--[if !mso]><!-->...<!--<![endif]-->");
            condition = null;
        } else if (words.indexOf('!') < 0 && UNKNOWN.matcher(words).find()) {
            warn(token, " is never true, so no client shows its content; Outlook's name is mso");
        }
    }

    /** The condition in {@code [if !mso]}. */
    private static String withoutBrackets(String words) {
        return words.length() < "[if]".length() ? "" : words.substring("[if".length(), words.length() - 1);
    }

    private void hidden(Token token) {
        if (token.kind() == Html.HtmlKind.DECLARATION) {
            inner += html.startsWith("<![if", token.start()) ? 1 : html.startsWith("<![endif]", token.start()) ? -1 : 0;
        }
        String words = switch (token.kind()) {
            case COMMENT -> html.startsWith("<!--[if", token.start()) ? UNENDED : " contains the start of another comment; remove that comment";
            case DECLARATION -> inner < 0 ? UNENDED : null;
            case UNCLOSED -> " contains a tag that is not closed, so Outlook shows nothing after it";
            default -> null;
        };
        if (words != null && condition != null) {
            warn(condition, words);
            condition = null;
        }
    }

    /** True for a comment that ends a condition which reveals: {@code <!--<![endif]-->}. */
    static boolean isEnd(Token comment) {
        return END.matcher(comment.source()).matches();
    }

    private void comment(Token token) {
        if (!Unclosed.isClosed(token)) {
            return; // an error
        }
        String source = token.source();
        if (isEnd(token)) {
            endNested(false);
            revealed = Math.max(0, revealed - 1);
        } else if (SPACED.matcher(source).lookingAt()) {
            warn(token, " is an ordinary comment for Outlook, too, because of a space before \"if\"; remove the space");
        } else if (IF.matcher(source).lookingAt()) {
            unended(token);
        }
    }

    /** Reads a comment with a condition but no {@code <![endif]-->}: one that reveals, one that ends at a comment inside it, or a mistake. */
    private void unended(Token token) {
        endNested(false);
        String source = token.source();
        int bracket = source.indexOf("]>");
        String words = bracket < 0 ? "" : source.substring("<!--".length(), bracket + 1);
        if (bracket < 0 || words.indexOf('<') >= 0) {
            warn(token, " is not a valid condition, so no client shows the content of the comment; write it as in <!--[if mso]>");
            return;
        }
        String content = source.substring(bracket + 2);
        if (reveals(content, withoutBrackets(words))) {
            reveal(token);
        } else if (content.contains("<!--") || REVEALING.matcher(content).matches()) {
            nested = token;
        } else {
            warn(token, UNENDED);
        }
    }

    /** True if all clients but Outlook show what follows a comment. @param content what the comment contains after its condition */
    private static boolean reveals(String content, String condition) {
        if (REVEALING.matcher(content).matches()) { // <!--[if !mso]><!-->
            return !Condition.isOnlyOutlook(condition);
        }
        return content.startsWith("<!--") && Condition.meansOthers(condition); // <!--[if !mso]><!-- a -->
    }

    private void reveal(Token token) {
        if (revealed == 0) {
            revealing = token;
        }
        revealed++;
    }

    /** Reports {@link #nested}. @param hasEnd whether it has a {@code <![endif]-->} */
    private void endNested(boolean hasEnd) {
        if (nested != null) {
            warn(nested, hasEnd ? NESTED : UNENDED);
            nested = null;
        }
    }

    private void declaration(Token token) {
        boolean isDashed = DASHED.matcher(token.source()).lookingAt();
        if (isDashed) {
            warn(token, " begins with a dash instead of two hyphens, so all clients show its content; write <!--[if mso]>");
        }
        if (isDashed || html.startsWith("<![if", token.start())) {
            reveal(token);
        } else if (html.startsWith("<![endif]", token.start())) {
            if (nested != null) {
                endNested(true);
            } else if (revealed > 0) {
                revealed--;
            } else if (html.startsWith("-->", token.end() - 3)) {
                warn(token, " closes no conditional comment, so all clients show what comes before it");
            }
        }
    }

    private void warn(Token token, String words) {
        problems.warn(origins, token.start(), Unclosed.opening(token), words);
    }
}
