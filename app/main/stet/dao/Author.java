package stet.dao;

import java.util.function.Consumer;
import java.util.function.Function;
import stet.core.Actor;

/**
 * Who works with the database, and by which right. A right is checked in the transaction of each read and write, as it may have
 * ended since the request came: while its body was held back, or while it waited for its turn.
 *
 * @param right throws when the author may not do it any more
 */
public record Author(Actor actor, Consumer<Dao> right) {
    /** An author whose right does not end: whoever can run a command. */
    public static Author of(Actor actor) {
        return new Author(actor, dao -> { });
    }

    /** The same work as this author's, behind the check of the right. */
    public <T> Function<Dao, T> checked(Function<Dao, T> work) {
        return dao -> {
            right.accept(dao);
            return work.apply(dao.as(actor));
        };
    }
}
