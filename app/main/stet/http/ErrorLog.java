package stet.http;

import org.slf4j.LoggerFactory;

/** The log of failures that are Stet's own. */
public final class ErrorLog {
    private ErrorLog() {
    }

    /**
     * Writes one line and the cause; of the request only what is safe to write down. Throws nothing, as the answer must
     * leave all the same.
     *
     * @param request or null, when the failure is of none
     */
    public static void log(Request request, Throwable failure) {
        try {
            LoggerFactory.getLogger("stet").error("500 {} {}", request == null ? "" : request.method(),
                    request == null ? "" : request.path(), failure);
        } catch (Throwable unwritten) {
            // There is nobody left to tell.
        }
    }
}
