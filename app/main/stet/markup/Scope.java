package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.List;

/**
 * A place where names are looked up: the value that a section is about, and around it the values of the sections that it is in.
 *
 * @param outer     the scope that {@code ../} leads to; null for the test data as a whole
 * @param value     the value itself
 * @param isKnown   whether a section took the value from the test data, so that a name it lacks is nothing
 * @param iteration around it, or null
 * @param names     that the sections around it declare, or null
 */
record Scope(Scope outer, JsonNode value, boolean isKnown, Iteration iteration, Names names) {
    /** One round of {@code {{#each}}}, and the rounds that it is in. @param key a text of an object, an index of an array */
    record Iteration(Iteration outer, int index, JsonNode key, boolean isLast) {
    }

    /** Names that a section declares, {@code as |item index|}, and their values, of which there are two at most. */
    record Names(Names outer, List<String> declared, JsonNode first, JsonNode second) {
    }

    static Scope of(JsonNode data) {
        return new Scope(null, data, false, null, null);
    }

    /** The scope of a section about a value; {@code ../} passes over one of the same value. */
    Scope about(JsonNode inner) {
        return JavaScript.isSame(inner, value) ? this : new Scope(this, inner, true, iteration, names);
    }

    /** The scope of a section about a value that the test data does not have. */
    Scope aboutUnknown() {
        return new Scope(this, value, false, iteration, names);
    }

    /** The scope that a number of {@code ../} leads to; null where there is none. */
    Scope up(int steps) {
        Scope up = this;
        for (int i = 0; i < steps && up != null; i++) {
            up = up.outer;
        }
        return up;
    }

    /** The value of {@code @index} and the like, in this round or in one around it. */
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

    Scope within(int index, JsonNode key, boolean isLast) {
        return new Scope(outer, value, isKnown, new Iteration(iteration, index, key, isLast), names);
    }

    Scope declaring(List<String> declared, JsonNode first, JsonNode second) {
        return declared.isEmpty() ? this : new Scope(outer, value, isKnown, iteration, new Names(names, declared, first, second));
    }
}
