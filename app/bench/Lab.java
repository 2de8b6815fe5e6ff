package bench;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

/** The programs and folders of the benchmark, and the one place that starts Stet. */
final class Lab {
    /** The jar to measure. */
    static final Path JAR = Path.of("target/stet.jar");
    /** The older jar of the row {@code before}. */
    static final Optional<Path> OLDER = Optional.ofNullable(System.getenv("STET_JAR")).map(Path::of);
    /** Generated files, kept for the next run. */
    static final Path FOLDER = Path.of(Optional.ofNullable(System.getenv("DATA")).orElse("target/bench-data"));
    private static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

    private Lab() {
    }

    /** Starts {@code java -jar} with these JVM options. */
    static Child serve(Path jar, Data data, String... options) throws IOException {
        return Child.start("serve", serve(jar, data, 0, options));
    }

    static List<String> serve(Path jar, Data data, int port, String... options) {
        return java(List.of(options), "-jar", jar.toString(), "serve", "--data", data.stet().toString(), "--listen", "127.0.0.1:" + port);
    }

    /** Starts the jar as a program, which sets JVM options. @param options more of them, which take precedence */
    static Child program(Data data, String... options) throws IOException {
        return Child.start("program", program(data, 0, options));
    }

    static List<String> program(Data data, int port, String... options) {
        return List.of("env", "JAVA_OPTS=" + String.join(" ", options), JAR.toAbsolutePath().toString(),
                "serve", "--data", data.stet().toString(), "--listen", "127.0.0.1:" + port);
    }

    /** Runs a command, started as a program. */
    static void command(Data data, String... words) throws Exception {
        run(Stream.of(List.of(JAR.toAbsolutePath().toString()), List.of(words), List.of("--data", data.stet().toString()))
                .flatMap(List::stream).toList());
    }

    /** Returns the JVM options that the program sets for serve: its start script runs with echo instead of java. */
    static List<String> programOptions() throws Exception {
        String words = run(List.of("env", "JAVA=echo", JAR.toAbsolutePath().toString(), "serve", "--data", "/dev/null"));
        return Stream.of(words.split("\\s+")).filter(word -> word.startsWith("-X")).toList();
    }

    /** Returns the command that runs this JDK. */
    static List<String> java(List<String> options, String... words) {
        return Stream.of(List.of(JAVA), options, List.of(words)).flatMap(List::stream).toList();
    }

    /** Returns the command that runs a class of the benchmark. */
    static List<String> own(List<String> options, Class<?> main, String... words) {
        return Stream.concat(java(options, "-cp", "target/bench:" + JAR, main.getName()).stream(), Stream.of(words)).toList();
    }

    /** Runs a program that must succeed. @return its stdout */
    static String run(List<String> command) throws Exception {
        try (Child child = Child.start("run", command)) {
            return child.output();
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    static <T> Future<T> background(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "background");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** Reports progress to the terminal. */
    static void say(String sentence) {
        System.err.println(sentence);
    }
}
