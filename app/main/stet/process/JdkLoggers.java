package stet.process;

import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.slf4j.LoggerFactory;
import stet.base.Log;

/**
 * Writes JDK warnings and errors, such as those of the HTTP server, to the log. The JDK loads this class through ServiceLoader. Without
 * this class, the HTTP server's first log call would load java.util.logging, which takes 30 ms of CPU time at each start.
 */
public final class JdkLoggers extends System.LoggerFinder {
    /** Null until the program opens its log. */
    private volatile Log log;

    /** Sends all subsequent JDK warnings to the given log. */
    public static void writeTo(Log log) {
        if (System.LoggerFinder.getLoggerFinder() instanceof JdkLoggers loggers) {
            loggers.log = log;
        }
    }

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new JdkLogger(name);
    }

    private final class JdkLogger implements System.Logger {
        private final String name;

        private JdkLogger(String name) {
            this.name = name;
        }

        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return level != Level.OFF && level.compareTo(Level.WARNING) >= 0;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String key, Throwable failure) {
            if (!isLoggable(level)) {
                return;
            }
            String message = text(bundle, key);
            if (log == null) {
                LoggerFactory.getLogger(name).warn(message, failure);
            } else if (failure != null) {
                log.error("library", failure, "name", name, "message", message);
            } else {
                log.warn("library", "name", name, "message", message);
            }
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... values) {
            if (isLoggable(level)) {
                log(level, null, formatted(text(bundle, format), values), (Throwable) null);
            }
        }

        private static String text(ResourceBundle bundle, String key) {
            return bundle != null && key != null && bundle.containsKey(key) ? bundle.getString(key) : key;
        }

        /** A message with its values; as written if it is no valid pattern. */
        private static String formatted(String format, Object... values) {
            try {
                return values == null || values.length == 0 || format == null ? format : MessageFormat.format(format, values);
            } catch (IllegalArgumentException notAPattern) {
                return format;
            }
        }
    }
}
