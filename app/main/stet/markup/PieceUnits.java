package stet.markup;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import stet.markup.PieceNode.NodeKind;

/** Finds the units of a container, each of which can be a piece: blocks, and texts, images and buttons that flow in lines. Takes linear time. */
final class PieceUnits {
    private static final Pattern BLOCK_IMAGE = Pattern.compile("display\\s*:\\s*block", Pattern.CASE_INSENSITIVE);

    private final String html;
    private final PieceStyle style;
    private final PieceLook look;

    PieceUnits(String html, PieceStyle style) {
        this.html = html;
        this.style = style;
        this.look = new PieceLook(style);
    }

    /** The units among a container's children. */
    List<PieceUnit> of(PieceNode container, List<PieceNode> children) {
        List<PieceNode> nodes = children.stream().filter(node -> !"none".equals(style.text(node, "display"))).toList();
        UnitReader units = new UnitReader(container);
        for (int i = 0; i < nodes.size(); i++) {
            PieceNode node = nodes.get(i);
            PieceNode before = i > 0 ? nodes.get(i - 1) : null;
            PieceNode behind = i + 1 < nodes.size() ? nodes.get(i + 1) : null;
            if (isBarrier(node)) {
                units.endRun(true);
            } else if (isBlockLevel(node, before, behind)) {
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
        /** The last run with text, and its place among the units. */
        private PieceUnit text;
        private int place;
        /** Number of runs with text, and whether one of them is not balanced, so that it is no unit. */
        private int texts;
        private boolean hasUnbalancedText;
        /** A VML button at the end of the last run, whose link may follow; null if there is none. */
        private PieceNode vml;

        UnitReader(PieceNode container) {
            this.container = container;
        }

        /** Ends a run. @param hasNext whether a block may follow */
        void endRun(boolean hasNext) {
            vml = null;
            if (isText(run)) {
                text = textOf(container, run);
                place = units.size();
                texts++;
                hasUnbalancedText |= run.stream().anyMatch(each -> each.why != null);
            } else {
                run.forEach(this::addInline);
                vml = hasNext ? vml : null;
            }
            run.clear();
        }

        /** Adds an image or button of a run without text, with the VML button before it. */
        private void addInline(PieceNode node) {
            if (node.kind == NodeKind.HIDDEN) {
                vml = isCopy(node) ? node : vml;
            } else if (node.inks > 0) {
                PieceUnit unit = vml != null ? PieceUnit.behindCopy(node, vml) : PieceUnit.of(node);
                units.add(unit);
                inline.add(unit);
                vml = null;
            }
        }

        /** Adds a block, with the VML button before it if the block may be its link. */
        void add(PieceNode block) {
            boolean hasCopy = vml != null && (block.links == 1 || block.is("a"));
            units.add(hasCopy ? PieceUnit.behindCopy(block, vml) : PieceUnit.of(block));
            vml = null;
        }

        /** All units, after the last run. A text without an element of its own is one if there is no other; images beside several would become a part of them. */
        List<PieceUnit> all() {
            boolean mayHaveText = container != null && !container.is("table") && !container.is("tr") && !container.isRowGroup();
            if (texts == 1 && !hasUnbalancedText && inline.isEmpty() && mayHaveText) {
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

    /** True for a conditional comment with a link, such as a VML button. */
    private static boolean isCopy(PieceNode hidden) {
        return hidden.hidden.stream().anyMatch(token -> token.kind() == Html.HtmlKind.START && token.attribute("href") != null);
    }

    /** A text without an element of its own, from its first visible part to the last. */
    private PieceUnit textOf(PieceNode container, List<PieceNode> run) {
        int from = -1;
        int to = -1;
        for (PieceNode node : run) {
            if (node.inks > 0 && !node.isInvisible || node.isGroup()) {
                from = from < 0 ? node.from : from;
                to = node.to;
            }
        }
        int begin = Tag.skip(html, from, to);
        return new PieceUnit(container, null, begin, Tag.skipBack(html, begin, to), true);
    }

    /** True if a run has text outside images and buttons. */
    private boolean isText(List<PieceNode> run) {
        return run.stream().anyMatch(node -> node.inks > 0 && !node.isInvisible && !PieceLook.isImage(node) && !look.isButton(node));
    }

    /**
     * True for a node that is a unit of its own, as it does not flow in a line of text. What is in a shared block is not known here, nor
     * what is in an empty section: they flow in a line if text is beside them.
     *
     * @param before the node before, or null
     * @param behind the node behind, or null
     */
    private boolean isBlockLevel(PieceNode node, PieceNode before, PieceNode behind) {
        return switch (node.kind) {
            case ELEMENT -> node.isBlockElement() || node.blocks > 0 || isBlockImage(node) || isCopied(before, node);
            case SECTION -> node.inks == 0 ? isApart(before, node, behind)
                    : node.blocks > 0 || node.inks == node.images + node.includes || look.isButton(node);
            case GHOST, SHOWN -> node.blocks > 0 || node.inks > 0 && node.inks == node.images || look.isButton(node) || isCopied(before, node);
            case BLOCK -> isApart(before, node, behind);
            case ROOT, ELSE, SEPARATOR, HIDDEN, TEXT, VALUE, STRAY -> false;
        };
    }

    /** True if no text is beside a shared block or section on its line. */
    private boolean isApart(PieceNode before, PieceNode node, PieceNode behind) {
        return !isBeside(before, node) && !isBeside(node, behind);
    }

    private static boolean isBlockImage(PieceNode node) {
        return node.is("img") && BLOCK_IMAGE.matcher(node.attribute("style")).find();
    }

    /** True for a link with a label and nothing beside it, which has a copy for Outlook before it. */
    static boolean isCopied(PieceNode before, PieceNode node) {
        PieceNode link = PieceLook.link(node);
        boolean isLabelledLink = link != null && node.inks == link.inks && node.inks > node.images;
        return isLabelledLink && before != null && before.kind == NodeKind.HIDDEN && isCopy(before);
    }

    /** True if a shared block or section and the node before or behind it are parts of one line of text; false if either is null. */
    private boolean isBeside(PieceNode one, PieceNode other) {
        if (one == null || other == null) {
            return false;
        }
        boolean isFirst = one.kind == NodeKind.BLOCK || one.kind == NodeKind.SECTION;
        if (!isInText(isFirst ? other : one)) {
            return false;
        }
        int begin = one.kind == NodeKind.TEXT ? Tag.skipBack(html, one.from, one.to) : one.to;
        int end = other.kind == NodeKind.TEXT ? Tag.skip(html, other.from, other.to) : other.from;
        return html.substring(begin, Math.max(begin, end)).indexOf('\n') < 0;
    }

    /** True for words, and for an element within a line of them. */
    private boolean isInText(PieceNode node) {
        boolean isInline = node.kind == NodeKind.ELEMENT && node.inks > 0 && !node.isBlockElement();
        return node.kind == NodeKind.TEXT || node.kind == NodeKind.VALUE || isInline && !PieceLook.isImage(node) && !look.isButton(node);
    }

    /** True if nothing is there, so that a piece can be added. */
    static boolean isBlank(List<PieceNode> nodes) {
        return nodes.stream().allMatch(node -> node.inks == 0 && node.kind == NodeKind.ELEMENT && !node.isBlockElement());
    }
}
