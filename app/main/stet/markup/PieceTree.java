package stet.markup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import stet.markup.Html.HtmlKind;
import stet.markup.Html.Token;
import stet.markup.PieceNode.NodeKind;

/**
 * The brackets of a draft, nested: elements, sections, tables that only Outlook sees, and what Outlook does not see.
 *
 * <pre>
 * &lt;td&gt;{{#if vip}}&lt;!--[if mso]&gt;&lt;table&gt;&lt;tr&gt;&lt;td&gt;&lt;![endif]--&gt;&lt;p&gt;Hi&lt;/p&gt;&lt;!--[if mso]&gt;&lt;/td&gt;&lt;/tr&gt;&lt;/table&gt;&lt;![endif]--&gt;{{/if}}&lt;/td&gt;
 * ELEMENT  SECTION      GHOST (leaves 3 open)              ELEMENT       closes 3                          end of both
 * </pre>
 *
 * Elements end as in browsers: {@code </td>} closes what is open in the cell, and {@code <tr>} an open row. No element ends outside its
 * section: what a section opens and does not close is reported in {@link #fixed}, and cannot be moved. Reading takes linear time.
 */
final class PieceTree {
    /** Maximum number of nodes; further ones are not read. */
    static final int MAX_NODES = 100_000;
    private static final int MAX_FIXED = 100;
    private static final int MAX_PENDING = 8;
    /** Maximum number of nodes around an end tag that are searched for what it closes. */
    private static final int MAX_WAY = 20;
    /** Elements that may end without an end tag. */
    private static final Set<String> IMPLIED = Set.of("p", "li", "tr", "td", "th", "tbody", "thead", "tfoot", "dt", "dd", "option", "body", "html", "head", "colgroup");
    /** Elements that a start tag of the same group ends. */
    private static final Map<String, Set<String>> ENDED = Map.of("tr", Set.of("tr", "td", "th"), "td", Set.of("td", "th"), "th", Set.of("td", "th"),
            "li", Set.of("li"), "tbody", Set.of("tbody", "thead", "tfoot", "tr", "td", "th"), "thead", Set.of("tbody", "thead", "tfoot", "tr", "td", "th"),
            "tfoot", Set.of("tbody", "thead", "tfoot", "tr", "td", "th"), "dt", Set.of("dt", "dd"), "dd", Set.of("dt", "dd"));

    private final String html;
    private final LineNumbers lines;
    final PieceNode root = new PieceNode(NodeKind.ROOT, null, "", null, 0, 0);
    /** What cannot be changed in the structure. */
    final List<Fixed> fixed = new ArrayList<>();
    /** Content of style elements outside conditional comments. */
    final List<Token> styles = new ArrayList<>();
    /** Visible texts and values, in order. */
    final List<Token> words = new ArrayList<>();
    boolean isTooLarge;
    private PieceNode top = root;
    private int nodes;
    /** Open nodes by the name of the element, or by sign and name of the section. */
    private final Map<String, Deque<PieceNode>> open = new HashMap<>();
    private String rawElement = "";
    /** The conditional comment that is being read; null outside. */
    private Region region;

    /** @param why the reason, as a sentence without a full stop */
    record Fixed(int from, int to, int line, String why) {
    }

    /** What a conditional comment opens and closes. */
    private static final class Region {
        final int from;
        final Deque<String> opened = new ArrayDeque<>();
        final List<String> closed = new ArrayList<>();
        final List<Token> tokens = new ArrayList<>();
        int sections;

