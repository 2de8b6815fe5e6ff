package stet.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.core.Account;
import stet.core.Activity.Kind;
import stet.core.Person;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Role;
import stet.core.Validation;

/** The accounts of an installation as its operator sees them: their sizes and states, but none of their texts. */
public final class InstallationDao {
    private final Sql sql;
    private final Dao dao;

    InstallationDao(Sql sql, Dao dao) {
        this.sql = sql;
        this.dao = dao;
    }

    /**
     * An account in the list.
     *
     * @param bytes         of the html of its drafts, blocks and versions
     * @param lastRequestAt last counted request with one of its keys, or null
     */
    public record AccountSummary(Account account, long people, long templates, long bytes, Instant lastRequestAt) {
    }

    /** Accounts by name. @param part of the name or of an owner's e-mail address; empty for all @param limit number of them */
    public List<AccountSummary> accounts(String part, int limit) {
        return sql.list("""
                select a.*,
                  (select count(*) from members where account_id = a.id) as people,
                  (select count(*) from templates where account_id = a.id) as templates,
                  (select coalesce(sum(length(html)), 0) from texts where account_id = a.id) as bytes,
                  (select max(u.last_at) from api_keys k join key_uses u on u.key_id = k.id where k.account_id = a.id) as last_at
                from accounts a
                where a.name is not null and (instr(lower(a.name), lower(?1)) > 0 or exists (
                  select 1 from members m join people p on p.id = m.person_id
                  where m.account_id = a.id and m.role = 'owner' and instr(lower(p.email), lower(?1)) > 0))
                order by a.name
                limit ?2
                """, row -> new AccountSummary(Dao.account(row), row.number("people"), row.number("templates"), row.number("bytes"),
                row.optionalInstant("last_at")), part, limit);
    }

    public Optional<Account> account(long id) {
        return sql.first("""
                select * from accounts
                where id = ? and name is not null
                """, Dao::account, id);
    }

    /** Adds an account without people. @throws Refusal when there is one of this name */
    public Account add(String name, Plan plan, Instant now) {
        checkName(Validation.name(name), null);
        Account added = dao.addNamed(name, plan, now, now);
        dao.activity().add(added.id(), Kind.ACCOUNT_ADDED, name, plan.word(), now);
        return added;
    }

    /** Adds an account with an owner, who is added where there is no such person yet. @param password hashed, of a new person */
    public Account addWithOwner(String name, String email, String password, Plan plan, Instant now) {
        Account added = add(name, plan, now);
        Person owner = dao.people().find(email).orElseGet(() -> dao.people().add(email, password, now));
        dao.people().setRole(added.id(), owner.id(), Role.OWNER, now);
        return added;
    }

    /**
     * Invites an owner to an account without one, in place of those who were invited before.
     *
     * @throws Refusal when the account has an owner, who invites others
     */
    public void inviteOwner(Account account, Instant now, String secret) {
        if (dao.people().members(account.id()).stream().anyMatch(member -> member.role() == Role.OWNER)) {
            throw new Refusal("The account " + account.name() + " has an owner, who invites others");
        }
        dao.links().invitations(account.id(), now).stream().filter(link -> link.role() == Role.OWNER)
                .forEach(link -> dao.links().withdraw(account.id(), link.id(), now));
        dao.links().invite(account.id(), Role.OWNER, "", now, secret);
        dao.activity().add(account.id(), Kind.INVITED, "", Role.OWNER.word(), now);
    }

    /** Gives an account another name. @throws Refusal when another account has it, or it is the e-mail address of no owner */
    public void rename(Account account, String name, Instant now) {
        checkName(Validation.name(name), account);
        sql.update("""
                update accounts
                set name = ?
                where id = ?
                """, name, account.id());
        dao.activity().add(account.id(), Kind.ACCOUNT_RENAMED, name, account.name(), now);
    }

    /**
     * Refuses the e-mail address of somebody else: a command would take this account for theirs.
     *
     * @param account to be renamed, or null for a new one
     */
    private void checkName(String name, Account account) {
        boolean isOwners = account != null && dao.people().owners(account.id()).stream().anyMatch(name::equalsIgnoreCase);
        boolean isKept = account != null && name.equalsIgnoreCase(account.name());
        if (name.contains("@") && !isOwners && !isKept) {
            throw new Refusal("name", "A name with @ is for an account of that owner: choose another name");
        }
        if (dao.named(name).filter(other -> account == null || other.id() != account.id()).isPresent()) {
            throw new Refusal("name", "There is an account " + name + " already");
        }
    }

    /** Deletes an account with all that it has. The deletion is a row of the installation's activity. */
    public void delete(Account account, Instant now) {
        dao.deleteAccount(account.id());
        dao.activity().add(null, Kind.ACCOUNT_DELETED, account.name(), "", now);
    }

    /** Lets a person look after the installation, or no longer. */
    public void setOperator(Person person, boolean isOperator, Instant now) {
        if (person.isOperator() != isOperator) {
            dao.people().setOperator(person.id(), isOperator);
            dao.activity().add(null, isOperator ? Kind.OPERATOR_ADDED : Kind.OPERATOR_REMOVED, person.email(), "", now);
        }
    }

    /** Closes an account for a time, or opens it again: nobody works in it, and its keys are answered with 403. */
    public void suspend(Account account, boolean isSuspended, Instant now) {
        if (account.isSuspended() != isSuspended) {
            sql.update("""
                    update accounts
                    set suspended_at = ?
                    where id = ?
                    """, isSuspended ? now : null, account.id());
            dao.activity().add(account.id(), isSuspended ? Kind.ACCOUNT_SUSPENDED : Kind.ACCOUNT_RESUMED, "", "", now);
        }
    }
}
