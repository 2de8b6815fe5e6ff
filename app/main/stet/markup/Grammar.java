package stet.markup;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Finds what the parser of Handlebars 4.7 rejects in a text: tags with invalid content, and sections that do not nest.
 *
 * <pre>
 * text    = (content | value | section | partial | comment)*
 * section = {{#a}} text ({{else if b}} text)* [{{else}} text] {{/a}}      also {{#*decorator}} and {{#> partial}}, without {{else}}
 *         | {{^a}} text [{{else}} text] {{/a}}
 *         | {{{{raw}}}} content {{{{/raw}}}}
 * </pre>
 *
 * One faulty tag makes Handlebars reject the whole email. Stet reads on after it, to report all of them.
 */
final class Grammar {
    /** Maximum depth of sections, where each {@code {{else if}}} counts. At about 1,400, Node.js runs out of stack while it compiles. */
    static final int MAX_DEPTH = 1_000;

    private final String text;
    private final Consumer<SyntaxFault> faults;
    private final Deque<OpenSection> open = new ArrayDeque<>();
    private int depth;
    private boolean isTooDeep;

    /**
     * Something that Handlebars rejects.
     *
     * @param place     char index
     * @param quote     the tag that begins the sentence, in quotation marks, or empty
     * @param words     the rest of the sentence
     * @param isNesting true if the tag is at fault only because of the tags around it
     */
    record SyntaxFault(int place, String quote, String words, boolean isNesting) {
    }

    /** An open section. */
    private static final class OpenSection {
        final Tag tag;
        /** The tag's name, see {@link Expression.Path#original}, which the closing tag must repeat; null if the tag is faulty. */
        final Object name;
        /** The section's {@code {{else}}} without a condition, or null. */
        Tag otherwise;
        /** Number of sections that Handlebars nests for it: one, and one for each {@code {{else if}}}. */
        int depth = 1;

        OpenSection(Tag tag, Object name) {
            this.tag = tag;
            this.name = name;
        }

        boolean mayHaveElse() {
            return tag.kind() != Tag.TagKind.PARTIAL_BLOCK;
        }
    }

    private Grammar(String text, Consumer<SyntaxFault> faults) {
        this.text = text;
        this.faults = faults;
    }

    /** Reports the faults of a text. Unclosed sections come last. */
    static void check(String text, Consumer<SyntaxFault> faults) {
        new Grammar(text, faults).check();
    }

    private void check() {
        int end = 0;
        boolean hasNull = text.indexOf('\0') >= 0;
        for (Tag tag : Tag.in(text)) {
            if (hasNull) {
                nullCharacter(end, tag.start());
            }
            end = tag.end();
            switch (tag.kind()) {
                case OPEN, PARTIAL_BLOCK -> open(tag);
                case ELSE -> otherwise(tag);
                case CLOSE -> close(tag);
                case UNCLOSED -> faults.accept(new SyntaxFault(tag.start(), "", "\"{{\" is not closed", false));
                case DELIMITERS -> fault(tag, " is ignored; tags always use {{ and }}");
                case COMMENT -> {
                    if (tag.isDecorator() || tag.hasSpaceBeforeSign()) {
                        content(tag);
                    }
                }
                case VALUE, BLOCK -> content(tag);
                default -> { }
            }
        }
        if (hasNull) {
            nullCharacter(end, text.length());
        }
        open.descendingIterator().forEachRemaining(section -> nesting(section.tag, " is not closed"));
    }

    /** Reports the first NUL character between two tags. */
    private void nullCharacter(int from, int to) {
        int at = text.indexOf('\0', from);
        if (at >= 0 && at < to) {
            faults.accept(new SyntaxFault(at, "", "the text contains a NUL character, which Handlebars rejects", false));
        }
    }

    /** Reports a tag that is at fault by itself. */
    private void fault(Tag tag, String words) {
        faults.accept(new SyntaxFault(tag.start(), tag.quoted(), words, false));
    }

    /** Reports a tag that is at fault because of the tags around it. */
    private void nesting(Tag tag, String words) {
        faults.accept(new SyntaxFault(tag.start(), tag.quoted(), words, true));
    }

    /** Checks what is between a tag's braces, and what follows them. @return the content, or null if it is at fault */
    private Expression content(Tag tag) {
        Expression expression = Expression.read(tag);
        String ofBraces = faultOfBraces(tag);
        String words = ofBraces != null ? ofBraces : expression.fault;
        if (words != null) {
            fault(tag, words);
        }
        return words == null ? expression : null;
    }

    /** The fault of a tag's braces or sign, as the end of a sentence that begins with the tag; null if there is none. */
    private String faultOfBraces(Tag tag) {
        if (tag.hasSpaceBeforeSign()) {
            return Expression.beginsWithHtml(tag) ? Expression.HAS_HTML : " has a space before its sign, which Handlebars rejects; remove the space";
        }
        if (tag.isRaw() && (Tag.sign(text, tag.start()) != 0 || text.charAt(tag.start() + 4) == '~')) {
            return " opens no raw block; a name must follow the braces";
        }
        if (tag.hasBraceBehind()) {
            return " is followed by a " + (tag.isTriple() ? "fourth" : "third") + " closing brace, which Handlebars rejects; add a space before it";
        }
        return null;
    }

    private void open(Tag tag) {
        Expression expression = content(tag);
        open.push(new OpenSection(tag, expression == null ? null : expression.first.original()));
        deepen(tag);
    }

    private void deepen(Tag tag) {
        depth++;
        if (depth > MAX_DEPTH && !isTooDeep) {
            isTooDeep = true;
            nesting(tag, " is more than " + String.format("%,d", MAX_DEPTH) + " sections deep, too deep for Handlebars");
        }
    }

    private void otherwise(Tag tag) {
        boolean isChain = !tag.words().isEmpty();
        OpenSection section = open.peek();
        if (section == null) {
            nesting(tag, " is outside a section");
        } else if (!section.mayHaveElse()) {
            nesting(tag, " is not allowed in " + section.tag.quoted());
        } else if (section.otherwise != null) {
            nesting(tag, isChain ? " follows " + section.otherwise.quoted() + "; {{else}} must come last"
                    : " is the second {{else}} of " + section.tag.quoted());
        } else if (isChain && section.tag.isInverted()) {
            nesting(tag, " is not allowed in " + section.tag.quoted() + "; begin the section with {{#unless}} instead");
        } else if (isChain) {
            section.depth++;
            deepen(tag);
        } else {
            section.otherwise = tag;
        }
        if (isChain || tag.hasSpaceBeforeSign()) {
            content(tag);
        }
    }

    private void close(Tag tag) {
        Expression expression = tag.isRaw() ? null : content(tag);
        Object name = tag.isRaw() ? tag.words() : expression == null ? null : expression.first.original();
        if (expression != null && expression.isCall) {
            fault(tag, " has more than a name; write only the name of the section");
        }
        OpenSection section = open.poll();
        depth -= section == null ? 0 : section.depth;
        if (section == null || section.tag.isRaw() != tag.isRaw()) {
            nesting(tag, section == null ? " closes no section" : " closes " + section.tag.quoted());
        } else if (name != null && section.name != null && !name.equals(section.name)) {
            nesting(tag, " closes " + section.tag.quoted());
        }
    }
}
