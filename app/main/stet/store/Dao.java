package stet.store;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import stet.core.Account;
import stet.core.Activity.Kind;
import stet.core.Actor;
import stet.core.Draft;
import stet.core.Person;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Role;
import stet.core.ServedTemplate;
import stet.core.Template;
import stet.core.TemplateSummary;
import stet.core.Validation;
import stet.markup.DraftText;

/**
 * Accounts and templates, and the way to the other tables, on one connection. Methods that change rows belong into a transaction
 * of {@link Db}. Every statement on rows of an account has that account's id in its {@code where}.
 */
public final class Dao {
    private final Sql sql;
    private final Actor actor;

    Dao(Sql sql) {
        this(sql, Actor.NONE);
    }

    private Dao(Sql sql, Actor actor) {
        this.sql = sql;
        this.actor = actor;
    }

    /** The same for the changes of somebody. */
    public Dao as(Actor author) {
        return new Dao(sql, author);
    }

    Sql sql() {
        return sql;
    }

    public ActivityDao activity() {
        return new ActivityDao(sql, actor);
    }

    public BlockDao blocks() {
        return new BlockDao(sql, actor);
    }

    public InstallationDao installation() {
        return new InstallationDao(sql, this);
    }

    public KeyDao keys() {
        return new KeyDao(sql, actor);
    }

    public LinkDao links() {
        return new LinkDao(sql, actor);
    }

    public PersonDao people() {
        return new PersonDao(sql);
    }

    public DeskDao desk() {
        return new DeskDao(sql, actor);
    }

    public RequestLogDao requestLog() {
        return new RequestLogDao(sql);
    }

    public SecondFactorDao secondFactors() {
        return new SecondFactorDao(sql);
    }

    public SessionDao sessions() {
        return new SessionDao(sql);
    }

    public Usage usage() {
        return new Usage(sql);
    }

    public VersionDao versions() {
        return new VersionDao(sql, actor);
    }

    GarbageDao garbage() {
        return new GarbageDao(sql);
    }

    // ---- accounts

    /**
     * Adds an account that is named after its owner, who is added where there is no such person yet.
     *
     * @param password of a new person, as {@link stet.core.Password} hashes it; null: they do not sign in by one
     * @throws Refusal when there is an account of this name
     */
    public Account addAccount(String email, Plan plan, Instant createdAt, Instant billingAnchor, String password) {
        if (named(Validation.email(email)).isPresent()) {
            throw new Refusal("email", "There is an account for " + email + " already");
        }
        Account added = addNamed(email, plan, createdAt, billingAnchor);
        activity().add(added.id(), Kind.ACCOUNT_ADDED, email, plan.word(), createdAt);
        Person owner = people().find(email).orElseGet(() -> people().add(email, password, createdAt));
        people().setRole(added.id(), owner.id(), Role.OWNER, createdAt);
        return added;
    }

    Account addNamed(String name, Plan plan, Instant createdAt, Instant billingAnchor) {
        sql.update("""
                insert into accounts (name, plan, created_at, billing_anchor)
                values (?, ?, ?, ?)
                """, name, plan.word(), createdAt, plan == Plan.PRO ? billingAnchor : null);
        return named(name).orElseThrow();
    }

    /**
     * Finds an account by its name, or else by the e-mail address of its first owner.
     *
     * @throws Refusal when this person is the first owner of several, or is that of another account, and no owner of the one with
     *                 this name
     */
    public Optional<Account> account(String nameOrEmail) {
        Optional<Account> named = named(nameOrEmail);
        if (named.isPresent() && people().owners(named.get().id()).stream().anyMatch(nameOrEmail::equalsIgnoreCase)) {
            return named;
        }
        List<Account> owned = people().ownedFirst(nameOrEmail);
        String names = owned.stream().map(Account::name).collect(Collectors.joining(", "));
        if (named.isPresent() && !owned.isEmpty()) {
            throw new Refusal(nameOrEmail + " is the name of an account of " + String.join(", ", people().owners(named.get().id()))
                    + ", and the first owner of " + names + ": name the one by its owner's address, or the other by its name");
        }
        if (owned.size() > 1) {
            throw new Refusal(nameOrEmail + " is the first owner of several accounts: name one of " + names);
        }
        return named.or(() -> owned.stream().findFirst());
    }

    Optional<Account> named(String name) {
        return sql.first("""
                select * from accounts
                where name = ?
                """, Dao::account, name);
    }

    public boolean hasAccounts() {
        return sql.exists("select 1 from accounts where name is not null");
    }

    public long countAccounts() {
        return sql.number("select count(*) from accounts where name is not null");
    }

    public List<Account> accounts() {
        return sql.list("""
                select * from accounts
                where name is not null
                order by name
                """, Dao::account);
    }

