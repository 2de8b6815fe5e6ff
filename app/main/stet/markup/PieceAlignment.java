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
    /** Maximum number of elements looked at around one. */
    private static final int MAX_WAY = 12;

    private final String html;
    private final PieceStyle style;

    PieceAlignment(String html, PieceStyle style) {
        this.html = html;
        this.style = style;
    }

    /** The elements that place a button or an image: tables around it, and the first element that is as wide as what is around that. */
    List<PieceNode> around(PieceNode main) {
        List<PieceNode> around = new ArrayList<>();
        boolean isWide = false;
        PieceNode node = main.parent;
        for (int i = 0; node != null && !isWide && node.inks <= main.inks && i < MAX_WAY; i++) {
            isWide = node.isCell() ? isSized(node) : node.isBlockElement() && !node.is("table") && !node.is("tr") && !node.isRowGroup();
            if (isWide || node.is("table")) {
                around.add(node);
            }
            node = node.parent;
        }
        return around;
    }

    /** True for an inline element, which {@code text-align} places too. */
    boolean isInLine(PieceNode main, List<PieceNode> around) {
        return !"block".equals(value(main, "display")) && around.stream().noneMatch(node -> node.is("table"));
    }

    /** True for a cell of a table with a width. */
    private boolean isSized(PieceNode cell) {
        PieceNode node = cell;
        for (int i = 0; node != null && !node.is("table") && i < MAX_WAY; i++) {
            node = node.parent;
        }
        return node == null || !node.is("table") || !node.attribute("width").isEmpty() || value(node, "width") != null;
    }

    private String value(PieceNode node, String property) {
        PieceStyle.Value own = PieceStyle.own(html, node, property);
        PieceStyle.Value value = own != null ? own : style.find(node, property);
        return value == null ? null : value.text();
    }
}
