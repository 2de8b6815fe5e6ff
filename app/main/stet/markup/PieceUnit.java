package stet.markup;

import stet.markup.PieceNode.NodeKind;

/**
 * A part of a container that can change places as a whole.
 *
 * @param main   its node; for a text without an element of its own, the container
 * @param hidden its copy for Outlook in a conditional comment; null if there is none
 * @param isRun  true for a text without an element of its own
 */
record PieceUnit(PieceNode main, PieceNode hidden, int from, int to, boolean isRun) {
    static PieceUnit of(PieceNode node) {
        return new PieceUnit(node, null, node.from, node.to, false);
    }

    /** A button behind its copy for Outlook, which moves along. */
    static PieceUnit behindCopy(PieceNode node, PieceNode copy) {
        return new PieceUnit(node, copy, copy.from, node.to, false);
    }

    /** True for a row of a table, or a section or conditional comment around rows. */
    boolean isRow() {
        PieceNode node = main;
        while (node != null && node.isGroup()) {
            PieceNode next = null;
            for (PieceNode child : node.children) {
                if (child.is("tr")) {
                    return true;
                }
                next = next == null && child.isGroup() ? child : next;
            }
            node = next;
        }
        return !isRun && node != null && node.is("tr");
    }

    /** True if all of it can be moved: no bracket is open at its end that was not at its start. */
    boolean isBalanced() {
        return isRun || main.why == null && !main.hasNoEnd;
    }

    boolean isSection() {
        return !isRun && main.kind == NodeKind.SECTION;
    }
}
