package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.base.Json;
import stet.harness.Machine;
import stet.markup.Publisher.Origin;

/** On the starters, the mail client checks agree with the npm package caniemail, except for explained differences. */
@Tag("slow")
class CaniemailTest {
    private static final String VERSION = "2.0.2";
    private static final int MINUTES = 4;
    private static final Set<String> CLIENTS = Set.of("apple-mail", "gmail", "outlook-com", "outlook-windows", "samsung-email", "yahoo");

    /** Explanations of the differences, by title or by title and client. */
    private static final Map<String, String> DIFFERENCES = Map.of(
            "background", "it takes background-color for it, by its beginning",
            "@media (prefers-color-scheme)", "it does not look into the conditions of @media",
            "rgba()", "it looks titles up by another name",
            "Grouping selectors", "it looks at each selector of a group alone",
            "display:none", "it does not see a value with !important",
            "HTML5 doctype", "it takes the doctype for an element",
            "max-width apple-mail.ios", "it sorts versions as texts",
            "overflow samsung-email.android", "it sorts versions as texts",
            "text-decoration outlook.windows", "it does not look into conditional comments",
            "height property", "it does not look into @media");

    @TempDir
    private static Path folder;

    @BeforeAll
    static void install() throws Exception {
        Machine.has("npm", "node");
        assumeTrue(run(folder, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev", "caniemail@" + VERSION) == 0,
                "the npm registry does not give caniemail " + VERSION);
    }

    private static int run(Path folder, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectOutput(folder.resolve("out").toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try {
            return process.waitFor(MINUTES, TimeUnit.MINUTES) ? process.exitValue() : -1;
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void theTableIsWhatTheScriptMakes() throws Exception {
        assertEquals(0, run(folder, "node", Path.of("app/caniemail/distill.mjs").toAbsolutePath().toString(), "node_modules/caniemail"));
        assertEquals(Files.readString(Path.of("app/caniemail/support.tsv")), Files.readString(folder.resolve("out")));
    }

    /** Rows of {@code features/checked.txt} name the data's newest entries: {@code gmail.ios 2019-10: a #1}. */
    @Test
    void theFeaturesCheckedByHandHaveTheSupportOfTheData() throws Exception {
        Map<String, JsonNode> features = new TreeMap<>();
        Json.tree(Files.readString(folder.resolve("node_modules/caniemail/data/caniemail.json"))).get("data")
                .forEach(feature -> features.put(feature.get("slug").asText(), feature.get("stats")));
        int compared = 0;
        for (String row : Files.readAllLines(Path.of("app/test/stet/markup/features/checked.txt"))) {
            if (!row.startsWith("#")) {
                String[] cells = row.split(" \\| ");
                for (String entry : cells[5].split("; ")) {
                    String[] platform = entry.split(" ")[0].split("\\.");
                    String newest = "";
                    for (Map.Entry<String, JsonNode> version : features.get(cells[1]).get(platform[0]).get(platform[1]).properties()) {
                        newest = version.getKey() + ": " + version.getValue().asText();
                    }
                    assertEquals(entry, String.join(".", platform) + ' ' + newest, row);
                    assertEquals(cells[4].equals("no") ? 'n' : 'a', newest.charAt(newest.indexOf(": ") + 2), row);
                    compared++;
                }
            }
        }
        assertTrue(compared >= 40, compared + " entries");
    }

    @Test
    void theStartersHaveTheSameFindingsExceptKnownDifferences() throws Exception {
        List<String> command = new ArrayList<>(List.of("node", Path.of("app/test/stet/markup/caniemail.mjs").toAbsolutePath().toString(), folder.toString()));
        List<Path> mails;
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("stet.mails", "app/starters/templates")))) {
            mails = files.filter(file -> file.toString().endsWith(".html")).sorted().map(Path::toAbsolutePath).toList();
        }
        mails.forEach(mail -> command.add(mail.toString()));
        assertEquals(0, run(folder, command.toArray(String[]::new)));
        Map<String, Set<String>> theirs = new TreeMap<>();
        String file = "";
        for (String line : Files.readAllLines(folder.resolve("out"), StandardCharsets.UTF_8)) {
            String[] cells = line.split("\t");
            if (cells[0].equals("file")) {
                file = cells[1];
            } else {
                theirs.computeIfAbsent(file, any -> new TreeSet<>()).add(cells[0] + ' ' + cells[1] + ' ' + cells[2]);
            }
        }
        int same = 0;
        for (Path mail : mails) {
            Set<String> ours = found(Files.readString(mail));
            Set<String> expected = theirs.get(mail.toString());
            same += ours.stream().filter(expected::contains).count();
            assertEquals(withoutKnownDifferences(expected), withoutKnownDifferences(ours), mail.toString());
        }
        assertTrue(same >= 80 * mails.size(), same + " findings are the same");
    }

    private static Set<String> withoutKnownDifferences(Set<String> findings) {
        Set<String> others = new TreeSet<>(findings);
        others.removeIf(finding -> DIFFERENCES.keySet().stream().anyMatch(difference -> finding.startsWith(difference + ' ')));
        return others;
    }

    /** Returns the findings in the package's notation: {@code border-radius outlook.windows n}. */
    private static Set<String> found(String html) {
        Set<String> found = new TreeSet<>();
        for (ClientSupport.MailClient client : ClientSupport.table().clients()) {
            if (CLIENTS.contains(client.id())) {
                for (ClientChecks.FoundFeature feature : ClientChecks.of(html, Set.of(client.id()), place -> new Origin(null, 1))) {
                    String letters = feature.feature().support().get(client.number());
                    for (int i = 0; i < letters.length(); i++) {
                        if (letters.charAt(i) == 'n' || letters.charAt(i) == 'a') {
                            found.add(feature.feature().title() + ' ' + platform(client, i) + ' ' + letters.charAt(i));
                        }
                    }
                }
            }
        }
        return found;
    }

    private static String platform(ClientSupport.MailClient client, int number) {
        return switch (client.id()) {
            case "outlook-com" -> "outlook.outlook-com";
            case "outlook-windows" -> "outlook.windows";
            default -> client.id() + '.' + switch (client.platforms().get(number)) {
                case "web" -> "desktop-webmail";
                case "mobile web" -> "mobile-webmail";
                default -> client.platforms().get(number).toLowerCase(java.util.Locale.ROOT);
            };
        };
    }
}
