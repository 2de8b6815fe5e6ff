package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Utf8;

/** Every warning about a publishable draft, with its line. */
class ChecksTest {
    private static final String RELATIVE = "the image's URL is relative, which does not work in email; use an absolute URL";

    /** Ignored in most rows; {@link #inaccessiblePartsHaveTheseWarnings} covers these. */
    private static final String READABILITY = "the image has no width.*|the link has no text.*";

    private static final String CLIPPED =
            "Gmail shows only the first 102 KB and a link to the full email; shorten the email or remove comments and unused styles";

    private static Problems of(String subject, String html, String expanded, List<String> variables) {
        Publisher publisher = new Publisher(name -> Optional.empty());
        publisher.expand(subject, html);
        return Checks.of(subject, html, expanded, variables, Utf8.length(expanded, 0, expanded.length()), publisher);
    }

    private static String warnings(String subject, String html) {
        Problems warnings = of(subject, html, html, Variables.in(subject, html));
        assertFalse(warnings.stops(false));
        return warnings.rows().stream().filter(row -> !row.problem().sentence().matches(READABILITY)).map(Problems.ProblemRow::toString).collect(Collectors.joining("; "));
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
            Hi  | <img alt=""~src="https://a/b"~srcset="https://a/b 1x,http://a/c,d 2x"> | line 3: the image uses http:, which many mail clients block; use https:
            Hi  | <img alt="" src="https://a/b" srcset="https://a/b,1 480w, , {{c}} 2x ,https://a/d"> | ``
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
            Hi  | <form action="javascript:a()">~<td background="javascript:a()"> | line 1: mail clients remove <form>; lines 1 and 2: mail clients remove javascript: URLs
            Hi  | <img src="https://a/b" alt="JavaScript: The Good Parts"><p title="javascript:a()"> | ``
            # a quote that only the next attribute closes
            Hi  | ~<a href="{{u}} class="b">View</a>           | line 2: the quote after "href=" is not closed, so its value includes the next attribute; add the quote
            Hi  | ~<a href='{{u}} title='b'>View</a>           | line 2: the quote after "href=" is not closed, so its value includes the next attribute; add the quote
            Hi  | ~<img src="https://a/b alt="" width="1">     | line 2: the image has no alt text to show while images are blocked; add alt text, or alt="" if the image is decorative; line 2: the quote after "src=" is not closed, so its value includes the next attribute; add the quote
            Hi  | ~<td bgcolor="#fff style="color:red">x        | line 2: the quote after "bgcolor=" is not closed, so its value includes the next attribute; add the quote
            Hi  | <a href="https://a?b=" class="c"><a href="https://a?b="class="c"><p title="say "hi""><p title="a b=" c> | ``
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
    void aDraftHasExactlyTheseWarnings(String subject, String html, String expected) {
        assertEquals(expected, warnings(subject, html.replace('~', '\n')));
    }

    /** In a text, an attribute, a title and a subject, but not in a comment. @param system null if it cannot be told */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '!', quoteCharacter = '`', textBlock = """
            *|FNAME|*               ! Mailchimp or Mandrill
            <%name%>                !
            <%= name %>             !
            {% if vip %}            ! Liquid, Jinja or Twig
            {%- endif -%}           ! Liquid, Jinja or Twig
            {# note #}              ! Liquid, Jinja or Twig
            %%[ SET @a = 1 ]%%      ! Salesforce Marketing Cloud
            [Sender_Name]           ! SendGrid
            [Unsubscribe]           ! SendGrid
            [First_Name]            !
            %recipient.name%        ! Mailgun
            %unsubscribe_url%       ! Mailgun
            %subscriber.city%       !
            %%first_name%%          ! Salesforce Marketing Cloud
            %%=v(@name)=%%          ! Salesforce Marketing Cloud
            [%name%]                !
            [[name]]                !
            [[data:firstname:""]]   ! Mailjet
            ${name}                 !
            {$name}                 ! Smarty or MailerLite
            {contactfield=firstname|Friend} ! Mautic
            {unsubscribe_url}       ! Mautic
            {first_name}            !
            {FIRSTNAME}             !
            {user.first_name}       !
            { name }                !
            {name|there}            !
            {lookup=name}           !
            %NAME%                  !
            %FIRSTNAME%             !
            %ADDRESS%               !
            %EMAIL_1%               !
            %LAST_NAME%             !
            [name,fallback=x]       ! Campaign Monitor
            [firstname, fallback=]  ! Campaign Monitor
            [subscriber:firstname | default:reader] ! MailPoet
            $[FNAME]$               ! Zoho Campaigns
            $[FNAME|Friend]$        ! Zoho Campaigns
            @FIRSTNAME@             ! Dotdigital
            @A1@                    ! Dotdigital
            """)
    void eachTagOfAnotherSystemHasAWarning(String tag, String system) {
        String sentence = ": \"" + tag + "\" is " + (system == null ? "another system's tag" : "a tag of " + system) + " and will not be filled in; use {{name}} instead";
        String quote = tag.contains("\"") ? "'" : "\"";
        assertEquals("line 2" + sentence, warnings("Hi", "<p>\na " + tag + " b"));
        assertEquals("line 2" + sentence, warnings("Hi", "<a\nhref=" + quote + tag + quote + ">"));
        assertEquals("line 2" + sentence, warnings("Hi", "<a\nhref=" + quote + "https://a/" + tag.replaceFirst("^(?=[@%{])", "?a=") + quote + " title='b'>"));
        assertEquals("line 2" + sentence, warnings("Hi", "\n<title>" + tag + "</title>"));
        assertEquals("subject, line 1" + sentence, warnings("Hi " + tag, "<p>"));
        assertEquals("lines 1 and 2" + sentence, warnings("Hi", tag + "\n" + tag));
        assertEquals("", warnings("Hi", "<!-- " + tag + " --><style>" + tag + "</style>{{! " + tag + " }}"));
    }

