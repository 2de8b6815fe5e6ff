package stet.dao;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Role;
import stet.core.User;

/** The members of accounts, their roles, and the part of an account's limits that a role may use. */
public final class MemberDao {
    /** Maximum number of members per account. */
    private static final int MAX_MEMBERS = 200;
    /** Maximum number of accounts per user. */
    private static final int MAX_ACCOUNTS = 200;

    private final Sql sql;
    private final Dao dao;

    MemberDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    public record Membership(Account account, Role role) {
    }

    public record AccountMember(User user, Role role, Instant since) {
    }

    /**
     * Adds a member to an account, or changes a member's role.
     *
     * @throws Refusal if the account would have no owner, or if the account or the user has reached the membership limit
     */
    public void setRole(long account, long user, Role role, Instant now) {
        Optional<Role> before = role(account, user);
        if (before.isEmpty()) {
            checkRoom(account, user);
        } else if (before.get() == Role.OWNER && role != Role.OWNER) {
            checkAnotherOwner(account, user);
        }
        sql.update("""
                insert into members (account_id, user_id, role, since)
                values (?1, ?2, ?3, ?4)
                on conflict do update
                set role = ?3
                """, account, user, role, now);
    }

    /**
     * The part of an account's limit that the transaction's author may use. Writers may use only nine tenths of it, so that they cannot keep
     * editors and owners from working.
     */
    public long room(long account, long limit) {
        return isWriter(account) ? roomOfWriters(limit) : limit;
    }

    /** The rest of a sentence that begins with "Template limit", if the author has used up {@code room}. */
    static String reachedText(long room, long limit) {
        return room < limit ? "for writers reached (" + room + " of " + limit + ")" : "reached (" + limit + ")";
    }

    /** The part of an account's limit that writers may use. */
    static long roomOfWriters(long limit) {
        return limit / 10 * 9;
    }

    /** Whether the transaction's author is a user or deploy token with the writer role. */
    private boolean isWriter(long account) {
        Actor author = dao.author();
        Role role = author.user() == null ? author.role() : role(account, author.user()).orElse(null);
        return role == Role.WRITER;
    }

    private void checkRoom(long account, long user) {
        if (sql.number("select count(*) from members where account_id = ?", account) >= MAX_MEMBERS) {
            throw new Refusal("User limit reached (" + MAX_MEMBERS + "); remove a user first");
        }
        if (sql.number("select count(*) from members where user_id = ?", user) >= MAX_ACCOUNTS) {
            throw new Refusal("This user already belongs to " + MAX_ACCOUNTS + " accounts; remove the user from another account first");
        }
    }

    private void checkAnotherOwner(long account, long user) {
        boolean hasAnother = sql.exists("""
                select 1 from members
                where account_id = ? and user_id <> ? and role = 'owner'
                """, account, user);
        if (!hasAnother) {
            throw new Refusal("role", "This is the account's last owner; make someone else an owner first");
        }
    }

    /** Removes a member. @return whether the user was a member @throws Refusal if the user is the last owner */
    public boolean remove(long account, long user) {
        if (role(account, user).orElse(null) == Role.OWNER) {
            checkAnotherOwner(account, user);
        }
        return sql.update("""
                delete from members
                where account_id = ? and user_id = ?
                """, account, user) > 0;
    }

    public Optional<Role> role(long account, long user) {
        return sql.first(Role.class, """
                select role from members
                where account_id = ? and user_id = ?
                """, account, user);
    }

    public List<AccountMember> list(long account) {
        return sql.list(AccountMember.class, """
                select p.*, m.role, m.since
                from members m join users p on p.id = m.user_id
                where m.account_id = ?
                order by m.since, p.id
                """, account);
    }

    public Optional<AccountMember> find(long account, long user) {
        return list(account).stream().filter(member -> member.user().id() == user).findFirst();
    }

    /**
     * Non-administrators who are members of this account only. The account's owners may make password-reset links for these users, except
     * for themselves.
     */
    public Set<Long> resettable(long account) {
        return Set.copyOf(sql.list(Long.class, """
                select p.id
                from members m join users p on p.id = m.user_id
                where m.account_id = ?1 and p.administrator = 0
                  and not exists (select 1 from members where user_id = p.id and account_id <> ?1)
                """, account));
    }

    public List<Membership> memberships(long user) {
        return sql.list("""
                select a.*, m.role
                from members m join accounts a on a.id = m.account_id
                where m.user_id = ? and a.deleted_at is null
                order by a.name
                """, MemberDao::membership, user);
    }

    /** Whether a user cannot sign in because all of the user's accounts are suspended. An administrator can, because administrators resume accounts. */
    public boolean isSuspended(User user) {
        List<Membership> memberships = memberships(user.id());
        return !user.isAdministrator() && !memberships.isEmpty() && memberships.stream().allMatch(each -> each.account().isSuspended());
    }

    static Membership membership(Row row) throws SQLException {
        return new Membership(AccountDao.account(row), Role.of(row.text("role")));
    }

    /** Email addresses of an account's owners, first owner first. */
    List<String> owners(long account) {
        return sql.list(String.class, """
                select p.email
                from members m join users p on p.id = m.user_id
                where m.account_id = ? and m.role = 'owner'
                order by m.since, p.id
                """, account);
    }

    /** Accounts whose first owner has this email address, by name. */
    List<Account> ownedFirst(String email) {
        return sql.list("""
                select a.*
                from users p
                join members m on m.user_id = p.id and m.role = 'owner'
                join accounts a on a.id = m.account_id
                where p.email = ? and p.deleted_at is null and a.deleted_at is null and not exists (
                  select 1 from members o
                  where o.account_id = a.id and o.role = 'owner' and (o.since, o.user_id) < (m.since, m.user_id))
                order by a.name
                """, AccountDao::account, email);
    }

    /**
     * Removes an account's members. Deletes those who have no other account and are not administrators, but keeps users without a
     * password, because their row may record that an owner removed them ({@link UserDao#deleteWithoutAccount}). Without this row, a proxy
     * that adds unknown users would add the user again.
     */
    void deleteAll(long account) {
        sql.update("""
                delete from users
                where administrator = 0 and password is not null and id in (select user_id from members where account_id = ?1)
                  and not exists (select 1 from members where user_id = users.id and account_id <> ?1)
                """, account);
        sql.update("""
                delete from members
                where account_id = ?
                """, account);
    }
}
