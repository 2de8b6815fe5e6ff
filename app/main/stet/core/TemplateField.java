package stet.core;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import stet.base.Fields;

/**
 * The fields of a template's JSON file. Most are parts of the draft, each stored in its own way. The others are details: each is a column
 * of {@code templates}, and imports, exports, digests, comparisons, staging, copies, seeds and differences go by this list.
 */
public enum TemplateField {
    NAME("name"),
    SUBJECT("subject"),
    DEFAULT_SAMPLES("defaultSamples"),
    /** Test data in older exports. Not exported. */
    SAMPLES("samples"),
    PUBLISHED("published"),
    /** Only in exports of live versions. */
    UPDATED_AT("updatedAt"),
    TAGS("tags", (fields, name) -> TagList.lines(TagList.of(fields.list(name))), TagList::ofLines);

    private static final List<TemplateField> DETAILS = Arrays.stream(values()).filter(field -> field.fromFile != null).toList();
    private static final Set<String> NAMES = Arrays.stream(values()).map(TemplateField::word).collect(Collectors.toSet());

    private final String word;
    private final BiFunction<Fields, String, String> fromFile;
    private final Function<String, Object> toFile;

    /** A part of the draft. */
    TemplateField(String word) {
        this(word, null, null);
    }

    /**
     * A detail. Its column has the field's name in snake case, and is {@code text not null default ''}; the empty text means that files lack
     * the field.
     *
     * @param fromFile reads the column's text from a file; empty if the field is missing
     * @param toFile   converts the column's text, if not empty, to the field's value
     */
    TemplateField(String word, BiFunction<Fields, String, String> fromFile, Function<String, Object> toFile) {
        this.word = word;
        this.fromFile = fromFile;
        this.toFile = toFile;
    }

    /** The fields that are not parts of the draft. */
    public static List<TemplateField> details() {
        return DETAILS;
    }

    /** The names of all fields. */
    public static Set<String> names() {
        return NAMES;
    }

    /** The field's name in files. */
    public String word() {
        return word;
    }

    /** A detail's column. */
    public String column() {
        return word.replaceAll("[A-Z]", "_$0").toLowerCase(Locale.ROOT);
    }

    /** The text of a detail's column for a file. */
    String read(Fields fields) {
        return fromFile.apply(fields, word);
    }

    /** A detail's value in a file. @param text the column's text, not empty */
    Object value(String text) {
        return toFile.apply(text);
    }
}
