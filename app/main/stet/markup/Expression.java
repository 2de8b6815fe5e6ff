package stet.markup;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The words of a tag as Handlebars 4.7 reads them: a name alone, or a helper and its arguments.
 *
 * <pre>
 * tag   = first argument* [as | name* |]    argument = [key =] (path | literal | ( first argument* ))
 * path  = [@] part ((. or /) part)*         part     = id | [anything] | this | . | ..
 * </pre>
 */
final class Expression {
    private static final Pattern LITERAL = Pattern.compile("true|false|null|undefined|-?[0-9]+(?:\\.[0-9]+)?");
    /** First characters of literals. */
    private static final String LITERAL_STARTS = "tfun-0123456789";
    /** Ids that are not names. */
    private static final Set<String> RESERVED = Set.of("this", "true", "false", "null", "undefined");
    /** Characters that an id of Handlebars cannot have. */
    private static final String NOT_IN_IDS = "!\"#%&'()*+,./;<=>@[\\]^`{|}~";

    private final String text;
    private final int to;
    private int at;
    private Path first;
    private Path firstArgument;
    private List<Path> arguments = List.of();
    private List<String> blockParameters = List.of();
    private boolean isCall;
    /** Whether all arguments are paths: no literals, keys, parentheses or data such as {@code @index}. */
    private boolean isSimple = true;
    /** Open parentheses. */
    private int depth;
    /** Whether the next word is the first of the tag or of its parentheses. */
    private boolean isFirst = true;
    /** Whether the next word is the value of a key. */
    private boolean isValue;

    /**
     * A path.
     *
     * @param parts  user and name for {@code user/name}, {@code user.[name]}, {@code ../user.name} and {@code @root.user.name};
     *               none for {@code this}, {@code ..} and {@code @index}
     * @param scoped whether it says where it is looked up, so that it cannot be a name that a section declares
     * @param self   whether it is {@code this} or {@code .} alone
     */
    record Path(List<String> parts, boolean scoped, boolean self) {

        static Path of(String name) {
            return new Path(List.of(name), false, false);
        }

        static Path literal(String text) {
            return new Path(List.of(text), true, false);
        }

        /** The name that the caller is asked for; empty for none. */
        String name() {
            return parts.size() == 1 ? parts.get(0) : String.join(".", parts);
        }

        /** Whether it may be the name of a helper. */
        boolean isWord() {
            return !scoped && parts.size() == 1;
        }
    }

    private Expression(Tag tag) {
        this.text = tag.text();
        this.at = tag.from();
        this.to = tag.to();
    }

    /** Returns null when Handlebars would not understand the tag. */
    static Expression of(Tag tag) {
        Expression expression = new Expression(tag);
        return expression.read(tag.kind() == Tag.Kind.PARTIAL_BLOCK) ? expression : null;
    }

    /** Returns the name of a tag that has one id and nothing else, as most have, and null for any other. */
    static String plainName(Tag tag) {
        String text = tag.text();
        for (int i = tag.from(); i < tag.to(); i++) {
            if (!isInId(text.charAt(i))) {
                return null;
            }
        }
        boolean mayBeNumber = tag.from() == tag.to() || "-0123456789".indexOf(text.charAt(tag.from())) >= 0;
        String name = tag.words();
        return mayBeNumber || RESERVED.contains(name) ? null : name;
    }

    /** Returns the path of a tag that has nothing but a path, and null for any other. */
    static Path path(Tag tag) {
        String name = plainName(tag);
        if (name != null) {
            return Path.of(name);
        }
        Expression expression = of(tag);
        return expression == null || expression.isCall ? null : expression.first;
    }

    /** The first word: a name, or a helper's where {@link #isCall()}. */
    Path first() {
        return first;
    }

    /** Whether the first word has arguments, which makes it a helper. */
    boolean isCall() {
        return isCall;
    }

    /** Whether a helper has only paths as arguments: the author may have meant a name with blanks in it. */
    boolean isWords() {
        return isCall && isSimple && first.isWord();
    }

    /** Paths among the arguments, also within parentheses and behind {@code key=}. */
    List<Path> arguments() {
        return arguments;
    }

    /** The first argument of the outermost helper; null when it is not a path. */
    Path firstArgument() {
        return firstArgument;
    }

    /** Names that a section declares: {@code as |user index|}. */
    List<String> blockParameters() {
        return blockParameters;
    }

    private boolean read(boolean mayCallFirst) {
        while (true) {
            at = Tag.skip(text, at, to);
            char c = at < to ? text.charAt(at) : '|';
            if (c == '|') { // the end, or a filter of another language: {{name | upcase}}
                return depth == 0 && !isFirst && !isValue;
            }
            boolean understood = switch (c) {
                case '(' -> open(mayCallFirst && first == null && depth == 0);
                case ')' -> close();
                default -> word(c == '"' || c == '\'');
            };
            if (!understood) {
                return false;
            }
        }
    }

