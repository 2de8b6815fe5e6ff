package stet.markup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import stet.markup.Html.HtmlKind;
import stet.markup.Html.Token;

/** The elements that a conditional comment for Outlook opens and closes. */
final class PieceRegion {
    /** Elements whose nesting in conditional comments does not matter. */
    private static final Set<String> IMPLIED_INSIDE = Set.of("p", "li", "xml", "style", "head", "html", "body", "tbody");

    final int from;
    final Deque<String> opened = new ArrayDeque<>();
    final List<String> closed = new ArrayList<>();
    final List<Token> tokens = new ArrayList<>();
    int sections;

    PieceRegion(int from) {
        this.from = from;
    }

    void read(Token token) {
        switch (token.kind()) {
            case START -> {
                tokens.add(token);
                if (!token.isVoid() && !token.source().endsWith("/>") && !IMPLIED_INSIDE.contains(token.name())) {
                    opened.push(token.name());
                }
            }
            case END -> end(token.name());
            case TEXT, TAG -> {
                sections += token.kind() == HtmlKind.TAG ? section(token.tagKind()) : 0;
                tokens.add(token);
            }
            default -> { }
        }
    }

    private static int section(Tag.TagKind kind) {
        return kind == Tag.TagKind.OPEN || kind == Tag.TagKind.PARTIAL_BLOCK ? 1 : kind == Tag.TagKind.CLOSE ? -1 : 0;
    }

    private void end(String name) {
        if (IMPLIED_INSIDE.contains(name)) {
            return;
        }
        if (opened.isEmpty()) {
            closed.add(name);
        } else if (opened.peek().equals(name)) {
            opened.pop();
        } else if (opened.contains(name)) {
            while (!opened.pop().equals(name)) { // elements that were not closed
                continue;
            }
        }
    }
}
