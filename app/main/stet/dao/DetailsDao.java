package stet.dao;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import stet.core.TemplateDetails;
import stet.core.TemplateField;

/** The details of templates: the columns that {@link TemplateField} lists. */
public final class DetailsDao {
    private final Sql sql;

    DetailsDao(Dao dao) {
        this.sql = dao.sql();
    }

    /** An expression for the details of a row of {@code templates t}, as {@link TemplateDetails#ofJson} reads them. */
    static String json() {
        return TemplateField.details().stream().map(field -> "'" + field.word() + "', t." + field.column())
                .collect(Collectors.joining(", ", "json_object(", ")"));
    }

    /** Assignments to a template's columns. @param source an expression for the details that {@link TemplateDetails#json} returns */
    static String assignments(String source) {
        return TemplateField.details().stream().map(field -> field.column() + " = " + source + " ->> '" + field.word() + "'")
                .collect(Collectors.joining(", "));
    }

    /** Empty for an unknown template. */
    public Optional<TemplateDetails> find(long account, String id) {
        return sql.first(TemplateDetails.class, """
                select %s from templates t
                where t.account_id = ? and t.id = ? and t.deleted_at is null
                """.formatted(json()), account, id);
    }

    /** The details of all templates by ID. */
    public Map<String, TemplateDetails> all(long account) {
        return sql.map(String.class, TemplateDetails.class, """
                select t.id, %s from templates t
                where t.account_id = ? and t.deleted_at is null
                """.formatted(json()), account);
    }

    /** Sets a template's details without recording the change. Does nothing for an unknown template. */
    public void set(long account, String id, TemplateDetails details) {
        sql.update("""
                update templates
                set %s
                where account_id = ?1 and id = ?2 and deleted_at is null
                """.formatted(assignments("?3")), account, id, details.json());
    }
}
