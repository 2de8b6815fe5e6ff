package stet.markup;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The words of a tag as Handlebars 4.7 reads them: a name alone, or a helper and what it is given.
 *
 * <pre>
 * tag   = first given* [as | name* |]       given = [key =] (path | literal | ( first given* ))
 * path  = [@] part ((. or /) part)*         part  = id | [anything] | this | . | ..
 * </pre>
 */
final class Expression {
    private static final Pattern LITERAL = Pattern.compile("true|false|null|undefined|-?[0-9]+(?:\\.[0-9]+)?");
    /** What they begin with. */
    private static final String LITERALS = "tfun-0123456789";
    /** What no id of Handlebars has in it. */
    private static final String NOT_IN_IDS = "!\"#%&'()*+,./;<=>@[\\]^`{|}~";

    private final String text;
    private final int to;
    private int at;
    private Path first;
    private Path firstGiven;
    private boolean called;
    private boolean simple = true;
    private List<Path> given = List.of();
    private List<String> declared = List.of();

    private Expression(Tag tag) {
        this.text = tag.text();
        this.at = tag.from();
        this.to = tag.to();
    }

    /** Null when Handlebars would not understand the tag. */
    static Expression of(Tag tag) {
        Expression expression = new Expression(tag);
        return expression.read(tag.kind() == Tag.Kind.WRAP) ? expression : null;
    }

    /** The first word: a name, or a helper's where it is {@link #isCall()}. */
    Path first() {
        return first;
    }

    /** Whether the first word is given something, so that it is a helper. */
    boolean isCall() {
        return called;
    }

    /** Whether a helper is given nothing but paths: it may as well be a name with blanks in it. */
    boolean isWords() {
        return called && simple && first.isWord();
    }

    /** Each path that is given to a helper, also within parentheses and behind {@code key=}. */
    List<Path> given() {
        return given;
    }

    /** The first that the outermost helper is given; null when that is no path. */
    Path firstGiven() {
        return firstGiven;
    }

    /** What a section declares: {@code as |user index|}. */
    List<String> declared() {
        return declared;
    }

    private boolean read(boolean anyFirst) {
        return isName() || readAll(anyFirst);
    }

    /** Most tags are one name. */
    private boolean isName() {
        int end = at;
        while (end < to && text.charAt(end) >= 'a' && text.charAt(end) <= 'z') {
            end++;
        }
        boolean isName = end == to && end > at && !text.startsWith("this", at) && LITERALS.indexOf(text.charAt(at)) < 0;
        if (isName) {
            first = new Path(List.of(text.substring(at, to)), false, false);
        }
        return isName;
    }

    private boolean readAll(boolean anyFirst) {
        int depth = 0;
        boolean isFirst = true;
        boolean isValue = false;
        while (true) {
            at = Tag.skip(text, at, to);
            char c = at < to ? text.charAt(at) : 0;
            if (c == 0 || c == '|') { // name | filter, as other languages write it
                return depth == 0 && !isFirst && !isValue;
            }
            if (c == '(') {
                if (isFirst && !(anyFirst && first == null && depth == 0)) {
                    return false;
                }
                simple = false;
                called = true;
                depth++;
                isFirst = true;
                isValue = false;
                at++;
                continue;
            }
            if (c == ')') {
                if (depth-- == 0 || isFirst || isValue) {
                    return false;
                }
                at++;
                continue;
            }
            int start = at;
            Path path = c == '"' || c == '\'' ? string(c) : path();
            if (path == null || at < to && !Tag.isBlank(text.charAt(at)) && "=)|".indexOf(text.charAt(at)) < 0) {
                return false;
            }
            int behind = Tag.skip(text, at, to);
            boolean isLiteral = c == '"' || c == '\'' || LITERALS.indexOf(c) >= 0 && LITERAL.matcher(text).region(start, at).matches();
            if (isFirst) {
                if (depth == 0) {
                    first = isLiteral ? Path.literal(unquoted(start)) : path;
                }
                isFirst = false;
            } else if (behind < to && text.charAt(behind) == '=') {
                if (isValue || c == '"' || c == '\'') {
                    return false;
                }
                simple = false;
                called = true;
                isValue = true;
                at = behind + 1;
            } else if (depth == 0 && !isValue && text.startsWith("as", start) && at - start == 2
                    && behind > at && behind < to && text.charAt(behind) == '|') {
                return declare(behind + 1);
            } else {
                called = true;
                simple &= !isLiteral && c != '@';
                if (!isLiteral) {
                    given = given.isEmpty() ? new ArrayList<>(2) : given;
                    given.add(path);
                    firstGiven = depth == 0 && !isValue && given.size() == 1 && simple ? path : firstGiven;
                }
                isValue = false;
            }
        }
    }

