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
    private static final int MAX_FIXED = 100;
    private static final int MAX_PENDING = 8;
    /** Maximum number of nodes around an end tag that are searched for what it closes. */
    private static final int MAX_WAY = 20;
    /** Elements that may end without an end tag. */
    private static final Set<String> IMPLIED = Set.of("p", "li", "tr", "td", "th", "tbody", "thead", "tfoot", "dt", "dd", "option", "body", "html", "head", "colgroup");

    private final LineNumbers lines;
    private final String html;
    /** The innermost open node. */
    PieceNode top;
    /** Number of nodes so far. */
    int nodes;
    final List<Fixed> fixed = new ArrayList<>();
    /** Open nodes by the name of the element, or by sign and name of the section. */
    private final Map<String, Deque<PieceNode>> open = new HashMap<>();

    /** @param why the reason, as a sentence without a full stop */
    record Fixed(int from, int to, int line, String why) {
    }

    PieceStack(String html, PieceNode root) {
        this.html = html;
        this.lines = new LineNumbers(html);
        this.top = root;
    }

    PieceNode nearest(String name) {
        Deque<PieceNode> some = open.get(name);
        return some == null ? null : some.peek();
    }

    PieceNode enter(NodeKind kind, String name, Token token, int from, int inner) {
        PieceNode node = new PieceNode(kind, top, name, token, from, inner);
        nodes++;
        top.children.add(node);
        top = node;
        open.computeIfAbsent(key(node), any -> new ArrayDeque<>()).push(node);
        return node;
    }

    private static String key(PieceNode node) {
        return switch (node.kind) {
            case SECTION -> "#" + sectionName(node.name);
            case GHOST -> "<ghost";
            case SHOWN -> "<shown";
            default -> node.name;
        };
    }

    void leaveUpTo(PieceNode node, int at) {
        while (top != node) {
            leave(top, at, false);
        }
        leave(node, at, false);
    }

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
        int end = at;
        while (end > node.inner && Tag.isBlank(html.charAt(end - 1))) {
            end--;
        }
        node.close = end;
        node.to = end;
        node.hasNoEnd = true;
        if (node.kind != NodeKind.ELEMENT || !IMPLIED.contains(node.name)) {
            node.why = node.kind == NodeKind.SECTION ? node.shown() + " is not closed" : node.kind == NodeKind.ELEMENT ? "<" + node.name + "> is not closed"
                    : "a conditional comment opens what no other one closes";
            pend(node.parent, node);
        } else if (atSection) {
            pend(node.parent, node);
        }
        finish(node);
    }

    private static void pend(PieceNode parent, PieceNode node) {
        parent.pending = parent.pending == null ? new ArrayList<>(1) : parent.pending;
        if (parent.pending.size() < MAX_PENDING) {
            parent.pending.add(node);
        }
    }

    void finish(PieceNode node) {
        top = node.parent;
        if (node.parent == null) {
            reportPending(node);
            return;
        }
        open.get(key(node)).pop();
        if (node.pending != null) {
            if (node.kind == NodeKind.SECTION) {
                for (PieceNode each : node.pending) {
                    if (each.why != null) {
                        node.why = node.why != null ? node.why : outside(each) + " is opened inside " + node.shown() + " and closed outside";
                    }
                    pend(node.parent, each);
                }
            } else if (!node.hasNoEnd && (node.is("table") || node.isCell()) || node.is("body")) {
                reportPending(node);
            } else {
                for (PieceNode each : node.pending) {
                    node.why = node.why != null || each.why == null ? node.why : each.why;
                    pend(node.parent, each);
                }
            }
        }
        if (node.why != null && (node.kind == NodeKind.SECTION || node.kind == NodeKind.GHOST)) {
            fix(node.from, node.to, node.why);
        }
        node.addToParent();
    }

    private void reportPending(PieceNode node) {
        if (node.pending != null) {
            node.pending.stream().filter(each -> each.why != null && each.kind == NodeKind.ELEMENT)
                    .forEach(each -> fix(each.from, each.inner, "<" + each.name + "> is not closed"));
        }
    }

    private static String outside(PieceNode node) {
        return node.kind == NodeKind.ELEMENT ? "a <" + node.name + ">" : node.kind == NodeKind.SECTION ? node.shown() : "a conditional comment";
    }

    /** An end of something that is not open here. */
    void stray(Token token, String name, String shown) {
        PieceNode opened = top.pending == null ? null : top.pending.stream().filter(each -> each.name.equals(name)).findFirst().orElse(null);
        PieceNode node = null;
        if (opened != null) {
            top.pending.remove(opened);
            PieceNode section = opened.parent;
            while (section != top && section.kind != NodeKind.SECTION) {
                section = section.parent;
            }
            if (section == top) {
                return; // elements that end in the wrong order, which do not reach beyond this node
            }
            if (section.why == null) {
                section.why = outside(opened) + " is opened inside " + section.shown() + " and closed outside";
                fix(section.from, section.to, section.why);
            }
            node = leaf(NodeKind.STRAY, name, token);
            node.why = section.why;
        } else if (top.sectionWall > 0 && (nearest(name) != null || isPendingAround(name))) {
            PieceNode section = top;
            while (section.kind != NodeKind.SECTION) {
                section = section.parent;
            }
            section.why = section.why != null ? section.why : shown + " inside " + section.shown() + " closes what is opened outside";
            leaf(NodeKind.STRAY, name, token);
        } else {
            fix(token.start(), token.end(), shown + " closes nothing");
        }
    }

    /** True if a section before the surrounding one opens such an element. */
    private boolean isPendingAround(String name) {
        PieceNode node = top;
        for (int way = 0; node != null && way < MAX_WAY; way++, node = node.parent) {
            if (node.pending != null && node.pending.removeIf(each -> each.name.equals(name))) {
                return true;
            }
        }
        return false;
    }

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

    void fix(int from, int to, String why) {
        if (fixed.size() < MAX_FIXED) {
            fixed.add(new Fixed(from, to, lines.of(from), why));
        }
    }
}
