package stet.markup;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import stet.markup.PieceNode.NodeKind;

/** Recognizes the pieces of a container and their kinds. Each loop goes down or along the tree, so that reading takes linear time. */
final class PieceKinds {
    private static final Pattern SIDE = Pattern.compile("(?:^|;)\\s*(?:display\\s*:\\s*(?:inline-block|inline-table|table-cell)|float\\s*:\\s*(?:left|right))", Pattern.CASE_INSENSITIVE);
    private static final Pattern BLOCK_IMAGE = Pattern.compile("display\\s*:\\s*block", Pattern.CASE_INSENSITIVE);
    private static final int MAX_WAY = 12;
    private static final int MIN_CELL = 80;

    private final String html;
    private final PieceLook look;

    /**
     * @param kind  as in {@link Pieces.Piece}
     * @param main  the element that is edited, or the container of a section
     * @param outer the outermost element that belongs to the kind, without cells and tables only around it
     * @param cells the parts side by side
     */
    record FoundPiece(String kind, PieceNode main, PieceNode outer, List<Cell> cells) {
        FoundPiece(String kind, PieceNode main, PieceNode outer) {
            this(kind, main, outer, List.of());
        }
    }

    /** One of several parts side by side. @param from where its inside begins @param node its cell or element; null if it has none of its own */
    record Cell(int from, int to, PieceNode node, List<PieceNode> nodes) {
        static Cell of(PieceNode node) {
            return new Cell(node.inner, node.close, node, PieceTree.movable(node));
        }
    }

    PieceKinds(String html, PieceStyle style) {
        this.html = html;
        this.look = new PieceLook(html, style);
    }

    // ---- the units of a container

    /** The units among a container's children. */
    List<PieceUnit> units(PieceNode container, List<PieceNode> children) {
        List<PieceNode> nodes = children.stream().filter(node -> !"none".equals(look.value(node, "display"))).toList();
        UnitReader units = new UnitReader(container);
        for (int i = 0; i < nodes.size(); i++) {
            PieceNode node = nodes.get(i);
            if (isBarrier(node)) {
                units.endRun(true);
            } else if (isBlockLevel(node, i > 0 ? nodes.get(i - 1) : null, i + 1 < nodes.size() ? nodes.get(i + 1) : null)) {
                units.endRun(true);
                units.add(node);
            } else {
                units.run.add(node);
            }
        }
        units.endRun(false);
        return units.all();
    }

    /** Reads units child by child: blocks, and runs of what flows in lines between them. */
    private final class UnitReader {
        private final PieceNode container;
        private final List<PieceUnit> units = new ArrayList<>();
        /** The images and buttons among the units that are not blocks. */
        private final List<PieceUnit> inline = new ArrayList<>();
        final List<PieceNode> run = new ArrayList<>();
        /** The only run with text, and its place among the units. */
        private PieceUnit text;
        private int place;
        /** Number of runs with text; one that is not balanced counts twice, so that it is no unit. */
        private int texts;
        /** A VML button at the end of the last run, whose link may follow; null if there is none. */
        private PieceNode vml;

        UnitReader(PieceNode container) {
            this.container = container;
        }

        void endRun(boolean hasNext) {
            if (isText(run)) {
                text = run(container, run);
                place = units.size();
                texts += run.stream().anyMatch(each -> each.why != null) ? 2 : 1;
                vml = null;
            } else {
                int before = units.size();
                vml = parts(units, run, hasNext);
                inline.addAll(units.subList(before, units.size()));
            }
            run.clear();
        }

        void add(PieceNode block) {
            boolean hasCopy = vml != null && (block.links == 1 || block.is("a"));
            units.add(hasCopy ? new PieceUnit(block, vml, vml.from, block.to, false) : PieceUnit.of(block));
            vml = null;
        }

        /** All units. A text without an element of its own is one if there is no other; images beside several would become a part of them. */
        List<PieceUnit> all() {
            boolean mayHaveText = container != null && !container.is("table") && !container.is("tr") && !container.isRowGroup();
            if (texts == 1 && inline.isEmpty() && mayHaveText) {
                units.add(place, text);
            } else if (texts > 0) {
                units.removeAll(inline);
            }
            return units;
        }
    }

