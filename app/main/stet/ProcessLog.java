package stet;

import java.time.Clock;
import java.util.Map;
import java.util.TimeZone;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import stet.core.Log;

/** The log of a process: through slf4j-simple to stderr, with failures that nobody handles and warnings of the JDK. */
final class ProcessLog {
    private static final String SETTING = "org.slf4j.simpleLogger.";

    private ProcessLog() {
    }

    /**
     * Sets what slf4j-simple reads when it is first used, unless a -D does: main calls this before anything else. The driver's
     * own lines would repeat our errors, and no other library writes any.
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
     * <p>slf4j-simple writes a level in front of each message, and only the word for WARN can be replaced. So each JSON object is
     * logged as a warning, whose word is the name of the object's second member.
     */
    static Log open(Log.Level lowest, boolean json) {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC")); // slf4j-simple writes local times
        if (json) {
            System.setProperty(SETTING + "dateTimeFormat", "'{\"time\":\"'yyyy-MM-dd'T'HH:mm:ss.SSS'Z\",'");
            System.setProperty(SETTING + "warnLevelString", "\"level\":");
        }
        Logger logger = LoggerFactory.getLogger("stet");
        Log log = new Log(json ? (level, message) -> logger.warn("\"" + level + "\"," + message)
                : (level, message) -> logger.atLevel(org.slf4j.event.Level.valueOf(level.name())).log(message), Clock.systemUTC(), json, lowest);
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) ->
                log.error("work-failed", failure, "thread", thread.getName()));
        if (System.getProperty("java.util.logging.config.file") == null) {
            for (Handler printer : java.util.logging.Logger.getLogger("").getHandlers()) {
                printer.setFilter(logged -> log(logged, log));
            }
        }
        return log;
    }

    /** Logs a warning of java.util.logging. @return false: nothing is left to print */
    static boolean log(LogRecord logged, Log log) {
        if (logged.getThrown() != null) {
            log.error("library", logged.getThrown(), "name", logged.getLoggerName(), "message", logged.getMessage());
        } else if (logged.getLevel().intValue() >= Level.WARNING.intValue()) {
            log.warn("library", "name", logged.getLoggerName(), "message", logged.getMessage());
        }
        return false;
    }
}
