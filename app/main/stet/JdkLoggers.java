package stet;

import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.slf4j.LoggerFactory;
import stet.core.Log;

/**
 * Writes warnings of the JDK, such as those of its HTTP server, to the log. The JDK finds this class as a service. Without it, the
 * first log call of the HTTP server would load java.util.logging, an eighth of a start's CPU time.
 */
public final class JdkLoggers extends System.LoggerFinder {
    /** Null until the program opens its log. */
    private volatile Log log;

    /** Sets the log for all JDK warnings from now on. */
    static void writeTo(Log log) {
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
        public void log(Level level, ResourceBundle bundle, String message, Throwable failure) {
            if (!isLoggable(level)) {
                return;
            }
            String text = bundle != null && message != null && bundle.containsKey(message) ? bundle.getString(message) : message;
            if (log == null) {
                LoggerFactory.getLogger(name).warn(text, failure);
            } else if (failure != null) {
                log.error("library", failure, "name", name, "message", text);
            } else {
                log.warn("library", "name", name, "message", text);
            }
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... values) {
            if (isLoggable(level)) {
                boolean isPattern = values != null && values.length > 0 && format != null;
                log(level, bundle, isPattern ? MessageFormat.format(format, values) : format, (Throwable) null);
            }
        }
    }
}
