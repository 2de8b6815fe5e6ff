package stet.markup;

import java.util.ArrayList;
import java.util.List;

/**
 * Where the alignment of a button or an image comes from. What is only as wide as its content places nothing in it:
 *
 * <pre>
 * &lt;td align="right"&gt; &lt;table&gt; &lt;td align="center"&gt; &lt;a&gt;Go&lt;/a&gt;      the outer cell places the button, the inner one does not
 * </pre>
 */
final class PieceAlignment {
    /** Maximum number of elements examined around one. */
    private static final int MAX_DISTANCE = 12;

    private final PieceStyle style;

    PieceAlignment(PieceStyle style) {
        this.style = style;
    }

    /** The elements that place a button or an image: tables around it, and the first element that is as wide as what is around that. */
    List<PieceNode> around(PieceNode main) {
        List<PieceNode> around = new ArrayList<>();
        boolean isWide = false;
        PieceNode node = main.parent;
        for (int i = 0; node != null && !isWide && node.inks <= main.inks && i < MAX_DISTANCE; i++) {
            boolean isBlock = node.isBlockElement() && !node.is("table") && !node.is("tr") && !node.isRowGroup();
            isWide = node.isCell() ? isSized(node) : isBlock;
            if (isWide || node.is("table")) {
                around.add(node);
            }
            node = node.parent;
        }
        return around;
    }

    /** True for an inline element, which {@code text-align} places, too. @param around see {@link #around} */
    boolean isInLine(PieceNode main, List<PieceNode> around) {
        return !"block".equals(style.text(main, "display")) && around.stream().noneMatch(node -> node.is("table"));
    }

    /** True for a cell of a table with a width. */
    private boolean isSized(PieceNode cell) {
        PieceNode node = cell;
        for (int i = 0; node != null && !node.is("table") && i < MAX_DISTANCE; i++) {
            node = node.parent;
        }
        return node == null || !node.is("table") || !node.attribute("width").isEmpty() || style.text(node, "width") != null;
    }
}
