package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import stet.base.Json;
import stet.markup.Expression.Path;

/**
 * A text's variables as a tree: {@code items[] > image, price}. The API returns the variables as a flat list (api.md, Variables).
 *
 * @param variables top-level names in order of first appearance; the tree has at most 1,000 names, and omits others
 */
public record VariableTree(List<Variable> variables) {
    private static final int MAX_NAMES = 1_000;
    /** Maximum nesting depth of sections, and maximum number of parts in a path. */
    private static final int MAX_DEPTH = 20;
    private static final int MAX_PARTS = 20;
    /** Maximum number of rows searched for a name in one list, and for all names in total. */
    private static final int MAX_ROWS = 20;
    private static final int MAX_STEPS = 8 << 20;
    /** Helpers whose only argument may be missing. */
    private static final Set<String> CONDITIONS = Set.of("if", "unless");

    /**
     * A variable.
     *
     * @param isList    true for a list, whose rows contain the inner names
     * @param example   value from the test data, or null; within a list, from the first row that has a value
     * @param isMissing true if no row of the test data has the name, except inside an empty list
     */
    public record Variable(String name, boolean isList, JsonNode example, boolean isMissing, List<Variable> inner) {
    }

    /** Builds the tree of the variables in a subject and expanded HTML. @param data test data as a JSON object */
    public static VariableTree of(String subject, String html, JsonNode data) {
        Reader reader = new Reader(List.of(data));
        reader.read(subject);
        reader.read(html);
        return new VariableTree(reader.root.variables());
    }

    /** The type of the data that a subject and expanded HTML need. @param sets all sets of test data, as JSON objects */
    public static DataType type(String subject, String html, List<? extends JsonNode> sets) {
        Reader reader = new Reader(sets.isEmpty() ? List.of(Json.object()) : List.copyOf(sets));
        reader.read(subject);
        reader.read(html);
        return DataType.object(reader.root.fields(), false);
    }

    /** Paths missing from the test data, such as {@code items[].price}. Names inside a missing name are omitted. */
    public List<String> missing() {
        List<String> missing = new ArrayList<>();
        missing("", variables, missing);
        return missing;
    }

    private static void missing(String before, List<Variable> variables, List<String> missing) {
        for (Variable variable : variables) {
            String name = before + variable.name;
            if (variable.isMissing) {
                missing.add(name);
            } else {
                missing(name + (variable.isList ? "[]." : "."), variable.inner, missing);
            }
        }
    }

    /** A node of the tree while parsing. */
    private static final class Node {
        final String name;
        final Map<String, Node> inner = new LinkedHashMap<>();
        /** Values in the test data, one per row. */
        final List<JsonNode> values;
        /** Values that contain the inner names, such as the rows of a list. */
        List<JsonNode> rows;
        boolean isList;
        /** Whether a tag outside all conditions uses the name. */
        boolean isRequired;
        /** Whether a tag shows the value, or passes it to a helper. */
        boolean isValue;
        /** Whether only a section without test data suggests that this is a list. */
        boolean isPerhapsList;
        /** Whether the value is required if it is a list. */
        boolean isRequiredList;

        Node(String name, List<JsonNode> values) {
            this.name = name;
            this.values = values;
            this.rows = values;
        }

        /** Makes this node a list, whose rows are the items of its values. */
        void makeList() {
            if (!isList) {
                isList = true;
                rows = new ArrayList<>();
                for (JsonNode value : values) {
                    for (Iterator<JsonNode> all = value.iterator(); all.hasNext() && rows.size() < MAX_ROWS; ) {
                        rows.add(all.next());
                    }
                }
            }
        }

        boolean has(String property) {
            return rows.stream().anyMatch(row -> row.has(property));
        }

        boolean isMissing() {
            return values.isEmpty() && inner.values().stream().allMatch(Node::isMissing);
        }

        List<Variable> variables() {
            // An empty list does not show which names its rows contain.
            boolean isUnknown = !values.isEmpty() && rows.stream().allMatch(JsonNode::isNull);
            return inner.values().stream().map(node -> new Variable(node.name, node.isList,
                    node.values.isEmpty() ? null : node.values.get(0), !isUnknown && node.isMissing(), node.variables())).toList();
        }

        SortedMap<String, DataType> fields() {
            SortedMap<String, DataType> fields = new TreeMap<>();
            long sets = rows.stream().filter(row -> row.isObject() && !row.isEmpty()).count();
            inner.values().forEach(node -> fields.put(node.name, node.type(sets)));
            return fields;
        }

