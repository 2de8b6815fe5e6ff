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
    private static final Pattern LINE_CLASS =
            Pattern.compile("(?:^|[\\s_-])(?:divider|hr|rule|line|separator)(?:$|[\\s_-])|mcnDivider", Pattern.CASE_INSENSITIVE);
    /** Maximum length of a button's label, in tokens, and distance from a button's link to its background, in elements. */
    private static final int MAX_INKS = 6;
    private static final int MAX_DISTANCE = 12;
    /** Properties that give a link the shape of a button. */
    private static final List<String> SHAPE = List.of("padding", "display", "border-radius", "line-height");
    /** Maximum number of elements examined for a line. */
    private static final int MAX_LOOKED = 30;

    private final PieceStyle style;

    PieceLook(PieceStyle style) {
        this.style = style;
    }

    /** A node's link: itself, or the first one inside; null if there is none. */
    static PieceNode link(PieceNode node) {
        return node.is("a") ? node : node.link;
    }

    static boolean isImage(PieceNode node) {
        return node.images == 1 && node.inks == 1 && node.headings == 0;
    }

    /** True for one link that looks like a button, with nothing visible outside it. */
    boolean isButton(PieceNode node) {
        PieceNode link = link(node);
        if (link == null || !isOnlyLink(link, node) || link.inks == 0 || link.inks > MAX_INKS) {
            return false;
        }
        if (hasButtonInside(link)) {
            return true;
        }
        PieceNode each = link;
        for (int distance = 0; distance < MAX_DISTANCE; distance++, each = each.parent) {
            if (isButtonAround(each, link)) {
                return true;
            }
            if (each == node) {
                return hasCopy(node) || hasCopy(link.parent);
            }
        }
        return false;
    }

    /** True if a node shows nothing but the text of a link. */
    private static boolean isOnlyLink(PieceNode link, PieceNode node) {
        int links = node.links + (node.is("a") ? 1 : 0);
        return links == 1 && node.inks == link.inks && node.images == 0 && node.headings == 0 && node.tags == 0;
    }

    /** True if an element around the whole label of a link has a background or is called a button. */
    private boolean hasButtonInside(PieceNode link) {
        for (PieceNode inside = aroundAll(link); inside != null; inside = aroundAll(inside)) {
            if (background(inside) != null || isCalledButton(inside)) {
                return true;
            }
        }
        return false;
    }

    /** True if a link, or an element around it, makes the link look like a button. */
    private boolean isButtonAround(PieceNode node, PieceNode link) {
        boolean hasShape = SHAPE.stream().anyMatch(property -> isSet(link, property));
        String background = background(node);
        boolean isColoured = background != null && !isWhite(background);
        if (node == link && (isColoured || hasShape && hasBorder(link, "border"))) {
            return true;
        }
        if (node.inks == link.inks && isCalledButton(node)) {
            return true;
        }
        return isColoured && (hasShape || isSet(node, "border-radius")) && !background.equals(outerBackground(node.parent));
    }

    private static boolean isCalledButton(PieceNode node) {
        return BUTTON_CLASS.matcher(node.attribute("class")).find();
    }

    /** True if Outlook gets a button of its own in a conditional comment. */
    private static boolean hasCopy(PieceNode node) {
        return node != null && node.children.stream().filter(child -> child.kind == NodeKind.HIDDEN).flatMap(child -> child.hidden.stream())
                .anyMatch(token -> token.kind() == Html.HtmlKind.START && token.name().startsWith("v:") && token.attribute("href") != null);
    }

    /** The element directly inside a node that is around all that is visible in it; null if there is none. */
    private static PieceNode aroundAll(PieceNode node) {
        for (PieceNode child : node.children) {
            if (child.kind == NodeKind.ELEMENT && child.inks > 0 && child.inks == node.inks) {
                return child;
            }
        }
        return null;
    }

    /** The background of the nearest element that has one, from a node outwards; empty if none has. */
    private String outerBackground(PieceNode node) {
        PieceNode each = node;
        for (int distance = 0; each != null && distance < MAX_DISTANCE; distance++, each = each.parent) {
            String background = background(each);
            if (background != null) {
                return background;
            }
        }
        return "";
    }

    /** An element's background in lower case: a colour, image or gradient as written; null if it has none. */
    String background(PieceNode node) {
        if (node.kind != NodeKind.ELEMENT) {
            return null;
        }
        String found = style.text(node, "background-color");
        if (found == null) {
            found = style.text(node, "background");
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

    private boolean hasBorder(PieceNode node, String property) {
        String border = style.text(node, property);
        return border != null && !border.startsWith("0") && !border.startsWith("none");
    }

    private boolean isSet(PieceNode node, String property) {
        String value = style.text(node, property);
        return value != null && !value.startsWith("0");
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
        if (hasBorder(node, "border-top") || hasBorder(node, "border-bottom") || hasBorder(node, "border")) {
            return true;
        }
        String height = style.text(node, "height");
        boolean isThin = (height == null ? node.attribute("height") : height).matches("[1-5](?:px)?");
        String background = background(node);
        boolean isColoured = background != null && !isWhite(background);
        return isThin && isColoured || LINE_CLASS.matcher(node.attribute("class")).find();
    }
}
