package stet;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.cli.Console;
import stet.core.Log;
import stet.sqlite.TemporaryFolder;

/**
 * The archive of loaded classes that saves about a quarter of the time of a start. A process of its own uses the program for a
 * second, and the JVM writes the classes that it has then. The launcher in front of the jar names the file; the JVM passes over
 * one that was made from another jar or by another JVM.
 *
 * <pre>
 * classes.jsa       the archive, put in place by a rename, for its owner alone
 * classes.txt       its size, and the jar and the JVM that it was made from: another one has it made anew
 * classes*.tmp      an archive that is being made; deleted when the next one is made
 * </pre>
 */
public final class ClassArchive {
    /** Property with the path of the archive; set by the launcher for a serve. */
    private static final String FILE = "stet.classes";
    private static final int LIMIT_SECONDS = 120;
    private static final String EMAIL = "ada@example.com";
    private static final Pattern URL = Pattern.compile("STET_READY url=(\\S+)");
    private static final Pattern KEY = Pattern.compile("Bearer ([^\"]+)");

    private final Log log;
    private final Path file;
    private final Thread work = new Thread(this::makeOrLog, "stet-classes");

    private ClassArchive(Path file, Log log) {
        this.log = log;
        this.file = file.toAbsolutePath();
    }

    /**
     * Makes an archive that fits in the background, where the launcher asks for one. A serve goes on without it when it
     * cannot be made.
     *
     * @return to be ended with the service
     */
    static ClassArchive prepare(Log log) {
        String wanted = System.getProperty(FILE);
        ClassArchive archive = new ClassArchive(Path.of(wanted != null ? wanted : ""), log);
        if (wanted != null) {
            archive.work.setDaemon(true);
            archive.work.start();
        }
        return archive;
    }

