package stet.markup;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import stet.markup.Html.Attribute;
import stet.markup.Html.HtmlKind;
import stet.markup.Html.Token;
import stet.markup.PieceNode.NodeKind;
import stet.markup.Pieces.Piece;

/** Finds where the values of a piece's properties are written: attributes, styles, and their copies for Outlook. */
final class PieceValues {
    /** Maximum number of elements between a piece's main element and the piece's range, and of ranges for a property. */
    private static final int MAX_DISTANCE = 20;
    private static final int MAX_RANGES = 50;
    /** Maximum number of elements that give a button its shape: the link, its cell, row and table. */
    private static final int MAX_SHAPED = 4;
    /** Maximum number of children of an element among which copies for Outlook are sought, and about as many of the copies' tokens. */
    private static final int MAX_CHILDREN = 50;
    private static final int MAX_COPIED = 200;
    /** Maximum length of a value that is compared. */
    private static final int MAX_COMPARED = 2_000;
    private static final List<String> BACKGROUND = List.of("background-color", "background");
    private static final List<String> PADDING = List.of("padding");

    private final String html;
    private final PieceTree tree;
    private final PieceStyle style;
    private final PieceAlignment alignment;
    private final PieceLabels labels;
    private final LineNumbers lines;

    PieceValues(String html, PieceTree tree, PieceStyle style) {
        this.html = html;
        this.tree = tree;
        this.style = style;
        this.alignment = new PieceAlignment(style);
        this.labels = new PieceLabels(html, tree);
        this.lines = new LineNumbers(html);
    }

    /** The piece that a unit is. @param list index of its list */
    Piece piece(PieceUnit unit, PieceKinds.FoundPiece found, int list) {
        Collected values = new Collected(unit, found.main());
        switch (found.kind()) {
            case BUTTON -> values.button();
            case IMAGE -> values.image();
            case TEXT, HEADING -> values.text();
            case DIVIDER, SPACE -> values.line();
            case SECTION, COLUMNS, IMAGE_TEXT -> values.box();
            case BLOCK, CODE, CONDITION, LIST -> { }
        }
        return new Piece(found.kind(), unit.from(), unit.to(), startTag(found, values.outwards), content(unit, found), labels.of(unit, found),
                name(found), list, values.ranges(), values.classes);
    }

    /** The start tag of the main element, or of the outermost one around other pieces; null if there is none. */
    private static int[] startTag(PieceKinds.FoundPiece found, List<PieceNode> outwards) {
        boolean isAround = switch (found.kind()) {
            case SECTION, COLUMNS, IMAGE_TEXT -> true;
            default -> false;
        };
        PieceNode node = isAround && !outwards.isEmpty() ? outwards.get(outwards.size() - 1) : found.main();
        return node.kind == NodeKind.ELEMENT ? new int[] {node.from, node.inner} : null;
    }

    /** The range that can be edited; null if there is none. */
    private static int[] content(PieceUnit unit, PieceKinds.FoundPiece found) {
        PieceNode main = found.main();
        return switch (found.kind()) {
            case TEXT, HEADING -> unit.isRun() ? new int[] {unit.from(), unit.to()} : new int[] {main.inner, main.close};
            case CONDITION, LIST -> new int[] {main.inner, main.close};
            default -> null;
        };
    }

    /** The name of a shared block, or of a section's variable; null for other pieces. */
    private static String name(PieceKinds.FoundPiece found) {
        return switch (found.kind()) {
            case BLOCK -> found.main().name;
            case CONDITION, LIST -> sectionVariable(found.main().name);
            default -> null;
        };
    }

    /** The variable of a section: {@code items} for {@code #each items as |item|}. */
    private static String sectionVariable(String words) {
        String name = words.substring(1).strip().replaceFirst("(?s)^(?:if|unless|each|with)\\s+", "");
        int bars = name.indexOf(" as |");
        return bars < 0 ? name : name.substring(0, bars).strip();
    }

    /** A place of a value. @param text the value in a form in which equal ones are written alike */
    private record ValuePlace(int from, int to, String text) {
    }

    /** The values of one piece. */
    private final class Collected {
        final PieceUnit unit;
        final PieceNode main;
        /** The elements from the main one to the outermost of the piece. */
        final List<PieceNode> outwards = new ArrayList<>();
        /** Places by property. */
        final Map<String, List<ValuePlace>> found = new LinkedHashMap<>();
        /** Lines of the rules that set a property without a place of its own. */
        final Map<String, Integer> classes = new TreeMap<>();

        Collected(PieceUnit unit, PieceNode main) {
            this.unit = unit;
            this.main = main;
            PieceNode node = main;
            while (node != null && outwards.size() < MAX_DISTANCE) {
                if (node.kind == NodeKind.ELEMENT) {
                    outwards.add(node);
                }
                node = node == unit.main() ? null : node.parent;
            }
        }

