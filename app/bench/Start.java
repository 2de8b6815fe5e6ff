package stet;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The rows that compare how long it takes from the start of a process to its first answer. */
final class Start {
    private static final int STARTS = 11;
    private static final double STRETCH = 2;
    /** How long is waited for a first answer, in s. */
    private static final int LIMIT = 60;

    private Start() {
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** A program that listens on the port that it is given. */
    interface Program {
        List<String> command(int port);
    }

    /** The times of two programs, started in turns; the first start of each is not counted. */
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

    static List<Line> service(Lab lab) throws Exception {
        Data data = lab.small();
        Path archive = Lab.FOLDER.resolve("stet.jsa");
        Files.deleteIfExists(archive);
        untilAnswer(port -> lab.serve(data, port, List.of("-XX:ArchiveClassesAtExit=" + archive)), key(data));
        return List.of(service(lab, data, List.of(), "start to the first 200"),
                service(lab, data, List.of("-XX:SharedArchiveFile=" + archive, "-Xshare:on"), "the same, Stet with an archive of its classes"));
    }

    private static Line service(Lab lab, Data data, List<String> flags, String what) throws Exception {
        Times times = Times.of(port -> lab.serve(data, port, flags), key(data),
                port -> lab.java(List.of(), "-cp", Lab.CLASSES.toString(), "stet.Plain", Integer.toString(port)), key(data));
        Line line = Line.atMost(3, times.ratio(), what, times.words("Stet", "a JDK server"));
        boolean stretched = times.ratio().median() <= STRETCH;
        return new Line(line.what(), line.measured(), line.ratio(),
                line.goal() + "; stretch 2.0, " + (stretched ? "reached" : "not reached"), line.shortfall());
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

    /** From the start of the process to the status line of a 200, in ms. */
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

    /** Whether somebody listens; then the answer is waited for. */
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
