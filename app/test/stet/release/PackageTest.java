package stet.release;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.harness.Machine;

/** Shell code around the program: the Debian package's command and the jar's launcher. */
class PackageTest {
    @TempDir
    Path folder;

    /** These are the long read-only commands. */
    @ParameterizedTest
    @CsvSource({"backup x, 10", "check, 10", "export x, 10", "account add ada@example.com, 0", "import x, 0", "restore x, 0", "compact, 0",
        "key add ada@example.com ci, 0", "health, 0", "serve, 0", "version, 0"})
    void onlyCommandsThatCanWaitHaveALowerPriority(String command, int more) throws Exception {
        Path java = Files.writeString(folder.resolve("java"), "#!/bin/sh\nnice\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
        int own = Integer.parseInt(niceness(java.toString(), "nice"));
        assertEquals(Math.min(19, own + more), Integer.parseInt(niceness(java.toString(), "sh", "app/main/start.sh", command)));
    }

    private static String niceness(String java, String... command) throws Exception {
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(List.of(words.remove(words.size() - 1).split(" ")));
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().put("JAVA", java);
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertEquals(0, process.waitFor());
        return printed;
    }

    /** The file is parsed like a unit's EnvironmentFile (systemd.exec(5)); no line is executed. */
    @Test
    void optionsAreDataAndNoScript() throws Exception {
        Machine.may(System.getProperty("user.name").equals("root"), "only root and the user stet have the options of the service");
        Path options = Files.writeString(folder.resolve("options"), """
                # STET_NAME=comment
                JAVA_OPTS=-Xmx200m -Xss1m
                  STET_BASE_URL="https://mail.example.com"\s\s
                STET_NAME='$(touch FOLDER/evil) `touch FOLDER/evil` "x" * \\'

                touch FOLDER/evil
                ;STET_LISTEN=comment
                STET_PLAN=free
                STET_PLAN=pro""".replace("FOLDER", folder.toString()));
        Path program = Files.writeString(folder.resolve("program"), """
                #!/bin/sh
                for name in JAVA_OPTS STET_BASE_URL STET_DATA STET_LISTEN STET_NAME STET_PLAN; do
                  eval "value=\\$$name"
                  printf '%s=%s\\n' "$name" "$value"
                done
                printf '[%s]\\n' "$@"
                """);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        Path command = Files.writeString(folder.resolve("stet"), Files.readString(Path.of("app/package/stet"))
                .replace("/etc/default/stet", options.toString()).replace("/usr/share/stet/stet.jar", program.toString())
                .replace("setpriv --reuid=stet --regid=stet --init-groups", "env"));
        ProcessBuilder builder = new ProcessBuilder("sh", command.toString(), "key", "add", "a b", "*", "").redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("STET_") || name.equals("JAVA_OPTS"));
        Process process = builder.start();
        assertEquals("""
                JAVA_OPTS=-Xmx200m -Xss1m
                STET_BASE_URL=https://mail.example.com
                STET_DATA=/var/lib/stet
                STET_LISTEN=
                STET_NAME=$(touch FOLDER/evil) `touch FOLDER/evil` "x" * \\
                STET_PLAN=pro
                [key]
                [add]
                [a b]
                [*]
                []
                """.replace("FOLDER", folder.toString()), new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals(0, process.waitFor());
        assertEquals(List.of("options", "program", "stet"), Files.list(folder).map(file -> file.getFileName().toString()).sorted().toList());
    }
}
