package stet;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import stet.base.FileNames;
import stet.base.Log;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.base.Timestamp;
import stet.cli.Config;
import stet.cli.Console;
import stet.cli.Option;
import stet.files.Seed;
import stet.fixture.Fixture;
import stet.fixture.FolderWatch;
import stet.process.ChildProcess;
import stet.server.Server;

/**
 * The {@code fixture} command, which runs the test double until the process is stopped, the {@code --exec} command exits or, with
 * {@code --with-parent}, standard input closes.
 */
final class FixtureService {
    /** An IPv6 address has two colons or more, so a host with a port is none. */
    private static final String IPV6 = "[0-9a-f.]*(?::[0-9a-f.]*){2,8}";
    private static final Pattern HOST = Pattern.compile("[a-z0-9_.-]+|" + IPV6 + "|\\[" + IPV6 + "]", Pattern.CASE_INSENSITIVE);

    private final Config config;
    private final Console console;
    private final PrintStream err;
    private final Service service;

    FixtureService(Config config, Console console, Service service) {
        this.config = config;
        this.console = console;
        this.err = console.err();
        this.service = service;
    }

    /**
     * Runs the test double.
     *
     * @return the {@code --exec} command's exit code; 1 instead of 0 if {@code --strict} is given and there were requests outside
     *         the API; 0 without {@code --exec}
     */
    int run() throws IOException {
        InetSocketAddress address = config.listen();
        if (!address.getAddress().isLoopbackAddress() && !config.has(Option.EXPOSE)) {
            throw new Refusal(config.name(Option.LISTEN) + " is " + config.required(Option.LISTEN)
                    + ", which exposes the controls to other machines; set the allowed hosts with --expose HOSTS");
        }
        Path data = Config.path(config.operands().get(0)).toAbsolutePath().normalize();
        Fixture.FixtureSettings settings = new Fixture.FixtureSettings(
                config.parse(Option.NOW, text -> Timestamp.parse("now", text)).orElse(null),
                exposedHosts(), config.has(Option.WEB), config.imagesUrl().orElse(null),
                new Fixture.RequestReport(config.has(Option.STRICT), config.has(Option.VERBOSE), err::println),
                console.logs().open(Log.LogLevel.WARN, false));
        config.value(Option.EXEC).ifPresent(command -> FileNames.check(config.name(Option.EXEC), command));
        deletePortFile();
        return Service.untilEnd(end -> {
            if (config.has(Option.WITH_PARENT)) {
                endWithParent(end);
            }
            try (Fixture fixture = Fixture.open(() -> Seed.read(data), settings); Server server = new Server(address, fixture)) {
                if (fixture.seeds().stream().allMatch(seed -> seed.files().drafts().isEmpty())) {
                    err.println("No templates found in " + data + ". Add templates as templates/ID.html next to account.json.");
                }
                if (config.has(Option.WATCH)) {
                    server.watch(new FolderWatch(data, fixture, err::println));
                }
                return serve(fixture, server, end);
            }
        });
    }

    /** Runs the --exec command or waits for the end. @return the exit code */
    private int serve(Fixture fixture, Server server, CountDownLatch end) throws IOException, InterruptedException {
        String url = server.url().toString();
        if (config.has(Option.EXEC)) {
            service.writePort(server.address());
            int code = ChildProcess.shell(config.required(Option.EXEC), environment(url, fixture.initialKeys()), end);
            return code == 0 && config.has(Option.STRICT) ? strictCode(fixture.journal().outsideApiCount()) : code;
        }
        service.ready(url, server.address());
        end.await();
        return 0;
    }

    /** Explains an exit code that is not the --exec command's. @return 1 if there were requests outside the API */
    private int strictCode(long outsideApi) {
        if (outsideApi > 0) {
            err.println("The exit code is 1 (--strict) because " + outsideApi + (outsideApi == 1 ? " request was" : " requests were")
                    + " outside the API");
        }
        return outsideApi > 0 ? 1 : 0;
    }

    /** The hosts given with --expose. */
    private Set<String> exposedHosts() {
        Set<String> hosts = config.value(Option.EXPOSE).stream().flatMap(list -> Arrays.stream(list.split(","))).map(String::strip)
                .collect(Collectors.toSet());
        hosts.stream().filter(host -> !HOST.matcher(host).matches()).findFirst().ifPresent(wrong -> {
            throw new Refusal(config.name(Option.EXPOSE) + " contains \"" + wrong
                    + "\"; use a host name or address such as stet or 10.0.0.5");
        });
        return hosts;
    }

    /** Deletes the port file left by an earlier run. */
    private void deletePortFile() {
        config.value(Option.PORT_FILE).map(Config::path).ifPresent(file -> {
            try {
                Files.deleteIfExists(file);
            } catch (IOException failure) {
                throw SystemFailure.of("Cannot delete the old port file " + file, failure);
            }
        });
    }

    /** Opens the latch when standard input closes, for example because the parent process has exited. */
    private void endWithParent(CountDownLatch end) {
        Thread watch = new Thread(() -> {
            try {
                console.in().transferTo(OutputStream.nullOutputStream());
            } catch (IOException closed) {
                // A read error is treated like the end of the input.
            }
            err.println("Standard input closed; stopping the test double (" + config.name(Option.WITH_PARENT) + ")");
            end.countDown();
        }, "stet-parent");
        watch.setDaemon(true);
        watch.start();
    }

    /** Environment variables with the URLs and the keys; STET_KEY repeats the first key. The first of keys with similar names gets a variable. */
    private static Map<String, String> environment(String url, Map<String, String> keys) {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("STET_URL", url);
        variables.put("STET_API_URL", url + "/api/v1");
        keys.forEach((name, key) -> {
            variables.putIfAbsent("STET_KEY", key);
            variables.putIfAbsent("STET_KEY_" + name.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]+", "_"), key);
        });
        return variables;
    }
}
