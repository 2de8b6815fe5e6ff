package stet.store;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Frozen;
import stet.core.Listed;
import stet.core.Plan;
import stet.core.Publication;
import stet.core.Published;
import stet.core.Publisher;
import stet.core.Refusal;
import stet.core.Rules;
import stet.core.Secret;
import stet.core.Template;
import stet.core.Version;

/**
 * Every question to the database and every change to it, on one connection. A change takes part in the transaction of
 * {@link Db#write}. What belongs to an account is asked for with that account's id, and found with no other.
 */
public final class Dao {
    private final Sql sql;

    Dao(Sql sql) {
        this.sql = sql;
    }

    Sql sql() {
        return sql;
    }

    /** Sessions and what requests were. */
    public Visits visits() {
        return new Visits(sql);
    }

    /** The count of requests. */
    public Usage usage() {
        return new Usage(sql);
    }

    /** The API keys. */
    public Keys keys() {
        return new Keys(sql);
    }

    public SharedBlocks blocks() {
        return new SharedBlocks(sql);
    }

    // ---- accounts

    /**
     * @param password as {@link stet.core.Password} hashes it, or null: nobody signs in to this account
     * @throws Refusal when the e-mail address has an account already
     */
    public Account addAccount(String email, Plan plan, Instant createdAt, Instant billingAnchor, String password) {
        if (account(Rules.email(email)).isPresent()) {
            throw new Refusal("email", "There is an account for " + email + " already");
        }
        sql.update("""
                insert into accounts (email, plan, created_at, billing_anchor, password)
                values (?, ?, ?, ?, ?)
                """, email, plan.word(), createdAt, plan == Plan.PRO ? billingAnchor : null, password);
        return account(email).orElseThrow();
    }

    public Optional<Account> account(String email) {
        return sql.first("""
                select * from accounts
                where email = ?
                """, Dao::account, email);
    }

    public boolean hasAccounts() {
        return sql.number("select exists (select 1 from accounts)") == 1;
    }

    public List<Account> accounts() {
        return sql.list("""
                select * from accounts
                order by email
                """, Dao::account);
    }

