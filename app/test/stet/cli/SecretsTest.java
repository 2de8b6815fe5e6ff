package stet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;
import stet.harness.Terminal;

/** A secret is what can be typed: final line breaks and a byte order mark are no part of it, and other control characters are refused. */
class SecretsTest {
    private static final String PASSWORD = "correct horse battery";
    private static final String ADA = "ada@example.com";

    @TempDir
    Path folder;

    /** @param escaped content of a file or variable, from which a byte order mark and final line breaks are removed */
    @ParameterizedTest
    @ValueSource(strings = {"correct horse battery", "correct horse battery\\n", "correct horse battery\\r\\n", "correct horse battery\\n\\n",
        "correct horse battery\\r", "correct horse battery\\r\\n\\r\\n", "\\ufeffcorrect horse battery", "\\ufeffcorrect horse battery\\r\\n"})
    void aPasswordIsReadFromAFileOrVariable(String escaped) throws IOException {
        String given = unescaped(escaped);
        String file = Files.writeString(folder.resolve("secret"), given).toString();
        Terminal terminal = new Terminal(folder.resolve("data"));
        assertEquals(List.of("0", "0", "0"), added(terminal, given, file));
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertEquals("200 200", signIn(serving, ADA) + " " + signIn(serving, "eve@example.com"));
        }
        for (Map.Entry<String, String> variable : Map.of("STET_ADMIN_PASSWORD", given, "STET_ADMIN_PASSWORD_FILE", file).entrySet()) {
            try (Terminal.Serving serving = first(variable).serve("--listen", "127.0.0.1:0")) {
                assertEquals(200, signIn(serving, "zoe@example.com"));
            }
        }
    }

    @ParameterizedTest
    @CsvSource(ignoreLeadingAndTrailingWhitespace = false, value = {
        "correct horse\\nbattery\\n,U+000A", "correct horse\\tbattery,U+0009", "\\ncorrect horse battery,U+000A", "correct horse battery\\0,U+0000",
        "correct horse battery\\0\\n,U+0000", "correct \\u001b[2Jhorse,U+001B", "correct horse\\u0085,U+0085", "correct horse \\ufeff,U+FEFF",
        "correct horse\\u2028battery,U+2028", "correct horse battery\\n\\t\\n,U+000A"})
    void aPasswordWithAControlCharacterIsRejected(String escaped, String character) throws IOException {
        String given = unescaped(escaped);
        String refusal = "1 The password must not contain the character " + character + ", which cannot be typed into the sign-in form";
        String file = Files.writeString(folder.resolve("secret"), given).toString();
        assertEquals(List.of(refusal, refusal, refusal), added(new Terminal(folder.resolve("data")), given, file));
        Map<String, String> variables = new TreeMap<>(Map.of("STET_ADMIN_PASSWORD", given, "STET_ADMIN_PASSWORD_FILE", file));
        variables.values().removeIf(value -> value.indexOf('\0') >= 0); // no system has such a variable
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            assertEquals(refusal, result(first(variable).run("serve", "--listen", "127.0.0.1:0")));
        }
    }

    private static String unescaped(String text) {
        return text.replace("\\ufeff", "\ufeff").replace("\\u001b", "\u001b").replace("\\u0085", "\u0085").replace("\\u2028", "\u2028").translateEscapes();
    }

    /** Sets the passwords of two accounts' owners. @return the results with the password from standard input, an option's file and a variable's file */
    private static List<String> added(Terminal terminal, String given, String file) {
        terminal.input = given;
        String fromInput = result(terminal.run("account", "add", ADA, "--password-file", "-"));
        terminal.account("eve@example.com", "free");
        String fromOption = result(terminal.run("account", "password", "eve@example.com", "--password-file", file));
        terminal.environment.put("STET_PASSWORD_FILE", file);
        return List.of(fromInput, fromOption, result(terminal.run("account", "password", "eve@example.com")));
    }

    /** A terminal for the first start on an empty database. */
    private Terminal first(Map.Entry<String, String> variable) {
        Terminal first = new Terminal(folder.resolve(variable.getKey()));
        first.environment.put("STET_ADMIN_EMAIL", "zoe@example.com");
        first.environment.put(variable.getKey(), variable.getValue());
        return first;
    }

    private static int signIn(Terminal.Serving serving, String email) {
        return serving.post("/data/session", "{\"email\":\"" + email + "\",\"password\":\"" + PASSWORD + "\"}").status();
    }

    private static String result(Terminal.Result result) {
        return result.code() == 0 ? "0" : result.code() + " " + result.err().strip();
    }

    /** In forms and account.json, line breaks are refused too: what was typed is what is stored. */
    @Test
    void aPasswordOfAFormOrAccountJsonMayHaveNoLineBreak() throws IOException {
        for (String wrong : new String[] {"correct horse\n", "\ufeffcorrect horse", "correct\0horse battery", "correct horse\r\n", "correct\u001b horse"}) {
            String json = Utf8.text(Json.write(wrong));
            String character = String.format("U+%04X", wrong.codePoints().filter(c -> c < 32 || c == 0xfeff).findFirst().getAsInt());
            String sentence = "The password must not contain the character " + character + ", which cannot be typed into the sign-in form";
            try (Running stet = new Running(null, "set-up")) {
                Supplier<Client.Reply> setUp = () -> Browser.of(stet).post("/data/setup", "{\"token\":\"set-up\",\"name\":\"Ada\",\"email\":\"" + ADA
                        + "\",\"password\":" + json + ",\"plan\":\"free\"}");
                Browser.answered(422, "{\"error\":\"" + sentence + "\",\"field\":\"password\"}", setUp.get());
                Account ada = stet.account(ADA, Plan.PRO, PASSWORD);
                Browser.answered(422, "{\"error\":\"" + sentence + "\",\"field\":\"password\"}", Browser.of(stet, ada).put("/data/password",
                        "{\"current\":\"" + PASSWORD + "\",\"password\":" + json + "}"));
            }
            Path seed = Files.createDirectories(folder.resolve("seed"));
            Files.writeString(seed.resolve("account.json"), "{\"email\": \"a@example.com\", \"password\": " + json + "}");
            for (String[] command : new String[][] {{"serve", "--listen", "127.0.0.1:0", "--seed", seed.toString()}, {"fixture", seed.toString()}}) {
                Terminal.Result result = new Terminal(folder.resolve("other")).run(command);
                assertEquals("1 true " + result.err(), result.code() + " " + result.err().contains(sentence) + " " + result.err());
            }
        }
    }

    /** Other variables: a file of variables with Windows line endings would name another folder. */
    @ParameterizedTest
    @ValueSource(strings = {"STET_DATA", "STET_PORT_FILE", "STET_BASE_URL", "STET_BACKUP_DIR", "STET_LISTEN", "STET_AUTH_HEADER"})
    void aVariableWithALineBreakIsRejected(String variable) {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.environment.put(variable, folder.resolve("data") + "\r");
        assertEquals("1 " + variable + " contains the control character U+000D (a line break); remove it", result(terminal.run("serve")));
    }

    /** A deploy token of a variable is read as one of a file. */
    @ParameterizedTest
    @CsvSource({"STET_TOKEN", "STET_TOKEN_FILE"})
    void aTokenIsReadFromAFileOrVariable(String variable) throws IOException {
        try (Running stet = new Running()) {
            stet.account(ADA, Plan.PRO);
            String token = new Terminal(stet.folder).done("token", "add", ADA, "ci").strip();
            Terminal terminal = new Terminal(folder.resolve("data"));
            String[] status = {"status", "--server", "http://127.0.0.1:" + stet.server.address().getPort()};
            for (String given : new String[] {token, token + "\n", token + "\r\n\n", "\ufeff" + token + "\r\n", " " + token + " \n"}) {
                terminal.environment.put(variable, variable.endsWith("FILE") ? Files.write(folder.resolve("token"),
                        given.getBytes(StandardCharsets.UTF_8)).toString() : given);
                assertEquals("0", result(terminal.run(status)));
            }
            String wrong = token.substring(0, 20) + "\n" + token.substring(20);
            terminal.environment.put(variable, variable.endsWith("FILE") ? Files.writeString(folder.resolve("token"), wrong).toString() : wrong);
            assertEquals("1 The deploy token has invalid characters. The token must be one line of ASCII.", result(terminal.run(status)));
        }
    }
}
