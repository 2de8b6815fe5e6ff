package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import stet.markup.Expression.Path;

/**
 * A text's variables as a tree: {@code items[] > image, price}. The API returns the variables as a flat list (api.md, Variables).
 *
 * @param variables top-level names in order of first appearance
 * @param more      number of occurrences of names that were omitted because the tree is limited to 1,000 names
 */
public record VariableTree(List<Variable> variables, int more) {
    private static final int MAX_NAMES = 1_000;
    /** Maximum nesting depth of sections, and maximum number of parts in a path. */
    private static final int MAX_DEPTH = 20;
    private static final int MAX_PARTS = 20;
    /** Maximum number of rows searched for a name in one list, and for all names in total. */
    private static final int MAX_ROWS = 20;
    private static final int MAX_STEPS = 8 << 20;

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
        Reader reader = new Reader(data);
        reader.read(subject);
        reader.read(html);
        return new VariableTree(reader.root.variables(), reader.more);
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

        Node(String name, List<JsonNode> values) {
            this.name = name;
            this.values = values;
            this.rows = values;
        }

        void takeAsList() {
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
    }

    /** A section, or the top level. @param up target of {@code ../} @param item node of the name that the section declares */
    private record Frame(Frame below, Node node, Frame up, List<String> declared, Node item) {
        Frame same() {
            return new Frame(this, node, up, List.of(), null);
        }
    }

    private static final class Reader {
        final Node root;
        int more;
        private long steps;
        private int names;
        private Frame frame;
        /** Number of open sections. Sections nested deeper than the maximum share a frame. */
        private int depth;

        Reader(JsonNode data) {
            this.root = new Node("", List.of(data));
        }

        void read(String text) {
            frame = new Frame(null, root, null, List.of(), null);
            depth = 0;
            for (Tag tag : Tag.in(text)) {
                switch (tag.kind()) {
                    case VALUE -> ask(Expression.of(tag));
                    case BLOCK -> askArguments(Expression.of(tag));
                    case OPEN, PARTIAL_BLOCK -> open(tag);
                    case ELSE -> otherwise(tag);
                    case CLOSE -> close();
                    default -> { }
                }
            }
        }

        /** Records the names that a tag passes to a partial. */
        private void askArguments(Expression expression) {
            if (expression != null) {
                expression.arguments.forEach(this::node);
            }
        }

        private void open(Tag tag) {
            if (depth++ < MAX_DEPTH) {
                frame = section(tag, tag.isInverted());
            } else {
                ask(Expression.of(tag));
            }
        }

        private void otherwise(Tag tag) {
            if (depth > 0 && depth <= MAX_DEPTH) {
                frame = frame.below;
                frame = tag.words().isEmpty() ? frame.same() : section(tag, false);
            }
        }

        private void close() {
            if (depth > 0 && depth-- <= MAX_DEPTH) {
                frame = frame.below;
            }
        }

        /** Records a section's names and returns its frame. */
        private Frame section(Tag tag, boolean isInverted) {
            Expression expression = tag.kind() == Tag.TagKind.PARTIAL_BLOCK ? null : Expression.of(tag);
            Node node = ask(expression);
            if (expression == null || node == null || isInverted) {
                return frame.same();
            }
            boolean isEach = expression.isCall && expression.first.name().equals("each");
            boolean isWith = expression.isCall && expression.first.name().equals("with");
            JsonNode value = node.values.isEmpty() ? null : node.values.get(0);
            boolean isCondition = expression.isCall ? !isEach && !isWith : value != null && value.isValueNode() && !value.isNull();
            if (isCondition || node == frame.node) {
                return frame.same();
            }
            if (isEach || !isWith && (value == null || value.isArray())) {
                node.takeAsList();
            }
            return new Frame(frame, node, frame, expression.blockParameters, node);
        }

        /**
         * Records a tag's names.
         *
         * @return the node of the first argument or, if there are no arguments, of the tag's name; null if there is no such node
         */
        private Node ask(Expression expression) {
            if (expression == null) {
                return null;
            }
            if (!expression.isCall) {
                boolean isHelper = Variables.HELPERS.contains(expression.first.name()) && expression.first.isWord();
                return isHelper ? null : node(expression.first);
            }
            Node first = null;
            for (int i = 0; i < expression.arguments.size(); i++) {
                Node node = node(expression.arguments.get(i));
                first = i == 0 ? node : first;
            }
            boolean isFirst = !expression.operands.isEmpty() && expression.operands.get(0).path() != null;
            return isFirst ? first : null;
        }

        /** A path's node; null if the caller need not supply a value for the path or if the tree is full. */
        private Node node(Path path) {
            Frame from = frame;
            for (int i = 0; i < path.up() && from != null; i++) {
                from = from.up;
            }
            boolean isRoot = "root".equals(path.data());
            if (from == null || path.data() != null && !isRoot) {
                return null;
            }
            List<String> parts = path.parts().subList(0, Math.min(MAX_PARTS, path.parts().size()));
            if (parts.isEmpty()) {
                return isRoot ? root : from.node;
            }
            Node declared = path.scoped() ? null : declared(parts.get(0), from);
            Node node = declared != null ? declared : isRoot ? root : path.scoped() ? from.node : around(parts.get(0), from).node;
            for (int i = declared == null ? 0 : 1; i < parts.size() && node != null; i++) {
                node = inner(node, parts, i);
            }
            return node;
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

        private Node inner(Node node, List<String> parts, int i) {
            String name = parts.get(i);
            if (name.equals("length") && !node.has(name)) {
                return null;
            }
            if (JavaScript.isIndex(name) && !node.has(name)) {
                node.takeAsList();
                return node;
            }
            Node inner = node.inner.get(name);
            if (inner == null && names == MAX_NAMES) {
                more++;
            } else if (inner == null) {
                names++;
                List<JsonNode> values = new ArrayList<>();
                node.rows.stream().filter(row -> row.has(name)).forEach(row -> values.add(row.get(name)));
                boolean isLost = values.isEmpty() && i > 0;
                JsonNode whole = isLost ? root.values.get(0).get(String.join(".", parts.subList(0, i + 1))) : null;
                if (whole != null) {
                    values.add(whole);
                }
                inner = new Node(name, values);
                node.inner.put(name, inner);
            }
            return inner;
        }
    }
}
