package stet.sqlite;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import stet.core.Samples;

/**
 * Changes to a template's sets of test data.
 *
 * @param changed       documents of new or changed sets, by name
 * @param removed       names of removed sets
 * @param newDefault    name of the default set; null if it is unchanged
 * @param characters    number of characters to write
 * @param oldCharacters number of characters to replace or remove
 */
record SampleChanges(Map<String, String> changed, Set<String> removed, String newDefault, long characters, long oldCharacters) {
    static SampleChanges of(Samples before, Samples after) {
        Map<String, String> changed = without(after, before);
        Map<String, String> replaced = without(before, after);
        Set<String> removed = new TreeSet<>(replaced.keySet());
        removed.removeAll(changed.keySet());
        boolean isDefaultMoved = !before.documents().isEmpty() && !Objects.equals(before.defaultName(), after.defaultName());
        long characters = characters(changed) + (isDefaultMoved ? charactersOfDefaults(before, after, changed) : 0);
        return new SampleChanges(changed, removed, isDefaultMoved ? after.defaultName() : null, characters, characters(replaced));
    }

    /** Returns the documents of {@code samples} that {@code others} does not have, or has with different content. */
    private static Map<String, String> without(Samples samples, Samples others) {
        Map<String, String> documents = new TreeMap<>(samples.documents());
        documents.entrySet().removeAll(others.documents().entrySet());
        return documents;
    }

    /**
     * Total length of the documents in the old and new default sets, whose rows are rewritten when the default changes.
     *
     * @param changed documents that are written anyway
     */
    private static long charactersOfDefaults(Samples before, Samples after, Map<String, String> changed) {
        return Stream.of(before.defaultName(), after.defaultName()).filter(name -> name != null && !changed.containsKey(name))
                .mapToLong(name -> after.documents().getOrDefault(name, "").length()).sum();
    }

    private static long characters(Map<String, String> documents) {
        return documents.values().stream().mapToLong(String::length).sum();
    }
}
