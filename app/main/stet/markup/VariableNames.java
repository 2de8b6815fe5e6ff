package stet.markup;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Distinct names in order of first appearance. The first are kept; the others are only counted, in about 8 bytes for each
 * time that one appears.
 *
 * @param more number of the others
 */
public record VariableNames(List<String> first, int more) {

    /** The names in a subject and then in an html whose blocks are expanded. @param most names to keep */
    public static VariableNames in(String subject, String html, int most) {
        Set<String> first = new LinkedHashSet<>();
        LongStream.Builder others = LongStream.builder();
        Variables.Listener listener = (name, tag) -> {
            if (first.size() < most) {
                first.add(name);
            } else if (!first.contains(name)) {
                others.add(hash(name));
            }
        };
        Variables.read(subject, listener);
        Variables.read(html, listener);
        long[] sorted = others.build().sorted().toArray();
        int more = 0;
        for (int i = 0; i < sorted.length; i++) {
            more += i == 0 || sorted[i] != sorted[i - 1] ? 1 : 0;
        }
        return new VariableNames(List.copyOf(first), more);
    }

    /** FNV-1a of 64 bits: of 300,000 names, two share a hash in one of 400 million texts. */
    private static long hash(String name) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
        }
        return hash;
    }
}
