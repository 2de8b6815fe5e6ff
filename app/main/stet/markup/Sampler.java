package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Map;
import stet.base.Utf8;
import stet.markup.Expression.Pair;
import stet.markup.Scope.Content;
import stet.markup.Scope.Inlines;

/**
 * Fills a text with test data for the preview, like Handlebars 4.7. Where Handlebars would output nothing, the preview follows Mustache: a
 * name missing from a section's value is looked up in the enclosing scopes. Gaps in the test data stay visible: a tag with an unknown name
 * is left as written, and a section for an unknown name is rendered once, unless the test data has a value for another condition in its
 * chain. Inside a section whose value is in the test data, unknown names are empty.
 *
 * <p>The API returns tags unfilled (api.md, Variables). The known differences from Handlebars are listed in preview.md.
 */
public final class Sampler {
    /** Maximum sizes of the rendered HTML and subject. Nested sections can multiply the output. */
    private static final int MAX_HTML_CHARS = 4 << 20;
    private static final int MAX_SUBJECT_CHARS = 10_000;
    /** Maximum nesting depth; deeper sections are omitted. */
    private static final int MAX_DEPTH = 100;
    /**
     * Maximum number of steps. Each char of a tag or value and each lookup, for example, counts as a step. Nested sections can multiply
     * the steps without producing output.
     */
    private static final long MAX_STEPS = 8 << 20;
    /** Maximum number of parsed expressions to keep. */
    private static final int MAX_PARSED = 10_000;

    private final Outline outline;
    private final String text;
    private final boolean isHtml;
    private final JsonNode data;
    private final Values values;
    /** Parsed expressions of the first tags, reused when a loop repeats a section. */
    private final Expression[] expressions;
    /** Inline partials: numbers of their tags by name, by the number of the tag that begins the section of the definition. */
    private final Map<Integer, Map<String, Integer>> inlines;
    private final SourceMarks marks;
    private final int maxChars;
    private final StringBuilder filled = new StringBuilder();
    /** True if a limit truncated the output. */
    private boolean isCut;
    private int markChars;
    private int depth;
    /** Steps taken, apart from those of {@link #values}. */
    private long work;

    /**
     * A text filled with test data.
     *
     * @param cut   true if the output was truncated
     * @param work  number of steps taken
     * @param bytes size in bytes without source marks
     */
    public record Filled(String text, boolean cut, long work, long bytes) {
    }

    private Sampler(String text, boolean isHtml, SourceMarks marks, JsonNode data) {
        this.outline = new Outline(text);
        this.text = text;
        this.isHtml = isHtml;
        this.marks = marks;
        this.maxChars = isHtml ? MAX_HTML_CHARS : MAX_SUBJECT_CHARS;
        this.data = data;
        this.values = new Values(data);
        this.expressions = new Expression[Math.min(outline.count, MAX_PARSED)];
        this.inlines = outline.inlines();
    }

    public static Filled html(String html, ObjectNode data) {
        return html(html, data, SourceMarks.NONE);
    }

    /** @param marks source marks to insert into the HTML */
    public static Filled html(String html, ObjectNode data, SourceMarks marks) {
        return new Sampler(html, true, marks, data).fill();
    }

    public static Filled subject(String subject, ObjectNode data) {
        return new Sampler(subject, false, SourceMarks.NONE, data).fill();
    }

    private Filled fill() {
        render(-1, outline.count, Scope.of(data), null);
        String all = filled.toString();
        return new Filled(all, isCut, work + values.work(), Utf8.length(all, 0, all.length()) - markChars);
    }

    /** Copies a range of the text with its source marks. */
    private void copy(int from, int to) {
        int copied = from;
        for (Map.Entry<Integer, String> mark : marks.in(from, to)) {
            append(text, copied, mark.getKey());
            int unmarked = filled.length();
            append(mark.getValue());
            markChars += filled.length() - unmarked;
            copied = mark.getKey();
        }
        append(text, copied, to);
    }

    private void append(String value) {
        append(value, 0, value.length());
    }

    private void append(String source, int from, int to) {
        int room = maxChars - filled.length();
        isCut |= to - from > room;
        filled.append(source, from, Math.min(to, from + room));
    }

    /** Renders everything between two tags. @param around the scope around the section */
    private void render(int open, int close, Scope inner, Scope around) {
        Scope scope = inlines.containsKey(open) ? inner.defining(inlines.get(open), around) : inner;
        int before = open;
        for (int i = open + 1; i < close && checkLimits(); i++) {
            work += outline.length(i);
            appendText(before, i);
            if (outline.next(i) > 0) {
                i = renderSection(i, scope);
            } else {
                switch (outline.kind(i)) {
                    case VALUE -> renderValue(i, scope);
                    case ESCAPED -> append("{{");
                    case BLOCK -> {
                        if (!showInline(i, scope, null)) {
                            copy(outline.tag(i).start(), outline.tag(i).end());
                        }
                    }
                    case UNCLOSED -> copy(outline.tag(i).start(), outline.tag(i).end());
                    default -> { }
                }
            }
            before = i;
        }
        if (checkLimits()) {
            appendText(before, close);
        }
    }

