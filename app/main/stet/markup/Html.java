package stet.markup;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;

/**
 * Tokenizes HTML as browsers do (HTML standard, 13.2.5), keeping Handlebars tags intact. Tokens are contiguous and together form the whole
 * text. Apart from the search for Handlebars tags, tokenizing takes linear time, even for hostile input.
 *
 * <pre>
 * Hi {{name}}&lt;!--[if mso]&gt;&lt;a href="{{url}}"&gt;&lt;![endif]--&gt;&lt;title&gt;a &lt; b&lt;/title&gt;
 * TEXT, TAG  CONDITION      START (hidden)     CONDITION     START  RAW    END
 * </pre>
 *
 * A Handlebars tag is never split, so {@code {{t "&gt;"}}} does not end an attribute or start tag; however, a comment ends at the first
 * {@code --&gt;}. SVG and scripts containing script tags get no special treatment.
 */
public final class Html implements Iterator<Html.Token> {
    /** Maximum number of attributes listed per token; further attributes are skipped. */
    static final int MAX_ATTRIBUTES = 1_000;
    /** Elements whose content is text up to the end tag. */
    private static final Set<String> RAW_TEXT =
            Set.of("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext");
    private static final Set<String> VOID = Set.of("area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr");

    private final String text;
    /** The remaining Handlebars tags, and the first tag that begins at or after {@link #at}. */
    private final Iterator<Tag> tags;
    private Tag tag;
    private int at;
    /** End of the current conditional comment, or of the text. */
    private int limit;
    private boolean hidden;
    /** Name of the element whose raw text comes next, or null. */
    private String raw;

    public enum HtmlKind {
        /** Text between tags; may be split into several tokens. */
        TEXT,
        /** A Mustache or Handlebars tag within text. */
        TAG,
        /** {@code <a href="…">}. */
        START,
        /** {@code </a>}. */
        END,
        /** Content of script, style, title and similar elements; may contain Handlebars tags. */
        RAW,
        /** {@code <!-- … -->}. An unclosed comment extends to the end of the text or of the surrounding {@code CONDITION}. */
        COMMENT,
        /** {@code <!--[if mso]>} or the matching {@code <![endif]-->}. Tokens between the two are hidden. */
        CONDITION,
        /**
         * {@code <!doctype html>}, {@code <![if !mso]>}, {@code <?xml …>}, {@code </ >}, {@code <![CDATA[ …>}, up to "&gt;".
         */
        DECLARATION,
        /** An unclosed tag, which browsers drop. Its attributes include the one whose quote is not closed, if any. */
        UNCLOSED
    }

    /**
     * A token.
     *
     * @param start      index of the token's first char
     * @param end        index after the token's last char
     * @param nameEnd    end of the element name; equal to {@code start} if the token has no name
     * @param hidden     true inside a conditional comment, whose content only Outlook reads
     * @param attributes a start tag's attributes in source order, including duplicates
     */
    public record Token(HtmlKind kind, String text, int start, int end, int nameEnd, boolean hidden, List<Attribute> attributes) {
        /** Element name in lower case; empty if the token has no name. */
        public String name() {
            int from = Math.min(nameEnd, start + (kind == HtmlKind.END ? 2 : 1));
            return lower(text.substring(from, nameEnd));
        }

        /** True for an element without content or end tag. */
        public boolean isVoid() {
            return VOID.contains(name());
        }

        /** The token's source text. */
        public String source() {
            return text.substring(start, end);
        }

        /** The kind of a {@link HtmlKind#TAG}'s tag; null for other tokens. */
        Tag.TagKind tagKind() {
            return kind == HtmlKind.TAG ? Tag.in(source()).iterator().next().kind() : null;
        }

        /** The first attribute with this name, as in browsers; null if there is none. @param name in lower case */
        public Attribute attribute(String name) {
            for (Attribute attribute : attributes) {
                if (attribute.is(name)) {
                    return attribute;
                }
            }
            return null;
        }
    }

    /**
     * An attribute.
     *
     * @param valueStart index after any opening quote; {@code nameEnd} if the attribute has no value
     * @param valueEnd   index after the value, before any closing quote
     */
    public record Attribute(String text, int nameStart, int nameEnd, int valueStart, int valueEnd) {
        /** Name in lower case. */
        public String name() {
            return lower(text.substring(nameStart, nameEnd));
        }

        /** The value as written, with entities not decoded; empty if the attribute has no value. */
        public String value() {
            return text.substring(valueStart, valueEnd);
        }

        /** @param name in lower case */
        public boolean is(String name) {
            boolean isEqual = nameEnd - nameStart == name.length();
            for (int i = 0; isEqual && i < name.length(); i++) {
                isEqual = lower(text.charAt(nameStart + i)) == name.charAt(i);
            }
            return isEqual;
        }
    }

