package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.List;
import java.util.Map;

/**
 * A lookup scope: a section's value, within the scopes of its enclosing sections.
 *
 * @param outer     the scope that {@code ../} refers to; null for the top level
 * @param value     the section's value
 * @param isKnown   true if the value of a section comes from the test data, so names that are not found are empty
 * @param iteration the enclosing loop iteration, or null
 * @param names     names declared by the enclosing sections, or null
 * @param inlines   the visible inline partials, or null
 * @param content   what <code>{{&gt; @partial-block}}</code> shows, or null
 */
record Scope(Scope outer, JsonNode value, boolean isKnown, Iteration iteration, Names names, Inlines inlines, Content content) {
    /** An iteration of a section, with any outer iterations. @param key a string for objects, an index for arrays */
    record Iteration(Iteration outer, int index, JsonNode key, boolean isLast) {
    }

    /** Names that a section declares after {@code as}, and their values (at most two). */
    record Names(Names outer, List<String> declared, JsonNode first, JsonNode second) {
    }

    /**
     * Inline partials.
     *
     * @param defined numbers of the opening tags, by name
     * @param around  the scope around the section that defines them; null at the top level
     */
    record Inlines(Inlines outer, Map<String, Integer> defined, Scope around) {
    }

    /** The content of <code>{{#&gt; partial}}</code>. @param open number of the opening tag @param around the scope of that tag */
    record Content(int open, int close, Scope around) {
    }

    static Scope of(JsonNode data) {
        return new Scope(null, data, false, null, null, null, null);
    }

    /** The innermost visible inline partials that define this name, or null. */
    Inlines inlines(String name) {
        Inlines found = inlines;
        while (found != null && !found.defined.containsKey(name)) {
            found = found.outer;
        }
        return found;
    }

    /** This scope with inline partials of a section. @param around see {@link Inlines} */
    Scope defining(Map<String, Integer> defined, Scope around) {
        return new Scope(outer, value, isKnown, iteration, names, new Inlines(inlines, defined, around), content);
    }

    /**
     * The scope of a partial's text, which is shown here.
     *
     * @param around the scope around the partial's definition, or null
     */
    Scope showing(Scope around, JsonNode context, boolean isContextKnown, Content shown) {
        Scope beyond = around != null && JavaScript.isSame(context, around.value) ? around.outer : around;
        return new Scope(beyond, context, isContextKnown, iteration, around == null ? null : around.names, inlines, shown);
    }

    /** The scope of a section with this value. Returns the current scope if its value is the same, so {@code ../} skips the section. */
    Scope about(JsonNode inner) {
        return JavaScript.isSame(inner, value) ? this : new Scope(this, inner, true, iteration, names, inlines, content);
    }

    /** The scope of a section whose value is missing from the test data. */
    Scope aboutUnknown() {
        return new Scope(this, value, false, iteration, names, inlines, content);
    }

    /** The scope this many {@code ../} steps up, or null. */
    Scope up(int steps) {
        Scope up = this;
        for (int i = 0; i < steps && up != null; i++) {
            up = up.outer;
        }
        return up;
    }

    /** The value of {@code @index} and similar data, from this iteration or an outer one; a missing node outside loops. */
    JsonNode data(String name, int steps) {
        Iteration round = iteration;
        for (int i = 0; i < steps && round != null; i++) {
            round = round.outer;
        }
        return round == null ? MissingNode.getInstance() : switch (name) {
            case "index" -> IntNode.valueOf(round.index);
            case "key" -> round.key;
            case "first" -> BooleanNode.valueOf(round.index == 0);
            case "last" -> BooleanNode.valueOf(round.isLast);
            default -> MissingNode.getInstance();
        };
    }

    /** This scope within an iteration of a loop. */
    Scope within(int index, JsonNode key, boolean isLast) {
        return new Scope(outer, value, isKnown, new Iteration(iteration, index, key, isLast), names, inlines, content);
    }

    /** This scope with names that a section declares. @param second null if there is only one value */
    Scope declaring(List<String> declared, JsonNode first, JsonNode second) {
        return declared.isEmpty() ? this : new Scope(outer, value, isKnown, iteration, new Names(names, declared, first, second), inlines, content);
    }
}
