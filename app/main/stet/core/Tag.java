package stet.core;

import java.util.ArrayList;
import java.util.List;

/**
 * One tag of Mustache or Handlebars in a text.
 *
 * @param kind  what it is for
 * @param words what stands between its braces, without its sign, white space control and outer blanks
 * @param start where its first brace is, in chars
 * @param end   behind its last brace
 */
public record Tag(Kind kind, String words, int start, int end) {

    /** What the sign behind the braces says. */
    public enum Kind {
        /** {@code {{name}}}, {@code {{{name}}}}, {@code {{&name}}}, and {@code {{else}}}. */
        VALUE,
        /** <code>{{#items}}</code> and <code>{{^items}}</code>. */
        OPEN,
        /** <code>{{/items}}</code>. */
        CLOSE,
        /** <code>{{&gt; footer}}</code>: a shared block. */
        BLOCK,
        /** <code>{{! note }}</code>, and signs that ask for no name. */
        OTHER,
        /** Braces that open and are not closed before the next ones, or at all. */
        UNCLOSED
    }

    /** All tags of a text, in its order. */
    public static List<Tag> in(String text) {
        List<Tag> tags = new ArrayList<>();
        for (int start = text.indexOf("{{"); start >= 0; ) {
            Tag tag = at(text, start);
            tags.add(tag);
            start = text.indexOf("{{", tag.end);
        }
        return tags;
    }

    /** The number of the line it begins in, counted from 1. */
    public int line(String text) {
        return 1 + (int) text.substring(0, start).chars().filter(c -> c == '\n').count();
    }

    private static Tag at(String text, int start) {
        if (text.startsWith("{{!--", start)) {
            return comment(text, start, "--}}");
        }
        if (text.startsWith("{{!", start)) {
            return comment(text, start, "}}");
        }
        boolean triple = text.startsWith("{{{", start);
        int inside = start + (triple ? 3 : 2);
        int next = text.indexOf("{{", inside);
        String upToNext = text.substring(inside, next < 0 ? text.length() : next);
        int close = upToNext.indexOf(triple ? "}}}" : "}}");
        if (close < 0) {
            return new Tag(Kind.UNCLOSED, "", start, inside);
        }
        int end = inside + close + (triple ? 3 : 2);
        String words = strip(upToNext.substring(0, close));
        if (triple) {
            return new Tag(Kind.VALUE, words, start, end);
        }
        boolean signed = !words.isEmpty() && "#^/>!=&".indexOf(words.charAt(0)) >= 0;
        return new Tag(kind(words), signed ? words.substring(1).strip() : words, start, end);
    }

    /** A comment that is not closed takes the rest of the text with it. */
    private static Tag comment(String text, int start, String closing) {
        int close = text.indexOf(closing, start);
        return close < 0
                ? new Tag(Kind.UNCLOSED, "", start, text.length())
                : new Tag(Kind.OTHER, "", start, close + closing.length());
    }

    private static Kind kind(String words) {
        return switch (words.isEmpty() ? ' ' : words.charAt(0)) {
            case '#', '^' -> Kind.OPEN;
            case '/' -> Kind.CLOSE;
            case '>' -> Kind.BLOCK;
            case '!', '=', ' ' -> Kind.OTHER;
            default -> Kind.VALUE;
        };
    }

    /** Takes off blanks and Handlebars' white space control: <code>{{~ name ~}}</code>. */
    private static String strip(String words) {
        int from = words.startsWith("~") ? 1 : 0;
        int to = words.length() > from && words.endsWith("~") ? words.length() - 1 : words.length();
        return words.substring(from, to).strip();
    }
}