    /**
     * Moves an account to another plan (api.md, Quota). Entering Pro begins a new, unused period; an account on Pro keeps its
     * period.
     *
     * @param given billing anchor, or null for the one it has, or for now
     */
    public void changePlan(Account account, Plan plan, Instant given, Instant now) {
        boolean entersPro = plan == Plan.PRO && account.plan() != Plan.PRO;
        changePlan(account.id(), plan, given != null ? given : entersPro ? now : null);
        if (plan != account.plan() || given != null) {
            activity().add(account.id(), Kind.PLAN_CHANGED, plan.word(), "", now);
        }
        if (entersPro) {
            usage().forget(account.id(), Plan.PRO, named(account.name()).orElseThrow().period(now).start());
        }
    }

    /** Moves an account to another plan, and to another billing anchor where one is given. */
    public void changePlan(long account, Plan plan, Instant billingAnchor) {
        sql.update("""
                update accounts
                set plan = ?, billing_anchor = coalesce(?, billing_anchor)
                where id = ?
                """, plan.word(), billingAnchor, account);
    }

    /** Sets an account's own limits, and records it where they were others; null is the plan's limit. */
    public void changeLimits(Account account, Long requests, Long keys, Instant now) {
        changeLimits(account.id(), requests, keys);
        if (!Objects.equals(requests, account.requestLimit()) || !Objects.equals(keys, account.keyLimit())) {
            activity().add(account.id(), Kind.PLAN_CHANGED, "", "limits: " + (requests == null ? "the plan's" : requests)
                    + " requests, " + (keys == null ? "the plan's" : keys) + " keys", now);
        }
    }

    /** Sets an account's own limits; null is the plan's limit. */
    public void changeLimits(long account, Long requests, Long keys) {
        sql.update("""
                update accounts
                set request_limit = ?, key_limit = ?
                where id = ?
                """, requests, keys, account);
    }

    /** Makes an account unreachable; {@link Db#sweep} removes it with all it has. */
    public void deleteAccount(long account) {
        sql.update("delete from api_keys where account_id = ?", account);
        links().deleteAll(account);
        people().deleteWith(account);
        sql.update("""
                update accounts
                set name = null
                where id = ?
                """, account);
        incrementContentRevision(account);
    }

    /** A template without its text, for an import. Every change of the template changes revision, published or updatedAt. */
    public record Head(String name, byte[] sha256, long revision, int published, Instant updatedAt) {
        public boolean isUnchanged(Head other) {
            return other != null && revision == other.revision && published == other.published
                    && updatedAt.equals(other.updatedAt);
        }
    }

    /** All of an account's templates, by id. */
    public Map<String, Head> heads(long account) {
        Map<String, Head> heads = new HashMap<>();
        sql.list("""
                select id, name, sha256, revision, coalesce(published, 0) as published, updated_at from templates
                where account_id = ?
                """, row -> heads.put(row.text("id"), new Head(row.text("name"), row.bytes("sha256"), row.number("revision"),
                row.integer("published"), row.instant("updated_at"))), account);
        return heads;
    }

    /** @throws Refusal when the account has as many templates as its export, and so an import, may have */
    public void checkRoom(long account) {
        long templates = sql.number("""
                select count(*) from templates
                where account_id = ?
                """, account);
        if (templates >= Validation.TEMPLATES) {
            throw new Refusal("This account has " + templates + " templates, the most is " + Validation.TEMPLATES);
        }
    }

    /** Sample values for the preview, by variable. */
    public Map<String, String> samples(long account, String id) {
        return samples(row(account, id));
    }

    /** Number of a template in other tables; 0 where there is none. */
    long row(long account, String id) {
        return sql.number("""
                select row from templates
                where account_id = ? and id = ?
                """, account, id);
    }

    /** Whether the draft's html is these bytes. */
    public boolean isHtml(long account, String id, byte[] html) {
        return sql.exists("""
                select 1
                from templates t join texts x on x.id = t.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ? and x.html = ?
                """, account, id, html);
    }

    /** Grows with each change of an account's templates, drafts, versions and blocks; 0 for no account. */
    public long contentRevision(long account) {
        return sql.number("""
                select content_revision from accounts
                where id = ? and name is not null
                """, account);
    }

    void incrementContentRevision(long account) {
        sql.update("""
                update accounts
                set content_revision = content_revision + 1
                where id = ?
                """, account);
    }

    static Account account(Sql.Row row) throws SQLException {
        return new Account(row.number("id"), row.text("name"), Plan.of(row.text("plan")), row.instant("created_at"),
                row.optionalInstant("billing_anchor"), row.optionalNumber("request_limit"), row.optionalNumber("key_limit"),
                row.optionalNumber("suspended_at") != null);
    }