    private boolean open(boolean mayBeFirst) {
        boolean understood = !isFirst || mayBeFirst;
        isSimple = false;
        isCall = true;
        depth++;
        isFirst = true;
        isValue = false;
        at++;
        return understood;
    }

    private boolean close() {
        boolean understood = depth > 0 && !isFirst && !isValue;
        depth--;
        at++;
        return understood;
    }

    /** Reads a path, a literal, a key with its {@code =}, or {@code as |names|}. */
    private boolean word(boolean isString) {
        int start = at;
        Path path = isString ? string() : path();
        if (path == null || at < to && !Tag.isBlank(text.charAt(at)) && "=)|".indexOf(text.charAt(at)) < 0) {
            return false;
        }
        int next = Tag.skip(text, at, to);
        char following = next < to ? text.charAt(next) : 0;
        boolean isLiteral = isString || isLiteral(start);
        if (isFirst) {
            if (depth == 0) {
                first = isLiteral ? Path.literal(unquoted(start)) : path;
            }
            isFirst = false;
            return true;
        }
        if (following == '=') {
            boolean understood = !isValue && !isString;
            isSimple = false;
            isCall = true;
            isValue = true;
            at = next + 1;
            return understood;
        }
        if (following == '|' && next > at && depth == 0 && !isValue && at - start == 2 && text.startsWith("as", start)) {
            return declare(next + 1);
        }
        argument(path, isLiteral, text.charAt(start) == '@');
        return true;
    }

    private void argument(Path path, boolean isLiteral, boolean isData) {
        isCall = true;
        isSimple &= !isLiteral && !isData;
        if (!isLiteral) {
            arguments = arguments.isEmpty() ? new ArrayList<>(2) : arguments;
            arguments.add(path);
            if (depth == 0 && !isValue && isSimple && arguments.size() == 1) {
                firstArgument = path;
            }
        }
        isValue = false;
    }

    private boolean declare(int from) {
        int end = find('|', from);
        if (end < 0 || Tag.skip(text, end + 1, to) < to) {
            return false;
        }
        blockParameters = List.of(text.substring(from, end).strip().split("\\s+"));
        at = to;
        return true;
    }

    private boolean isLiteral(int start) {
        return LITERAL_STARTS.indexOf(text.charAt(start)) >= 0 && LITERAL.matcher(text).region(start, at).matches();
    }

    private String unquoted(int start) {
        char c = text.charAt(start);
        return c == '"' || c == '\'' ? text.substring(start + 1, at - 1).replace("\\" + c, String.valueOf(c)) : text.substring(start, at);
    }

    /** Skips a string; null when it does not end. */
    private Path string() {
        char quote = text.charAt(at);
        int end = find(quote, at + 1);
        while (end >= 0 && text.charAt(end - 1) == '\\') {
            end = find(quote, end + 1);
        }
        at = end + 1;
        return end < 0 ? null : Path.literal("");
    }

    /** The next place of a character within the tag, or -1; does not read on behind the tag. */
    private int find(char c, int from) {
        int found = from;
        while (found < to && text.charAt(found) != c) {
            found++;
        }
        return found < to ? found : -1;
    }

    private Path path() {
        boolean isData = text.charAt(at) == '@';
        at += isData ? 1 : 0;
        int start = at;
        List<String> parts = new ArrayList<>(2);
        boolean scoped = isData;
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
                return isData ? dataPath(parts) : new Path(parts, scoped, moves && (at - start == 1 || part.equals("this")));
            }
            at++;
        }
        return null; // ends with a separator
    }

    /** The name in {@code @root.name}, and nothing in {@code @index} and the like. */
    private static Path dataPath(List<String> parts) {
        boolean isRoot = !parts.isEmpty() && parts.get(0).equals("root");
        return new Path(isRoot ? parts.subList(1, parts.size()) : List.of(), true, false);
    }

    /** Reads the next part: empty for {@code .} and {@code ..}, null for none. */
    private String part() {
        int start = at;
        if (text.charAt(at) == '[') {
            int end = find(']', at);
            at = end + 1;
            String segment = end < 0 ? null : text.substring(start + 1, end);
            return segment == null || segment.chars().anyMatch(each -> each < ' ') ? null : segment;
        }
        if (text.charAt(at) == '.') {
            at += text.startsWith("..", at) ? 2 : 1;
            boolean ends = at >= to || Tag.isBlank(text.charAt(at)) || "/=)|".indexOf(text.charAt(at)) >= 0;
            return ends ? "" : null;
        }
        while (at < to && isInId(text.charAt(at))) {
            at++;
        }
        return at == start ? null : text.substring(start, at);
    }

    private static boolean isInId(char c) {
        return c >= 'a' && c <= 'z' || !Tag.isBlank(c) && NOT_IN_IDS.indexOf(c) < 0;
    }
}
