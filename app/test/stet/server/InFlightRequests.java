package stet.server;

/** The number of requests in progress, for tests in other packages. */
public final class InFlightRequests {
    private InFlightRequests() {
    }

    public static int of(Server server) {
        return server.inFlight();
    }
}
