package stet.markup;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Distinct names in order of first appearance: the first are kept, the others only counted, in 16 bytes each at most. */
public final class VariableNames {
    private final int most;
    private final Set<String> first = new LinkedHashSet<>();
    /** Hashes of the others by open addressing, 0 where none is; two names share one by a chance of 1 in 10^19. */
    private long[] others = new long[1 << 10];
    private int more;

    private VariableNames(int most) {
        this.most = most;
    }

    /** The names that a subject and an html whose blocks are expanded ask for. */
    public static VariableNames in(String subject, String html, int most) {
        VariableNames names = new VariableNames(most);
        Variables.read(subject, (name, tag) -> names.add(name));
        Variables.read(html, (name, tag) -> names.add(name));
        return names;
    }

    public List<String> first() {
        return List.copyOf(first);
    }

    public int more() {
        return more;
    }

    private void add(String name) {
        if (first.size() < most) {
            first.add(name);
        } else if (!first.contains(name) && enter(others, hash(name))) {
            more++;
            if (more * 2 > others.length) {
                grow();
            }
        }
    }

    private void grow() {
        long[] larger = new long[others.length * 2];
        for (long hash : others) {
            if (hash != 0) {
                enter(larger, hash);
            }
        }
        others = larger;
    }

    /** Whether it was not there before. */
    private static boolean enter(long[] table, long hash) {
        int place = (int) (hash ^ hash >>> 32) & table.length - 1;
        while (table[place] != 0 && table[place] != hash) {
            place = place + 1 & table.length - 1;
        }
        boolean isNew = table[place] == 0;
        table[place] = hash;
        return isNew;
    }

    /** FNV-1a of 64 bits, and then mixed. */
    private static long hash(String name) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ hash >>> 32) * 0x9e3779b97f4a7c15L;
        return hash == 0 ? 1 : hash;
    }
}
