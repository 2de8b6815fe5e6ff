package stet.markup;

import java.util.regex.Pattern;

/** A filled html with one script of ours in it, read by a browser as it would be read where scripts are off. */
public final class PreviewPage {
    /** In a style or title of an svg, where browsers read elements and {@link Html} reads text. */
    private static final Pattern META = Pattern.compile("(?i)<meta(?![a-z0-9])");

    private PreviewPage() {
    }

    /**
     * Puts a script directly behind the doctype, so that the page stays in its mode and nothing of the mail comes before it.
     * {@code <noscript>} is shown as where scripts are off, and no {@code <meta>} can lead away or add a policy.
     *
     * @param script a whole element
     */
    public static String with(String html, String script) {
        StringBuilder page = new StringBuilder(html.length() + script.length() + 64);
        int copied = 0;
        boolean isBegin = true;
        for (Html.Token token : Html.shown(html)) {
            if (isBegin && !isBeforeDoctype(token)) {
                copied = isDoctype(token) ? token.end() : 0;
                page.append(html, 0, copied).append(script);
                isBegin = false;
            }
            if (token.kind() == Html.Kind.RAW && !token.hidden()) {
                page.append(html, copied, token.start()).append(META.matcher(token.source()).replaceAll("$0-"));
                copied = token.end();
            } else if (!token.hidden() && token.nameEnd() > copied && changed(token) != null) {
                page.append(html, copied, token.nameEnd()).append(changed(token));
                copied = token.nameEnd();
            }
        }
        if (isBegin) {
            page.append(script);
        }
        return page.append(html, copied, html.length()).toString();
    }

    /** Whether browsers still take a doctype behind it. */
    private static boolean isBeforeDoctype(Html.Token token) {
        return token.hidden() || switch (token.kind()) {
            case COMMENT, CONDITION -> true;
            case DECLARATION -> !isDoctype(token);
            case TEXT -> token.source().chars().allMatch(c -> " \t\n\f\r\ufeff".indexOf(c) >= 0);
            default -> false;
        };
    }

    private static boolean isDoctype(Html.Token token) {
        return token.kind() == Html.Kind.DECLARATION && token.source().regionMatches(true, 0, "<!doctype", 0, "<!doctype".length());
    }

    /** Chars to put behind the name of an element; null for none. Of two attributes of one name, browsers take the first. */
    private static String changed(Html.Token token) {
        if (token.kind() != Html.Kind.START && token.kind() != Html.Kind.END) {
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
