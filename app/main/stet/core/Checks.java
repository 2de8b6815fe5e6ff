package stet.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What mail clients will make of a draft that can be published, but perhaps should not be: warnings, with their lines. */
public final class Checks {
    /** Gmail shows no more of an html than this and links to the rest, in bytes. */
    private static final int CLIPPED = 102 * 1024;
    private static final int LISTED = 50;
    private static final Pattern ELEMENT = Pattern.compile("<(img|script|form|iframe|object|embed)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern SOURCE = attribute("src");
    private static final Pattern ALT = attribute("alt");
    private static final Pattern ABSOLUTE = Pattern.compile("(?:https|data|cid):.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private final List<Problem> problems = new ArrayList<>();

    private Checks() {
    }

    /**
     * @param html      the draft itself, which the lines refer to
     * @param expanded  with its shared blocks in place
     * @param variables of the expanded draft
     */
    public static List<Problem> warnings(String subject, String html, String expanded, List<String> variables) {
        Checks checks = new Checks();
        if (subject.isBlank()) {
            checks.warn("subject", 1, "the subject is empty");
        }
        checks.size(expanded);
        checks.names(variables, html);
        checks.elements(html);
        return checks.problems;
    }

    private void size(String expanded) {
        int bytes = Utf8.encode(expanded).length;
        if (bytes > CLIPPED) {
            warn("html", 1, "the html has " + bytes / 1024 + " KB: Gmail clips a mail at 102 KB");
        }
    }

    /** {@code firstName} and {@code firstname}: one of the two is likely a slip, and stays empty in the mail. */
    private void names(List<String> variables, String html) {
        Map<String, String> seen = new HashMap<>();
        for (String name : variables) {
            String before = seen.putIfAbsent(name.replaceAll("[_-]", "").toLowerCase(Locale.ROOT), name);
            if (before != null && problems.size() < LISTED) {
                warn("html", line(html, Math.max(0, html.indexOf(name))),
                        "\"" + before + "\" and \"" + name + "\" differ only in how they are written");
            }
        }
    }

    private void elements(String html) {
        Matcher element = ELEMENT.matcher(html);
        int line = 1;
        int counted = 0;
        for (int from = 0; problems.size() < LISTED && element.find(from); ) {
            from = html.indexOf('>', element.end());
            if (from < 0) {
                return;
            }
            for (; counted < element.start(); counted++) {
                line += html.charAt(counted) == '\n' ? 1 : 0;
            }
            String name = element.group(1).toLowerCase(Locale.ROOT);
            if (name.equals("img")) {
                image(html.substring(element.end(), from), line);
            } else {
                warn("html", line, "mail clients drop <" + name + ">");
            }
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
        problems.add(new Problem(false, null, field, line, sentence));
    }

    private static int line(String text, int position) {
        return 1 + (int) text.substring(0, position).chars().filter(c -> c == '\n').count();
    }

    private static Pattern attribute(String name) {
        return Pattern.compile("(?<![\\w-])" + name + "\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)'|([^\\s\"'>]*))", Pattern.CASE_INSENSITIVE);
    }
}
