package stet.cli;

import java.io.IOException;

/** A server that cannot be reached, or whose response is late, incomplete or not Stet's. The message is a complete sentence. */
public final class ServerFailure extends IOException {
    private static final long serialVersionUID = 1;

    ServerFailure(String message) {
        super(message);
    }
}
