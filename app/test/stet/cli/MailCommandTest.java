package stet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.harness.MailSink;
import stet.harness.Terminal;

/** {@code mail test}: the email that arrives, or one sentence. */
class MailCommandTest {
    @TempDir
    Path folder;
    private MailSink sink;
    private Terminal terminal;

    @BeforeEach
    void open() throws IOException {
        sink = new MailSink().offer("AUTH PLAIN");
        terminal = new Terminal(folder.resolve("data"));
        terminal.environment.put("STET_SMTP", "smtp://u@127.0.0.1:" + sink.port());
        terminal.environment.put("STET_SMTP_FROM", "Gr\u00fc\u00dfe <stet@example.com>");
        terminal.environment.put("STET_SMTP_PASSWORD_FILE", Files.writeString(folder.resolve("secret"), "p\u00e4ss\r\n").toString());
    }

    @AfterEach
    void close() {
        sink.close();
    }

    @Test
    void anEmailArrives() {
        assertEquals("Sent to ada@xn--bcher-kva.example. The mail server replied: 250 queued as 4711",
                terminal.done("mail", "test", "ada@b\u00fccher.example").strip());
        MailSink.Mail mail = sink.mails.get(0);
        assertEquals("stet@example.com ada@xn--bcher-kva.example u p\u00e4ss", mail.from() + " " + mail.to() + " " + mail.user());
        assertEquals("=?utf-8?B?R3LDvMOfZQ==?= <stet@example.com>", mail.header("From"));
        assertEquals("<ada@xn--bcher-kva.example>", mail.header("To"));
        assertEquals("Test email from Stet", mail.header("Subject"));
        assertEquals("auto-generated", mail.header("Auto-Submitted"));
        assertTrue(mail.header("Message-ID").matches("<stet\\.test\\.[0-9]+@example\\.com>"), mail.header("Message-ID"));
        assertTrue(mail.text().startsWith("Stet\n\nThe mail server works\n\nIf you can read this, Stet can send emails through smtp://127.0.0.1:" + sink.port() + ".\n"),
                mail.text());
        assertTrue(mail.html().startsWith("<!doctype html>"), mail.html());
        assertFalse(Files.exists(folder.resolve("data")), "a database was created");
    }

    /** Decisions of the mail server exit with 1; failures that may be different next time, with 2. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            AUTH     | 535 5.7.8 no | 2 | The mail server rejected the user u or the password: 535 5.7.8 no
            RCPT     | 550 unknown  | 1 | The mail server rejected the recipient ada@example.com: 550 unknown
            greeting | close        | 2 | The mail server URL closed the connection (waiting for its greeting)
            """)
    void aFailureIsOneSentence(String command, String reply, int code, String sentence) {
        sink.reply(command, reply);
        assertEquals(new Terminal.Result(code, "", sentence.replace("URL", sink.url()) + System.lineSeparator()), terminal.run("mail", "test", "ada@example.com"));
    }

    @Test
    void aPasswordHasOneSource() {
        terminal.environment.put("STET_SMTP_PASSWORD", "other");
        assertEquals("STET_SMTP_PASSWORD and STET_SMTP_PASSWORD_FILE are both set; use only one", terminal.run("mail", "test", "ada@example.com").err().strip());
        terminal.environment.remove("STET_SMTP_PASSWORD_FILE");
        terminal.done("mail", "test", "ada@example.com");
        assertEquals("u other", sink.mails.get(0).user());
    }
}
