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

/** A server on a copy of the {@link Crowd}, and all that is at work on it: the load, browsers, and commands beside it. */
final class Scene implements AutoCloseable {
    /** Limit of a command's time, in s. */
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

    /** With the load at half of what is possible. @param options of the JVM that the server runs on */
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

    /** A look into the database beside the server. */
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

    /** Answers that told a browser to come again. */
    int putOff() {
        return browsers.values().stream().mapToInt(Signed::putOff).sum();
    }

    /** Runs a command of the command line beside the server. @return what it prints on stdout */
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

    /** Whether the command line knows a command. */
    static boolean hasCommand(String name) throws Exception {
        try (Child help = Child.start(Lab.log("command"), List.of(Lab.JAR.toAbsolutePath().toString(), "help"))) {
            return help.output(LIMIT).lines().anyMatch(line -> line.strip().startsWith(name));
        }
    }

    /** Whether the server has ever been out of memory. */
    boolean ranOutOfMemory() throws IOException {
        return stet.ranOutOfMemory();
    }

    @Override
    public void close() {
        load.close();
        stet.close();
    }
}
