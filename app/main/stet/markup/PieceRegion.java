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
    /** Elements that it opens and does not close, innermost first. */
    final Deque<String> opened = new ArrayDeque<>();
    /** Elements that it closes and did not open. */
    final List<String> closed = new ArrayList<>();
    /** Start tags, text and Handlebars tags. */
    final List<Token> tokens = new ArrayList<>();
    /** Number of sections that it opens, less those that it closes. */
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
                sections += token.kind() == HtmlKind.TAG ? opening(token.tagKind()) : 0;
                tokens.add(token);
            }
            default -> { }
        }
    }

    /** Number of sections that a tag opens; negative if it closes one. */
    private static int opening(Tag.TagKind kind) {
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
