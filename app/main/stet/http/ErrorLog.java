package stet.http;

import stet.core.Log;

/** The log of failures that are Stet's own. */
public final class ErrorLog {
    private ErrorLog() {
    }

    /**
     * Writes the failure once a minute; of the request only what is safe to write down. Throws nothing, as the answer must
     * leave all the same.
     *
     * @param request or null, when the failure is of none
     */
    public static void log(Request request, Throwable failure) {
        try {
            if (request == null) {
                Log.error("work-failed", failure);
            } else {
                Log.error("request-failed", failure, "status", 500, "method", request.method(), "path", request.path());
            }
        } catch (Throwable unwritten) {
            // There is nobody left to tell.
        }
    }
}
