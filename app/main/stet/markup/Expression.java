package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A tag's content, parsed as in Handlebars 4.7: a name, or a helper with arguments.
 *
 * <pre>
 * content  = first argument* pair* [as | name+ |]     pair  = id = argument
 * argument = path | literal | ( first argument* pair* )
 * first    = path | literal                            path  = [@] id ((. or /) id)*
 * </pre>
 *
 * A partial's name may also be in parentheses. {@link ExpressionParser} reads all but single names.
 */
final class Expression {
    /** Reserved words, which cannot be names. */
    private static final Set<String> RESERVED = Set.of("this", "true", "false", "null", "undefined");
    /** A path that Handlebars never resolves to a block parameter: it starts with a dot or contains the word this. */
    private static final Pattern SCOPED = Pattern.compile("\\..*|.*this(?![A-Za-z0-9_]).*", Pattern.DOTALL);
    /** A character reference, which may begin with the sign of a tag: {@code {{&nbsp;name}}}. */
    static final Pattern HTML = Pattern.compile("&#?[A-Za-z0-9]{1,31};");
    static final String HAS_HTML = " contains HTML, which Handlebars rejects; move the HTML out of the tag";

    /** The first word: the helper if {@link #isCall}, otherwise a name. A partial name in parentheses is an empty path. */
    Path first;
    /** True if the first word has arguments. */
    boolean isCall;
    /** Paths in the arguments, including those in parentheses or after {@code key=}. */
    List<Path> arguments = List.of();
    /** Positional arguments. */
    List<Operand> operands = List.of();
    /** Arguments with keys. */
    List<Pair> pairs = List.of();
    /** Names that a section declares after {@code as}. */
    List<String> blockParameters = List.of();
    /** For a partial, the name in parentheses; otherwise null. */
    Expression dynamic;
    /** The error that Handlebars reports, as the end of a sentence that begins with the tag; null if there is none. */
    String fault;
    /** True if the fault is a filter from another template language after a valid content. */
    boolean isFiltered;

    /** True if all arguments are plain paths, without literals, keys, parentheses or data such as {@code @index}. */
    boolean isSimple = true;

    /**
     * A path.
     *
     * @param parts    user and name for {@code user/name}, {@code user.[name]}, {@code ../user.name} and {@code @root.user.name};
     *                 empty for {@code this}, {@code ..} and {@code @index}
     * @param scoped   true if the path begins with {@code this}, {@code .}, {@code ..} or {@code @}, so it never refers to a block
     *                 parameter
     * @param up       number of {@code ..} parts
     * @param data     root for {@code @root.user.name}, index for {@code @index}; null for a path without {@code @}
     * @param original the name that a closing tag must repeat: a string, a number or a JSON literal; a missing node for
     *                 {@code undefined}
     */
    record Path(List<String> parts, boolean scoped, int up, String data, Object original) {
        /** A single name. */
        static Path of(String name) {
            return of(name, name);
        }

        /** A single name. @param original see {@link Path} */
        static Path of(String name, Object original) {
            return new Path(List.of(name), isScoped(name), 0, null, original);
        }

        /** The name that the caller must supply; may be empty. */
        String name() {
            return parts.size() == 1 ? parts.get(0) : String.join(".", parts);
        }

        /** The name of a partial. */
        String shown() {
            return original instanceof String written ? written : name();
        }

        /** True if the path could be a helper's name. */
        boolean isWord() {
            return !scoped && parts.size() == 1;
        }
    }

    /** An argument: a path, a literal or an expression in parentheses; the others are null. */
    record Operand(Path path, JsonNode literal, Expression call) {
        static Operand of(Path path) {
            return new Operand(path, null, null);
        }

        static Operand of(JsonNode literal) {
            return new Operand(null, literal, null);
        }

        static Operand of(Expression call) {
            return new Operand(null, null, call);
        }
    }

    /** An argument with a key: {@code key=operand}. */
    record Pair(String key, Operand operand) {
    }

    /** Parses a tag's content; returns null if Handlebars would reject the tag, except for filters such as {@code | upper}, which it skips. */
    static Expression of(Tag tag) {
        Expression expression = read(tag);
        return expression.fault == null || expression.isFiltered ? expression : null;
    }

    /** Parses a tag's content, which may have a {@link #fault}. */
    static Expression read(Tag tag) {
        Expression expression = new Expression();
        int from = tag.from();
        int to = tag.to(from);
        if (isName(tag.text(), from, to)) {
            String name = tag.text().substring(from, to);
            expression.first = Path.of(name);
            return expression;
        }
        if (tag.kind() != Tag.TagKind.OPEN || !expression.readCallOfName(tag.text(), from, to)) {
            expression.fault = new ExpressionParser(tag, from, to).read(expression);
        }
        return expression;
    }

    /** Parses a helper with a single name, such as {@code #if vip}; a fast path for most sections. @return false for anything else */
    private boolean readCallOfName(String text, int from, int to) {
        int end = from;
        while (end < to && Tokens.isInId(text.charAt(end))) {
            end++;
        }
        int second = Tag.skip(text, end, to);
        if (second == end || !isName(text, from, end) || !isName(text, second, to)) {
            return false;
        }
        String helper = text.substring(from, end);
        Path argument = Path.of(text.substring(second, to));
        first = Path.of(helper);
        isCall = true;
        arguments = List.of(argument);
        operands = List.of(Operand.of(argument));
        return true;
    }

    /** True for a single name; a fast path for most tags. */
    static boolean isName(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (!Tokens.isInId(text.charAt(i))) {
                return false;
            }
        }
        return from < to && "-0123456789".indexOf(text.charAt(from)) < 0
                && (to - from > "undefined".length() || !RESERVED.contains(text.substring(from, to)));
    }

    /** True for a path that never refers to a block parameter; see {@link Path}. */
    static boolean isScoped(String original) {
        return original.startsWith(".") || original.contains("this") && SCOPED.matcher(original).matches();
    }

    /** True if the tag has a character reference where a sign or a name would begin: {@code {{ &nbsp;name}}}. */
    static boolean beginsWithHtml(Tag tag) {
        return HTML.matcher(tag.text()).region(Tag.skip(tag.text(), Tag.braces(tag.text(), tag.start()), tag.end()), tag.end()).lookingAt();
    }

    /** True for a helper whose arguments are all paths; the author may have meant a name containing spaces. */
    boolean isWords() {
        return isCall && isSimple && first.isWord();
    }

    /** True if {@code includeZero=true} is given, which makes 0 truthy for {@code if}. */
    boolean includesZero() {
        return pairs.stream().anyMatch(pair -> pair.key.equals("includeZero") && pair.operand.literal == BooleanNode.TRUE);
    }

    /** The helpers that the content calls, including those in parentheses. */
    List<String> helpers() {
        List<String> helpers = new ArrayList<>(1);
        Deque<Expression> open = new ArrayDeque<>(List.of(this));
        while (!open.isEmpty()) {
            Expression each = open.pop();
            if (each.isCall && each.first.isWord()) {
                helpers.add(each.first.name());
            }
            each.operands.stream().filter(operand -> operand.call != null).forEach(operand -> open.push(operand.call));
            each.pairs.stream().filter(pair -> pair.operand.call != null).forEach(pair -> open.push(pair.operand.call));
        }
        return helpers;
    }

    void add(Operand operand) {
        operands = operands.isEmpty() ? new ArrayList<>(2) : operands;
        operands.add(operand);
    }

    void add(Pair pair) {
        pairs = pairs.isEmpty() ? new ArrayList<>(2) : pairs;
        pairs.add(pair);
    }
}
