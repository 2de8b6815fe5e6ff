package stet.release;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    void itCompiles() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null); Stream<Path> sources = Files.list(Path.of("app/bench"))) {
            List<Path> java = sources.filter(path -> path.toString().endsWith(".java")).toList();
            compiler.getTask(errors, files, null, List.of("--release", "17", "-Xlint:all", "-Werror", "-proc:none", "-d", folder.toString(),
                    "-cp", System.getProperty("java.class.path")), null, files.getJavaFileObjectsFromPaths(java)).call();
        }
        assertEquals("", errors.toString());
    }
}
