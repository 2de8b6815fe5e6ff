package stet;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The real program, {@code java -jar stet.jar serve}, in a process of its own that a test may kill. */
final class Jar implements AutoCloseable {
    final InetSocketAddress address;
    private final Process process;
    private final ProcessHandle java;

    /**
     * Starts it on a data folder and waits until it is ready; its temporary folder is {@code tmp} beside that.
     *
     * @param prefix a program that runs it, with arguments
     */
    Jar(Path data, String... prefix) {
        this(List.of(), data, prefix);
    }

    /** @param flags of the JVM */
    Jar(List<String> flags, Path data, String... prefix) {
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
     * The words that run the program with the flags of its own launcher for short work.
     *
     * @param temporary folder of the JVM
     * @param flags     of the JVM; the last one wins
     */
    static List<String> command(Path temporary, List<String> flags, String... arguments) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + temporary));
        command.addAll(flags);
        command.addAll(List.of("-jar", Path.of(System.getProperty("stet.jar", "target/stet.jar")).toAbsolutePath().toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** SIGTERM. @return the exit code, 143 from a JVM that ended well */
    int terminate() {
        java.destroy();
        return await();
    }

    /** SIGKILL, which leaves the program no time for anything. */
    void kill() {
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
