package stet.dao;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Activity.ActivityKind;
import stet.core.Colour;
import stet.core.LimitChange;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Storage;
import stet.core.Validation;

/** Finds and changes accounts, and lists them for administrators. */
public final class AccountDao {
    /** Columns for the number of users and the {@link Storage} of {@code accounts a}. */
    private static final String SIZES = """
            (select count(*) from members where account_id = a.id) as users,
            (select bytes from storage where account_id = a.id) as bytes,
            coalesce(a.storage_limit, (select bytes from storage_default)) as "limit\"""";

    private final Sql sql;
    private final Dao dao;

    AccountDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /**
     * Adds an account named after its owner's email address. Also adds the owner as a user if necessary.
     *
     * @param billingAnchor start of the first period on the plan Pro; ignored on other plans
     * @param password a new user's password, hashed by {@link stet.core.Password}; null for a user who does not sign in with a
     *                 password
     * @throws Refusal if the email address is invalid or the name of an existing account, or if the user belongs to too many accounts
     */
    public Account add(String email, Plan plan, Instant createdAt, Instant billingAnchor, String password) {
        if (named(Validation.email(email)).isPresent()) {
            throw new Refusal("email", "An account for " + email + " already exists");
        }
        return withOwner(insert(email, plan, createdAt, billingAnchor), email, password, createdAt);
    }

    private Account insert(String name, Plan plan, Instant createdAt, Instant billingAnchor) {
        sql.update("""
                insert into accounts (name, plan, created_at, billing_anchor)
                values (?, ?, ?, ?)
                """, name, plan, createdAt, plan == Plan.PRO ? billingAnchor : null);
        Account added = named(name).orElseThrow();
        dao.activity().add(added.id(), ActivityKind.ACCOUNT_ADDED, name, plan.word(), createdAt);
        return added;
    }

    private Account withOwner(Account account, String email, String password, Instant now) {
        User owner = dao.users().find(email).orElseGet(() -> dao.users().add(email, password, now));
        dao.members().setRole(account.id(), owner.id(), Role.OWNER, now);
        return account;
    }

    /**
     * Adds an account without members.
     *
     * @param given the name; whitespace around it is removed
     * @throws Refusal if it is invalid, is taken or contains @
     */
    public Account addEmpty(String given, Plan plan, Instant now) {
        String name = Validation.accountName(given);
        checkName(name, null);
        return insert(name, plan, now, now);
    }

    /**
     * Adds an account with an owner, who is also added as a user if necessary.
     *
     * @param password as for {@link #add}
     * @throws Refusal as for {@link #addEmpty}, or if the email address is invalid, or if the user belongs to too many accounts
     */
    public Account addWithOwner(String name, String email, String password, Plan plan, Instant now) {
        return withOwner(addEmpty(name, plan, now), email, password, now);
    }

    /**
     * Finds an account by its name or by its first owner's email address. An account named after one of its owners takes
     * precedence over other accounts of this owner.
     *
     * @throws Refusal if the match is ambiguous: several accounts have this first owner, or one account has this name and another
     *                 has this first owner
     */
    public Optional<Account> find(String nameOrEmail) {
        Optional<Account> named = named(nameOrEmail);
        List<String> owners = named.map(account -> dao.members().owners(account.id())).orElse(List.of());
        if (owners.stream().anyMatch(nameOrEmail::equalsIgnoreCase)) {
            return named;
        }
        List<Account> owned = dao.members().ownedFirst(nameOrEmail);
        String names = owned.stream().map(Account::name).collect(Collectors.joining(", "));
        if (named.isPresent() && !owned.isEmpty()) {
            throw new Refusal(nameOrEmail + " is both the name of an account and the email address of the owner of " + names
                    + "; for the account with that name, use " + String.join(", ", owners) + "; for the owner's account, use " + names);
        }
        if (owned.size() > 1) {
            throw new Refusal(nameOrEmail + " owns several accounts; use one of their names: " + names);
        }
        return named.or(() -> owned.stream().findFirst());
    }

    public Optional<Account> named(String name) {
        return sql.first("""
                select * from accounts
                where name = ? and deleted_at is null
                """, AccountDao::account, name);
    }

    public boolean any() {
        return sql.exists("select 1 from accounts where deleted_at is null");
    }

    public long count() {
        return sql.number("select count(*) from accounts where deleted_at is null");
    }

    /** @param owner email address of the first owner, or null */
    public record AccountLine(Account account, String owner, long users, Storage storage) {
    }

    /** Lists all accounts by name. Uses only one statement, because there may be many accounts. */
    public List<AccountLine> lines() {
        return sql.list("""
                select a.*, %s, (
                  select p.email
                  from members m join users p on p.id = m.user_id
                  where m.account_id = a.id and m.role = 'owner'
                  order by m.since, p.id
                  limit 1) as owner
                from accounts a
                where a.deleted_at is null
                order by a.name
                """.formatted(SIZES), row -> new AccountLine(account(row), row.text("owner"), row.number("users"), storage(row)));
    }

