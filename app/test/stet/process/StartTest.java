package stet.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.harness.Jar;
import stet.harness.Terminal;

/** The program does not load classes at startup that take long to load and are not needed yet. */
@Tag("jar")
class StartTest {
    private static final List<String> DATES = List.of("java.text.DateFormatSymbols ", "org.sqlite.date.FastDatePrinter ");
    private static final List<String> PAGES = List.of("stet.access.Sessions ", "stet.access.SignIn ", "stet.web.Push ");

    @TempDir
    Path home;

    @Test
    void aCommandLoadsNoLocaleData() throws Exception {
        Terminal terminal = new Terminal(home.resolve("data"));
        terminal.account("ada@example.com", "pro");
        Process list = new ProcessBuilder(Jar.command(home, List.of(logged()), "key", "list", "ada@example.com", "--data",
                home.resolve("data").toString())).inheritIO().start();
        assertEquals(0, list.waitFor());
        assertEquals(List.of(), loaded("stet.cli.Printer ", DATES));
        assertEquals(List.of(), loaded("stet.cli.Printer ", List.of("sun.util.locale.provider.LocaleProviderAdapter ")));
    }

    @Test
    void serveLoadsNeitherDateFormatsNorPages() throws IOException {
        try (Jar serve = new Jar(List.of(logged()), home.resolve("data"))) {
            assertTrue(serve.address.getPort() > 0);
        }
        assertEquals(List.of(), loaded("stet.server.ClockSteps ", DATES));
        assertEquals(List.of(), loaded("stet.server.ClockSteps ", PAGES));
    }

    private String logged() {
        return "-Xlog:class+load:file=" + home.resolve("classes");
    }

    /** Returns which of these classes were loaded before the given one, which is always loaded. */
    private List<String> loaded(String until, List<String> classes) throws IOException {
        String all = Files.readString(home.resolve("classes"));
        assertTrue(all.contains(until), all);
        String before = all.substring(0, all.indexOf(until));
        return classes.stream().filter(before::contains).toList();
    }
}
