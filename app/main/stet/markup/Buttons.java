package stet.markup;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import stet.base.Excerpt;
import stet.markup.Html.Token;
import stet.markup.Publisher.Origin;

/**
 * Warns about buttons whose copies differ: most clients show a link, and a conditional comment beside it contains the same button for
 * Outlook, as a VML element or as another link. The preview shows only the first, so the copy is easily forgotten. {@code buttoncopies.js}
 * finds the same pairs.
 *
 * <pre>
 * &lt;!--[if mso]&gt;&lt;v:roundrect href="A"&gt;…label…&lt;/v:roundrect&gt;&lt;![endif]--&gt; &lt;a href="A"&gt;label&lt;/a&gt;    copy before or after the link
 * &lt;!--[if mso]&gt;&lt;v:roundrect href="A"&gt;&lt;![endif]--&gt; &lt;a href="A"&gt;label&lt;/a&gt; &lt;!--[if mso]&gt;&lt;/v:roundrect&gt;…    around it, with its label
 * &lt;a href="A"&gt; &lt;!--[if mso]&gt;&lt;v:roundrect href="A"&gt;&lt;![endif]--&gt; label &lt;!--[if mso]&gt;&lt;/v:roundrect&gt;…&lt;/a&gt;        inside
 * </pre>
 */
final class Buttons {
    /** Longest link and label in a sentence. */
    private static final int MAX_QUOTED = 60;
    /** Longest label that is compared. */
    private static final int MAX_LABEL = 2_000;
    private static final Set<Tag.TagKind> SECTIONS = Set.of(Tag.TagKind.OPEN, Tag.TagKind.PARTIAL_BLOCK, Tag.TagKind.ELSE, Tag.TagKind.CLOSE);
    private static final Pattern SPACE = Pattern.compile("[\\s\\u00a0]+");
    private static final Pattern IN_BRACES = Pattern.compile("(\\{\\{[{~]?) | ([}~]?}})");

    private final IntFunction<Origin> origins;
    private final Problems problems;
    /** The parts with nothing visible between them. */
    private final List<Part> run = new ArrayList<>();
    /** The link and the copy that are being read, or null. */
    private Part shown;
    private Part copy;

    /** A link, or its copy in a conditional comment. */
    private static final class Part {
        final Token start;
        final String address;
        final StringBuilder text = new StringBuilder();
        /** The links between the tags of a VML element that a comment opens and another closes. */
        final List<Part> links = new ArrayList<>(1);
        /** The copies inside a link. */
        final List<Part> copies = new ArrayList<>(1);
        /** True for a copy whose element is open after its conditional comment. */
        boolean isOpen;
        /** True if a copy has something visible, not only sections' tags. */
        boolean hasLabel;
        /** True if something visible is in such an element, beside links. */
        boolean hasInk;
        /** The link that contains a copy, or null. */
        Part around;
        /** The text as rendered; null until the part has ended and is compared. */
        private String label;

        Part(Token start) {
            this.start = start;
            this.address = plain(Entities.decodeAttribute(start.attribute("href").value()));
        }

        boolean isCopy() {
            return start.hidden();
        }

        void add(Token token) {
            if (text.length() < MAX_LABEL) {
                text.append(token.kind() == Html.HtmlKind.TEXT ? Entities.decode(token.source()) : token.source());
            }
        }

        String label() {
            label = label == null ? plain(isCopy() && !hasLabel ? "" : text.toString()) : label;
            return label;
        }

        /** Number of things that this part shares with another: link and label. */
        int shared(Part other) {
            return (address.equals(other.address) ? 1 : 0) + (!label().isEmpty() && label().equals(other.label()) ? 1 : 0);
        }
    }

    private Buttons(IntFunction<Origin> origins, Problems problems) {
        this.origins = origins;
        this.problems = problems;
    }

    /**
     * The check of a draft that has conditional comments.
     *
     * @param html    HTML with shared blocks expanded
     * @param origins maps positions in the HTML to their source
     */
    static Optional<Buttons> of(String html, IntFunction<Origin> origins, Problems problems) {
        return html.contains("<!--[if") ? Optional.of(new Buttons(origins, problems)) : Optional.empty();
    }

    void end() {
        endShown();
        endRun();
    }

    /** Text for comparison: without what rendering and Handlebars ignore. */
    private static String plain(String text) {
        return IN_BRACES.matcher(SPACE.matcher(text).replaceAll(" ")).replaceAll("$1$2").strip();
    }

    void read(Token token) {
        if (token.kind() == Html.HtmlKind.CONDITION) {
            condition();
        } else if (token.hidden()) {
            hidden(token);
        } else if (token.kind() == Html.HtmlKind.START && token.name().equals("a")) {
            endShown();
            shown = token.attribute("href") == null ? null : new Part(token);
        } else if (token.kind() == Html.HtmlKind.END && token.name().equals("a")) {
            endShown();
        } else if (shown != null) {
            if (token.kind() == Html.HtmlKind.TEXT || isSection(token) || isInk(token) && token.kind() != Html.HtmlKind.START) {
                shown.add(token);
            }
        } else if (isInk(token) || isSection(token)) {
            outside();
        }
    }

