package stet.web;

import java.time.Clock;
import java.util.random.RandomGenerator;
import stet.core.Password;
import stet.http.Failure;

/** Passwords that are to be compared or hashed: one at a time on a thread of low priority, known browsers first. */
final class PasswordQueue {
    /** Passwords that may wait: at 0.3 s each, all have their turn before the queue's timeout. */
    static final int MAX_WAITING = 16;

    private final WorkQueue queue = new WorkQueue("passwords", Thread.MIN_PRIORITY, MAX_WAITING);
    private final Clock clock;
    private final RandomGenerator random;

    PasswordQueue(Clock clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    /** Whether a password is right. @throws Failure.Thrown when there were too many attempts, or too many passwords wait */
    boolean matches(SignInAttempts.Attempt attempt, String password, String hash) {
        long wait = attempt.arrive(clock.instant());
        if (wait > 0) {
            throw Failure.TOO_MANY_TRIES.thrown(wait);
        }
        boolean matches = queue.run(attempt.rank(), () -> {
            if (!attempt.begin(clock.instant())) {
                throw Failure.TOO_MANY_TRIES.thrown();
            }
            return Password.matches(password, hash);
        }).orElseThrow(() -> {
            attempt.cancel();
            return Failure.TOO_MANY_TRIES.thrown();
        });
        if (matches) {
            attempt.giveBack();
        }
        return matches;
    }

    /** Hashes a new password. @throws Failure.Thrown when too many passwords wait */
    String hash(double rank, String password, String email) {
        return queue.run(rank, () -> Password.hash(password, email, random)).orElseThrow(Failure.TOO_MANY_TRIES::thrown);
    }
}