        Map<String, List<int[]>> ranges() {
            Map<String, List<int[]>> ranges = new LinkedHashMap<>();
            found.forEach((property, places) -> ranges.put(property, places.stream().distinct().sorted(Comparator.comparingInt(ValuePlace::from))
                    .map(each -> new int[] {each.from, each.to}).toList()));
            return ranges;
        }

        void button() {
            List<PieceNode> inside = inside();
            attribute("link", List.of(main), "href");
            hiddenAttribute("link", "href");
            label().ifPresent(label -> {
                add("label", label);
                hiddenText();
            });
            List<PieceNode> all = new ArrayList<>(inside);
            all.addAll(outwards);
            style("background", all, BACKGROUND, this::colour);
            attribute("background", all, "bgcolor");
            List<PieceNode> shaped = outwards.subList(0, Math.min(outwards.size(), MAX_SHAPED));
            equal("background", all, List.of("border", "border-color", "border-top", "border-bottom", "border-left", "border-right"), this::colour);
            hiddenAttribute("background", "fillcolor");
            style("color", all.subList(0, inside.size() + 1), List.of("color"), this::colour);
            hiddenStyle("color", "color");
            style("padding", shaped, PADDING, this::whole);
            style("radius", shaped, List.of("border-radius"), this::whole);
            style("width", List.of(main), List.of("width"), this::whole);
            align();
        }

        /** Elements around the whole label inside the link. */
        private List<PieceNode> inside() {
            return nested(child -> child.inks == main.inks);
        }

        /** Elements inside the main one: its last child that fits, the last one of that, and so on; innermost first. */
        private List<PieceNode> nested(Predicate<PieceNode> fits) {
            List<PieceNode> nested = new ArrayList<>();
            PieceNode node = main;
            for (int i = 0; node != null && i < MAX_DISTANCE; i++) {
                PieceNode last = null;
                for (PieceNode child : node.children) {
                    last = child.kind == NodeKind.ELEMENT && fits.test(child) ? child : last;
                }
                if (last != null) {
                    nested.add(0, last);
                }
                node = last;
            }
            return nested;
        }

        /** The button's label, if no elements are between its words. */
        private Optional<ValuePlace> label() {
            int from = -1;
            int to = -1;
            for (int i = labels.firstWord(main.inner); i < tree.words.size() && tree.words.get(i).start() < main.close; i++) {
                Token word = tree.words.get(i);
                if (from >= 0 && word.start() != to) {
                    return Optional.empty();
                }
                from = from < 0 ? word.start() : from;
                to = word.end();
            }
            return from < 0 ? Optional.empty() : trimmed(from, to);
        }

        /** The place of a text without the spaces around it; empty if nothing else is there. */
        private Optional<ValuePlace> trimmed(int from, int to) {
            int begin = Tag.skip(html, from, to);
            int end = Tag.skipBack(html, begin, to);
            return begin < end ? Optional.of(place(begin, end)) : Optional.empty();
        }

        void image() {
            attribute("source", List.of(main), "src");
            attribute("alt", List.of(main), "alt");
            attribute("width", List.of(main), "width");
            style("width", List.of(main), List.of("width"), this::whole);
            equal("width", List.of(main), List.of("max-width"), this::whole);
            PieceNode link = outwards.stream().filter(node -> node.is("a")).findFirst().orElse(null);
            if (link != null) {
                attribute("link", List.of(link), "href");
            }
            style("radius", List.of(main), List.of("border-radius"), this::whole);
            style("padding", outwards, PADDING, this::whole);
            align();
        }

        void text() {
            style("color", outwards, List.of("color"), this::colour);
            style("background", outwards, BACKGROUND, this::colour);
            attribute("background", outwards, "bgcolor");
            style("padding", outwards, PADDING, this::whole);
            align();
        }

        void line() {
            List<PieceNode> all = nested(child -> true);
            all.addAll(outwards);
            style("color", all, List.of("border-top", "border-bottom", "border", "border-top-color", "border-color"), this::colour);
            style("background", all, BACKGROUND, this::colour);
            attribute("background", all, "bgcolor");
            style("padding", all, PADDING, this::whole);
            attribute("height", all, "height");
            style("height", all, List.of("height"), this::whole);
            equal("height", all, List.of("line-height"), this::whole);
        }

        void box() {
            style("background", outwards, BACKGROUND, this::colour);
            attribute("background", outwards, "bgcolor");
            style("padding", outwards, PADDING, this::whole);
            style("radius", outwards, List.of("border-radius"), this::whole);
            align();
        }

        private void align() {
            boolean isPlaced = !unit.isRun() && (main.is("a") || main.is("img"));
            List<PieceNode> around = isPlaced ? alignment.around(main) : outwards;
            if (!isPlaced || alignment.isInLine(main, around)) {
                style("align", around, List.of("text-align"), this::whole);
            }
            attribute("align", around, "align");
        }

        // ---- places

