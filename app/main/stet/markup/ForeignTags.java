package stet.markup;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import stet.base.Excerpt;
import stet.markup.Html.Attribute;
import stet.markup.Html.Token;

/**
 * Finds what Handlebars does not fill in: other systems' tags, tags split by markup or entities, and forgotten placeholders. All tags of a
 * kind are reported with the first one's text, so that they are one row. Skips HTML comments and style sheets.
 */
final class ForeignTags {
    static final String WORDS = " is another system's tag and will not be filled in; use {{name}} instead";
    private static final String ENCODED_WORDS = " will not be filled in because its braces are URL-encoded; write {{ and }}";
    private static final String SPLIT_WORDS = " will not be filled in because something stands between its braces;"
            + " write {{ without markup, entities or spaces in between";

    private static final ForeignKind ENCODED = new ForeignKind(null, "%", "%7[Bb]%7[Bb][^\\s\"'<>]{0,60}?%7[Dd]%7[Dd]");
    /**
     * The first kind that matches decides. Each pattern reads at most about 100 chars. A percent sign followed by two hexadecimal digits is
     * an encoded character, not a tag.
     */
    private static final List<ForeignKind> KINDS = List.of(ENCODED,
            new ForeignKind("Mailchimp or Mandrill", "*", "\\*\\|[^|*<>\\r\\n]{1,60}\\|\\*"),
            new ForeignKind(null, "<", "<%[^%<>]{1,60}%>?"),
            new ForeignKind("Liquid, Jinja or Twig", "{", "\\{%[^%{}]{1,80}%\\}|\\{#\\s[^#{}<>]{1,80}\\s#\\}"),
            new ForeignKind("Salesforce Marketing Cloud", "%", "%%(?:[A-Za-z_][\\w. ]{0,60}|=[^%<>]{1,60}=|\\[[^%<>]{1,80}\\])%%"),
            new ForeignKind("Mailgun", "%", "%(?:recipient(?:\\.\\w{1,40})?|(?:mailing_list_|tag_)?unsubscribe_(?:url|email))%"),
            new ForeignKind(null, "%", "%(?![0-9A-Fa-f]{2})[A-Za-z][A-Za-z0-9]{0,60}[._]\\w[\\w.]{0,60}%"),
            ForeignKind.loose(null, "%", "%(?![0-9A-F]{2}[A-Z0-9_]{0,40}%[0-9A-Fa-f]{2})"
                    + "(?!(?:APPDATA|LOCALAPPDATA|TEMP|TMP|PATH|USERPROFILE|WINDIR)%)[A-Z][A-Z0-9_]{2,40}%(?!\\w)"),
            new ForeignKind(null, "[", "\\[%[^%\\[\\]]{1,60}%\\]"),
            new ForeignKind("Mailjet", "[", "\\[\\[(?:data|var):[^\\[\\]]{1,60}\\]\\]"),
            new ForeignKind(null, "[", "\\[\\[[^\\[\\]]{1,60}\\]\\]"),
            new ForeignKind("SendGrid", "[", "\\[(?:Unsubscribe|Weblink|Unsubscribe_Preferences|Sender_[A-Za-z0-9]{1,30})\\]"),
            new ForeignKind(null, "[", "\\[[A-Za-z][A-Za-z0-9]{0,30}(?:_[A-Za-z0-9]{1,30}){1,9}\\]"),
            new ForeignKind("Campaign Monitor", "[", "\\[[A-Za-z][\\w .-]{0,40},\\s{0,3}fallback=[^\\[\\]<>]{0,60}\\]"),
            new ForeignKind("MailPoet", "[", "\\[(?:subscriber|newsletter|link):[^\\[\\]<>]{1,60}\\]"),
            new ForeignKind("Zoho Campaigns", "$", "\\$\\[[^\\[\\]$<>\\r\\n]{1,60}\\]\\$"),
            new ForeignKind(null, "$", "\\$\\{(?![\\d.,\\s]{1,60}\\})[^{}]{1,60}\\}"),
            new ForeignKind("Smarty or MailerLite", "{", "\\{\\$[^{}\\s]{1,60}\\}"),
            new ForeignKind("Laravel Blade", "{", "\\{!!(?!\\s{0,9}!!)(?:[^{}<>]|->){1,80}!!\\}"),
            new ForeignKind("Salesforce", "{", "\\{![A-Za-z$]\\w{0,40}\\.[\\w.]{1,60}\\}"),
            new ForeignKind("AWeber", "{", "\\{![a-z]\\w{0,40}(?: [a-z]\\w{0,40}){0,3}\\}"),
            new ForeignKind("Mautic", "{", "\\{(?:(?:contact|lead|owner|company)field=[^{}<>\"'\\r\\n]{1,60}|(?:unsubscribe|webview)_(?:text|url)|tracking_pixel)\\}"),
            ForeignKind.loose("Dotdigital", "@", "@[A-Z][A-Z0-9_]{1,40}@(?!\\w)"),
            ForeignKind.loose(null, "{", "\\{\\s?[A-Za-z_]\\w{1,40}(?:\\.\\w{1,40}){0,5}\\s?(?:[=|][^{}<>\"'\\r\\n]{0,60})?\\}"));
    /** By first char, to avoid most runs of the patterns. */
    private static final List<List<ForeignKind>> BY_CHAR = byChar();

