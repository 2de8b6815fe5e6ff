package stet.types;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import stet.markup.DataType;

/**
 * A type with a name and fields, as all languages have it.
 *
 * @param steps name of a type for the order of required fields, which only Java uses
 * @param email the email whose data this is; null for an object or the rows of a list inside such data
 */
record Structure(String name, String steps, EmailType email, List<Field> fields) {
    /**
     * A variable.
     *
     * @param key        name in the template
     * @param identifier name in the language
     * @param structure  name of the type of the object, or of the items of the list or map; null for other types
     */
    record Field(String key, String identifier, DataType type, String structure) {
        boolean isOptional() {
            return type.isOptional();
        }
    }

    /**
     * All types in the order in which they are written: each email, followed by the types inside it.
     *
     * @param reserved words that cannot be identifiers of fields
     * @param inStyle  makes an identifier from a variable's name
     */
    static List<Structure> of(List<EmailType> emails, Set<String> reserved, UnaryOperator<String> inStyle) {
        Structures structures = new Structures(reserved, inStyle);
        emails.forEach(structures::add);
        return structures.all;
    }

    /** Collects types. Their names are unique in the file, and the names of fields in their type. */
    private static final class Structures {
        final List<Structure> all = new ArrayList<>();
        private final Identifiers names = new Identifiers(Set.of("emails", "data"));
        private final Set<String> reserved;
        private final UnaryOperator<String> inStyle;

        Structures(Set<String> reserved, UnaryOperator<String> inStyle) {
            this.reserved = reserved;
            this.inStyle = inStyle;
        }

        void add(EmailType email) {
            add(names.uniqueIgnoringCase(Identifiers.capitalised(email.id()) + "Email"), email, email.type());
        }

        private void add(String name, EmailType email, DataType type) {
            Identifiers ofFields = new Identifiers(reserved);
            List<Field> fields = new ArrayList<>();
            all.add(new Structure(name, names.uniqueIgnoringCase(name + "Steps"), email, fields));
            type.fields().forEach((key, each) -> {
                DataType inner = each.items() == null ? each : each.items();
                boolean isObject = inner.shape() == DataType.DataShape.OBJECT;
                String structure = isObject ? names.uniqueIgnoringCase(name + Identifiers.capitalised(key)) : null;
                fields.add(new Field(key, ofFields.unique(inStyle.apply(key)), each, structure));
                if (isObject) {
                    add(structure, null, inner);
                }
            });
        }
    }

    /** A sentence that describes the type. */
    String title() {
        return email == null ? "Part of the data above." : "Data of the email " + Identifiers.literal(email.id()) + ".";
    }
}