        /** @param sets number of sets or rows of test data that might have the name */
        DataType type(long sets) {
            boolean isCondition = isPerhapsList && inner.isEmpty();
            boolean isNeeded = isRequired || isRequiredList && !isCondition;
            boolean isAbsentInSome = !values.isEmpty() && (values.size() < sets || values.stream().anyMatch(JsonNode::isNull));
            boolean isOptional = !isNeeded || isAbsentInSome;
            if (isList && !isCondition) {
                boolean isMap = !values.isEmpty() && values.stream().allMatch(value -> value.isObject() || value.isNull());
                return DataType.list(isMap, inner.isEmpty() ? DataType.of(rows, true, false) : DataType.object(fields(), false), isOptional);
            }
            return inner.isEmpty() ? DataType.of(values, isValue, isOptional) : DataType.object(fields(), isOptional);
        }
    }

    /**
     * A section, or the top level.
     *
     * @param up        target of {@code ../}
     * @param item      node of the name that the section declares
     * @param isGuarded whether a condition is between this section and the one that has the node
     */
    private record Frame(Frame below, Node node, Frame up, List<String> declared, Node item, boolean isGuarded) {
        static Frame top(Node root) {
            return new Frame(null, root, null, List.of(), null, false);
        }

        /** A section inside this one with the same node. @param isGuard whether it is a condition */
        Frame same(boolean isGuard) {
            return new Frame(this, node, up, List.of(), null, isGuarded || isGuard);
        }
    }

    /** A name that a tag uses. @param isGuarded whether a condition guards it */
    private record UsedName(Node node, boolean isGuarded) {
    }

    private static final class Reader {
        final Node root;
        private long steps;
        private int names;
        private Frame frame;
        /** Number of open sections. Sections nested deeper than the maximum share a frame. */
        private int depth;

        Reader(List<JsonNode> sets) {
            this.root = new Node("", sets);
        }

        void read(String text) {
            frame = Frame.top(root);
            depth = 0;
            for (Tag tag : Tag.in(text)) {
                switch (tag.kind()) {
                    case VALUE -> recordUse(Expression.of(tag), false);
                    case BLOCK -> recordArguments(Expression.of(tag));
                    case OPEN, PARTIAL_BLOCK -> open(tag);
                    case ELSE -> otherwise(tag);
                    case CLOSE -> close();
                    default -> { }
                }
            }
        }

        /** Records the names that a tag passes to a partial. */
        private void recordArguments(Expression expression) {
            if (expression != null) {
                expression.arguments.forEach(argument -> recordUse(argument, false));
            }
        }

        private void open(Tag tag) {
            if (depth++ < MAX_DEPTH) {
                frame = section(tag, tag.isInverted());
            } else {
                recordUse(Expression.of(tag), false);
            }
        }

        private void otherwise(Tag tag) {
            if (depth > 0 && depth <= MAX_DEPTH) {
                frame = frame.below;
                frame = tag.words().isEmpty() ? frame.same(true) : section(tag, false);
            }
        }

        private void close() {
            if (depth > 0 && depth-- <= MAX_DEPTH) {
                frame = frame.below;
            }
        }

        /** Records a section's names; makes the section's name a list unless it is known to be none. @return the section's frame */
        private Frame section(Tag tag, boolean isInverted) {
            Expression expression = tag.kind() == Tag.TagKind.PARTIAL_BLOCK ? null : Expression.of(tag);
            if (expression == null) {
                return frame.same(false);
            }
            String helper = expression.isCall ? expression.first.name() : "";
            boolean isEach = helper.equals("each");
            boolean isWith = helper.equals("with");
            boolean testsPath = CONDITIONS.contains(helper) && expression.operands.size() == 1 && expression.operands.get(0).path() != null;
            UsedName used = recordUse(expression, !expression.isCall || testsPath);
            if (used == null || isInverted) {
                return frame.same(!isEach && !isWith);
            }
            Node node = used.node;
            JsonNode value = node.values.isEmpty() ? null : node.values.get(0);
            boolean isCondition = expression.isCall ? !isEach && !isWith : value != null && value.isValueNode() && !value.isNull();
            if (isCondition || node == frame.node) {
                return frame.same(isCondition);
            }
            if (isEach || !isWith && (value == null || value.isArray())) {
                node.isPerhapsList = !isEach && value == null && (node.isPerhapsList || !node.isList);
                node.isRequiredList |= !used.isGuarded;
                node.makeList();
            }
            return new Frame(frame, node, frame, expression.blockParameters, node, false);
        }

