package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.markup.Expression.Operand;
import stet.markup.Expression.Pair;
import stet.markup.Expression.Path;
import stet.markup.Tokens.TokenKind;

/**
 * Parses one tag's content into an {@link Expression}. Each method that can fail returns the fault, as the end of a sentence that begins with
 * the tag, or null. Parentheses are kept on an explicit stack, because recursion could overflow the thread's.
 */
final class ExpressionParser {
    /** A backslash or bracket with a backslash before it, in a segment. */
    private static final Pattern ESCAPED = Pattern.compile("\\\\([\\\\\\]])");
    /** Signs with which other languages compare and calculate. */
    private static final Pattern CALCULATION = Pattern.compile("(?:[<>!]=|[<>]=?|!|&&|[+*%])=*");
    private static final Path NONE = new Path(List.of(), true, 0, null, MissingNode.getInstance());

    private final Tag tag;
    private final Tokens tokens;
    /** The expressions around the open parentheses, innermost first. */
    private final Deque<Expression> open = new ArrayDeque<>();
    /** The tag's whole content, and the expression in the innermost open parentheses. */
    private Expression all;
    private Expression current;
    /** The key of the next argument, or null. */
    private String key;

    ExpressionParser(Tag tag, int from, int to) {
        this.tag = tag;
        this.tokens = new Tokens(tag.text(), from, to);
    }

    /** Reads the whole content. @param expression receives the content */
    String read(Expression expression) {
        all = expression;
        current = expression;
        tokens.next();
        while (tokens.kind != TokenKind.END) {
            String fault = argument();
            if (fault != null) {
                return fault;
            }
        }
        return end();
    }

    /** Checks that the content may end here. */
    private String end() {
        if (current.first == null && current.dynamic == null) {
            return " has no name";
        }
        if (!open.isEmpty()) {
            return " has a \"(\" without \")\"";
        }
        if (key != null) {
            return " has no value after \"=\"";
        }
        return tag.isPartial() && all.operands.size() > 1 ? " passes more than one value, which Handlebars rejects" : null;
    }

    private String argument() {
        switch (tokens.kind) {
            case OPEN:
                return open();
            case CLOSE:
                return close();
            case OPEN_NAMES:
                return names();
            case ID, DATA:
                return path();
            case STRING, NUMBER, WORD:
                return literal();
            default:
                return unexpected();
        }
    }

    private String open() {
        boolean isName = current == all && current.first == null && tag.isPartial();
        if (current.first == null && current.dynamic == null && !isName) {
            return " has a \"(\" where a name must stand";
        }
        if (!isName && isMisplaced()) {
            return misplaced(tokens.written());
        }
        Expression inner = new Expression();
        if (isName) {
            current.dynamic = inner;
            current.first = NONE;
        } else {
            addOperand(Operand.of(inner));
        }
        all.isSimple = false;
        open.push(current);
        inner.isCall = true;
        current = inner;
        tokens.next();
        return null;
    }

    private String close() {
        if (open.isEmpty()) {
            return " has a \")\" without \"(\"";
        }
        if (current.first == null) {
            return " has no helper in \"()\"";
        }
        if (key != null) {
            return " has no value after \"=\"";
        }
        current = open.pop();
        tokens.next();
        return null;
    }

    /** True if a plain argument follows one with a key. */
    private boolean isMisplaced() {
        return key == null && !current.pairs.isEmpty();
    }

    private static String misplaced(String argument) {
        return " has \"" + Tag.shortened(argument) + "\" after key=value; put plain arguments first";
    }

    /** Adds an argument to the current expression, which is a call then. */
    private void addOperand(Operand operand) {
        if (key == null) {
            current.add(operand);
        } else {
            current.add(new Pair(key, operand));
            key = null;
        }
        current.isCall = true;
    }

    private String literal() {
        if (current.first != null && isMisplaced()) {
            return misplaced(tokens.written());
        }
        String written = tokens.written();
        JsonNode value = value(written);
        tokens.next();
        if (current.first == null) {
            current.first = name(value, written);
        } else {
            all.isSimple = false;
            addOperand(Operand.of(value));
        }
        return null;
    }

