package stet.markup;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import stet.markup.PieceNode.NodeKind;
import stet.markup.PieceStack.Fixed;

/**
 * The pieces of a draft that can be moved, added and removed in <em>Write</em>, read from its source alone. A piece is a range of the
 * source that is balanced in all {@linkplain PieceTree brackets}; the pieces of one list may change places.
 *
 * <pre>
 * body
 * └ list of rows: heading, text, columns, button          &lt;table&gt; &lt;tr&gt; &lt;tr&gt; &lt;tr&gt; &lt;tr&gt;
 *                                ├ list of blocks: image     &lt;td&gt; &lt;img&gt;
 *                                └ list of blocks: text, text  &lt;td&gt; &lt;p&gt; &lt;p&gt;
 * </pre>
 *
 * Tables with one row, cells with one table and the like are no lists of their own: the piece is what they are around.
 *
 * @param list    in order of their places
 * @param piece   the pieces of a list follow each other, in order of their places
 * @param fixed   what cannot be changed in <em>Write</em>
 * @param problem why there are no pieces, as a sentence; null if there are
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Pieces(List<PieceList> list, List<Piece> piece, List<Fixed> fixed, String problem) {
    static final int MAX_PIECES = 2_000;
    /** Maximum number of pieces inside each other. */
    static final int MAX_DEPTH = 50;

    /** Kinds of pieces, as {@code kinds.js} names them. */
    public enum PieceKind {
        TEXT("text"), HEADING("heading"), IMAGE("image"), BUTTON("button"), DIVIDER("divider"), SPACE("space"),
        /** A shared block. */
        BLOCK("block"),
        /** A layout, an inline partial or another piece that can be edited only as HTML. */
        CODE("code"),
        /** An element around other pieces. */
        SECTION("section"),
        /** Parts side by side. */
        COLUMNS("columns"), IMAGE_TEXT("imageText"),
        /** A Handlebars section that shows its content once, or for each item. */
        CONDITION("condition"), LIST("list");

        private final String word;

        PieceKind(String word) {
            this.word = word;
        }

        @JsonValue
        public String word() {
            return word;
        }
    }

    /**
     * @param form   {@code rows} of a table or {@code blocks} of a cell, div or body
     * @param in     index of the piece that contains the list; -1 if none does
     * @param from   where the inside of the container begins
     * @param pieces indices of the pieces
     */
    public record PieceList(String form, int in, int from, int to, List<Integer> pieces) {
    }

    /**
     * @param open    the start tag of the main element
     * @param content the range that can be edited: the inside of a text, or what is between the tags of a section
     * @param name    name of the shared block, condition or list
     * @param in      index of the list
     * @param values  for each property, the ranges that hold its value
     * @param classes for each property whose value comes from a class, the line of the rule
     */
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    public record Piece(PieceKind kind, int from, int to, int[] open, int[] content, @JsonInclude String label, String name, @JsonInclude int in,
                        Map<String, List<int[]>> values, @JsonProperty("class") Map<String, Integer> classes) {
    }

    /** Reads a draft's HTML. */
    public static Pieces of(String html) {
        PieceTree tree = PieceTree.of(html);
        return tree.isTooLarge ? tooMany(PieceTree.MAX_NODES, "elements, texts and tags") : new Reader(html, tree).read();
    }

    private static Pieces tooMany(int most, String things) {
        return none("This email has more than " + String.format("%,d", most) + " " + things + ", so it can be edited only as HTML.");
    }

    private static Pieces none(String problem) {
        return new Pieces(List.of(), List.of(), List.of(), problem);
    }

    /**
     * A container whose pieces are still to be listed.
     *
     * @param in    index of the piece that contains it
     * @param node  its element or section; null if it is only a part of one
     * @param nodes its children
     */
    private record Inside(int in, int depth, boolean isRows, int from, int to, PieceNode node, List<PieceNode> nodes) {
        static Inside of(int in, int depth, PieceNode node) {
            return new Inside(in, depth, node.is("table") || node.isRowGroup(), node.inner, node.close, node, PieceTree.movable(node));
        }

        /** A range of this container, with these of its children. */
        Inside part(int from, int to, List<PieceNode> nodes) {
            return new Inside(in, depth, isRows, from, to, node, nodes);
        }
    }

    private static final class Reader {
        private final PieceTree tree;
        private final PieceUnits allUnits;
        private final PieceKinds kinds;
        private final PieceValues values;
        private final List<PieceList> lists = new ArrayList<>();
        private final List<Piece> pieces = new ArrayList<>();
        private final Deque<Inside> waiting = new ArrayDeque<>();

        Reader(String html, PieceTree tree) {
            this.tree = tree;
            PieceStyle style = new PieceStyle(html, tree.styles);
            this.allUnits = new PieceUnits(html, style);
            this.kinds = new PieceKinds(style, allUnits);
            this.values = new PieceValues(html, tree, style);
        }

        Pieces read() {
            waiting.push(Inside.of(-1, 1, body(tree.root)));
            while (!waiting.isEmpty()) {
                Inside next = waiting.pop();
                if (next.depth > MAX_DEPTH) {
                    return none("The parts of this email are nested more than " + MAX_DEPTH + " deep, so it can be edited only as HTML.");
                }
                list(next);
                if (pieces.size() > MAX_PIECES) {
                    return tooMany(MAX_PIECES, "parts");
                }
            }
            return new Pieces(lists, pieces, tree.stack.fixed.stream().sorted(Comparator.comparing(Fixed::from)).toList(), null);
        }

        /** The body, or what contains the draft's parts without one. */
        private static PieceNode body(PieceNode root) {
            PieceNode html = root.children.stream().filter(node -> node.is("html")).findFirst().orElse(root);
            return html.children.stream().filter(node -> node.is("body")).findFirst().orElse(html);
        }

        /** Lists the pieces of a container. If it is only around another container, lists the pieces of that one. */
        private void list(Inside container) {
            Inside inside = container;
            List<PieceUnit> units = allUnits.of(inside.node, inside.nodes);
            PieceKinds.FoundPiece found = units.size() == 1 && !units.get(0).isRun() && !units.get(0).isSection() ? kinds.of(units.get(0)) : null;
            while (found != null && units.size() == 1 && !isPiece(units.get(0), found)) {
                PieceNode main = units.get(0).main();
                PieceNode cell = main.is("tr") ? kinds.contentCell(main) : null;
                inside = Inside.of(inside.in, inside.depth, cell == null ? main : cell);
                units = allUnits.of(inside.node, inside.nodes);
            }
            if (!units.isEmpty() && units.stream().allMatch(unit -> unit.main().isRowGroup())) {
                Inside groups = inside;
                pushAll(units.stream().map(unit -> Inside.of(groups.in, groups.depth, unit.main())).toList());
            } else if (!units.isEmpty() || PieceUnits.isBlank(inside.nodes) && inside.in >= 0) {
                add(inside, units);
            }
        }

        /** False for a container whose only unit is a table, row or cell around the piece. */
        private static boolean isPiece(PieceUnit only, PieceKinds.FoundPiece found) {
            PieceNode main = only.main();
            boolean isText = main.isParagraph() || !main.isBlockElement() && !main.isGroup() && main.blocks == 0;
            if (isText || only.isRun() || only.isSection() || main.kind == NodeKind.BLOCK) {
                return true;
            }
            if (found.kind() == PieceKind.SECTION) {
                return main.why != null && main.kind != NodeKind.ELEMENT;
            }
            PieceNode outer = found.outer();
            boolean isRowOfCell = main.is("tr") && outer.isCell() && outer.parent == main;
            return main == outer || isRowOfCell;
        }

        /** Adds a list of pieces, and what is inside of them to the containers to read. */
        private void add(Inside inside, List<PieceUnit> units) {
            boolean isRows = inside.isRows || !units.isEmpty() && units.stream().allMatch(PieceUnit::isRow);
            int list = lists.size();
            List<Integer> indices = new ArrayList<>();
            List<Inside> inner = new ArrayList<>();
            for (PieceUnit unit : units) {
                if (!unit.isBalanced()) {
                    inner.addAll(insideOfFixed(inside, unit));
                } else if (!unit.main().isCell() || unit.isRun()) {
                    PieceKinds.FoundPiece found = kinds.of(unit);
                    indices.add(pieces.size());
                    inner.addAll(containers(pieces.size(), inside.depth + 1, found, isRows));
                    pieces.add(values.piece(unit, found, list));
                    if (pieces.size() > MAX_PIECES) {
                        return;
                    }
                }
            }
            if (!indices.isEmpty() || units.isEmpty()) {
                lists.add(new PieceList(isRows ? "rows" : "blocks", inside.in, inside.from, inside.to, indices));
            }
            pushAll(inner);
        }

        /**
         * Contents of an element that cannot be moved itself, because it has no end tag or closes in the wrong place. Without an end tag, its
         * start tag is added to the fixed parts.
         */
        private List<Inside> insideOfFixed(Inside inside, PieceUnit unit) {
            PieceNode main = unit.main();
            if (main.why == null && !main.isCell()) {
                tree.stack.fix(unit.from(), main.inner, "<" + main.name + "> has no end tag");
            }
            if (!main.isBlockElement() || main.isParagraph()) {
                return List.of();
            }
            PieceNode cell = main.is("tr") ? kinds.contentCell(main) : null;
            return List.of(Inside.of(inside.in, inside.depth + 1, cell == null ? main : cell));
        }

        /** Adds containers to read next, the first one first. */
        private void pushAll(List<Inside> some) {
            for (int i = some.size() - 1; i >= 0; i--) {
                waiting.push(some.get(i));
            }
        }

        /** The containers in a piece. @param isRows whether the piece is among the rows of a table */
        private static List<Inside> containers(int piece, int depth, PieceKinds.FoundPiece found, boolean isRows) {
            return switch (found.kind()) {
                case SECTION -> List.of(Inside.of(piece, depth, found.main()));
                case COLUMNS, IMAGE_TEXT -> found.cells().stream()
                        .map(cell -> new Inside(piece, depth, false, cell.from(), cell.to(), cell.node(), cell.nodes())).toList();
                case CONDITION, LIST -> branches(new Inside(piece, depth, isRows, found.main().inner, found.main().close, found.main(), List.of()));
                default -> List.of();
            };
        }

        /** The parts of a section that {@code {{else}}} separates. */
        private static List<Inside> branches(Inside section) {
            List<Inside> branches = new ArrayList<>();
            int from = section.from;
            List<PieceNode> nodes = new ArrayList<>();
            for (PieceNode node : PieceTree.movable(section.node)) {
                if (node.kind == NodeKind.ELSE) {
                    branches.add(section.part(from, node.from, nodes));
                    from = node.to;
                    nodes = new ArrayList<>();
                } else {
                    nodes.add(node);
                }
            }
            branches.add(section.part(from, section.to, nodes));
            return branches;
        }
    }
}
