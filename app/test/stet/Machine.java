package stet;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What tests need from the machine: without its programs they are skipped, or fail with {@code -Dstet.browser=required}. */
final class Machine {
    private Machine() {
    }

    static void has(boolean found, String missing) {
        if (!found && "required".equals(System.getProperty("stet.browser"))) {
            fail(missing);
        }
        assumeTrue(found, missing);
    }

    /**
     * What {@code .ci/run} cannot promise: the rights of a user or of a container, and Litestream, which no package of Debian has.
     * Without it a test is skipped everywhere.
     */
    static void may(boolean allowed, String missing) {
        assumeTrue(allowed, missing);
    }

    /** @param programs which are on the PATH */
    static void has(String... programs) {
        for (String program : programs) {
            has(Stream.of(System.getenv("PATH").split(":")).anyMatch(path -> Files.isExecutable(Path.of(path, program))),
                    program + " is not on the PATH");
        }
    }

    /** Mounts a small file system that a test can fill up, until {@link #run} unmounts it. */
    static void mount(Path folder) throws IOException, InterruptedException {
        has("mount");
        may(run("mount", "-t", "tmpfs", "-o", "size=8m", "none", folder.toString()) == 0, "no file system can be mounted here");
    }

    /** @return the exit code, or -1 where there is no such program */
    static int run(String... command) throws IOException, InterruptedException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        } catch (IOException missing) {
            return -1;
        }
    }
}