    private Html(String text, Iterator<Tag> tags) {
        this.text = text;
        this.tags = tags;
        this.limit = text.length();
    }

    /** Reads the tokens lazily, in order. */
    public static Iterable<Token> in(String html) {
        return () -> new Html(html, Tag.in(html).iterator());
    }

    /** Reads HTML as a browser does, treating braces as plain text. */
    public static Iterable<Token> shown(String html) {
        return () -> new Html(html, Collections.emptyIterator());
    }

    @Override
    public boolean hasNext() {
        return at < text.length();
    }

    @Override
    public Token next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        if (at == limit) { // end of a conditional comment
            int start = at;
            limit = text.length();
            hidden = false;
            raw = null;
            return token(HtmlKind.CONDITION, start, commentEnd(start));
        }
        if (raw != null) {
            int start = at;
            skipRaw(raw);
            raw = null;
            if (at > start) {
                return token(HtmlKind.RAW, start, at);
            }
        }
        int tagEnd = tagEnd();
        if (tagEnd > at) {
            return token(HtmlKind.TAG, at, tagEnd);
        }
        return switch (markup(at)) {
            case START -> start();
            case END -> end();
            case COMMENT -> comment();
            case DECLARATION -> declaration();
            default -> text();
        };
    }

    private Token token(HtmlKind kind, int start, int end) {
        at = end;
        return new Token(kind, text, start, end, start, hidden, List.of());
    }

    /** The kind of token that begins at a position outside Handlebars tags. */
    private HtmlKind markup(int place) {
        if (text.charAt(place) != '<' || place + 1 >= limit) {
            return HtmlKind.TEXT;
        }
        char next = text.charAt(place + 1);
        if (isLetter(next)) {
            return HtmlKind.START;
        }
        if (next == '!') {
            return text.startsWith("--", place + 2) && place + 4 <= limit ? HtmlKind.COMMENT : HtmlKind.DECLARATION;
        }
        if (next == '/' && place + 2 < limit) {
            return isLetter(text.charAt(place + 2)) ? HtmlKind.END : HtmlKind.DECLARATION;
        }
        return next == '?' ? HtmlKind.DECLARATION : HtmlKind.TEXT;
    }

    private Token text() {
        int start = at;
        do {
            at++;
        } while (at < limit && tagEnd() == at && markup(at) == HtmlKind.TEXT);
        return token(HtmlKind.TEXT, start, at);
    }

    private Token declaration() {
        int start = at;
        at += 2;
        skipTo(">");
        return token(HtmlKind.DECLARATION, start, Math.min(limit, at + 1));
    }

    /** Reads a comment, or the start of a conditional one up to {@code ]>} if {@code <![endif]} ends it. */
    private Token comment() {
        int start = at;
        int end = commentEnd(start);
        if (!hidden && text.startsWith("[if ", start + 4)) {
            int bracket = start;
            while (bracket < end && !text.startsWith("]>", bracket)) {
                bracket++;
            }
            int contentEnd = end;
            while (contentEnd >= bracket + 2 && !text.startsWith("<![endif]", contentEnd)) {
                contentEnd--;
            }
            if (bracket + 2 <= contentEnd) {
                Token condition = token(HtmlKind.CONDITION, start, bracket + 2);
                limit = contentEnd;
                hidden = true;
                return condition;
            }
        }
        return token(HtmlKind.COMMENT, start, end);
    }

    /** End of a comment that starts or continues at a position: after the first {@code -->} or {@code --!>}, or {@link #limit}. */
    private int commentEnd(int start) {
        boolean isStart = text.startsWith("<!--", start);
        if (isStart && text.startsWith(">", start + 4)) {
            return start + 5;
        }
        for (int i = text.indexOf("--", isStart ? start + 2 : start); i >= 0 && i < limit; i = text.indexOf("--", i + 1)) {
            int dashes = i + 2;
            int close = dashes < limit && text.charAt(dashes) == '!' && i >= start + 4 ? dashes + 1 : dashes;
            if (close < limit && text.charAt(close) == '>') {
                return close + 1;
            }
        }
        return limit;
    }

    private Token end() {
        int start = at;
        at += 2;
        skipName();
        int nameEnd = at;
        return readAttributes(null) ? new Token(HtmlKind.END, text, start, at, nameEnd, hidden, List.of()) : unclosed(start, nameEnd, List.of());
    }

    private Token start() {
        int start = at;
        at++;
        skipName();
        int nameEnd = at;
        List<Attribute> attributes = new ArrayList<>(4);
        if (!readAttributes(attributes)) {
            return unclosed(start, nameEnd, attributes);
        }
        Token token = new Token(HtmlKind.START, text, start, at, nameEnd, hidden, attributes);
        boolean mayBeRaw = nameEnd - start <= "<plaintext".length(); // the longest name, so that no hostile one is copied
        raw = mayBeRaw && RAW_TEXT.contains(token.name()) ? token.name() : null;
        return token;
    }

    private Token unclosed(int start, int nameEnd, List<Attribute> attributes) {
        at = limit;
        return new Token(HtmlKind.UNCLOSED, text, start, limit, nameEnd, hidden, attributes);
    }

    private void skipName() {
        while (at < limit && !isSpace(text.charAt(at)) && text.charAt(at) != '/' && text.charAt(at) != '>' && tagEnd() == at) {
            at++;
        }
    }

    /**
     * Reads past the {@code >} that ends a tag; returns false if the tag is not closed.
     *
     * @param attributes receives the attributes; null to skip them
     */
    private boolean readAttributes(List<Attribute> attributes) {
        while (at < limit) {
            char c = text.charAt(at);
            int tagEnd = tagEnd();
            if (c == '>') {
                at++;
                return true;
            } else if (isSpace(c) || c == '/') {
                at++;
            } else if (tagEnd > at && tag.kind() != Tag.TagKind.VALUE) { // a tag such as {{#if wide}} between attributes
                at = tagEnd;
            } else {
                Attribute attribute = readAttribute();
                if (attributes != null && attributes.size() < MAX_ATTRIBUTES) {
                    attributes.add(attribute);
                }
            }
        }
        return false;
    }

    /** Reads an attribute. An unclosed value extends to {@link #limit}, which {@link #at} then exceeds. */
    private Attribute readAttribute() {
        int nameStart = at;
        do {
            at = Math.max(at + 1, tagEnd());
        } while (at < limit && " \t\n\f\r/>=".indexOf(text.charAt(at)) < 0 && (tagEnd() == at || tag.kind() == Tag.TagKind.VALUE));
        int nameEnd = at;
        int equals = skipSpace(at);
        if (equals >= limit || text.charAt(equals) != '=') {
            return new Attribute(text, nameStart, nameEnd, nameEnd, nameEnd);
        }
        at = skipSpace(equals + 1);
        char quote = at < limit ? text.charAt(at) : 0;
        if (quote == '"' || quote == '\'') {
            int valueStart = ++at;
            skipTo(quote == '"' ? "\"" : "'");
            return new Attribute(text, nameStart, nameEnd, valueStart, at++);
        }
        int valueStart = at;
        skipTo(" \t\n\f\r>");
        return new Attribute(text, nameStart, nameEnd, valueStart, at);
    }

    /** Skips to the next of these chars outside Handlebars tags, or to {@link #limit}. */
    private void skipTo(String chars) {
        while (at < limit) {
            int tagEnd = tagEnd();
            if (tagEnd > at) {
                at = tagEnd;
            } else if (chars.indexOf(text.charAt(at)) >= 0) {
                return;
            } else {
                at++;
            }
        }
    }

    /** Skips to the element's end tag outside Handlebars tags, or to {@link #limit}. */
    private void skipRaw(String name) {
        int length = name.length();
        for (skipTo("<"); at < limit; at++, skipTo("<")) {
            int nameEnd = at + 2 + length;
            if (text.startsWith("</", at) && nameEnd < limit && lower(text.substring(at + 2, nameEnd)).equals(name)
                    && " \t\n\f\r/>".indexOf(text.charAt(nameEnd)) >= 0 && !name.equals("plaintext")) {
                return;
            }
        }
    }

    private int skipSpace(int from) {
        int next = from;
        while (next < limit && isSpace(text.charAt(next))) {
            next++;
        }
        return next;
    }

    /** End of the Handlebars tag that begins at the current position; the current position if no tag begins there. */
    private int tagEnd() {
        while (tag == null ? tags.hasNext() : tag.start() < at && tags.hasNext()) {
            tag = tags.next();
        }
        return tag != null && tag.start() == at && tag.end() <= limit && tag.kind() != Tag.TagKind.UNCLOSED ? tag.end() : at;
    }

    /** Converts only ASCII letters to lower case, as HTML does. */
    private static String lower(String name) {
        int upper = 0;
        while (upper < name.length() && lower(name.charAt(upper)) == name.charAt(upper)) {
            upper++;
        }
        if (upper == name.length()) {
            return name; // as nearly all names are written
        }
        StringBuilder lower = new StringBuilder(name);
        for (int i = upper; i < name.length(); i++) {
            lower.setCharAt(i, lower(name.charAt(i)));
        }
        return lower.toString();
    }

    private static char lower(char c) {
        return c >= 'A' && c <= 'Z' ? (char) (c + 'a' - 'A') : c;
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
    }
}