    /** Copies the visible text between two consecutive tags. */
    private void appendText(int before, int behind) {
        int from = outline.begin(before);
        int to = Math.max(from, outline.end(behind));
        work += outline.gap(before, behind) - (to - from);
        copy(from, to);
    }

    /** Records that the output is truncated if a limit is reached. @return false in that case */
    private boolean checkLimits() {
        boolean isWithin = filled.length() < maxChars && work + values.work() < MAX_STEPS;
        isCut |= !isWithin;
        return isWithin;
    }

    /** A tag's parsed content, or null; see {@link Expression#of}. */
    private Expression expression(int i) {
        Expression expression = i < expressions.length ? expressions[i] : null;
        if (expression == null) {
            expression = Expression.of(outline.tag(i));
            if (i < expressions.length) {
                expressions[i] = expression;
            }
        }
        return expression;
    }

    /** Fills in a tag's value; copies the tag if the test data may be incomplete. */
    private void renderValue(int i, Scope scope) {
        Tag tag = outline.tag(i);
        Expression expression = expression(i);
        JsonNode value = expression == null ? null : expression.isCall ? values.called(expression, scope) : values.lookUp(expression.first, scope);
        boolean isAbsent = value == null || value.isMissingNode() || value == data;
        if (isAbsent && (value == null || !isKnown(expression, scope))) {
            copy(tag.start(), tag.end());
            return;
        }
        String plain = JavaScript.text(value);
        work += plain.length() + 1;
        marks.in(tag.start(), tag.start() + 1).forEach(mark -> append(mark.getValue()));
        append(isHtml && !tag.isUnescaped() ? Entities.escape(plain) : plain);
    }

    /** True if a missing value renders as nothing, false if the test data may be incomplete. */
    private static boolean isKnown(Expression expression, Scope scope) {
        Scope from = expression.isCall ? scope : scope.up(expression.first.up());
        return from == null || from.isKnown() || expression.first.data() != null && !expression.first.data().equals("root");
    }

    // ---- inline partials

    /**
     * Shows an inline partial, or the content passed to the partial that is being shown.
     *
     * @param content the content that the tag passes, or null
     * @return false if no partial of this name is visible
     */
    private boolean showInline(int i, Scope scope, Content content) {
        Expression expression = scope.inlines() == null ? null : expression(i);
        String name = expression == null || expression.dynamic != null ? "" : expression.first.shown();
        Inlines found = scope.inlines(name);
        Content passed = name.equals("@partial-block") ? scope.content() : null;
        if (found == null && passed == null) {
            return false;
        }
        int start = filled.length();
        if (passed != null) {
            Scope around = passed.around();
            showPartial(passed.open(), passed.close(), partialScope(expression, scope, around, around.content()), around);
        } else {
            int open = found.defined().get(name);
            showPartial(open, outline.next(open), partialScope(expression, scope, found.around(), content), found.around());
        }
        indent(start, outline.kind(i) == Tag.TagKind.BLOCK ? outline.indent(i) : "");
        return true;
    }

    private void showPartial(int open, int close, Scope scope, Scope around) {
        if (depth == MAX_DEPTH) {
            isCut = true;
            return;
        }
        depth++;
        work++;
        render(open, close, scope, around);
        depth--;
    }

    /**
     * The scope of a partial: the value that the tag passes, otherwise the value of the tag's scope, with the arguments added.
     *
     * @param around  the scope around the partial's definition, or null
     * @param content the content that the tag passes, or null
     */
    private Scope partialScope(Expression expression, Scope scope, Scope around, Content content) {
        boolean isPassed = expression != null && !expression.operands.isEmpty();
        JsonNode passed = isPassed ? values.of(expression.operands.get(0), scope) : scope.value();
        JsonNode context = passed == null ? scope.value() : passed;
        if (expression != null && !expression.pairs.isEmpty()) {
            ObjectNode all = JsonNodeFactory.instance.objectNode();
            if (context.isObject()) {
                all.setAll((ObjectNode) context);
            }
            work += all.size();
            for (Pair pair : expression.pairs) {
                JsonNode value = values.of(pair.operand(), scope);
                all.set(pair.key(), value == null || value.isMissingNode() ? NullNode.getInstance() : value);
            }
            context = all;
        }
        return scope.showing(around, context, isPassed ? passed != null : scope.isKnown(), content);
    }

    /** Indents the lines rendered since {@code start}. */
    private void indent(int start, String indent) {
        if (!indent.isEmpty()) {
            String shown = filled.substring(start);
            filled.setLength(start);
            work += shown.length();
            for (int from = 0; from < shown.length(); ) {
                int end = shown.indexOf('\n', from);
                int next = end < 0 ? shown.length() : end + 1;
                append(indent);
                append(shown, from, next);
                from = next;
            }
        }
    }

    /** Shows <code>{{#&gt; partial}}</code>: the inline partial or, without one, the tag's content. */
    private void renderPartialBlock(int open, int close, Scope scope) {
        if (!outline.tag(open).declaresPartial() && !showInline(open, scope, new Content(open, close, scope))) {
            showPartial(open, close, partialScope(expression(open), scope, scope, scope.content()), scope);
        }
    }

