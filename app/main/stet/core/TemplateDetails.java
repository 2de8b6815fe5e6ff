package stet.core;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import stet.base.Fields;
import stet.base.Json;
import stet.base.Utf8;

/** A template's details ({@link TemplateField}). @param texts the text of each column, by the field's name in files */
public record TemplateDetails(SortedMap<String, String> texts) {
    /** The details of a new template, and of files that mention none. */
    public static final TemplateDetails NONE = of(field -> "");

    public TemplateDetails {
        texts = Collections.unmodifiableSortedMap(texts);
    }

    private static TemplateDetails of(Function<TemplateField, String> text) {
        SortedMap<String, String> texts = new TreeMap<>();
        TemplateField.details().forEach(field -> texts.put(field.word(), text.apply(field)));
        return new TemplateDetails(texts);
    }

    /** @throws stet.base.Refusal if a field is invalid, naming the field */
    public static TemplateDetails of(Fields fields) {
        return of(field -> field.read(fields));
    }

    /** Reads what {@link #json} has written, or what the database returns for the columns by the fields' names. */
    public static TemplateDetails ofJson(String json) {
        JsonNode texts = Json.tree(json);
        TemplateDetails details = of(field -> texts.path(field.word()).asText());
        return details.equals(NONE) ? NONE : details;
    }

    /** The columns' texts by the fields' names. */
    public String json() {
        return Utf8.text(Json.write(texts));
    }

    /** The columns' texts in the order of the fields' names, as digests need them. */
    public Collection<String> inOrder() {
        return texts.values();
    }

    /** The fields as files have them; without empty ones. */
    public SortedMap<String, Object> fields() {
        SortedMap<String, Object> fields = new TreeMap<>();
        TemplateField.details().stream().filter(field -> !texts.get(field.word()).isEmpty())
                .forEach(field -> fields.put(field.word(), field.value(texts.get(field.word()))));
        return fields;
    }
}
