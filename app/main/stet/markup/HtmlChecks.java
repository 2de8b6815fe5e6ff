package stet.markup;

import java.util.Locale;
import java.util.Set;
import java.util.function.ObjIntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.markup.Html.Attribute;
import stet.markup.Html.Token;

/** Finds html that mail clients leave out, block or show otherwise, and tags of other systems. Comments are passed over. */
final class HtmlChecks {
    private static final Set<String> DROPPED = Set.of("script", "form", "iframe", "frameset", "object", "embed", "applet", "base");
    private static final Set<String> RARELY_SHOWN = Set.of("video", "audio", "svg", "canvas");
    private static final Pattern HANDLER = Pattern.compile("on[a-z]{3,30}");
    private static final Pattern SCHEME = Pattern.compile("([a-z][a-z0-9+.-]{0,30}):.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern IN_STYLE = Pattern.compile(
            "/\\*|@import\\b[^;]{0,2000}+|\\burl\\(\\s*+(?:&quot;|&#39;|\"|')?([^\"')]*+)", Pattern.CASE_INSENSITIVE);

    /**
     * Tags as some editors encode them in an address, and those of Mailchimp, SendGrid, Liquid, Salesforce, Mailgun, Thymeleaf,
     * Smarty and others. A percent sign with two hexadecimal digits is an encoded character.
     */
    private static final Pattern FOREIGN = Pattern.compile("%7[Bb]%7[Bb][^\\s\"'<>]{0,60}?%7[Dd]%7[Dd]"
            + "|\\*\\|[^|*<>\\r\\n]{1,60}\\|\\*|<%[^%<>]{1,60}%>?|\\{%[^%{}]{1,80}%\\}"
            + "|%%[A-Za-z_][\\w.]{0,60}%%|%(?![0-9A-Fa-f]{2})[A-Za-z][A-Za-z0-9]{0,60}[._]\\w[\\w.]{0,60}%"
            + "|\\[%[^%\\[\\]]{1,60}%\\]"
            + "|\\[\\[[^\\[\\]]{1,60}\\]\\]|\\[(?:[A-Za-z][A-Za-z0-9]{0,30}(?:_[A-Za-z0-9]{1,30}){1,9}|Unsubscribe|Weblink)\\]"
            + "|\\$\\{[^{}]{1,60}\\}|\\{\\$[^{}\\s]{1,60}\\}");

    private static final String FOREIGN_WORDS =
            " is a tag of another system, which nobody fills in; here a tag is written {{name}}";

    /**
     * Places that a mail's author was to write over, such as [Product Name], [Company Name, LLC], [your name] and [DATE]. Known
     * words alone, as other texts in brackets are meant: [Harbour Books], [1], [Change your address]. A link of Markdown is none.
     */
    private static final Pattern PLACEHOLDER = Pattern.compile("\\[(?:(?:insert|enter|your|the) ){0,2}"
            + "(?:(?:(?:product|company|organi[sz]ation|business|brand|customer|client|user|sender|recipient|invite|first|last|full"
            + "|support|contact|street|mailing|postal|email|phone|order|invoice|event|due|start|end) ){1,4}"
            + "(?:name|address|email|phone|number|date|time|title|link|url|id|organi[sz]ation)|name|company|product|address|date"
            + "|city|amount)(?:, (?:llc|inc|ltd)\\.?+)?(?: here)?\\](?![(\\[])", Pattern.CASE_INSENSITIVE);
    /** Characters before a placeholder in which its tag of Handlebars would begin: {@code {{user.[First Name]}}}. */
    private static final int LONGEST_TAG = 200;

    private final ObjIntConsumer<String> found;

    /** @param found gets each sentence with its place in the text, in the order of the places */
    HtmlChecks(ObjIntConsumer<String> found) {
        this.found = found;
    }

    void html(String html) {
        String element = "";
        for (Token token : Html.in(html)) {
            switch (token.kind()) {
                case START -> {
                    element = token.name();
                    element(token, element);
                    for (Attribute attribute : token.attributes()) {
                        attribute(element, attribute);
                    }
                }
                case TEXT -> foreign(html, token.start(), token.end());
                case RAW -> raw(element, token);
                case DECLARATION -> declaration(token);
                default -> { }
            }
        }
    }

    /** Finds tags of other systems in a part of a text. */
    void foreign(String text, int from, int to) {
        Matcher tag = null;
        for (int i = from; i < to - 1; i++) {
            if (mayBeForeign(text.charAt(i), text.charAt(i + 1))) {
                tag = tag == null ? FOREIGN.matcher(text) : tag;
                if (tag.region(i, to).lookingAt()) {
                    found.accept('"' + tag.group() + (tag.group().startsWith("%7")
                            ? "\" is no tag: nobody fills it in unless its braces are written {{ and }}"
                            : "\"" + FOREIGN_WORDS), i);
                    i = tag.end() - 1;
                } else if (text.charAt(i) == '[') {
                    placeholder(text, i, to);
                }
            }
        }
    }

    private void placeholder(String text, int at, int to) {
        Matcher placeholder = PLACEHOLDER.matcher(text).region(at, to);
        if (placeholder.useTransparentBounds(true).lookingAt()) {
            String before = text.substring(Math.max(0, at - LONGEST_TAG), at);
            if (before.lastIndexOf("{{") <= before.lastIndexOf("}}")) {
                found.accept('"' + placeholder.group()
                        + "\" looks like a placeholder, which nobody fills in; here a tag is written {{name}}", at);
            }
        }
    }

