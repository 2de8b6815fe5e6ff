package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.harness.Running;
import stet.markup.PlainText.Preheader;

/** Mail program files: the plain text part, and the text that an inbox shows after the subject. */
class MailFileTest {
    private static final Instant NOW = Instant.parse("2026-01-31T09:00:00.123Z");

    private static String file(String address, String subject, String html) {
        return new String(MailFile.of(address, subject, html, NOW), StandardCharsets.US_ASCII);
    }

    @Test
    void theFileIsAnUnsentMultipartMessage() {
        assertEquals("""
                From: <ada@example.com>
                To: <ada@example.com>
                Subject: Welcome, Ada
                Date: Sat, 31 Jan 2026 09:00:00 +0000
                X-Unsent: 1
                MIME-Version: 1.0
                Content-Type: multipart/alternative;
                 boundary="stet-part"

                --stet-part
                Content-Type: text/plain; charset=utf-8
                Content-Transfer-Encoding: base64

                SGkgw4VzYQo=
                --stet-part
                Content-Type: text/html; charset=utf-8
                Content-Transfer-Encoding: base64

                PHA+SGkgw4VzYTwvcD4=
                --stet-part--
                """.replace("\n", "\r\n"), file("ada@example.com", "Welcome, Ada", "<p>Hi \u00c5sa</p>"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ``                    | ``
            Plain & simple        | Plain & simple
            =?utf-8?B?QQ==?=      | =?utf-8?B?PT91dGYtOD9CP1FRPT0/PQ==?=
            Gr\u00fc\u00dfe       | =?utf-8?B?R3LDvMOfZQ==?=
            a\\r\\nBcc: eve@example.com\\r\\n\\r\\nx | a Bcc: eve@example.com x
            a\\0b                 | a b
            """)
    void aSubjectIsOneHeader(String subject, String expected) {
        String file = file("ada@example.com", subject.replace("\\r", "\r").replace("\\n", "\n").replace("\\0", "\u2028\0"), "");
        assertEquals("Subject: " + expected, file.lines().filter(line -> line.startsWith("Subject")).findFirst().orElseThrow());
        assertTrue(file.lines().noneMatch(line -> line.startsWith("Bcc")));
    }

    /** Encoded words contain complete characters and together form the subject; no line exceeds 76 chars. */
    @ParameterizedTest
    @ValueSource(strings = {"\u00e4\ud83d\udc4b\u4f60", "word ", "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67"})
    void aLongSubjectIsFolded(String part) {
        String subject = part.repeat(60).strip();
        String file = file("a@b", subject, "<p>" + "x".repeat(500) + "</p>");
        assertTrue(file.lines().allMatch(line -> line.length() <= 76), file);
        StringBuilder decoded = new StringBuilder();
        Matcher words = Pattern.compile("=\\?utf-8\\?B\\?([^?]*)\\?=").matcher(file);
        while (words.find()) {
            String word = new String(Base64.getDecoder().decode(words.group(1)), StandardCharsets.UTF_8);
            assertTrue(!word.contains("\ufffd") && !Character.isLowSurrogate(word.charAt(0)));
            decoded.append(word);
        }
        assertEquals(subject, decoded.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nBcc: x@y", "a> , <b@c", "\u00e4@b", "a b@c", ""})
    void anOddAddressIsLeftOut(String address) {
        assertTrue(file(address, "s", "").startsWith("Subject: s\r\n"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '\u00a6', quoteCharacter = '`', textBlock = """
            <p>Hi  <b>Ada</b>,</p>\u23ce<p>welcome &amp; more</p> \u00a6 Hi Ada,\u23ce\u23cewelcome & more\u23ce
            a<br>b<br/>c<div>d</div>e                  \u00a6 a\u23ceb\u23cec\u23ced\u23cee\u23ce
            <title>T</title><style>p{}</style><script>x</script><p>a</p> \u00a6 a\u23ce
            <a href="https://x.example/?a=1&amp;b=2">Shop</a> now \u00a6 Shop <https://x.example/?a=1&b=2> now\u23ce
            <a href="https://x.example/">https://x.example/</a> \u00a6 https://x.example/\u23ce
            <a href="mailto:a@b.example">a@b.example</a> <a href="#top">up</a> \u00a6 a@b.example up\u23ce
            <a href="MAILTO:a@b.example">a@b.example</a> <a href="Mailto:c@d.example">write</a> \u00a6 a@b.example write <Mailto:c@d.example>\u23ce
            <a href="HTTPS://X.example/">Shop</a> <a href="TEL:1">1</a> <a href="JavaScript:x">no</a> \u00a6 Shop <HTTPS://X.example/> 1 no\u23ce
            <a href="https://x.example/"><img src="i" alt="Tea"></a> \u00a6 Tea <https://x.example/>\u23ce
            <a href="https://x.example/"><img src="i"></a> \u00a6 https://x.example/\u23ce
            <ul><li>a</li><li>b</li></ul>c             \u00a6 - a\u23ce- b\u23ce\u23cec\u23ce
            <table><tr><td>Tea</td><td>3</td></tr><tr><td>Milk</td><td>1</td></tr></table> \u00a6 Tea 3\u23ceMilk 1\u23ce
            <!--[if mso]><p>a</p><![endif]--><!-- b -->c \u00a6 c\u23ce
            &mdash;&#8364;&#x20ac;&nbsp;&unknown;&copy 2026&lt; \u00a6 \u2014\u20ac\u20ac\u00a0&unknown;\u00a9 2026<\u23ce
            &#0;&#xd800;&#99999999999;&#x;&              \u00a6 \ufffd\ufffd\ufffd&#x;&\u23ce
            <p> </p>                                   \u00a6 ``
            <p>Don&#146;t miss 10 &#150; 20 &check;</p> \u00a6 Don\u2019t miss 10 \u2013 20 \u2713\u23ce
            &NotEqualTilde; &nGt; &bne; &fjlig; &CounterClockwiseContourIntegral; &nosuch; \u00a6 \u2242\u0338 \u226b\u20d2 =\u20e5 fj \u2233 &nosuch;\u23ce
            &notit; &notin; &ampamp; &copycat &Amp; &#x80;&#129;&#x9f&#1114112;&#xD83D;&#X41 \u00a6 \u00acit; \u2209 &amp; \u00a9cat &Amp; \u20ac\u0081\u0178\ufffd\ufffdA\u23ce
            <a href="https://x.example/p?order=1&lang=de&copy=2&deg=5">pay</a> \u00a6 pay <https://x.example/p?order=1&lang=de&copy=2&deg=5>\u23ce
            <a href="https://x.example/?a=1&copy;&amp;reg=1&para#&sect">pay</a> \u00a6 pay <https://x.example/?a=1\u00a9&reg=1\u00b6#\u00a7>\u23ce
            <a href="https&colon;//x.example/?x=1&times9&notin=1&lt;">pay</a> \u00a6 pay <https://x.example/?x=1&times9&notin=1<>\u23ce
            <img alt="Q&A &lt=1 &eacute;t&eacute"> \u00a6 Q&A &lt=1 \u00e9t\u00e9\u23ce
            <div style="display:none;mso-hide:all">Your order&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div><h1>Shipped</h1> \u00a6 Shipped\u23ce
            <span class="preheader">Your order&zwnj;&nbsp;&zwnj;&nbsp;&zwnj;&nbsp;</span><h1>Shipped</h1> \u00a6 Your order\u23ce\u23ceShipped\u23ce
            <p>Hi</p><div style="MAX-HEIGHT : 0px; overflow:hidden">a<table><tr><td>b</td></tr></table><br>c</div>d \u00a6 Hi\u23ce\u23ced\u23ce
            <img style="display:none" alt="a"><input hidden>b<p hidden>c<p>d<template>e</template> \u00a6 b\u23ce\u23ced\u23ce
            <td style="font-size:0">a<div style="font-size:14px">b</div></td><a style="mso-hide:all">c</a> \u00a6 a\u23ceb\u23cec\u23ce
            <div style="display:none"><a href="https://x.example/">a</a></div><a href="https://y.example/"><b hidden>b</b>c</a> \u00a6 c <https://y.example/>\u23ce
            Dear Ada,<br><br>thanks.<br><br>Bye \u00a6 Dear Ada,\u23ce\u23cethanks.\u23ce\u23ceBye\u23ce
            a<br> <br/> <br><br>b<br></p><p>c<br>&nbsp;<br>d \u00a6 a\u23ce\u23ce\u23ceb\u23ce\u23cec\u23ce\u23ced\u23ce
            a<br><div>b</div><br>c<br><br> \u00a6 a\u23ceb\u23cec\u23ce
            <ul><li><p>a</p></li><li><p>b</p><p>c</p></li><li></li><li>d<ul><li>e</ul></ul>f \u00a6 - a\u23ce- b\u23cec\u23ce- d\u23ce- e\u23ce\u23cef\u23ce
            <ul><li><br><div><h3>a</h3></div>b<li><a href="https://x.example/">c</a></ul> \u00a6 - a\u23ceb\u23ce- c <https://x.example/>\u23ce
            a<pre>\u23ce  b  c\u23ce\u23ce    d&#9;e\u23ce</pre>f  g \u00a6 a\u23ce\u23ce  b  c\u23ce\u23ce    d\te\u23ce\u23cef g\u23ce
            <pre>a <b> b</b><br>  c</pre><p style="white-space: pre-wrap">d   e\u23cef<span style="white-space:normal"> g   h</span> \u00a6 a  b\u23ce  c\u23ce\u23ced   e\u23cef g h\u23ce
            <a href="https://x.example/a"><img src="i"></a><a href="https://x.example/b"><img src="i" alt="Logo"></a> \u00a6 https://x.example/a Logo <https://x.example/b>\u23ce
            a<a href="https://x.example/"></a>b, <a href="tel:1">1</a>2 <a href="mailto:a@b.example"></a>. \u00a6 a https://x.example/ b, 1 2 mailto:a@b.example.\u23ce
            co&shy;oper\u00adate un<b>seen</b> 10&nbsp;kg a&zwj;b&#8203;c \u00a6 cooperate unseen 10\u00a0kg a\u200db\u200bc\u23ce
            """)
    void theHtmlHasThisPlainText(String html, String expected) {
        assertEquals(expected.replace('\u23ce', '\n'), PlainText.of(html.replace('\u23ce', '\n')));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '\u00a6', quoteCharacter = '`', textBlock = """
            <title>T</title><p>Hi Ada</p><p>more</p>                      \u00a6 Hi Ada more \u00a6 0
            <div style="display:none">News&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div><h1>Big</h1> \u00a6 News Big \u00a6 4
            <body><p> </p><div style="max-height:0px;overflow:hidden"><div>Two \ud83d\udc4b</div> words</div>Big \u00a6 Two \ud83d\udc4b words Big \u00a6 11
            <span class="preheader">{{name}}, hi</span><img hidden>Big    \u00a6 {{name}}, hi Big \u00a6 12
            <img style="display: none"><div hidden></div><p>Big</p>       \u00a6 Big \u00a6 0
            <hr style="display:none"><p>Big</p>                           \u00a6 Big \u00a6 0
            <input hidden><br hidden>Big                                  \u00a6 Big \u00a6 0
            <p>Big</p><p style="opacity:0">later</p>                      \u00a6 Big later \u00a6 0
            <p style="font-size:14px;opacity:0.5">Big</p>                 \u00a6 Big \u00a6 0
            <!-- a --><style>b</style><img alt="c">                       \u00a6 `` \u00a6 0
            a{{name}}                                                     \u00a6 a{{name}} \u00a6 0
            <p>co&shy;oper&shy;ate un<b>seen</b></p>                      \u00a6 cooperate unseen \u00a6 0
            <p>\ud83d\udc69\u200d\ud83d\udcbb \u06cc\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645</p> \u00a6 \ud83d\udc69\u200d\ud83d\udcbb \u06cc\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u00a6 0
            <p>\u0915\u094d\u200d\u0937 \u0915\u094d&zwnj;\u0937 &#128105;&zwj;&#128187;</p> \u00a6 \u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937 \ud83d\udc69\u200d\ud83d\udcbb \u00a6 0
            <div style="display&#58;none">a&rlm;b&zwnj;&zwnj;&zwnj;&zwnj;&zwnj;&zwnj;&zwnj;</div>c \u00a6 a\u200fb c \u00a6 3
            <p>Don&#146;t &check; &shy;&shy;&shy;&nbsp;&shy; 10&nbsp;%</p> \u00a6 Don\u2019t \u2713 10\u00a0% \u00a6 0
            <td>a</td><td>b</td><div>c</div>d<br>e<img>f<i>g</i>          \u00a6 a b c d e fg \u00a6 0
            """)
    void theHtmlHasThisPreheader(String html, String expected, int length) {
        assertEquals(new Preheader(expected, length), Preheader.of(html));
    }

    @Test
    void aPreheaderHasAtMost250CharsAndNoHalfOfACharacter() {
        assertEquals(250, Preheader.of("x".repeat(100_000)).text().length());
        assertEquals(249, Preheader.of("x" + "\ud83d\udc4b".repeat(1_000)).text().length());
    }

    @Tag("slow")
    @Test
    void hostileMailsAreReadInTime() {
        assertTimeoutPreemptively(Running.PATIENCE, () -> {
            for (String part : new String[] {"&", "&#", "<a href=x>", "<a href=https:>y", "<p>", "&amp;", "{{", "<li>"}) {
                PlainText.of(part.repeat(200_000));
            }
        });
    }
}
