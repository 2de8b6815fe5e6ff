package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each warning of a draft that can be published, with its line. */
class ChecksTest {
    private static final String RELATIVE = "the image's address is relative: in a mail there is nothing it is relative to";

    private static Problems of(String subject, String html, String expanded, List<String> variables) {
        Problems problems = new Problems();
        Checks.warn(subject, html, expanded, variables, problems);
        return problems;
    }

    private static String warnings(String subject, String html) {
        Problems warnings = of(subject, html, html, Variables.in(subject, html));
        assertFalse(warnings.stops(false));
        return warnings.first().stream().map(Problem::toString).collect(Collectors.joining("; "));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            Hi  | <p>fine</p>                                  | ``
            ``  | <p>fine</p>                                  | subject, line 1: the subject is empty
            `  `| <p>fine</p>                                  | subject, line 1: the subject is empty
            Hi  | <img src="https://a/b.png" alt="B">          | ``
            Hi  | <img alt='' src='data:image/png;base64,AA'>  | ``
            Hi  | <IMG SRC=cid:logo ALT=Logo>                  | ``
            Hi  | <img src="{{logo}}" alt="">                  | ``
            Hi  | ~<img src="https://a/b.png">                 | line 2: the image has no alt text, which is all that is seen while images are blocked
            Hi  | ~<img src="https://a/b" data-alt="x">        | line 2: the image has no alt text, which is all that is seen while images are blocked
            Hi  | ~~<img src="http://a/b.png" alt="">          | line 3: the image comes over http:, which many mail clients block; use https:
            Hi  | ~~<img alt="" src = 'HTTP://a/b.png'>        | line 3: the image comes over http:, which many mail clients block; use https:
            Hi  | <img alt="" src="b.png">                     | line 1: the image's address is relative: in a mail there is nothing it is relative to
            Hi  | <img alt="" src="/b.png">                    | line 1: the image's address is relative: in a mail there is nothing it is relative to
            Hi  | <img alt="" src="//a/b.png">                 | line 1: the image's address is relative: in a mail there is nothing it is relative to
            Hi  | <p>~<script>x</script>                       | line 2: mail clients drop <script>
            Hi  | <SCRIPT SRC=x></SCRIPT>                      | line 1: mail clients drop <script>
            Hi  | <form action="x">~<iframe src="y">~<object>~<embed> | line 1: mail clients drop <form>; line 2: mail clients drop <iframe>; line 3: mail clients drop <object>; line 4: mail clients drop <embed>
            Hi  | <formula> <imgs> <scripted>                  | ``
            Hi  | <script                                      | ``
            Hi  | {{firstName}} {{name}}~{{firstname}}         | line 2: "firstName" and "firstname" differ only in how they are written
            Hi  | {{first_name}}~~{{first-name}}               | line 3: "first_name" and "first-name" differ only in how they are written
            Hi {{Name}} | ~{{name}}                            | line 2: "Name" and "name" differ only in how they are written
            Hi {{Name}} {{name}} | <p></p>                     | line 1: "Name" and "name" differ only in how they are written
            Hi  | {{firstName}} {{lastName}}                   | ``
            """)
    void warns(String subject, String html, String expected) {
        assertEquals(expected, warnings(subject, html.replace('~', '\n')));
    }

    @Test
    void aMailThatGmailClips() {
        assertEquals("", warnings("Hi", "x".repeat(102 * 1024)));
        assertEquals("line 1: the html has 102 KB: Gmail clips a mail at 102 KB", warnings("Hi", "x".repeat(102 * 1024 + 1)));
        assertEquals("line 1: the html has 200 KB: Gmail clips a mail at 102 KB", warnings("Hi", "\u00e9".repeat(100 * 1024)));
    }

    @Test
    void theSizeIsThatOfTheExpandedHtml() {
        assertEquals(1, of("Hi", "{{> long}}", "x".repeat(1 << 20), List.of()).first().size());
    }

    @Test
    void notMoreThanAThousandAreListed() {
        Problems problems = of("Hi", "<embed>".repeat(1_234), "", List.of());
        assertEquals(1_000, problems.first().size());
        assertEquals(234, problems.more());
        assertEquals(RELATIVE, of("Hi", "<img alt='' src='x'>".repeat(1_001), "", List.of()).first().get(999).sentence());
    }
}
