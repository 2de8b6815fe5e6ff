package stet.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import stet.Running;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Response;

/** The room for large bodies that are being sent. */
class LargeAnswersTest {
    private static final int PATIENCE = 20_000;

    private final AtomicInteger looks = new AtomicInteger();
    private final LargeAnswers answers = new LargeAnswers(3 * LargeAnswers.LARGE, looks::incrementAndGet);

    private static byte[] body(int times) {
        return new byte[times * LargeAnswers.LARGE];
    }

    @Test
    void aBodyThatGoesToManyClientsIsCountedOnce() {
        byte[] shared = body(3);
        assertTrue(answers.enter(shared, 0));
        assertTrue(answers.enter(shared, 0));
        assertFalse(answers.enter(body(1), 0));
        answers.leave(shared);
        assertFalse(answers.enter(body(1), 0));
        answers.leave(shared);
        assertTrue(answers.enter(body(1), 0));
    }

    @Test
    void oneBodyAloneAlwaysHasRoom() {
        byte[] huge = body(9);
        assertTrue(answers.enter(huge, 0));
        assertFalse(answers.enter(body(1), 0));
        assertEquals(1, looks.get(), "clients that stall were looked for");
        answers.leave(huge);
    }

    @Test
    void theNextOneWaitsForRoom() throws Exception {
        byte[] first = body(3);
        assertTrue(answers.enter(first, 0));
        CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(() -> answers.enter(body(2), PATIENCE));
        assertTrue(Running.comes(() -> looks.get() > 0));
        assertFalse(second.isDone());
        answers.leave(first);
        assertTrue(second.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    @Test
    void whatIsSentGivesItsRoomBackWhateverComesOfIt() {
        Response sending = answers.sending(Answer.of(200, Answer.HTML, body(3)));
        assertFalse(answers.enter(body(1), 0));
        try {
            sending.to(answer -> {
                throw new IllegalStateException("the client has gone");
            });
        } catch (IllegalStateException gone) {
            assertTrue(answers.enter(body(1), 0));
        }
        assertSame(Failure.NOT_FOUND.answer(), answers.sending(Failure.NOT_FOUND.answer()));
    }
}
