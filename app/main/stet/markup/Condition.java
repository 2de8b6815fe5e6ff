package stet.markup;

import java.util.Locale;

/**
 * Evaluates the condition of a conditional comment as a client without conditions would: every feature ({@code mso}, {@code IE},
 * {@code vml}) is missing.
 *
 * <pre>
 * either = both ('|' both)*      both = not ('&amp;' not)*      not = '!' not | '(' either ')' | [gt | gte | lt | lte] feature [version]
 * </pre>
 */
final class Condition {
    /** Longer conditions are not read; bounds the recursion. */
    private static final int MAX_CHARS = 200;

    private final String text;
    private int at;
    private boolean isKnown = true;

    private Condition(String text) {
        this.text = text;
    }

    /** True if clients other than Outlook and Internet Explorer are meant. False for a condition that cannot be read. */
    static boolean meansOthers(String condition) {
        Condition read = new Condition(condition);
        boolean means = condition.length() <= MAX_CHARS && read.either();
        return means && read.isKnown && read.next() == 0;
    }

    /** True for a condition that is not {@link #meansOthers} and has no "!" or "lt" either, so that no part of it may mean other clients. */
    static boolean isOnlyOutlook(String condition) {
        return !meansOthers(condition) && condition.indexOf('!') < 0 && !condition.toLowerCase(Locale.ROOT).contains("lt");
    }

    private boolean either() {
        boolean holds = both();
        while (accept('|')) {
            holds |= both();
        }
        return holds;
    }

    private boolean both() {
        boolean holds = not();
        while (accept('&')) {
            holds &= not();
        }
        return holds;
    }

    private boolean not() {
        if (accept('!')) {
            return !not();
        }
        if (accept('(')) {
            boolean holds = either();
            isKnown &= accept(')');
            return holds;
        }
        String word = word();
        String feature = word.matches("[gl]te?") ? word() : word;
        isKnown &= feature.equals("mso") || feature.equals("ie") || feature.equals("vml");
        next();
        while (at < text.length() && (Character.isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
            at++; // the version
        }
        return false;
    }

    private String word() {
        next();
        int start = at;
        while (at < text.length() && Character.isLetter(text.charAt(at))) {
            at++;
        }
        return text.substring(start, at).toLowerCase(Locale.ROOT);
    }

    /** Skips whitespace. @return the next char, or 0 at the end */
    private char next() {
        at = Tag.skip(text, at, text.length());
        return at < text.length() ? text.charAt(at) : 0;
    }

    /** Moves past a char if it is next. */
    private boolean accept(char c) {
        boolean isNext = next() == c;
        at += isNext ? 1 : 0;
        return isNext;
    }
}
