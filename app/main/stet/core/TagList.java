package stet.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import stet.base.Refusal;

/** Tags that help users find a template; sorted, and unique ignoring case. */
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

    /** Adds and removes tags, ignoring case. @throws Refusal for an invalid tag or too many tags */
    public static List<String> changed(List<String> tags, Collection<String> added, Collection<String> removed) {
        List<String> changed = new ArrayList<>(tags);
        removed.forEach(tag -> changed.removeIf(tag::equalsIgnoreCase));
        for (String tag : added) {
            check(tag);
            if (changed.stream().noneMatch(tag::equalsIgnoreCase)) {
                changed.add(tag);
            }
            if (changed.size() > TAGS) { // checked in the loop, because each added tag is compared with all others
                throw new Refusal("tags", "A template can have at most " + TAGS + " tags");
            }
        }
        changed.sort(Comparator.comparing((String tag) -> tag, String.CASE_INSENSITIVE_ORDER).thenComparing(tag -> tag));
        return List.copyOf(changed);
    }

    private static void check(String tag) {
        if (tag.codePointCount(0, tag.length()) > CHARACTERS || !TAG.matcher(tag).matches()) {
            throw new Refusal("tags", "\"" + tag.codePoints().limit(CHARACTERS).collect(StringBuilder::new,
                    StringBuilder::appendCodePoint, StringBuilder::append) + "\" is not a valid tag; use 1 to " + CHARACTERS
                    + " letters, digits, spaces and . _ : / + & -, starting with a letter or digit, and ending with a letter, digit or +");
        }
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