    /** Something visible, or a section's tag, is neither in a link nor hidden. */
    private void outside() {
        if (copy != null && copy.isOpen) {
            copy.hasInk = true;
        } else {
            endRun();
        }
    }

    /** True for text, values, shared blocks and images. */
    private static boolean isInk(Token token) {
        return switch (token.kind()) {
            case TEXT -> !plain(Entities.decode(token.source())).isEmpty();
            case TAG -> !isSection(token) && token.tagKind() != Tag.TagKind.COMMENT;
            case START -> token.name().equals("img");
            default -> false;
        };
    }

    private static boolean isSection(Token token) {
        return token.kind() == Html.HtmlKind.TAG && SECTIONS.contains(token.tagKind());
    }

    /** A conditional comment begins or ends. An element that is still open continues around what follows, unless it has a label. */
    private void condition() {
        if (copy != null && (copy.start.name().equals("a") || copy.hasLabel)) {
            copy = null;
        } else if (copy != null) {
            copy.isOpen = true;
        }
    }

    private void hidden(Token token) {
        String name = token.name();
        boolean isStart = token.kind() == Html.HtmlKind.START;
        if (isStart && copy == null && (name.equals("a") || name.startsWith("v:")) && token.attribute("href") != null) {
            copy = new Part(token);
            copy.around = shown;
            if (token.source().endsWith("/>")) {
                endCopy();
            }
        } else if (copy != null && token.kind() == Html.HtmlKind.END && name.equals(copy.start.name())) {
            endCopy();
        } else if (copy != null && (isSection(token) || isInk(token) && !isStart)) {
            copy.hasLabel |= !isSection(token);
            copy.add(token);
        } else if (copy == null && (isInk(token) || isSection(token))) {
            endRun();
        }
    }

    private void endShown() {
        if (shown != null) {
            boolean isInCopy = copy != null && copy.isOpen && copy.around != shown;
            (isInCopy ? copy.links : run).add(shown);
            for (Part inside : shown.copies) {
                compare(inside, shown);
            }
        }
        shown = null;
    }

    private void endCopy() {
        if (copy.around != null && copy.around == shown) {
            shown.copies.add(copy);
        } else if (copy.around != null) {
            compare(copy, copy.around);
        } else if (!copy.isOpen) {
            run.add(copy);
        } else {
            endRun();
            if (copy.links.size() == 1 && !copy.hasInk) {
                compare(copy, copy.links.get(0));
            }
        }
        copy = null;
    }

    private void endRun() {
        if (isAlternating()) {
            for (int i = 1; i < run.size(); i += 2) {
                Part part = run.get(i);
                Part before = run.get(i - 1);
                Part own = part.isCopy() ? part : before;
                Part link = part.isCopy() ? before : part;
                boolean isButton = !own.start.name().equals("a"); // a link in a comment may be another one
                if (isButton || own.shared(link) > 0) {
                    compare(own, link);
                }
            }
        } else {
            compareNearest();
        }
        run.clear();
    }

    /** True if the run consists of pairs of a copy and a link. */
    private boolean isAlternating() {
        boolean isAlternating = run.size() % 2 == 0;
        for (int i = 1; i < run.size(); i++) {
            isAlternating &= run.get(i).isCopy() != run.get(i - 1).isCopy();
        }
        return isAlternating;
    }

    /** Compares each copy of the run with the link that shares more with it: the nearest one behind or before it. */
    private void compareNearest() {
        Part[] behind = new Part[run.size()];
        Part nearest = null;
        for (int i = run.size() - 1; i >= 0; i--) {
            behind[i] = nearest;
            nearest = run.get(i).isCopy() ? nearest : run.get(i);
        }
        Part before = null;
        for (int i = 0; i < run.size(); i++) {
            Part part = run.get(i);
            Part link = part.isCopy() ? best(part, behind[i], before) : null;
            if (link != null) {
                compare(part, link);
            }
            before = part.isCopy() ? before : part;
        }
    }

    /** The link that shares more with a copy; null if none shares anything. */
    private static Part best(Part copy, Part behind, Part before) {
        int ofBehind = behind == null ? 0 : copy.shared(behind);
        int ofBefore = before == null ? 0 : copy.shared(before);
        return ofBehind + ofBefore == 0 ? null : ofBehind >= ofBefore ? behind : before;
    }

    private void compare(Part own, Part link) {
        if (!own.address.equals(link.address)) {
            warn(own, "link", own.address, link.address);
        }
        if (!own.label().isEmpty() && !link.label().isEmpty() && !own.label().equals(link.label())) {
            warn(own, "label", own.label(), link.label());
        }
    }

    private void warn(Part own, String noun, String inOutlook, String elsewhere) {
        problems.warn(origins, own.start.start(), "", "the button's " + noun + " in Outlook, \"" + Excerpt.of(inOutlook, MAX_QUOTED) + "\", differs from its "
                + noun + " in other clients, \"" + Excerpt.of(elsewhere, MAX_QUOTED) + "\"; the conditional comment contains a copy of the button");
    }
}
