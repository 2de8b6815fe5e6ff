package stet.dao;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Person;
import stet.core.Role;
import stet.core.Validation;

/** Users and their account memberships. */
public final class PersonDao {
    /** Maximum number of members per account. */
    public static final int MAX_MEMBERS = 200;
    /** Maximum number of accounts per user. */
    private static final int MAX_ACCOUNTS = 200;

    private final Sql sql;
    private final Dao dao;

    PersonDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    // ---- users

    /**
     * @param password the password, hashed by {@link stet.core.Password}; null for a user who does not sign in with a password
     * @throws Refusal if the email address is invalid, or if a user already has it
     */
    public Person add(String email, String password, Instant now) {
        if (find(Validation.email(email)).isPresent()) {
            throw new Refusal("email", "A user " + email + " already exists; choose another email address");
        }
        sql.update("""
                insert into people (email, password, created_at)
                values (?, ?, ?)
                """, email, password, now);
        return find(email).orElseThrow();
    }

    public Optional<Person> find(String email) {
        return sql.first(Person.class, """
                select * from people
                where email = ? and deleted_at is null
                """, email);
    }

    public Optional<Person> find(long person) {
        return sql.first(Person.class, """
                select * from people
                where id = ? and deleted_at is null
                """, person);
    }

    public Instant addedAt(long person) {
        return sql.first(Instant.class, "select created_at from people where id = ?", person).orElseThrow();
    }

    /** All users with their accounts, sorted by email address. Uses only two statements, because there may be many users. */
    public Map<Person, List<Membership>> all() {
        Map<Long, List<Membership>> memberships = new HashMap<>();
        sql.list("""
                select a.*, m.person_id, m.role
                from members m join accounts a on a.id = m.account_id
                where a.deleted_at is null
                order by a.name
                """, row -> memberships.computeIfAbsent(row.number("person_id"), any -> new ArrayList<>()).add(membership(row)));
        Map<Person, List<Membership>> all = new LinkedHashMap<>();
        sql.list(Person.class, """
                select * from people
                where deleted_at is null
                order by email
                """).forEach(person -> all.put(person, memberships.getOrDefault(person.id(), List.of())));
        return all;
    }

    public List<String> emails() {
        return sql.list(String.class, "select email from people where deleted_at is null order by email");
    }

    /** The password hash made by {@link stet.core.Password}; empty for a user without a password. */
    public Optional<String> password(long person) {
        return sql.first(String.class, """
                select coalesce(password, '') as password from people
                where id = ?
                """, person).filter(hash -> !hash.isEmpty());
    }

    /** Sets the user's password; null removes it. Ends the user's sessions and deletes any open password-reset link. */
    public void changePassword(long person, String password) {
        set(person, "password", password);
        dao.sessions().deleteAll(person);
        dao.links().deleteResets(person);
    }

    private void set(long person, String column, Object value) {
        sql.update("""
                update people
                set %s = ?
                where id = ?
                """.formatted(column), value, person);
    }

    public void changeName(long person, String name) {
        set(person, "name", Validation.personName(name));
    }

    /** @throws Refusal unless {@link #isFree} */
    public void checkName(long person, String name) {
        if (!isFree(person, name)) {
            throw new Refusal("name", "\"" + name.strip() + "\" could be mistaken for someone else in the activity log and history;"
                    + " choose another name");
        }
    }

    /**
     * Whether the name is empty, or is neither that of another author ({@code command line}, {@code Stet}, {@code unknown}) nor the name or
     * email address of another member of the user's accounts.
     */
    public boolean isFree(long person, String name) {
        String given = name.strip();
        if (given.isEmpty()) {
            return true;
        }
        boolean isAuthors = Stream.of(Actor.COMMAND_LINE.name(), Actor.STET.name(), Actor.UNKNOWN).anyMatch(given::equalsIgnoreCase);
        return !isAuthors && others(person).stream()
                .noneMatch(other -> given.equalsIgnoreCase(other.name()) || given.equalsIgnoreCase(other.email()));
    }

    /** The other members of a user's accounts. */
    private List<Person> others(long person) {
        return sql.list(Person.class, """
                select * from people
                where id <> ?1 and id in (
                  select o.person_id
                  from members m join members o on o.account_id = m.account_id
                  where m.person_id = ?1)
                """, person);
    }

    /** @throws Refusal if the address is invalid, or if another user has it */
    public void changeEmail(long person, String email) {
        if (find(Validation.email(email)).filter(other -> other.id() != person).isPresent()) {
            throw isTaken();
        }
        set(person, "email", email);
    }

    public static Refusal isTaken() {
        return new Refusal("email", "Another user already has this email address; use another address");
    }

    public void setAdministrator(long person, boolean isAdministrator) {
        set(person, "administrator", isAdministrator);
    }

    // ---- membership

    public record Membership(Account account, Role role) {
    }

    public record AccountMember(Person person, Role role, Instant since) {
    }

    /**
     * Adds a member to an account, or changes a member's role.
     *
     * @throws Refusal if the account would have no owner, or if the account or the user has reached the membership limit
     */
    public void setRole(long account, long person, Role role, Instant now) {
        Optional<Role> before = role(account, person);
        if (before.isEmpty()) {
            checkRoom(account, person);
        } else if (before.get() == Role.OWNER && role != Role.OWNER) {
            checkAnotherOwner(account, person);
        }
        sql.update("""
                insert into members (account_id, person_id, role, since)
                values (?1, ?2, ?3, ?4)
                on conflict do update
                set role = ?3
                """, account, person, role, now);
    }

    /**
     * The part of an account's limit that the transaction's author may use. Writers may use nine tenths of it, so that they cannot keep editors
     * and owners from working.
     */
    public long room(long account, long limit) {
        return isWriter(account) ? roomOfWriters(limit) : limit;
    }

