package stet.markup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.util.List;
import stet.markup.Expression.Operand;
import stet.markup.Expression.Path;

/** Values of a preview's tags in its test data: paths, literals, and the helpers {@code lookup} and {@code log}. */
final class Values {
    /** Maximum number of open parentheses. */
    private static final int MAX_CALLS = 100;

    private final JsonNode data;
    /** Number of open parentheses being evaluated. */
    private int calls;
    private long work;

    /** @param data the test data */
    Values(JsonNode data) {
        this.data = data;
    }

    /** Number of steps taken, which {@link Sampler} limits. */
    long work() {
        return work;
    }

    /** The value of {@code log} or {@code lookup}; null for other helpers, or if an argument is unknown. */
    JsonNode called(Expression expression, Scope scope) {
        String helper = expression.first.name();
        if (helper.equals("log") && expression.first.isWord()) {
            return NullNode.getInstance();
        }
        if (!helper.equals("lookup") || expression.operands.size() != 2) {
            return null;
        }
        JsonNode value = of(expression.operands.get(0), scope);
        JsonNode key = of(expression.operands.get(1), scope);
        return value == null || key == null ? null
                : JavaScript.isTrue(value) ? JavaScript.property(value, JavaScript.text(key)) : value;
    }

    /** The value of an argument; null if it is a helper without a known value, or if the test data may be incomplete. */
    JsonNode of(Operand operand, Scope scope) {
        if (operand.call() == null) {
            return operand.path() != null ? lookUp(operand.path(), scope) : operand.literal();
        }
        if (calls == MAX_CALLS) {
            return null;
        }
        calls++;
        JsonNode value = called(operand.call(), scope);
        calls--;
        return value;
    }

    /** The value that a condition tests; null if the test data may be incomplete or the helper does not have exactly one argument. */
    JsonNode subject(Expression expression, Scope scope) {
        return !expression.isCall ? lookUp(expression.first, scope)
                : helper(expression).isEmpty() ? null : of(expression.operands.get(0), scope);
    }

    /** The name of a helper with exactly one argument; otherwise empty. */
    static String helper(Expression expression) {
        return expression.first.isWord() && expression.operands.size() == 1 ? expression.first.name() : "";
    }

    /** Looks up a path. Returns a missing node if the value is known to be absent, or null if the test data may be incomplete. */
    JsonNode lookUp(Path path, Scope scope) {
        boolean isRoot = "root".equals(path.data());
        if (path.data() != null && !isRoot) {
            return scope.data(path.data(), path.up());
        }
        Scope from = isRoot ? Scope.of(data) : scope.up(path.up());
        if (from == null) {
            return MissingNode.getInstance();
        }
        List<String> parts = path.parts();
        if (parts.isEmpty()) {
            return from.isKnown() || from.outer() == null ? from.value() : null;
        }
        JsonNode value = path.scoped() ? JavaScript.property(from.value(), parts.get(0)) : find(parts.get(0), from);
        boolean isUnknown = value.isMissingNode() && !from.isKnown();
        for (int i = 1; i < parts.size() && !value.isMissingNode() && !value.isNull(); i++) {
            work++;
            value = JavaScript.property(value, parts.get(i));
        }
        if (value.isMissingNode() && parts.size() > 1) {
            work += parts.size();
            JsonNode whole = data.get(path.name());
            return whole != null ? whole : isUnknown ? null : value;
        }
        return isUnknown ? null : value;
    }

    /** Looks up a name, first among the names declared by sections, then in the innermost scope that has the name. */
    private JsonNode find(String name, Scope scope) {
        for (Scope.Names names = scope.names(); names != null; names = names.outer()) {
            work++;
            int index = names.declared().indexOf(name);
            if (index >= 0) {
                JsonNode value = index == 0 ? names.first() : index == 1 ? names.second() : null;
                return value == null ? MissingNode.getInstance() : value;
            }
        }
        JsonNode value = MissingNode.getInstance();
        for (Scope around = scope; around != null && value.isMissingNode(); around = around.outer()) {
            work++;
            value = JavaScript.property(around.value(), name);
        }
        return value;
    }
}
