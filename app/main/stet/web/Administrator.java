package stet.web;

import java.util.Optional;
import java.util.function.Function;
import stet.core.Actor;
import stet.core.Log;
import stet.dao.Author;
import stet.dao.Dao;
import stet.sqlite.Backups;
import stet.sqlite.Db;

/** A person who manages the installation, for one request: the only way of its route to the database, which checks that each time. */
public final class Administrator {
    private final Db db;
    private final Author author;

    Administrator(Db db, Author author) {
        this.db = db;
        this.author = author;
    }

    Actor actor() {
        return author.actor();
    }

    <T> T read(Function<Dao, T> questions) {
        return db.read(author.checked(questions));
    }

    /** Makes a change of any account. */
    <T> T write(Function<Dao, T> work) {
        return db.write(author.checked(work));
    }

    Db.Sizes sizes() {
        return db.sizes();
    }

    /** The server's own backups, where it makes any. */
    Optional<Backups> backups() {
        return db.backups();
    }

    /** Why the database fails, while it does. */
    Optional<String> failing() {
        return db.health().failing();
    }

    Log log() {
        return db.log();
    }
}