    /**
     * Placeholders that the author forgot to replace, such as [Product Name], [Company Name, LLC], [your name] and [DATE]. The pattern
     * matches only known words because most text in brackets is intentional: [Harbour Books], [1], [Change your address]. Markdown
     * links are excluded.
     */
    private static final Pattern PLACEHOLDER = Pattern.compile("\\[(?:(?:insert|enter|your|the) ){0,2}"
            + "(?:(?:(?:product|company|organi[sz]ation|business|brand|customer|client|user|sender|recipient|invite|first|last|full"
            + "|support|contact|street|mailing|postal|email|phone|order|invoice|event|due|start|end) ){1,4}"
            + "(?:name|address|email|phone|number|date|time|title|link|url|id|organi[sz]ation)|name|company|product|address|date"
            + "|city|amount)(?:, (?:llc|inc|ltd)\\.?+)?(?: here)?\\](?![(\\[])", Pattern.CASE_INSENSITIVE);
    /** Maximum distance from a placeholder back to the start of a surrounding Handlebars tag: {@code {{user.[First Name]}}}. */
    private static final int LONGEST_TAG = 200;

    /** Characters that readers do not see, also as entities. */
    private static final String UNSEEN = "(?:[\\u00ad\\u200b-\\u200f\\u2060-\\u2064\\ufeff]|&(?:shy|zwnj|zwj|lrm|rlm|ZeroWidthSpace|NoBreak"
            + "|#(?:173|820[3-7]|8288|65279|[xX](?:[aA][dD]|200[b-fB-F]|2060|[fF][eE][fF][fF])));){0,8}";
    private static final String ENTITY = "&(?:lcub|lbrace|#0{0,5}123|#[xX]0{0,5}7[bB]);";
    private static final String BRACE = "(?:\\{|" + ENTITY + ")";
    private static final String WORDS_OF_NAME = "\\s{0,5}[#/^>]?\\s{0,5}[A-Za-z_][\\w.\\[\\] /\"'=()-]{0,60}";
    private static final String NAME = WORDS_OF_NAME + "(?:\\}|&(?:rcub|rbrace|#0{0,5}125|#[xX]0{0,5}7[dD]);)";
    /**
     * Two opening braces, at least one of them an entity or with something between them that readers do not see. If both are entities, the
     * closing ones are not, because four entities show a tag on purpose.
     */
    private static final Pattern HALF = Pattern.compile("(?!\\{\\{)(?:\\{" + UNSEEN + BRACE + '|' + BRACE + UNSEEN + "\\{)" + NAME
            + '|' + ENTITY + UNSEEN + ENTITY + WORDS_OF_NAME + "\\}");
    private static final Pattern FIRST_BRACE = Pattern.compile(BRACE + UNSEEN + "\\z");
    private static final Pattern SECOND_BRACE = Pattern.compile(UNSEEN + BRACE + "(?:" + NAME + "|\\s{0,5}\\z)");
    /** Maximum number of chars of a brace and what readers do not see after it. */
    private static final int MAX_BRACE = 120;
    private static final int MAX_QUOTED_CHARS = 60;
    /** Elements that show source code, where single braces and capitals between signs are no tags. */
    private static final Set<String> CODE = Set.of("code", "pre", "kbd", "samp");
    /** Elements that can split a tag within a line. */
    private static final Set<String> INLINE = Set.of("a", "abbr", "b", "big", "em", "font", "i", "ins", "mark", "s", "small", "span", "strong", "sub",
            "sup", "u", "wbr");

