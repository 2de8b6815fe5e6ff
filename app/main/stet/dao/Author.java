package stet.dao;

import java.util.function.Consumer;
import java.util.function.Function;
import stet.core.Actor;

/**
 * The author of a unit of work, and the author's permission to do it. Each transaction checks the permission again, because it may
 * have been revoked while the request was arriving or queued.
 *
 * @param right throws if the author no longer has the permission
 */
public record Author(Actor actor, Consumer<Dao> right) {
    /** An author whose permission cannot be revoked, such as the user of a command. */
    public static Author of(Actor actor) {
        return new Author(actor, dao -> { });
    }

    /** Checks the permission, then does the work as this author. */
    public <T> Function<Dao, T> checked(Function<Dao, T> work) {
        return dao -> {
            right.accept(dao);
            return work.apply(dao.as(actor));
        };
    }
}
