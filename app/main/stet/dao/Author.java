package stet.dao;

import java.util.function.Consumer;
import java.util.function.Function;
import stet.core.Actor;

/**
 * The author of a unit of work, and the author's permission to do it. Each transaction checks the permission and reads the author's name
 * again, because they may have changed while the request was arriving or queued.
 *
 * @param actor the author when the request began
 * @param right returns the author as of the transaction; throws if the author no longer has the permission
 */
public record Author(Actor actor, Function<Dao, Actor> right) {
    /** An author whose permission cannot be revoked, such as the user of a command. */
    public static Author of(Actor actor) {
        return new Author(actor, dao -> actor);
    }

    /** Checks the permission, then does the work as this author. */
    public <T> Function<Dao, T> checked(Function<Dao, T> work) {
        return dao -> work.apply(dao.as(right.apply(dao)));
    }

    /** Like {@link #checked}, for work without a result. */
    public Consumer<Dao> checkedChange(Consumer<Dao> work) {
        return dao -> work.accept(dao.as(right.apply(dao)));
    }
}
