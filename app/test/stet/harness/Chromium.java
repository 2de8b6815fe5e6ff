package stet.harness;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.openqa.selenium.TimeoutException;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.remote.http.ClientConfig;

/**
 * The real browser shared by a JVM's test classes: Chromium's headless shell if it is installed, which needs 30% less CPU time, or
 * else Chromium. Each test starts with one empty window and no cookies, and must leave an empty log.
 */
public final class Chromium implements BeforeAllCallback, BeforeEachCallback, AfterTestExecutionCallback, ParameterResolver {
    private static final Namespace OURS = Namespace.create(Chromium.class);
    private static final List<String> FLAGS = List.of("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-default-apps", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-GB",
            "--disable-search-engine-choice-screen", "--disable-features=Translate,OptimizationHints,MediaRouter");

    /**
     * The browser and its driver, closed at the end of the run.
     *
     * @param processes all that the browser started with; of the headless shell, the driver ends only the script that starts it
     */
    record Started(ChromeDriverService service, ChromeDriver driver, List<ProcessHandle> processes, Path folder) implements AutoCloseable {
        @Override
        public void close() {
            if (service.isRunning()) {
                driver.quit();
            }
            processes.forEach(ProcessHandle::destroyForcibly);
            // a process that nobody reaps, as in containers without an init process, never exits
            processes.forEach(process -> process.onExit().completeOnTimeout(process, 5, TimeUnit.SECONDS).join());
            Running.delete(folder);
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        Machine.has("chromedriver");
        if (program("chromium-headless-shell").isEmpty()) {
            Machine.has("chromium");
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        beforeAll(context); // not called for the extension of a single test
        Window window = window(context);
        window.driver.executeCdpCommand("Network.clearBrowserCookies", Map.of());
        window.looks("light", 1280, 900);
        window.log.forget();
    }

    /** Closes the pages before the test stops its server, because they would report the server as unreachable. */
    @Override
    public void afterTestExecution(ExtensionContext context) {
        Window window = window(context);
        Throwable failure = context.getExecutionException().orElse(null);
        if (failure instanceof TimeoutException) {
            replace(context);
            return;
        }
        try {
            if (failure != null) {
                window.shootFailure(context.getRequiredTestMethod().getName());
            } else {
                window.log.isEmpty();
            }
        } finally {
            window.alone();
        }
    }

    /** Stops a hanging driver, so that the next test gets a new browser. */
    private static void replace(ExtensionContext context) {
        Started started = ofThisJvm(context).remove(Started.class, Started.class);
        if (started != null) {
            started.service.stop();
            started.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Window.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return window(context);
    }

    /** Store that lasts for all test classes, because starting the browser takes seconds; closed at the end of the run. */
    private static Store ofThisJvm(ExtensionContext context) {
        return context.getStore(StoreScope.LAUNCHER_SESSION, OURS);
    }

    private static Window window(ExtensionContext context) {
        Started started = ofThisJvm(context).computeIfAbsent(Started.class, key -> start(), Started.class);
        return context.getStore(OURS).computeIfAbsent(started, key -> new Window(started.driver), Window.class);
    }

    private static Started start() {
        Logger.getLogger("org.openqa.selenium").setLevel(Level.SEVERE); // the driver probes for a protocol that we do not use
        try {
            Path folder = Files.createTempDirectory("stet-chromium");
            ChromeOptions options = new ChromeOptions();
            options.setBinary(program("chromium-headless-shell").or(() -> program("chromium")).orElseThrow().toFile());
            options.addArguments(FLAGS);
            LoggingPreferences all = new LoggingPreferences();
            all.enable(LogType.BROWSER, Level.ALL);
            options.setCapability("goog:loggingPrefs", all);
            options.setPageLoadTimeout(Running.PATIENCE);
            options.setScriptTimeout(Running.PATIENCE);
            ChromeDriverService service = new ChromeDriverService.Builder()
                    .usingDriverExecutable(program("chromedriver").orElseThrow().toFile())
                    .usingAnyFreePort()
                    .withEnvironment(Map.of("TMPDIR", folder.toString())) // the driver's profiles; the shell opens no page in one of ours
                    .withLogOutput(OutputStream.nullOutputStream())
                    .build();
            ClientConfig config = ClientConfig.defaultConfig().readTimeout(Running.PATIENCE.multipliedBy(3));
            ChromeDriver driver = new ChromeDriver(service, options, config);
            new Window(driver).readsHtml();
            ProcessHandle first = ProcessHandle.of((Long) driver.getCapabilities().getCapability("goog:processID")).orElseThrow();
            return new Started(service, driver, Stream.concat(Stream.of(first), first.descendants()).toList(), folder);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Optional<Path> program(String name) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
