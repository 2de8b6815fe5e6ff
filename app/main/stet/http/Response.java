package stet.http;

import java.util.function.Consumer;

/** The response to a request, at once or later. Only the handler sends it. */
public sealed interface Response permits Answer, Failure, DeferredResponse {

    /** Hands the answer to its sender, once, on any thread. */
    void to(Consumer<Answer> sender);

    /** Sends the answer to one request, once, on any thread; throws nothing. */
    interface Sender {
        void send(Answer answer, Part part);
    }

    /** The part of an answer that is sent before its connection is closed; the test double sends less than all of it. */
    enum Part {
        WHOLE,
        /** The head, which promises the whole body, and half of that. */
        HALF,
        NOTHING
    }
}
