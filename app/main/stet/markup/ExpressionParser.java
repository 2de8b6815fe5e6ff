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

    /** An open parenthesis's outer expression, and its key in that, or null. */
    private record Outer(Expression expression, String key) {
    }

    private final Tag tag;
    private final Tokens tokens;
    private final Deque<Outer> open = new ArrayDeque<>();
    private Expression all;
    private Expression now;
    /** The key of the next argument, or null. */
    private String key;

    ExpressionParser(Tag tag, int from, int to) {
        this.tag = tag;
        this.tokens = new Tokens(tag.text(), from, to);
    }

    String read(Expression expression) {
        all = expression;
        now = expression;
        tokens.next();
        while (tokens.kind != TokenKind.END) {
            String fault = argument();
            if (fault != null) {
                return fault;
            }
        }
        return now.first == null && now.dynamic == null ? " has no name"
                : !open.isEmpty() ? " has a \"(\" without \")\""
                : key != null ? " has no value after \"=\""
                : tag.isPartial() && all.operands.size() > 1 ? " passes more than one value, which Handlebars rejects"
                : null;
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
        boolean isName = now == all && now.first == null && tag.isPartial();
        if (now.first == null && now.dynamic == null && !isName) {
            return " has a \"(\" where a name must stand";
        }
        if (!isName && isMisplaced()) {
            return misplaced();
        }
        Expression inner = new Expression();
        if (isName) {
            now.dynamic = inner;
            now.first = NONE;
        } else {
            take(new Operand(null, null, inner));
        }
        all.isSimple = false;
        open.push(new Outer(now, null));
        inner.isCall = true;
        now = inner;
        tokens.next();
        return null;
    }

    private String close() {
        if (open.isEmpty()) {
            return " has a \")\" without \"(\"";
        }
        if (now.first == null) {
            return " has no helper in \"()\"";
        }
        if (key != null) {
            return " has no value after \"=\"";
        }
        now = open.pop().expression;
        tokens.next();
        return null;
    }

    /** True if a plain argument follows one with a key. */
    private boolean isMisplaced() {
        return key == null && !now.pairs.isEmpty();
    }

    private String misplaced() {
        return " has \"" + Tag.shortened(tokens.written()) + "\" after key=value; put plain arguments first";
    }

    private void take(Operand operand) {
        if (key == null) {
            now.add(operand);
        } else {
            now.add(new Pair(key, operand));
            key = null;
        }
        now.isCall = true;
    }

    private String literal() {
        if (now.first != null && isMisplaced()) {
            return misplaced();
        }
        String written = tokens.written();
        boolean isString = tokens.kind == TokenKind.STRING;
        String string = isString ? written.substring(1, written.length() - 1).replace("\\" + written.charAt(0), written.substring(0, 1)) : "";
        JsonNode value = isString ? TextNode.valueOf(string) : tokens.kind == TokenKind.NUMBER ? DoubleNode.valueOf(Double.parseDouble(written))
                : switch (written) {
                    case "true" -> BooleanNode.TRUE;
                    case "false" -> BooleanNode.FALSE;
                    case "null" -> NullNode.getInstance();
                    default -> MissingNode.getInstance();
                };
        tokens.next();
        if (now.first == null) {
            Object original = isString ? string : value.isNumber() ? Double.valueOf(value.doubleValue() + 0.0) : value;
            String name = isString ? string : value.isNumber() ? JavaScript.text(value) : written;
            now.first = new Path(List.of(name), Expression.isScoped(name), 0, null, original);
        } else {
            all.isSimple = false;
            take(new Operand(null, value, null));
        }
        return null;
    }

    private String path() {
        boolean isData = tokens.kind == TokenKind.DATA;
        int start = tokens.start;
        if (isData && tokens.next() != TokenKind.ID) {
            return unexpected();
        }
        String id = tokens.written();
        int end = tokens.end;
        boolean isFirst = now.first == null;
        if (tokens.next() == TokenKind.EQUALS && !isData && !isFirst && key == null) {
            key = part(id);
            all.isSimple = false;
            tokens.next();
            return null;
        }
        if (!isFirst && isMisplaced()) {
            return " has \"" + Tag.shortened(tag.text().substring(start, end)) + "\" after key=value; put plain arguments first";
        }
        List<String> parts = new ArrayList<>(2);
        StringBuilder original = new StringBuilder(isData ? "@" : "");
        int up = 0;
        while (true) {
            String part = part(id);
            original.append(part);
            if (id.charAt(0) == '[' || !part.equals(".") && !part.equals("..") && !part.equals("this")) {
                parts.add(part);
            } else if (!parts.isEmpty()) {
                return " has \"" + part + "\" after a name; Handlebars accepts it only at the start of a path";
            } else if (part.equals("..")) {
                up++;
            }
            if (tokens.kind != TokenKind.SEPARATOR) {
                break;
            }
            original.append(tokens.written());
            if (tokens.next() != TokenKind.ID) {
                return tokens.kind == TokenKind.NUMBER || tokens.kind == TokenKind.WORD
                        ? " ends a path with \"" + tokens.written() + "\"; write [" + tokens.written() + "] in brackets" : unexpected();
            }
            id = tokens.written();
            tokens.next();
        }
        Path path = path(isData, parts, up, original.toString());
        if (isFirst) {
            now.first = path;
        } else {
            all.isSimple &= !isData;
            take(new Operand(path, null, null));
            all.arguments = all.arguments.isEmpty() ? new ArrayList<>(2) : all.arguments;
            all.arguments.add(path);
        }
        return null;
    }

    /** Creates a path. {@code @root.name} contains a variable's name, unlike {@code @index} and similar paths. */
    private static Path path(boolean isData, List<String> parts, int up, String original) {
        if (!isData) {
            return new Path(parts, Expression.isScoped(original), up, null, original);
        }
        String data = parts.isEmpty() ? "" : parts.get(0);
        return new Path(data.equals("root") ? parts.subList(1, parts.size()) : List.of(), true, up, data, original);
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
        if (!open.isEmpty() || now.first == null || key != null || !mayDeclare) {
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
                all.isFiltered = open.isEmpty() && key == null && now.first != null;
                return " has a \"|\"; Handlebars has no filters";
            case EQUALS:
                return tag.text().startsWith("==", tokens.start - (key == null ? 0 : 1)) ? calculation("==")
                        : now.first == null ? " has \"=\" where a name must stand" : " has \"=\" in the wrong place; write key=value";
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

    private String invalid() {
        String text = tag.text();
        int at = tokens.start;
        while (at < tokens.end && Tokens.isInId(text.charAt(at))) {
            at++;
        }
        int place = Math.min(at, tag.end() - 1);
        char c = text.charAt(place);
        boolean isHtml = c == '<' && !Tag.isBlank(text.charAt(place + 1)) || c == '&' && Expression.HTML.matcher(text).region(place, tag.end()).lookingAt()
                || c == ';' && Expression.HTML.matcher(text).region(tag.start(), tag.end()).find();
        Matcher calculation = CALCULATION.matcher(text).region(place, tag.end() - 1);
        return text.startsWith("{{", place) ? " contains \"{{\"; close a tag before the next one begins"
                : isHtml ? Expression.HAS_HTML
                : now.first != null && at == tokens.start && calculation.lookingAt() ? calculation(calculation.group())
                : c == '[' && at > tokens.start ? " has a \"[\" directly after a name; write it as in {{user.name}} or {{list.[0]}}"
                : " contains \"" + new String(Character.toChars(text.codePointAt(place))) + "\", which Handlebars rejects in a name; put such a name in brackets: {{[name]}}";
    }

    private static String calculation(String sign) {
        return " has \"" + sign + "\", but Handlebars does not compare or calculate; let the app supply the result as a value";
    }
}
