package stet.dao;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Activity.ActivityKind;
import stet.core.Actor;
import stet.core.Template;
import stet.core.Validation;
import stet.markup.Publisher;

/**
 * Deleted templates. For 30 days ({@link #KEPT}), a template can be restored with everything except its review links.
 *
 * <pre>
 * template ─ delete ─► trash ─ restore ─► template
 *    │                   └─ removed, or expired ──────────┐
 *    └─ removed ──────────────────────────────────────────┴─► garbage, which GarbageDao collects
 * </pre>
 *
 * <p>Statements that look up templates by account have the condition {@code deleted_at is null}, except those on deleted
 * templates.
 */
public final class TrashDao {
    /** Time for which a deleted template can be restored. */
    public static final Duration KEPT = Duration.ofDays(30);
    /** Maximum number of templates that one transaction removes from the trash. */
    public static final int STEP_ROWS = 100;

    private final Sql sql;
    private final Dao dao;

    TrashDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    // ---- into the trash

    /**
     * Moves a template to the trash.
     *
     * @return whether the template existed
     * @throws Refusal if the account's trash is full ({@value Validation#TEMPLATES} templates)
     */
    public boolean delete(long account, String id, Instant now) {
        checkRoom(account, 1);
        return hide(account, id, null, "", now);
    }

    /**
     * Moves templates to the trash, checking the trash's size only once.
     *
     * @param note detail of the activity entries
     * @throws Refusal if they do not all fit into the trash
     */
    public void delete(long account, List<String> ids, String note, Instant now) {
        checkRoom(account, ids.size());
        ids.forEach(id -> hide(account, id, null, note, now));
    }

    private void checkRoom(long account, int more) {
        long templates = sql.number("""
                select count(*) from templates
                where account_id = ? and deleted_at is not null and removed_at is null
                """, account);
        if (templates + more > Validation.TEMPLATES) {
            throw new Refusal("The trash is full (" + Validation.TEMPLATES + " templates); empty it first");
        }
    }

    /**
     * Deletes a template permanently, whether or not it is in the trash. Garbage collection removes its rows.
     *
     * @return whether the template existed
     */
    public boolean remove(long account, String id, Instant now) {
        if (hide(account, id, now, "", now)) {
            return true;
        }
        boolean removed = sql.update("""
                update templates
                set removed_at = ?3
                where account_id = ?1 and id = ?2 and deleted_at is not null and removed_at is null
                """, account, id, now) > 0;
        if (removed) {
            dao.activity().add(account, ActivityKind.TEMPLATE_DELETED_PERMANENTLY, id, "", now);
        }
        return removed;
    }

    /** @param removedAt time of permanent deletion; null if the template can be restored */
    private boolean hide(long account, String id, Instant removedAt, String detail, Instant now) {
        long template = dao.templates().row(account, id);
        if (template == 0) {
            return false;
        }
        dao.blocks().saveIncludes(account, "template", id, List.of());
        sql.update("""
                update accounts
                set deleted_revision = max(deleted_revision, (select revision from templates where row = ?2)),
                  content_revision = content_revision + 1
                where id = ?1
                """, account, template);
        sql.update("""
                update templates
                set deleted_at = ?3, deleted_by = ?4, removed_at = ?5
                where account_id = ?1 and row = ?2 and deleted_at is null
                """, account, template, now, dao.author().name(), removedAt);
        dao.activity().add(account, removedAt == null ? ActivityKind.TEMPLATE_DELETED : ActivityKind.TEMPLATE_DELETED_PERMANENTLY, id, detail, now);
        return true;
    }

    // ---- in the trash

    /** The account's deleted templates, most recently deleted first. */
    public List<Template.Deleted> list(long account) {
        return sql.list(Template.Deleted.class, """
                select id, name, published, deleted_at, deleted_by, deleted_at + ?2 as kept_until from templates
                where account_id = ?1 and deleted_at is not null and removed_at is null
                order by deleted_at desc, id
                """, account, KEPT.toMillis());
    }

    public Set<String> ids(long account) {
        return new HashSet<>(sql.list(String.class, """
                select id from templates
                where account_id = ? and deleted_at is not null and removed_at is null
                """, account));
    }

    public boolean has(long account, String id) {
        return sql.exists("""
                select 1 from templates
                where account_id = ? and id = ? and deleted_at is not null and removed_at is null
                """, account, id);
    }