    /** Tags with the exclamation mark that separates the columns above. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            {!! $name !!}           | Laravel Blade
            {!!name!!}              | Laravel Blade
            {!! $user->name !!}     | Laravel Blade
            {!! $a->b->c() !!}      | Laravel Blade
            {!Contact.Name}         | Salesforce
            {!$User.First_Name}     | Salesforce
            {!firstname_fix}        | AWeber
            """)
    void eachTagWithExclamationMarksHasAWarning(String tag, String system) {
        eachTagOfAnotherSystemHasAWarning(tag, system);
    }

    @Test
    void tagsOfOneSystemAreOneWarning() {
        assertEquals("lines 1, 2 and 3: \"{first_name}\" is another system's tag and will not be filled in; use {{name}} instead; "
                + "line 2: \"*|FNAME|*\" is a tag of Mailchimp or Mandrill and will not be filled in; use {{name}} instead",
                warnings("Hi", "{first_name}\n{last_name} *|FNAME|*\n<a href=\"https://a/{id}\">"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {<span class="SpellE">{first_name}</span>}
            {<b>{name}}</b>
            {<b></b><i>{name}}</i>
            {<!-- x -->{name}}
            {<wbr>{#if name}x
            {&#123;x}}
            &#123;{x}}
            {&#x7B;name}}
            &lcub;{ user.name }}
            {&lbrace;name&#125;}
            {&zwnj;{name}}
            {&#8203;{name}}
            &#123;&#123;name}}
            &lcub;&lcub;#if name}}
            """)
    void eachSplitTagHasAWarning(String tag) {
        String found = warnings("Hi", "<p>\nDear " + tag + ",</p>");
        assertTrue(found.startsWith("line 2: \"" + tag.substring(0, 6)) && found.endsWith("\" will not be filled in because something stands between "
                + "its braces; write {{ without markup, entities or spaces in between"), found);
    }

    @ParameterizedTest(name = "U+{0}")
    @ValueSource(strings = {"200B", "200C", "200D", "00AD", "2060", "200E", "202E", "3164", "FE0F", "180B", "E0001", "E0061", "E0101", "1D173"})
    void eachInvisibleCharacterInANameHasAWarning(String code) {
        String c = Character.toString(Integer.parseInt(code, 16));
        for (String tag : List.of("{{name*}}", "{{na*me}}", "{{#if *name}}x{{/if}}", "{{user.*name}}", "{{#na*me}}{{/na*me}}", "{{{name*}}}")) {
            String found = warnings("Hi", "\n" + tag.replace("*", c));
            assertTrue(found.startsWith("line 2: \"{{") && found.contains("<U+" + code + ">") && found.contains("\" contains the invisible character U+" + code
                    + ", so its name is not the one you see; delete the character"), found);
        }
        assertEquals("", warnings("Hi", "{{! a" + c + " }}{{lookup name \"a" + c + "b\"}}" + c));
    }

    @Test
    void visibleMarksInANameHaveNoWarning() {
        assertEquals("", warnings("Hi", "{{\u0646\u0627\u0645\u200c\u0647\u0627}}{{name\u00a0}}{{\u2764\ufe0f}}{{\u00fc}}{{\ud83c\udff4\udb40\udc67\udb40\udc62}}{{\u845b\udb40\udd00}}"));
    }

    /** Text that conditional comments hide from all clients or show to all; correct ones have no warning. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            # a comment inside
            ~<!--[if mso]><!-- c --><p>MSO</p><![endif]--><p>All</p>       | line 2: "<!--[if mso]>" NESTED
            ~<!--[if mso]><p>a</p><!-- c --><p>b</p><![endif]-->           | line 2: "<!--[if mso]>" NESTED
            ~<!--[if gte mso 9]><!-- --><p>a</p><![endif]-->               | line 2: "<!--[if gte mso 9]>" NESTED
            ~<!--[if (mso)OR(IE)]><!--><p>a</p><![endif]-->                | line 2: "<!--[if (mso)OR(IE)]>" NESTED
            ~<!--[if mso]>a<!--b<![endif]-->                               | line 2: "<!--[if mso]>" contains the start of another comment; remove that comment
            # for other clients, but a comment for them
            ~<!--[if !mso]><p>a</p><![endif]-->                            | line 2: "<!--[if !mso]>" NOBODY
            ~<!--[if !(mso)]><p>a</p><![endif]-->                          | line 2: "<!--[if !(mso)]>" NOBODY
            ~<!--[if (!mso)&(!IE)]><p>a</p><![endif]-->                    | line 2: "<!--[if (!mso)&(!IE)]>" NOBODY
            ~<!--[if !gte mso 9]><p>a</p><![endif]-->                      | line 2: "<!--[if !gte mso 9]>" NOBODY
            ~<!--[if !mso OR IE]><p>a</p><![endif]-->                      | line 2: "<!--[if !mso OR IE]>" NOBODY
            ~<!--[if !IE]><p>a</p><![endif]-->                             | line 2: "<!--[if !IE]>" NOBODY
            # ordinary comments
            ~<!-- [if mso]><p>a</p><![endif]-->                            | line 2: "<!-- [if mso]>" SPACE
            ~<!-- [if !mso]><!--><p>a</p><!--<![endif]-->                  | line 2: "<!-- [if !mso]>" SPACE
            ~<!--[ if mso]><p>a</p><![endif]-->                            | line 2: "<!--[ if mso]>" SPACE
            ~<!--  [if gte mso 9]><p>a</p><![endif]-->                     | line 2: "<!-- [if gte mso 9]>" SPACE
            ~<!--~[if (mso)]><p>a</p><![endif]-->                          | line 2: "<!-- [if (mso)]>" SPACE
            # split by markup
            ~<!--[if <b>mso</b>]><p>a</p><![endif]-->                      | line 2: "<!--[if <b>mso</b>]>" has markup in its condition, so no client shows its content
            ~<!--[if gte<br>mso 9]><p>a</p><![endif]-->                    | line 2: "<!--[if gte<br>mso 9]>" has markup in its condition, so no client shows its content
            ~<!-<b>-[if mso]></b>a                                         | line 2: "[if mso]" TEXT
            ~&lt;!--[if mso]&gt;a&lt;                                      | line 2: "[if mso]" TEXT
            ~a&lt;![endif]--&gt;                                           | line 2: "![endif]" TEXT
            ~<b>[if ie]</b>                                                | line 2: "[if ie]" TEXT
            ~<!-[if mso]>a<![endif]-->                                     | line 2: "<![endif]-->" closes no conditional comment, so all clients show what comes before it
            ~<!--[if mso]<p>a</p><![endif]-->                              | line 2: "<!--[if mso]<p>a</p><![endif]-->" is not a valid condition, so no client shows the content of the comment; write it as in <!--[if mso]>
            # dashes of word processors
            ~<!–[if mso]><p>a</p><![endif]–>                     | line 2: "<!–[if mso]>" DASH
            ~<!—[if gte mso 9]><p>a</p><![endif]-->                   | line 2: "<!—[if gte mso 9]>" DASH
            ~<!–-[if !mso]><p>a</p><![endif]–>                   | line 2: "<!–-[if !mso]>" DASH
            # conditions that are never true
            ~<!--[if outlook]><p>a</p><![endif]-->                         | line 2: "<!--[if outlook]>" NEVER
            ~<!--[if gte Outlook 2010]><p>a</p><![endif]-->                | line 2: "<!--[if gte Outlook 2010]>" NEVER
            ~<!--[if Word]><p>a</p><![endif]-->                            | line 2: "<!--[if Word]>" NEVER
            ~<!--[if msoffice]><p>a</p><![endif]-->                        | line 2: "<!--[if msoffice]>" NEVER
            ~<!--[if gmail]><p>a</p><![endif]-->                           | line 2: "<!--[if gmail]>" NEVER
            # a missing end
            ~<!--[if mso]><p>a</p>--><p>b                                  | line 2: "<!--[if mso]>" UNENDED
            ~<!--[if mso]><p>a</p><!--[endif]--><p>b                       | line 2: "<!--[if mso]>" UNENDED
            ~<!--[if mso]><p>a</p><!--[if mso]><p>b</p><![endif]-->        | line 2: "<!--[if mso]>" UNENDED
            ~<!--[if mso]>a<![endif]><p>b</p><!--[if mso]>c<![endif]-->    | line 2: "<!--[if mso]>" UNENDED
            ~<!--[if !mso]><!--><p>a</p>                                   | line 2: "<!--[if !mso]>" UNENDED
            ~<![if !mso]><p>a</p>                                          | line 2: "<![if !mso]>" UNENDED
            ~<!--[if !mso]><!-->a~<!--[if !IE]><!-->b<!--<![endif]-->      | line 2: "<!--[if !mso]>" UNENDED
            <!--[if !mso]><!-->a<!--<![endif]-->~<![if !IE]>b              | line 2: "<![if !IE]>" UNENDED
            ~<!--[if mso]><a href="x><![endif]-->                          | line 2: "<!--[if mso]>" contains a tag that is not closed, so Outlook shows nothing after it
            # right
            <!--[if mso]>a<![endif]--><!--[if !mso]><!-->b<!--<![endif]--> | ``
            <!--[if !mso]><!-- -->b<!-- <![endif]--><![if !mso]>c<![endif]> | ``
            <!--[if !mso]> -->b<!-- <![endif]--><!--[if !IE]><!-->c<![endif]--> | ``
            <!--[if gte mso 9]><xml><o:a/></xml><![endif]--><!--[if (gte mso 9)OR(IE)]>b<![endif]--> | ``
            <!--[if mso]><![if gte mso 15]>a<![endif]><![endif]--> <!--[if lt mso 12]><!-->b<!--<![endif]--> <!--[if LT mso 12]><!-->c<!--<![endif]--> | ``
            <!-- [if you like] --><!-- if mso --><p>[if] [endif]</p><!--[if true]>x<![endif]--><!--[if !supportLists]>1<![endif]--> | ``
            """)
    void conditionalCommentsHaveTheseWarnings(String html, String expected) {
        assertEquals(expected.replace("OR", "|").replace("NESTED", "ends at the first \"-->\" inside it, so all clients show what follows; remove the comment inside")
                .replace("NOBODY", "begins a comment for all clients except Outlook, so none of them shows its content; write <!--[if !mso]><!-->...<!--<![endif]-->")
                .replace("DASH", "begins with a dash instead of two hyphens, so all clients show its content; write <!--[if mso]>")
                .replace("NEVER", "is never true, so no client shows its content; Outlook's name is mso")
                .replace("SPACE", "is an ordinary comment for Outlook, too, because of a space before \"if\"; remove the space")
                .replace("TEXT", "is shown as text by all clients; write <!--[if mso]>...<![endif]--> without markup or entities in between")
                .replace("UNENDED", "has no matching <![endif]-->, so the wrong clients show or hide what follows"),
                warnings("Hi", html.replace('~', '\n').replace("OR", "|")));
    }

    /** Unclosed HTML, which makes all clients lose the text after it. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            <p>Hi</p>~<a href="{{u}}>View</a><p>rest</p>        | the quote after "href=" REST
            <p>Hi</p>~<a href='{{u}}>View</a><p>rest</p>        | the quote after "href=" REST
            ~<img alt="" width="1 src='https://a'>b<p>c         | the quote after "width=" REST
            ~<p title="a" style="color:red>b</p>                | the quote after "style=" REST
            ~{{#if a}}<td class="a>b</td>{{/if}}c               | the quote after "class=" REST
            ~<a href="{{u}}>View</a><p class="x">rest</p>       | the quote after "href=" LATE
            ~<a href='{{u}}>Don't</a>                           | the quote after "href=" LATE
            ~<td width="10>a</td><td width="20">b               | the quote after "width=" LATE
            ~<p style="color:red>a</p><p style="color:blue">b   | the quote after "style=" LATE
            ~<p class="a>b</p><a href='c'>d</a><p id="e">f      | the quote after "class=" LATE
            ~<!-- note <p>rest                                  | "<!--" REST
            ~<!--- note -- ><p>rest                             | "<!--" REST
            ~<!--!><p>rest                                      | "<!--" REST
            ~<style>p{} <p>rest                                 | "<style>" REST
            ~<title>a<p>rest                                    | "<title>" REST
            ~<title/><p>rest                                    | "<title>" REST
            ~<STYLE>p{}</ style><p>rest                         | "<style>" REST
            ~<textarea>a<p>rest                                 | "<textarea>" REST
            ~<xmp>a</xmpp><p>rest                               | "<xmp>" REST
            ~<noframes>a<p>rest                                 | "<noframes>" REST
            ~<!--[if mso]><p>rest                               | "<!--[if mso]>" REST
            ~<!--[if mso]>a<![endif]><p>rest                    | "<!--[if mso]>" REST
            ~<!--[if mso]>a<![endif]-- ><p>rest                 | "<!--[if mso]>" REST
            ~<!--[if !mso]><!-- <p>rest                         | "<!--[if !mso]>" REST
            ~<![CDATA[ a                                        | "<![CDATA[ a" REST
            ~<![CDATA[ a <b>c</b> ]]>                           | "<![CDATA[" ends at the first ">", so no mail client shows the text before it; remove <![CDATA[ and ]]>
            ~<!doctype html                                     | "<!doctype html" REST
            ~<b rest                                            | "<b" REST
            ~a</b rest                                          | "</b" REST
            """)
    void unclosedHtmlIsPublishedOnlyByForce(String html, String expected) {
        String text = html.replace('~', '\n');
        Problems problems = of("Hi", text, text, List.of());
        assertEquals("line 2: " + expected.replace("REST", "is not closed, so no mail client shows the rest of the email")
                .replace("LATE", "is not closed, so no mail client shows the text up to the next quote"),
                problems.stopping(false).stream().map(Problems.ProblemRow::toString).collect(Collectors.joining("; ")));
        assertFalse(problems.stops(true));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"<a title=\"a > b\"class=\"x\">", "<img alt='5 > 3 \"really\"'>", "<a href=\"{{#if a}}x{{else}}y{{/if}}\">", "<p title=\"<b>x</b>\" class=\"=\">",
        "<a href=\"x{{#if a}}\">b{{else}}\">c{{/if}}</a>", "<script", "</p", "<", "<!", "<style>", "<!-->a<!--->b", "<svg><![CDATA[a>b]]></svg>", "<plaintext>a", "<!--[if mso]><a b=\"<![endif]-->",
        "<a title=\"2 > 1, 1 < 2\" class=\"x\">", "{{#if a}}<!-- {{/if}}b{{#if a}} -->{{/if}}", "<a href={{#if a}}\"x\"{{else}}\"y\"{{/if}}>", "{{!-- <!-- --}}a", "{{! <style> }}a", "<![CDATA[a]]>"})
    void htmlThatLooksUnclosedStopsNothing(String html) {
        assertEquals("", of("Hi", html, html, List.of()).stopping(false).stream().map(Problems.ProblemRow::toString).collect(Collectors.joining("; ")));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"50% off, 20%.", "%C3%A9_%C3%A9 https://a/?b=%20c_d%20", "[1] [note] [a b]", "* | *", "{} { % } {a-b} {1} {'a':{'b':1}} {a:b}", "a@b.com A@B.COM ME@HERE@", "100%SALE% %APPDATA%", "f{x} \\frac{a}{b} {{{x}}}", "p{color:red} {color: red}", "[a, b] $[5] $5-$6 [fallback]", "&#123;&#123;name&#125;&#125;", "{<br>{name: 1}", "https://a/?b=%ADB%20%C3%A9", "$5 {$}", "${5} US${10.00}", "{a} {x} {i}", "{#} {#a#}", "a < 5% > b", "%7Bname%7D"})
    void textThatLooksLikeATagHasNoWarning(String text) {
        assertEquals("", warnings(text, "<p title=\"" + text + "\">" + text));
    }

    @Test
    void tagsInCodeAreNoTagsOfAnotherSystem() {
        assertEquals("", warnings("Hi", "<code>{name} %NAME% <b>@NAME@</b> {<b>{name}}</b></code><pre>{name}</pre>"));
        assertEquals("line 1: \"{name}\" is another system's tag and will not be filled in; use {{name}} instead", warnings("Hi", "<code>a</code>{name}"));
    }

    /** In a text, an attribute, a title and a subject, but not in a comment, a style or a link in Markdown. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"[Product Name]", "[Company Name, LLC]", "[Your Name]", "[your company name]", "[insert first name here]", "[NAME]", "[Date]",
        "[Invite Sender Organization Name]", "[Support Email]"})
    void eachPlaceholderHasAWarning(String placeholder) {
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
    void bracketsThatAreNoPlaceholderHaveNoWarning(String text) {
        assertEquals("", warnings(text, "<p title=\"" + text + "\">" + text));
    }

    @Test
    void aTagOfPhpHasAWarning() {
        assertEquals("line 1: \"<?= $name ?>\" is another system's tag and will not be filled in; use {{name}} instead", warnings("Hi", "<?= $name ?>"));
        assertEquals("", warnings("Hi", "<?xml version=\"1.0\"?>"));
    }

    @Test
    void urlEncodedBracesHaveAWarning() {
        assertEquals("line 1: \"%7B%7Burl%7D%7D\" will not be filled in because its braces are URL-encoded; write {{ and }}",
                warnings("Hi", "<a href=\"https://a/%7B%7Burl%7D%7D\">"));
    }

    @Test
    void anEmailThatGmailClipsHasAWarning() {
        assertEquals("", warnings("Hi", "x".repeat(102 * 1024)));
        assertEquals("line 1: the email is 102 KB as sent, but " + CLIPPED, warnings("Hi", "x".repeat(102 * 1024 + 1)));
        assertEquals("line 1: the email is 200 KB as sent, but " + CLIPPED, warnings("Hi", "\u00e9".repeat(100 * 1024)));
    }

    @Test
    void theSizeIsThatOfTheExpandedHtml() {
        assertEquals("the email is 1024 KB as sent, but " + CLIPPED, of("Hi", "a", "x".repeat(1 << 20), List.of()).first().get(0).sentence());
    }

    /** Images without dimensions, links without text, low contrast, no language, no title. */
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
    void inaccessiblePartsHaveTheseWarnings(String html, String expected) {
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
                warnings.rows().stream().map(Problems.ProblemRow::toString).collect(Collectors.joining("; ")));
    }

    @Test
    void notMoreThanAThousandAreListed() {
        Problems problems = of("Hi", "<embed>".repeat(1_234), "", List.of());
        assertEquals(1_000, problems.first().size());
        assertEquals(234, problems.more());
    }

    /** Each line has an image with two problems: its relative URL, and no width. */
    @Test
    void theListedThousandAreThoseOfTheFirstLines() {
        List<Problems.Problem> listed = of("Hi", "<img alt='' src='x'>\n".repeat(1_001), "", List.of()).first();
        assertEquals(500, listed.stream().filter(problem -> problem.sentence().equals(RELATIVE)).count());
        assertEquals(500, listed.stream().mapToInt(Problems.Problem::line).max().orElseThrow());
    }

    @Test
    void thePublishersProblemsStayUnchanged() {
        Publisher publisher = new Publisher(name -> Optional.empty());
        publisher.expand("", "{{/a}}<embed>");
        for (int i = 0; i < 2; i++) {
            assertEquals(3, Checks.of("", "{{/a}}<embed>", "", List.of(), 0, publisher).first().size());
        }
        assertEquals(2, publisher.problems().first().size());
    }

    /** The page groups problems that differ only in the quoted tag. */
    @Test
    void aTagThatBeginsASentenceIsSeparate() {
        String html = "{{/a}} {{#if b}} {{#c d}}{{/c}} %7B%7Bname%7D%7D [Your Name] {% e %} {{=<% %>=}} {{f}}} <?php g ?> <img src=\"https://h/i.png\">";
        Problems problems = of("Hi", html, html, Variables.in("Hi", html));
        assertEquals("""
                "{{/a}}"| closes no section
                "{{#if b}}"| is not closed
                "{{=<% %>=}}"| is ignored; tags always use {{ and }}
                "{{f}}"| is followed by a third closing brace, which Handlebars rejects; add a space before it
                "%7B%7Bname%7D%7D"| will not be filled in because its braces are URL-encoded; write {{ and }}
                "[Your Name]"| looks like a placeholder but will not be filled in; use {{name}} instead
                "{% e %}"| is a tag of Liquid, Jinja or Twig and will not be filled in; use {{name}} instead
                "<?php g ?>"| is another system's tag and will not be filled in; use {{name}} instead
                |the image has no alt text to show while images are blocked; add alt text, or alt="" if the image is decorative
                |the image has no width, so the layout shifts as it loads and Outlook shows it at full size; add width and height
                "{{#c d}}"| needs the helper "c", which is not built into Handlebars""", Stream.of(problems, Checks.foreignTags("Hi", html))
                .flatMap(each -> each.first().stream()).map(each -> each.quote() + "|" + each.words()).distinct().collect(Collectors.joining("\n")));
    }
}