    /**
     * Moves an account to another plan. Who enters Pro begins a new period of which nothing is used; who is on Pro
     * keeps the period unless told (spec.md, Limits).
     *
     * @param given the billing anchor, or null: the one it has, or now
     */
    public void changePlan(Account account, Plan plan, Instant given, Instant now) {
        boolean entersPro = plan == Plan.PRO && account.plan() != Plan.PRO;
        changePlan(account.id(), plan, given != null ? given : entersPro ? now : null);
        if (entersPro) {
            usage().forget(account.id(), Plan.PRO, account(account.email()).orElseThrow().period(now).start());
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

    /** Own limits of an account; null is the plan's. */
    public void changeLimits(long account, Long requests, Integer keys) {
        sql.update("""
                update accounts
                set request_limit = ?, key_limit = ?
                where id = ?
                """, requests, keys, account);
    }

    public void changePassword(long account, String password) {
        sql.update("""
                update accounts
                set password = ?
                where id = ?
                """, password, account);
    }

    /** As {@link stet.core.Password} hashed it; nothing for an account that nobody signs in to. */
    public Optional<String> password(long account) {
        return sql.first("""
                select coalesce(password, '') as password from accounts
                where id = ?
                """, row -> row.text("password"), account).filter(hash -> !hash.isEmpty());
    }

    /** With its keys, templates, blocks and counts. */
    public void deleteAccount(long account) {
        usage().addUp();
        sql.update("""
                delete from accounts
                where id = ?
                """, account);
    }

    static Account account(Sql.Row row) throws SQLException {
        return new Account(row.number("id"), row.text("email"), Plan.of(row.text("plan")), row.instant("created_at"),
                row.has("billing_anchor") ? row.instant("billing_anchor") : null,
                row.has("request_limit") ? row.number("request_limit") : null,
                row.has("key_limit") ? (int) row.number("key_limit") : null);
    }

    // ---- templates

    /** What the API serves; nothing for an unknown template and for one never published. */
    public Optional<Published> published(long account, String id) {
        return sql.first("""
                select t.id, t.name, t.updated_at, v.subject, v.html, v.variables
                from templates t join versions v on v.template = t.row and v.number = t.published
                where t.account_id = ? and t.id = ?
                """, row -> new Published(row.text("id"), row.text("name"), row.text("subject"), row.bytes("html"),
                lines(row.text("variables")), row.instant("updated_at")), account, id);
    }

    public boolean hasTemplate(long account, String id) {
        return sql.number("""
                select count(*) from templates
                where account_id = ? and id = ?
                """, account, id) > 0;
    }

    public List<Listed> templates(long account) {
        return sql.list("""
                select t.id, t.name, t.updated_at, t.published, t.sha256 = v.draft_sha256 as same
                from templates t left join versions v on v.template = t.row and v.number = t.published
                where t.account_id = ?
                order by t.id
                """, row -> new Listed(row.text("id"), row.text("name"), state(row), row.instant("updated_at")), account);
    }

    /** @throws java.util.NoSuchElementException when there is no such template */
    public Listed.State state(long account, String id) {
        return sql.first("""
                select t.published, t.sha256 = v.draft_sha256 as same
                from templates t left join versions v on v.template = t.row and v.number = t.published
                where t.account_id = ? and t.id = ?
                """, Dao::state, account, id).orElseThrow();
    }

    private static Listed.State state(Sql.Row row) throws SQLException {
        if (!row.has("published")) {
            return Listed.State.NEVER_PUBLISHED;
        }
        return row.number("same") == 1 ? Listed.State.PUBLISHED : Listed.State.CHANGED;
    }

    public Optional<Template> template(long account, String id) {
        return sql.first("""
                select row, id, name, created_at, updated_at, published, revision, subject, html from templates
                where account_id = ? and id = ?
                """, row -> new Template(row.text("id"), row.text("name"), row.text("subject"), row.bytes("html"),
                samples(row.number("row")), row.instant("created_at"), row.instant("updated_at"),
                row.has("published") ? (int) row.number("published") : null, row.number("revision")), account, id);
    }

    private Map<String, String> samples(long template) {
        Map<String, String> samples = new TreeMap<>();
        sql.list("""
                select variable, value from samples
                where template = ?
                """, row -> samples.put(row.text("variable"), row.text("value")), template);
        return samples;
    }

    /** Makes a template or changes its draft. Whether anything was different. */
    public boolean save(long account, Draft draft, Instant now) {
        Optional<Template> before = template(account, draft.id());
        if (before.isPresent() && before.get().name().equals(draft.name()) && before.get().subject().equals(draft.subject())
                && Arrays.equals(before.get().html(), draft.html()) && before.get().samples().equals(draft.samples())) {
            return false;
        }
        sql.update("""
                insert into templates (account_id, id, name, created_at, updated_at, revision, sha256, subject, html)
                values (?1, ?2, ?3, ?4, ?4, (select deleted_revision + 1 from accounts where id = ?1), ?5, ?6, ?7)
                on conflict (account_id, id) do update
                set name = ?3, updated_at = ?4, revision = revision + 1, sha256 = ?5, subject = ?6, html = ?7
                """, account, draft.id(), draft.name(), now, draft.sha256(), draft.subject(), draft.html());
        long template = row(account, draft.id());
        sql.update("delete from samples where template = ?", template);
        draft.samples().forEach((variable, value) -> sql.update("""
                insert into samples (template, variable, value)
                values (?, ?, ?)
                """, template, variable, value));
        blocks().include(account, "template", draft.id(), draft.html());
        return true;
    }

    /** The name is live: it shows at once (spec.md, Resources). Whether there was such a template. */
    public boolean rename(long account, String id, String name, Instant now) {
        return sql.update("""
                update templates
                set name = ?3, updated_at = ?4
                where account_id = ?1 and id = ?2 and name <> ?3
                """, account, id, Rules.name(name), now) > 0 || hasTemplate(account, id);
    }

    /** With all its versions. Whether there was such a template. */
    public boolean deleteTemplate(long account, String id) {
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
        return sql.update("""
                delete from templates
                where account_id = ? and id = ?
                """, account, id) > 0;
    }

    // ---- publishing

    /**
     * What publishing the draft would freeze.
     *
     * @param force with its errors too
     * @throws Refusal when there is no such template or a problem in it
     */
    public Publication preparePublication(long account, String id, boolean force) {
        Template template = template(account, id).orElseThrow(() -> new Refusal("id", "There is no template " + id));
        return publisher(account).publish(template.subject(), text(template.html()), force);
    }

    /** For one draft, with the account's shared blocks. */
    public Publisher publisher(long account) {
        return new Publisher(name -> blocks().html(account, name).map(Dao::text));
    }

    /** Freezes a draft without errors as a new version. @return its number */
    public int publish(long account, String id, String note, Instant now) {
        return publish(account, id, note, false, now);
    }

    /** Freezes the draft as a new version, which is served from now on. @return its number */
    public int publish(long account, String id, String note, boolean force, Instant now) {
        Publication publication = preparePublication(account, id, force);
        return publish(account, id, publication, note, now);
    }

    /** Publishes where that serves anything else than now. @return the number, or nothing when all is as served */
    public Optional<Integer> publishChanged(long account, String id, String note, boolean force, Instant now) {
        Publication publication = preparePublication(account, id, force);
        Optional<Published> served = published(account, id);
        if (served.isPresent() && served.get().subject().equals(publication.subject())
                && Arrays.equals(served.get().html(), publication.html())) {
            return Optional.empty();
        }
        return Optional.of(publish(account, id, publication, note, now));
    }

    private int publish(long account, String id, Publication publication, String note, Instant now) {
        long template = row(account, id);
        int number = 1 + (int) sql.number("select max(number) from versions where template = ?", template);
        sql.update("""
                insert into versions (template, number, published_at, note, sha256, draft_sha256, variables, subject, html, draft_html)
                select row, ?2, ?3, ?4, ?5, sha256, ?6, subject, ?7, html from templates
                where row = ?1
                """, template, number, now, Rules.note(note), Secret.sha256(publication.html()),
                String.join("\n", publication.variables()), publication.html());
        publication.blocks().forEach((block, sha256) -> sql.update("""
                insert into version_blocks (template, number, block, sha256)
                values (?, ?, ?, ?)
                """, template, number, block, sha256));
        serve(template, number, now);
        return number;
    }

    /** Serves a version of before again, under a new number. @return that number, or nothing for an unknown version */
    public Optional<Integer> publishAgain(long account, String id, int number, String note, Instant now) {
        if (version(account, id, number).isEmpty()) {
            return Optional.empty();
        }
        long template = row(account, id);
        int next = 1 + (int) sql.number("select max(number) from versions where template = ?", template);
        sql.update("""
                insert into versions (template, number, published_at, note, sha256, draft_sha256, variables, subject, html, draft_html)
                select template, ?3, ?4, ?5, sha256, draft_sha256, variables, subject, html, draft_html from versions
                where template = ?1 and number = ?2
                """, template, number, next, now, Rules.note(note));
        sql.update("""
                insert into version_blocks (template, number, block, sha256)
                select template, ?3, block, sha256 from version_blocks
                where template = ?1 and number = ?2
                """, template, number, next);
        serve(template, next, now);
        return Optional.of(next);
    }

    private void serve(long template, int number, Instant now) {
        sql.update("""
                update templates
                set published = ?2, updated_at = ?3
                where row = ?1
                """, template, number, now);
    }

    /** One version, with its text and the draft it was made of. */
    public Optional<Frozen> version(long account, String id, int number) {
        return sql.first("""
                select number, published_at, note, sha256, length(html) as bytes, subject, variables, html, draft_html from versions
                where template = (select row from templates where account_id = ? and id = ?) and number = ?
                """, row -> new Frozen(version(row), row.text("subject"), row.bytes("html"), lines(row.text("variables")),
                row.bytes("draft_html")), account, id, number);
    }

    /** The newest first. */
    public List<Version> versions(long account, String id) {
        return sql.list("""
                select number, published_at, note, sha256, length(html) as bytes from versions
                where template = (select row from templates where account_id = ? and id = ?)
                order by number desc
                """, Dao::version, account, id);
    }

    private static Version version(Sql.Row row) throws SQLException {
        return new Version((int) row.number("number"), row.instant("published_at"), row.text("note"), row.bytes("sha256"),
                row.number("bytes"));
    }

    private long row(long account, String id) {
        return sql.number("""
                select row from templates
                where account_id = ? and id = ?
                """, account, id);
    }

    static String text(byte[] html) {
        return new String(html, StandardCharsets.UTF_8);
    }

    private static List<String> lines(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split("\n"));
    }
}
