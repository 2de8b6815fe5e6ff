package stet.access;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import stet.core.Owner;
import stet.dao.Author;
import stet.dao.Dao;
import stet.sqlite.Db;

/**
 * An administrator, for one request. Administrator routes access the database only through this class, which rechecks the user's
 * rights in each transaction.
 */
public final class Administrator {
    private final Db db;
    private final Author author;

    Administrator(Db db, Author author) {
        this.db = db;
        this.author = author;
    }

    /** For whom memory, files and places are held. */
    public Owner owner() {
        return Owner.user(0, author.actor().user());
    }

    public <T> T read(Function<Dao, T> questions) {
        return db.read(author.checked(questions));
    }

    /** Changes any account. */
    public <T> T write(Function<Dao, T> work) {
        return db.write(author.checked(work));
    }

    /** Changes any account, without a result. */
    public void change(Consumer<Dao> work) {
        db.change(author.checkedChange(work));
    }

    /** The sizes of the database's files. */
    public Db.Sizes sizes() {
        return db.sizes();
    }

    /** The current database failure, if any. */
    public Optional<String> failing() {
        return db.health().failing();
    }
}
