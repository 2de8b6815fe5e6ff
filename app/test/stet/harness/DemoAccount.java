package stet.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Draft;
import stet.core.Password;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Samples;
import stet.core.Template;
import stet.files.Seed;

/** The demo account after 19 days of use, for page tests: users, links, requests, and texts in every state. */
public final class DemoAccount implements AutoCloseable {
    public final Running stet = new Running();
    /** An installation before set-up. */
    public final Running empty = new Running(null, "token");
    public final Account demo;
    /** Emails to import. */
    public final Path zip;
    private final Path folder = Running.temporary();

    public DemoAccount() throws IOException {
        stet.clock.set(Instant.now().minus(Duration.ofDays(19)).toString());
        Seed seed = Seed.read(Path.of("app/demo")).get(0);
        stet.db.change(dao -> seed.into(dao, stet.now(), new SecureRandom()));
        demo = stet.account("demo@example.com");
        stet.db.change(dao -> {
            dao.accounts().setLimits(demo.id(), 520L, 5L);
            dao.users().setAdministrator(dao.members().list(demo.id()).get(0).user().id(), true);
            dao.accounts().setSuspended(dao.accounts().addEmpty("Acme", Plan.FREE, stet.now()), true, stet.now());
        });
        String website = "key-of-the-website";
        String shop = "key-of-the-shop";
        stet.db.change(dao -> {
            dao.keys().add(demo, "website", website, stet.now());
            dao.keys().add(demo, "shop, nightly", shop, stet.now());
        });
        try (Client client = new Client(stet.server.address())) {
            for (int day = 0; day < 19; day++) {
                for (int i = 0; i < 17 + day * 7 % 13; i++) {
                    String id = i % 9 == 8 ? "reciept" : new String[] {"welcome", "receipt", "password-reset", "receipt"}[i % 4];
                    client.get(Running.TEMPLATES + id, i % 3 == 0 ? shop : website);
                }
                stet.clock.advance(Duration.ofDays(1));
            }
        }
        edit("receipt", "this is", "here is");
        stet.publish(demo, "receipt");
        edit("receipt", "here is", "this is", "Thank you for your order", "Thank you for your order, {{name}}", "Hello {{name}}, this is",
                "Expected delivery: {{delivery}}.</p>\n              <p>Hello {{name}}, this is");
        stet.clock.advance(Duration.ofMinutes(-50));
        stet.draft(demo, "thanks", "Thanks", "Thank you", "<p>Thank you</p>");
        stet.db.change(dao -> dao.blocks().save(demo.id(), "footer", utf8(text(dao.blocks().html(demo.id(), "footer").orElseThrow())
                .replace("Questions?", "Harbour Books, 12 Quay Street. Questions?")), stet.now()));
        stet.draft(demo, "newsletter", "Autumn newsletter", "News from {{company}}", """
                <h1>Autumn at {{company}}</h1>
                <img width="560" src="http://example.com/leaves.png">
                <p>Dear {{firstName}}, dear {{firstname}},</p>
                <p>{{> signature}}</p>
                <p>Read on at {{url</p>
                """);
        stet.clock.advance(Duration.ofMinutes(50));
        stet.password(demo, Password.hashCheaply("correct horse", new SecureRandom()));
        User grace = stet.member(demo, "grace@example.com", Role.EDITOR, "correct horse");
        stet.db.change(dao -> dao.users().changeName(grace.id(), "Grace Hopper"));
        stet.member(demo, "a-long-address-of-somebody@mail.harbour-books.example.com", Role.WRITER, "correct horse");
        stet.db.change(dao -> dao.as(new Actor(1L, "Ada Lovelace", "")).links()
                .invite(demo.id(), Role.WRITER, "Ben", "notes", stet.now(), "invitation"));
        stet.db.change(dao -> dao.links().addReset(demo.id(), grace.id(), stet.now(), "reset"));
        collaboration();
        review();
        zip = Files.write(folder.resolve("mails.zip"), Browser.of(stet, demo).get("/data/export").body());
        stet.db.change(dao -> {
            dao.trash().remove(demo.id(), "thanks", stet.now());
            dao.templates().save(demo.id(), new Draft("old-news", "Old newsletter", "", new byte[0], Samples.NONE), stet.now());
            dao.trash().delete(demo.id(), "old-news", stet.now());
            dao.templates().save(demo.id(), new Draft("spring", "Spring", "", utf8("<p>Spring</p>"), Samples.NONE), stet.now());
            dao.versions().publish(demo.id(), "spring", "", stet.now());
            dao.trash().delete(demo.id(), "spring", stet.now());
            dao.library().changeTags(demo.id(), "receipt", List.of("shop", "transactional"), List.of(), stet.now());
            dao.library().changeTags(demo.id(), "welcome", List.of("sign-up"), List.of(), stet.now());
        });
    }

