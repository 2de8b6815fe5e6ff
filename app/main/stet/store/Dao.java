package stet.store;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.ServedTemplate;
import stet.core.Template;
import stet.core.TemplateSummary;
import stet.core.Validation;
import stet.markup.DraftText;
import stet.markup.Expansion;
import stet.markup.Publisher;

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

    /** The versions. */
    public Publications publications() {
        return new Publications(sql);
    }

    Texts texts() {
        return new Texts(sql);
    }

    /** What nobody reaches any more. */
    GarbageDao garbage() {
        return new GarbageDao(sql);
    }

    // ---- accounts

    /**
     * @param password as {@link stet.core.Password} hashes it, or null: nobody signs in to this account
     * @throws Refusal when the e-mail address has an account already
     */
    public Account addAccount(String email, Plan plan, Instant createdAt, Instant billingAnchor, String password) {
        if (account(Validation.email(email)).isPresent()) {
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
        return sql.number("select exists (select 1 from accounts where email is not null)") == 1;
    }

    public List<Account> accounts() {
        return sql.list("""
                select * from accounts
                where email is not null
                order by email
                """, Dao::account);
    }

    /**
     * Moves an account to another plan. Who enters Pro begins a new period of which nothing is used; who is on Pro
     * keeps the period unless told (api.md, Quota).
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
    public void changeLimits(long account, Long requests, Long keys) {
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

    /** With all it has: nobody reaches it any more, and {@link Db#sweep} removes it. */
    public void deleteAccount(long account) {
        sql.update("delete from api_keys where account_id = ?", account);
        sql.update("delete from sessions where account_id = ?", account);
        sql.update("""
                update accounts
                set email = null, password = null
                where id = ?
                """, account);
        contentChanged(account);
    }

    /** A template as an import finds it, without its text; whatever changes the template changes one of these. */
    public record Head(String name, byte[] sha256, long revision, int published, Instant updatedAt) {
        public boolean isStill(Head other) {
            return other != null && revision == other.revision && published == other.published && updatedAt.equals(other.updatedAt);
        }
    }

    /** By id. */
    public Map<String, Head> heads(long account) {
        Map<String, Head> heads = new HashMap<>();
        sql.list("""
                select id, name, sha256, revision, coalesce(published, 0) as published, updated_at from templates
                where account_id = ?
                """, row -> heads.put(row.text("id"), new Head(row.text("name"), row.bytes("sha256"), row.number("revision"),
                (int) row.number("published"), row.instant("updated_at"))), account);
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

    /** What the preview of a template fills in. */
    public Map<String, String> samples(long account, String id) {
        return samples(sql.number("""
                select row from templates
                where account_id = ? and id = ?
                """, account, id));
    }

    /** Whether the draft's html is these bytes. */
    public boolean isHtml(long account, String id, byte[] html) {
        return sql.number("""
                select count(*)
                from templates t join texts x on x.id = t.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ? and x.html = ?
                """, account, id, html) == 1;
    }

    /** Grows with each change of an account's templates, drafts, versions and blocks; 0 for no account. */
    public long contentRevision(long account) {
        return sql.number("""
                select content_revision from accounts
                where id = ? and email is not null
                """, account);
    }

    void contentChanged(long account) {
        sql.update("""
                update accounts
                set content_revision = content_revision + 1
                where id = ?
                """, account);
    }

    static Account account(Sql.Row row) throws SQLException {
        return new Account(row.number("id"), row.text("email"), Plan.of(row.text("plan")), row.instant("created_at"),
                row.has("billing_anchor") ? row.instant("billing_anchor") : null,
                row.has("request_limit") ? row.number("request_limit") : null,
                row.has("key_limit") ? row.number("key_limit") : null);
    }

    // ---- templates

    /** What the API serves; nothing for an unknown template and for one never published. */
    public Optional<ServedTemplate> published(long account, String id) {
        return sql.first("""
                select t.id, t.name, t.updated_at, v.subject, x.html, v.variables
                from templates t
                join versions v on v.template = t.row and v.number = t.published
                join texts x on x.id = v.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ?
                """, row -> new ServedTemplate(row.text("id"), row.text("name"), row.text("subject"), row.bytes("html"),
                lines(row.text("variables")), row.instant("updated_at")), account, id);
    }

    /** Bytes of the html that the API serves; 0 where it serves none. */
    public long publishedBytes(long account, String id) {
        return sql.number("""
                select length(x.html)
                from templates t
                join versions v on v.template = t.row and v.number = t.published
                join texts x on x.id = v.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ?
                """, account, id);
    }

    public boolean hasTemplate(long account, String id) {
        return sql.number("""
                select count(*) from templates
                where account_id = ? and id = ?
                """, account, id) > 0;
    }

    public List<TemplateSummary> templates(long account) {
        return sql.list("""
                select t.id, t.name, t.updated_at, t.published, t.sha256 = v.draft_sha256 as same
                from templates t left join versions v on v.template = t.row and v.number = t.published
                where t.account_id = ?
                order by t.id
                """, row -> new TemplateSummary(row.text("id"), row.text("name"), state(row), row.instant("updated_at")), account);
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
        if (!row.has("published")) {
            return TemplateSummary.State.NEVER_PUBLISHED;
        }
        return row.number("same") == 1 ? TemplateSummary.State.PUBLISHED : TemplateSummary.State.CHANGED;
    }

    public Optional<Template> template(long account, String id) {
        return sql.first("""
                select t.row, t.id, t.name, t.created_at, t.updated_at, t.published, t.revision, t.subject, x.html
                from templates t join texts x on x.id = t.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ?
                """, row -> new Template(row.text("id"), row.text("name"), row.text("subject"), row.bytes("html"),
                samples(row.number("row")), row.instant("created_at"), row.instant("updated_at"),
                row.has("published") ? (int) row.number("published") : null, row.number("revision")), account, id);
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

    /** What a save compares with. */
    private record Saved(long row, String name, byte[] sha256, String subject, long text) {
    }

    /** Makes a template or changes its draft. Whether anything was different. */
    public boolean save(long account, Draft draft, Instant now) {
        return save(account, draft.id(), draft.name(), DraftText.of(draft), draft.samples(), now);
    }

    /**
     * The same with what was made ready before the transaction. Saving test data alone does not move {@code updatedAt}.
     *
     * @param name    or null: the one it has
     * @param samples or null: those it has
     */
    public boolean save(long account, String id, String name, DraftText text, Map<String, String> samples, Instant now) {
        Optional<Saved> found = sql.first("""
                select row, name, sha256, subject, text from templates
                where account_id = ? and id = ?
                """, row -> new Saved(row.number("row"), row.text("name"), row.bytes("sha256"), row.text("subject"),
                row.number("text")), account, id);
        boolean changed;
        if (found.isEmpty()) {
            sql.update("""
                    insert into templates (account_id, id, name, created_at, updated_at, revision, sha256, subject, text)
                    values (?1, ?2, ?3, ?4, ?4, (select deleted_revision + 1 from accounts where id = ?1), ?5, ?6, ?7)
                    """, account, id, name, now, text.sha256(), text.subject(), texts().add(account, text.html()));
            saveSamples(sql.number("select last_insert_rowid()"), samples);
            blocks().include(account, "template", id, text.blocks());
            changed = true;
        } else {
            changed = change(account, id, found.get(), name, text, samples, now);
        }
        if (changed) {
            contentChanged(account);
        }
        return changed;
    }

    private boolean change(long account, String id, Saved before, String name, DraftText text, Map<String, String> samples, Instant now) {
        boolean sameName = name == null || name.equals(before.name);
        boolean sameText = Arrays.equals(text.sha256(), before.sha256) && text.subject().equals(before.subject);
        boolean sameSamples = samples == null || samples.equals(samples(before.row));
        if (sameName && sameText && sameSamples) {
            return false;
        }
        boolean sameHtml = sameText || texts().is(account, before.text, text.html());
        sql.update("""
                update templates
                set name = coalesce(?3, name), updated_at = case when ?4 then updated_at else ?5 end, revision = revision + 1,
                  sha256 = ?6, subject = ?7, text = ?8
                where account_id = ?1 and row = ?2
                """, account, before.row, name, sameName && sameText, now, text.sha256(), text.subject(),
                sameHtml ? before.text : texts().add(account, text.html()));
        if (!sameHtml) {
            texts().discard(before.text);
            blocks().include(account, "template", id, text.blocks());
        }
        if (!sameSamples) {
            sql.update("delete from samples where template = ?", before.row);
            saveSamples(before.row, samples);
        }
        return true;
    }

    private void saveSamples(long template, Map<String, String> samples) {
        samples.forEach((variable, value) -> sql.update("""
                insert into samples (template, variable, value)
                values (?, ?, ?)
                """, template, variable, value));
    }

    /** The name is live: it shows at once (api.md, The template). Whether there was such a template. */
    public boolean rename(long account, String id, String name, Instant now) {
        boolean changed = sql.update("""
                update templates
                set name = ?3, updated_at = ?4
                where account_id = ?1 and id = ?2 and name <> ?3
                """, account, id, Validation.name(name), now) > 0;
        if (changed) {
            contentChanged(account);
        }
        return changed || hasTemplate(account, id);
    }

    /** With all its versions, which {@link Db#sweep} removes. Whether there was such a template. */
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
        contentChanged(account);
        return sql.update("""
                update templates
                set account_id = null
                where account_id = ? and id = ?
                """, account, id) > 0;
    }

    // ---- publishing

    /** What publishing the draft would freeze. @throws Refusal when there is no such template or a problem in it */
    public Expansion preparePublication(long account, String id) {
        return publications().prepare(account, id, false).publication();
    }

    /** For one draft, with the account's shared blocks. */
    public Publisher publisher(long account) {
        return publications().publisher(account);
    }

    /** Freezes a draft without errors as a new version. @return its number */
    public int publish(long account, String id, String note, Instant now) {
        return publications().publish(account, id, publications().prepare(account, id, false), note, now);
    }

    /** Publishes where that serves anything else than now. @return the number, or nothing when all is as served */
    public Optional<Integer> publishChanged(long account, String id, String note, Instant now) {
        Publications.Prepared prepared = publications().prepare(account, id, false);
        return publications().isNew(account, id, prepared)
                ? Optional.of(publications().publish(account, id, prepared, note, now)) : Optional.empty();
    }

    static String text(byte[] html) {
        return new String(html, StandardCharsets.UTF_8);
    }

    static List<String> lines(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split("\n"));
    }
}