    // ---- templates

    /**
     * The served version; nothing for an unknown template and for one that was never published.
     *
     * @throws StoreException when its html has rotted
     */
    public Optional<ServedTemplate> published(long account, String id) {
        return sql.first("""
                select t.id, t.name, t.updated_at, v.number, v.sha256, v.subject, x.html, v.variables
                from templates t
                join versions v on v.template = t.row and v.number = t.published
                join texts x on x.id = v.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ?
                """, row -> {
            byte[] html = row.bytes("html");
            Digest.checkVersion(sql, account, id, row.integer("number"), html, row.bytes("sha256"));
            return new ServedTemplate(row.text("id"), row.text("name"), row.text("subject"), html,
                    lines(row.text("variables")), row.instant("updated_at"));
        }, account, id);
    }

    /** Length of the served html in bytes; 0 where none is served. */
    public long publishedBytes(long account, String id) {
        return sql.number("""
                select length(x.html)
                from templates t
                join versions v on v.template = t.row and v.number = t.published
                join texts x on x.id = v.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ?
                """, account, id);
    }

    /** Reads the tables of an answer, for nobody. */
    boolean probe() {
        return keys().access(new byte[0]).isPresent() || published(0, "").isPresent() || hasTemplate(0, "");
    }

    public boolean hasTemplate(long account, String id) {
        return sql.exists("""
                select 1 from templates
                where account_id = ? and id = ?
                """, account, id);
    }

    /** Name of an account that has a template of this id: for the test double, where no account is private. */
    public Optional<String> ownerOfTemplate(String id) {
        return sql.first("""
                select a.name
                from templates t join accounts a on a.id = t.account_id
                where t.id = ? and a.name is not null
                limit 1
                """, row -> row.text("name"), id);
    }

    public List<TemplateSummary> templates(long account) {
        return sql.list("""
                select t.id, t.name, t.updated_at, t.published, t.sha256 = v.draft_sha256 as same
                from templates t left join versions v on v.template = t.row and v.number = t.published
                where t.account_id = ?
                order by t.id
                """, row -> new TemplateSummary(row.text("id"), row.text("name"), state(row), row.instant("updated_at")),
                account);
    }

    /** @throws java.util.NoSuchElementException when there is no such template */
    public TemplateSummary.State state(long account, String id) {
        return sql.first("""
                select t.published, t.sha256 = v.draft_sha256 as same
                from templates t left join versions v on v.template = t.row and v.number = t.published
                where t.account_id = ? and t.id = ?
                """, Dao::state, account, id).orElseThrow();
    }

    private static TemplateSummary.State state(Sql.Row row) throws SQLException {
        return row.optionalInteger("published") == null ? TemplateSummary.State.NEVER_PUBLISHED
                : row.number("same") == 1 ? TemplateSummary.State.PUBLISHED : TemplateSummary.State.CHANGED;
    }

    public Optional<Template> template(long account, String id) {
        return sql.first("""
                select t.row, t.id, t.name, t.created_at, t.updated_at, t.published, t.revision, t.subject, x.html
                from templates t join texts x on x.id = t.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ?
                """, row -> new Template(row.text("id"), row.text("name"), row.text("subject"), row.bytes("html"),
                samples(row.number("row")), row.instant("created_at"), row.instant("updated_at"),
                row.optionalInteger("published"), row.number("revision")), account, id);
    }

    /**
     * A template whose draft is the one that was saved.
     *
     * @throws java.util.NoSuchElementException when there is no such template
     * @throws StoreException                   when the draft has rotted
     */
    public Template intactTemplate(long account, String id) {
        Template template = template(account, id).orElseThrow();
        checkDraft(account, template);
        return template;
    }

    /** @throws StoreException when the draft of a template that was just read has rotted */
    public void checkDraft(long account, Template template) {
        boolean same = sql.exists("""
                select 1 from templates
                where account_id = ? and id = ? and sha256 = ?
                """, account, template.id(), Digest.ofDraft(template.subject(), template.html()));
        if (!same) {
            throw Digest.damaged(sql, account, "the draft of the template " + template.id());
        }
    }

    /** The revision of a draft, without reading its text. */
    public Optional<Long> revision(long account, String id) {
        return sql.first("""
                select revision from templates
                where account_id = ? and id = ?
                """, row -> row.number("revision"), account, id);
    }

    private Map<String, String> samples(long template) {
        Map<String, String> samples = new TreeMap<>();
        sql.list("""
                select variable, value from samples
                where template = ?
                """, row -> samples.put(row.text("variable"), row.text("value")), template);
        return samples;
    }

    private record SavedDraft(long row, String name, byte[] sha256, String subject, long text) {
    }

