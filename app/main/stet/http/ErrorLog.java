package stet.http;

import org.slf4j.LoggerFactory;

/** The log of failures that are Stet's own. */
public final class ErrorLog {
    private ErrorLog() {
    }

    /**
     * Writes one line and the cause, in that line where it has no stack trace; of the request only what is safe to write down.
     * Throws nothing, as the answer must leave all the same.
     *
     * @param request or null, when the failure is of none
     */
    public static void log(Request request, Throwable failure) {
        try {
            boolean told = failure.getStackTrace().length == 0 && failure.getMessage() != null;
            LoggerFactory.getLogger("stet").error(told ? "500 {} {} {}" : "500 {} {}", request == null ? "" : request.method(),
                    request == null ? "" : request.path(), told ? failure.getMessage() : failure);
        } catch (Throwable unwritten) {
            // There is nobody left to tell.
        }
    }
}