    /** The value of the current token, a literal; a missing node for {@code undefined}. */
    private JsonNode value(String written) {
        if (tokens.kind == TokenKind.STRING) {
            String quote = written.substring(0, 1);
            return TextNode.valueOf(written.substring(1, written.length() - 1).replace("\\" + quote, quote));
        }
        if (tokens.kind == TokenKind.NUMBER) {
            return DoubleNode.valueOf(Double.parseDouble(written));
        }
        return switch (written) {
            case "true" -> BooleanNode.TRUE;
            case "false" -> BooleanNode.FALSE;
            case "null" -> NullNode.getInstance();
            default -> MissingNode.getInstance();
        };
    }

    /** The name that a literal is as a first word, as in {@code {{"order no"}}}. */
    private static Path name(JsonNode value, String written) {
        if (value.isTextual()) {
            return Path.of(value.textValue());
        }
        return value.isNumber() ? Path.of(JavaScript.text(value), value.doubleValue() + 0.0) // equal for 0 and -0
                : Path.of(written, value);
    }

    /** Reads a path, or the key of the next argument. */
    private String path() {
        boolean isData = tokens.kind == TokenKind.DATA;
        int start = tokens.start;
        if (isData && tokens.next() != TokenKind.ID) {
            return unexpected();
        }
        String id = tokens.written();
        int end = tokens.end;
        boolean isFirst = current.first == null;
        if (tokens.next() == TokenKind.EQUALS && !isData && !isFirst && key == null) {
            key = part(id);
            all.isSimple = false;
            tokens.next();
            return null;
        }
        if (!isFirst && isMisplaced()) {
            return misplaced(tag.text().substring(start, end));
        }
        PathReader reader = new PathReader(isData);
        String fault = reader.read(id);
        if (fault != null) {
            return fault;
        }
        if (isFirst) {
            current.first = reader.path();
        } else {
            all.isSimple &= !isData;
            addArgument(reader.path());
        }
        return null;
    }

    private void addArgument(Path path) {
        addOperand(Operand.of(path));
        all.arguments = all.arguments.isEmpty() ? new ArrayList<>(2) : all.arguments;
        all.arguments.add(path);
    }

    /** Reads the ids of a path. */
    private final class PathReader {
        private final boolean isData;
        private final List<String> parts = new ArrayList<>(2);
        private final StringBuilder original;
        private int up;

        /** @param isData true after {@code @} */
        PathReader(boolean isData) {
            this.isData = isData;
            this.original = new StringBuilder(isData ? "@" : "");
        }

        /** Reads the rest of a path. @param first its first id, after which the current token is */
        String read(String first) {
            String fault = add(first);
            while (fault == null && tokens.kind == TokenKind.SEPARATOR) {
                original.append(tokens.written());
                if (tokens.next() != TokenKind.ID) {
                    boolean isLiteral = tokens.kind == TokenKind.NUMBER || tokens.kind == TokenKind.WORD;
                    return isLiteral ? " ends a path with \"" + tokens.written() + "\"; write [" + tokens.written() + "] in brackets" : unexpected();
                }
                String id = tokens.written();
                tokens.next();
                fault = add(id);
            }
            return fault;
        }

        private String add(String id) {
            String part = part(id);
            original.append(part);
            if (id.charAt(0) == '[' || !part.equals(".") && !part.equals("..") && !part.equals("this")) {
                parts.add(part);
                return null;
            }
            if (!parts.isEmpty()) {
                return " has \"" + part + "\" after a name; Handlebars accepts it only at the start of a path";
            }
            up += part.equals("..") ? 1 : 0;
            return null;
        }

        /** The path. {@code @root.name} contains a variable's name, unlike {@code @index} and similar paths. */
        Path path() {
            if (!isData) {
                return new Path(parts, Expression.isScoped(original.toString()), up, null, original.toString());
            }
            String data = parts.isEmpty() ? "" : parts.get(0);
            return new Path(data.equals("root") ? parts.subList(1, parts.size()) : List.of(), true, up, data, original.toString());
        }
    }

