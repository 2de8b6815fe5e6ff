package stet.markup;

import java.util.regex.Pattern;

/**
 * Shows an email filled in with test data. Only Stet's preview script runs, so the email looks as it would in a browser without
 * scripting.
 */
public final class PreviewPage {
    /** Also matches in raw text, because browsers parse elements in the style or title of an SVG, which {@link Html} reads as text. */
    private static final Pattern META = Pattern.compile("(?i)<meta(?![a-z0-9])");

    private PreviewPage() {
    }

    /**
     * Inserts a script right after the doctype, or at the start if there is none, without changing the rendering mode. The content of
     * {@code noscript} elements is shown, and {@code meta} elements cannot redirect or add a policy.
     *
     * @param script a complete script element
     */
    public static String with(String html, String script) {
        StringBuilder page = new StringBuilder(html.length() + script.length() + 64);
        int copied = 0;
        boolean hasScript = false;
        for (Html.Token token : Html.shown(html)) {
            if (!hasScript && !isBeforeDoctype(token)) {
                copied = isDoctype(token) ? token.end() : 0;
                page.append(html, 0, copied).append(script);
                hasScript = true;
            }
            if (token.kind() == Html.HtmlKind.RAW && !token.hidden()) {
                page.append(html, copied, token.start()).append(META.matcher(token.source()).replaceAll("$0-"));
                copied = token.end();
                continue;
            }
            String insertion = token.hidden() || token.nameEnd() <= copied ? null : insertion(token);
            if (insertion != null) {
                page.append(html, copied, token.nameEnd()).append(insertion);
                copied = token.nameEnd();
            }
        }
        if (!hasScript) {
            page.append(script);
        }
        return page.append(html, copied, html.length()).toString();
    }

    /** True if browsers still accept a doctype after this token. */
    private static boolean isBeforeDoctype(Html.Token token) {
        return token.hidden() || switch (token.kind()) {
            case COMMENT, CONDITION -> true;
            case DECLARATION -> !isDoctype(token);
            case TEXT -> token.source().chars().allMatch(c -> " \t\n\f\r\ufeff".indexOf(c) >= 0);
            default -> false;
        };
    }

    private static boolean isDoctype(Html.Token token) {
        return token.kind() == Html.HtmlKind.DECLARATION && token.source().regionMatches(true, 0, "<!doctype", 0, "<!doctype".length());
    }

    /**
     * Text to insert after an element name, or null. An inserted attribute takes precedence because browsers use the first of two
     * attributes with the same name.
     */
    private static String insertion(Html.Token token) {
        if (token.kind() != Html.HtmlKind.START && token.kind() != Html.HtmlKind.END) {
            return null;
        }
        String name = token.nameEnd() - token.start() > "</noscript".length() ? "" : token.name();
        if (name.equals("noscript")) {
            return "-";
        }
        Html.Attribute http = name.equals("meta") ? token.attribute("http-equiv") : null;
        return http == null || http.value().equalsIgnoreCase("content-type") ? null : " http-equiv=\"\"";
    }
}
