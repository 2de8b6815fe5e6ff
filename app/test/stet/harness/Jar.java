package stet.harness;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The real program, {@code java -jar stet.jar serve}, as a process that a test may kill. */
public final class Jar implements AutoCloseable {
    private static final Path PROGRAM = Path.of(System.getProperty("stet.jar", "target/stet.jar")).toAbsolutePath();
    private static final Path ARCHIVE = PROGRAM.resolveSibling("stet.jsa");
    /** Flags once the class archive exists; the archive saves a third to a half of the CPU time of a start. */
    private static final List<String> ARCHIVED = List.of("-XX:SharedArchiveFile=" + ARCHIVE, "-Xlog:cds=off", "-Xlog:cds+dynamic=off");
    private static boolean isArchived;

    public final InetSocketAddress address;
    private final Process process;
    private final ProcessHandle java;

    /**
     * Starts the program on a data folder and waits until it is ready. Its temporary folder is the sibling {@code tmp}.
     *
     * @param prefix a program to run it with, and arguments
     */
    public Jar(Path data, String... prefix) {
        this(List.of(), data, prefix);
    }

    /** @param flags JVM flags */
    public Jar(List<String> flags, Path data, String... prefix) {
        try {
            Path temporary = Files.createDirectories(data.resolveSibling("tmp"));
            List<String> command = new ArrayList<>(List.of(prefix));
            command.addAll(command(temporary, flags, "serve", "--data", data.toString(), "--listen", "127.0.0.1:0"));
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(data.resolveSibling("err").toFile())).start();
            BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
            String line = out.readLine();
            if (line == null) {
                throw new AssertionError("serve did not start: " + Files.readString(data.resolveSibling("err")));
            }
            assertTrue(line.startsWith("STET_READY url="), line);
            URI url = URI.create(line.substring("STET_READY url=".length()));
            address = new InetSocketAddress(url.getHost(), url.getPort());
            java = prefix.length == 0 ? process.toHandle() : process.descendants().findFirst().orElseThrow();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Returns the program's command line, with its launcher's flags for short runs.
     *
     * @param temporary the JVM's temporary folder
     * @param flags     of the JVM; the last one wins
     */
    public static List<String> command(Path temporary, List<String> flags, String... arguments) {
        archive();
        return words(temporary, Stream.concat(ARCHIVED.stream(), flags.stream()).toList(), arguments);
    }

    private static List<String> words(Path temporary, List<String> flags, String... arguments) {
        List<String> command = new ArrayList<>(List.of(java(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "-XX:CompileThresholdScaling=5", "-Djava.io.tmpdir=" + temporary));
        command.addAll(flags);
        command.addAll(List.of("-jar", PROGRAM.toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** If the jar is newer than the class archive, creates the archive from the classes that a serve, a push to it and an export load. */
    private static synchronized void archive() {
        if (isArchived) {
            return;
        }
        Path folder = Running.temporary();
        try (FileChannel turns = FileChannel.open(ARCHIVE.resolveSibling("stet.jsa.lock"), StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
                FileLock turn = turns.lock()) {
            if (turn.isValid() && ARCHIVE.toFile().lastModified() < PROGRAM.toFile().lastModified()) {
                Path made = folder.resolve("stet.jsa");
                Path classes = Files.write(folder.resolve("classes"), loaded(folder));
                program(List.of(java(), "-Xshare:dump", "-XX:TieredStopAtLevel=1", "-XX:SharedClassListFile=" + classes,
                        "-XX:SharedArchiveFile=" + made, "-cp", PROGRAM.toString())).start().waitFor();
                if (Files.exists(made)) { // this JVM may not support archives
                    Files.move(made, ARCHIVE, StandardCopyOption.REPLACE_EXISTING);
                }
            }
            isArchived = true;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        } finally {
            Running.delete(folder);
        }
    }

    /** Returns the names of the loaded classes as the JVM lists them. */
    private static Set<String> loaded(Path folder) throws IOException, InterruptedException {
        Path data = folder.resolve("data");
        Terminal terminal = new Terminal(data);
        terminal.account("ada@example.com", "pro");
        String token = terminal.done("token", "add", "ada@example.com", "ci", "--role", "editor").strip();
        Path files = folder.resolve("files");
        Files.writeString(Files.createDirectories(files.resolve("templates")).resolve("welcome.html"), "<p>Hello {{name}}</p>");

        Process serve = listing(folder, "serve", "--data", data.toString(), "--listen", "127.0.0.1:0")
                .redirectOutput(ProcessBuilder.Redirect.PIPE).start();
        String ready = serve.inputReader(StandardCharsets.UTF_8).readLine();
        ProcessBuilder push = listing(folder, "push", files.toString(), "--publish", "--server", ready.substring(ready.indexOf('=') + 1));
        push.environment().put("STET_TOKEN", token);
        push.start().waitFor();
        serve.destroy();
        serve.waitFor();
        listing(folder, "export", folder.resolve("exported").toString(), "--account", "ada@example.com", "--data", data.toString())
                .start().waitFor();
        Set<String> classes = new LinkedHashSet<>();
        for (String list : List.of("serve", "push", "export")) {
            classes.addAll(Files.readAllLines(folder.resolve(list)));
        }
        return classes;
    }

    /** Prepares a run that lists the program's classes in a file named like the command. */
    private static ProcessBuilder listing(Path folder, String... arguments) {
        return program(words(folder, List.of("-XX:DumpLoadedClassList=" + folder.resolve(arguments[0])), arguments));
    }

    private static ProcessBuilder program(List<String> command) {
        return new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD);
    }

    /** Sends SIGTERM. @return the exit code; 143 after a clean shutdown */
    public int terminate() {
        java.destroy();
        return await();
    }

    /** Sends SIGKILL, which prevents any clean-up. */
    public void kill() {
        java.destroyForcibly();
        await();
    }

    private int await() {
        try {
            assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS), "it does not end");
            return process.exitValue();
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
    }

    @Override
    public void close() {
        java.destroyForcibly();
        process.destroyForcibly();
        await();
    }
}