        /**
         * Records a tag's names.
         *
         * @param expression  null for an invalid tag
         * @param isCondition whether the tag tests the value instead of showing it
         * @return the first argument or, if there are no arguments, the tag's name; null if neither has a node
         */
        private UsedName recordUse(Expression expression, boolean isCondition) {
            if (expression == null) {
                return null;
            }
            if (!expression.isCall) {
                boolean isHelper = Variables.HELPERS.contains(expression.first.name()) && expression.first.isWord();
                return isHelper ? null : recordUse(expression.first, isCondition);
            }
            UsedName first = null;
            for (int i = 0; i < expression.arguments.size(); i++) {
                UsedName used = recordUse(expression.arguments.get(i), isCondition);
                first = i == 0 ? used : first;
            }
            boolean isFirst = !expression.operands.isEmpty() && expression.operands.get(0).path() != null;
            return isFirst ? first : null;
        }

        /** Records a path. @return null if the caller need not supply a value for the path or if the tree is full */
        private UsedName recordUse(Path path, boolean isCondition) {
            Frame from = frame;
            for (int i = 0; i < path.up() && from != null; i++) {
                from = from.up;
            }
            boolean isRoot = "root".equals(path.data());
            if (from == null || path.data() != null && !isRoot) {
                return null;
            }
            List<String> parts = path.parts().subList(0, Math.min(MAX_PARTS, path.parts().size()));
            Node declared = path.scoped() || parts.isEmpty() ? null : declared(parts.get(0), from);
            Node node = declared != null ? declared : isRoot ? root : owner(path, from);
            boolean isGuarded = isGuarded(frame, node);
            for (int i = declared == null ? 0 : 1; i < parts.size() && node != null; i++) {
                node = inner(node, parts, i);
                if (node != null) {
                    node.isRequired |= !isCondition && !isGuarded;
                    node.isValue |= !isCondition && i == parts.size() - 1;
                }
            }
            return node == null ? null : new UsedName(node, isGuarded);
        }

        /** The node in which a path's first name is looked up. */
        private Node owner(Path path, Frame from) {
            return path.scoped() || path.parts().isEmpty() ? from.node : around(path.parts().get(0), from).node;
        }

        /** Whether a condition is between a section and the section or top level that has a node. */
        private static boolean isGuarded(Frame from, Node owner) {
            for (Frame around = from; around != null; around = around.up) {
                if (around.isGuarded) {
                    return true;
                }
                if (around.node == owner) {
                    return false;
                }
            }
            return false;
        }

        /** The node that a name declared by a section refers to, or null. */
        private static Node declared(String name, Frame from) {
            for (Frame around = from; around != null; around = around.below) {
                if (around.declared.contains(name)) {
                    return around.declared.indexOf(name) == 0 ? around.item : new Node(name, List.of());
                }
            }
            return null;
        }

        /** The innermost frame whose test data defines the name, as in Mustache; the current frame if none does. */
        private Frame around(String name, Frame from) {
            for (Frame around = from; around != null && steps < MAX_STEPS; around = around.up) {
                steps += around.node.rows.size();
                if (around.node.has(name)) {
                    return around;
                }
            }
            return from;
        }

        /**
         * The node of a path's part in the node before it: that node itself for an index, which makes it a list; null for a list's length, or if
         * the tree is full.
         */
        private Node inner(Node node, List<String> parts, int i) {
            String name = parts.get(i);
            if (name.equals("length") && !node.has(name)) {
                return null;
            }
            if (JavaScript.isIndex(name) && !node.has(name)) {
                node.makeList();
                return node;
            }
            Node known = node.inner.get(name);
            if (known != null) {
                return known;
            }
            if (names == MAX_NAMES) {
                return null;
            }
            names++;
            Node added = new Node(name, values(node, parts.subList(0, i + 1)));
            node.inner.put(name, added);
            return added;
        }

        /** The values of a path, which the test data may also have as one name: {@code "user.name"}. @param owner node of all but the last part */
        private List<JsonNode> values(Node owner, List<String> path) {
            List<JsonNode> values = values(owner.rows, path.get(path.size() - 1));
            return values.isEmpty() && path.size() > 1 ? values(root.values, String.join(".", path)) : values;
        }

        private static List<JsonNode> values(List<JsonNode> objects, String name) {
            return objects.stream().filter(object -> object.has(name)).map(object -> object.get(name)).toList();
        }
    }
}