    /** Ends the process that makes the archive, too. */
    void end() {
        work.interrupt();
        try {
            work.join(1_000);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    private void makeOrLog() {
        try {
            if (!fits()) {
                make();
                log.info("classes-archived", "file", file, "bytes", Files.size(file));
            }
        } catch (InterruptedException ended) {
            // The next start makes it.
        } catch (IOException | URISyntaxException failure) {
            log.info("classes-not-archived", "reason", failure);
        }
    }

    private Path label() {
        return file.resolveSibling("classes.txt");
    }

    private boolean fits() throws IOException, URISyntaxException {
        return Files.exists(file) && Files.exists(label()) && Files.readString(label()).equals(Files.size(file) + "\n" + origin());
    }

    /** The jar and the JVM: an archive fits no others. */
    private static String origin() throws IOException, URISyntaxException {
        return String.join("\n", jar().toString(), Long.toString(Files.size(jar())), Files.getLastModifiedTime(jar()).toString(),
                System.getProperty("java.home"), System.getProperty("java.vm.name"), System.getProperty("java.vm.version"), "");
    }

    private static Path jar() throws URISyntaxException {
        return Path.of(ClassArchive.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    /** Has another JVM write the archive, at a command's priority. Nothing is changed unless that succeeds. */
    private void make() throws IOException, InterruptedException, URISyntaxException {
        Path folder = Files.createDirectories(file.getParent());
        try (DirectoryStream<Path> leftOver = Files.newDirectoryStream(folder, "classes*.tmp")) {
            for (Path path : leftOver) {
                Files.deleteIfExists(path);
            }
        }
        String origin = origin();
        Path archive = Files.createTempFile(folder, "classes", ".tmp");
        Path label = Files.createTempFile(folder, "classes", ".tmp");
        try {
            List<String> command = new ArrayList<>(List.of("nice", "-n", "10",
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC", "-Xmx64m",
                    "-XX:TieredStopAtLevel=1", "-XX:ArchiveClassesAtExit=" + archive, "-Djava.io.tmpdir=" + folder));
            Optional.ofNullable(System.getProperty("org.sqlite.tmpdir")).ifPresent(path ->
                    command.add("-Dorg.sqlite.tmpdir=" + path));
            command.addAll(List.of("-cp", jar().toString(), ClassArchive.class.getName()));
            Process process = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            try {
                if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    throw new IOException("the process took more than " + LIMIT_SECONDS + " seconds");
                }
            } finally {
                process.destroyForcibly();
            }
            if (process.exitValue() != 0 || Files.size(archive) == 0) {
                throw new IOException("the process ended with code " + process.exitValue());
            }
            Files.writeString(label, Files.size(archive) + "\n" + origin);
            Files.setPosixFilePermissions(archive, PosixFilePermissions.fromString("rw-------")); // the JVM lets all read it
            try (FileChannel channel = FileChannel.open(archive, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.deleteIfExists(label());
            Files.move(archive, file, StandardCopyOption.ATOMIC_MOVE);
            Files.move(label, label(), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(archive);
            Files.deleteIfExists(label);
        }
    }

    /**
     * Uses the program on throw-away data, so that its classes are loaded.
     *
     * @param arguments none; or the file of an archive, which is made if there is none that fits: for packages
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            ClassArchive archive = new ClassArchive(Path.of(arguments[0]), Log.none());
            if (!archive.fits()) {
                archive.make();
            }
            return;
        }
        Server.setProperties();
        try (TemporaryFolder folder = TemporaryFolder.create("stet-classes-")) {
            String data = folder.path().resolve("data").toString();
            run("account", "add", EMAIL, "--data", data);
            String key = run("key", "add", EMAIL, "website", "--data", data).strip();
            serve(key, "serve", "--data", data, "--listen", "127.0.0.1:0");
            for (String list : List.of("key list", "template list", "usage", "account list")) {
                List<String> words = new ArrayList<>(List.of(list.split(" ")));
                if (!list.equals("account list")) {
                    words.add(EMAIL);
                }
                words.addAll(List.of("--data", data));
                run(words.toArray(String[]::new));
                words.add("--json");
                run(words.toArray(String[]::new));
            }
            run("export", folder.path().resolve("files").toString(), "--account", EMAIL, "--data", data);
            serve(null, "demo", "--listen", "127.0.0.1:0");
        }
        run("help");
        run("version");
    }

    /** @return what the command printed on stdout */
    private static String run(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int code = Stet.run(arguments, Map.of(), console(out), Clock.systemUTC());
        if (code != 0) {
            throw new IllegalStateException(String.join(" ", arguments) + " ended with code " + code);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static Console console(ByteArrayOutputStream out) {
        return new Console(new ByteArrayInputStream(new byte[0]), new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8), (lowest, json) -> Log.none());
    }

    /** Sends a service some requests. @param key or null for the one that the demo prints */
    private static void serve(String key, String... arguments) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Thread service = new Thread(() -> Stet.run(arguments, Map.of(), console(out), Clock.systemUTC()));
        service.start();
        try {
            String url = await(service, out, URL);
            String bearer = "Bearer " + (key != null ? key : await(service, out, KEY));
            for (String path : List.of("/healthz", "/", "/docs", "/api/v1/templates/welcome",
                    "/api/v1/templates/welcome?format=html",
                    "/api/v1/templates/no-such")) {
                HttpURLConnection connection = (HttpURLConnection) URI.create(url + path).toURL().openConnection();
                connection.setRequestProperty("Authorization", bearer);
                connection.getResponseCode();
                connection.disconnect();
            }
        } finally {
            service.interrupt();
            service.join();
        }
    }

    /** Waits for what the service prints; make's limit of time ends this, too. */
    private static String await(Thread service, ByteArrayOutputStream out, Pattern wanted) throws InterruptedException {
        while (service.isAlive()) {
            Matcher found = wanted.matcher(out.toString(StandardCharsets.UTF_8));
            if (found.find()) {
                return found.group(1);
            }
            Thread.sleep(5);
        }
        throw new IllegalStateException("the service has ended");
    }
}