    private final String text;
    private final boolean hasPlaceholders;
    private final Listener listener;
    /** Text of the first tag of each kind. */
    private final Map<ForeignKind, String> first = new HashMap<>();
    private String firstSplit;
    /** Name of the last start tag, or empty. */
    private String element = "";
    /** Number of open elements that show source code. */
    private int codes;
    /** Place of a brace at the end of the last text, if only inline markup follows; otherwise -1. */
    private int brace = -1;

    /** @param quote the first tag of its kind, in quotation marks */
    interface Listener {
        void found(int place, String quote, String words);
    }

    /**
     * Tags of a system.
     *
     * @param system  null if several systems have such tags
     * @param isLoose true if ordinary text can look similar, so that letters and digits before the tag and source code are excluded
     */
    private record ForeignKind(String system, char first, Pattern pattern, boolean isLoose) {
        ForeignKind(String system, String first, String pattern) {
            this(system, first.charAt(0), Pattern.compile(pattern), false);
        }

        static ForeignKind loose(String system, String first, String pattern) {
            return new ForeignKind(system, first.charAt(0), Pattern.compile(pattern), true);
        }

        String words() {
            return this == ENCODED ? ENCODED_WORDS : system == null ? WORDS
                    : " is a tag of " + system + " and will not be filled in; use {{name}} instead";
        }
    }

    /** @param hasPlaceholders whether to also find forgotten placeholders */
    ForeignTags(String text, boolean hasPlaceholders, Listener listener) {
        this.text = text;
        this.hasPlaceholders = hasPlaceholders;
        this.listener = listener;
    }

    /** The kinds of tags that begin with a char. */
    private static List<ForeignKind> kinds(char c) {
        return c < BY_CHAR.size() ? BY_CHAR.get(c) : List.of();
    }

    private static List<List<ForeignKind>> byChar() {
        return IntStream.range(0, 128).mapToObj(c -> KINDS.stream().filter(kind -> kind.first == c).toList()).toList();
    }

    /** Reads the next token of the HTML, including its attributes. */
    void read(Token token) {
        switch (token.kind()) {
            case START, END -> {
                String name = token.name();
                boolean isStart = token.kind() == Html.HtmlKind.START;
                token.attributes().forEach(attribute -> range(attribute.valueStart(), attribute.valueEnd()));
                element = isStart ? name : "";
                codes = CODE.contains(name) ? Math.max(0, codes + (isStart ? 1 : -1)) : codes;
                brace = INLINE.contains(name) ? brace : -1;
            }
            case TEXT -> text(token);
            case RAW -> {
                if (element.equals("title")) {
                    range(token.start(), token.end());
                }
            }
            case DECLARATION -> declaration(token);
            case TAG, UNCLOSED -> brace = -1;
            default -> { }
        }
    }