    // ---- sections

    /** Renders the active branch of a section. @return the section's closing tag */
    private int renderSection(int open, Scope scope) {
        int first = outline.next(open);
        if (outline.kind(open) == Tag.TagKind.PARTIAL_BLOCK && outline.kind(first) == Tag.TagKind.CLOSE) {
            work += outline.length(open);
            renderPartialBlock(open, first, scope);
            return first;
        }
        boolean isDecided = isDecided(open, scope);
        Section alternative = Section.ONCE; // shown by {{else}}; of an inverted section, the section itself
        boolean isDone = false;
        int branch = open;
        while (outline.kind(branch) != Tag.TagKind.CLOSE) {
            int next = outline.next(branch);
            work += outline.length(branch);
            if (!isDone) {
                Tag tag = outline.tag(branch);
                boolean isElse = branch != open && tag.words().isEmpty();
                boolean isInverted = branch == open && tag.isInverted();
                Section section = isElse ? alternative : condition(branch, tag, scope, !isDecided);
                isDone = section.isShown() != isInverted;
                if (isDone) {
                    show(branch, next, isInverted ? Section.ONCE : section, scope);
                }
                alternative = isInverted ? section : Section.ONCE;
            }
            branch = next;
        }
        return branch;
    }

    /** True if the test data defines the condition of any branch of a chain: <code>{{#if a}} ... {{else if b}}</code>. */
    private boolean isDecided(int open, Scope scope) {
        int next = outline.next(open);
        if (outline.kind(next) == Tag.TagKind.CLOSE || outline.tag(next).words().isEmpty()) {
            return false; // this is a single condition, not a chain
        }
        for (int branch = open; outline.kind(branch) != Tag.TagKind.CLOSE; branch = outline.next(branch)) {
            work += outline.length(branch);
            Tag tag = outline.tag(branch);
            Expression expression = tag.kind() == Tag.TagKind.PARTIAL_BLOCK || tag.words().isEmpty() ? null : expression(branch);
            if (expression != null && values.subject(expression, scope) != null) {
                return true;
            }
        }
        return false;
    }

    /** Evaluates a section's condition. @param isUnknownShown whether a condition without test data holds */
    private Section condition(int i, Tag tag, Scope scope, boolean isUnknownShown) {
        if (tag.kind() == Tag.TagKind.PARTIAL_BLOCK) {
            return Section.when(!tag.declaresPartial());
        }
        Expression expression = expression(i);
        if (expression == null) {
            return Section.ONCE;
        }
        List<String> names = expression.blockParameters;
        JsonNode value = values.subject(expression, scope);
        if (!expression.isCall) {
            return value == null ? Section.unknown(isUnknownShown, true) : value.isArray() ? Section.each(value, names)
                    : value.isBoolean() ? Section.when(value.booleanValue())
                    : Section.about(value, !value.isNull() && !value.isMissingNode(), names);
        }
        return switch (Values.helper(expression)) {
            case "each" -> value == null ? Section.unknown(isUnknownShown, true) : Section.each(value, names);
            case "with" -> value == null ? Section.unknown(isUnknownShown, false)
                    : Section.about(value, !JavaScript.isEmpty(value), names);
            case "if" -> Section.when(value == null ? isUnknownShown : holds(expression, value));
            case "unless" -> Section.when(value == null ? !isUnknownShown : !holds(expression, value));
            default -> Section.ONCE;
        };
    }

    private static boolean holds(Expression expression, JsonNode value) {
        return !JavaScript.isEmpty(value) && (JavaScript.isTrue(value) || expression.includesZero());
    }

    /** Renders a section's content, once or once per item, in the scope that the section selects. */
    private void show(int open, int close, Section section, Scope scope) {
        if (depth == MAX_DEPTH) {
            isCut = true;
            return;
        }
        depth++;
        JsonNode value = section.value();
        if (section.isUnknown()) {
            Scope inner = scope.aboutUnknown();
            render(open, close, section.isEach() ? inner.within(0, IntNode.valueOf(0), true) : inner, scope);
        } else if (value == null) {
            render(open, close, scope, scope);
        } else if (!section.isEach()) {
            render(open, close, scope.about(value).declaring(section.names(), value, null), scope);
        } else {
            repeat(open, close, section, scope);
        }
        depth--;
    }

    /** Renders a section's content for each item of its value, an array or object. */
    private void repeat(int open, int close, Section section, Scope scope) {
        JsonNode items = section.value();
        List<String> keys = items.isArray() ? List.of() : JavaScript.keys(items);
        work += keys.size();
        for (int i = 0; i < items.size() && checkLimits(); i++) {
            JsonNode key = items.isArray() ? IntNode.valueOf(i) : TextNode.valueOf(keys.get(i));
            JsonNode item = items.isArray() ? items.get(i) : items.get(keys.get(i));
            boolean isLast = i + 1 == items.size();
            work++;
            render(open, close, scope.about(item).within(i, key, isLast).declaring(section.names(), item, key), scope);
        }
    }
}
