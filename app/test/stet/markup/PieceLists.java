package stet.markup;

/** The pieces of an email as text: one line a piece, indented by nesting, and one line a list. */
final class PieceLists {
    private PieceLists() {
    }

    static String of(String html) {
        Pieces pieces = Pieces.of(html);
        if (pieces.problem() != null) {
            return pieces.problem() + "\n";
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < pieces.list().size(); i++) {
            if (pieces.list().get(i).in() < 0) {
                list(pieces, i, "", text);
            }
        }
        pieces.fixed().forEach(each -> text.append("fixed, line ").append(each.line()).append(": ").append(each.why()).append('\n'));
        return text.toString();
    }

    private static void list(Pieces pieces, int number, String indent, StringBuilder text) {
        Pieces.PieceList list = pieces.list().get(number);
        text.append(indent).append(list.form()).append('\n');
        for (int index : list.pieces()) {
            Pieces.Piece piece = pieces.piece().get(index);
            text.append(indent).append("  ").append(piece.kind().word()).append(piece.label().isEmpty() ? "" : " ").append(piece.label()).append('\n');
            for (int i = number + 1; i < pieces.list().size(); i++) {
                if (pieces.list().get(i).in() == index) {
                    list(pieces, i, indent + "    ", text);
                }
            }
        }
    }
}
