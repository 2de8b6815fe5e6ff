package stet.markup;

import java.util.List;
import java.util.regex.Pattern;

/** The images among which a {@code srcset} attribute lets browsers choose (HTML standard, 4.8.4.3.10). */
final class SourceSet {
    /** An address, which may contain commas but not end with one, and its descriptors up to the next comma: {@code a.png 2x,}. */
    private static final Pattern CANDIDATE = Pattern.compile("([^\\s,]\\S*+)(?:(?<=,)|[^,]*+)");

    private SourceSet() {
    }

    /** The addresses in an attribute's value, in order. */
    static List<String> addresses(String value) {
        return CANDIDATE.matcher(value).results().map(candidate -> withoutCommas(candidate.group(1))).toList();
    }

    /** An address without the commas at its end, which separate it from the next one. */
    private static String withoutCommas(String address) {
        int end = address.length();
        while (address.charAt(end - 1) == ',') {
            end--;
        }
        return address.substring(0, end);
    }
}
