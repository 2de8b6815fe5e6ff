package stet.access;

import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import stet.base.Log;
import stet.core.Account;
import stet.core.Owner;
import stet.core.User;
import stet.core.Role;
import stet.dao.Author;
import stet.dao.Dao;
import stet.files.AccountFiles;
import stet.files.Import;
import stet.files.ImportOptions;
import stet.sqlite.Db;

/**
 * A user or deploy token in an account, for one request. Account routes access the database only through this class, which
 * rechecks the role on each access.
 */
public final class Member {
    private final Db db;
    private final Author author;
    private final Owner owner;
    private final User user;
    private final Account account;
    private final Role role;

    /** @param user the user, or null for a deploy token */
    public Member(Db db, Author author, Owner owner, User user, Account account, Role role) {
        this.db = db;
        this.owner = owner;
        this.author = author;
        this.user = user;
        this.account = account;
        this.role = role;
    }

    /** The user; null for a deploy token. */
    public User user() {
        return user;
    }

    /** For whom memory, files and places are held. */
    public Owner owner() {
        return owner;
    }

    public Account account() {
        return account;
    }

    /** The role when the request began. A deploy token's role never changes, but a user's role may: see {@link #isOwner}. */
    public Role role() {
        return role;
    }

    /** Whether the member is a user who is an owner, as of this transaction. */
    public boolean isOwner(Dao dao) {
        return user != null && dao.members().role(account.id(), user.id()).filter(Role.OWNER::equals).isPresent();
    }

    /** IDs of the users for whom this user may make password-reset links as an owner, as of this transaction. */
    public Set<Long> resettable(Dao dao) {
        return dao.members().resettable(account.id()).stream().filter(each -> each != user.id()).collect(Collectors.toSet());
    }

    /** @throws stet.http.Failure.Thrown if the user or token no longer has the required access */
    public void check(Dao dao) {
        author.right().apply(dao);
    }

    /** Reads from one consistent snapshot. */
    public <T> T read(Function<Dao, T> questions) {
        return db.read(author.checked(questions));
    }

    /** Changes the account in one transaction. */
    public <T> T write(Function<Dao, T> work) {
        return db.write(account, author.checked(withinStorage(work)));
    }

    /** Changes the account in one transaction, without a result. */
    public void change(Consumer<Dao> work) {
        write(dao -> {
            work.accept(dao);
            return null;
        });
    }

    /**
     * Prepares the change outside the transaction, as {@link Db#write(Account, Function, BiFunction)} does.
     *
     * @param work applies the prepared value; returns empty if the value is stale, which repeats both steps
     */
    public <P, T> T write(Function<Dao, P> preparation, BiFunction<Dao, P, Optional<T>> work) {
        return db.write(account, author.checked(preparation),
                (dao, prepared) -> author.<Optional<T>>checked(withinStorage(own -> work.apply(own, prepared))).apply(dao));
    }

    /** Checks the storage limit as this author, because a writer's is lower than the account's. */
    private <T> Function<Dao, T> withinStorage(Function<Dao, T> work) {
        return own -> own.storage().bounded(account.id(), () -> work.apply(own));
    }

    /** An import into the account, which may take several transactions. */
    public Import importOf(AccountFiles files, ImportOptions options, Clock clock) {
        return new Import(db, account, files, options, author, clock);
    }

    /** Creates a private temporary file; the caller deletes it. */
    public Path temporaryFile() {
        return db.temporaryFile();
    }

    public Log log() {
        return db.log();
    }
}
