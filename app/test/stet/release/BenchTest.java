package stet.release;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The build does not compile the benchmark, which uses Stet's classes. */
class BenchTest {
    @TempDir
    Path folder;

    @Test
    void theBenchCompilesAndItsRowsHaveResults() throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null); Stream<Path> sources = Files.list(Path.of("app/bench"))) {
            List<Path> java = sources.filter(path -> path.toString().endsWith(".java")).toList();
            compiler.getTask(errors, files, null, List.of("--release", "17", "-Xlint:all", "-Werror", "-proc:none", "-d", folder.toString(),
                    "-cp", System.getProperty("java.class.path")), null, files.getJavaFileObjectsFromPaths(java)).call();
        }
        assertEquals("", errors.toString());
        Process list = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                folder + File.pathSeparator + System.getProperty("java.class.path"), "bench.Bench", "--list").redirectErrorStream(true).start();
        String help = new String(list.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Set<String> rows = help.lines().skip(1).map(line -> line.strip().split(" ")[0]).collect(Collectors.toCollection(TreeSet::new));
        Set<String> results = Files.readAllLines(Path.of("app/bench/RESULTS.md")).stream().filter(line -> line.startsWith("| `"))
                .map(line -> line.split("`")[1]).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(0, list.waitFor(), help);
        assertEquals(rows, results, help);
    }
}