    /** Creates a template or changes its draft. @return whether anything was different */
    public boolean save(long account, Draft draft, Instant now) {
        return save(account, draft.id(), draft.name(), DraftText.of(draft), draft.samples(), now);
    }

    /**
     * Does the same with a text that was prepared before the transaction. Saving samples alone does not move {@code updatedAt}.
     *
     * @param name    or null to keep it
     * @param samples or null to keep them
     */
    public boolean save(long account, String id, String name, DraftText text, Map<String, String> samples, Instant now) {
        SavedDraft before = sql.first("""
                select row, name, sha256, subject, text from templates
                where account_id = ? and id = ?
                """, row -> new SavedDraft(row.number("row"), row.text("name"), row.bytes("sha256"), row.text("subject"),
                row.number("text")), account, id).orElse(null);
        boolean sameName = before != null && (name == null || name.equals(before.name));
        boolean sameText = before != null && Arrays.equals(text.sha256(), before.sha256) && text.subject().equals(before.subject);
        boolean sameSamples = before != null && (samples == null || samples.equals(samples(before.row)));
        if (sameName && sameText && sameSamples) {
            return false;
        }
        boolean sameHtml = sameText || before != null && isHtml(account, id, text.html());
        sql.update("""
                insert into templates (
                  account_id, id, name, created_at, updated_at, revision, sha256, subject, text, saved_at, saved_by)
                values (?1, ?2, ?3, ?4, ?4, (select deleted_revision + 1 from accounts where id = ?1), ?5, ?6, ?7, ?4, ?9)
                on conflict (account_id, id) do update
                set name = ?3, updated_at = iif(?8, updated_at, ?4), revision = revision + 1, sha256 = ?5, subject = ?6, text = ?7,
                  saved_at = ?4, saved_by = ?9
                """, account, id, sameName ? before.name : name, now, text.sha256(), text.subject(),
                sameHtml ? before.text
                        : versions().draftText(account, id, text.sha256(), text.html())
                                .orElseGet(() -> addText(account, text.html())),
                sameName && sameText, actor.name());
        if (!sameHtml) {
            blocks().saveIncludes(account, "template", id, text.blocks());
        }
        if (!sameHtml && before != null) {
            garbage().add(before.text);
        }
        if (!sameSamples) {
            saveSamples(row(account, id), samples);
        }
        incrementContentRevision(account);
        if (before == null) {
            activity().add(account, Kind.TEMPLATE_CREATED, id, name, now);
        } else {
            activity().addCounted(account, Kind.DRAFT_SAVED, id, 1, "save", now);
        }
        return true;
    }

    private void saveSamples(long template, Map<String, String> samples) {
        sql.update("delete from samples where template = ?", template);
        samples.forEach((variable, value) -> sql.update("""
                insert into samples (template, variable, value)
                values (?, ?, ?)
                """, template, variable, value));
    }

    /** Changes the name, which is live (api.md, The template). @return whether there is such a template */
    public boolean rename(long account, String id, String name, Instant now) {
        boolean changed = sql.update("""
                update templates
                set name = ?3, updated_at = ?4
                where account_id = ?1 and id = ?2 and name <> ?3
                """, account, id, Validation.name(name), now) > 0;
        if (changed) {
            incrementContentRevision(account);
            activity().add(account, Kind.TEMPLATE_RENAMED, id, name, now);
        }
        return changed || hasTemplate(account, id);
    }

    /** Makes a template unreachable; {@link Db#sweep} removes it with its versions. @return whether there was such a template */
    public boolean deleteTemplate(long account, String id, Instant now) {
        sql.update("""
                delete from includes
                where account_id = ? and kind = 'template' and includer = ?
                """, account, id);
        sql.update("""
                update accounts
                set deleted_revision = max(deleted_revision, coalesce(
                  (select revision from templates where account_id = ?1 and id = ?2), 0))
                where id = ?1
                """, account, id);
        incrementContentRevision(account);
        boolean deleted = sql.update("""
                update templates
                set account_id = null
                where account_id = ? and id = ?
                """, account, id) > 0;
        if (deleted) {
            activity().add(account, Kind.TEMPLATE_DELETED, id, "", now);
        }
        return deleted;
    }

    /** Publishes a draft without errors. @return the number of the new version */
    public int publish(long account, String id, String note, Instant now) {
        return versions().publish(account, id, versions().prepare(account, id, false), note, now);
    }

    // ---- texts

    /** Adds a text, which is never changed. @return its id */
    long addText(long account, byte[] html) {
        sql.update("""
                insert into texts (account_id, html)
                values (?, ?)
                """, account, html);
        return sql.number("select last_insert_rowid()");
    }

    static String text(byte[] html) {
        return new String(html, StandardCharsets.UTF_8);
    }

    static List<String> lines(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split("\n"));
    }
}