    /** Whether a tag of another system can begin with two chars. The pattern is asked only then, as it takes longer. */
    private static boolean mayBeForeign(char c, char next) {
        return switch (c) {
            case '%' -> next != ' ' && next != ';' && next != '"';
            case '*' -> next == '|';
            case '<' -> next == '%';
            case '{' -> next == '%' || next == '$';
            case '$' -> next == '{';
            case '[' -> next != ' ';
            default -> false;
        };
    }

    private void element(Token token, String name) {
        boolean isData = name.equals("script") && value(token, "type").equalsIgnoreCase("application/ld+json");
        if (DROPPED.contains(name) && !isData) {
            found.accept("mail clients drop <" + name + ">", token.start());
        } else if (RARELY_SHOWN.contains(name)) {
            found.accept("most mail clients do not show <" + name + ">", token.start());
        } else if (name.equals("link") && value(token, "rel").toLowerCase(Locale.ROOT).contains("stylesheet")) {
            found.accept("most mail clients load no style sheet: put its rules into <style>", token.start());
        } else if (name.equals("meta") && value(token, "http-equiv").equalsIgnoreCase("refresh")) {
            found.accept("mail clients drop <meta http-equiv=\"refresh\">", token.start());
        } else if (name.equals("img")) {
            if (token.attribute("src") == null) {
                found.accept("the image has no address", token.start());
            }
            if (token.attribute("alt") == null) {
                found.accept("the image has no alt text, which is all that is seen while images are blocked", token.start());
            }
        }
    }

    private static String value(Token token, String attribute) {
        Attribute found = token.attribute(attribute);
        return found == null ? "" : found.value().strip();
    }

    private void attribute(String element, Attribute attribute) {
        String name = attribute.name();
        String value = attribute.value().strip();
        int place = attribute.nameStart();
        if (name.startsWith("on") && HANDLER.matcher(name).matches()) {
            found.accept("mail clients drop scripts, so \"" + name + "\" does nothing", place);
        } else if (value.regionMatches(true, 0, "javascript:", 0, "javascript:".length())) {
            found.accept("mail clients drop addresses with javascript:", place);
        } else if (name.equals("style")) {
            style(value, place, false);
        } else if (FOREIGN.matcher(value).lookingAt()) {
            foreign(attribute.text(), attribute.valueStart(), attribute.valueEnd());
            return;
        } else if (name.equals("href") && (element.equals("a") || element.equals("area"))) {
            link(value, place);
        } else if (name.equals("src") && element.equals("img") && value.isEmpty()) {
            found.accept("the image has no address", place);
        } else if (name.equals("background") || name.equals("src") && element.equals("img")) {
            image(value, "the image", place);
        } else if (name.equals("srcset")) {
            for (String candidate : value.split(",\\s+")) {
                image(candidate, "the image", place);
            }
        }
        foreign(attribute.text(), attribute.valueStart(), attribute.valueEnd());
    }

    private void link(String address, int place) {
        if (address.isEmpty() || address.equals("#")) {
            found.accept("the link leads nowhere", place);
        } else if (!address.startsWith("#") && !address.startsWith("{{") && !SCHEME.matcher(address).matches()) {
            found.accept("the link's address is relative: in a mail there is nothing it is relative to", place);
        }
    }

    private void image(String address, String image, int place) {
        Matcher scheme = SCHEME.matcher(address);
        if (address.isEmpty() || address.startsWith("{{")) {
            return;
        }
        switch (scheme.matches() ? scheme.group(1).toLowerCase(Locale.ROOT) : "") {
            case "https", "cid" -> { }
            case "http" -> found.accept(image + " comes over http:, which many mail clients block; use https:", place);
            case "data" -> found.accept(image + " is in the html itself (data:), where Gmail shows none; use https:", place);
            case "" -> found.accept(image + "'s address is relative: in a mail there is nothing it is relative to", place);
            default -> found.accept(
                    image + " comes over " + scheme.group(1) + ":, which mail clients do not load; use https:", place);
        }
    }

    private void raw(String element, Token token) {
        if (element.equals("style")) {
            style(token.source(), token.start(), true);
        } else if (element.equals("title")) {
            foreign(token.text(), token.start(), token.end());
        }
    }

    /** @param exact whether {@code place} is that of the style's first char, else it is that of all in it */
    private void style(String style, int place, boolean exact) {
        Matcher matcher = IN_STYLE.matcher(style);
        for (int from = 0; matcher.find(from); ) {
            int at = exact ? place + matcher.start() : place;
            String address = matcher.group(1);
            from = matcher.end();
            if (address != null) {
                boolean isFont = address.startsWith("data:") && !address.startsWith("data:image");
                image(isFont || address.startsWith("#") ? "" : address.strip(), "the style's image", at);
            } else if (style.charAt(matcher.start()) == '@') {
                found.accept("most mail clients load no style sheet: put the rules of the @import into <style>", at);
            } else {
                int end = style.indexOf("*/", from);
                if (end < 0) {
                    return;
                }
                from = end + 2;
            }
        }
    }

    private void declaration(Token token) {
        if (token.text().startsWith("<?", token.start()) && !token.text().regionMatches(true, token.start(), "<?xml", 0, 5)) {
            String source = token.source();
            found.accept('"' + source.substring(0, Math.min(60, source.length())) + "\"" + FOREIGN_WORDS, token.start());
        }
    }
}