    /** @throws Refusal if a template in the trash has this ID */
    public void checkFree(long account, String id) {
        if (has(account, id)) {
            throw taken(id);
        }
    }

    /** Creates the error for an ID that a template in the trash uses. */
    public static Refusal taken(String id) {
        return new Refusal("id", "The template " + id + " is in the trash; restore it, or delete it permanently to reuse its ID");
    }

    // ---- restoring and permanent deletion

    /** A deleted template, read before the transaction. @param blocks names of the blocks that the draft includes */
    public record Restorable(byte[] sha256, List<String> blocks) {
    }

    public Optional<Restorable> restorable(long account, String id) {
        return sql.first("""
                select t.sha256, x.html
                from templates t join texts x on x.id = t.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ? and t.deleted_at is not null and t.removed_at is null
                """, row -> new Restorable(row.bytes("sha256"),
                Publisher.included(Utf8.text(row.bytes("html")), Validation.BLOCKS)), account, id);
    }

    /**
     * Restores a deleted template. If a shared block of the draft or live version was edited after the deletion, sets {@code updatedAt} to
     * the time of the last such edit. Otherwise, {@code updatedAt} is unchanged.
     *
     * @return false if the template has left the trash since it was read
     * @throws Refusal if the account has reached its limit of templates or sets of test data
     */
    public boolean restore(long account, String id, Restorable restorable, Instant now) {
        long template = sql.number("""
                select row from templates
                where account_id = ? and id = ? and deleted_at is not null and removed_at is null and sha256 = ?
                """, account, id, restorable.sha256);
        if (template == 0) {
            return false;
        }
        dao.templates().checkRoom(account);
        dao.blocks().saveIncludes(account, "template", id, restorable.blocks);
        sql.update("""
                with recursive used(name) as (
                  select block from includes where account_id = ?1 and kind = 'template' and includer = ?2
                  union
                  select i.block from used u
                  cross join includes i on i.account_id = ?1 and i.kind = 'block' and i.includer = u.name -- in this order
                )
                update templates
                set deleted_at = null, deleted_by = null, updated_at = max(updated_at, coalesce((
                  select max(b.updated_at) from blocks b
                  where b.account_id = ?1 and b.updated_at >= templates.deleted_at
                    and (b.name in (select name from used) or b.name in (
                      select block from version_blocks where template = ?3 and number = templates.published))), 0))
                where account_id = ?1 and row = ?3 and deleted_at is not null
                """, account, id, template);
        dao.sampleSets().checkRoom(account);
        dao.accounts().incrementContentRevision(account);
        dao.activity().add(account, ActivityKind.TEMPLATE_RESTORED, id, "", now);
        return true;
    }

    /** Permanently deletes up to {@code limit} templates in the account's trash. @return number of removed templates */
    public int empty(long account, int limit, Instant now) {
        int removed = sql.update("""
                update templates
                set removed_at = ?3
                where row in (
                  select row from templates
                  where account_id = ?1 and deleted_at is not null and removed_at is null
                  limit ?2)
                """, account, limit, now);
        if (removed > 0) {
            dao.activity().addCounted(account, ActivityKind.TRASH_EMPTIED, "", removed, now);
        }
        return removed;
    }

    private record Expired(long template, long accountId, String id) {
    }

    /**
     * Removes up to {@code limit} expired templates from all accounts' trash.
     *
     * @param horizon templates deleted at least {@link #KEPT} before this time have expired
     * @return number of removed templates
     */
    public int removeExpired(Instant horizon, int limit, Instant now) {
        List<Expired> expired = sql.list(Expired.class, """
                select row as template, account_id, id from templates
                where deleted_at <= ? and removed_at is null
                order by deleted_at
                limit ?
                """, horizon.minus(KEPT), limit);
        for (Expired each : expired) {
            sql.update("""
                    update templates
                    set removed_at = ?3
                    where account_id = ?1 and row = ?2 and deleted_at is not null
                    """, each.accountId, each.template, now);
            dao.as(Actor.STET).activity().add(each.accountId, ActivityKind.TEMPLATE_DELETED_PERMANENTLY, each.id,
                    "after " + KEPT.toDays() + " days in the trash", now);
        }
        return expired.size();
    }
}
