package stet.dao;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import stet.base.Refusal;
import stet.core.Actor;
import stet.core.User;
import stet.core.Validation;

/** Users. {@link MemberDao} has the accounts to which they belong. */
public final class UserDao {
    private final Sql sql;
    private final Dao dao;

    UserDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /**
     * Adds a user.
     *
     * @param password the password, hashed by {@link stet.core.Password}; null for a user who does not sign in with a password
     * @throws Refusal if the email address is invalid, or if a user already has it
     */
    public User add(String email, String password, Instant now) {
        if (find(Validation.email(email)).isPresent()) {
            throw new Refusal("email", "A user " + email + " already exists; choose another email address");
        }
        sql.update("""
                insert into users (email, password, created_at)
                values (?, ?, ?)
                """, email, password, now);
        return find(email).orElseThrow();
    }

    public Optional<User> find(String email) {
        return sql.first(User.class, """
                select * from users
                where email = ? and deleted_at is null
                """, email);
    }

    public Optional<User> find(long user) {
        return sql.first(User.class, """
                select * from users
                where id = ? and deleted_at is null
                """, user);
    }

    /** The time at which a user, who may have been deleted since, was added. @throws java.util.NoSuchElementException if the row is gone */
    public Instant createdAt(long user) {
        return sql.first(Instant.class, "select created_at from users where id = ?", user).orElseThrow();
    }

    /** All users with their accounts, sorted by email address. Uses only two statements, because there may be many users. */
    public Map<User, List<MemberDao.Membership>> all() {
        Map<Long, List<MemberDao.Membership>> memberships = new HashMap<>();
        sql.list("""
                select a.*, m.user_id, m.role
                from members m join accounts a on a.id = m.account_id
                where a.deleted_at is null
                order by a.name
                """, row -> memberships.computeIfAbsent(row.number("user_id"), any -> new ArrayList<>()).add(MemberDao.membership(row)));
        Map<User, List<MemberDao.Membership>> all = new LinkedHashMap<>();
        sql.list(User.class, """
                select * from users
                where deleted_at is null
                order by email
                """).forEach(user -> all.put(user, memberships.getOrDefault(user.id(), List.of())));
        return all;
    }

    public List<String> emails() {
        return sql.list(String.class, "select email from users where deleted_at is null order by email");
    }

    /** The password hash made by {@link stet.core.Password}; empty for a user without a password. */
    public Optional<String> password(long user) {
        return sql.first(String.class, """
                select coalesce(password, '') as password from users
                where id = ?
                """, user).filter(hash -> !hash.isEmpty());
    }

    /**
     * Changes a user's password. Ends the user's sessions and deletes the links that could change the password or address.
     *
     * @param password the password, hashed by {@link stet.core.Password}; null removes it
     */
    public void changePassword(long user, String password) {
        set(user, "password", password);
        dao.sessions().deleteAll(user);
        dao.links().deleteForUser(user);
    }

    private void set(long user, String column, Object value) {
        sql.update("""
                update users
                set %s = ?
                where id = ?
                """.formatted(column), value, user);
    }

    /** Changes the name. Does not check whether it is free ({@link #checkName}). @throws Refusal if it is invalid */
    public void changeName(long user, String name) {
        set(user, "name", Validation.userName(name));
    }

    /** @throws Refusal unless {@link #isNameFree} */
    public void checkName(long user, String name) {
        if (!isNameFree(user, name)) {
            throw new Refusal("name", "\"" + Validation.trimmed(name) + "\" could be mistaken for someone else in the activity log and history;"
                    + " choose another name");
        }
    }

    /**
     * Whether the name is empty or {@linkplain Validation#likeness looks like} neither that of another author ({@code command line},
     * {@code Stet}, {@code unknown}) nor the name or email address of another member of the user's accounts.
     */
    public boolean isNameFree(long user, String name) {
        String given = Validation.likeness(name);
        return given.isEmpty() || Stream.concat(Stream.of(Actor.COMMAND_LINE.name(), Actor.STET.name(), Actor.UNKNOWN),
                others(user).stream().flatMap(other -> Stream.of(other.name(), other.email()))).map(Validation::likeness).noneMatch(given::equals);
    }

    /** The other members of a user's accounts. */
    private List<User> others(long user) {
        return sql.list(User.class, """
                select * from users
                where id <> ?1 and id in (
                  select o.user_id
                  from members m join members o on o.account_id = m.account_id
                  where m.user_id = ?1)
                """, user);
    }

    /**
     * Changes the address, which is then unconfirmed unless only its case differs, and deletes the reset link that the user requested.
     *
     * @throws Refusal if the address is invalid, or if another user has it
     */
    public void changeEmail(long user, String email) {
        if (find(Validation.email(email)).filter(other -> other.id() != user).isPresent()) {
            throw emailTaken();
        }
        sql.update("""
                update users
                set email = ?2, confirmed = confirmed and email = ?2
                where id = ?1
                """, user, email);
        dao.links().deleteRequestedReset(user); // because it was sent to the old address
    }

    /** Whether the user has shown that the present email address is theirs; Stet sends emails to no other address. */
    public boolean isConfirmed(long user) {
        return sql.exists("select 1 from users where id = ? and confirmed = 1 and deleted_at is null", user);
    }

    /** Records that the present email address is the user's, because a link in an email to it was opened or a trusted proxy names it. */
    public void confirm(long user) {
        set(user, "confirmed", 1);
    }

    /** The refusal of an email address that another user has. */
    public static Refusal emailTaken() {
        return new Refusal("email", "Another user already has this email address; use another address");
    }

    /** Makes a user an administrator or not; {@link AccountDao#setAdministrator} also records this and revokes links. */
    public void setAdministrator(long user, boolean isAdministrator) {
        set(user, "administrator", isAdministrator);
    }

    /**
     * Deletes a user, or removes the password, if the user has no accounts and is not an administrator. A deleted user's email address can
     * be reused immediately; the row is kept at least until the last session ends, so that open pages can explain what happened.
     *
     * @param isKept whether to only remove the password; a proxy that adds unknown users would otherwise add a deleted user again
     */
    public void deleteWithoutAccount(long user, boolean isKept, Instant now) {
        boolean isWithoutAccount = sql.exists("""
                select 1 from users
                where id = ?1 and administrator = 0 and not exists (select 1 from members where user_id = ?1)
                """, user);
        if (isWithoutAccount && isKept) {
            changePassword(user, null);
        } else if (isWithoutAccount) {
            sql.update("""
                    update users
                    set deleted_at = ?, password = null
                    where id = ?
                    """, now, user);
            dao.links().deleteForUser(user);
            removeDeleted();
        }
    }

    /** Removes the rows of deleted users who have no sessions left. */
    public void removeDeleted() {
        sql.update("""
                delete from users
                where deleted_at is not null and not exists (select 1 from sessions where user_id = users.id)
                """);
    }
}
