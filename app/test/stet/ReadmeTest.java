package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the README lists is what there is. */
class ReadmeTest {
    private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]*");

    @Test
    void theTableHasEachCommandWithItsOptions() throws IOException {
        List<String> expected = Arrays.stream(Command.values()).map(command -> row(command.usage(),
                command.options().stream().filter(option -> option != Option.DATA && !option.isVariableOnly()).map(Option::word))).toList();
        List<String> listed = section("## The command line").filter(line -> line.startsWith("| `"))
                .map(line -> line.split("`")[1]).map(ReadmeTest::row).toList();
        assertEquals(expected, listed);
    }

    @Test
    void theCommandsOfTheTableAreThoseOfHelp() throws IOException {
        List<String> helped = new Terminal(Path.of("none")).done("help").lines().filter(line -> line.startsWith("    "))
                .map(line -> line.strip().split(" {2,}")[0]).map(usage -> usage.replaceAll(" --.*", "")).toList();
        List<String> listed = section("## The command line").filter(line -> line.startsWith("| `"))
                .map(line -> line.split("`")[1].replace("\\|", "|").replaceAll(" \\[?--.*", "")).toList();
        assertEquals(helped, listed);
    }

    @Test
    void everyVariableIsListed() throws IOException {
        TreeSet<String> expected = new TreeSet<>();
        Arrays.stream(Option.values()).map(Option::variable).forEach(expected::add);
        TreeSet<String> listed = new TreeSet<>();
        Matcher variable = Pattern.compile("STET_(?!READY)[A-Z_]+").matcher(Files.readString(Path.of("README.md")));
        while (variable.find()) {
            listed.add(variable.group());
        }
        assertEquals(expected, listed);
    }

    /** A command with the names of its options, in alphabetical order. */
    private static String row(String usage, Stream<String> options) {
        return usage.replaceAll(" --.*", "") + " " + new TreeSet<>(options.toList());
    }

    private static String row(String usage) {
        Matcher option = OPTION.matcher(usage);
        return row(usage.replaceAll(" \\[?--.*", ""), option.results().map(found -> found.group()));
    }

    private static Stream<String> section(String title) throws IOException {
        return Files.readAllLines(Path.of("README.md")).stream().dropWhile(line -> !line.equals(title)).skip(1)
                .takeWhile(line -> !line.startsWith("## "));
    }
}
