package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Utf8;

/** Every warning about a publishable draft, with its line. */
class ChecksTest {
    private static final String RELATIVE = "the image's URL is relative, which does not work in email; use an absolute URL";

    /** Ignored in most rows; {@link #readability} covers these. */
    private static final String READABILITY = "the image has no width.*|the link has no text.*";

    private static final String CLIPPED =
            "Gmail shows only the first 102 KB and a link to the full email; shorten the email or remove comments and unused styles";

    private static Problems of(String subject, String html, String expanded, List<String> variables) {
        Publisher publisher = new Publisher(name -> Optional.empty());
        publisher.expand(subject, html);
        Checks.warn(subject, html, expanded, variables, Utf8.length(expanded, 0, expanded.length()), publisher);
        return publisher.problems();
    }

    private static String warnings(String subject, String html) {
        Problems warnings = of(subject, html, html, Variables.in(subject, html));
        assertFalse(warnings.stops(false));
        return warnings.rows().stream().filter(row -> !row.problem().sentence().matches(READABILITY)).map(Problems.Row::toString).collect(Collectors.joining("; "));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            Hi  | <p>fine</p>                                  | ``
            ``  | <p>fine</p>                                  | subject, line 1: the subject is empty
            `  `| <p>fine</p>                                  | subject, line 1: the subject is empty
            Hi  | <img src="https://a/b.png" alt="B">          | ``
            Hi  | <IMG SRC=cid:logo ALT=Logo>                  | ``
            Hi  | <img src="{{logo}}" alt="">                  | ``
            Hi  | ~<img src="https://a/b.png">                 | line 2: the image has no alt text to show while images are blocked; add alt text, or alt="" if the image is decorative
            Hi  | ~<img src="https://a/b" data-alt="x">        | line 2: the image has no alt text to show while images are blocked; add alt text, or alt="" if the image is decorative
            Hi  | ~~<img src="http://a/b.png" alt="">          | line 3: the image uses http:, which many mail clients block; use https:
            Hi  | ~~<img alt="" src = 'HTTP://a/b.png'>        | line 3: the image uses http:, which many mail clients block; use https:
            Hi  | <img alt="" src="b.png">                     | line 1: the image's URL is relative, which does not work in email; use an absolute URL
            Hi  | <img alt="" src="/b.png">                    | line 1: the image's URL is relative, which does not work in email; use an absolute URL
            Hi  | <img alt="" src="//a/b.png">                 | line 1: the image's URL is relative, which does not work in email; use an absolute URL
            Hi  | <p>~<script>x</script>                       | line 2: mail clients remove <script>
            Hi  | <SCRIPT SRC=x></SCRIPT>                      | line 1: mail clients remove <script>
            Hi  | <form action="x">~<iframe src="y"></iframe>~<object>~<embed> | line 1: mail clients remove <form>; line 2: mail clients remove <iframe>; line 3: mail clients remove <object>; line 4: mail clients remove <embed>
            Hi  | <formula> <imgs> <scripted>                  | ``
            Hi  | <script                                      | ``
            Hi  | a <<<<<<< HEAD~<<<<<<<~<<<<<<<< HEAD         | ``
            # what is in a comment is not seen, but Outlook reads conditional ones
            Hi  | <!-- <img src=x> <script> {% a %} -->        | ``
            Hi  | <!--[if mso]>~<img src="https://a/b"><![endif]--> | line 2: the image has no alt text to show while images are blocked; add alt text, or alt="" if the image is decorative
            Hi  | <!--[if !mso]><!--><p><!--<![endif]--><![if mso]><![endif]> | ``
            Hi  | {{! <img src=x> }}{{!-- <script> --}}        | ``
            Hi  | <style>/* url(x) @import */ a{}</style><title><img></title> | ``
            # images
            Hi  | <img alt="a > b" src="https://a/b">          | ``
            Hi  | <img alt="">                                 | line 1: the image has no src attribute
            Hi  | <img src="" alt="">                          | line 1: the image has an empty src attribute
            Hi  | <img alt='' src='data:image/png;base64,AA'>  | line 1: the image is embedded in the HTML (data:), so Gmail does not show it; use https:
            Hi  | <img alt='' src='file:///C:/a.png'>          | line 1: the image uses file:, which mail clients do not load; use https:
            Hi  | <img alt=""~src="https://a/b"~srcset="https://a/b 1x,~http://a/c 2x"> | line 3: the image uses http:, which many mail clients block; use https:
            Hi  | <td background="http://a/b">                 | line 1: the image uses http:, which many mail clients block; use https:
            Hi  | <td background="{{a}}" style="background:url({{b}})"> | ``
            Hi  | <td style="background:url(&quot;http://a/b&quot;)"> | line 1: the style's image uses http:, which many mail clients block; use https:
            Hi  | <style>~a{background:URL( 'b.png' )}</style> | line 2: the style's image's URL is relative, which does not work in email; use an absolute URL
            Hi  | <style>~a{background:url(data:image/gif;base64,AA)}</style> | line 2: the style's image is embedded in the HTML (data:), so Gmail does not show it; use https:
            Hi  | <style>a{src:url(data:font/woff;base64,AA);mask:url(#b);c:url(https://d)}</style> | ``
            # what is dropped or not shown
            Hi  | <base href="https://a/">                     | line 1: mail clients remove <base>
            Hi  | <video>~<svg>                                | line 1: most mail clients do not show <video>; line 2: most mail clients do not show <svg>
            Hi  | <script type="application/ld+json">{}</script> | ``
            Hi  | <link rel="StyleSheet" href="https://a/b">   | line 1: most mail clients do not load external style sheets; move the rules into a <style> element
            Hi  | <link rel="icon" href="https://a/b">         | ``
            Hi  | <style>~@import url(http://a/b);</style>     | line 2: most mail clients do not load external style sheets; move the imported rules into a <style> element
            Hi  | <meta http-equiv="Refresh" content="0">      | line 1: mail clients remove <meta http-equiv="refresh">
            Hi  | <meta http-equiv="X-UA-Compatible" content="IE=edge"> | ``
            Hi  | <p~onclick="a()" one="b" on="c">             | line 2: mail clients remove scripts, so "onclick" has no effect
            Hi  | <a href=" JavaScript:a()">                   | line 1: mail clients remove javascript: URLs
            # links
            Hi  | <a href="https://a">~<a href="mailto:b">~<a href="tel:1">~<a href="#top">~<a href="{{u}}/b">~<a name="top"> | ``
            Hi  | ~<a href="http://a">                         | line 2: the link uses http:, so browsers may warn about it and attackers can change the page; use https:
            Hi  | <a href="">~<a href>~<a href="#">            | lines 1, 2 and 3: the link leads nowhere
            Hi  | <a href="www.a.com">~<area href="/b">~<a href="//a.com"> | lines 1, 2 and 3: the link's URL is relative, which does not work in email; use an absolute URL
            # equal ones are one row
            Hi  | <embed><embed>~~<embed>                      | lines 1 and 3: mail clients remove <embed>
            Hi  | <embed><embed>                               | line 1 (2 times): mail clients remove <embed>
            Hi  | <embed>~<embed>~<embed>~<embed>              | lines 1, 2, 3 and 4: mail clients remove <embed>
            Hi  | <embed>~<embed>~<embed>~<embed>~<embed>~<embed> | lines 1, 2, 3 and 3 more: mail clients remove <embed>
            Hi  | {{firstName}} {{name}}~{{firstname}}         | line 2: "firstName" and "firstname" differ only in case, hyphens or underscores; use one of them
            Hi  | {{first_name}}~~{{first-name}}               | line 3: "first_name" and "first-name" differ only in case, hyphens or underscores; use one of them
            Hi {{Name}} | ~{{name}}                            | line 2: "Name" and "name" differ only in case, hyphens or underscores; use one of them
            Hi {{Name}} {{name}} | <p></p>                     | line 1: "Name" and "name" differ only in case, hyphens or underscores; use one of them
            Hi  | {{firstName}} {{lastName}}                   | ``
            """)
    void warns(String subject, String html, String expected) {
        assertEquals(expected, warnings(subject, html.replace('~', '\n')));
    }

    /** Other systems' tags in a text, an attribute, a title and a subject. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"*|FNAME|*", "<%name%>", "<%= name %>", "{% if vip %}", "{%- endif -%}", "[Sender_Name]", "[Unsubscribe]", "%recipient.name%",
        "%unsubscribe_url%", "%%first_name%%", "[%name%]", "[[name]]", "${name}", "{$name}"})
    void aTagOfAnotherSystem(String tag) {
        String sentence = ": \"" + tag + "\" is another system's tag and will not be filled in; use {{name}} instead";
        assertEquals("line 2" + sentence, warnings("Hi", "<p>\na " + tag + " b"));
        assertEquals("line 2" + sentence, warnings("Hi", "<a\nhref=\"" + tag + "\">"));
        assertEquals("line 2" + sentence, warnings("Hi", "<a\nhref=\"https://a/" + tag + "\" title='b'>"));
        assertEquals("line 2" + sentence, warnings("Hi", "\n<title>" + tag + "</title>"));
        assertEquals("subject, line 1" + sentence, warnings("Hi " + tag, "<p>"));
        assertEquals("lines 1 and 2" + sentence, warnings("Hi", tag + "\n" + tag));
        assertEquals("", warnings("Hi", "<!-- " + tag + " --><style>" + tag + "</style>{{! " + tag + " }}"));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"50% off, 20%.", "%C3%A9_%C3%A9 https://a/?b=%20c_d%20", "[1] [note] [a b]", "* | *", "{name} {} { % }", "$5 {$}", "a < 5% > b", "%7Bname%7D"})
    void whatIsNoTag(String text) {
        assertEquals("", warnings(text, "<p title=\"" + text + "\">" + text));
    }

    /** Placeholder text in a text, an attribute, a title and a subject. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"[Product Name]", "[Company Name, LLC]", "[Your Name]", "[your company name]", "[insert first name here]", "[NAME]", "[Date]",
        "[Invite Sender Organization Name]", "[Support Email]"})
    void aPlaceholder(String placeholder) {
        String sentence = ": \"" + placeholder + "\" looks like a placeholder but will not be filled in; use {{name}} instead";
        assertEquals("line 2" + sentence, warnings("Hi", "<p>\nThe " + placeholder + " team"));
        assertEquals("line 2" + sentence, warnings("Hi", "<img src='https://a' \nalt=\"" + placeholder + "\">"));
        assertEquals("line 2" + sentence, warnings("Hi", "{{a}}\n<title>" + placeholder + "</title>"));
        assertEquals("subject, line 1" + sentence, warnings("Hi " + placeholder, "<p>"));
        assertEquals("lines 1 and 2" + sentence, warnings("Hi", placeholder + "\n{{a}}" + placeholder));
        assertEquals("", warnings("Hi", "<!--[if mso]>" + "<p>x</p><![endif]--><!-- " + placeholder + " -->{{! " + placeholder + " }}"));
        assertEquals("", warnings("Hi", "<style>a[name], input[Name]{}" + placeholder + "{}</style>"));
        assertEquals("", warnings("Hi", placeholder + "(https://a/b) " + placeholder + "[1]"));
    }

    /** Handlebars tags require brackets around names with spaces. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"{{[First Name]}}", "{{user.[First Name]}}", "{{#each [Order Date]}}{{/each}}", "[Harbour Books] Your order", "[Change your address]",
        "[Action required]", "[Name of the ship]", "a[0] b[i]", "[First]", "[email protected]"})
    void whatIsNoPlaceholder(String text) {
        assertEquals("", warnings(text, "<p title=\"" + text + "\">" + text));
    }

    @Test
    void aTagOfPhpAndOneThatIsEncoded() {
        assertEquals("line 1: \"<?= $name ?>\" is another system's tag and will not be filled in; use {{name}} instead", warnings("Hi", "<?= $name ?>"));
        assertEquals("", warnings("Hi", "<?xml version=\"1.0\"?>"));
        assertEquals("line 1: \"%7B%7Burl%7D%7D\" will not be filled in because its braces are URL-encoded; write {{ and }}",
                warnings("Hi", "<a href=\"https://a/%7B%7Burl%7D%7D\">"));
    }

    @Test
    void aMailThatGmailClips() {
        assertEquals("", warnings("Hi", "x".repeat(102 * 1024)));
        assertEquals("line 1: the email is 102 KB as sent, but " + CLIPPED, warnings("Hi", "x".repeat(102 * 1024 + 1)));
        assertEquals("line 1: the email is 200 KB as sent, but " + CLIPPED, warnings("Hi", "\u00e9".repeat(100 * 1024)));
    }

    @Test
    void theSizeIsThatOfTheExpandedHtml() {
        assertEquals(1, of("Hi", "a", "x".repeat(1 << 20), List.of()).first().size());
    }

    /** Accessibility problems: images without dimensions, links without text, low contrast, no language, no title. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            <img src="https://a/b" alt="">                             | line 1: NO_DIMENSIONS
            <img src="https://a/b" alt="" width="1">                   | ``
            <img src="https://a/b" alt="" style="max-width:100%">      | ``
            ~<a href="https://a"><img src="https://a/b" alt=" " width="1"> &nbsp;</a> | line 2: NO_TEXT
            <a href="https://a"></a>~<a href="https://b"></a>          | lines 1 and 2: NO_TEXT
            <a href="https://a">~<a href="https://b">b</a>             | line 1: NO_TEXT
            <a href="https://a"><img src="https://a/b" alt="A" width="1"></a> | ``
            <a href="https://a">{{name}}</a><a href="https://a" aria-label="A"></a><a name="top"></a> | ``
            <!--[if mso]><a href="https://a"></a><![endif]-->          | ``
            # a document; a part of one needs neither a language nor a title
            <html><title>A</title>                                     | line 1: NO_LANGUAGE
            <html lang=" "><head><title>{{a}}</title>                  | line 1: NO_LANGUAGE
            ~<html lang="en"><title> </title>                          | line 2: NO_TITLE
            <html xml:lang="en"><title>A</title>                       | ``
            # colours
            <p style="color:#777">a</p>                                | line 1: "#777777 on #ffffff, 4.4:1" PALE
            <p style="color:#767676">a</p>                             | ``
            <p style="color:#767676;background:#FFF">a</p>~<p style="COLOR: White ! important">b~ | line 2: "#ffffff on #ffffff, 1.0:1" PALE
            <table bgcolor="navy"><td style="color:rgb(0, 0, 255)">a   | line 1: "#0000ff on #000080, 1.8:1" PALE
            <div style="background-color:#000"><p style="color:#fff">a | ``
            <div style="background:#000;background:url(https://x)"><p style="color:#fff">a | ``
            <div style="background:#000"><div style="background:inherit"><p style="color:#111">a | line 1: "#111111 on #000000, 1.1:1" PALE
            <p style="color:#fff"><b>a</b>                             | line 1: "#ffffff on #ffffff, 1.0:1" PALE
            <p style="color:#fff"><b class="c">a</b><a>b</a><p>c       | ``
            <p style="color:{{c}};">a<p style="color:rgba(255,255,255,.5)">a<p style="color:papayawhip">a | ``
            <div style="display:none;color:#fff"><p style="color:#fff">a</p></div>&nbsp; | ``
            <p style="color:#fff">&nbsp; &zwnj;</p>                    | ``
            <style>td { background: navy }</style><p style="color:#fff">a | ``
            <style>td { background: navy }</style><div style="background:#fff"><p style="color:#fff">a | line 1: "#ffffff on #ffffff, 1.0:1" PALE
            """)
    void readability(String html, String expected) {
        String text = html.replace('~', '\n');
        Problems warnings = of("Hi", text, text, List.of());
        assertEquals(expected.replace("NO_DIMENSIONS", "the image has no width, so the layout shifts as it loads and Outlook shows it at full "
                        + "size; add width and height")
                .replace("NO_TEXT", "the link has no text, so screen readers cannot announce its purpose and nothing is visible while images "
                        + "are blocked; add text to the link or alt text to its image")
                .replace("NO_LANGUAGE", "the email declares no language, which screen readers need for pronunciation; add lang to <html>, such as "
                        + "lang=\"en\"")
                .replace("NO_TITLE", "the email has no title for browsers and screen readers; add <title> to its <head>")
                .replace("PALE", "has too little contrast; use colours with a ratio of at least 4.5:1"),
                warnings.rows().stream().map(Problems.Row::toString).collect(Collectors.joining("; ")));
    }

    @Test
    void notMoreThanAThousandAreListed() {
        Problems problems = of("Hi", "<embed>".repeat(1_234), "", List.of());
        assertEquals(1_000, problems.first().size());
        assertEquals(234, problems.more());
        assertEquals(RELATIVE, of("Hi", "<img alt='' src='x'>".repeat(1_001), "", List.of()).first().get(999).sentence());
    }

    /** The page groups problems that differ only in the quoted tag. */
    @Test
    void aTagThatBeginsASentenceIsSeparate() {
        String html = "{{/a}} {{#if b}} {{#c d}}{{/c}} %7B%7Bname%7D%7D [Your Name] {% e %} {{=<% %>=}} {{f}}} <?php g ?> <img src=\"https://h/i.png\">";
        Problems problems = of("Hi", html, html, Variables.in("Hi", html));
        Checks.foreignTags("Hi", html, problems);
        assertEquals("""
                "{{/a}}"| closes no section
                "{{#if b}}"| is not closed
                "{{=<% %>=}}"| is ignored; tags always use {{ and }}
                "{{f}}"| is followed by a third closing brace, which Handlebars rejects; add a space before it
                "%7B%7Bname%7D%7D"| will not be filled in because its braces are URL-encoded; write {{ and }}
                "[Your Name]"| looks like a placeholder but will not be filled in; use {{name}} instead
                "{% e %}"| is another system's tag and will not be filled in; use {{name}} instead
                "<?php g ?>"| is another system's tag and will not be filled in; use {{name}} instead
                |the image has no alt text to show while images are blocked; add alt text, or alt="" if the image is decorative
                |the image has no width, so the layout shifts as it loads and Outlook shows it at full size; add width and height
                "{{#c d}}"| needs the helper "c", which is not built into Handlebars""", problems.first().stream().map(each -> each.quote() + "|" + each.words()).distinct().collect(Collectors.joining("\n")));
    }
}
