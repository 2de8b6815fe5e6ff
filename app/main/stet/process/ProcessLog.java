package stet.process;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import stet.base.Log;
import stet.base.Timestamp;

/** The process log, which slf4j-simple writes to stderr; it includes uncaught exceptions and JDK warnings. */
public final class ProcessLog {
    private static final String SETTING = "org.slf4j.simpleLogger.";

    private ProcessLog() {
    }

    /**
     * Sets slf4j's properties; options with -D take precedence, except for the output and the time. Called early in main because
     * slf4j-simple reads these properties on first use. The SQLite driver's log is off because it would repeat errors that Stet logs.
     */
    public static void setProperties() {
        System.setProperty(SETTING + "logFile", "System.err"); // open() adds the time to these lines
        System.setProperty(SETTING + "showDateTime", "false");
        set(SETTING + "showThreadName", "false");
        set(SETTING + "showLogName", "false");
        set(SETTING + "log.org.sqlite", "off");
        set("slf4j.provider", "org.slf4j.simple.SimpleServiceProvider"); // otherwise, slf4j searches the class path for 10 ms
        set("slf4j.internal.verbosity", "WARN"); // otherwise, slf4j prints the provider's name
    }

    private static void set(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }

    /** Writes the time before each log line. slf4j-simple's own date format loads locale data, which takes 20 ms at startup. */
    private static final class Timed extends PrintStream {
        private final Clock clock;
        private final String before;
        private final String after;

        Timed(PrintStream out, Clock clock, boolean json) {
            super(out, true, StandardCharsets.UTF_8);
            this.clock = clock;
            before = json ? "{\"time\":\"" : "";
            after = json ? "\", " : " ";
        }

        /** slf4j-simple writes each line with this method. A single write, so that other output does not split the line. */
        @Override
        public void println(String line) {
            print(before + Timestamp.format(clock.instant()) + after + line + System.lineSeparator());
        }
    }

    /**
     * Opens the log.
     *
     * <p>slf4j-simple writes a level before each message, but only the word for WARN is configurable. JSON objects are therefore all logged
     * as warnings, and that word is set to {@code "level":}, the name of each object's second member.
     */
    public static Log open(Log.LogLevel lowest, boolean json) {
        Clock clock = Clock.systemUTC();
        System.setErr(new Timed(System.err, clock, json));
        if (json) {
            System.setProperty(SETTING + "warnLevelString", "\"level\":");
        }
        Logger logger = LoggerFactory.getLogger("stet");
        ProgramFile program = ProgramFile.ofThisProcess();
        Log log = new Log(new Log.Output() {
            @Override
            public void write(Log.LogLevel level, String message) {
                if (json) {
                    logger.warn("\"" + level + "\"," + message);
                } else {
                    logger.atLevel(org.slf4j.event.Level.valueOf(level.name())).log(message);
                }
            }

            @Override
            public void failing(Throwable failure) {
                if (program != null) {
                    program.check(failure);
                }
            }
        }, clock, json, lowest);
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) ->
                log.error("work-failed", failure, "thread", thread.getName()));
        JdkLoggers.writeTo(log);
        return log;
    }
}
