package stet.markup;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.core.Utf8;

/** What mail clients will make of a draft that can be published, but perhaps should not be: warnings, with their lines. */
public final class Checks {
    /** Gmail shows no more of an html than this and links to the rest, in bytes. */
    private static final int CLIPPED = 102 * 1024;
    /** Names that are compared with each other, at most. */
    private static final int COMPARED = 1_000;
    private static final Pattern ELEMENT = Pattern.compile("<(img|script|form|iframe|object|embed)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern SOURCE = attribute("src");
    private static final Pattern ALT = attribute("alt");
    private static final Pattern ABSOLUTE = Pattern.compile("(?:https|data|cid):.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** A tag in an address as some editors write it. */
    private static final Pattern ENCODED = Pattern.compile("%7B%7B[^\\s\"'<>]{0,60}?%7D%7D", Pattern.CASE_INSENSITIVE);

    private final Problems problems;

    private Checks(Problems problems) {
        this.problems = problems;
    }

    /**
     * Adds what is to be said of a draft.
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
        checks.size(expanded);
        Map<String, String> alike = alike(variables);
        checks.tags("subject", subject, Map.of());
        checks.tags("html", html, alike);
        alike.forEach((name, sentence) -> checks.warn("html", 1, sentence));
        checks.elements(html);
        checks.addresses(html);
    }

    private void size(String expanded) {
        long bytes = Utf8.length(expanded, 0, expanded.length());
        if (bytes > CLIPPED) {
            warn("html", 1, "the html has " + bytes / 1024 + " KB: Gmail clips a mail at 102 KB");
        }
    }

    /** {@code firstName} and {@code firstname}: one of the two is likely a slip, and stays empty in the mail. */
    private static Map<String, String> alike(List<String> variables) {
        Map<String, String> seen = new HashMap<>();
        Map<String, String> alike = new LinkedHashMap<>();
        for (String name : variables.subList(0, Math.min(variables.size(), COMPARED))) {
            String before = seen.putIfAbsent(name.replaceAll("[_-]", "").toLowerCase(Locale.ROOT), name);
            if (before != null) {
                alike.put(name, "\"" + before + "\" and \"" + name + "\" differ only in how they are written");
            }
        }
        return alike;
    }

    /** Names that are like another one, where they stand first, and tags that ask for something else than they seem to. */
    private void tags(String field, String text, Map<String, String> alike) {
        LineNumbers lines = new LineNumbers(text);
        Set<String> helpers = new HashSet<>();
        Variables.read(text, new Variables.Listener() {
            @Override
            public void asks(String name, Tag tag) {
                String sentence = alike.isEmpty() ? null : alike.remove(name);
                if (sentence != null) {
                    warn(tag, sentence);
                }
            }

            @Override
            public void tag(Tag tag) {
                if (tag.kind() == Tag.Kind.BRACES) {
                    warn(tag, tag.quoted() + " is passed over: tags are read with {{ and }} from here on too");
                }
                if (tag.isFollowedByBrace()) {
                    warn(tag, tag.quoted() + " has a third closing brace behind it, at which Handlebars stops: put a blank between them");
                }
            }

            @Override
            public void unread(Tag tag) {
                warn(tag, problems.isFull() ? "" : tag.quoted() + " gives no name: callers are not told of it, and Handlebars stops at it");
            }

            @Override
            public void words(Tag tag, String helper) {
                if (!problems.isFull() && helpers.add(helper)) {
                    warn(tag, tag.quoted() + " is read as the helper \"" + helper + "\" and what it is given; a name with blanks is written {{["
                            + tag.words() + "]}}");
                }
            }

            private void warn(Tag tag, String sentence) {
                Checks.this.warn(field, lines.of(tag.start()), sentence);
            }
        });
    }

    private void elements(String html) {
        Matcher element = ELEMENT.matcher(html);
        LineNumbers lines = new LineNumbers(html);
        for (int from = 0; element.find(from); ) {
            from = html.indexOf('>', element.end());
            if (from < 0) {
                return;
            }
            int line = lines.of(element.start());
            String name = element.group(1).toLowerCase(Locale.ROOT);
            if (name.equals("img")) {
                image(html.substring(element.end(), from), line);
            } else {
                warn("html", line, "mail clients drop <" + name + ">");
            }
        }
    }

    private void addresses(String html) {
        LineNumbers lines = new LineNumbers(html);
        for (Matcher encoded = ENCODED.matcher(html); encoded.find(); ) {
            warn("html", lines.of(encoded.start()), "\"" + encoded.group() + "\" is no tag: nobody fills it in unless its braces are written {{ and }}");
        }
    }

    private void image(String attributes, int line) {
        Matcher source = SOURCE.matcher(attributes);
        if (source.find()) {
            String address = source.group(source.group(1) != null ? 1 : source.group(2) != null ? 2 : 3).strip();
            if (address.toLowerCase(Locale.ROOT).startsWith("http:")) {
                warn("html", line, "the image comes over http:, which many mail clients block; use https:");
            } else if (!address.startsWith("{{") && !ABSOLUTE.matcher(address).matches()) {
                warn("html", line, "the image's address is relative: in a mail there is nothing it is relative to");
            }
        }
        if (!ALT.matcher(attributes).find()) {
            warn("html", line, "the image has no alt text, which is all that is seen while images are blocked");
        }
    }

    private void warn(String field, int line, String sentence) {
        problems.add(new Problem(Problem.Level.WARNING, null, field, line, sentence));
    }

    private static Pattern attribute(String name) {
        return Pattern.compile("(?<![\\w-])" + name + "\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)'|([^\\s\"'>]*))", Pattern.CASE_INSENSITIVE);
    }
}
