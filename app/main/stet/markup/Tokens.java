package stet.markup;

/**
 * Reads the tokens of a tag's content as the lexer of Handlebars 4.7 does.
 *
 * <p>The first rule that matches decides, so {@code list.0} ends with a number but {@code list.0.name} is a path, and {@code a..b} are
 * the three words {@code a}, {@code ..} and {@code b}.
 */
final class Tokens {
    /** Characters not allowed in Handlebars ids, besides whitespace. */
    private static final String NOT_IN_IDS = "!\"#%&'()*+,./;<=>@[\\]^`{|}~";
    /** Characters that may follow an id, besides whitespace. */
    private static final String AFTER_IDS = "=~}/.)|";
    /** Characters that may follow a number, {@code true} and the other literals, besides whitespace. */
    private static final String AFTER_LITERALS = "~})";

    /** Kinds of tokens. */
    enum TokenKind {
        ID, SEPARATOR, STRING, NUMBER, WORD, DATA, EQUALS, OPEN, CLOSE, OPEN_NAMES, CLOSE_NAMES, END,
        /** A string or {@code [segment]} that is not closed. */
        UNCLOSED,
        /** A character that cannot begin a token, or an id followed by one. */
        INVALID
    }

    /** The current token. {@code WORD} is {@code true}, {@code false}, {@code null} or {@code undefined}. */
    TokenKind kind;
    /** Range of the current token in the text. */
    int start;
    int end;

    private final String text;
    private final int to;

    /** @param to end of the content; a char follows it, because the tag is closed */
    Tokens(String text, int from, int to) {
        this.text = text;
        this.to = to;
        this.end = from;
    }

    /** True for a character of an id. */
    static boolean isInId(char c) {
        return c >= 'a' && c <= 'z' || !Tag.isBlank(c) && NOT_IN_IDS.indexOf(c) < 0;
    }

    /** Reads the next token. */
    TokenKind next() {
        start = Tag.skip(text, end, to);
        kind = start >= to ? TokenKind.END : read(text.charAt(start));
        return kind;
    }

    /** The current token as written. */
    String written() {
        return text.substring(start, end);
    }

    private TokenKind read(char c) {
        end = start + 1;
        switch (c) {
            case '(': return TokenKind.OPEN;
            case ')': return TokenKind.CLOSE;
            case '=': return TokenKind.EQUALS;
            case '@': return TokenKind.DATA;
            case '|': return TokenKind.CLOSE_NAMES;
            case '/': return TokenKind.SEPARATOR;
            case '.': return dots();
            case '"', '\'', '[': return quoted(c);
            default: return other();
        }
    }

    private TokenKind other() {
        if (readNumber()) {
            return TokenKind.NUMBER;
        }
        if (readWord()) {
            return TokenKind.WORD;
        }
        return readOpenNames() ? TokenKind.OPEN_NAMES : id();
    }

    private TokenKind dots() {
        if (end < to && text.charAt(end) == '.') {
            end++;
            return TokenKind.ID;
        }
        return isBefore(end, AFTER_IDS) ? TokenKind.ID : TokenKind.SEPARATOR;
    }

    private TokenKind quoted(char c) {
        char closing = c == '[' ? ']' : c;
        int escaped = -1;
        for (int i = text.indexOf(closing, end); i >= 0 && i < to; i = text.indexOf(closing, i + 1)) {
            if (text.charAt(i - 1) != '\\') {
                return endQuoted(c, i + 1);
            }
            escaped = i;
        }
        // Without another quote, the last escaped one closes.
        return escaped < 0 ? TokenKind.UNCLOSED : endQuoted(c, escaped + 1);
    }

    private TokenKind endQuoted(char c, int after) {
        end = after;
        return c == '[' ? TokenKind.ID : TokenKind.STRING;
    }

    /** Reads a number. @return false if none begins here */
    private boolean readNumber() {
        int at = text.charAt(start) == '-' ? start + 1 : start;
        int digits = digits(at);
        if (digits == at) {
            return false;
        }
        if (digits < to && text.charAt(digits) == '.' && digits(digits + 1) > digits + 1) {
            digits = digits(digits + 1);
        }
        if (!isBefore(digits, AFTER_LITERALS)) {
            return false;
        }
        end = digits;
        return true;
    }

    /** Index after the digits that begin at a position. */
    private int digits(int from) {
        int at = from;
        while (at < to && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        return at;
    }

    /** Reads {@code true}, {@code false}, {@code null} or {@code undefined}. @return false if none begins here */
    private boolean readWord() {
        String word = switch (text.charAt(start)) {
            case 't' -> "true";
            case 'f' -> "false";
            case 'n' -> "null";
            case 'u' -> "undefined";
            default -> null;
        };
        if (word == null || !text.startsWith(word, start) || !isBefore(start + word.length(), AFTER_LITERALS)) {
            return false;
        }
        end = start + word.length();
        return true;
    }

    /** Reads {@code as |}. @return false if it does not begin here */
    private boolean readOpenNames() {
        int bar = text.startsWith("as", start) ? Tag.skip(text, start + 2, to) : 0;
        if (bar <= start + 2 || bar >= to || text.charAt(bar) != '|') {
            return false;
        }
        end = bar + 1;
        return true;
    }

    private TokenKind id() {
        int at = start;
        while (at < to && isInId(text.charAt(at))) {
            at++;
        }
        end = Math.max(at, start + 1);
        return at > start && isBefore(at, AFTER_IDS) ? TokenKind.ID : TokenKind.INVALID;
    }

    /** True if whitespace or one of these chars is at a position. */
    private boolean isBefore(int at, String chars) {
        return Tag.isBlank(text.charAt(at)) || chars.indexOf(text.charAt(at)) >= 0;
    }
}