    /** True for a part that is not balanced, which stays where it is. */
    private static boolean isBarrier(PieceNode node) {
        return node.why != null && node.kind != NodeKind.ELEMENT;
    }

    /** Adds the images and buttons of a run without text. @return a VML button at the end of the run, whose link follows */
    private PieceNode parts(List<PieceUnit> units, List<PieceNode> run, boolean hasNext) {
        PieceNode vml = null;
        for (PieceNode node : run) {
            if (node.kind == NodeKind.HIDDEN) {
                vml = isCopy(node) ? node : vml;
            } else if (node.inks > 0) {
                units.add(vml != null ? new PieceUnit(node, vml, vml.from, node.to, false) : PieceUnit.of(node));
                vml = null;
            }
        }
        return hasNext ? vml : null;
    }

    private static boolean isCopy(PieceNode hidden) {
        return hidden.hidden.stream().anyMatch(token -> token.kind() == Html.HtmlKind.START && token.attribute("href") != null);
    }

    private PieceUnit run(PieceNode container, List<PieceNode> run) {
        int from = -1;
        int to = -1;
        for (PieceNode node : run) {
            if (node.inks > 0 && !node.isInvisible || node.isGroup()) {
                from = from < 0 ? node.from : from;
                to = node.to;
            }
        }
        from = Tag.skip(html, from, to);
        while (to > from && Tag.isBlank(html.charAt(to - 1))) {
            to--;
        }
        return new PieceUnit(container, null, from, to, true);
    }

    /** True if a run has text outside images and buttons. */
    private boolean isText(List<PieceNode> run) {
        return run.stream().anyMatch(node -> node.inks > 0 && !node.isInvisible && !PieceLook.isImage(node) && !look.isButton(node));
    }

    private boolean isBlockLevel(PieceNode node, PieceNode before, PieceNode behind) {
        return switch (node.kind) {
            case ELEMENT -> node.isBlockElement() || node.blocks > 0 || isCopied(before, node) || node.is("img") && BLOCK_IMAGE.matcher(node.attribute("style")).find();
            case SECTION -> node.inks == 0 ? !isBeside(before, node) && !isBeside(node, behind)
                    : node.blocks > 0 || node.inks == node.images + node.includes || look.isButton(node);
            case GHOST, SHOWN -> node.blocks > 0 || node.inks > 0 && node.inks == node.images || look.isButton(node) || isCopied(before, node);
            case BLOCK -> !isBeside(before, node) && !isBeside(node, behind);
            default -> false;
        };
    }

    /** True for a link with a copy for Outlook before it. */
    private static boolean isCopied(PieceNode before, PieceNode node) {
        PieceNode link = PieceLook.link(node);
        return before != null && before.kind == NodeKind.HIDDEN && isCopy(before) && link != null && node.inks == link.inks && node.inks > node.images;
    }

    /** True if both are parts of one line of text. */
    private boolean isBeside(PieceNode one, PieceNode other) {
        if (one == null || other == null) {
            return false;
        }
        PieceNode text = one.kind == NodeKind.BLOCK || one.kind == NodeKind.SECTION ? other : one;
        boolean isInline = text.kind == NodeKind.TEXT || text.kind == NodeKind.VALUE || text.kind == NodeKind.ELEMENT && text.inks > 0 && !text.isBlockElement()
                && !PieceLook.isImage(text) && !look.isButton(text);
        if (!isInline) {
            return false;
        }
        int begin = text.kind == NodeKind.TEXT && text == one ? lastInk(one) : one.to;
        int end = text.kind == NodeKind.TEXT && text == other ? Tag.skip(html, other.from, other.to) : other.from;
        for (int at = begin; at < end; at++) {
            if (html.charAt(at) == '\n') {
                return false;
            }
        }
        return true;
    }

    private int lastInk(PieceNode text) {
        int end = text.to;
        while (end > text.from && Tag.isBlank(html.charAt(end - 1))) {
            end--;
        }
        return end;
    }

