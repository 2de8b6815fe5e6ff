package stet.markup;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Distinct names in order of first appearance. The first are kept; the others are only counted, in at most 32 bytes each. */
public final class VariableNames {
    private final Set<String> first = new LinkedHashSet<>();
    /** Hashes of the others, some of them more than once until they are sorted. */
    private long[] others = new long[1_024];
    private int more;

    private VariableNames() {
    }

    /** The names in a subject and then in an html whose blocks are expanded. @param most names to keep */
    public static VariableNames in(String subject, String html, int most) {
        VariableNames names = new VariableNames();
        Variables.Listener listener = (name, tag) -> {
            if (names.first.size() < most) {
                names.first.add(name);
            } else if (!names.first.contains(name)) {
                names.count(hash(name));
            }
        };
        Variables.read(subject, listener);
        Variables.read(html, listener);
        names.removeDuplicates();
        return names;
    }

    public List<String> first() {
        return List.copyOf(first);
    }

    public int more() {
        return more;
    }

    private void count(long hash) {
        if (more == others.length) {
            removeDuplicates();
            others = more > others.length / 2 ? Arrays.copyOf(others, others.length * 2) : others;
        }
        others[more++] = hash;
    }

    private void removeDuplicates() {
        Arrays.sort(others, 0, more);
        int distinct = 0;
        for (int i = 0; i < more; i++) {
            if (i == 0 || others[i] != others[i - 1]) {
                others[distinct++] = others[i];
            }
        }
        more = distinct;
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
