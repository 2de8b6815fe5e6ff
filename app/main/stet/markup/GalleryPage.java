package stet.markup;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import stet.core.Draft;

/**
 * HTML for a gallery: an index and one page per email, filled in with test data. Each email is in the {@code srcdoc} of a sandboxed frame,
 * never in a file of its own, so scripts, forms and refreshes do not work, and only images and fonts load.
 */
public final class GalleryPage {
    /** Start of each page; identifies gallery files. */
    public static final String BEGIN = "<!doctype html><meta charset=\"utf-8\"><meta name=\"generator\" content=\"Stet gallery\">";
    public static final String INDEX = "index.html";
    /** Head of each page; the email's frame inherits its Content-Security-Policy. */
    private static final String HEAD = BEGIN + """

            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; \
            font-src https: data:; form-action 'none'; base-uri 'none'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <style>
            body { font: 15px/1.5 system-ui, sans-serif; margin: 1rem 2rem; }
            th, td { text-align: left; vertical-align: top; padding: .3rem 2rem .3rem 0; overflow-wrap: anywhere; }
            iframe { width: 100%; min-width: 320px; height: 75vh; border: 1px solid #999; background: #fff; overflow: auto; resize: both; }
            td li { color: #a00; }
            </style>
            """;

    private GalleryPage() {
    }

    /** The index up to the first row. */
    public static String index(int templates) {
        return HEAD + "<title>Emails</title>\n<h1>Emails</h1>\n<p>" + templates + (templates == 1 ? " template" : " templates")
                + "</p>\n<table>\n<tr><th>Template</th><th>Subject</th><th>Variables</th><th>Test data</th></tr>\n";
    }

    /**
     * A template's row in the index.
     *
     * @param sets   names of the test data sets that have a page
     * @param errors errors that prevent publishing
     */
    public static String row(Draft draft, Variables.First variables, Collection<String> sets, List<String> errors) {
        String names = variables.names().stream().map(Entities::escape).collect(Collectors.joining(", "));
        return "<tr><td>" + Entities.escape(draft.name()) + " <code>" + draft.id() + "</code>" + list(errors)
                + "</td><td>" + Entities.escape(draft.subject()) + "</td><td>" + names + (variables.more() == 0 ? "" : " and " + variables.more() + " more") + "</td><td>"
                + sets.stream().map(set -> "<a href=\"" + file(draft.id(), set) + "\">" + set + "</a>").collect(Collectors.joining(" "))
                + "</td></tr>\n";
    }

    /** The index row for a template without a page. */
    public static String omitted(String id) {
        return "<tr><td><code>" + id + "</code></td><td colspan=\"3\">Not shown because the gallery has reached its maximum size</td></tr>\n";
    }

    /** An email's file name, which never equals {@link #INDEX} because it contains two dots. */
    public static String file(String id, String set) {
        return id + "." + set + ".html";
    }

    /** An email's page. @param problems errors and warnings */
    public static String mail(String id, String set, String subject, Sampler.Filled html, List<String> problems) {
        return HEAD + "<title>" + id + ", " + set + "</title>\n<p><a href=\"" + INDEX + "\">Emails</a> / <code>" + id + "</code> / " + set
                + "</p>\n<h1>" + Entities.escape(subject) + "</h1>\n" + list(problems)
                + (html.cut() ? "<p>This email is too long to show in full.</p>\n" : "")
                + "<iframe sandbox title=\"The email\" srcdoc=\""
                // Makes links open in a new window, which the sandbox blocks.
                + (html.text() + "<base target=\"_blank\">").replace("&", "&amp;").replace("\"", "&quot;") + "\"></iframe>\n";
    }

    private static String list(List<String> sentences) {
        return sentences.isEmpty() ? "" : sentences.stream().map(each -> "<li>" + Entities.escape(each) + "</li>")
                .collect(Collectors.joining("", "<ul>", "</ul>"));
    }
}
