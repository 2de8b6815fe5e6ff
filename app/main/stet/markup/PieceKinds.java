package stet.markup;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.markup.PieceNode.NodeKind;
import stet.markup.Pieces.PieceKind;

/** Recognizes the kinds of pieces. Each loop goes down or along the tree, so that reading takes linear time. */
final class PieceKinds {
    /** A style attribute that places an element beside others. */
    private static final Pattern SIDE = Pattern.compile("(?:^|;)\\s*(?:display\\s*:\\s*(?:inline-block|inline-table|table-cell)|float\\s*:\\s*(?:left|right))",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern WIDTH = Pattern.compile("(\\d{1,4})(px|%|)");
    /** Maximum number of elements between a button's link and its table. */
    private static final int MAX_DISTANCE = 12;
    /** Minimum width of an empty cell that is a part of its own, in pixels and in percent. */
    private static final int MIN_CELL = 80;
    private static final int MIN_CELL_PERCENT = 20;

    private final PieceStyle style;
    private final PieceLook look;
    private final PieceUnits allUnits;

    /**
     * A piece of which the kind is known.
     *
     * @param main  the element that is edited, or the container of a section
     * @param outer the outermost element that belongs to the kind, without cells and tables only around it
     * @param cells the parts side by side
     */
    record FoundPiece(PieceKind kind, PieceNode main, PieceNode outer, List<Cell> cells) {
        FoundPiece(PieceKind kind, PieceNode main, PieceNode outer) {
            this(kind, main, outer, List.of());
        }
    }

    /** One of several parts side by side. @param from where its inside begins @param node its cell or element; null if it has none of its own */
    record Cell(int from, int to, PieceNode node, List<PieceNode> nodes) {
        static Cell of(PieceNode node) {
            return new Cell(node.inner, node.close, node, PieceTree.movable(node));
        }
    }

    PieceKinds(PieceStyle style, PieceUnits allUnits) {
        this.style = style;
        this.look = new PieceLook(style);
        this.allUnits = allUnits;
    }

    /** The kind of a unit, after going through tables, cells and the like that are only around it. */
    FoundPiece of(PieceUnit unit) {
        if (unit.isRun()) {
            return new FoundPiece(PieceKind.TEXT, unit.main(), unit.main());
        }
        PieceNode node = unit.main();
        if (PieceUnits.isCopied(unit.hidden(), node)) {
            return new FoundPiece(PieceKind.BUTTON, PieceLook.link(node), node);
        }
        while (true) {
            FoundPiece leaf = leaf(node, unit.main());
            if (leaf != null) {
                return leaf;
            }
            List<Cell> cells = cells(node);
            if (cells.size() > 1) {
                return new FoundPiece(hasImageAndText(cells) ? PieceKind.IMAGE_TEXT : PieceKind.COLUMNS, node, node, cells);
            }
            PieceUnit only = onlyUnit(node);
            if (only != null && only.isRun()) {
                return new FoundPiece(PieceKind.TEXT, node, node);
            }
            if (only == null || only.isSection() || only.main().why != null) {
                return new FoundPiece(PieceKind.SECTION, node, node);
            }
            node = only.main();
        }
    }

    /** The part that a node is only around: the cell of a row, or the only unit; null if there is more than one, or none. */
    private PieceUnit onlyUnit(PieceNode node) {
        PieceNode cell = node.is("tr") ? contentCell(node) : null;
        if (cell != null) {
            return PieceUnit.of(cell);
        }
        List<PieceUnit> units = allUnits.of(node, PieceTree.movable(node));
        return units.size() == 1 ? units.get(0) : null;
    }

    /** The kind of a node that is not a container; null if it is one. */
    private FoundPiece leaf(PieceNode node, PieceNode unit) {
        if (node.kind == NodeKind.SECTION) {
            return new FoundPiece(sectionKind(node.name), node, node);
        }
        if (node.kind == NodeKind.BLOCK) {
            return new FoundPiece(node == unit || node.inks > 0 ? PieceKind.BLOCK : PieceKind.CODE, node, node);
        }
        if (node.is("hr")) {
            return new FoundPiece(PieceKind.DIVIDER, node, node);
        }
        if (node.inks == 0) {
            return new FoundPiece(look.hasLine(node) ? PieceKind.DIVIDER : PieceKind.SPACE, node, node);
        }
        if (PieceLook.isImage(node)) {
            PieceNode image = node.image;
            boolean isLinked = node.link != null && node.link.image == image && node.link.from < image.from;
            return new FoundPiece(PieceKind.IMAGE, image, node.is("a") ? node : isLinked ? node.link : image);
        }
        if (look.isButton(node)) {
            PieceNode link = PieceLook.link(node);
            return new FoundPiece(PieceKind.BUTTON, link, buttonOuter(link, unit));
        }
        if (node.isParagraph() && node.why == null) {
            return new FoundPiece(node.isHeading() ? PieceKind.HEADING : PieceKind.TEXT, node, node);
        }
        boolean isInline = node.kind == NodeKind.ELEMENT && !node.isBlockElement() && node.blocks == 0;
        return isInline ? new FoundPiece(PieceKind.TEXT, node, node) : null;
    }

    /**
     * The table that makes the button. Without one, the outermost conditional comment around the link, which moves with it; without that,
     * the link itself. Nothing outside the unit is searched.
     */
    private static PieceNode buttonOuter(PieceNode link, PieceNode unit) {
        PieceNode outer = link;
        PieceNode node = link;
        for (int distance = 0; node != unit && node.parent != null && distance < MAX_DISTANCE; distance++) {
            node = node.parent;
            if (node.is("table")) {
                return node;
            }
            outer = node.kind == NodeKind.SHOWN ? node : outer;
        }
        return outer;
    }

    /** A list, a condition, or code for layouts and inline partials. @param words the section's sign and content: {@code #each items} */
    private static PieceKind sectionKind(String words) {
        String content = words.substring(1).strip();
        if (content.startsWith(">") || content.startsWith("*")) {
            return PieceKind.CODE;
        }
        boolean isList = content.matches("(?s)each\\s.*") || content.matches("\\S+"); // {{#each items}}, {{#items}}
        return isList && !words.startsWith("^") ? PieceKind.LIST : PieceKind.CONDITION;
    }

    // ---- side by side

    /** The first cell of a row that is not empty; null if all are. */
    PieceNode contentCell(PieceNode row) {
        return row.children.stream().filter(cell -> cell.isCell() && cell.inks > 0 && !cell.isInvisible).findFirst().orElse(null);
    }

    /** The parts side by side in a row, in cells that only Outlook sees, or as blocks beside each other; fewer than two if there are none. */
    private List<Cell> cells(PieceNode node) {
        if (node.is("tr")) {
            return rowCells(node);
        }
        if (node.kind == NodeKind.GHOST && node.separatesCells) {
            return ghostCells(node);
        }
        List<PieceUnit> units = node.isRowGroup() || node.is("table") ? List.of() : allUnits.of(node, PieceTree.movable(node));
        return units.stream().allMatch(unit -> isBesideOthers(unit.main())) ? units.stream().map(unit -> Cell.of(unit.main())).toList() : List.of();
    }

    /** The cells of a row that are not gaps, also those in sections of the row. */
    private List<Cell> rowCells(PieceNode row) {
        List<PieceNode> cells = new ArrayList<>();
        for (PieceNode child : row.children) {
            if (child.isCell()) {
                cells.add(child);
            } else if (child.isGroup() && child.why == null) {
                child.children.stream().filter(PieceNode::isCell).forEach(cells::add);
            }
        }
        return cells.stream().filter(cell -> cell.inks > 0 && !cell.isInvisible || cells.size() > 1 && isWide(cell)).map(Cell::of).toList();
    }

    /** True for a block that other blocks may be beside. */
    private boolean isBesideOthers(PieceNode node) {
        if (node.kind != NodeKind.ELEMENT || !node.isBlockElement() && node.blocks == 0) {
            return false;
        }
        String align = node.attribute("align");
        if (node.is("table") && (align.equalsIgnoreCase("left") || align.equalsIgnoreCase("right"))) {
            return true;
        }
        String display = style.text(node, "display");
        String floating = style.text(node, "float");
        return SIDE.matcher(node.attribute("style")).find() || "inline-block".equals(display) || "left".equals(floating) || "right".equals(floating);
    }

    /** The parts of a row that only Outlook sees. */
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

    /** A part of such a row: the only block in it if that can contain pieces, otherwise the range itself. */
    private static Cell cell(int from, int to, List<PieceNode> nodes) {
        List<PieceNode> visible = nodes.stream().filter(node -> node.inks > 0 || node.isBlockElement()).toList();
        PieceNode only = visible.size() == 1 ? visible.get(0) : null;
        boolean isContainer = only != null && only.isBlockElement() && !only.isParagraph() && !only.is("table");
        return isContainer ? Cell.of(only) : new Cell(from, to, null, nodes);
    }

    /** True for an empty cell that is more than a gap between two others. */
    private boolean isWide(PieceNode cell) {
        String width = cell.attribute("width").isEmpty() ? style.text(cell, "width") : cell.attribute("width");
        Matcher number = WIDTH.matcher(width == null ? "" : width.strip());
        boolean canHaveContent = cell.children.isEmpty() || cell.blocks > 0;
        return canHaveContent && number.matches() && Integer.parseInt(number.group(1)) >= (number.group(2).equals("%") ? MIN_CELL_PERCENT : MIN_CELL);
    }

    /** True for two cells, one of which is an image and the other has text. */
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
