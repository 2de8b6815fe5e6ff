package stet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server's memory and threads.
 *
 * @param heap    in MB (10^6 bytes) after a full collection; NaN if unknown
 * @param threads number of threads in the process
 */
record Vitals(double heap, int threads) {
    private static final Path JCMD = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    private static final Pattern USED = Pattern.compile("total.*used (\\d+)K");
    /** Timeout for the JVM's response, in s. */
    private static final int LIMIT = 20;

    static Vitals of(Child server) throws Exception {
        jcmd(server, "GC.run");
        // Adds up the generations; the classes listed after them are not in the heap.
        Matcher used = USED.matcher(jcmd(server, "GC.heap_info").split("Metaspace")[0]);
        double heap = 0;
        while (used.find()) {
            heap += Double.parseDouble(used.group(1)) * 1_024 / 1e6;
        }
        return new Vitals(heap == 0 ? Double.NaN : heap, threads(server));
    }

    private static String jcmd(Child server, String command) throws Exception {
        try (Child jcmd = Child.start(Lab.log("jcmd"), List.of(JCMD.toString(), Long.toString(server.pid()), command))) {
            return jcmd.output(LIMIT);
        } catch (Broken late) {
            return "";
        }
    }

    /** Returns the number of threads; 0 if the server has exited. */
    static int threads(Child server) throws Exception {
        Path status = Path.of("/proc/" + server.pid() + "/status");
        return !server.isAlive() ? 0 : Files.readAllLines(status).stream().filter(line -> line.startsWith("Threads:"))
                .mapToInt(line -> Integer.parseInt(line.replaceAll("[^0-9]", ""))).findFirst().orElse(0);
    }
}
