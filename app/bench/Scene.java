package stet;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A server on a copy of the {@link Crowd}'s data, with a load, browsers and commands. */
final class Scene implements AutoCloseable {
    /** Command timeout, in s. */
    private static final int LIMIT = 120;

    private final Lab lab;
    private final Data data;
    private final Child stet;
    private final Steady load;
    private final String url;
    private final Map<String, Signed> browsers = new HashMap<>();

    private Scene(Lab lab, String options) throws Exception {
        this.lab = lab;
        this.data = Crowd.copy(lab, "beside");
        this.stet = lab.program(data, options);
        this.url = stet.url();
        this.load = Steady.on(lab, url, data.keys(), data.folder());
    }

    /** Starts with the load at half of the maximum rate. @param options JVM options of the server */
    static Scene open(Lab lab, String options) throws Exception {
        Scene scene = new Scene(lab, options);
        try {
            scene.load.halve(lab.pace().warmUp());
            return scene;
        } catch (Exception failure) {
            scene.close();
            throw failure;
        }
    }

    Steady load() {
        return load;
    }

    Path folder() {
        return data.folder();
    }

    /** Opens a read connection to the database while the server uses it. */
    Connection database() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + data.stet().resolve("stet.db"));
    }

    Signed browser(String email) throws Exception {
        Signed browser = browsers.get(email);
        if (browser == null) {
            browser = Signed.in(url, email);
            browsers.put(email, browser);
        }
        return browser;
    }

    /** Returns the number of 503 responses that asked a browser to retry. */
    int putOff() {
        return browsers.values().stream().mapToInt(Signed::putOff).sum();
    }

    /** Runs a command while the server is running. @return its stdout */
    String command(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(Lab.JAR.toAbsolutePath().toString()));
        command.addAll(List.of(words));
        command.addAll(List.of("--data", data.stet().toString()));
        try (Child child = Child.start(Lab.log("command"), command)) {
            String output = child.output(LIMIT);
            if (child.exitCode() != 0) {
                throw new Broken(words[0] + " ended with " + child.exitCode() + ": " + child.lastWords());
            }
            return output;
        }
    }

    /** Returns whether the measured jar has this command. */
    static boolean hasCommand(String name) throws Exception {
        try (Child help = Child.start(Lab.log("command"), List.of(Lab.JAR.toAbsolutePath().toString(), "help"))) {
            return help.output(LIMIT).lines().anyMatch(line -> line.strip().startsWith(name));
        }
    }

    /** Returns whether the server has run out of memory. */
    boolean ranOutOfMemory() throws IOException {
        return stet.ranOutOfMemory();
    }

    @Override
    public void close() {
        load.close();
        stet.close();
    }
}
