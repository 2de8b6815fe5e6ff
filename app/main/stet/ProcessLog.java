package stet;

import java.time.Clock;
import java.util.Map;
import java.util.TimeZone;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import stet.core.Log;

/** The process log, which slf4j-simple writes to stderr; it includes uncaught exceptions and JDK warnings. */
final class ProcessLog {
    private static final String SETTING = "org.slf4j.simpleLogger.";

    private ProcessLog() {
    }

    /**
     * Sets slf4j-simple's properties, except those given with -D. Called early in main because slf4j-simple reads these
     * properties on first use. The SQLite driver's log is off because it would repeat errors that Stet logs.
     */
    static void setProperties() {
        Map.of("showDateTime", "true", "dateTimeFormat", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", "showThreadName", "false",
                "showLogName", "false", "log.org.sqlite", "off").forEach((name, value) -> {
                    if (System.getProperty(SETTING + name) == null) {
                        System.setProperty(SETTING + name, value);
                    }
                });
    }

    /**
     * Opens the log.
     *
     * <p>slf4j-simple writes a level before each message, but only the word for WARN is configurable. JSON objects are therefore all logged
     * as warnings, and that word is set to {@code "level":}, the name of each object's second member.
     */
    static Log open(Log.Level lowest, boolean json) {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC")); // slf4j-simple writes local time
        if (json) {
            System.setProperty(SETTING + "dateTimeFormat", "'{\"time\":\"'yyyy-MM-dd'T'HH:mm:ss.SSS'Z\",'");
            System.setProperty(SETTING + "warnLevelString", "\"level\":");
        }
        Logger logger = LoggerFactory.getLogger("stet");
        ProgramFile program = ProgramFile.ofThisProcess();
        Log log = new Log(new Log.Output() {
            @Override
            public void write(Log.Level level, String message) {
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
        }, Clock.systemUTC(), json, lowest);
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) ->
                log.error("work-failed", failure, "thread", thread.getName()));
        JdkLoggers.writeTo(log);
        return log;
    }
}
