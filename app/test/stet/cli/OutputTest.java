package stet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.base.Log;
import stet.base.Utf8;
import stet.core.Draft;
import stet.harness.Terminal;
import stet.sqlite.Db;

/** No text from a file, a name or a server that a command prints controls a terminal, starts a line or is a command of a CI system. */
class OutputTest {
    /** No output may have control characters, hidden ones, or the commands of GitHub, Azure Pipelines and TeamCity. */
    private static final Pattern UNSAFE = Pattern.compile("[[\\p{Cc}&&[^\\t\\n]]\\p{Cf}\\u2028\\u2029]|(?m)^[\\s\\p{Z}]*::|##\\w*\\[");
    /** Beginnings of hostile texts. All but NUL and the slash may also be in a file's name. */
    private static final String[] HOSTILE = {"::error::x", "\n::error::x", " \t::error::x", "\u3000::add-mask::x", "\u001b[2Jx", "\u009b31mx", "\r\rx",
        "\u0085x", "\u202ex", "\u2066x", "\u200bx", "\ufeffx", "\u2028x", "##[error]x", "##vso[task.complete]x", "###teamcity[x]", "\u007fx", "\bx",
        "\udb40\udc01x"};

    @TempDir
    Path folder;
    private Terminal terminal;

    @BeforeEach
    void anAccount() {
        terminal = new Terminal(folder.resolve("data"));
        terminal.account("ada@example.com", "pro");
    }

    private void check(int code, String printed, String... command) {
        Terminal.Result result = terminal.run(command);
        for (String text : new String[] {result.out(), result.err()}) {
            String found = UNSAFE.matcher(text).results().map(each -> each.group()).toList().toString();
            assertEquals("[]", found, String.join(" ", command) + ": " + text);
        }
        assertEquals(code, result.code(), result.err());
        assertTrue((result.out() + result.err()).contains(printed), "no " + printed + " in " + result.out() + result.err());
    }

    @Test
    void hostileFileNamesAreEscaped() throws IOException {
        Path mails = Files.createDirectories(folder.resolve("mails/templates"));
        Files.writeString(mails.resolve("a.html"), "a");
        Path others = Files.createDirectory(folder.resolve("others"));
        for (String name : HOSTILE) {
            try {
                Files.writeString(mails.resolveSibling(name), "x");
                Files.writeString(mails.resolve(name), "x");
                Files.writeString(others.resolve(name + Integer.toHexString(name.hashCode()) + ".html"), "<p>*|NAME|*</p>");
            } catch (InvalidPathException notHere) {
                // This file system does not allow the name.
            }
        }
        check(0, "Ignored: ", "import", mails.getParent().toString(), "--account", "ada@example.com");
        check(0, "Ignored: ", "push", mails.getParent().toString(), "--account", "ada@example.com");
        check(0, "notices", "push", others.toString(), "--account", "ada@example.com", "--dry-run", "--json");
        check(0, "becomes template error-x", "import", others.toString(), "--account", "ada@example.com");
        check(0, "is not in the account; the local file was kept", "pull", mails.getParent().toString(), "--account", "ada@example.com");
        check(0, "is not in the account; the local file was kept", "export", mails.getParent().toString(), "--account", "ada@example.com");
        for (String name : HOSTILE) {
            String html = name + ".html";
            Files.createDirectories(folder.resolve("n/" + html + "/templates"));
            Files.writeString(folder.resolve("n/" + html + "/templates/" + html), "x");
            check(1, "The file name is not a valid ID", "import", folder.resolve("n/" + html).toString(), "--account", "ada@example.com");
        }
    }

    @Test
    void hostileArgumentsAreEscaped() {
        for (String text : HOSTILE) {
            check(1, "not found", "usage", text);
            check(1, "not found", "import", text, "--account", "ada@example.com");
            check(1, "Unknown command", text);
            check(1, "Unknown option", "--" + text);
            check(1, "did you mean", "account", "lis" + text.charAt(0));
            check(1, "is not a valid email address", "account", "add", text.replaceAll("\\p{Cc}|\\p{Cf}|\u2028", "") + "@@");
            check(1, "Cannot read", "restore", text);
            terminal.environment.put("STET_" + text, "x");
            check(0, "Unknown variable", "account", "list");
            terminal.environment.remove("STET_" + text);
        }
    }

    @Test
    void hostileTextsOfTheDatabaseAreEscaped() {
        StringBuilder html = new StringBuilder();
        for (String text : HOSTILE) {
            html.append(text).append('\n');
        }
        try (Db db = Db.open(folder.resolve("data"), false)) {
            db.change(dao -> {
                dao.templates().save(1, new Draft("welcome", "Welcome", "", Utf8.encode(html.toString()), Map.of()), terminal.clock.instant());
                for (String text : HOSTILE) { // as if an old release had stored them
                    dao.sql().update("insert into activity (account_id, at, kind, actor, subject, detail) values (1, 1, 'imported', ?, ?, ?)", text, text, text);
                }
            });
        }
        check(0, "\\u001b[2Jx", "activity", "ada@example.com");
        check(0, "\\u001B[2Jx", "activity", "ada@example.com", "--json");
        assertTrue(Json.tree("{\"rows\":" + terminal.done("activity", "ada@example.com", "--json") + "}").findValuesAsText("actor").containsAll(List.of(HOSTILE)));
        terminal.environment.put("CI", "true"); // elsewhere, patch needs each byte
        check(0, "-\\u001b[2Jx", "diff", empty(), "--account", "ada@example.com");
        check(0, "- \t::error::x", "diff", empty(), "--account", "ada@example.com");
        try (Db db = Db.open(folder.resolve("data"), false)) {
            db.change(dao -> dao.sql().update("update accounts set name = ?", "\u001b[2Jx"));
        }
        check(0, "\\u001b[2Jx", "account", "list");
    }