    private static Storage storage(Row row) throws SQLException {
        return new Storage(row.number("bytes"), row.number("limit"));
    }

    public List<Account> list() {
        return sql.list("""
                select * from accounts
                where deleted_at is null
                order by name
                """, AccountDao::account);
    }

    /**
     * Changes an account's plan (api.md, Quota), and records any change. Switching to Pro starts a new, unused period; an account already on Pro
     * keeps its period unless a new billing anchor is given.
     *
     * @param given new billing anchor; null keeps the current anchor or, on a switch to Pro, sets it to now
     */
    public void changePlan(Account account, Plan plan, Instant given, Instant now) {
        boolean entersPro = plan == Plan.PRO && account.plan() != Plan.PRO;
        Instant anchor = given == null && entersPro ? now : given;
        sql.update("""
                update accounts
                set plan = ?, billing_anchor = coalesce(?, billing_anchor)
                where id = ?
                """, plan, anchor, account.id());
        if (plan != account.plan() || given != null) {
            dao.activity().add(account.id(), ActivityKind.PLAN_CHANGED, plan.word(), "", now);
        }
        if (entersPro) {
            dao.usage().forget(account.id(), Plan.PRO, named(account.name()).orElseThrow().period(now).start());
        }
    }

    /** Sets an account's limits and records any change. A null limit means the plan's limit. */
    public void changeLimits(Account account, Long requests, Long keys, Instant now) {
        setLimits(account.id(), requests, keys);
        LimitChange.OfPlan limits = new LimitChange.OfPlan(requests, keys);
        if (!limits.equals(new LimitChange.OfPlan(account.requestLimit(), account.keyLimit()))) {
            dao.activity().addLimits(account.id(), limits, now);
        }
    }

    /** Sets an account's limits without recording the change. A null limit means the plan's limit. */
    public void setLimits(long account, Long requests, Long keys) {
        sql.update("""
                update accounts
                set request_limit = ?, key_limit = ?
                where id = ?
                """, requests, keys, account);
    }

    /**
     * Deletes an account's keys, deploy tokens, links and memberships, and some of its users ({@link MemberDao#deleteAll}). Hides the account;
     * garbage collection removes the rest of its data. Unlike {@link #delete(Account, Instant)}, records nothing.
     */
    public void delete(long account, Instant now) {
        sql.update("delete from secrets where account_id = ?", account);
        dao.links().deleteAll(account);
        dao.members().deleteAll(account);
        sql.update("""
                update accounts
                set deleted_at = ?
                where id = ?
                """, now, account);
        incrementContentRevision(account);
    }

    /**
     * An account in the administrators' list.
     *
     * @param storage       the number of bytes stored and the limit
     * @param images        the bytes of its image files, which are part of its storage, and the limit
     * @param ownImages     overrides the default limit of image files; null for the default
     * @param lastRequestAt time of the last counted request with one of the current keys, or null
     */
    public record AccountSummary(Account account, long users, long templates, Storage storage, Storage images, Long ownImages,
                                 Instant lastRequestAt) {
    }

    /**
     * Lists accounts by name.
     *
     * @param part part of the name or of an owner's email address; empty for all
     * @param limit maximum number of accounts
     */
    public List<AccountSummary> summaries(String part, int limit) {
        return sql.list("""
                select a.*, %s,
                  (select count(*) from templates where account_id = a.id and deleted_at is null) as templates,
                  (select coalesce(sum(bytes), 0) from images where account_id = a.id) as image_bytes,
                  coalesce(a.image_limit, (select bytes from image_settings)) as images,
                  (select max(u.last_at) from secrets s join secret_uses u on u.secret_id = s.id
                    where s.account_id = a.id and s.role is null) as last_at
                from accounts a
                where a.deleted_at is null and (instr(lower(a.name), lower(?1)) > 0 or exists (
                  select 1 from members m join users p on p.id = m.user_id
                  where m.account_id = a.id and m.role = 'owner' and instr(lower(p.email), lower(?1)) > 0))
                order by a.name
                limit ?2
                """.formatted(SIZES), row -> new AccountSummary(account(row), row.number("users"), row.number("templates"), storage(row),
                new Storage(row.number("image_bytes"), row.number("images")), row.optionalNumber("image_limit"),
                row.optionalInstant("last_at")), part, limit);
    }

    public Optional<Account> find(long id) {
        return sql.first("""
                select * from accounts
                where id = ? and deleted_at is null
                """, AccountDao::account, id);
    }

