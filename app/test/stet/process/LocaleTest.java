package stet.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.harness.Jar;

/**
 * In any locale, text from arguments, variables and file names is stored as it was given, or rejected with the reason. The commands are in
 * scripts, because the locale of this JVM may be one in which it cannot pass them.
 */
@Tag("jar")
class LocaleTest {
    private static final String ADVICE = " does not support; set LC_ALL=C.UTF-8 and try again";

    @TempDir
    Path folder;

    @BeforeEach
    void onLinux() {
        assumeTrue(File.separatorChar == '/' && Files.isReadable(Path.of("/proc/self/cmdline")), "this system has no /proc");
    }

    /** Runs a script without any variables. @param bytes one character per byte, so that a script can have any bytes @return stdout and stderr */
    private String run(String locale, String bytes) throws IOException, InterruptedException {
        String program = Jar.command(folder, List.of()).stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        Path script = Files.write(folder.resolve("script"), ("cd '" + folder + "'\nstet() { " + program + " \"$@\" </dev/null; }\n" + bytes)
                .getBytes(StandardCharsets.ISO_8859_1));
        Process process = new ProcessBuilder("env", "-i", "PATH=" + System.getenv("PATH"), "HOME=" + folder, locale.isEmpty() ? "A=b" : "LC_ALL=" + locale,
                "LOCPATH=" + folder.resolve("locales"), "sh", script.toString()).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return out.replaceAll("(?m)^ID +STATE.*\\n|^NAME .*\\n|^ID +NAME.*\\n", "").replaceAll(" {2,}", "  ");
    }