        Region(int from) {
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

    /** Elements whose nesting in conditional comments does not matter. */
    private static final Set<String> IMPLIED_INSIDE = Set.of("p", "li", "xml", "style", "head", "html", "body", "tbody");

    private PieceTree(String html) {
        this.html = html;
        this.lines = new LineNumbers(html);
    }

    static PieceTree of(String html) {
        PieceTree tree = new PieceTree(html);
        for (Token token : Html.in(html)) {
            tree.read(token);
            if (tree.nodes > MAX_NODES) {
                tree.isTooLarge = true;
                return tree;
            }
        }
        while (tree.top != tree.root) {
            tree.leave(tree.top, html.length(), false);
        }
        tree.root.to = html.length();
        tree.root.close = html.length();
        tree.finish(tree.root);
        return tree;
    }

    private void read(Token token) {
        if (token.kind() == HtmlKind.CONDITION) {
            if (html.startsWith("<!--", token.start())) {
                region = new Region(token.start());
            } else if (region != null) {
                region(region, token.end());
                region = null;
            }
        } else if (token.hidden() && region != null) {
            nodes++;
            region.read(token);
        } else {
            switch (token.kind()) {
                case START -> start(token);
                case END -> end(token);
                case TEXT -> {
                    if (isInk(token.start(), token.end())) {
                        ink(NodeKind.TEXT, token, "");
                    }
                }
                case TAG -> tag(token);
                case RAW -> {
                    if (rawElement.equals("style")) {
                        styles.add(token);
                    }
                }
                case COMMENT, DECLARATION -> shown(token);
                case UNCLOSED -> fix(token.start(), token.end(), "the tag is not closed");
                default -> { }
            }
        }
    }

    // ---- elements

    private void start(Token token) {
        String name = token.name();
        rawElement = name;
        impliedEnds(name, token.start());
        boolean isEmpty = token.isVoid() || token.source().endsWith("/>") && (name.indexOf(':') >= 0 || open.containsKey("svg") && !open.get("svg").isEmpty());
        PieceNode node = enter(NodeKind.ELEMENT, name, token, token.start(), token.end());
        String style = node.attribute("style");
        node.isInvisible |= !style.isEmpty() && PieceStyle.isHidden(style);
        if (isEmpty) {
            if (name.equals("img")) {
                node.inks = 1;
                node.images = 1;
                node.image = node;
            }
            close(node, token.end(), token.end());
        }
    }

    private void impliedEnds(String name, int at) {
        if (PieceNode.BLOCKS.contains(name) && !name.equals("html") && !name.equals("body")) {
            PieceNode paragraph = nearest("p");
            if (paragraph != null && paragraph.depth > top.cellWall) {
                leaveUpTo(paragraph, at);
            }
        }
        Set<String> ended = ENDED.get(name);
        if (ended == null) {
            return;
        }
        int wall = top.tableWall;
        if (name.equals("li") || name.startsWith("d")) {
            wall = Math.max(Math.max(depth(nearest("ul")), depth(nearest("ol"))), Math.max(depth(nearest("dl")), top.cellWall));
        }
        PieceNode outermost = null;
        for (String each : ended) {
            PieceNode found = nearest(each);
            if (found != null && found.depth > wall && (outermost == null || found.depth < outermost.depth)) {
                outermost = found;
            }
        }
        if (outermost != null) {
            leaveUpTo(outermost, at);
        }
    }

    private static int depth(PieceNode node) {
        return node == null ? -1 : node.depth;
    }

    private void end(Token token) {
        String name = token.name();
        PieceNode found = nearest(name);
        int wall = switch (name) {
            case "table", "body", "html" -> top.sectionWall;
            case "td", "th", "tr", "tbody", "thead", "tfoot" -> top.tableWall;
            default -> top.cellWall;
        };
        if (found != null && found.depth > wall) {
            close(found, token.start(), token.end());
        } else {
            stray(token, name, "</" + name + ">");
        }
    }

    private PieceNode nearest(String name) {
        Deque<PieceNode> some = open.get(name);
        return some == null ? null : some.peek();
    }

    private PieceNode enter(NodeKind kind, String name, Token token, int from, int inner) {
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

    private void leaveUpTo(PieceNode node, int at) {
        while (top != node) {
            leave(top, at, false);
        }
        leave(node, at, false);
    }

    private void close(PieceNode node, int close, int to) {
        while (top != node) {
            leave(top, close, node.kind == NodeKind.SECTION);
        }
        node.close = close;
        node.to = to;
        finish(node);
    }

    /** Ends a node that has no end tag. @param atSection true if its section ends */
    private void leave(PieceNode node, int at, boolean atSection) {
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

    private void finish(PieceNode node) {
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
    private void stray(Token token, String name, String shown) {
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

    // ---- sections and text

    private void tag(Token token) {
        Tag tag = Tag.in(token.source()).iterator().next();
        switch (tag.kind()) {
            case OPEN, PARTIAL_BLOCK -> enter(NodeKind.SECTION, words(tag), token, token.start(), token.end());
            case ELSE -> {
                if (top.sectionWall > 0) {
                    PieceNode section = top;
                    while (top.kind != NodeKind.SECTION) {
                        leave(top, token.start(), true);
                        section = top;
                    }
                    leaf(NodeKind.ELSE, "else", token);
                    if (section.pending != null && section.pending.stream().allMatch(each -> each.why == null)) {
                        section.pending = null;
                    }
                }
            }
            case CLOSE -> {
                String name = sectionName(tag.words());
                PieceNode section = nearest("#" + name);
                if (section != null) {
                    close(section, token.start(), token.end());
                } else {
                    fix(token.start(), token.end(), "{{/" + name + "}} closes nothing");
                }
            }
            case VALUE -> ink(NodeKind.VALUE, token, "");
            case BLOCK -> {
                String name = tag.included();
                ink(NodeKind.BLOCK, token, name == null ? tag.words() : name);
            }
            default -> { }
        }
    }

    private static String words(Tag tag) {
        return (tag.isInverted() ? "^" : "#") + (tag.kind() == Tag.TagKind.PARTIAL_BLOCK ? ">" : "") + tag.words();
    }

    /** The name that closes a section: {@code if} for {@code #if vip}. */
    private static String sectionName(String words) {
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

    private void ink(NodeKind kind, Token token, String name) {
        if (!top.isInvisible) {
            words.add(token);
        }
        PieceNode node = leaf(kind, name, token);
        node.inks = 1;
        node.addToParent();
    }

    private PieceNode leaf(NodeKind kind, String name, Token token) {
        PieceNode node = new PieceNode(kind, top, name, token, token.start(), token.end());
        nodes++;
        top.children.add(node);
        return node;
    }

    /** False for whitespace, no-break spaces and invisible characters. */
    private boolean isInk(int from, int to) {
        return !PieceStyle.isBlank(html, from, to);
    }

    // ---- conditional comments

    private void region(Region found, int to) {
        int closes = found.closed.size();
        int opens = found.opened.size();
        if (found.sections != 0) {
            fix(found.from, to, "a section begins or ends inside a conditional comment");
        }
        PieceNode ghost = nearest("<ghost");
        boolean isInside = ghost != null && ghost.depth > top.sectionWall;
        if (closes == 0 && opens == 0) {
            conditional(NodeKind.HIDDEN, found, to);
        } else if (closes == 0) {
            PieceNode node = enter(NodeKind.GHOST, "", null, found.from, to);
            node.open = opens;
            node.hidden = found.tokens;
        } else if (!isInside) {
            fix(found.from, to, "a conditional comment closes what no other one opens here");
        } else if (opens == 0) {
            int left = closes;
            while (ghost != null && ghost.depth > top.sectionWall && left >= ghost.open) {
                left -= ghost.open;
                close(ghost, found.from, to);
                ghost = nearest("<ghost");
            }
            if (left > 0 && ghost != null && ghost.depth > top.sectionWall) {
                ghost.open -= left;
            }
        } else {
            while (top != ghost) {
                leave(top, found.from, false);
            }
            ghost.open = Math.max(1, ghost.open + opens - closes);
            PieceNode node = conditional(NodeKind.SEPARATOR, found, to);
            String first = found.opened.peekLast();
            node.separatesCells = found.closed.get(closes - 1).equals(first) && (first.equals("td") || first.equals("th"));
            ghost.separatesCells |= node.separatesCells;
        }
    }

    private PieceNode conditional(NodeKind kind, Region found, int to) {
        PieceNode node = new PieceNode(kind, top, "", null, found.from, to);
        node.hidden = found.tokens;
        nodes++;
        top.children.add(node);
        return node;
    }

    /** The start or end of what Outlook does not read: {@code <!--[if !mso]><!-->} or {@code <![if !mso]>}. */
    private void shown(Token token) {
        String source = token.end() - token.start() > 200 ? "" : token.source();
        boolean isComment = token.kind() == HtmlKind.COMMENT;
        int bracket = source.indexOf("]>");
        if (isComment ? source.startsWith("<!--[if") && bracket > 0 && source.substring(bracket + 2).replaceAll("\\s", "").matches("<!-->|-->|<!---->")
                : source.startsWith("<![if")) {
            enter(NodeKind.SHOWN, "", null, token.start(), token.end());
        } else if (isComment ? source.replaceAll("\\s", "").startsWith("<!--<![endif]") : source.startsWith("<![endif")) {
            PieceNode shown = nearest("<shown");
            if (shown != null && shown.depth > top.sectionWall) {
                close(shown, token.start(), token.end());
            }
        }
    }

    void fix(int from, int to, String why) {
        if (fixed.size() < MAX_FIXED) {
            fixed.add(new Fixed(from, to, lines.of(from), why));
        }
    }

    /** The visible children of a node. Of those between two that are not balanced only the first is kept, as they may be inside what it opens. */
    static List<PieceNode> movable(PieceNode node) {
        int first = -1;
        int last = -1;
        for (int i = 0; i < node.children.size(); i++) {
            PieceNode child = node.children.get(i);
            if (child.why != null && child.kind != NodeKind.ELEMENT) {
                first = first < 0 ? i : first;
                last = i;
            }
        }
        List<PieceNode> children = new ArrayList<>(node.children);
        if (first >= 0) {
            children.subList(first + 1, last + 1).clear();
        }
        for (Iterator<PieceNode> each = children.iterator(); each.hasNext(); ) {
            if (each.next().isInvisible) {
                each.remove();
            }
        }
        return children;
    }
}
