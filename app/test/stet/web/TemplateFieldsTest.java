package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.core.TemplateField;
import stet.harness.Browser;
import stet.harness.Doubled;
import stet.harness.Running;
import stet.harness.Terminal;

/** Each field of a template's JSON file is preserved by import, plain HTML, seed and duplicate. */
class TemplateFieldsTest {
    /** A value other than the default for each field. A new field needs one as well. */
    private static final String EACH =
            "{\"defaultSamples\":\"bob\",\"name\":\"Welcome\",\"published\":true,\"subject\":\"Hi\",\"tags\":[\"shop\"]}";
    /** Fields of older exports, and of exports of live versions. */
    private static final Set<String> OTHERS = Set.of("samples", "updatedAt");

    @TempDir
    Path folder;

    @Test
    void fieldsAreKnownAndDocumented() throws IOException {
        Set<String> expected = new TreeSet<>(OTHERS);
        Json.tree(EACH).fieldNames().forEachRemaining(expected::add);
        assertEquals(expected, TemplateField.names());
        String document = Files.readString(Path.of("app/docs/files.md"));
        assertEquals(List.of(), expected.stream().filter(field -> !field.equals("updatedAt") && !document.contains("\"" + field + "\": ")).toList());
    }

    /** An account's files with one template that has each field. */
    private Path files() throws IOException {
        return Doubled.write(folder.resolve("files"), "account.json", "{\"email\": \"eve@example.com\"}",
                "templates/welcome.html", "<p>hi</p>", "templates/welcome.json", EACH,
                "templates/welcome.samples/ada.json", "{}", "templates/welcome.samples/bob.json", "{}");
    }

    @Test
    void importAndDuplicateKeepEachField() throws IOException {
        Path files = files();
        try (Running stet = new Running()) {
            Account ada = stet.account("ada@example.com", Plan.PRO);
            Terminal terminal = new Terminal(stet.folder);
            importTo(terminal, files);
            assertEquals(EACH, exported(terminal, "ada@example.com", "welcome"));
            importTo(terminal, Doubled.write(folder.resolve("plain"), "welcome.html", "<p>new</p>"));
            assertEquals(EACH, exported(terminal, "ada@example.com", "welcome"), "plain HTML keeps them");
            assertEquals(201, Browser.of(stet, ada).post("/data/templates", "{\"id\":\"copy\",\"name\":\"Welcome\",\"copyOf\":\"welcome\"}").status());
            assertEquals(EACH.replace("true", "false"), exported(terminal, "ada@example.com", "copy"));
        }
    }

    /** Except "published", which an import ignores. */
    @Test
    void aFileWithoutAFieldChangesTheTemplate() throws IOException {
        Path files = files();
        try (Running stet = new Running()) {
            stet.account("ada@example.com", Plan.PRO);
            Terminal terminal = new Terminal(stet.folder);
            for (String field : List.of("defaultSamples", "name", "subject", "tags")) {
                importTo(terminal, files);
                ObjectNode without = (ObjectNode) Json.tree(EACH);
                without.remove(field);
                Files.writeString(files.resolve("templates/welcome.json"), without.toString());
                assertTrue(importTo(terminal, files).contains("changed    welcome"), field);
                Files.writeString(files.resolve("templates/welcome.json"), EACH);
            }
        }
    }

    @Test
    void aSeedKeepsEachField() throws IOException {
        Path files = files();
        Terminal seeded = new Terminal(folder.resolve("seeded"));
        try (Terminal.Serving serving = seeded.serve("--listen", "127.0.0.1:0", "--seed", files.toString())) {
            assertEquals(EACH, exported(seeded, "eve@example.com", "welcome"), serving.err());
        }
    }

    private static String importTo(Terminal terminal, Path files) {
        return terminal.done("import", files.toString(), "--account", "ada@example.com", "--publish", "--overwrite");
    }

    private String exported(Terminal terminal, String account, String id) throws IOException {
        Path out = Files.createTempDirectory(folder, "out");
        terminal.done("export", out.toString(), "--account", account);
        return Json.tree(Files.readString(out.resolve("templates/" + id + ".json"))).toString();
    }
}
