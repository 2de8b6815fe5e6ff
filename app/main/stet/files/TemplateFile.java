package stet.files;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import stet.base.Fields;
import stet.base.Json;
import stet.core.Samples;
import stet.core.TemplateDetails;
import stet.core.TemplateField;
import stet.dao.Dao;

/**
 * The content of a template's JSON file, and its test data, which is in files of its own.
 *
 * @param published null to leave out, which means true
 * @param updatedAt the template's {@code updatedAt} in an export of live versions, or null
 */
public record TemplateFile(String name, String subject, Samples samples, TemplateDetails details, Boolean published, Instant updatedAt) {
    /** The content that a missing file stands for. */
    static TemplateFile missing(String id, Samples samples) {
        return new TemplateFile(id, "", samples, TemplateDetails.NONE, true, null);
    }

    /** A template's current values, always with {@code published}; empty if the template does not exist. */
    public static Optional<TemplateFile> of(Dao dao, long account, String id) {
        return dao.templates().find(account, id).map(template -> new TemplateFile(template.name(), template.subject(), template.samples(),
                dao.details().find(account, id).orElseThrow(), true, null));
    }

    /**
     * Reads a template's JSON file.
     *
     * @param id        the name by default
     * @param documents the sets of test data in files of their own
     * @throws stet.base.Refusal if a field is invalid or unknown, naming the field
     */
    static TemplateFile of(byte[] json, String id, Map<String, String> documents) {
        Fields fields = Fields.ofFile(json);
        String name = fields.text(TemplateField.NAME.word(), id);
        boolean published = fields.flag(TemplateField.PUBLISHED.word(), true);
        Samples samples = Samples.of(documents, fields.texts(TemplateField.SAMPLES.word()), fields.text(TemplateField.DEFAULT_SAMPLES.word(), null));
        String subject = fields.text(TemplateField.SUBJECT.word(), "");
        Instant updatedAt = fields.instant(TemplateField.UPDATED_AT.word());
        TemplateFile file = new TemplateFile(name, subject, samples, TemplateDetails.of(fields), published, updatedAt);
        fields.end();
        return file;
    }

    /** With these sets of test data instead; unchanged if there are none. */
    TemplateFile withDocuments(Map<String, String> documents) {
        return documents.isEmpty() ? this : new TemplateFile(name, subject, Samples.of(documents, null), details, published, updatedAt);
    }

    /** The JSON file, with its fields in alphabetical order. */
    byte[] json() {
        SortedMap<String, Object> fields = details.fields();
        fields.put(TemplateField.NAME.word(), name);
        fields.put(TemplateField.SUBJECT.word(), subject);
        fields.put(TemplateField.DEFAULT_SAMPLES.word(), samples.defaultName());
        fields.put(TemplateField.PUBLISHED.word(), published);
        fields.put(TemplateField.UPDATED_AT.word(), updatedAt);
        fields.values().removeIf(value -> value == null);
        return Json.writeLines(fields);
    }
}