    /**
     * Invites an owner to an account that has no owner. Revokes earlier invitations of an owner.
     *
     * @param note see {@link LinkDao#invite}
     * @return the link's ID
     * @throws Refusal if the account has an owner, or as for {@link LinkDao#invite}
     */
    public long inviteOwner(Account account, String note, Instant now, String secret) {
        if (dao.members().list(account.id()).stream().anyMatch(member -> member.role() == Role.OWNER)) {
            throw new Refusal("Account " + account.name() + " already has an owner; ask the owner for an invitation");
        }
        dao.links().invitations(account.id(), now).stream().filter(link -> link.role() == Role.OWNER)
                .forEach(link -> dao.links().revoke(link, now));
        long link = dao.links().invite(account.id(), Role.OWNER, note, "email", now, secret);
        dao.activity().add(account.id(), ActivityKind.USER_INVITED, note, Role.OWNER.word(), now);
        return link;
    }

    /**
     * Renames an account. Does nothing if it already has this name.
     *
     * @param given the new name; whitespace around it is removed
     * @throws Refusal if the name is invalid or taken, or if it contains @ but is neither an owner's email address nor the current name
     */
    public void rename(Account account, String given, Instant now) {
        String name = Validation.accountName(given);
        checkName(name, account);
        int changed = sql.update("""
                update accounts
                set name = ?1
                where id = ?2 and name <> ?1 collate binary
                """, name, account.id());
        if (changed > 0) {
            dao.activity().add(account.id(), ActivityKind.ACCOUNT_RENAMED, name, account.name(), now);
        }
    }

    /** Sets the label and records any change. @param label may be empty @param colour may be null @throws Refusal if the label is invalid */
    public void setLabel(Account account, String label, Colour colour, Instant now) {
        sql.update("""
                update accounts
                set label = ?, colour = ?
                where id = ?
                """, Validation.label(label), colour, account.id());
        if (!label.equals(account.label()) || colour != account.colour()) {
            dao.activity().add(account.id(), ActivityKind.ACCOUNT_LABELLED, label, colour == null ? "" : colour.word(), now);
        }
    }

    /**
     * Rejects a name that is taken, or that contains @ but is neither an owner's email address nor the current name. A
     * command that takes a name or an owner's email address could otherwise confuse the account with another user's account.
     *
     * @param account the account being renamed, or null for a new account
     */
    private void checkName(String name, Account account) {
        boolean isOwners = account != null && dao.members().owners(account.id()).stream().anyMatch(name::equalsIgnoreCase);
        boolean isKept = account != null && name.equalsIgnoreCase(account.name());
        if (name.contains("@") && !isOwners && !isKept) {
            throw new Refusal("name", "A name with @ must be the owner's email address; choose another name");
        }
        if (named(name).filter(other -> account == null || other.id() != account.id()).isPresent()) {
            throw new Refusal("name", "An account named " + name + " already exists; choose another name");
        }
    }

    /** Deletes an account with its data, and records the deletion in the installation's activity. */
    public void delete(Account account, Instant now) {
        delete(account.id(), now);
        dao.activity().add(null, ActivityKind.ACCOUNT_DELETED, account.name(), "", now);
    }

    /** Makes a user an administrator, or ends the right and revokes the invitations that only an administrator could make. */
    public void setAdministrator(User user, boolean isAdministrator, Instant now) {
        if (user.isAdministrator() != isAdministrator) {
            dao.users().setAdministrator(user.id(), isAdministrator);
            if (!isAdministrator) {
                dao.links().revokeElsewhere(user.id(), now);
            }
            dao.activity().add(null, isAdministrator ? ActivityKind.ADMINISTRATOR_ADDED : ActivityKind.ADMINISTRATOR_REMOVED, user.email(), "",
                    now);
        }
    }

    /** Suspends or resumes an account. No member, guest or deploy token can use a suspended account, and its keys get 403. */
    public void setSuspended(Account account, boolean isSuspended, Instant now) {
        if (account.isSuspended() != isSuspended) {
            sql.update("""
                    update accounts
                    set suspended_at = ?
                    where id = ?
                    """, isSuspended ? now : null, account.id());
            dao.activity().add(account.id(), isSuspended ? ActivityKind.ACCOUNT_SUSPENDED : ActivityKind.ACCOUNT_RESUMED, "", "", now);
        }
    }

    /**
     * A number that increases with every change to the account's templates, drafts, live versions or blocks; 0 for an unknown account.
     */
    public long contentRevision(long account) {
        return sql.number("""
                select content_revision from accounts
                where id = ? and deleted_at is null
                """, account);
    }

    public void incrementContentRevision(long account) {
        sql.update("""
                update accounts
                set content_revision = content_revision + 1
                where id = ?
                """, account);
    }

    /** Reads a row with all columns of {@code accounts}. */
    static Account account(Row row) throws SQLException {
        return new Account(row.number("id"), row.text("name"), row.text("label"), row.constant(Colour.class, "colour"), Plan.of(row.text("plan")),
                row.instant("created_at"), row.optionalInstant("billing_anchor"), row.optionalNumber("request_limit"),
                row.optionalNumber("key_limit"), row.optionalNumber("storage_limit"), row.optionalNumber("suspended_at") != null);
    }
}
