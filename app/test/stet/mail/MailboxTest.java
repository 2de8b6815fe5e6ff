package stet.mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import jakarta.mail.BodyPart;
import jakarta.mail.Folder;
import jakarta.mail.Message;
import jakarta.mail.Multipart;
import jakarta.mail.Session;
import jakarta.mail.Store;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.base.Json;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Certificates;
import stet.harness.Machine;
import stet.harness.Running;

/** A mail server by others, with TLS and a password: what a mailbox has is what the API serves, filled in by Handlebars. */
@Tag("slow")
class MailboxTest {
    private static final String HANDLEBARS = "/META-INF/resources/webjars/handlebars/4.7.7/dist/handlebars.min.js";
    private static final String KEYS = "greenmail.tls.keystore.file";
    private static final String PASSWORD = "greenmail.tls.keystore.password";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    static Path keyFolder;
    @TempDir
    Path folder;
    private static Path keys;
    private static SSLContext tls;
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private GreenMail server;

    @BeforeAll
    static void makeCertificate() throws Exception { // once, because GreenMail reads it once
        keys = Certificates.selfSigned(keyFolder, "mail.example");
        tls = Certificates.context(keys);
    }

    @BeforeEach
    void start() throws Exception {
        System.setProperty(KEYS, keys.toString());
        System.setProperty(PASSWORD, Certificates.PASSWORD);
        server = new GreenMail(new ServerSetup[] {new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTPS), new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_IMAP)});
        server.start();
        server.setUser("stet@example.com", "stet", "p\u00e4ssw\u00f6rd");
        server.setUser("ada@example.com", "ada", "imap");
        stet.confirm("ada@example.com");
    }

    @AfterEach
    void close() {
        stet.close();
        server.stop();
        System.clearProperty(KEYS);
        System.clearProperty(PASSWORD);
    }

    private SmtpClient client() {
        return new SmtpClient(host -> InetAddress.getAllByName("127.0.0.1"), tls::getSocketFactory, PATIENCE, PATIENCE);
    }

    private MailServer at(String host, String password) {
        return MailServer.of("smtps://stet@" + host + ":" + server.getSmtps().getPort(), "Stet <stet@example.com>", password);
    }

    @Test
    void aTestEmailIsWhatTheApiServesFilledInByHandlebars() throws Exception {
        Machine.has("node");
        stet.restartWithMail(at("mail.example", "p\u00e4ssw\u00f6rd"), this::client);
        String html = "<!doctype html>\n<p>.Gr\u00fc\u00dfe, {{user.name}} \ud83d\ude00</p>\r\n.\r\n<ul>{{#each items}}<li>{{@index}}: {{title}} {{#if last}}and {{{html}}}{{else}}-{{/if}}</li>{{/each}}</ul>"
                + "{{#unless off}}{{> foot}}{{/unless}}\n" + "<p>long line " + "x".repeat(3_000) + "</p>\n";
        String data = "{\"user\":{\"name\":\"Ada & <Bob> 'x'\"},\"items\":[{\"title\":\"\u4f60\u597d\",\"last\":false},{\"title\":\"b=`c`\",\"last\":true,\"html\":\"<b>x</b>\"}],"
                + "\"off\":false,\"company\":\"Northlight\"}";
        stet.block(ada, "foot", "<p>{{company}}</p>");
        Browser browser = Browser.of(stet, ada);
        assertEquals(201, browser.post("/data/templates", "{\"id\":\"welcome\",\"name\":\"Welcome\"}").status());
        long revision = Json.tree(browser.get("/data/templates/welcome").text()).get("revision").asLong();
        assertEquals(200, browser.put("/data/templates/welcome", Utf8.text(Json.write(Map.of("revision", revision, "subject", "H\u00ebllo {{user.name}} " + "long ".repeat(30),
                "html", html, "samples", Map.of("default", data), "defaultSamples", "default")))).status());
        stet.publish(ada, "welcome");
        assertEquals(201, browser.post("/data/templates/welcome/versions/1/tests", "{\"to\":" + stet.owner(ada).id() + "}").status());
        assertTrue(server.waitForIncomingEmail(PATIENCE.toMillis(), 1));

        Properties properties = new Properties();
        Store store = Session.getInstance(properties).getStore("imap");
        store.connect("127.0.0.1", server.getImap().getPort(), "ada", "imap");
        Folder inbox = store.getFolder("INBOX");
        inbox.open(Folder.READ_ONLY);
        Message received = inbox.getMessage(1);
        Multipart parts = (Multipart) received.getContent();
        BodyPart text = parts.getBodyPart(0);
        BodyPart page = parts.getBodyPart(1);
        String served = stet.get(Running.TEMPLATES + "welcome?format=html", stet.key(ada)).text();
        List<String> filled = filled(data, served, "H\u00ebllo {{user.name}} " + "long ".repeat(30));
        assertEquals(filled.get(0), page.getContent());
        assertEquals("[Test] " + filled.get(1).strip(), received.getSubject());
        assertEquals("text/plain; charset=utf-8", text.getContentType());
        assertTrue(((String) text.getContent()).contains("\u4f60\u597d") && !((String) text.getContent()).contains("<p>"), (String) text.getContent());
        assertEquals("ada@example.com", received.getAllRecipients()[0].toString());
        store.close();
    }

    /** Fills in texts, without escaping the last one, as the README does for a subject. */
    private List<String> filled(String data, String html, String subject) throws Exception {
        try (InputStream in = MailboxTest.class.getResourceAsStream(HANDLEBARS)) {
            Files.copy(in, folder.resolve("handlebars.js"));
        }
        Files.writeString(folder.resolve("data.json"), Utf8.text(Json.write(List.of(data, html, subject))));
        Files.writeString(folder.resolve("fill.cjs"), """
                const fs = require('fs');
                const Handlebars = require('./handlebars.js');
                const [data, html, subject] = JSON.parse(fs.readFileSync('data.json', 'utf8'));
                fs.writeFileSync('filled.json', JSON.stringify([Handlebars.compile(html)(JSON.parse(data)),
                  Handlebars.compile(subject, { noEscape: true })(JSON.parse(data))]));
                """);
        assertEquals(0, new ProcessBuilder("node", "fill.cjs").directory(folder.toFile()).inheritIO().start().waitFor());
        return List.of(Json.tree(Files.readString(folder.resolve("filled.json"))).get(0).asText(), Json.tree(Files.readString(folder.resolve("filled.json"))).get(1).asText());
    }

    @Test
    void aWrongPasswordNameOrCertificateIsExplained() {
        byte[] email = "Subject: x\r\n\r\nx\r\n".getBytes(StandardCharsets.US_ASCII);
        MailAddress to = MailAddress.of("ada@example.com");
        String wrong = reason(() -> client().send(at("mail.example", "wrong"), to, email));
        assertTrue(wrong.startsWith("The mail server rejected the user stet or the password: 535 "), wrong);
        String other = reason(() -> client().send(at("other.example", "x"), to, email));
        assertTrue(other.contains("its certificate is not for other.example"), other);
        String untrusted = reason(() -> new SmtpClient(host -> InetAddress.getAllByName("127.0.0.1"),
                () -> (SSLSocketFactory) SSLSocketFactory.getDefault(), PATIENCE, PATIENCE).send(at("mail.example", "x"), to, email));
        assertTrue(untrusted.endsWith("its certificate is not signed by an authority that Java trusts"), untrusted);
    }

    private interface Sending {
        void send() throws MailFailure;
    }

    private static String reason(Sending sending) {
        try {
            sending.send();
            return "sent";
        } catch (MailFailure failure) {
            return failure.getMessage();
        }
    }
}