    private static String latin1(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** One script with all commands, because each process takes a while. */
    @ParameterizedTest
    @CsvSource({"'', ANSI_X3.4-1968", "C, ANSI_X3.4-1968", "no_LOCALE.UTF-8, ANSI_X3.4-1968", "en_US.ISO-8859-1, ISO-8859-1"})
    void withoutAUtf8LocaleTextIsStoredExactlyOrRejected(String locale, String charset) throws IOException, InterruptedException {
        if (charset.equals("ISO-8859-1")) {
            Files.createDirectory(folder.resolve("locales"));
            assumeTrue(run("C", "localedef -i en_US -f ISO-8859-1 locales/en_US.ISO-8859-1 && echo made").endsWith("made\n"), "localedef is missing");
        }
        String out = run(locale, latin1("""
                mkdir mails Bürö
                echo '<p>Hi</p>' >mails/Begrüßung.html
                stet account add a@example.com --name 'Büro 中 😀' --data data --password-file no-such
                stet account add a@example.com --name 'Büro 中 😀' --data data >/dev/null 2>&1; echo $?
                STET_NAME='Läden ?' stet account add b@example.com --data data >/dev/null 2>&1; echo $?
                stet key add a@example.com 'Schlüssel' --data data >/dev/null; echo $?
                stet import mails --account 'Büro 中 😀' --data data 2>/dev/null
                stet account list --data data
                stet key list 'Büro 中 😀' --data data
                stet template list 'Büro 中 😀' --data data
                stet export Ausgänge --account a@example.com --data data
                stet account add c@example.com --data Dätä
                STET_DATA=Dätä stet account list
                stet user password a@example.com --password-file Paßwort --data data
                stet fixture mails --exec 'echo ü'
                stet fixture mails --port-file Anschluß
                cd Bürö
                stet account add c@example.com
                stet account list --data '%s/data' >/dev/null; echo $?
                cd ..
                ls
                """.formatted(folder)));
        String[] lines = out.split("\n");
        String unsupported = " has characters that the locale's charset, " + charset + "," + ADVICE;
        assertEquals(List.of("Cannot read the file no-such: file or folder not found", "0", "0", "0", "created  Begru-ung"), List.of(lines).subList(0, 5), out);
        String rest = String.join("\n", List.of(lines).subList(5, lines.length)).replaceAll("[0-9T:.-]{10,}Z", "TIME").replaceAll("stet_\\S+", "KEY");
        assertEquals("""
                Büro 中 😀  a@example.com  pro  1000000  20  1  open  TIME  10  1073741824
                Läden ?  b@example.com  pro  1000000  20  1  open  TIME  0  1073741824
                1  Schlüssel  KEY  TIME
                Begru-ung  Never published  TIME  Begrüßung
                "Ausgänge"%1$s
                "Dätä"%1$s
                "Dätä"%1$s
                "Paßwort"%1$s
                --exec%1$s
                "Anschluß"%1$s
                The name of the working directory has characters that the locale's charset, %2$s, does not support; set LC_ALL=C.UTF-8 or use absolute paths
                0
                """.formatted(unsupported, charset) + String.join("\n", charset.equals("ISO-8859-1")
                ? List.of("Bürö", "data", "locales", "mails", "script") : List.of("Bürö", "data", "mails", "script")), rest);
    }

    @ParameterizedTest
    @CsvSource({"C.UTF-8", "C"})
    void bytesThatAreNotUtf8AreRejected(String locale) throws IOException, InterruptedException {
        assertEquals("""
                Argument 5 is not UTF-8; use a terminal with UTF-8
                STET_NAME is not UTF-8; use a terminal with UTF-8
                templates/b\ufffd.html: The file name is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit
                b\ufffd.html: The name is not UTF-8; rename the file
                mails
                script
                """, run(locale, """
                mkdir -p mails/templates
                echo x >mails/templates/a.html
                stet account add a@example.com --name 'B\u00fcro' --data data
                STET_NAME='B\u00fcro' stet account add a@example.com --data data
                stet account add a@example.com --data data >/dev/null 2>&1
                echo x >mails/templates/b\u00fc.html
                stet import mails --account a@example.com --data data
                rm mails/templates/*
                echo x >mails/b\u00fc.html
                stet import mails --account a@example.com --data data
                rm -r data
                ls
                """));
    }

    /** The packages use the launcher. */
    @ParameterizedTest
    @CsvSource({"''", "no_LOCALE.UTF-8", "C.UTF-8"})
    void theLauncherChoosesALocaleThatWorks(String locale) throws IOException, InterruptedException {
        assumeTrue(run("C.UTF-8", "locale charmap 2>&1").equals("UTF-8\n"), "this system has no C.UTF-8");
        List<String> words = Jar.command(folder, List.of());
        String out = run(locale, latin1("""
                export JAVA='%s'
                stet() { sh '%s' "$@"; }
                mkdir -p Mäils/templates
                echo '<p>Hi</p>' >Mäils/templates/welcome.html
                echo '{"email": "a@example.com"}' >Mäils/account.json
                stet account add a@example.com --name Büro --data Dätä >/dev/null 2>&1
                stet import Mäils --account a@example.com --data Dätä 2>/dev/null
                stet export Ausgänge --account a@example.com --data Dätä
                stet fixture Mäils --exec 'echo ü'
                stet backup Sicherung-ä.db --data Dätä >/dev/null 2>&1; echo $?
                ls
                """.formatted(words.get(0), words.get(words.size() - 1))));
        assertEquals("created  welcome\n2 files exported to Ausgänge\nü\n0\nAusgänge\nDätä\nMäils\nSicherung-ä.db\nSicherung-ä.db.sha256\nscript\n", out);
    }

    /** A file of arguments, whose bytes the process does not have. */
    @Test
    void misreadArgumentsFromAFileAreRejected() throws IOException, InterruptedException {
        List<String> words = Jar.command(folder, List.of());
        Files.write(folder.resolve("arguments"), String.join("\n", words.subList(1, words.size())).concat("\naccount add a@example.com --data data --name Büro\n")
                .getBytes(StandardCharsets.UTF_8));
        String out = run("C", "'" + words.get(0) + "' @arguments 2>&1\nls\n");
        assertTrue(out.startsWith("Argument 7 has characters that the locale's charset, ANSI_X3.4-1968," + ADVICE), out);
        assertEquals("arguments\nscript", out.lines().skip(1).collect(Collectors.joining("\n")));
    }
}
