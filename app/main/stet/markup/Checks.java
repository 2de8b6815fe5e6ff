package stet.markup;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import stet.core.Utf8;
import stet.markup.Problem.Level;

/** Warns of a draft that can be published, but that mail clients or Handlebars may not take as its author means it. */
public final class Checks {
    /** Gmail shows no more of an html and links to the rest. */
    private static final int GMAIL_BYTES = 102 * 1024;
    /** Names that are compared with each other. */
    private static final int MAX_COMPARED = 1_000;

    private final Problems problems;

    private Checks(Problems problems) {
        this.problems = problems;
    }

    /**
     * Adds the warnings of a draft.
     *
     * @param html      the draft itself, which the lines refer to
     * @param expanded  with its shared blocks in place
     * @param variables of the expanded draft
     */
    public static void warn(String subject, String html, String expanded, List<String> variables, Problems problems) {
        Checks checks = new Checks(problems);
        if (subject.isBlank()) {
            checks.warn("subject", 1, "the subject is empty");
        }
        new HtmlChecks((sentence, place) -> checks.warn("subject", 1, sentence)).foreign(subject, 0, subject.length());
        long bytes = Utf8.length(expanded, 0, expanded.length());
        if (bytes > GMAIL_BYTES) {
            checks.warn("html", 1, "the html has " + bytes / 1024 + " KB: Gmail clips a mail at 102 KB");
        }
        Map<String, String> alike = alike(variables);
        checks.tags("subject", subject, Map.of());
        checks.tags("html", html, alike);
        alike.values().forEach(sentence -> checks.warn("html", 1, sentence));
        LineNumbers lines = new LineNumbers(html);
        new HtmlChecks((sentence, place) -> checks.warn("html", lines, place, () -> sentence)).html(html);
    }

    /** A sentence for each name that is written like another: of {@code firstName} and {@code firstname} one is likely a slip. */
    private static Map<String, String> alike(List<String> variables) {
        Map<String, String> seen = new HashMap<>();
        Map<String, String> alike = new LinkedHashMap<>();
        for (String name : variables.subList(0, Math.min(variables.size(), MAX_COMPARED))) {
            String before = seen.putIfAbsent(name.replaceAll("[_-]", "").toLowerCase(Locale.ROOT), name);
            if (before != null) {
                alike.put(name, "\"" + before + "\" and \"" + name + "\" differ only in how they are written");
            }
        }
        return alike;
    }

    /** Warns at the first tag of each alike name, which is then removed, and at tags that Handlebars reads otherwise. */
    private void tags(String field, String text, Map<String, String> alike) {
        LineNumbers lines = new LineNumbers(text);
        Set<String> helpers = new HashSet<>();
        Variables.read(text, new Variables.Listener() {
            @Override
            public void asks(String name, Tag tag) {
                String sentence = alike.isEmpty() ? null : alike.remove(name);
                if (sentence != null) {
                    warn(tag, () -> sentence);
                }
            }

            @Override
            public void tag(Tag tag) {
                if (tag.kind() == Tag.Kind.DELIMITERS) {
                    warn(tag, () -> tag.quoted() + " is passed over: tags are read with {{ and }} from here on too");
                }
                if (tag.isFollowedByBrace()) {
                    warn(tag, () -> tag.quoted()
                            + " has a third closing brace behind it, at which Handlebars stops: put a blank between them");
                }
            }

            @Override
            public void unread(Tag tag) {
                warn(tag, () -> tag.quoted() + " gives no name: callers are not told of it, and Handlebars stops at it");
            }

            @Override
            public void words(Tag tag, String helper) {
                if (!problems.isFull() && helpers.add(helper)) {
                    warn(tag, () -> tag.quoted() + " is read as the helper \"" + helper
                            + "\" and what it is given; a name with blanks is written {{[" + tag.words() + "]}}");
                }
            }

            private void warn(Tag tag, Supplier<String> sentence) {
                Checks.this.warn(field, lines, tag.start(), sentence);
            }
        });
    }

    /** Makes the sentence only while warnings are listed. */
    private void warn(String field, LineNumbers lines, int place, Supplier<String> sentence) {
        if (problems.isFull()) {
            problems.count(Level.WARNING, 1);
        } else {
            warn(field, lines.of(place), sentence.get());
        }
    }

    private void warn(String field, int line, String sentence) {
        problems.add(new Problem(Level.WARNING, null, field, line, sentence));
    }
}
