package stet.http;

import java.util.function.Consumer;

/** What a request is answered with, at once or later. Only the handler sends it. */
public sealed interface Response permits Answer, Failure, DeferredResponse {

    /** Hands the answer to whoever sends it, once, on any thread. */
    void to(Consumer<Answer> sender);
}
