package stet.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import stet.model.Steps.Step;

/**
 * Compares random steps over HTTP with {@link Model}. {@code -Dstet.steps=50000 -Dstet.seed=7} sets the number of steps and the seed. A
 * failure prints the shortest failing list of steps that was found, for {@code -Dstet.replay=...}.
 */
@Tag("slow")
class ModelTest {
    private static final int STEPS = 2_000;

    /** @param at number of steps before the failing one */
    private record Failure(int at, Throwable cause, Collection<String> trace) {
    }

    @Test
    void theServiceBehavesLikeTheModel() {
        String replay = System.getProperty("stet.replay");
        long seed = Long.getLong("stet.seed", 1);
        List<Step> steps = replay == null ? anySteps(seed) : Stream.of(replay.split(" ")).map(Step::of).toList();
        Failure failure = run(steps);
        if (failure != null) {
            throw replay == null ? shrunk(seed, steps, failure) : report("The replay fails", failure);
        }
    }

    private static List<Step> anySteps(long seed) {
        Random random = new Random(seed);
        return Stream.generate(() -> Step.any(random)).limit(Integer.getInteger("stet.steps", STEPS)).toList();
    }

    /** Looks for a shorter failing list. @return its failure */
    private static AssertionError shrunk(long seed, List<Step> steps, Failure failure) {
        String sentence = "Seed " + seed + " fails at step " + (failure.at + 1) + " of " + steps.size() + ": " + failure.cause.getMessage();
        System.err.println(sentence);
        List<Step> shortest = shortest(steps.subList(0, Math.min(failure.at + 1, steps.size())));
        Failure again = run(shortest);
        String words = String.join(" ", shortest.stream().map(Step::toString).toList());
        return report(sentence + "\n" + shortest.size() + " steps fail as well: -Dstet.replay=\"" + words + "\"", again == null ? failure : again);
    }

    private static AssertionError report(String what, Failure failure) {
        return new AssertionError(what + "\n  " + String.join("\n  ", failure.trace) + "\n" + failure.cause.getMessage(), failure.cause);
    }

    /** @return null if all steps match the model */
    private static Failure run(List<Step> steps) {
        try (World world = new World()) {
            int done = 0;
            try {
                for (; done < steps.size(); done++) {
                    steps.get(done).run(world);
                }
                world.random = new Random(done);
                world.model.accounts.values().forEach(world::look);
                return null;
            } catch (AssertionError | RuntimeException failure) {
                return new Failure(done, failure, world.trace);
            }
        }
    }

    /** Shrinks a failing list for at most a minute: finds a short failing tail, then leaves out steps, halves first. */
    private static List<Step> shortest(List<Step> steps) {
        long end = System.nanoTime() + 60_000_000_000L;
        List<Step> failing = steps;
        for (int last = 8; last < steps.size(); last *= 2) {
            List<Step> part = steps.subList(steps.size() - last, steps.size());
            if (run(part) != null) {
                failing = part;
                break;
            }
        }
        for (int part = Math.max(1, failing.size() / 2); ; ) {
            boolean shorter = false;
            for (int from = 0; from < failing.size() && System.nanoTime() < end; ) {
                List<Step> rest = new ArrayList<>(failing.subList(0, from));
                rest.addAll(failing.subList(Math.min(failing.size(), from + part), failing.size()));
                Failure failure = rest.isEmpty() ? null : run(rest);
                if (failure != null) {
                    failing = rest.subList(0, Math.min(failure.at + 1, rest.size()));
                    shorter = true;
                } else {
                    from += part;
                }
            }
            if (part == 1 && !shorter || System.nanoTime() > end) {
                return failing;
            }
            part = Math.max(1, part / 2);
        }
    }
}
