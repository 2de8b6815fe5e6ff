package stet.access;

import java.util.function.Consumer;
import java.util.function.Function;
import stet.base.Log;
import stet.core.Account;
import stet.core.Actor;
import stet.core.User;
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
    private final Function<Dao, SessionDao.Session> current;

    SignedIn(Db db, Author author, SessionDao.Session session, Function<Dao, SessionDao.Session> current) {
        this.db = db;
        this.author = author;
        this.session = session;
        this.current = current;
    }

    SessionDao.Session session() {
        return session;
    }

    /** The session as of this transaction, with the user's current name and the account that is selected now. */
    SessionDao.Session session(Dao dao) {
        return current.apply(dao);
    }

    public User user() {
        return session.user();
    }

    /** The current account; null if the user is no longer a member or has no account. */
    public Account account() {
        return session.account();
    }

    public Actor actor() {
        return author.actor();
    }

    public <T> T read(Function<Dao, T> questions) {
        return db.read(author.checked(questions));
    }

    /** Changes data that the API does not cache, such as users, sessions and memberships. */
    public void change(Consumer<Dao> work) {
        db.changeUncached(author.checkedChange(work));
    }

    public Log log() {
        return db.log();
    }
}
