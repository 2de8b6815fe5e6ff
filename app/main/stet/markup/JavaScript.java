package stet.markup;

import com.fasterxml.jackson.core.io.NumberOutput;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/** Converts and compares JSON values as JavaScript, and therefore Handlebars, does. */
final class JavaScript {
    /** Numbers with more digits before the decimal point are written with an exponent (ECMAScript, Number::toString). */
    private static final int MAX_DIGITS = 21;
    /** Smaller whole numbers have no fraction and no exponent. */
    private static final double MAX_PLAIN = 1e15;
    /** Numbers with this many zeros after the decimal point are written with an exponent, too. */
    private static final int MAX_ZEROS = 6;
    private static final Pattern INDEX = Pattern.compile("0|[1-9][0-9]{0,8}");

    private JavaScript() {
    }

    /** String form: empty for null, {@code a,b} for an array, {@code [object Object]} for an object. */
    static String text(JsonNode value) {
        if (value.isArray()) {
            StringBuilder text = new StringBuilder();
            String separator = "";
            for (JsonNode item : value) {
                text.append(separator).append(text(item));
                separator = ",";
            }
            return text.toString();
        }
        if (value.isNull() || value.isMissingNode()) {
            return "";
        }
        if (value.isObject()) {
            return "[object Object]";
        }
        return value.isNumber() ? number(value.doubleValue()) : value.asText();
    }

    private static String number(double value) {
        if (value == (long) value && Math.abs(value) < MAX_PLAIN) {
            return Long.toString((long) value);
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "Infinity" : "-Infinity";
        }
        BigDecimal exact = shortest(Math.abs(value));
        String digits = exact.unscaledValue().toString();
        int point = digits.length() - exact.scale();
        String sign = value < 0 ? "-" : "";
        if (point > MAX_DIGITS || point <= -MAX_ZEROS) {
            String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
            return sign + digits.charAt(0) + fraction + "e" + (point > 0 ? "+" : "-") + Math.abs(point - 1);
        }
        if (point <= 0) {
            return sign + "0." + "0".repeat(-point) + digits;
        }
        return sign + (point >= digits.length() ? digits + "0".repeat(point - digits.length())
                : digits.substring(0, point) + "." + digits.substring(point));
    }

    /** The number with the fewest digits that identify it. Java 17 may print more digits, and Jackson prints at least two. */
    private static BigDecimal shortest(double value) {
        BigDecimal digits = new BigDecimal(NumberOutput.toString(value, true));
        BigDecimal one = digits.round(new MathContext(1));
        return one.doubleValue() == value ? one : digits.stripTrailingZeros();
    }

    /** True if a value is truthy: anything but false, null, 0, the empty string and a missing value. */
    static boolean isTrue(JsonNode value) {
        return value.isContainerNode() || value.isBoolean() && value.booleanValue()
                || value.isTextual() && !value.textValue().isEmpty()
                || value.isNumber() && value.doubleValue() != 0;
    }

    /** True if a value is empty as Handlebars defines it: an empty array, or any falsy value except 0. */
    static boolean isEmpty(JsonNode value) {
        return value.isArray() ? value.isEmpty() : !value.isNumber() && !isTrue(value);
    }

    /** Compares as {@code ===} does. */
    static boolean isSame(JsonNode one, JsonNode other) {
        return one == other || one.isTextual() && one.equals(other)
                || one.isNumber() && other.isNumber() && one.doubleValue() == other.doubleValue();
    }

    /** A property of an object, array or string; a missing node if there is no such property. */
    static JsonNode property(JsonNode value, String name) {
        boolean isText = value.isTextual();
        if (!isText && !value.isArray()) {
            return value.has(name) ? value.get(name) : MissingNode.getInstance();
        }
        int length = isText ? value.textValue().length() : value.size();
        if (name.equals("length")) {
            return IntNode.valueOf(length);
        }
        int index = INDEX.matcher(name).matches() ? Integer.parseInt(name) : length;
        return index >= length ? MissingNode.getInstance()
                : isText ? TextNode.valueOf(value.textValue().substring(index, index + 1)) : value.get(index);
    }

    /** True for array indexes of up to nine digits, which JavaScript lists before an object's other keys. */
    static boolean isIndex(String key) {
        return INDEX.matcher(key).matches();
    }

    /** An object's keys in JavaScript's order: array indexes first. */
    static List<String> keys(JsonNode object) {
        List<String> keys = new ArrayList<>();
        object.fieldNames().forEachRemaining(keys::add);
        keys.sort(Comparator.comparingInt(key -> isIndex(key) ? Integer.parseInt(key) : Integer.MAX_VALUE));
        return keys;
    }
}