        /** Adds the first value among these elements, and all equal ones. If there is none, names the rule that sets it. */
        private void style(String property, List<PieceNode> elements, List<String> names, Function<PieceStyle.Value, Optional<ValuePlace>> part) {
            for (PieceNode element : elements) {
                for (String name : names) {
                    Optional.ofNullable(style.own(element, name)).flatMap(part).ifPresent(place -> add(property, place));
                }
            }
            if (!found.containsKey(property)) {
                nameRule(property, elements, names);
            }
        }

        private void nameRule(String property, List<PieceNode> elements, List<String> names) {
            for (PieceNode element : elements) {
                for (String name : names) {
                    PieceStyle.Value value = style.ofRule(element, name);
                    if (value != null) {
                        classes.putIfAbsent(property, lines.of(value.from()));
                    }
                }
            }
        }

        /** Adds values equal to the one found. */
        private void equal(String property, List<PieceNode> elements, List<String> names, Function<PieceStyle.Value, Optional<ValuePlace>> part) {
            if (found.containsKey(property)) {
                style(property, elements, names, part);
            }
        }

        private void attribute(String property, List<PieceNode> elements, String name) {
            for (PieceNode element : elements) {
                Attribute attribute = element.token.attribute(name);
                boolean hasValue = attribute != null && attribute.valueStart() > attribute.nameEnd(); // it may be empty
                if (hasValue) {
                    add(property, place(attribute.valueStart(), attribute.valueEnd()));
                }
            }
        }

        private Optional<ValuePlace> whole(PieceStyle.Value value) {
            return Optional.of(place(value.from(), value.to()));
        }

        /** The colour in a value. */
        private Optional<ValuePlace> colour(PieceStyle.Value value) {
            return CssColour.find(value.text()).map(colour -> place(value.from() + colour.start(), value.from() + colour.end()));
        }

        private ValuePlace place(int from, int to) {
            return new ValuePlace(from, to, normal(html.substring(from, Math.min(to, from + MAX_COMPARED))));
        }

        /** Adds a place of a property's value, unless the value differs from the first one. */
        private void add(String property, ValuePlace place) {
            List<ValuePlace> places = found.computeIfAbsent(property, any -> new ArrayList<>());
            if (places.isEmpty() || places.size() < MAX_RANGES && places.get(0).text.equals(place.text)) {
                places.add(place);
                classes.remove(property);
            }
        }

        // ---- copies for Outlook

        /** The contents of conditional comments before, in and around the main element, up to the piece's own element. */
        private List<Token> copies() {
            List<Token> tokens = new ArrayList<>();
            if (unit.hidden() != null) {
                tokens.addAll(unit.hidden().hidden);
            }
            PieceNode node = main;
            boolean isDone = false;
            while (!isDone) {
                if (node.children.size() <= MAX_CHILDREN) {
                    node.children.stream().filter(child -> child.kind == NodeKind.HIDDEN || child.kind == NodeKind.GHOST)
                            .forEach(child -> tokens.addAll(child.hidden));
                }
                if (node.kind == NodeKind.GHOST) {
                    tokens.addAll(node.hidden);
                }
                isDone = node == unit.main() || node.parent == null || tokens.size() > MAX_COPIED;
                node = node.parent;
            }
            return tokens;
        }

        private void hiddenAttribute(String property, String name) {
            for (Token token : copies()) {
                Attribute attribute = token.kind() == HtmlKind.START ? token.attribute(name) : null;
                if (attribute != null) {
                    add(property, place(attribute.valueStart(), attribute.valueEnd()));
                }
            }
        }

        private void hiddenStyle(String property, String name) {
            for (Token token : copies()) {
                Attribute attribute = token.kind() == HtmlKind.START ? token.attribute("style") : null;
                if (attribute != null && attribute.valueEnd() - attribute.valueStart() <= PieceStyle.MAX_LENGTH) {
                    PieceStyle.declarations(html, attribute.valueStart(), attribute.valueEnd()).stream()
                            .filter(value -> value.property().equals(name)).forEach(value -> colour(value).ifPresent(place -> add(property, place)));
                }
            }
        }

        /** Adds the texts of the copies that equal the label. Texts and tags that follow each other are one text. */
        private void hiddenText() {
            int from = 0;
            int to = 0;
            for (Token token : copies()) {
                boolean isText = token.kind() != HtmlKind.START;
                if (isText && token.start() == to) {
                    to = token.end();
                } else {
                    trimmed(from, to).ifPresent(place -> add("label", place));
                    from = isText ? token.start() : 0;
                    to = isText ? token.end() : 0;
                }
            }
            trimmed(from, to).ifPresent(place -> add("label", place));
        }
    }

    /** A value in a form in which equal ones are written alike. */
    private static String normal(String value) {
        String text = value.strip().replaceAll("\\s+", " ");
        String colour = text.toLowerCase(Locale.ROOT);
        if (colour.matches("#[0-9a-f]{3}")) {
            return colour.replaceAll("[0-9a-f]", "$0$0");
        }
        return colour.matches("#[0-9a-f]+|[0-9]+px") ? colour.replaceFirst("(?<=[0-9])px$", "") : text;
    }
}