    /** The end of "Template limit", if the author has used up {@code room}. */
    static String reached(long room, long limit) {
        return room < limit ? "for writers reached (" + room + " of " + limit + ")" : "reached (" + limit + ")";
    }

    static long roomOfWriters(long limit) {
        return limit / 10 * 9;
    }

    /** Whether the transaction's author is a user or deploy token with the writer role. */
    private boolean isWriter(long account) {
        Actor author = dao.author();
        Role role = author.person() == null ? author.role() : role(account, author.person()).orElse(null);
        return role == Role.WRITER;
    }

    private void checkRoom(long account, long person) {
        if (sql.number("select count(*) from members where account_id = ?", account) >= MAX_MEMBERS) {
            throw new Refusal("User limit reached (" + MAX_MEMBERS + "); remove a user first");
        }
        if (sql.number("select count(*) from members where person_id = ?", person) >= MAX_ACCOUNTS) {
            throw new Refusal("This user already belongs to " + MAX_ACCOUNTS + " accounts; remove the user from another account first");
        }
    }

    private void checkAnotherOwner(long account, long person) {
        boolean hasAnother = sql.exists("""
                select 1 from members
                where account_id = ? and person_id <> ? and role = 'owner'
                """, account, person);
        if (!hasAnother) {
            throw new Refusal("role", "This is the account's last owner; make someone else an owner first");
        }
    }

    /** Removes a member. @return whether the user was a member @throws Refusal if the user is the last owner */
    public boolean remove(long account, long person) {
        if (role(account, person).orElse(null) == Role.OWNER) {
            checkAnotherOwner(account, person);
        }
        return sql.update("""
                delete from members
                where account_id = ? and person_id = ?
                """, account, person) > 0;
    }

    /**
     * Deletes a user who has no accounts and is not an administrator. The email address can be reused immediately. The user's row is
     * kept at least until the user's last session ends, so that open pages can explain what happened.
     *
     * @param isKept whether to keep the user without a password; a proxy that adds unknown users would otherwise add the user again
     */
    public void deleteWithoutAccount(long person, boolean isKept, Instant now) {
        boolean isWithoutAccount = sql.exists("""
                select 1 from people
                where id = ?1 and administrator = 0 and not exists (select 1 from members where person_id = ?1)
                """, person);
        if (isWithoutAccount && isKept) {
            changePassword(person, null);
        } else if (isWithoutAccount) {
            sql.update("""
                    update people
                    set deleted_at = ?, password = null
                    where id = ?
                    """, now, person);
            dao.links().deleteResets(person);
            deleteRemoved();
        }
    }

    /** Removes deleted users who have no sessions left. */
    public void deleteRemoved() {
        sql.update("""
                delete from people
                where deleted_at is not null and not exists (select 1 from sessions where person_id = people.id)
                """);
    }

    public Optional<Role> role(long account, long person) {
        return sql.first(Role.class, """
                select role from members
                where account_id = ? and person_id = ?
                """, account, person);
    }

    public List<AccountMember> members(long account) {
        return sql.list(AccountMember.class, """
                select p.*, m.role, m.since
                from members m join people p on p.id = m.person_id
                where m.account_id = ?
                order by m.since, p.id
                """, account);
    }

    public Optional<AccountMember> member(long account, long person) {
        return members(account).stream().filter(member -> member.person().id() == person).findFirst();
    }

    /**
     * Non-administrators who are members of this account only. The account's owners may make password-reset links for these users, except
     * for themselves.
     */
    public Set<Long> resettable(long account) {
        return Set.copyOf(sql.list(Long.class, """
                select p.id
                from members m join people p on p.id = m.person_id
                where m.account_id = ?1 and p.administrator = 0
                  and not exists (select 1 from members where person_id = p.id and account_id <> ?1)
                """, account));
    }

    public List<Membership> memberships(long person) {
        return sql.list("""
                select a.*, m.role
                from members m join accounts a on a.id = m.account_id
                where m.person_id = ? and a.deleted_at is null
                order by a.name
                """, PersonDao::membership, person);
    }

    private static Membership membership(Row row) throws SQLException {
        return new Membership(AccountDao.account(row), Role.of(row.text("role")));
    }

    /** Email addresses of an account's owners, first owner first. */
    List<String> owners(long account) {
        return sql.list(String.class, """
                select p.email
                from members m join people p on p.id = m.person_id
                where m.account_id = ? and m.role = 'owner'
                order by m.since, p.id
                """, account);
    }

    /** Accounts whose first owner has this email address, by name. */
    List<Account> ownedFirst(String email) {
        return sql.list("""
                select a.*
                from people p
                join members m on m.person_id = p.id and m.role = 'owner'
                join accounts a on a.id = m.account_id
                where p.email = ? and p.deleted_at is null and a.deleted_at is null and not exists (
                  select 1 from members o
                  where o.account_id = a.id and o.role = 'owner' and (o.since, o.person_id) < (m.since, m.person_id))
                order by a.name
                """, AccountDao::account, email);
    }

    /**
     * Removes an account's members. Deletes those who have no other account and are not administrators, but keeps users without a
     * password, because their row may record that an owner removed them ({@link #deleteWithoutAccount}). Without this row, a proxy that
     * adds unknown users would add the user again.
     */
    void deleteWith(long account) {
        sql.update("""
                delete from people
                where administrator = 0 and password is not null and id in (select person_id from members where account_id = ?1)
                  and not exists (select 1 from members where person_id = people.id and account_id <> ?1)
                """, account);
        sql.update("""
                delete from members
                where account_id = ?
                """, account);
    }
}