    private boolean declare(int from) {
        int end = find('|', from);
        if (end < 0 || Tag.skip(text, end + 1, to) < to) {
            return false;
        }
        declared = List.of(text.substring(from, end).strip().split("\\s+"));
        return true;
    }

    private String unquoted(int start) {
        char c = text.charAt(start);
        return c == '"' || c == '\'' ? text.substring(start + 1, at - 1).replace("\\" + c, String.valueOf(c)) : text.substring(start, at);
    }

    /** Passes over a string. @return anything but null when it ends */
    private Path string(char quote) {
        int end = find(quote, at + 1);
        while (end >= 0 && text.charAt(end - 1) == '\\') {
            end = find(quote, end + 1);
        }
        at = end + 1;
        return end < 0 ? null : Path.literal("");
    }

    private static boolean isInId(char c) {
        return c >= 'a' && c <= 'z' || !Tag.isBlank(c) && NOT_IN_IDS.indexOf(c) < 0;
    }

    /** The next place of a char within the tag, or -1. */
    private int find(char c, int from) {
        int found = from;
        while (found < to && text.charAt(found) != c) {
            found++;
        }
        return found < to ? found : -1;
    }

    private Path path() {
        boolean data = text.charAt(at) == '@';
        at += data ? 1 : 0;
        int start = at;
        List<String> parts = new ArrayList<>(2);
        boolean scoped = data;
        while (at < to) {
            String part = part();
            boolean moves = part != null && (part.isEmpty() && text.charAt(at - 1) == '.' || part.equals("this") && text.charAt(at - 1) != ']');
            if (part == null || moves && !parts.isEmpty()) {
                return null;
            }
            if (moves) {
                scoped = true;
            } else {
                parts.add(part);
            }
            if (at >= to || text.charAt(at) != '.' && text.charAt(at) != '/') {
                return data ? dataPath(parts) : new Path(parts, scoped, moves && (at - start == 1 || part.equals("this")));
            }
            at++;
        }
        return null; // ends with a separator
    }

    /** Of {@code @root.name} the name, and nothing of {@code @index} and its like. */
    private static Path dataPath(List<String> parts) {
        boolean root = !parts.isEmpty() && parts.get(0).equals("root");
        return new Path(root ? parts.subList(1, parts.size()) : List.of(), true, false);
    }

    /** The next part: empty for {@code .} and {@code ..}, null for none. */
    private String part() {
        int start = at;
        char c = text.charAt(at);
        if (c == '[') {
            int end = find(']', at);
            if (end < 0) {
                return null;
            }
            at = end + 1;
            String literal = text.substring(start + 1, end);
            return literal.chars().anyMatch(each -> each < ' ') ? null : literal;
        }
        if (c == '.') {
            at += text.startsWith("..", at) ? 2 : 1;
            boolean ends = at >= to || Tag.isBlank(text.charAt(at)) || "/=)|".indexOf(text.charAt(at)) >= 0;
            return ends ? "" : null;
        }
        while (at < to && isInId(text.charAt(at))) {
            at++;
        }
        return at == start ? null : text.substring(start, at);
    }
}