    /** Adds Ben, a writer with an open page, a review request and failed sign-ins. */
    private void collaboration() {
        User ben = stet.member(demo, "ben@example.com", Role.WRITER, "correct horse");
        stet.db.change(dao -> dao.users().changeName(ben.id(), "Ben Ode"));
        Browser browser = Browser.of(stet, demo, ben);
        assertEquals(201, browser.post("/data/blocks", "{\"name\":\"address\",\"html\":\"12 Quay Street\"}").status());
        stet.db.change(dao -> dao.blocks().delete(demo.id(), "address", stet.now()));
        assertEquals(200, browser.post("/data/templates/receipt/request", "{\"note\":\"for the sale on Friday\"}").status());
        Browser.of(stet).post("/data/session", "{\"email\":\"ben@example.com\",\"password\":\"a guess\"}");
        assertEquals(200, browser.post("/data/templates/receipt/presence", "{\"dirty\":true}").status());
    }

    private static final String GUEST = "{\"secret\":\"review\",\"name\":\"Kim\",";

    /** A review link with a guest's comment. */
    private void review() {
        stet.db.change(dao -> dao.as(new Actor(1L, "Ada Lovelace", "")).reviews().add(demo.id(), "receipt", null, stet.now(), "review"));
        Browser guest = Browser.of(stet);
        assertEquals(201, guest.post("/data/review/comments", GUEST + "\"quote\":\"Thank you for your order\",\"text\":\"A little formal?\"}").status());
        assertEquals(201, guest.post("/data/review/comments", GUEST + "\"replyTo\":1,\"text\":\"Or not.\"}").status());
        assertEquals(201, guest.post("/data/review/comments", GUEST + "\"text\":\"Good.\"}").status());
        assertEquals(200, Browser.of(stet, demo).put("/data/templates/receipt/comments/3", "{\"resolved\":true}").status());
    }

    private void edit(String id, String... replacements) {
        stet.db.change(dao -> {
            var draft = dao.templates().find(demo.id(), id).orElseThrow();
            String html = text(draft.html());
            for (int i = 0; i < replacements.length; i += 2) {
                html = html.replace(replacements[i], replacements[i + 1]);
            }
            dao.templates().save(demo.id(), new Draft(id, draft.name(), draft.subject(), utf8(html), draft.samples()), stet.now());
        });
    }

    /** Saves another text and other test data of a draft on behalf of another user. */
    public void saveElsewhere(String id) {
        stet.db.change(dao -> {
            Template draft = dao.templates().find(demo.id(), id).orElseThrow();
            String html = text(draft.html());
            Map<String, String> samples = new TreeMap<>(draft.samples().documents());
            samples.replaceAll((name, document) -> document.replace("Ada", "Grace"));
            dao.templates().save(demo.id(), new Draft(id, draft.name(), "Your new password at {{company}}",
                    utf8(html.contains("Dear") ? html.replace("Dear", "Good day,") : html.replace("Hello", "Dear")),
                    Samples.of(samples, "default")), stet.now());
        });
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        stet.close();
        empty.close();
        Running.delete(folder);
    }
}
