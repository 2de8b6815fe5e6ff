package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A tag's content, parsed as in Handlebars 4.7: a name, or a helper with arguments.
 *
 * <pre>
 * tag   = first argument* [as | name* |]    argument = [key =] (path | literal | ( first argument* ))
 * path  = [@] part ((. or /) part)*         part     = id | [anything] | this | . | ..
 * </pre>
 */
final class Expression {
    private static final Pattern LITERAL = Pattern.compile("true|false|null|undefined|-?[0-9]+(?:\\.[0-9]+)?");
    private static final String LITERAL_STARTS = "tfun-0123456789";
    /** Parts that select a context if they begin a path. */
    private static final Set<String> CONTEXTS = Set.of(".", "..", "this");
    /** Reserved words, which cannot be names. */
    private static final Set<String> RESERVED = Set.of("this", "true", "false", "null", "undefined");
    /** Characters not allowed in Handlebars ids. */
    private static final String NOT_IN_IDS = "!\"#%&'()*+,./;<=>@[\\]^`{|}~";

    /** The first word: the helper if {@link #isCall}, otherwise a name. */
    Path first;
    /** True if the first word has arguments. */
    boolean isCall;
    /** Paths in the arguments, including those in parentheses or after {@code key=}. */
    List<Path> arguments = List.of();
    /** Positional arguments of the outermost helper. */
    List<Operand> operands = List.of();
    /** True if {@code includeZero=true} is given, which makes 0 truthy for {@code if}. */
    boolean includesZero;
    /** Names that a section declares after {@code as}. */
    List<String> blockParameters = List.of();

    private final String text;
    private int at;
    /** True if all arguments are plain paths, without literals, keys, parentheses or data such as {@code @index}. */
    private boolean isSimple = true;
    /** Number of open parentheses, counted because recursion could overflow the stack. */
    private int depth;
    /** True if the next word is the first in the tag or in parentheses. */
    private boolean isFirst = true;
    /** True if the next word is the value in {@code key=value}. */
    private boolean isValue;
    private String key = "";

    /**
     * A path.
     *
     * @param parts  user and name for {@code user/name}, {@code user.[name]}, {@code ../user.name} and {@code @root.user.name};
     *               empty for {@code this}, {@code ..} and {@code @index}
     * @param scoped true if the path begins with {@code this}, {@code .}, {@code ..} or {@code @}, or is a quoted name, so it
     *               never refers to a block parameter
     * @param up     number of {@code ..} parts
     * @param data   root for {@code @root.user.name}, index for {@code @index}; null for a path without {@code @}
     */
    record Path(List<String> parts, boolean scoped, int up, String data) {
        Path(List<String> parts, boolean scoped) {
            this(parts, scoped, 0, null);
        }

        /** The name that the caller must supply; may be empty. */
        String name() {
            return parts.size() == 1 ? parts.get(0) : String.join(".", parts);
        }

        /** True if the path could be a helper's name. */
        boolean isWord() {
            return !scoped && parts.size() == 1;
        }
    }

    /** An argument: a path or a literal; both are null for a parenthesized expression. */
    record Operand(Path path, JsonNode literal) {
    }

    private Expression(String words) {
        this.text = words;
    }

    /** Parses a tag's content; returns null if Handlebars would reject the tag. Ignores filters such as {@code | upper}. */
    static Expression of(Tag.Kind kind, String words) {
        Expression expression = new Expression(words);
        if (isName(words)) {
            expression.first = new Path(List.of(words), false);
            return expression;
        }
        return expression.read(kind == Tag.Kind.PARTIAL_BLOCK) ? expression : null;
    }

    /** True for a single name; a fast path for most tags. */
    static boolean isName(String words) {
        for (int i = 0; i < words.length(); i++) {
            if (!isInId(words.charAt(i))) {
                return false;
            }
        }
        return !words.isEmpty() && "-0123456789".indexOf(words.charAt(0)) < 0 && !RESERVED.contains(words);
    }

    /** True for a helper whose arguments are all paths; the author may have meant a name containing spaces. */
    boolean isWords() {
        return isCall && isSimple && first.isWord();
    }

    private boolean read(boolean mayCallFirst) {
        while (true) {
            at = skip(at);
            char c = at < text.length() ? text.charAt(at) : '|';
            if (c == '|') { // end of the content, or a filter from another template language
                return depth == 0 && !isFirst && !isValue;
            }
            if (c == '(') {
                if (isFirst && !(mayCallFirst && first == null && depth == 0)) {
                    return false;
                }
                if (depth == 0 && !isFirst && !isValue) {
                    add(new Operand(null, null));
                }
                nest();
                depth++;
                isFirst = true;
                isValue = false;
            } else if (c == ')') {
                if (depth == 0 || isFirst || isValue) {
                    return false;
                }
                depth--;
                at++;
            } else if (!readWord(c == '"' || c == '\'')) {
                return false;
            }
        }
    }

    /** Enters parentheses or the value in {@code key=value}. */
    private void nest() {
        at++;
        isCall = true;
        isSimple = false;
    }

