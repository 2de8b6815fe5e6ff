package stet.markup;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import stet.markup.PieceNode.NodeKind;

/** Whether an element looks like a button, an image or a line, by its attributes, its style and its classes. */
final class PieceLook {
    private static final Pattern NO_COLOUR = Pattern.compile("transparent|none|inherit|initial");
    private static final Pattern BUTTON_CLASS = Pattern.compile("(?:^|[\\s_-])(?:btn|button|cta)(?:$|[\\s_-])|mcnButton", Pattern.CASE_INSENSITIVE);
    private static final Pattern LINE_CLASS = Pattern.compile("(?:^|[\\s_-])(?:divider|hr|rule|line|separator)(?:$|[\\s_-])|mcnDivider", Pattern.CASE_INSENSITIVE);
    /** Maximum length of a button's label, in tokens, and of the way from a button's link to its background. */
    private static final int MAX_INKS = 6;
    private static final int MAX_WAY = 12;
    /** Maximum number of elements examined for a line. */
    private static final int MAX_LOOKED = 30;

    private final String html;
    private final PieceStyle style;

    PieceLook(String html, PieceStyle style) {
        this.html = html;
        this.style = style;
    }

    /** The only link of a node: itself, or one inside. */
    static PieceNode link(PieceNode node) {
        return node.is("a") ? node : node.link;
    }

    static boolean isImage(PieceNode node) {
        return node.images == 1 && node.inks == 1 && node.headings == 0;
    }

    /** True for one link that looks like a button, with nothing visible outside it. */
    boolean isButton(PieceNode node) {
        PieceNode link = link(node);
        if (link == null || node.links + (node.is("a") ? 1 : 0) != 1 || node.inks != link.inks || node.images > 0 || node.headings > 0
                || link.inks == 0 || link.inks > MAX_INKS || node.tags > 0) {
            return false;
        }
        boolean hasShape = isSet(link, "padding") || isSet(link, "display") || isSet(link, "border-radius") || isSet(link, "line-height");
        PieceNode each = link;
        for (PieceNode inside = only(link); inside != null; inside = only(inside)) {
            if (background(inside) != null || BUTTON_CLASS.matcher(inside.attribute("class")).find()) {
                return true;
            }
        }
        for (int way = 0; way < MAX_WAY; way++, each = each.parent) {
            String background = background(each);
            boolean isPlain = background == null || isWhite(background);
            if (BUTTON_CLASS.matcher(each.attribute("class")).find() && each.inks == link.inks || each == link && (!isPlain || hasBorder(each) && hasShape)) {
                return true;
            }
            if (!isPlain && (hasShape || isSet(each, "border-radius")) && !background.equals(outerBackground(each.parent))) {
                return true;
            }
            if (each == node) {
                return hasCopy(node) || hasCopy(link.parent);
            }
        }
        return false;
    }

    /** True if Outlook gets a button of its own in a conditional comment. */
    private static boolean hasCopy(PieceNode node) {
        return node != null && node.children.stream().anyMatch(child -> child.kind == NodeKind.HIDDEN
                && child.hidden.stream().anyMatch(token -> token.kind() == Html.HtmlKind.START && token.name().startsWith("v:") && token.attribute("href") != null));
    }

    private static PieceNode only(PieceNode node) {
        PieceNode only = null;
        for (PieceNode child : node.children) {
            if (child.kind == NodeKind.ELEMENT && child.inks > 0) {
                if (only != null) {
                    return null;
                }
                only = child;
            }
        }
        return only;
    }

    private String outerBackground(PieceNode node) {
        PieceNode each = node;
        for (int way = 0; each != null && way < MAX_WAY; way++, each = each.parent) {
            String background = background(each);
            if (background != null) {
                return background;
            }
        }
        return "";
    }

    /** An element's background colour; null if it has none. */
    String background(PieceNode node) {
        if (node.kind != NodeKind.ELEMENT) {
            return null;
        }
        String found = value(node, "background-color");
        if (found == null) {
            found = value(node, "background");
        }
        if (found == null) {
            found = node.attribute("bgcolor"); // empty if there is none
        }
        String colour = found.strip().toLowerCase(Locale.ROOT);
        return colour.isEmpty() || NO_COLOUR.matcher(colour).lookingAt() ? null : colour;
    }

    private static boolean isWhite(String colour) {
        return colour.equals("#fff") || colour.equals("#ffffff") || colour.equals("white");
    }

    private boolean hasBorder(PieceNode node) {
        String border = value(node, "border");
        return border != null && !border.startsWith("0") && !border.startsWith("none");
    }

    private boolean isSet(PieceNode node, String property) {
        String value = value(node, property);
        return value != null && !value.startsWith("0");
    }

    /** The value of a property in the style attribute or from a class; null if there is none. */
    String value(PieceNode node, String property) {
        if (node.kind != NodeKind.ELEMENT) {
            return null;
        }
        PieceStyle.Value own = PieceStyle.own(html, node, property);
        PieceStyle.Value value = own != null ? own : style.find(node, property);
        return value == null ? null : value.text();
    }

    /** True for something empty that shows a line. */
    boolean hasLine(PieceNode node) {
        Deque<PieceNode> waiting = new ArrayDeque<>(List.of(node));
        for (int looked = 0; !waiting.isEmpty() && looked < MAX_LOOKED; looked++) {
            PieceNode each = waiting.pop();
            if (each.kind == NodeKind.ELEMENT && (each.is("hr") || isLine(each))) {
                return true;
            }
            each.children.forEach(waiting::add);
        }
        return false;
    }

    private boolean isLine(PieceNode node) {
        for (String property : List.of("border-top", "border-bottom", "border")) {
            String border = value(node, property);
            if (border != null && !border.startsWith("0") && !border.startsWith("none")) {
                return true;
            }
        }
        String height = value(node, "height");
        height = height == null ? node.attribute("height") : height;
        boolean isThin = height.matches("[1-5](?:px)?");
        return isThin && background(node) != null && !isWhite(background(node)) || LINE_CLASS.matcher(node.attribute("class")).find();
    }
}
