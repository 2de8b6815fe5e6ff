package stet.markup;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
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
 * section: what a section opens and does not close is reported in {@link PieceStack#fixed}, and cannot be moved. Reading takes linear time.
 */
final class PieceTree {
    /** Maximum number of nodes; further ones are not read. */
    static final int MAX_NODES = 100_000;
    /** Maximum length of a conditional comment's start or end. */
    private static final int MAX_CONDITION = 200;
    /** Ends of a comment that hides what comes after it from Outlook alone, behind the condition and without spaces. */
    private static final Set<String> REVEALING = Set.of("<!-->", "-->", "<!---->");
    private static final Set<String> CELLS = Set.of("td", "th");
    private static final Set<String> ROW_GROUPS = Set.of("tbody", "thead", "tfoot", "tr", "td", "th");
    private static final Set<String> TERMS = Set.of("dt", "dd");
    /** For a start tag, the open elements that it ends. */
    private static final Map<String, Set<String>> ENDED = Map.of("td", CELLS, "th", CELLS, "tr", Set.of("tr", "td", "th"),
            "tbody", ROW_GROUPS, "thead", ROW_GROUPS, "tfoot", ROW_GROUPS, "li", Set.of("li"), "dt", TERMS, "dd", TERMS);

    private final String html;
    final PieceNode root = new PieceNode(NodeKind.ROOT, null, "", null, 0, 0);
    /** Content of style elements outside conditional comments. */
    final List<Token> styles = new ArrayList<>();
    /** Visible texts and values, in order. */
    final List<Token> words = new ArrayList<>();
    boolean isTooLarge;
    /** The open elements, and those that are not balanced. */
    final PieceStack stack;
    private String rawElement = "";
    /** The conditional comment that is being read; null outside. */
    private PieceRegion region;

    private PieceTree(String html) {
        this.html = html;
        this.stack = new PieceStack(html, root);
    }

    static PieceTree of(String html) {
        PieceTree tree = new PieceTree(html);
        for (Token token : Html.in(html)) {
            tree.read(token);
            if (tree.stack.nodes > MAX_NODES) {
                tree.isTooLarge = true;
                return tree;
            }
        }
        while (tree.stack.top != tree.root) {
            tree.stack.leave(tree.stack.top, html.length(), false);
        }
        tree.root.to = html.length();
        tree.root.close = html.length();
        tree.stack.finish(tree.root);
        return tree;
    }

    private void read(Token token) {
        if (token.kind() == HtmlKind.CONDITION) {
            if (html.startsWith("<!--", token.start())) {
                region = new PieceRegion(token.start());
            } else if (region != null) {
                region(region, token.end());
                region = null;
            }
        } else if (token.hidden() && region != null) {
            stack.nodes++;
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
                case UNCLOSED -> stack.fix(token.start(), token.end(), "the tag is not closed");
                default -> { }
            }
        }
    }

    // ---- elements

    private void start(Token token) {
        String name = token.name();
        rawElement = name;
        impliedEnds(name, token.start());
        boolean isXml = name.indexOf(':') >= 0 || stack.nearest("svg") != null;
        boolean isEmpty = token.isVoid() || isXml && token.source().endsWith("/>");
        PieceNode node = stack.enter(NodeKind.ELEMENT, name, token, token.start(), token.end());
        String style = node.attribute("style");
        node.isInvisible |= !style.isEmpty() && PieceStyle.isHidden(style);
        if (isEmpty) {
            if (name.equals("img")) {
                node.inks = 1;
                node.images = 1;
                node.image = node;
            }
            stack.close(node, token.end(), token.end());
        }
    }

    /** Ends the open elements that a start tag ends. */
    private void impliedEnds(String name, int at) {
        if (PieceNode.BLOCKS.contains(name) && !name.equals("html") && !name.equals("body")) {
            endOutermost(Set.of("p"), stack.top.cellWall, at);
        }
        endOutermost(ENDED.getOrDefault(name, Set.of()), startWall(name), at);
    }

    /** Depth of the innermost open node that a start tag does not end. */
    private int startWall(String name) {
        return switch (name) {
            case "li", "dt", "dd" -> Stream.of("ul", "ol", "dl").mapToInt(list -> depth(stack.nearest(list))).reduce(stack.top.cellWall, Math::max);
            default -> stack.top.tableWall;
        };
    }

    /** Ends the outermost of the innermost open elements of these names, and all in it. @param wall depth of a node that stays open */
    private void endOutermost(Set<String> names, int wall, int at) {
        names.stream().map(stack::nearest).filter(found -> depth(found) > wall).min(Comparator.comparingInt(found -> found.depth))
                .ifPresent(outermost -> stack.leaveUpTo(outermost, at));
    }

    /** A node's depth; -1 for null. */
    private static int depth(PieceNode node) {
        return node == null ? -1 : node.depth;
    }

    private void end(Token token) {
        String name = token.name();
        PieceNode found = stack.nearest(name);
        int wall = switch (name) {
            case "table", "body", "html" -> stack.top.sectionWall;
            case "td", "th", "tr", "tbody", "thead", "tfoot" -> stack.top.tableWall;
            default -> stack.top.cellWall;
        };
        if (found != null && found.depth > wall) {
            stack.close(found, token.start(), token.end());
        } else {
            stack.stray(token);
        }
    }

    // ---- sections and text

    private void tag(Token token) {
        Tag tag = Tag.in(token.source()).iterator().next();
        switch (tag.kind()) {
            case OPEN, PARTIAL_BLOCK -> stack.enter(NodeKind.SECTION, words(tag), token, token.start(), token.end());
            case ELSE -> otherwise(token);
            case CLOSE -> {
                String name = PieceStack.sectionName(tag.words());
                PieceNode section = stack.nearest("#" + name);
                if (section != null) {
                    stack.close(section, token.start(), token.end());
                } else {
                    stack.fix(token.start(), token.end(), "{{/" + name + "}} closes nothing");
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

    /** Ends what is open in the section's part before {@code {{else}}}. */
    private void otherwise(Token token) {
        if (stack.top.sectionWall == 0) {
            return;
        }
        while (stack.top.kind != NodeKind.SECTION) {
            stack.leave(stack.top, token.start(), true);
        }
        PieceNode section = stack.top;
        stack.leaf(NodeKind.ELSE, "else", token);
        if (section.pending != null && section.pending.stream().allMatch(each -> each.why == null)) {
            section.pending = null;
        }
    }

    /** A section's sign and content, as in {@link PieceNode#name}. */
    private static String words(Tag tag) {
        return (tag.isInverted() ? "^" : "#") + (tag.kind() == Tag.TagKind.PARTIAL_BLOCK ? ">" : "") + tag.words();
    }

    /** Adds something visible: a text, a value or a shared block. */
    private void ink(NodeKind kind, Token token, String name) {
        if (!stack.top.isInvisible) {
            words.add(token);
        }
        PieceNode node = stack.leaf(kind, name, token);
        node.inks = 1;
        node.addToParent();
    }

    /** False for whitespace, no-break spaces and invisible characters. */
    private boolean isInk(int from, int to) {
        return !PieceStyle.isBlank(html, from, to);
    }

    // ---- conditional comments

    /** Reads a conditional comment for Outlook that ends at {@code to}. */
    private void region(PieceRegion found, int to) {
        boolean closes = !found.closed.isEmpty();
        boolean opens = !found.opened.isEmpty();
        if (found.sections != 0) {
            stack.fix(found.from, to, "a section begins or ends inside a conditional comment");
        }
        if (!closes && !opens) {
            conditional(NodeKind.HIDDEN, found, to);
        } else if (!closes) {
            PieceNode node = stack.enter(NodeKind.GHOST, "", null, found.from, to);
            node.open = found.opened.size();
            node.hidden = found.tokens;
        } else if (inSection(PieceStack.GHOST) == null) {
            stack.fix(found.from, to, "a conditional comment closes what no other one opens here");
        } else if (!opens) {
            closeGhosts(found, to);
        } else {
            separate(found, to);
        }
    }

    /** The innermost open node with a key in the current section; null if there is none. */
    private PieceNode inSection(String key) {
        PieceNode found = stack.nearest(key);
        return depth(found) > stack.top.sectionWall ? found : null;
    }

    private void closeGhosts(PieceRegion found, int to) {
        int left = found.closed.size();
        PieceNode ghost = inSection(PieceStack.GHOST);
        while (ghost != null && left >= ghost.open) {
            left -= ghost.open;
            stack.close(ghost, found.from, to);
            ghost = inSection(PieceStack.GHOST);
        }
        if (ghost != null) {
            ghost.open -= left;
        }
    }

    /** Reads a conditional comment that closes elements of the innermost ghost and opens others, such as the next cell. */
    private void separate(PieceRegion found, int to) {
        PieceNode ghost = inSection(PieceStack.GHOST);
        while (stack.top != ghost) {
            stack.leave(stack.top, found.from, false);
        }
        ghost.open = Math.max(1, ghost.open + found.opened.size() - found.closed.size());
        PieceNode separator = conditional(NodeKind.SEPARATOR, found, to);
        String first = found.opened.peekLast();
        boolean isCell = first.equals("td") || first.equals("th");
        separator.separatesCells = isCell && found.closed.get(found.closed.size() - 1).equals(first);
        ghost.separatesCells |= separator.separatesCells;
    }

    private PieceNode conditional(NodeKind kind, PieceRegion found, int to) {
        PieceNode node = new PieceNode(kind, stack.top, "", null, found.from, to);
        node.hidden = found.tokens;
        stack.nodes++;
        stack.top.children.add(node);
        return node;
    }

    /** The start or end of what Outlook does not read: {@code <!--[if !mso]><!-->} or {@code <![if !mso]>}. */
    private void shown(Token token) {
        String source = token.end() - token.start() > MAX_CONDITION ? "" : token.source();
        if (source.startsWith("<![if") || isRevealing(source)) {
            stack.enter(NodeKind.SHOWN, "", null, token.start(), token.end());
        } else if (source.startsWith("<![endif") || source.replaceAll("\\s", "").startsWith("<!--<![endif]")) {
            PieceNode shown = inSection(PieceStack.SHOWN);
            if (shown != null) {
                stack.close(shown, token.start(), token.end());
            }
        }
    }

    private static boolean isRevealing(String comment) {
        int bracket = comment.indexOf("]>");
        return comment.startsWith("<!--[if") && bracket > 0 && REVEALING.contains(comment.substring(bracket + 2).replaceAll("\\s", ""));
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
        children.removeIf(child -> child.isInvisible);
        return children;
    }
}