    private void text(Token token) {
        int from = token.start();
        if (brace >= 0 && codes == 0) {
            Matcher second = SECOND_BRACE.matcher(text).region(from, Math.min(token.end(), from + 2 * MAX_BRACE));
            if (second.lookingAt()) {
                from = second.end();
                split(brace, from);
            }
        }
        range(from, token.end());
        int tail = Math.max(token.start(), token.end() - MAX_BRACE);
        while (tail < token.end() && text.charAt(tail) != '{' && text.charAt(tail) != '&') {
            tail++;
        }
        Matcher last = tail < token.end() ? FIRST_BRACE.matcher(text).region(tail, token.end()) : null;
        brace = last != null && last.find() ? last.start() : -1;
    }

    /** Reports a tag whose braces something separates. */
    private void split(int start, int end) {
        firstSplit = firstSplit == null ? quoted(start, end) : firstSplit;
        listener.found(start, firstSplit, SPLIT_WORDS);
    }

    private String quoted(int start, int end) {
        return '"' + Excerpt.of(text.substring(start, Math.min(end, start + MAX_QUOTED_CHARS + 1)), MAX_QUOTED_CHARS) + '"';
    }

    /** Reads a text without markup, such as a subject. */
    void range(int from, int to) {
        int at = from;
        while (at < to - 1) {
            char c = text.charAt(at);
            List<ForeignKind> kinds = kinds(c);
            boolean mayBegin = !kinds.isEmpty() || c == '&';
            boolean isSecondBrace = text.startsWith("{{", at - 1);
            at = mayBegin && !isSecondBrace ? tag(at, to, kinds) : at + 1;
        }
    }

    /** Reads what begins with a char that can begin a tag. @return the end of the tag, or the position of the next char */
    private int tag(int place, int to, List<ForeignKind> kinds) {
        char c = text.charAt(place);
        if ((c == '{' || c == '&') && codes == 0) {
            Matcher half = HALF.matcher(text).region(place, Math.min(to, place + 2 * MAX_BRACE));
            if (half.lookingAt()) {
                split(place, half.end());
                return half.end();
            }
        }
        for (ForeignKind kind : kinds) {
            Matcher tag = kind.pattern.matcher(text).region(place, to).useTransparentBounds(true);
            if (!(kind.isLoose && isExcluded(place)) && tag.lookingAt()) {
                listener.found(place, first.computeIfAbsent(kind, any -> quoted(place, tag.end())), kind.words());
                return tag.end();
            }
        }
        if (c == '[' && hasPlaceholders) {
            placeholder(place, to);
        }
        return place + 1;
    }

    /** True where what looks like a loose tag is none: in source code, and right after a word, a backslash or a bracket. */
    private boolean isExcluded(int place) {
        char before = place == 0 ? ' ' : text.charAt(place - 1);
        boolean isAfterWord = Character.isLetterOrDigit(before) || "\\_)}]".indexOf(before) >= 0;
        boolean isAfterTag = text.startsWith("}}", place - 2);
        return codes > 0 || isAfterWord && !isAfterTag;
    }

    private void placeholder(int at, int to) {
        Matcher placeholder = PLACEHOLDER.matcher(text).region(at, to).useTransparentBounds(true);
        if (placeholder.lookingAt()) {
            String before = text.substring(Math.max(0, at - LONGEST_TAG), at);
            if (before.lastIndexOf("{{") <= before.lastIndexOf("}}")) {
                listener.found(at, '"' + placeholder.group() + '"', " looks like a placeholder but will not be filled in; use {{name}} instead");
            }
        }
    }

    /** True if another system's tag begins an attribute's value, so that the value is not checked as an address. */
    boolean begins(Attribute attribute) {
        int start = Tag.skip(text, attribute.valueStart(), attribute.valueEnd());
        List<ForeignKind> kinds = start < attribute.valueEnd() ? kinds(text.charAt(start)) : List.of();
        return kinds.stream().anyMatch(kind -> kind.pattern.matcher(text).region(start, attribute.valueEnd()).lookingAt());
    }

    private void declaration(Token token) {
        if (text.startsWith("<?", token.start()) && !text.regionMatches(true, token.start(), "<?xml", 0, 5)) {
            listener.found(token.start(), quoted(token.start(), token.end()), WORDS);
        }
    }
}