    /** Reads a path, a literal, a key with its {@code =}, or {@code as} with the declared names. @return false on a syntax error */
    private boolean readWord(boolean isString) {
        int start = at;
        Path path = isString ? readString() : readPath();
        if (path == null || at < text.length() && !Tag.isBlank(text.charAt(at)) && "=)|".indexOf(text.charAt(at)) < 0) {
            return false;
        }
        int end = at;
        at = skip(at);
        char next = at < text.length() ? text.charAt(at) : 0;
        boolean isLiteral = isString
                || LITERAL_STARTS.indexOf(text.charAt(start)) >= 0 && LITERAL.matcher(text).region(start, end).matches();
        if (isFirst) {
            isFirst = false;
            if (depth == 0) {
                first = isLiteral && !isString ? new Path(List.of(text.substring(start, end)), true) : path;
            }
        } else if (next == '=') {
            if (isValue || isString) {
                return false;
            }
            key = text.substring(start, end);
            nest();
            isValue = true;
        } else if (next == '|' && at > end && depth == 0 && !isValue && text.substring(start, end).equals("as")) {
            return readBlockParameters();
        } else {
            isCall = true;
            isSimple &= !isLiteral && text.charAt(start) != '@';
            if (!isLiteral) {
                arguments = arguments.isEmpty() ? new ArrayList<>(2) : arguments;
                arguments.add(path);
            }
            if (depth == 0 && isValue) {
                includesZero |= key.equals("includeZero") && text.substring(start, end).equals("true");
            } else if (depth == 0) {
                add(isLiteral ? new Operand(null, literal(isString, path, text.substring(start, end))) : new Operand(path, null));
            }
            isValue = false;
        }
        return true;
    }

    private void add(Operand operand) {
        operands = operands.isEmpty() ? new ArrayList<>(2) : operands;
        operands.add(operand);
    }

    private static JsonNode literal(boolean isString, Path path, String word) {
        return isString ? TextNode.valueOf(path.name()) : switch (word) {
            case "true" -> BooleanNode.TRUE;
            case "false" -> BooleanNode.FALSE;
            case "null", "undefined" -> NullNode.getInstance();
            default -> DoubleNode.valueOf(Double.parseDouble(word));
        };
    }

    /** Index of the next char that is not whitespace. */
    private int skip(int from) {
        return Tag.skip(text, from, text.length());
    }

    private boolean readBlockParameters() {
        int end = text.indexOf('|', at + 1);
        if (end < 0 || skip(end + 1) < text.length()) {
            return false;
        }
        blockParameters = List.of(text.substring(at + 1, end).strip().split("\\s+"));
        at = text.length();
        return true;
    }

    /** Reads a string; returns null if it is not closed. */
    private Path readString() {
        String quote = text.substring(at, at + 1);
        int start = at + 1;
        int end = text.indexOf(quote, start);
        while (end >= 0 && text.charAt(end - 1) == '\\') {
            end = text.indexOf(quote, end + 1);
        }
        at = end + 1;
        return end < 0 ? null : new Path(List.of(text.substring(start, end).replace("\\" + quote, quote)), true);
    }

    private Path readPath() {
        boolean isData = text.charAt(at) == '@';
        boolean scoped = isData;
        int up = 0;
        List<String> parts = new ArrayList<>(2);
        for (at += isData ? 1 : 0; at < text.length(); at++) {
            boolean isSegment = text.charAt(at) == '[';
            String part = readPart();
            boolean isContext = !isSegment && part != null && CONTEXTS.contains(part);
            if (part == null || isContext && !parts.isEmpty()) {
                return null;
            }
            if (isContext) {
                scoped = true;
                up += part.equals("..") ? 1 : 0;
            } else {
                parts.add(part);
            }
            if (at >= text.length() || text.charAt(at) != '.' && text.charAt(at) != '/') {
                return isData ? dataPath(parts, up) : new Path(parts, scoped, up, null);
            }
        }
        return null; // the path ends with a separator
    }

    /**
     * Creates a path that begins with {@code @}; {@code @root.name} contains a variable's name, unlike {@code @index} and similar paths.
     */
    private static Path dataPath(List<String> parts, int up) {
        String data = parts.isEmpty() ? "" : parts.get(0);
        return new Path(data.equals("root") ? parts.subList(1, parts.size()) : List.of(), true, up, data);
    }

    /** Reads an id, the text of a {@code [segment]}, {@code .} or {@code ..}; otherwise returns null. */
    private String readPart() {
        int start = at;
        if (text.charAt(at) == '[') {
            int end = text.indexOf(']', at);
            at = end + 1;
            String segment = end < 0 ? null : text.substring(start + 1, end);
            return segment == null || segment.chars().anyMatch(each -> each < ' ') ? null : segment;
        }
        if (text.charAt(at) == '.') {
            at += text.startsWith("..", at) ? 2 : 1;
            boolean ends = at >= text.length() || Tag.isBlank(text.charAt(at)) || "/=)|".indexOf(text.charAt(at)) >= 0;
            return !ends ? null : at - start == 1 ? "." : "..";
        }
        while (at < text.length() && isInId(text.charAt(at))) {
            at++;
        }
        return at == start ? null : text.substring(start, at);
    }

    private static boolean isInId(char c) {
        return c >= 'a' && c <= 'z' || !Tag.isBlank(c) && NOT_IN_IDS.indexOf(c) < 0;
    }
}
