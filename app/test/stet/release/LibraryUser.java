package stet.release;

import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import stet.core.Plan;
import stet.testing.StetFixture;

/** An app in a separate JVM with only the library on its class path. Prints what {@link LibraryTest} expects. */
class LibraryUser {
    private static final int DOUBLES = 100;

    public static void main(String[] arguments) throws Exception {
        HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0).stop(0); // makes the JDK's server read its settings
        StetFixture first = start(0);
        first.close();
        first.close();
        System.out.println("given: " + System.getProperty("sun.net.httpserver.maxReqHeaders"));
        System.out.println("unset: " + System.getProperty("sun.net.httpserver.maxReqTime"));
        System.out.println("driver's: " + System.getProperty("org.sqlite.lib.path"));
        for (String name : List.of("com.fasterxml.jackson.databind.ObjectMapper", "org.slf4j.Logger",
                "org.junit.jupiter.api.Test")) {
            try {
                System.out.println("found: " + Class.forName(name));
            } catch (ClassNotFoundException expected) {
                // Not included in the library.
            }
        }
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        int files = openFiles();
        System.out.println("right responses: " + manyAtOnce());
        await(() -> Thread.getAllStackTraces().keySet().stream().allMatch(before::contains));
        System.out.println("threads left: " + Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread)).map(Thread::getName).toList());
        System.out.println("files left: " + Math.max(0, openFiles() - files));
        System.out.println("folders left: " + List.of(new File(System.getProperty("java.io.tmpdir")).list()));
    }

    private static StetFixture start(int number) {
        return StetFixture.account("shop@example.com").plan(Plan.PRO).key("stet-test-key")
                .template("welcome", "Hi", "<p>" + number + "</p>").start();
    }

    /** @return number of doubles, all open at once, that served their own template */
    private static int manyAtOnce() throws Exception {
        List<StetFixture> doubles = new ArrayList<>();
        int right = 0;
        try {
            for (int i = 0; i < DOUBLES; i++) {
                doubles.add(start(i));
            }
            for (int i = 0; i < DOUBLES; i++) {
                URLConnection connection = new URL(doubles.get(i).baseUrl() + "/templates/welcome?format=html").openConnection();
                connection.setRequestProperty("Authorization", "Bearer stet-test-key");
                connection.setRequestProperty("Connection", "close"); // otherwise the JDK would keep the connection alive with a thread
                String html = new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                right += html.equals("<p>" + i + "</p>") ? 1 : 0;
            }
        } finally {
            doubles.forEach(StetFixture::close);
        }
        return right;
    }

    private interface Condition {
        boolean isMet();
    }

    /** Waits for at most 20 s. */
    private static void await(Condition condition) throws InterruptedException {
        for (int left = 400; left > 0 && !condition.isMet(); left--) {
            Thread.sleep(50);
        }
    }

    private static int openFiles() {
        String[] descriptors = new File("/proc/self/fd").list();
        return descriptors == null ? 0 : descriptors.length;
    }
}
