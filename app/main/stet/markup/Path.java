package stet.markup;

import java.util.List;

/**
 * A path as Handlebars reads it.
 *
 * @param parts  of {@code user/name}, {@code user.[name]}, {@code ../user.name} and {@code @root.user.name}: user, name;
 *               none for {@code this}, {@code ..} and {@code @index}
 * @param scoped whether it says where it is looked for, so that it means nothing that a section declares
 * @param self   whether it is {@code this} or {@code .} alone
 */
record Path(List<String> parts, boolean scoped, boolean self) {

    static Path literal(String text) {
        return new Path(List.of(text), true, false);
    }

    /** What the caller is asked for; empty when that is nothing. */
    String name() {
        return parts.size() == 1 ? parts.get(0) : String.join(".", parts);
    }

    /** Whether it can be the name of a helper alone. */
    boolean isWord() {
        return !scoped && parts.size() == 1;
    }
}