    /** An id without the brackets of a segment, which stay if the segment contains a line break. */
    private static String part(String id) {
        if (id.charAt(0) != '[') {
            return id;
        }
        String segment = ESCAPED.matcher(id).replaceAll("$1");
        boolean isOneLine = segment.chars().noneMatch(c -> "\n\r\u2028\u2029".indexOf(c) >= 0);
        return isOneLine ? segment.substring(1, segment.length() - 1) : segment;
    }

    /** Reads the names that a section declares, which end the content. */
    private String names() {
        boolean mayDeclare = tag.kind() == Tag.TagKind.OPEN && !tag.isRaw() || tag.kind() == Tag.TagKind.ELSE || tag.declaresPartial();
        if (!open.isEmpty() || current.first == null || key != null || !mayDeclare) {
            return " has \"as |\", which only the opening tag of a section can have";
        }
        List<String> names = new ArrayList<>(2);
        while (tokens.next() == TokenKind.ID) {
            names.add(tokens.written());
        }
        if (tokens.kind != TokenKind.CLOSE_NAMES || names.isEmpty()) {
            return " has invalid names after \"as\"; write as |name| or as |name index|";
        }
        String last = names.get(names.size() - 1);
        if (names.get(0).startsWith("[") && last.endsWith("]") && names.stream().noneMatch(name -> name.contains("\n") || name.contains("\r"))) {
            return " has brackets in the names after \"as\", which Handlebars rejects";
        }
        all.blockParameters = names;
        return tokens.next() == TokenKind.END ? null : " has words after the names that it declares";
    }

    private String unexpected() {
        switch (tokens.kind) {
            case UNCLOSED:
                return tokens.written().equals("[") ? " has a \"[\" without \"]\"" : " has a quotation mark that is not closed";
            case CLOSE_NAMES:
                if (tag.text().startsWith("||", tokens.start)) {
                    return calculation("||");
                }
                all.isFiltered = open.isEmpty() && key == null && current.first != null;
                return " has a \"|\"; Handlebars has no filters";
            case EQUALS:
                return equalsSign();
            case SEPARATOR:
                return " has a \"" + tokens.written() + "\" where a name must stand";
            case END:
                return " ends where a name must follow";
            case INVALID:
                return invalid();
            default:
                return " is not a valid tag; Handlebars rejects it";
        }
    }

    private String equalsSign() {
        int first = tokens.start - (key == null ? 0 : 1); // after a key, its own sign is before this one
        if (tag.text().startsWith("==", first)) {
            return calculation("==");
        }
        return current.first == null ? " has \"=\" where a name must stand" : " has \"=\" in the wrong place; write key=value";
    }

    private String invalid() {
        String text = tag.text();
        int at = tokens.start;
        while (at < tokens.end && Tokens.isInId(text.charAt(at))) {
            at++;
        }
        int place = Math.min(at, tag.end() - 1);
        if (text.startsWith("{{", place)) {
            return " contains \"{{\"; close a tag before the next one begins";
        }
        if (isHtml(place)) {
            return Expression.HAS_HTML;
        }
        Matcher calculation = CALCULATION.matcher(text).region(place, tag.end() - 1);
        if (current.first != null && at == tokens.start && calculation.lookingAt()) {
            return calculation(calculation.group());
        }
        if (text.charAt(place) == '[' && at > tokens.start) {
            return " has a \"[\" directly after a name; write it as in {{user.name}} or {{list.[0]}}";
        }
        return " contains \"" + Character.toString(text.codePointAt(place))
                + "\", which Handlebars rejects in a name; put such a name in brackets: {{[name]}}";
    }

    /** True if the char at a position begins markup, or begins or ends a character reference. */
    private boolean isHtml(int place) {
        Matcher reference = Expression.HTML.matcher(tag.text());
        return switch (tag.text().charAt(place)) {
            case '<' -> !Tag.isBlank(tag.text().charAt(place + 1));
            case '&' -> reference.region(place, tag.end()).lookingAt();
            case ';' -> reference.region(tag.start(), tag.end()).find();
            default -> false;
        };
    }

    private static String calculation(String sign) {
        return " has \"" + sign + "\", but Handlebars does not compare or calculate; let the app supply the result as a value";
    }
}
