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
 * A signed-in user, for one request about the user's own data. User routes access the database only through this class, which
 * rechecks the session on each access.
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

    /** The current account; null if the user is no longer a member or has no account. */
    Account account() {
        return session.account();
    }

    Actor actor() {
        return author.actor();
    }

    <T> T read(Function<Dao, T> questions) {
        return db.read(author.checked(questions));
    }

    /** Changes data that the API does not cache, such as users, sessions and memberships. */
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
