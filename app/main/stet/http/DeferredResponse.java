package stet.http;

import java.util.function.Consumer;

/** A response that waits for something, a commit for instance, without a thread that waits with it. */
public record DeferredResponse(Consumer<Consumer<Answer>> start) implements Response {

    @Override
    public void to(Consumer<Answer> sender) {
        start.accept(sender);
    }
}
