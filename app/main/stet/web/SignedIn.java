package stet.web;

import java.util.function.Consumer;
import java.util.function.Function;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Log;
import stet.core.Person;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.SessionDao;
import stet.sqlite.Db;

/**
 * A person who is signed in, for one request about themselves: the only way of its route to the database, which checks each time
 * that their session is alive.
 */
public final class SignedIn {
    private final Db db;
    private final Author author;
    private final SessionDao.Session session;

    SignedIn(Db db, Author author, SessionDao.Session session) {
        this.db = db;
        this.author = author;
        this.session = session;
    }

    SessionDao.Session session() {
        return session;
    }

    Person person() {
        return session.person();
    }

    /** In which the person works; null where they do not belong to it, or to any. */
    Account account() {
        return session.account();
    }

    Actor actor() {
        return author.actor();
    }

    <T> T read(Function<Dao, T> questions) {
        return db.read(author.checked(questions));
    }

    /** Changes what the API does not cache: people, their sessions and memberships. */
    void write(Consumer<Dao> work) {
        db.writeUncached(dao -> author.checked(own -> {
            work.accept(own);
            return null;
        }).apply(dao));
    }

    Log log() {
        return db.log();
    }
}
