package stet.markup;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import stet.markup.Html.Token;

/** A node of the {@link PieceTree}: an element, a section, what a conditional comment opens, or something visible inside one of them. */
final class PieceNode {
    static final Set<String> BLOCKS = Set.of("table", "tbody", "thead", "tfoot", "tr", "td", "th", "div", "p", "h1", "h2", "h3", "h4", "h5", "h6",
            "ul", "ol", "li", "dl", "center", "hr", "blockquote", "section", "article", "header", "footer", "main", "body", "html", "pre", "form");
    private static final Set<String> GROUPS = Set.of("tbody", "thead", "tfoot");

    enum NodeKind {
        ROOT,
        ELEMENT,
        /** <code>{{#if vip}} … {{/if}}</code>. */
        SECTION,
        /** <code>{{else}}</code> of the surrounding section. */
        ELSE,
        /**
         * Contents between a conditional comment for Outlook that opens elements and one that closes them:
         * {@code <!--[if mso]><table><tr><td><![endif]-->}.
         */
        GHOST,
        /** A conditional comment between the two that closes as much as it opens: {@code <!--[if mso]></td><td><![endif]-->}. */
        SEPARATOR,
        /** A balanced conditional comment for Outlook, such as a VML button. */
        HIDDEN,
        /** Contents that Outlook does not read: {@code <!--[if !mso]><!--> … <!--<![endif]-->}. */
        SHOWN,
        /** Text that is not blank. */
        TEXT,
        VALUE,
        /** A shared block: {@code {{> footer}}}. */
        BLOCK,
        /** An end tag or a closing tag of something that is not open here. */
        STRAY
    }

    final NodeKind kind;
    final PieceNode parent;
    final int depth;
    /** Name of the element in lower case, or the words of a section. */
    final String name;
    /** The start tag; null if the node is no element. */
    final Token token;
    final int from;
    /** End of the start tag or opening tag. */
    final int inner;
    /** Start of the end tag, or {@link #to}. */
    int close;
    int to;
    final List<PieceNode> children;
    /** Start tags and text in a conditional comment. */
    List<Token> hidden = List.of();

    /** Depths of the nearest section, table or section, and cell, table or section, this node included. */
    int sectionWall;
    int tableWall;
    int cellWall;
    /** Why this node cannot be moved; null if it can. */
    String why;
    /** True for an element that ends without an end tag, so that its end depends on what follows. */
    boolean hasNoEnd;
    /** Elements in this node that are not closed where they should be. */
    List<PieceNode> pending;
    /** True if a {@link NodeKind#SEPARATOR} separates cells, not rows or tables. */
    boolean separatesCells;
    /** For a ghost: number of elements that it leaves open. */
    int open;

    // ---- sums of what is visible inside
    /** Texts, values, images and shared blocks. */
    int inks;
    int images;
    int links;
    int blocks;
    int headings;
    int paragraphs;
    /** Sections and shared blocks, and shared blocks alone. */
    int tags;
    int includes;
    PieceNode image;
    PieceNode link;
    boolean isInvisible;

    // ---- caches of PieceStyle
    Map<String, PieceStyle.Value> own;
    Map<String, PieceStyle.Value> ruled;
    String classes;

    PieceNode(NodeKind kind, PieceNode parent, String name, Token token, int from, int inner) {
        this.kind = kind;
        this.parent = parent;
        this.depth = parent == null ? 0 : parent.depth + 1;
        this.name = name;
        this.token = token;
        this.from = from;
        this.inner = inner;
        this.close = inner;
        this.to = inner;
        this.children = switch (kind) {
            case ROOT, ELEMENT, SECTION, GHOST, SHOWN -> new ArrayList<>(2);
            default -> List.of();
        };
        if (parent != null) {
            isInvisible = parent.isInvisible;
            boolean isTable = is("table");
            sectionWall = kind == NodeKind.SECTION ? depth : parent.sectionWall;
            tableWall = kind == NodeKind.SECTION || isTable ? depth : parent.tableWall;
            cellWall = kind == NodeKind.SECTION || isTable || isCell() ? depth : parent.cellWall;
        }
    }

    boolean is(String element) {
        return kind == NodeKind.ELEMENT && name.equals(element);
    }

    boolean isCell() {
        return is("td") || is("th");
    }

    boolean isRowGroup() {
        return kind == NodeKind.ELEMENT && GROUPS.contains(name);
    }

    boolean isBlockElement() {
        return kind == NodeKind.ELEMENT && BLOCKS.contains(name);
    }

    boolean isHeading() {
        return kind == NodeKind.ELEMENT && name.length() == 2 && name.charAt(0) == 'h' && name.charAt(1) >= '1' && name.charAt(1) <= '6';
    }

    /** True for an element whose whole content is one text. */
    boolean isParagraph() {
        return isHeading() || is("p") || is("ul") || is("ol") || is("pre") || is("dl");
    }

    /** True for a section, and for what conditional comments surround. */
    boolean isGroup() {
        return kind == NodeKind.SECTION || kind == NodeKind.GHOST || kind == NodeKind.SHOWN;
    }

    /** A section's opening tag, to be shown in a sentence. */
    String shown() {
        return "{{" + Tag.shortened(name) + "}}";
    }

    /** The value of an attribute as written; empty if there is none. */
    String attribute(String attribute) {
        Html.Attribute found = token == null ? null : token.attribute(attribute);
        return found == null ? "" : found.value();
    }

    /** Adds what is visible inside this finished node to its parent. */
    void addToParent() {
        if (isInvisible) {
            return;
        }
        boolean isLink = is("a") && token.attribute("href") != null;
        parent.inks += inks;
        parent.images += images;
        parent.links += links + (isLink ? 1 : 0);
        parent.blocks += blocks + (isBlockElement() ? 1 : 0);
        parent.headings += headings + (isHeading() ? 1 : 0);
        parent.paragraphs += paragraphs + (isParagraph() ? 1 : 0);
        parent.tags += tags + (kind == NodeKind.SECTION || kind == NodeKind.BLOCK ? 1 : 0);
        parent.includes += includes + (kind == NodeKind.BLOCK ? 1 : 0);
        parent.image = parent.image != null ? parent.image : image;
        parent.link = parent.link != null ? parent.link : isLink ? this : link;
    }
}
