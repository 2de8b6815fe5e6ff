package stet.markup;

import stet.base.Excerpt;
import stet.markup.Html.Token;
import stet.markup.PieceNode.NodeKind;

/** Labels of pieces: their first words. */
final class PieceLabels {
    private static final int MAX_LABEL = 60;
    /** Maximum length of a tag or a text that is read for a label. */
    private static final int MAX_READ = 300;

    private final String html;
    private final PieceTree tree;

    PieceLabels(String html, PieceTree tree) {
        this.html = html;
        this.tree = tree;
    }

    /** The first words of a piece, the alternative text of an image, or the tag of a section or shared block. */
    String of(PieceUnit unit, PieceKinds.FoundPiece found) {
        PieceNode main = found.main();
        if (main.kind == NodeKind.SECTION || main.kind == NodeKind.BLOCK) {
            return shortened(html.substring(main.from, Math.min(main.inner, main.from + MAX_READ)));
        }
        StringBuilder label = new StringBuilder();
        for (int i = firstWord(unit.from()); i < tree.words.size() && tree.words.get(i).start() < unit.to() && label.length() <= MAX_LABEL; i++) {
            Token word = tree.words.get(i);
            int from = Tag.skip(html, Math.max(word.start(), unit.from()), word.end());
            boolean isApart = from > word.start() || from > 0 && Tag.isBlank(html.charAt(from - 1)) || i > 0 && from > tree.words.get(i - 1).end();
            label.append(label.length() > 0 && isApart ? " " : "").append(html, from, Math.min(word.end(), from + MAX_READ));
        }
        PieceNode image = main.kind == NodeKind.ELEMENT ? main.image : unit.main().image;
        return shortened(label.length() == 0 && image != null ? Entities.decode(image.attribute("alt")) : Entities.decode(label.toString()));
    }

    /** A label in one line, with at most {@link #MAX_LABEL} characters. */
    private static String shortened(String label) {
        String line = label.replaceAll("[\\s\\u00a0\\u200b-\\u200d\\u00ad\\u034f]+", " ").strip();
        return line.length() <= MAX_LABEL ? line : Excerpt.start(line, MAX_LABEL - 1) + "…";
    }

    /** Index of the first visible text that ends after a place. */
    int firstWord(int place) {
        int low = 0;
        int high = tree.words.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (tree.words.get(middle).end() <= place) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
