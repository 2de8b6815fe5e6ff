package stet.markup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import stet.markup.Html.Token;
import stet.markup.PieceNode.NodeKind;

/**
 * The brackets that are open while a {@link PieceTree} is read, and what is not balanced. An element that is not closed where it should be
 * is passed on to the nodes around it, up to its cell or table, until its end tag comes after all.
 */
final class PieceStack {
    /** Keys of what conditional comments surround; no element has such a name. */
    static final String GHOST = "<ghost";
    static final String SHOWN = "<shown";
    private static final int MAX_FIXED = 100;
    /** Maximum number of elements that are passed on to one node. */
    private static final int MAX_PENDING = 8;
    /** Maximum number of nodes around an end tag that are searched for what it closes. */
    private static final int MAX_DISTANCE = 20;
    /** Elements that may end without an end tag. */
    private static final Set<String> IMPLIED = Set.of("p", "li", "tr", "td", "th", "tbody", "thead", "tfoot", "dt", "dd", "option",
            "body", "html", "head", "colgroup");

    private final LineNumbers lines;
    private final String html;
    /** The innermost open node. */
    PieceNode top;
    /** Number of nodes so far. */
    int nodes;
    final List<Fixed> fixed = new ArrayList<>();
    /** Open nodes by {@link #key}, innermost first. */
    private final Map<String, Deque<PieceNode>> open = new HashMap<>();

    /** A range that cannot be changed in <em>Write</em>. @param why the reason, as a sentence without a full stop */
    record Fixed(int from, int to, int line, String why) {
    }

    PieceStack(String html, PieceNode root) {
        this.html = html;
        this.lines = new LineNumbers(html);
        this.top = root;
    }

    /** The innermost open node with a {@link #key}; null if there is none. */
    PieceNode nearest(String key) {
        Deque<PieceNode> some = open.get(key);
        return some == null ? null : some.peek();
    }

    /** Opens a node. @param token the start tag, or null @param inner end of the start tag or opening tag */
    PieceNode enter(NodeKind kind, String name, Token token, int from, int inner) {
        PieceNode node = new PieceNode(kind, top, name, token, from, inner);
        nodes++;
        top.children.add(node);
        top = node;
        open.computeIfAbsent(key(node), any -> new ArrayDeque<>()).push(node);
        return node;
    }

    /** The name of an element, {@code #} and the name of a section, or {@link #GHOST} or {@link #SHOWN}. */
    private static String key(PieceNode node) {
        return switch (node.kind) {
            case SECTION -> "#" + sectionName(node.name);
            case GHOST -> GHOST;
            case SHOWN -> SHOWN;
            default -> node.name;
        };
    }

    /** Ends an open node that has no end tag, and all in it. */
    void leaveUpTo(PieceNode node, int at) {
        while (top != node) {
            leave(top, at, false);
        }
        leave(node, at, false);
    }

    /** Ends an open node with its end tag, and all in it. @param close start of the end tag @param to its end */
    void close(PieceNode node, int close, int to) {
        while (top != node) {
            leave(top, close, node.kind == NodeKind.SECTION);
        }
        node.close = close;
        node.to = to;
        finish(node);
    }

    /** Ends a node that has no end tag. @param atSection true if its section ends */
    void leave(PieceNode node, int at, boolean atSection) {
        int end = Tag.skipBack(html, node.inner, at);
        node.close = end;
        node.to = end;
        node.hasNoEnd = true;
        boolean mayEnd = node.kind == NodeKind.ELEMENT && IMPLIED.contains(node.name);
        if (!mayEnd) {
            node.why = switch (node.kind) {
                case SECTION -> node.shown() + " is not closed";
                case ELEMENT -> "<" + node.name + "> is not closed";
                default -> "a conditional comment opens what no other one closes";
            };
        }
        if (!mayEnd || atSection) {
            pend(node.parent, node);
        }
        finish(node);
    }

    /** Passes a node that is not closed on to the one around it. */
    private static void pend(PieceNode parent, PieceNode node) {
        parent.pending = parent.pending == null ? new ArrayList<>(1) : parent.pending;
        if (parent.pending.size() < MAX_PENDING) {
            parent.pending.add(node);
        }
    }

