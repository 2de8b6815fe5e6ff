package stet.http;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * The response to a request: an answer, or one that follows later, after a commit for instance, without a thread that waits
 * for it. Only the handler sends it.
 */
public interface Response {

    /** Hands the answer to its sender, once, on any thread. */
    void to(Consumer<Answer> sender);

    /** Sends the answer to one request, once, on any thread; throws nothing. */
    interface Sender {
        void send(Answer answer, Delivery delivery);
    }

    /**
     * The way in which an answer leaves. Only the test double lets one leave other than whole and at once.
     *
     * @param pace of the body, or null: at once
     */
    record Delivery(Part part, Pace pace) {
        public static final Delivery WHOLE = new Delivery(Part.WHOLE, null);
    }

    /** The part of an answer that is sent before its connection is closed. */
    enum Part {
        WHOLE,
        /** The head, which promises the whole body, and half of that. */
        HALF,
        NOTHING,
        /** Nothing either, and the client sees a reset in place of an end. */
        RESET
    }

    /** The pace of a slow body. */
    interface Pace {
        /**
         * Waits until more may be sent.
         *
         * @return bytes that may leave now, at least 1
         * @throws IOException when it has taken too long: the connection is closed
         */
        int next() throws IOException;
    }
}
