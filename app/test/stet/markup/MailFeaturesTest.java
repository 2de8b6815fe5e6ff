package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/**
 * The features found in real emails (the starters and the emails in {@code -Dstet.mails=DIR}), for the default clients. Each line of
 * {@code features/NAME.txt} describes a feature: its id, its lines, the clients without support and the clients with partial support.
 * The findings are written to {@code target/features}; after a change, review and copy them.
 */
class MailFeaturesTest {
    private static final Path EXPECTED = Path.of("app/test/stet/markup/features");
    private static final Path FOUND = Path.of("target/features");

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);

    private String table(Path mail) throws IOException {
        Client.Reply reply = browser.post("/data/check", Json.object().put("subject", "Hi").put("html", Files.readString(mail))
                .set("samples", Json.object()).toString());
        assertEquals(200, reply.status(), reply.text());
        StringBuilder table = new StringBuilder();
        for (JsonNode feature : Json.tree(reply.text()).get("features")) {
            List<String> lines = new ArrayList<>();
            feature.get("places").forEach(place -> lines.add(place.get("line").asText()));
            if (feature.get("morePlaces").asInt() > 0) {
                lines.add("+" + feature.get("morePlaces"));
            }
            table.append(feature.get("id").asText()).append(" | ").append(String.join(" ", lines))
                    .append(" | ").append(names(feature.get("none"))).append(" | ").append(names(feature.get("partly"))).append('\n');
        }
        return table.toString().replace(" \n", "\n");
    }

    private static String names(JsonNode clients) {
        return String.join(", ", StreamSupport.stream(clients.spliterator(), false).map(JsonNode::asText).toList());
    }

    @Test
    void eachMailHasTheseFeatures() throws IOException {
        List<String> folders = new ArrayList<>(List.of("app/starters/templates"));
        if (System.getProperty("stet.mails") != null) {
            folders.add(System.getProperty("stet.mails"));
        }
        List<String> different = new ArrayList<>();
        int compared = 0;
        for (String folder : folders) {
            try (Stream<Path> mails = Files.list(Path.of(folder))) {
                for (Path mail : mails.filter(file -> file.toString().endsWith(".html")).sorted().toList()) {
                    Path expected = EXPECTED.resolve(mail.getFileName().toString().replace(".html", ".txt"));
                    if (Files.exists(expected)) {
                        String found = table(mail);
                        Files.writeString(Files.createDirectories(FOUND).resolve(expected.getFileName()), found);
                        if (!Files.readString(expected).equals(found)) {
                            different.add(mail.getFileName().toString());
                        }
                        compared++;
                    }
                }
            }
        }
        assertEquals(List.of(), different, "compare " + FOUND + " with " + EXPECTED);
        assertTrue(compared >= 5 * folders.size(), compared + " mails compared");
    }

    /** {@code CaniemailTest} compares the last column with the Can I email data. */
    @Test
    void theFeaturesCheckedByHandAreInTheTables() throws IOException {
        List<String> checked = Files.readAllLines(EXPECTED.resolve("checked.txt")).stream().filter(row -> !row.startsWith("#")).toList();
        assertEquals(40, checked.size());
        for (String row : checked) {
            String[] cells = row.split(" \\| ");
            String feature = Files.readAllLines(EXPECTED.resolve(cells[0] + ".txt")).stream()
                    .filter(line -> line.startsWith(cells[1] + " | ")).findFirst().orElse("");
            String[] found = feature.split(" \\| ?", 4);
            assertTrue(List.of(found[1].split(" ")).contains(cells[2]), row + " is not in " + feature);
            assertTrue(List.of(found[cells[4].equals("no") ? 2 : 3].split(", (?![^(]*\\))")).contains(cells[3]), row + " is not in " + feature);
        }
    }
}
