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
     * @param reserved words that are no identifiers of fields
     * @param inStyle  makes an identifier from a variable's name
     */
    static List<Structure> of(List<EmailType> emails, Set<String> reserved, UnaryOperator<String> inStyle) {
        Identifiers names = new Identifiers(Set.of("emails", "data"));
        List<Structure> all = new ArrayList<>();
        for (EmailType email : emails) {
            add(all, names, names.unlike(Identifiers.capitalised(email.id()) + "Email"), email, email.type(), reserved, inStyle);
        }
        return all;
    }

    private static void add(List<Structure> all, Identifiers names, String name, EmailType email, DataType type, Set<String> reserved,
            UnaryOperator<String> inStyle) {
        Identifiers ofFields = new Identifiers(reserved);
        List<Field> fields = new ArrayList<>();
        all.add(new Structure(name, names.unlike(name + "Steps"), email, fields));
        type.fields().forEach((key, each) -> {
            DataType inner = each.items() == null ? each : each.items();
            String structure = inner.shape() == DataType.DataShape.OBJECT ? names.unlike(name + Identifiers.capitalised(key)) : null;
            fields.add(new Field(key, ofFields.unique(inStyle.apply(key)), each, structure));
            if (structure != null) {
                add(all, names, structure, null, inner, reserved, inStyle);
            }
        });
    }

    /** A sentence that describes the type. */
    String title() {
        return email == null ? "Part of the data above." : "Data of the email " + Identifiers.literal(email.id()) + ".";
    }
}
