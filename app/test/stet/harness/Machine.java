package stet.harness;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Test requirements. Tests whose programs are missing are skipped, or fail with {@code -Dstet.browser=required}. */
public final class Machine {
    private Machine() {
    }

    public static void has(boolean found, String missing) {
        if (!found && "required".equals(System.getProperty("stet.browser"))) {
            fail(missing);
        }
        assumeTrue(found, missing);
    }

    /**
     * Skips a test that needs something {@code .ci/run} cannot provide: user or container privileges, or Litestream, which Debian
     * does not package.
     */
    public static void may(boolean allowed, String missing) {
        assumeTrue(allowed, missing);
    }

    /** @param programs required on the PATH */
    public static void has(String... programs) {
        for (String program : programs) {
            has(Stream.of(System.getenv("PATH").split(":")).anyMatch(path -> Files.isExecutable(Path.of(path, program))),
                    program + " is not on the PATH");
        }
    }

    /** Mounts a small file system for a test to fill. Unmount it with {@link #run}. */
    public static void mount(Path folder) throws IOException, InterruptedException {
        mount(folder, "size=8m");
    }

    /** @param options of tmpfs */
    public static void mount(Path folder, String options) throws IOException, InterruptedException {
        has("mount");
        may(run("mount", "-t", "tmpfs", "-o", options, "none", folder.toString()) == 0, "no file system can be mounted here");
    }

    /** @return the exit code; -1 if the program does not exist */
    public static int run(String... command) throws IOException, InterruptedException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        } catch (IOException missing) {
            return -1;
        }
    }
}