    /**
     * Takes a node whose end is known from the stack, adds what is visible in it to its parent, and passes on or reports what is not closed
     * in it.
     */
    void finish(PieceNode node) {
        top = node.parent;
        if (node.parent == null) {
            reportPending(node);
            return;
        }
        open.get(key(node)).pop();
        boolean isClosedWall = !node.hasNoEnd && (node.is("table") || node.isCell());
        if (isClosedWall || node.is("body")) {
            reportPending(node);
        } else if (node.pending != null) {
            node.pending.forEach(each -> passOn(node, each));
        }
        if (node.why != null && (node.kind == NodeKind.SECTION || node.kind == NodeKind.GHOST)) {
            fix(node.from, node.to, node.why);
        }
        node.addToParent();
    }

    /** Passes what is not closed in a node on to its parent. The node itself cannot be moved then. */
    private static void passOn(PieceNode node, PieceNode pending) {
        if (node.why == null && pending.why != null) {
            node.why = node.kind == NodeKind.SECTION ? closedOutside(pending, node) : pending.why;
        }
        pend(node.parent, pending);
    }

    private static String closedOutside(PieceNode node, PieceNode section) {
        return described(node) + " is opened inside " + section.shown() + " and closed outside";
    }

    /** Reports the elements in a node that nothing around it can close. */
    private void reportPending(PieceNode node) {
        if (node.pending != null) {
            node.pending.stream().filter(each -> each.why != null && each.kind == NodeKind.ELEMENT)
                    .forEach(each -> fix(each.from, each.inner, "<" + each.name + "> is not closed"));
        }
    }

    private static String described(PieceNode node) {
        return switch (node.kind) {
            case ELEMENT -> "a <" + node.name + ">";
            case SECTION -> node.shown();
            default -> "a conditional comment";
        };
    }

    /** Reads an end tag of an element that is not open here. */
    void stray(Token token) {
        String name = token.name();
        PieceNode opened = pending(top, name);
        if (opened != null) {
            top.pending.remove(opened);
            closeOutside(opened, token);
        } else if (top.sectionWall > 0 && (nearest(name) != null || takePendingAround(name))) {
            PieceNode section = top;
            while (section.kind != NodeKind.SECTION) {
                section = section.parent;
            }
            section.why = section.why != null ? section.why : "</" + name + "> inside " + section.shown() + " closes what is opened outside";
            leaf(NodeKind.STRAY, name, token);
        } else {
            fix(token.start(), token.end(), "</" + name + "> closes nothing");
        }
    }

    /** Reads the end tag of an element that was passed on to the innermost open node: its section cannot be moved. */
    private void closeOutside(PieceNode opened, Token token) {
        PieceNode section = opened.parent;
        while (section != top && section.kind != NodeKind.SECTION) {
            section = section.parent;
        }
        if (section == top) {
            return; // elements that end in the wrong order, which do not reach beyond this node
        }
        if (section.why == null) {
            section.why = closedOutside(opened, section);
            fix(section.from, section.to, section.why);
        }
        leaf(NodeKind.STRAY, opened.name, token).why = section.why;
    }

    /** Takes the innermost element of this name that was passed on to a node around. @return false if there is none */
    private boolean takePendingAround(String name) {
        PieceNode node = top;
        for (int distance = 0; node != null && distance < MAX_DISTANCE; distance++, node = node.parent) {
            PieceNode opened = pending(node, name);
            if (opened != null) {
                node.pending.remove(opened);
                return true;
            }
        }
        return false;
    }

    /** The innermost element of this name that was passed on to a node; null if there is none. */
    private static PieceNode pending(PieceNode node, String name) {
        return node.pending == null ? null : node.pending.stream().filter(each -> each.name.equals(name)).findFirst().orElse(null);
    }

    /** Adds a node without content. */
    PieceNode leaf(NodeKind kind, String name, Token token) {
        PieceNode node = new PieceNode(kind, top, name, token, token.start(), token.end());
        nodes++;
        top.children.add(node);
        return node;
    }

    /** The name that closes a section: {@code if} for {@code #if vip}. */
    static String sectionName(String words) {
        int from = 0;
        while (from < words.length() && "#^>* \t\n\r".indexOf(words.charAt(from)) >= 0) {
            from++;
        }
        int to = from;
        while (to < words.length() && !Tag.isBlank(words.charAt(to))) {
            to++;
        }
        return words.substring(from, to);
    }

    /** Records a range that cannot be changed in <em>Write</em>; see {@link Fixed}. */
    void fix(int from, int to, String why) {
        if (fixed.size() < MAX_FIXED) {
            fixed.add(new Fixed(from, to, lines.of(from), why));
        }
    }
}