    /** True if nothing is there, so that a piece can be added. */
    boolean isBlank(List<PieceNode> nodes) {
        return nodes.stream().allMatch(node -> node.inks == 0 && node.kind == NodeKind.ELEMENT && !node.isBlockElement());
    }

    // ---- kinds

    /** The kind of a unit, after going through tables, cells and the like that are only around it. */
    FoundPiece of(PieceUnit unit) {
        if (unit.isRun()) {
            return new FoundPiece("text", unit.main(), unit.main());
        }
        PieceNode node = unit.main();
        if (isCopied(unit.hidden(), node)) {
            return new FoundPiece("button", PieceLook.link(node), node);
        }
        while (true) {
            FoundPiece leaf = leaf(node, unit.main());
            if (leaf != null) {
                return leaf;
            }
            List<Cell> cells = cells(node);
            if (cells.size() > 1) {
                return new FoundPiece(hasImageAndText(cells) ? "imageText" : "columns", node, node, cells);
            }
            PieceNode only = node.is("tr") ? contentCell(node) : null;
            if (only == null) {
                List<PieceUnit> units = units(node, PieceTree.movable(node));
                if (units.size() != 1) {
                    return new FoundPiece("section", node, node);
                }
                if (units.get(0).isRun()) {
                    return new FoundPiece("text", node, node);
                }
                only = units.get(0).main();
            }
            if (only.kind == NodeKind.SECTION || only.why != null) {
                return new FoundPiece("section", node, node);
            }
            node = only;
        }
    }

    /** The kind of a node that is not a container; null if it is one. */
    private FoundPiece leaf(PieceNode node, PieceNode unit) {
        if (node.kind == NodeKind.SECTION) {
            return new FoundPiece(sectionKind(node.name), node, node);
        }
        if (node.kind == NodeKind.BLOCK) {
            return new FoundPiece(node == unit || node.inks > 0 ? "block" : "code", node, node);
        }
        if (node.is("hr")) {
            return new FoundPiece("divider", node, node);
        }
        if (node.inks == 0) {
            return new FoundPiece(look.hasLine(node) ? "divider" : "space", node, node);
        }
        if (PieceLook.isImage(node)) {
            PieceNode image = node.image;
            boolean isLinked = node.link != null && node.link.image == image && node.link.from < image.from;
            return new FoundPiece("image", image, node.is("a") ? node : isLinked ? node.link : image);
        }
        if (look.isButton(node)) {
            PieceNode link = PieceLook.link(node);
            return new FoundPiece("button", link, buttonOuter(link, unit));
        }
        return node.isParagraph() && node.why == null ? new FoundPiece(node.isHeading() ? "heading" : "text", node, node)
                : node.kind == NodeKind.ELEMENT && !node.isBlockElement() && node.blocks == 0 ? new FoundPiece("text", node, node) : null;
    }

    /** The table that makes the button, or the link itself. */
    private static PieceNode buttonOuter(PieceNode link, PieceNode unit) {
        PieceNode outer = link;
        PieceNode node = link;
        for (int way = 0; node != unit && node.parent != null && way < MAX_WAY; way++) {
            node = node.parent;
            if (node.is("table")) {
                return node;
            }
            outer = node.kind == NodeKind.SHOWN ? node : outer;
        }
        return outer;
    }

    /** {@code list}, {@code condition}, or {@code code} for layouts and inline partials. @param words {@code #each items} */
    static String sectionKind(String words) {
        String first = words.substring(1).strip();
        return first.startsWith(">") || first.startsWith("*") ? "code"
                : words.startsWith("^") || first.matches("(?s)(?:if|unless|with)\\s.*") ? "condition"
                : first.matches("(?s)each\\s.*") || first.matches("\\S+") ? "list" : "condition";
    }

    // ---- side by side

    /** The first cell of a row that is not empty; null if all are. */
    PieceNode contentCell(PieceNode row) {
        PieceNode only = null;
        for (PieceNode cell : row.children) {
            if (cell.isCell() && cell.inks > 0 && !cell.isInvisible) {
                only = only == null ? cell : only;
            }
        }
        return only;
    }

