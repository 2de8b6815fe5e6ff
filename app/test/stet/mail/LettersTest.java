package stet.mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.harness.MailSink;
import stet.harness.Running;
import stet.harness.Terminal;

/** Stet's own emails: their templates, and the headers of each email. */
class LettersTest {
    private static final Instant NOW = Instant.parse(Running.NOW);

    @TempDir
    Path folder;

    /** They are templates like a user's, without an error or a warning. */
    @Test
    void theStrictPreviewOfTheTemplatesSucceeds() throws Exception {
        Path gallery = folder.resolve("gallery");
        new Terminal(folder.resolve("data")).done("preview", "app/mails", "--out", gallery.toString(), "--strict");
        try (var files = Files.list(gallery)) {
            List<String> names = files.map(file -> file.getFileName().toString()).sorted().toList();
            assertEquals(List.of("address-changed.default.html", "address.default.html", "index.html", "invitation.default.html",
                    "password-changed.default.html", "reset.default.html",
                    "review.default.html", "server-test.default.html", "two-factor-changed.default.html"), names);
        }
    }

    private static String head(String from, String subject) {
        MailServer server = MailServer.of("smtp://localhost", from, null);
        String message = new String(new Letters(server).message(subject, "<p>x</p>", MailAddress.of("ada@example.com"), "1", NOW), StandardCharsets.US_ASCII);
        assertTrue(message.lines().allMatch(line -> line.length() <= 998));
        return message.split("\r\n\r\n", 2)[0];
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            stet@example.com                 | <stet@example.com>
            Stet <stet@example.com>          | "Stet" <stet@example.com>
            Harbour, Books <stet@b.example>  | "Harbour, Books" <stet@b.example>
            "Ada \\ Co" <stet@b.example>     | "Ada \\\\ Co" <stet@b.example>
            Gr\u00fc\u00dfe <stet@b\u00fccher.example> | =?utf-8?B?R3LDvMOfZQ==?= <stet@xn--bcher-kva.example>
            """)
    void theSenderIsQuotedOrEncoded(String from, String expected) {
        assertTrue(head(from, "x").startsWith("From: " + expected + "\r\nTo: <ada@example.com>\r\n"), head(from, "x"));
    }

    @Test
    void aSubjectIsOneHeaderAndEncodedIfItIsNotPlain() {
        assertTrue(head("a@b.c", "a\r\nBcc: eve@example.com").contains("\r\nSubject: a Bcc: eve@example.com\r\n"));
        assertTrue(head("a@b.c", "=?utf-8?B?eA==?=").contains("\r\nSubject: =?utf-8?B?PT91dGYtOD9CP2VBPT0/PQ==?=\r\n"));
    }

    @Test
    void theLongestSubjectIsFolded() {
        String subject = "\ud83d\ude00".repeat(998);
        String head = head("a@b.c", subject);
        assertTrue(head.lines().allMatch(line -> line.length() <= 78), head);
        String decoded = Pattern.compile("=\\?utf-8\\?B\\?([^?]*)\\?=").matcher(head).results()
                .map(word -> new String(Base64.getDecoder().decode(word.group(1)), StandardCharsets.UTF_8)).collect(Collectors.joining());
        assertEquals(subject, decoded);
    }

    @Test
    void valuesAreText() {
        byte[] email = new Letters(MailServer.of("smtp://localhost", "a@b.c", null)).letter("address-changed", Map.of("title", "T", "email", "<img src=x>{{x}}", "before",
                "b", "server", "s"), MailAddress.of("ada@example.com"), "1", NOW);
        String html = new MailSink.Mail("", "", new String(email, StandardCharsets.US_ASCII), false, null).html();
        assertTrue(html.contains("&lt;img src&#x3D;x&gt;{{x}}") && !html.contains("<img"), html);
    }
}
