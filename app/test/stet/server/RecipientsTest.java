package stet.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import stet.base.Log;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.harness.Client;
import stet.harness.Jar;
import stet.harness.Pictures;
import stet.harness.Running;
import stet.images.ImageFile;
import stet.sqlite.Db;

/** The real jar while recipients load images and do not read them: images have bounds of their own, and the API is served as if they were not there. */
@Tag("jar")
class RecipientsTest {
    private static final String KEY = "key-of-the-account";
    private static final int WINDOW = 1_024;
    /** More than are sent and wait with this heap. */
    private static final int RECIPIENTS = 160;

    private final Path home = Running.temporary();
    private final List<Client> clients = new ArrayList<>();
    private Jar jar;

    @AfterEach
    void stop() {
        clients.forEach(Client::close);
        if (jar != null) {
            jar.close();
        }
        Running.delete(home);
    }

    private Client.Reply get(String path) {
        try (Client recipient = new Client(jar.address)) {
            return recipient.get(path, null);
        }
    }

    @Test
    void recipientsWhoDoNotReadHoldUpNobodyElse() {
        byte[] noise = new byte[1_500_000];
        new Random(1).nextBytes(noise);
        ImageFile image = ImageFile.of(Pictures.with(Pictures.png(8, 8, 1), 33, Pictures.chunk("iCCP", noise)));
        try (Db db = Db.serve(home.resolve("data"), Log.none())) {
            db.change(dao -> {
                Instant now = Instant.now();
                Account account = dao.accounts().add("ada@example.com", Plan.PRO, now, now, null);
                dao.keys().add(account, "test", KEY, now);
                dao.images().save(account.id(), "images/photo.png", image, now);
                dao.templates().save(account.id(), new Draft("mail", "mail", "", "<img src='{{> images/photo.png}}'>".getBytes(StandardCharsets.UTF_8), Map.of()), now);
                dao.versions().publish(account.id(), "mail", "", now);
            });
        }
        jar = new Jar(List.of("-Xmx48m", "-XX:+ExitOnOutOfMemoryError"), home.resolve("data"));
        String path = "/images/" + HexFormat.of().formatHex(Secret.sha256(image.bytes())) + ".png";
        for (int i = 0; i < RECIPIENTS; i++) {
            Client client = new Client(jar.address, WINDOW);
            clients.add(client);
            client.write(client.request("GET", path, null));
        }
        try (Client app = new Client(jar.address)) {
            for (int i = 0; i < 30; i++) {
                assertEquals(200, app.get(Running.TEMPLATES + "mail", KEY).status());
            }
        }
        clients.forEach(Client::close);
        assertTrue(Running.comes(() -> get(path).status() == 200));
        assertArrayEquals(image.bytes(), get(path).body());
        try (Client app = new Client(jar.address)) {
            assertEquals(200, app.get("/healthz", null).status());
        }
    }
}
