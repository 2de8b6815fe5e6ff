package stet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.store.Db;

/** Fills a data folder for the benchmark and writes the keys, one a line. */
final class Data {
    private Data() {
    }

    /** @param arguments the data folder, the file for the keys, accounts, templates an account, bytes of an html */
    public static void main(String[] arguments) throws IOException {
        int accounts = Integer.parseInt(arguments[2]);
        int templates = Integer.parseInt(arguments[3]);
        int bytes = Integer.parseInt(arguments[4]);
        Instant now = Instant.now();
        List<String> keys = new ArrayList<>();
        try (Db db = Db.open(Path.of(arguments[0]), true)) {
            for (int first = 0; first < accounts; first += 1_000) {
                int begin = first;
                db.change(dao -> {
                    for (int i = begin; i < Math.min(accounts, begin + 1_000); i++) {
                        Account added = dao.addAccount("account" + i + "@example.com", Plan.PRO, now, now, null);
                        dao.changeLimits(added.id(), 999_999_999L, 5);
                        String key = "bench-key-" + i + "-0123456789abcdef";
                        dao.addKey(added, "bench", key, now);
                        keys.add(key);
                        for (int j = 0; j < templates; j++) {
                            String id = j == 0 ? "welcome" : "mail-" + j;
                            dao.save(added.id(), new Draft(id, "Mail", "Hi {{name}}", html(bytes, i + j), Map.of()), now);
                            dao.publish(added.id(), id, "", now);
                        }
                    }
                });
            }
        }
        Files.write(Path.of(arguments[1]), keys);
    }

    /** Text that looks like a mail and is different for each seed. */
    private static byte[] html(int bytes, int seed) {
        Random random = new Random(seed);
        StringBuilder html = new StringBuilder("<!DOCTYPE html><html><body><p>Hello {{name}}, see {{action_url}}</p>");
        while (html.length() < bytes) {
            html.append("<td style=\"padding:").append(random.nextInt(100)).append("px\">").append(Long.toString(random.nextLong(), 36)).append("</td>\n");
        }
        return html.substring(0, bytes).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }
}
