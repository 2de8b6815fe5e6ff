package stet.markup;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import stet.markup.Html.Attribute;
import stet.markup.Html.HtmlKind;
import stet.markup.Html.Token;
import stet.markup.PieceNode.NodeKind;
import stet.markup.Pieces.Piece;

/** Finds where the values of a piece's properties are written: attributes, styles, and their copies for Outlook. */
final class PieceValues {
    /** Maximum number of elements between a piece's main element and the piece's range, and of ranges for a property. */
    private static final int MAX_WAY = 20;
    private static final int MAX_RANGES = 50;
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
        this.alignment = new PieceAlignment(html, style);
        this.labels = new PieceLabels(html, tree);
        this.lines = new LineNumbers(html);
    }

    Piece piece(PieceUnit unit, PieceKinds.FoundPiece found, int list) {
        Collected values = new Collected(unit, found.main());
        PieceNode main = found.main();
        int[] open = main.kind == NodeKind.ELEMENT ? new int[] {main.from, main.inner} : null;
        int[] content = null;
        String name = null;
        switch (found.kind()) {
            case "button" -> values.button();
            case "image" -> values.image();
            case "text", "heading" -> {
                content = unit.isRun() ? new int[] {unit.from(), unit.to()} : new int[] {main.inner, main.close};
                values.text();
            }
            case "divider", "space" -> values.line();
            case "block" -> name = main.kind == NodeKind.BLOCK ? main.name : "";
            case "condition", "list" -> {
                name = sectionName(main.name);
                content = new int[] {main.inner, main.close};
            }
            case "section", "columns", "imageText" -> {
                values.box();
                PieceNode first = values.way.isEmpty() ? null : values.way.get(values.way.size() - 1);
                open = first == null ? open : new int[] {first.from, first.inner};
            }
            default -> { }
        }
        return new Piece(found.kind(), unit.from(), unit.to(), open, content, labels.of(unit, found), name, list, values.ranges(), values.classes);
    }

    /** The variable of a section: {@code items} for {@code #each items as |item|}. */
    private static String sectionName(String words) {
        String name = words.substring(1).strip().replaceFirst("(?s)^(?:if|unless|each|with)\\s+", "");
        int bars = name.indexOf(" as |");
        return bars < 0 ? name : name.substring(0, bars).strip();
    }

    /** A place of a value. */
    private record Place(int from, int to, String text) {
    }

    /** The values of one piece. */
    private final class Collected {
        final PieceUnit unit;
        final PieceNode main;
        /** The elements from the main one to the outermost of the piece. */
        final List<PieceNode> way = new ArrayList<>();
        final Map<String, List<Place>> found = new LinkedHashMap<>();
        final Map<String, Integer> classes = new TreeMap<>();

        Collected(PieceUnit unit, PieceNode main) {
            this.unit = unit;
            this.main = main;
            PieceNode node = main;
            while (node != null && way.size() < MAX_WAY) {
                if (node.kind == NodeKind.ELEMENT) {
                    way.add(node);
                }
                node = node == unit.main() ? null : node.parent;
            }
        }

        Map<String, List<int[]>> ranges() {
            Map<String, List<int[]>> ranges = new LinkedHashMap<>();
            found.forEach((property, places) -> {
                if (!places.isEmpty()) {
                    ranges.put(property, places.stream().sorted((one, other) -> Integer.compare(one.from, other.from)).map(each -> new int[] {each.from, each.to}).distinct()
                            .toList());
                }
            });
            return ranges;
        }

        void button() {
            List<PieceNode> inside = inside();
            attribute("link", List.of(main), "href");
            hiddenAttribute("link", "href");
            Place label = label();
            if (label != null) {
                found.put("label", new ArrayList<>(List.of(label)));
                hiddenText();
            }
            List<PieceNode> all = new ArrayList<>(inside);
            all.addAll(way);
            style("background", all, BACKGROUND, this::colour);
            attribute("background", all, "bgcolor");
            List<PieceNode> shaped = way.subList(0, Math.min(way.size(), 4));
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
            List<PieceNode> inside = new ArrayList<>();
            PieceNode node = main;
            for (int i = 0; node != null && i < MAX_WAY; i++) {
                PieceNode only = null;
                for (PieceNode child : node.children) {
                    only = child.kind == NodeKind.ELEMENT && child.inks == main.inks ? child : only;
                }
                node = only;
                if (only != null) {
                    inside.add(0, only);
                }
            }
            return inside;
        }

        /** The button's label, if no elements are between its words. */
        private Place label() {
            int from = -1;
            int to = -1;
            for (int i = labels.firstWord(main.inner); i < tree.words.size() && tree.words.get(i).start() < main.close; i++) {
                Token word = tree.words.get(i);
                if (from >= 0 && word.start() != to) {
                    return null;
                }
                from = from < 0 ? word.start() : from;
                to = word.end();
            }
            while (from >= 0 && from < to && Tag.isBlank(html.charAt(from))) {
                from++;
            }
            while (to > from && Tag.isBlank(html.charAt(to - 1))) {
                to--;
            }
            return from < 0 || to <= from ? null : place(from, to);
        }

        void image() {
            attribute("source", List.of(main), "src");
            attribute("alt", List.of(main), "alt");
            attribute("width", List.of(main), "width");
            style("width", List.of(main), List.of("width"), this::whole);
            equal("width", List.of(main), List.of("max-width"), this::whole);
            PieceNode link = way.stream().filter(node -> node.is("a")).findFirst().orElse(null);
            if (link != null) {
                attribute("link", List.of(link), "href");
            }
            style("radius", List.of(main), List.of("border-radius"), this::whole);
            style("padding", way, PADDING, this::whole);
            align();
        }

        void text() {
            style("color", way, List.of("color"), this::colour);
            style("background", way, BACKGROUND, this::colour);
            attribute("background", way, "bgcolor");
            style("padding", way, PADDING, this::whole);
            align();
        }

        void line() {
            List<PieceNode> all = new ArrayList<>(way);
            PieceNode node = main;
            for (int i = 0; node != null && i < MAX_WAY; i++) {
                PieceNode only = null;
                for (PieceNode child : node.children) {
                    only = child.kind == NodeKind.ELEMENT ? child : only;
                }
                node = only;
                if (only != null) {
                    all.add(0, only);
                }
            }
            style("color", all, List.of("border-top", "border-bottom", "border", "border-top-color", "border-color"), this::colour);
            style("background", all, BACKGROUND, this::colour);
            attribute("background", all, "bgcolor");
            style("padding", all, PADDING, this::whole);
            attribute("height", all, "height");
            style("height", all, List.of("height"), this::whole);
            equal("height", all, List.of("line-height"), this::whole);
        }

        void box() {
            style("background", way, BACKGROUND, this::colour);
            attribute("background", way, "bgcolor");
            style("padding", way, PADDING, this::whole);
            style("radius", way, List.of("border-radius"), this::whole);
            align();
        }

        private void align() {
            boolean isPlaced = !unit.isRun() && (main.is("a") || main.is("img"));
            List<PieceNode> around = isPlaced ? alignment.around(main) : way;
            if (!isPlaced || alignment.isInLine(main, around)) {
                style("align", around, List.of("text-align"), this::whole);
            }
            attribute("align", around, "align");
        }

        // ---- places

        /** Adds the first value among these elements, and all equal ones. If there is none, names the rule that sets it. */
        private void style(String property, List<PieceNode> elements, List<String> names, Function<PieceStyle.Value, Place> part) {
            for (PieceNode element : elements) {
                for (String name : names) {
                    PieceStyle.Value value = PieceStyle.own(html, element, name);
                    add(property, value == null ? null : part.apply(value));
                }
            }
            if (found.getOrDefault(property, List.of()).isEmpty()) {
                for (PieceNode element : elements) {
                    for (String name : names) {
                        PieceStyle.Value value = style.find(element, name);
                        if (value != null) {
                            classes.putIfAbsent(property, lines.of(value.from()));
                        }
                    }
                }
            }
        }

        /** Adds values equal to the one found. */
        private void equal(String property, List<PieceNode> elements, List<String> names, Function<PieceStyle.Value, Place> part) {
            if (!found.getOrDefault(property, List.of()).isEmpty()) {
                style(property, elements, names, part);
            }
        }

        private void attribute(String property, List<PieceNode> elements, String name) {
            for (PieceNode element : elements) {
                Attribute attribute = element.token.attribute(name);
                if (attribute != null && (attribute.valueEnd() > attribute.valueStart() || attribute.valueStart() > attribute.nameEnd())) {
                    add(property, place(attribute.valueStart(), attribute.valueEnd()));
                }
            }
        }

        private Place whole(PieceStyle.Value value) {
            return place(value.from(), value.to());
        }

        /** The colour in a value; null if there is none. */
        private Place colour(PieceStyle.Value value) {
            return CssColour.find(value.text()).map(found -> place(value.from() + found.start(), value.from() + found.end())).orElse(null);
        }

        private Place place(int from, int to) {
            return new Place(from, to, normal(html.substring(from, Math.min(to, from + 2_000))));
        }

        private void add(String property, Place place) {
            if (place != null) {
                List<Place> places = found.computeIfAbsent(property, any -> new ArrayList<>());
                if (places.isEmpty() || places.size() < MAX_RANGES && places.get(0).text.equals(place.text)) {
                    places.add(place);
                    classes.remove(property);
                }
            }
        }

        // ---- copies for Outlook

        private List<Token> copies() {
            List<Token> tokens = new ArrayList<>();
            if (unit.hidden() != null) {
                tokens.addAll(unit.hidden().hidden);
            }
            for (PieceNode node = main; node != null; node = node == unit.main() ? null : node.parent) {
                for (PieceNode child : node.children.size() > MAX_RANGES ? List.<PieceNode>of() : node.children) {
                    if (child.kind == NodeKind.HIDDEN || child.kind == NodeKind.GHOST) {
                        tokens.addAll(child.hidden);
                    }
                }
                if (node.kind == NodeKind.GHOST) {
                    tokens.addAll(node.hidden);
                }
                if (tokens.size() > 200) {
                    break;
                }
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
                if (attribute != null && attribute.valueEnd() - attribute.valueStart() < 4_000) {
                    PieceStyle.declarations(html, attribute.valueStart(), attribute.valueEnd()).stream().filter(value -> value.property().equals(name))
                            .forEach(value -> add(property, colour(value)));
                }
            }
        }

        private void hiddenText() {
            StringBuilder run = new StringBuilder();
            int from = -1;
            int to = -1;
            List<Token> tokens = copies();
            for (int i = 0; i <= tokens.size(); i++) {
                Token token = i < tokens.size() ? tokens.get(i) : null;
                boolean isText = token != null && token.kind() != HtmlKind.START && (to < 0 || token.start() == to);
                if (isText) {
                    from = from < 0 ? token.start() : from;
                    to = token.end();
                    run.append(token.source());
                } else {
                    int begin = from < 0 ? 0 : Tag.skip(html, from, to);
                    int end = to;
                    while (end > begin && from >= 0 && Tag.isBlank(html.charAt(end - 1))) {
                        end--;
                    }
                    if (from >= 0 && end > begin) {
                        add("label", place(begin, end));
                    }
                    boolean begins = token != null && token.kind() != HtmlKind.START;
                    from = begins ? token.start() : -1;
                    to = begins ? token.end() : -1;
                    run.setLength(0);
                }
            }
        }
    }

    /** A value in a form in which equal ones are written alike. */
    private static String normal(String value) {
        String text = value.strip().replaceAll("\\s+", " ");
        String colour = text.toLowerCase(Locale.ROOT);
        if (colour.matches("#[0-9a-f]{3}")) {
            return "#" + colour.charAt(1) + colour.charAt(1) + colour.charAt(2) + colour.charAt(2) + colour.charAt(3) + colour.charAt(3);
        }
        return colour.matches("#[0-9a-f]+|[0-9]+px") ? colour.replaceFirst("(?<=[0-9])px$", "") : text;
    }
}
