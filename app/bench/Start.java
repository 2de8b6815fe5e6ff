package stet;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Benchmarks of the time from process start to the first response, and of short commands. */
final class Start {
    private static final int STARTS = 11;
    /** Maximum duration of a command, in ms. */
    private static final int COMMAND = 150;
    /** Timeout for the first response, in s. */
    private static final int LIMIT = 60;

    private Start() {
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** A program that listens on a given port. */
    interface Program {
        List<String> command(int port);
    }

    /** Start times of two programs started alternately, without each program's first start. */
    private record Times(Figures ours, Figures theirs) {
        static Times of(Program ours, String ourKey, Program theirs, String theirKey) throws Exception {
            List<Double> own = new ArrayList<>();
            List<Double> other = new ArrayList<>();
            for (int i = 0; i <= STARTS; i++) {
                double their = untilAnswer(theirs, theirKey);
                double our = untilAnswer(ours, ourKey);
                if (i > 0) {
                    own.add(our);
                    other.add(their);
                }
            }
            return new Times(new Figures(own), new Figures(other));
        }

        Figures ratio() {
            return Figures.of(ours.median() / theirs.median());
        }

        String words(String us, String them) {
            return us + " " + Figures.whole(ours.median()) + " ms, " + them + " " + Figures.whole(theirs.median()) + " ms";
        }
    }

    /** Measures Stet started by java -jar, and as an executable with and without a class data archive. */
    static List<Line> service(Lab lab) throws Exception {
        Data data = Crowd.copyOf(lab.small(), "start");
        List<Line> lines = new ArrayList<>();
        lines.add(service(lab, data, 2.4, port -> lab.serve(data, port, List.of()), List.of(),
                "java -jar stet.jar serve, start to the first 200"));
        lines.add(service(lab, data, 2, port -> {
            deleteArchive(data);
            return lab.program(data, port);
        }, Lab.programSettings(), "stet.jar serve, without an archive of classes; both with its settings of the JVM"));
        makeArchive(lab, data);
        lines.add(service(lab, data, 2, port -> lab.program(data, port), Lab.programSettings(),
                "the same with the archive that a serve has made"));
        lines.add(service(lab, data, 2, port -> lab.program(data, port), List.of(),
                "the same, the JDK server without settings"));
        lines.addAll(commands(lab, data));
        return lines;
    }

    private static Line service(Lab lab, Data data, double goal, Program stet, List<String> theirFlags, String what) throws Exception {
        Times times = Times.of(stet, key(data),
                port -> lab.java(theirFlags, "-cp", Lab.CLASSES.toString(), "stet.Plain", Integer.toString(port)), key(data));
        return Line.atMost(goal, times.ratio(), what, times.words("Stet", "a JDK server"));
    }

    /** Measures a command beside an idle serve, started alternately as an executable with the archive and by java -jar. */
    private static List<Line> commands(Lab lab, Data data) throws Exception {
        List<String> words = List.of("key", "list", Data.AUTHOR, "--data", data.stet().toString());
        List<Double> program = new ArrayList<>();
        List<Double> jar = new ArrayList<>();
        try (Child serve = Child.start(Lab.log("start"), lab.program(data, freePort()))) {
            serve.url();
            for (int i = 0; i <= STARTS; i++) {
                double plain = untilEnd(Stream.concat(lab.java(List.of(), "-jar", Lab.JAR.toString()).stream(), words.stream()).toList());
                double own = untilEnd(Stream.concat(Stream.of(Lab.JAR.toAbsolutePath().toString()), words.stream()).toList());
                if (i > 0) {
                    jar.add(plain);
                    program.add(own);
                }
            }
        }
        Figures own = new Figures(program);
        return List.of(Line.plain("stet.jar key list, with the archive", Figures.whole(own.median()) + " ms, java -jar stet.jar key list "
                + Figures.whole(new Figures(jar).median()) + " ms", "at most " + COMMAND + " ms", own.median() <= COMMAND, "too slow"));
    }

    /** Returns the time from start to exit of a command, in ms. */
    private static double untilEnd(List<String> command) throws Exception {
        long begin = System.nanoTime();
        try (Child child = Child.start(Lab.log("command"), command)) {
            child.output(LIMIT);
            if (child.exitCode() != 0) {
                throw new Broken("a command failed: " + child.lastWords());
            }
            return (System.nanoTime() - begin) / 1e6;
        }
    }

    /** Runs serve once; it writes its class data archive on exit. */
    static void makeArchive(Lab lab, Data data) throws Exception {
        try (Child first = Child.start(Lab.log("start"), lab.program(data, freePort()))) {
            first.url();
        }
        if (archives(data).isEmpty()) {
            throw new Broken("no archive of classes was made");
        }
    }

    private static void deleteArchive(Data data) {
        for (Path archive : archives(data)) {
            try {
                Files.deleteIfExists(archive);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    private static List<Path> archives(Data data) {
        try (Stream<Path> files = Files.list(data.stet().resolve("native"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("classes-")).toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static Line databases(Lab lab, Data large, Data small) throws Exception {
        Lab.say("    starts");
        Times times = Times.of(port -> lab.serve(large, port, List.of()), key(large),
                port -> lab.serve(small, port, List.of()), key(small));
        return Line.atMost(1.2, times.ratio(), "the same, start to the first 200", times.words("large", "small"));
    }

    private static String key(Data data) throws IOException {
        return Files.readAllLines(data.keys()).get(0);
    }

    /** Returns the time from process start to the status line of a 200 response, in ms. */
    static double untilAnswer(Program program, String key) throws Exception {
        int port = freePort();
        byte[] request = ("GET " + Throughput.HTML + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + key
                + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        long begin = System.nanoTime();
        try (Child child = Child.start(Lab.log("start"), program.command(port))) {
            while (child.isAlive() && System.nanoTime() - begin < LIMIT * 1_000_000_000L) {
                if (isAnswered(port, request)) {
                    return (System.nanoTime() - begin) / 1e6;
                }
                Thread.sleep(1);
            }
            throw new Broken("a server did not answer: " + child.lastWords());
        }
    }

    /** Returns false if the connection is refused; otherwise waits for the response. */
    private static boolean isAnswered(int port, byte[] request) throws IOException {
        try (Socket socket = new Socket()) {
            try {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            } catch (IOException notYet) {
                return false;
            }
            socket.setSoTimeout(LIMIT * 1_000);
            socket.getOutputStream().write(request);
            InputStream in = socket.getInputStream();
            String status = new String(in.readNBytes(12), StandardCharsets.US_ASCII);
            if (!status.equals("HTTP/1.1 200")) {
                throw new Broken("the first answer was \"" + status + "\"");
            }
            in.readAllBytes();
            return true;
        }
    }
}
