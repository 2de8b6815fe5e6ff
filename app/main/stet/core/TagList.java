package stet.core;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import stet.base.Refusal;

/** Tags that help users find a template; sorted, and none {@linkplain Validation#likeness looks like} another. */
public final class TagList {
    /** Maximum number of tags per template. */
    public static final int TAGS = 20;
    /** Maximum number of characters per tag. */
    public static final int CHARACTERS = 40;

    private static final Pattern TAG =
            Pattern.compile("[\\p{L}\\p{M}\\p{N}](?:[\\p{L}\\p{M}\\p{N} ._:/+&-]*[\\p{L}\\p{M}\\p{N}+])?");

    private TagList() {
    }

    /** @throws Refusal for an invalid tag, a duplicate or too many tags */
    public static List<String> of(Collection<String> tags) {
        List<String> all = changed(List.of(), tags, List.of());
        if (all.size() < tags.size()) {
            throw new Refusal("tags", "A tag is listed twice; remove the duplicate");
        }
        return all;
    }

    /** Adds and removes tags; a tag that looks like another is the same. @throws Refusal for an invalid tag or too many tags */
    public static List<String> changed(List<String> tags, Collection<String> added, Collection<String> removed) {
        Map<String, String> changed = new HashMap<>();
        tags.forEach(tag -> changed.put(Validation.likeness(tag), tag));
        removed.forEach(tag -> changed.remove(Validation.likeness(tag)));
        for (String tag : added) {
            check(tag);
            changed.putIfAbsent(Validation.likeness(tag), tag);
            if (changed.size() > TAGS) { // checked in the loop, which then ends early
                throw new Refusal("tags", "A template can have at most " + TAGS + " tags");
            }
        }
        return changed.values().stream()
                .sorted(Comparator.comparing((String tag) -> tag, String.CASE_INSENSITIVE_ORDER).thenComparing(tag -> tag)).toList();
    }

    private static void check(String tag) {
        if (tag.codePointCount(0, tag.length()) > CHARACTERS || !TAG.matcher(tag).matches()) {
            throw new Refusal("tags", "\"" + tag.codePoints().limit(CHARACTERS).collect(StringBuilder::new,
                    StringBuilder::appendCodePoint, StringBuilder::append) + "\" is not a valid tag; use 1 to " + CHARACTERS
                    + " letters, digits, spaces and . _ : / + & -, starting with a letter or digit, and ending with a letter, digit or +");
        }
        Validation.checkTag(tag);
    }

    /** Returns the stored form: one tag per line. */
    public static String lines(List<String> tags) {
        return String.join("\n", tags);
    }

    /** The tags in their stored form. */
    public static List<String> ofLines(String lines) {
        return lines.isEmpty() ? List.of() : List.of(lines.split("\n"));
    }
}