    /** The parts side by side in a row, in cells that only Outlook sees, or as blocks beside each other; fewer than two if there are none. */
    private List<Cell> cells(PieceNode node) {
        if (node.is("tr")) {
            List<PieceNode> cells = new ArrayList<>();
            for (PieceNode child : node.children) {
                if (child.isCell()) {
                    cells.add(child);
                } else if (child.isGroup() && child.why == null) {
                    child.children.stream().filter(PieceNode::isCell).forEach(cells::add);
                }
            }
            boolean isMarked = node.children.stream().anyMatch(PieceNode::isGroup);
            List<Cell> some = cells.stream().filter(cell -> cell.inks > 0 && !cell.isInvisible || cells.size() > 1 && isWide(cell)).map(Cell::of).toList();
            return some.size() > 1 || isMarked ? some : List.of();
        }
        if (node.kind == NodeKind.GHOST && node.separatesCells) {
            return ghostCells(node);
        }
        List<PieceUnit> units = node.isRowGroup() || node.is("table") ? List.of() : units(node, PieceTree.movable(node));
        return units.size() > 1 && units.stream().allMatch(unit -> isBesideOthers(unit.main())) ? units.stream().map(unit -> Cell.of(unit.main())).toList() : List.of();
    }

    private boolean isBesideOthers(PieceNode node) {
        if (node.kind != NodeKind.ELEMENT || !node.isBlockElement() && node.blocks == 0) {
            return false;
        }
        String align = node.attribute("align");
        String display = look.value(node, "display");
        String floating = look.value(node, "float");
        return node.is("table") && (align.equalsIgnoreCase("left") || align.equalsIgnoreCase("right")) || SIDE.matcher(node.attribute("style")).find()
                || "inline-block".equals(display) || "left".equals(floating) || "right".equals(floating);
    }

    private static List<Cell> ghostCells(PieceNode ghost) {
        List<Cell> cells = new ArrayList<>();
        List<PieceNode> nodes = new ArrayList<>();
        int from = ghost.inner;
        for (PieceNode child : ghost.children) {
            if (child.kind == NodeKind.SEPARATOR) {
                cells.add(cell(from, child.from, nodes));
                from = child.to;
                nodes = new ArrayList<>();
            } else {
                nodes.add(child);
            }
        }
        cells.add(cell(from, ghost.close, nodes));
        return cells;
    }

    private static Cell cell(int from, int to, List<PieceNode> nodes) {
        List<PieceNode> blocks = nodes.stream().filter(node -> node.kind == NodeKind.ELEMENT && node.isBlockElement()).toList();
        boolean isOne = blocks.size() == 1 && nodes.stream().allMatch(node -> node == blocks.get(0) || node.inks == 0);
        return isOne && !blocks.get(0).isParagraph() && !blocks.get(0).is("table") ? Cell.of(blocks.get(0)) : new Cell(from, to, null, nodes);
    }

    /** True for an empty cell that is more than a gap between two others. */
    private boolean isWide(PieceNode cell) {
        String width = cell.attribute("width").isEmpty() ? look.value(cell, "width") : cell.attribute("width");
        String digits = width == null ? "" : width.replaceFirst("(?:px|%)?\\s*$", "");
        return digits.matches("\\d{1,4}") && Integer.parseInt(digits) >= (width.strip().endsWith("%") ? 20 : MIN_CELL)
                && (cell.children.isEmpty() || cell.blocks > 0);
    }

    private boolean hasImageAndText(List<Cell> cells) {
        if (cells.size() != 2) {
            return false;
        }
        int images = 0;
        int texts = 0;
        for (Cell cell : cells) {
            int inks = cell.nodes().stream().mapToInt(node -> node.isInvisible ? 0 : node.inks).sum();
            int pictures = cell.nodes().stream().mapToInt(node -> node.isInvisible ? 0 : node.images).sum();
            images += inks == 1 && pictures == 1 ? 1 : 0;
            texts += inks > pictures ? 1 : 0;
        }
        return images == 1 && texts == 1;
    }
}
