package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.harness.Terminal;

/** An invalid folder is rejected with a sentence that names the file and the field; nothing changes. */
class FolderFormatTest {
    @TempDir
    Path folder;
    private Path files;
    private Terminal terminal;

    @BeforeEach
    void anAccount() throws IOException {
        files = Files.createDirectories(folder.resolve("files"));
        terminal = new Terminal(folder.resolve("data"));
        terminal.account("ada@example.com", "pro");
        write("templates/good.html", "<p>Hello</p>");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            # files that the format does not have
            welcome.html             | text | welcome.html: Unexpected file in an account's folder; Stet reads only templates/ID.html, templates/ID.json, templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json
            templates/welcome.htm    | text | templates/welcome.htm: Unexpected file in an account's folder; Stet reads only templates/ID.html, templates/ID.json, templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json
            templates/a/b.html       | text | templates/a/b.html: Unexpected file in an account's folder; Stet reads only templates/ID.html, templates/ID.json, templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json
            templates/a.html/b       | text | templates/a.html: This is not a file
            blocks/footer.json       | {}   | blocks/footer.json: Unexpected file in an account's folder; Stet reads only templates/ID.html, templates/ID.json, templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json
            templates/-x.html        | text | templates/-x.html: The file name is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit
            templates/a b.html       | text | templates/a b.html: The file name is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit
            blocks/foot.er.html      | text | blocks/foot.er.html: The file name is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit
            templates/lonely.json    | {}   | templates/lonely.json: The file lonely.html is missing; add it
            Templates/welcome.html   | text | Templates/welcome.html: Unexpected file in an account's folder; Stet reads only templates/ID.html, templates/ID.json, templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json
            templates/welcome.HTML   | text | templates/welcome.HTML: Unexpected file in an account's folder; Stet reads only templates/ID.html, templates/ID.json, templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json
            # welcome.samples
            templates/lonely.samples/a.json     | {}   | templates/lonely.samples/a.json: The file lonely.html is missing; add it
            templates/good.samples/a b.json     | {}   | templates/good.samples/a b.json: The file name is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit
            templates/good.samples/a.html       | x    | templates/good.samples/a.html: Unexpected file in an account's folder; Stet reads only templates/ID.html, templates/ID.json, templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json
            templates/good.samples/a/b.json     | {}   | templates/good.samples/a/b.json: Unexpected file in an account's folder; Stet reads only templates/ID.html, templates/ID.json, templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json
            templates/good.samples/a.json       | []   | templates/good.samples/a.json: The JSON must be an object
            templates/good.samples/a.json       | {"a": 1,}   | templates/good.samples/a.json: Invalid JSON: Unexpected character ('}' (code 125)): was expecting double-quote to start field name (line 1, column 9)
            templates/good.samples/a.json       | {"a": [MANY]}   | templates/good.samples/a.json: The file is 3000010 bytes; the limit is 1048576 (1 MiB)
            # welcome.json
            templates/good.json | ``        | templates/good.json: The JSON must be an object
            templates/good.json | []        | templates/good.json: The JSON must be an object
            templates/good.json | {"name": "a" | templates/good.json: Invalid JSON: Unexpected end-of-input: expected close marker for Object (line 1)
            templates/good.json | {"name":  | templates/good.json: Invalid JSON: Unexpected end-of-input within/between Object entries (line 1)
            templates/good.json | {} {}     | templates/good.json: Invalid JSON: unexpected data after the end
            templates/good.json | {"name": "a", "name": "b"}   | templates/good.json: Invalid JSON: Duplicate field 'name' (line 1)
            templates/good.json | {"title": "a"}               | templates/good.json: "title" is not a known field
            templates/good.json | {"name": 1}                  | templates/good.json: "name" must be a string
            templates/good.json | {"name": null}               | templates/good.json: "name" must be a string
            templates/good.json | {"name": " "}                | templates/good.json: The name must not be empty
            templates/good.json | {"subject": "a\\nb"}         | templates/good.json: The subject contains a line break; it must be a single line
            templates/good.json | {"subject": "\\ud800"}       | templates/good.json: "subject" contains an unpaired surrogate, which UTF-8 cannot encode; remove it
            templates/good.json | {"samples": []}              | templates/good.json: "samples" must be an object
            templates/good.json | {"samples": {"name": 7}}     | templates/good.json: "samples.name" must be a string
            templates/good.json | {"defaultSamples": "none"}   | templates/good.json: Test data "none" not found
            templates/good.json | {"samples": [MANY]}          | templates/good.json: The JSON has more than 100000 tokens, or a value that is too long or nested too deeply; shorten it
            templates/good.json | {"updatedAt": "-0001-12-31T23:59:59.999Z"} | templates/good.json: "updatedAt": "-0001-12-31T23:59:59.999Z" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z
            templates/good.json | {"published": "no"}          | templates/good.json: "published" must be true or false
            """)
    void anImportNamesFileAndField(String path, String text, String sentence) throws IOException {
        write("blocks/any.html", ""); // so that the folder is read as an account's, and not as another system's
        write(path, text == null ? null : text.replace("MANY", "[],".repeat(1_000_000) + "0"));
        Terminal.Result result = importFiles("--publish");
        assertEquals(new Terminal.Result(1, "", sentence + System.lineSeparator()), result);
        assertEquals(List.of("ID  STATE  UPDATED  NAME"), terminal.done("template", "list", "ada@example.com").lines().toList());
    }

    @Test
    void aHiddenFolderIsIgnoredWhateverItsName() throws IOException {
        write("notes.txt", "");
        write("blocks/.html/x", "text");
        assertEquals(0, importFiles("--publish").code());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                              | account.json: "email" is missing
            {"email": "ada"}                                | account.json: "email": "ada" is not a valid email address; enter an address such as ada@example.com
            {"emial": "a@b.c"}                              | account.json: "emial" is not a known field; did you mean "email"?
            {"plan": "gold", "createAt": 1, "email": "x"}   | account.json: "createAt" is not a known field; did you mean "createdAt"?
            {"email": "a@b.c", "keys": [{"nam": "ci"}]}     | account.json: "keys[0].nam" is not a known field; did you mean "name"?
            {"email": "a@b.c", "limits": {"key": "x"}}      | account.json: "limits.key" is not a known field; did you mean "keys"?
            {"email": "a@b.c", "colour": 1}                 | account.json: "colour" is not a known field
            {"email": "a@b.c", "plan": "gold"}              | account.json: "plan": "gold" is not a plan; choose free, pro or none
            {"email": "a@b.c", "createdAt": "yesterday"}    | account.json: "createdAt": "yesterday" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z
            {"email": "a@b.c", "createdAt": "-292275055-05-16T16:47:04.192Z"} | account.json: "createdAt": "-292275055-05-16T16:47:04.192Z" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z
            {"email": "a@b.c", "billingAnchor": "+10000-01-01T00:00:00Z"}     | account.json: "billingAnchor": "+10000-01-01T00:00:00Z" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z
            {"email": "a@b.c", "billingAnchor": 7}          | account.json: "billingAnchor" must be a string
            {"email": "a@b.c", "used": -1}                  | account.json: "used" must be a whole number from 0 to 999999999
            {"email": "a@b.c", "used": 1.5}                 | account.json: "used" must be a whole number from 0 to 999999999
            {"email": "a@b.c", "password": "short"}         | account.json: The password must have at least 8 characters
            {"email": "a@b.c", "password": "password1234"}  | account.json: This is one of the most common passwords; choose another
            {"email": "a@b.c", "limits": {"mails": 1}}      | account.json: "limits.mails" is not a known field
            {"email": "a@b.c", "limits": {"keys": "two"}}   | account.json: "limits.keys" must be a whole number from 0 to 999999999
            {"email": "a@b.c", "keys": {}}                  | account.json: "keys" must be an array
            {"email": "a@b.c", "keys": [7]}                 | account.json: "keys[0]" must be an object
            {"email": "a@b.c", "keys": [{"key": "12345678"}]} | account.json: "keys[0].name" is missing
            {"email": "a@b.c", "keys": [{"name": "ci"}]}    | account.json: "keys[0].key" is missing
            {"email": "a@b.c", "keys": [{"name": "ci", "key": "12345678", "id": 1}]} | account.json: "keys[0].id" is not a known field
            {"email": "a@b.c", "limits": {"keys": null}}    | account.json: "limits.keys" must be a whole number from 0 to 999999999
            {"email": "a@b.c", "plan": null}                | account.json: "plan" must be a string
            {"email": "a@b.c", "keys": [{"name": "ci", "key": "short"}]} | account.json: "keys[0].key": A key must have 8 to 255 characters: A-Z a-z 0-9 - . _ ~ + /, and = only at the end
            {"email": "a@b.c", "keys": [{"name": "a", "key": "12345678"}, {"name": "b", "key": "23456789"}]} | account.json: "keys" lists 2 keys, but the account can have 1; set "limits": {"keys": 2} to allow them
            {"email": "a@b.c", "plan": "pro", "keys": [{"name": "a", "key": "12345678"}, {"name": "b", "key": "12345678"}]} | account.json: This key already exists; use another key
            """)
    void aSeedNamesFileAndField(String json, String sentence) throws IOException {
        write("account.json", json);
        assertEquals(new Terminal.Result(1, "", sentence + System.lineSeparator()), seed());
        assertEquals(1, terminal.done("account", "list", "--data", folder.resolve("seeded").toString()).lines().count());
    }

    @Test
    void aSeedOfSeveralAccountsNamesTheFolderToo() throws IOException {
        Files.delete(files.resolve("templates/good.html"));
        Files.delete(files.resolve("templates"));
        assertEquals(files + " must contain an account.json or folders that each contain one" + System.lineSeparator(), seed().err());
        write("README.md", "is ignored");
        write("free/account.json", "{\"email\": \"free@example.com\"}");
        write("pro/templates/welcome.html", "<p>{{> footer}}</p>");
        assertEquals("pro/account.json: The file is missing; add it" + System.lineSeparator(), seed().err());
        write("pro/account.json", "{\"email\": \"FREE@example.com\"}");
        assertEquals("pro/account.json: An account for FREE@example.com already exists" + System.lineSeparator(), seed().err());
        write("pro/account.json", "{\"email\": \"pro@example.com\", \"plan\": \"pro\"}");
        assertEquals("pro/templates/welcome.html: line 1: shared block \"footer\" not found" + System.lineSeparator(), seed().err());
        write("pro/notes.html", "text");
        assertEquals("pro/notes.html: Unexpected file in an account's folder; Stet reads only templates/ID.html,"
                + " templates/ID.json, templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json" + System.lineSeparator(), seed().err());
        write("notes.txt", "text");
        assertEquals("notes.txt: Unexpected file beside the account folders; move it into one of them" + System.lineSeparator(), seed().err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            templates/bad.html | first\\n{{> footer}}       | templates/bad.html: line 2: shared block "footer" not found
            templates/bad.html | \\n\\n{{name               | templates/bad.html: line 3: "{{" is not closed
            templates/bad.html | a\\n{{#if a}}x{{else}}y{{else}}z{{/if}} | templates/bad.html: line 2: "{{else}}" is the second {{else}} of "{{#if a}}"
            templates/bad.html | a\\n{{> open a=1}}          | templates/bad.html: line 2: "{{> open a=1}}" passes a value to a shared block, which is not supported; blocks use the variables of the email
            templates/bad.html | \\n<!-- <p>a              | templates/bad.html: line 2: "<!--" is not closed, so no mail client shows the rest of the email
            templates/bad.html | {{> open}}                 | blocks/open.html: line 3: "{{" is not closed
            templates/bad.html | {{> open}}\\n{{> gone}}    | templates/bad.html: line 2: shared block "gone" not found; blocks/open.html: line 3: "{{" is not closed
            templates/good.json | {"subject": "Hi {{name"}  | templates/good.json: "subject": "{{" is not closed
            """)
    void errorsThatPreventPublishingAreNamedWithTheirPlace(String path, String text, String sentence) throws IOException {
        write("blocks/open.html", "\n\n{{name");
        write(path, text.replace("\\n", "\n"));
        assertEquals(new Terminal.Result(1, "", sentence + System.lineSeparator()), importFiles("--publish"));
        assertEquals(List.of("ID  STATE  UPDATED  NAME"), terminal.done("template", "list", "ada@example.com").lines().toList());
        assertEquals(0, importFiles().code(), "a draft may have errors");
    }

    /** Not even as a draft. */
    @ParameterizedTest
    @ValueSource(strings = {"--publish", "--dry-run"})
    void aBlockThatIncludesItselfIsRefused(String option) throws IOException {
        write("blocks/circle.html", "\n{{> circle}}");
        write("templates/bad.html", "{{> circle}}");
        Terminal.Result refused = new Terminal.Result(1, "", "blocks/circle.html: line 2: shared block \"circle\" includes itself: circle > circle" + System.lineSeparator());
        assertEquals(refused, importFiles(option));
        assertEquals(refused, importFiles());
        assertEquals(List.of("ID  STATE  UPDATED  NAME"), terminal.done("template", "list", "ada@example.com").lines().toList());
    }

    /** An error may be literal text. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {{name}} {{ is text | line 1: "{{" is not closed
            {{name}} {{/if}}    | line 1: "{{/if}}" closes no section
            a\\n{{ name;}}       | line 2: "{{ name;}}" contains ";", which Handlebars rejects in a name; put such a name in brackets: {{[name]}}
            a\\n<<<<<<< HEAD\\nb\\n=======\\nc\\n>>>>>>> stet\\n | line 2: unresolved merge conflict; choose a version and remove the lines that start with <<<<<<<, ======= and >>>>>>>
            """)
    void anErrorIsPublishedOnlyByForce(String html, String sentence) throws IOException {
        write("templates/good.html", html.replace("\\n", "\n"));
        assertEquals("templates/good.html: " + sentence + System.lineSeparator(), importFiles("--publish").err());
        assertEquals(0, importFiles().code());
        assertEquals(new Terminal.Result(1, "", sentence + System.lineSeparator()), publishGood());
        assertEquals("Template good published as version 1" + System.lineSeparator(), publishGood("--force").err());
        write("templates/good.html", html.replace("\\n", "\n") + "more");
        assertTrue(importFiles("--publish", "--force").out().contains("published  good"));
    }

    @Test
    void aMissingSharedBlockIsNotPublishedByForce() throws IOException {
        write("templates/good.html", "{{> none}}{{/if}}");
        assertEquals("templates/good.html: line 1: shared block \"none\" not found" + System.lineSeparator(), importFiles("--publish", "--force").err());
    }

    private Terminal.Result publishGood(String... options) {
        String[] command = new String[4 + options.length];
        System.arraycopy(new String[] {"template", "publish", "ada@example.com", "good"}, 0, command, 0, 4);
        System.arraycopy(options, 0, command, 4, options.length);
        return terminal.run(command);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            templates/latin.html | The HTML is not UTF-8; convert it to UTF-8
            blocks/latin.html    | The HTML is not UTF-8; convert it to UTF-8
            templates/good.json  | Invalid UTF-8
            """)
    void aFileThatIsNotUtf8IsRefused(String path, String sentence) throws IOException {
        write(path, "{}");
        Files.write(files.resolve(path), "{\"name\": \"caf\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1));
        assertEquals(path + ": " + sentence + System.lineSeparator(), importFiles().err());
    }

    @ParameterizedTest
    @CsvSource({"templates/big.html, 2097152, 2", "blocks/big.html, 2097152, 2", "templates/good.json, 8388608, 8"})
    void aFileLongerThanItsLimitIsRefused(String path, int most, int mebibytes) throws IOException {
        write(path, " ".repeat(most + 1));
        assertEquals(path + ": The file is " + (most + 1) + " bytes; the limit is " + most + " (" + mebibytes + " MiB)"
                + System.lineSeparator(), importFiles().err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"templates/big.html", "blocks/big.html"})
    void htmlOf2MiBIsAccepted(String path) throws IOException {
        write(path, " ".repeat(2 << 20));
        assertEquals(0, importFiles().code());
    }

    @Test
    void remarksAndHiddenFilesAreIgnored() throws IOException {
        for (String path : List.of("README.md", "LICENSE", ".gitignore", ".git/config", "templates/.DS_Store",
                "templates/README", "blocks/LICENSE.txt", "templates/.good.html.swp")) {
            write(path, "any");
        }
        write("account.json", "is for a seed, and not looked at");
        write("templates/README.html", "<p>is a template: its name is an id</p>");
        Terminal.Result result = importFiles();
        assertEquals("created    README\ncreated    good\n", result.out().replace(System.lineSeparator(), "\n"));
        assertEquals("Ignored: .git/, .gitignore, LICENSE, README.md, blocks/LICENSE.txt, templates/.DS_Store,"
                + " templates/.good.html.swp, templates/README", result.err().lines().skip(1).findFirst().orElseThrow());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            templates/link.html | templates/link.html: This is a symbolic link, which imports do not follow; replace it with a file or folder
            templates/link.json | templates/link.json: This is a symbolic link, which imports do not follow; replace it with a file or folder
            blocks              | blocks: This is a symbolic link, which imports do not follow; replace it with a file or folder
            images              | images: This is a symbolic link, which imports do not follow; replace it with a file or folder
            """)
    void noLinkIsFollowed(String path, String sentence) throws IOException {
        Path secret = Files.createDirectories(folder.resolve("secret"));
        Files.writeString(secret.resolve("footer.html"), "secret");
        Files.createSymbolicLink(files.resolve(path), path.contains("/") ? secret.resolve("footer.html") : secret);
        Terminal.Result result = importFiles();
        assertEquals(new Terminal.Result(1, "", sentence + System.lineSeparator()), result);
    }

    @Test
    void aLinkWithAHiddenNameIsIgnored() throws IOException {
        Files.createSymbolicLink(files.resolve(".git"), Files.createDirectories(folder.resolve("secret")));
        Terminal.Result result = importFiles();
        assertEquals(0, result.code());
        assertEquals("Ignored: .git", result.err().lines().reduce((first, last) -> last).orElseThrow());
    }

    @Test
    void onlyAnEmptyTemplatesFolderIsImportedWithoutFiles() throws IOException {
        Files.delete(files.resolve("templates/good.html"));
        assertEquals(0, importFiles().code(), "an account without templates is exported so");
        write("logo.png", "x");
        assertEquals("Nothing to import; add files such as templates/ID.html or blocks/NAME.html. Ignored: logo.png" + System.lineSeparator(),
                importFiles().err());
        Files.delete(files.resolve("logo.png"));
        Files.delete(files.resolve("templates"));
        assertEquals("Nothing to import; add files such as templates/ID.html or blocks/NAME.html" + System.lineSeparator(),
                importFiles().err());
    }

    private Terminal.Result importFiles(String... options) {
        String[] command = new String[4 + options.length];
        System.arraycopy(new String[] {"import", files.toString(), "--account", "ada@example.com"}, 0, command, 0, 4);
        System.arraycopy(options, 0, command, 4, options.length);
        return terminal.run(command);
    }

    private Terminal.Result seed() {
        return terminal.run("serve", "--listen", "127.0.0.1:0", "--data", folder.resolve("seeded").toString(),
                "--seed", files.toString());
    }

    private void write(String path, String text) throws IOException {
        Path file = files.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text == null ? "" : text);
    }
}
