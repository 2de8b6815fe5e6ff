package stet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Provides data, servers and durations to the rows. */
record Lab(Pace pace) {
    /** The jar built here. */
    static final Path BUILT = Path.of("target/stet.jar");
    /** The jar to measure; STET_JAR overrides it. */
    static final Path JAR = Optional.ofNullable(System.getenv("STET_JAR")).map(Path::of).orElse(BUILT);
    /** Generated files, kept for the next run. */
    static final Path FOLDER = folder(JAR);
    static final Path CLASSES = Path.of("target/bench");
    private static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

    /** Returns the jar's folder. Jars do not share one, because a version may be unable to read another's data. */
    static Path folder(Path jar) {
        return Path.of(jar.equals(BUILT) ? "target/bench-data" : "target/bench-data-" + Integer.toHexString(jar.toAbsolutePath().hashCode()));
    }

    // ---- data, generated if missing

    /** 1,000 accounts with one key and one template of 16 KiB each, and the author. */
    Data small() throws IOException {
        return data("small", new Data.Shape(1_000, 1, 1, Data.HTML));
    }

    /** 100,000 accounts with one key and ten templates each, 1,000 of them in use. */
    Data large() throws IOException {
        return data("large", new Data.Shape(100_000, 10, 100, Data.HTML));
    }

    /** One account with 1 MiB of HTML, to compare with the single body of the bare handler. */
    Data mebibyte() throws IOException {
        return data("mebibyte", new Data.Shape(1, 1, 1, 1 << 20));
    }

    private Data data(String name, Data.Shape shape) throws IOException {
        if (!JAR.equals(BUILT)) {
            throw new Broken("STET_JAR is for the rows before, beside-work, held-connections and slow-clients: the data of the others are made by this Stet");
        }
        Data data = new Data(FOLDER.resolve(name));
        if (!data.exists()) {
            say("making the data \"" + name + "\", which is kept in " + data.folder());
            long begin = System.nanoTime();
            data.make(shape);
            say("made in " + (System.nanoTime() - begin) / 1_000_000_000 + " s");
        }
        return data;
    }

    // ---- servers

    /** Returns the command that runs Stet or a benchmark class on the current JDK. */
    List<String> java(List<String> flags, String... words) {
        List<String> command = new ArrayList<>(List.of(JAVA));
        command.addAll(flags);
        command.addAll(List.of(words));
        return command;
    }

    List<String> serve(Data data, int port, List<String> flags) {
        return serve(JAR, data, port, flags);
    }

    private List<String> serve(Path jar, Data data, int port, List<String> flags) {
        return java(flags, "-jar", jar.toString(), "serve", "--data", data.stet().toString(), "--listen", "127.0.0.1:" + port);
    }

    /** Starts the executable jar, which sets JVM options. @param options additional JVM options; they take precedence */
    Child program(Data data, String... options) throws IOException {
        return Child.start(log("stet"), program(data, 0, options));
    }

    /** Returns the command line of {@link #program(Data, String...)}. */
    List<String> program(Data data, int port, String... options) {
        return List.of("env", "JAVA_OPTS=" + String.join(" ", options), JAR.toAbsolutePath().toString(),
                "serve", "--data", data.stet().toString(), "--listen", "127.0.0.1:" + port);
    }

    /** Returns the JVM options that the executable sets for serve. Runs its start script with echo instead of java. */
    static List<String> programSettings() throws Exception {
        try (Child told = Child.start(log("settings"), List.of("env", "JAVA=echo", JAR.toAbsolutePath().toString(), "serve", "--data", "/dev/null"))) {
            return Stream.of(told.output(10).split("\\s+")).filter(word -> word.startsWith("-X")).toList();
        }
    }

    /** Starts Stet from the given jar. */
    Child stet(Path jar, Data data) throws IOException {
        return Child.start(log("stet-" + jar.equals(BUILT)), serve(jar, data, 0, List.of()));
    }

    Child stet(Data data, String... flags) throws IOException {
        return Child.start(log("stet"), serve(data, 0, List.of(flags)));
    }

    /**
     * Settings of Stet's server with a handler that always returns the same response.
     *
     * @param flags   JVM options
     * @param threads "stet" for as many threads as Stet has, or "many" for one thread per request
     */
    record BareSettings(List<String> flags, String threads) {
        static final BareSettings PLAIN = new BareSettings(List.of(), "stet");
    }

    Child bare(BareSettings settings, Path body, String type) throws IOException {
        return Child.start(log("bare"), java(settings.flags, "-cp", CLASSES + ":" + BUILT, "stet.Bare", body.toString(), type,
                settings.threads));
    }

    /** Starts the lower bound. @param more arguments of {@link Floor}, from the header file on */
    Child floor(Path body, Path keys, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of("-cp", CLASSES + ":" + BUILT, "stet.Floor", body.toString(), keys.toString()));
        words.addAll(List.of(more));
        return Child.start(log("floor"), java(List.of(), words.toArray(String[]::new)));
    }

    static Path log(String name) {
        return FOLDER.resolve("logs").resolve(name + ".log");
    }

    /** Returns the path of a program if it is installed. */
    static Optional<Path> program(String name) {
        return Stream.concat(Stream.of(System.getenv("PATH").split(":")), Stream.of("/usr/sbin", "/usr/local/sbin"))
                .map(directory -> Path.of(directory, name)).filter(Files::isExecutable).findFirst();
    }

    /** Reports progress to the terminal. */
    static void say(String sentence) {
        System.err.println(sentence);
    }

    static void delete(Path folder) throws IOException {
        if (Files.notExists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
