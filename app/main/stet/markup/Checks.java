package stet.markup;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.markup.Html.Attribute;
import stet.markup.Html.Token;
import stet.markup.Problems.Level;
import stet.markup.Problems.Problem;
import stet.markup.Publisher.Origin;

/**
 * Warns about drafts that can be published but may break in mail clients or Handlebars: misread tags, HTML that clients block or drop,
 * other systems' tags, and forgotten placeholders. Skips HTML comments.
 */
public final class Checks {
    /** Gmail clips emails above this size and adds a link to the full email. */
    private static final int GMAIL_BYTES = 102 * 1024;
    /** Maximum number of names compared for similarity. */
    private static final int MAX_COMPARED = 1_000;

    private static final Set<String> DROPPED = Set.of("script", "form", "iframe", "frameset", "object", "embed", "applet", "base");
    private static final Set<String> RARELY_SHOWN = Set.of("video", "audio", "svg", "canvas");
    /** Helpers of Handlebars 4.7 that throw unless they get one value. */
    private static final Set<String> ONE_VALUE = Set.of("each", "if", "unless", "with");
    /** An attribute's name at the end of a value. */
    private static final Pattern NEXT_ATTRIBUTE = Pattern.compile("\\s[A-Za-z][\\w:-]*\\s*=\\z");
    /** Maximum length of such a name with the spaces around it. */
    private static final int MAX_ATTRIBUTE_NAME = 60;
    /** Attributes with an address that clients may follow or run. */
    private static final Set<String> ADDRESSES = Set.of("href", "xlink:href", "src", "background", "action", "formaction", "poster", "data");
    private static final Pattern HANDLER = Pattern.compile("on[a-z]{3,30}");
    private static final Pattern SCHEME = Pattern.compile("([a-z][a-z0-9+.-]{0,30}):.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    /** In CSS: the start of a comment, an import, or an address, which is group 1. The lookbehind keeps {@code curl(} from being {@code url(}. */
    private static final Pattern IN_STYLE = Pattern.compile(
            "/\\*|@import\\b[^;]{0,2000}+|url\\((?<=\\burl\\()\\s*+(?:&quot;|&#39;|\"|')?([^\"')]*+)", Pattern.CASE_INSENSITIVE);

    private final String field;
    private final String text;
    private final LineNumbers lines;
    private final Problems problems;
    private final ForeignTags foreign;

    /** @param hasPlaceholders whether to also find forgotten placeholders */
    private Checks(String field, String text, boolean hasPlaceholders, Problems problems) {
        this.field = field;
        this.text = text;
        this.lines = new LineNumbers(text);
        this.problems = problems;
        this.foreign = new ForeignTags(text, hasPlaceholders, (place, quote, words) -> warn(place, () -> quote, words));
    }

    /**
     * All problems of a draft: those that the publisher found, followed by warnings. Leaves the publisher's problems unchanged.
     *
     * @param html      the draft's HTML, to which line numbers refer
     * @param expanded  the draft with its shared blocks expanded by the publisher
     * @param variables names in the expanded draft
     * @param bytes     size of the HTML filled with test data
     */
    public static Problems of(String subject, String html, String expanded, List<String> variables, long bytes, Publisher publisher) {
        Problems problems = new Problems(publisher.problems());
        Checks ofSubject = new Checks("subject", subject, true, problems);
        Checks ofHtml = new Checks("html", html, true, problems);
        ofSubject.foreign.range(0, subject.length());
        if (bytes > GMAIL_BYTES) {
            ofHtml.warn(0, "the email is " + bytes / 1024 + " KB as sent, but Gmail shows only the first 102 KB and a link"
                    + " to the full email; shorten the email or remove comments and unused styles");
        }
        ofSubject.tags(Map.of());
        Map<String, String> alike = alike(variables);
        Set<String> reported = ofHtml.tags(alike);
        alike.keySet().removeAll(reported);
        alike.values().forEach(sentence -> ofHtml.warn(0, sentence));
        ofHtml.html();
        expanded(expanded, publisher::origin, problems);
        return problems;
    }

    /** Reads the expanded draft once for all checks of it, because reading takes longer than checking. */
    private static void expanded(String html, IntFunction<Origin> origins, Problems problems) {
        Optional<Conditionals> conditionals = Conditionals.of(html, origins, problems);
        Optional<Buttons> buttons = Buttons.of(html, origins, problems);
        Readability readability = new Readability(origins, problems);
        for (Token token : Html.in(html)) {
            conditionals.ifPresent(each -> each.read(token));
            buttons.ifPresent(each -> each.read(token));
            readability.read(token);
        }
        conditionals.ifPresent(Conditionals::end);
        buttons.ifPresent(Buttons::end);
        readability.end();
    }

    /** Warnings about what nothing will fill in: other systems' tags, helpers not built into Handlebars, and tags with invisible characters. */
    public static Problems foreignTags(String subject, String html) {
        Problems problems = new Problems();
        Checks ofSubject = new Checks("subject", subject, false, problems);
        ofSubject.unfilledTags();
        ofSubject.foreign.range(0, subject.length());
        Checks ofHtml = new Checks("html", html, false, problems);
        ofHtml.unfilledTags();
        Html.in(html).forEach(ofHtml.foreign::read);
        return problems;
    }

    /** Reports tags that Handlebars cannot fill in: unreadable ones, ones that need a helper, and ones with invisible characters. */
    private void unfilledTags() {
        Variables.read(text, new Variables.Listener() {
            @Override
            public void name(String name, Tag tag) {
                // There is nothing to report, because names look the same in all systems.
            }

            @Override
            public void tag(Tag tag) {
                invisible(tag);
            }

            @Override
            public void unread(Tag tag) {
                warn(tag.start(), tag::quoted, ForeignTags.WORDS);
            }

            @Override
            public void helper(Tag tag, String name) {
                warn(tag.start(), tag::quoted, " needs the helper \"" + name + "\", which is not built into Handlebars");
            }
        });
    }

    private void warn(int place, String sentence) {
        warn(place, () -> "", sentence);
    }

    /** @param quote the tag that begins the sentence, in quotation marks; built only if the list of problems is not full */
    private void warn(int place, Supplier<String> quote, String words) {
        if (problems.isFull()) {
            problems.count(Level.WARNING);
        } else {
            problems.add(new Problem(Level.WARNING, null, field, lines.of(place), quote.get(), words));
        }
    }

    /**
     * Returns a warning for each name that differs from an earlier name only in case, hyphens or underscores, because one of the two names
     * is probably a typo.
     */
    private static Map<String, String> alike(List<String> variables) {
        Map<String, String> seen = new HashMap<>();
        Map<String, String> alike = new LinkedHashMap<>();
        for (String name : variables.subList(0, Math.min(variables.size(), MAX_COMPARED))) {
            String before = seen.putIfAbsent(name.replaceAll("[_-]", "").toLowerCase(Locale.ROOT), name);
            if (before != null) {
                alike.put(name, "\"" + before + "\" and \"" + name + "\" differ only in case, hyphens or underscores; use one of them");
            }
        }
        return alike;
    }

    // ---- tags

    /**
     * Reports tags that Handlebars misreads, and the first tag of each name in {@code alike}.
     *
     * @param alike warnings by name
     * @return the names in {@code alike} that have a tag
     */
    private Set<String> tags(Map<String, String> alike) {
        Set<String> helpers = new HashSet<>();
        Set<String> reported = new HashSet<>();
        Variables.read(text, new Variables.Listener() {
            @Override
            public void name(String name, Tag tag) {
                if (alike.containsKey(name) && reported.add(name)) {
                    warn(tag.start(), alike.get(name));
                }
            }

            @Override
            public void tag(Tag tag) {
                invisible(tag);
                valueCount(tag);
            }

            @Override
            public void words(Tag tag, String helper) {
                if (!problems.isFull() && helpers.add(helper)) {
                    warn(tag.start(), tag::quoted, " is read as the helper \"" + helper
                            + "\" with arguments; for a name with spaces, write {{[" + tag.words() + "]}}");
                }
            }
        });
        return reported;
    }

    /** Reports sections that the parser of Handlebars accepts, but whose helper throws when the email is filled in. */
    private void valueCount(Tag tag) {
        boolean opens = tag.kind() == Tag.TagKind.OPEN && !tag.isRaw() || tag.kind() == Tag.TagKind.ELSE && !tag.words().isEmpty();
        Expression expression = opens ? Expression.of(tag) : null;
        String helper = expression != null && expression.first.isWord() ? expression.first.name() : "";
        if (!ONE_VALUE.contains(helper) || expression.operands.size() == 1) {
            return;
        }
        boolean lacksBars = expression.operands.stream().anyMatch(operand -> operand.path() != null && operand.path().name().equals("as"));
        if (lacksBars) {
            warn(tag.start(), tag::quoted, " has no bars around the name after \"as\", so the email fails; write as |name|");
        } else {
            String count = expression.operands.isEmpty() ? "no value" : expression.operands.size() + " values";
            warn(tag.start(), tag::quoted, " passes " + count + " to \"" + helper + "\", which takes one, so the email fails");
        }
    }

    private void invisible(Tag tag) {
        int at = Invisible.find(tag);
        if (at >= 0) {
            String name = Invisible.name(text, at);
            warn(tag.start(), () -> Invisible.shown(tag.quoted()), " contains the invisible character " + name
                    + ", so its name is not the one you see; delete the character");
        }
    }

    // ---- HTML

    private void html() {
        String element = "";
        for (Token token : Html.in(text)) {
            foreign.read(token);
            switch (token.kind()) {
                case START -> {
                    element = token.name();
                    element(token, element);
                    Attribute before = null;
                    for (Attribute attribute : token.attributes()) {
                        attribute(element, attribute);
                        if (before != null) {
                            lateQuote(before, attribute);
                        }
                        before = attribute;
                    }
                }
                case RAW -> {
                    if (element.equals("style")) {
                        style(token.source(), token.start(), true);
                    }
                }
                default -> { }
            }
        }
    }

    private void element(Token token, String name) {
        boolean isLinkedData = name.equals("script") && value(token, "type").equalsIgnoreCase("application/ld+json");
        if (DROPPED.contains(name) && !isLinkedData) {
            warn(token.start(), "mail clients remove <" + name + ">");
        } else if (RARELY_SHOWN.contains(name)) {
            warn(token.start(), "most mail clients do not show <" + name + ">");
        } else if (name.equals("link") && value(token, "rel").toLowerCase(Locale.ROOT).contains("stylesheet")) {
            warn(token.start(), "most mail clients do not load external style sheets; move the rules into a <style> element");
        } else if (name.equals("meta") && value(token, "http-equiv").equalsIgnoreCase("refresh")) {
            warn(token.start(), "mail clients remove <meta http-equiv=\"refresh\">");
        } else if (name.equals("img")) {
            missingAttributes(token);
        }
    }

    private void missingAttributes(Token image) {
        if (image.attribute("src") == null) {
            warn(image.start(), "the image has no src attribute");
        }
        if (image.attribute("alt") == null) {
            warn(image.start(), "the image has no alt text to show while images are blocked; "
                    + "add alt text, or alt=\"\" if the image is decorative");
        }
        if (image.attribute("width") == null && !value(image, "style").contains("width")) {
            warn(image.start(), "the image has no width, so the layout shifts as it loads and Outlook shows it at full size; "
                    + "add width and height");
        }
    }

    /** The value of an attribute; empty if there is none. */
    private static String value(Token token, String attribute) {
        Attribute found = token.attribute(attribute);
        return found == null ? "" : found.value().strip();
    }

    private void attribute(String element, Attribute attribute) {
        String name = attribute.name();
        String value = attribute.value().strip();
        int place = attribute.nameStart();
        if (name.startsWith("on") && HANDLER.matcher(name).matches()) {
            warn(place, "mail clients remove scripts, so \"" + name + "\" has no effect");
        } else if (ADDRESSES.contains(name) && hasScheme(value, "javascript:")) {
            warn(place, "mail clients remove javascript: URLs");
        } else if (name.equals("style")) {
            style(value, place, false);
        } else if (foreign.begins(attribute)) {
            return;
        } else if (name.equals("href") && (element.equals("a") || element.equals("area"))) {
            link(value, place);
        } else if (name.equals("src") && element.equals("img") && value.isEmpty()) {
            warn(place, "the image has an empty src attribute");
        } else if (name.equals("background") || name.equals("src") && element.equals("img")) {
            image(value, "the image", place);
        } else if (name.equals("srcset")) {
            SourceSet.addresses(value).forEach(address -> image(address, "the image", place));
        }
    }

    /** Reports a value whose quote is closed only by the next attribute's quote: {@code href="a class="b"}. */
    private void lateQuote(Attribute attribute, Attribute next) {
        int start = attribute.valueStart();
        int end = attribute.valueEnd();
        boolean isFollowed = start < end && next.nameStart() == end + 1;
        boolean endsWithName = isFollowed && text.charAt(end - 1) == '='
                && NEXT_ATTRIBUTE.matcher(text).region(Math.max(start, end - MAX_ATTRIBUTE_NAME), end).find();
        if (!endsWithName) {
            return;
        }
        boolean swallowsText = text.substring(start, end).indexOf('>') >= 0; // an error, see Unclosed
        boolean isQuoteInNext = text.substring(next.nameStart(), next.nameEnd()).indexOf(text.charAt(end)) >= 0;
        if (!swallowsText && isQuoteInNext) {
            warn(attribute.nameStart(), "the quote after \"" + attribute.name()
                    + "=\" is not closed, so its value includes the next attribute; add the quote");
        }
    }

    /** @param scheme in lower case, with its colon */
    private static boolean hasScheme(String address, String scheme) {
        return address.regionMatches(true, 0, scheme, 0, scheme.length());
    }

    private void link(String address, int place) {
        if (address.isEmpty() || address.equals("#")) {
            warn(place, "the link leads nowhere");
        } else if (!address.startsWith("#") && !address.startsWith("{{") && !SCHEME.matcher(address).matches()) {
            warn(place, "the link's URL is relative, which does not work in email; use an absolute URL");
        } else if (hasScheme(address, "http:")) {
            warn(place, "the link uses http:, so browsers may warn about it and attackers can change the page; use https:");
        }
    }

    /** @param image as it is called in sentences */
    private void image(String address, String image, int place) {
        Matcher scheme = SCHEME.matcher(address);
        if (address.isEmpty() || address.startsWith("{{")) {
            return;
        }
        switch (scheme.matches() ? scheme.group(1).toLowerCase(Locale.ROOT) : "") {
            case "https", "cid" -> { }
            case "http" -> warn(place, image + " uses http:, which many mail clients block; use https:");
            case "data" -> warn(place, image + " is embedded in the HTML (data:), so Gmail does not show it; use https:");
            case "" -> warn(place, image + "'s URL is relative, which does not work in email; use an absolute URL");
            default -> warn(place,
                    image + " uses " + scheme.group(1) + ":, which mail clients do not load; use https:");
        }
    }

    /** @param isExact true if the style's text begins at {@code place}; false to report all of the style's problems at {@code place} */
    private void style(String style, int place, boolean isExact) {
        Matcher matcher = IN_STYLE.matcher(style);
        int from = 0;
        while (matcher.find(from)) {
            int at = isExact ? place + matcher.start() : place;
            String address = matcher.group(1);
            from = matcher.end();
            if (address != null) {
                boolean isFont = address.startsWith("data:") && !address.startsWith("data:image");
                boolean isFragment = address.startsWith("#");
                if (!isFont && !isFragment) {
                    image(address.strip(), "the style's image", at);
                }
            } else if (style.charAt(matcher.start()) == '@') {
                warn(at, "most mail clients do not load external style sheets; move the imported rules into a <style> element");
            } else {
                int end = style.indexOf("*/", from);
                if (end < 0) {
                    return;
                }
                from = end + 2;
            }
        }
    }
}
