package stet.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.harness.Running;

/** The test double as a library: its jar, its pom, and an app with no other classes. Example apps are in app/examples. */
@Tag("jar")
class LibraryTest {
    private static final Path TARGET = Path.of(System.getProperty("stet.jar", "target/stet.jar")).getParent();
    private static final Path LIBRARY = TARGET.resolve("stet-testing.jar");

    @Test
    void allButTheManifestIsInOneFolder() throws IOException {
        Set<String> others = new TreeSet<>();
        Set<String> names = new TreeSet<>();
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(LIBRARY))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                (entry.getName().startsWith("stet/") ? names : others).add(entry.getName());
            }
        }
        others.remove("META-INF/");
        assertEquals(Set.of("META-INF/MANIFEST.MF"), others);
        assertTrue(names.containsAll(List.of("stet/schema.sql", "stet/LICENSE", "stet/static/index.html",
                "stet/testing/StetFixture.class", "stet/jackson/LICENSE", "stet/jackson/NOTICE",
                "stet/jackson/databind/ObjectMapper.class")), names.toString());
    }

    @Test
    void theJarHasAModuleNameAndItsSources() throws IOException {
        try (JarFile jar = new JarFile(LIBRARY.toFile())) {
            assertEquals("stet.testing", jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"));
        }
        assertTrue(names("stet-testing-sources.jar").contains("stet/testing/StetFixture.java"));
    }

    @Test
    void theJavadocHasWhatATestUsesAndNothingElse() throws IOException {
        assertEquals("AccountDescription Accounts Clocks Expectation Fault Faults Journal Keys RecordedRequest StetExtension StetFixture StetTest",
                names("stet-testing-javadoc.jar").stream().filter(name -> name.startsWith("stet/") && name.endsWith(".html"))
                        .map(name -> name.replaceAll(".*/|(\\.[A-Z]\\w*)?\\.html", "")).filter(name -> !name.startsWith("package-"))
                        .distinct().sorted().collect(Collectors.joining(" ")));
    }

    private static Set<String> names(String jar) throws IOException {
        try (JarFile file = new JarFile(TARGET.resolve(jar).toFile())) {
            return file.stream().map(ZipEntry::getName).collect(Collectors.toSet());
        }
    }

    @Test
    void itsPomRequiresOnlyTheDriver() throws IOException {
        String pom = Files.readString(TARGET.resolve("stet-testing.pom"));
        String driver = jar("org.sqlite.JDBC").getFileName().toString().replaceAll("sqlite-jdbc-|\\.jar", "");
        assertEquals(List.of("sqlite-jdbc " + driver, "junit-jupiter-api optional"), Pattern.compile("<dependency>.*?</dependency>",
                Pattern.DOTALL).matcher(pom).results().map(MatchResult::group).map(each -> text(each, "artifactId") + " "
                        + (each.contains("<optional>true<") ? "optional" : text(each, "version"))).toList());
        assertEquals(List.of(), pom.lines().filter(line -> line.contains("@")).toList(), "placeholders that the build fills in");
    }

    private static String text(String xml, String element) {
        return xml.replaceAll("(?s).*<" + element + ">(.*)</" + element + ">.*", "$1");
    }

    @Test
    void manyDoublesInAnEmptyJvmLeaveNothingBehind(@TempDir Path folder) throws Exception {
        Path output = folder.resolve("output");
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + temporary, "-Dsun.net.httpserver.maxReqHeaders=77",
                "-cp", Stream.of(LIBRARY, jar("org.sqlite.JDBC"), Path.of("target/test-classes")).map(Path::toString)
                        .collect(Collectors.joining(File.pathSeparator)), LibraryUser.class.getName())
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertTrue(Running.comes(() -> !process.isAlive()));
        assertEquals(0, process.exitValue(), Files.readString(output));
        assertEquals("""
                given: 77
                unset: 30
                driver's: null
                right responses: 100
                threads left: []
                files left: 0
                folders left: []
                """, Files.readString(output, StandardCharsets.UTF_8));
    }

    private static Path jar(String name) {
        try {
            return Path.of(Class.forName(name).getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (ReflectiveOperationException | URISyntaxException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