    private String empty() {
        try {
            Path empty = Files.createDirectories(folder.resolve("empty/templates"));
            Files.writeString(empty.resolve("other.html"), "x");
            return empty.getParent().toString();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** Values that a server sends: an error, an address, names, plans. */
    @ParameterizedTest
    @ValueSource(strings = {"push", "status", "pull", "rollback", "health"})
    void hostileResponsesOfAServerAreEscaped(String command) throws IOException {
        for (String text : HOSTILE) {
            String quoted = Utf8.text(Json.write(text));
            byte[] body = ("{\"account\":" + quoted + ",\"label\":" + quoted + ",\"templates\":{},\"blocks\":{},\"error\":" + quoted
                    + ",\"created\":[" + quoted + "],\"changed\":[],\"unchanged\":0,\"published\":[],\"warnings\":[" + quoted + "]}").getBytes(StandardCharsets.UTF_8);
            byte[] failing = "{\"status\":\"failing\",\"reason\":\"%s\"}".formatted(text).getBytes(StandardCharsets.UTF_8);
            for (int status : new int[] {200, 409, 403, 301, 500}) {
                HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
                server.createContext("/", exchange -> {
                    boolean isHealth = exchange.getRequestURI().getPath().equals("/healthz");
                    if (status == 301) {
                        exchange.getResponseHeaders().set("Location", text.replaceAll("[\r\n]", ""));
                    }
                    exchange.sendResponseHeaders(isHealth ? 503 : status, isHealth ? failing.length : body.length);
                    exchange.getResponseBody().write(isHealth ? failing : body);
                    exchange.close();
                });
                server.start();
                try {
                    String url = "http://127.0.0.1:" + server.getAddress().getPort();
                    terminal.environment.put("STET_TOKEN", "stet_deploy_x");
                    String[] words = switch (command) {
                        case "push" -> new String[] {command, empty(), "--server", url};
                        case "status" -> new String[] {command, "--server", url};
                        case "health" -> new String[] {command, url};
                        default -> new String[] {command, command.equals("pull") ? folder.resolve("new").toString() : "welcome", "--server", url};
                    };
                    Terminal.Result result = terminal.run(words);
                    assertEquals("[]", UNSAFE.matcher(result.out() + "\n" + result.err()).results().map(each -> each.group()).toList().toString(),
                            result.out() + result.err());
                    assertTrue(status != 403 || command.equals("health") || unescaped(result.err()).contains(text), result.err());
                } finally {
                    server.stop(0);
                }
            }
        }
    }

    private static String unescaped(String printed) {
        return Pattern.compile("\\\\u([0-9a-f]{4})").matcher(printed)
                .replaceAll(escape -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(escape.group(1), 16)))).replace("\\r", "\r").replace("\\n", "\n");
    }

    private static Console console(ByteArrayOutputStream written) {
        PrintStream plain = new PrintStream(written, true, StandardCharsets.UTF_8);
        return new Console(InputStream.nullInputStream(), plain, plain, (lowest, json) -> Log.none());
    }

    /** Each text as it is printed by any command. */
    @Test
    void unsafeCharactersOfAPrintedLineAreEscaped() {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        Console console = console(written);
        for (String[] row : new String[][] {
            {"B\u00fcro \u4e2d \ud83d\ude00\ta\\b \"c\" <p>: :: ok ##1 #[a]", "B\u00fcro \u4e2d \ud83d\ude00\ta\\b \"c\" <p>: :: ok ##1 #[a]"},
            {"::error::x", "\\u003a:error::x"},
            {"\t ::error::x", "\t \\u003a:error::x"},
            {"a ::error::x", "a ::error::x"},
            {"##[error]x", "\\u0023#[error]x"},
            {"a ##vso[task]x", "a \\u0023#vso[task]x"},
            {"a\r\n::error::", "a\\r\\n::error::"},
            {"\u001b[0m\u007f\u009b", "\\u001b[0m\\u007f\\u009b"},
            {"\u202e\u2066\u200d\ufeff\u2028\u0085", "\\u202e\\u2066\\u200d\\ufeff\\u2028\\u0085"}}) {
            for (PrintStream out : new PrintStream[] {console.out(), console.err()}) {
                written.reset();
                out.println(row[0]);
                out.println((Object) row[0]);
                String line = row[1] + System.lineSeparator();
                assertEquals(line + line, written.toString(StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void aPrintedTextKeepsItsLinesAndBytesAreWrittenAsTheyAre() {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        Console console = console(written);
        console.out().print("a\n::b\n\n");
        console.out().write(new byte[] {27, 10}, 0, 2);
        assertEquals("a\n\\u003a:b\n\n\u001b\n", written.toString(StandardCharsets.UTF_8));
    }
}
