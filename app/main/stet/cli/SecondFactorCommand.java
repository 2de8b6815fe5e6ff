package stet.cli;

import java.io.PrintStream;
import java.time.Clock;
import stet.core.Activity;
import stet.core.Actor;
import stet.core.Person;
import stet.core.Refusal;
import stet.core.Suggestion;
import stet.store.Db;

/** Takes a second factor away from a person who has lost it. */
final class SecondFactorCommand {
    private final Config config;
    private final PrintStream err;
    private final Clock clock;

    SecondFactorCommand(Config config, PrintStream err, Clock clock) {
        this.config = config;
        this.err = err;
        this.clock = clock;
    }

    void run() {
        String email = config.operands().get(0);
        if (!config.has(Option.OFF)) {
            throw new Refusal("This takes the second factor of " + email + " away; " + Option.OFF.word() + " does it");
        }
        try (Db db = Db.open(config.data(), false)) {
            db.writeUncached(dao -> {
                Person person = dao.people().find(email).orElseThrow(() ->
                        Lookup.unknown("person", email, Suggestion.nearest(email, dao.people().emails(), 2)));
                if (!dao.secondFactors().remove(person.id())) {
                    throw new Refusal(person.email() + " has no second factor");
                }
                dao.as(Actor.COMMAND_LINE).activity().addToAll(person, Activity.Kind.SECOND_FACTOR_CHANGED, "off", clock.instant());
            });
        }
        err.println(email + " signs in by the password alone now");
    }
}
