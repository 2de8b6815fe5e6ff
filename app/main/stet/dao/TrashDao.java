package stet.dao;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import stet.core.Activity.Kind;
import stet.core.Actor;
import stet.core.Refusal;
import stet.core.Template;
import stet.core.Utf8;
import stet.core.Validation;
import stet.markup.Publisher;

/**
 * Deleted templates. For {@link #KEPT} one can be restored as it was, with its history, samples, statistics and tags.
 *
 * <pre>
 * template ─ delete ─► trash ─ restore ─► template
 *    │                   └─ removed, or kept long enough ─┐
 *    └─ removed ──────────────────────────────────────────┴─► garbage, which GarbageDao collects
 * </pre>
 *
 * <p>The row in {@code templates} has an account of null meanwhile. So each statement on an account's templates, and with it the
 * API, finds the template unknown without looking here. Its id stays taken.
 */
public final class TrashDao {
    /** Time for which a deleted template can be restored. */
    public static final Duration KEPT = Duration.ofDays(30);
    /** Templates that one transaction removes from the trash, at most. */
    public static final int STEP_ROWS = 100;

    private final Sql sql;
    private final Actor actor;

    TrashDao(Sql sql, Actor actor) {
        this.sql = sql;
        this.actor = actor;
    }

    // ---- into the trash

    /**
     * Makes a template unreachable until it is restored.
     *
     * @return whether there was such a template
     * @throws Refusal when the trash is full: it holds {@value Validation#TEMPLATES} templates of an account
     */
    public boolean delete(long account, String id, Instant now) {
        long templates = sql.number("""
                select count(*) from trash
                where account_id = ?
                """, account);
        if (templates >= Validation.TEMPLATES) {
            throw new Refusal("The trash has " + templates + " templates, the most is " + Validation.TEMPLATES
                    + ": empty it first");
        }
        return hide(account, id, account, "", now);
    }

    /** Deletes a template for good, or one in the trash; a sweep removes its rows. @return whether there was one */
    public boolean remove(long account, String id, Instant now) {
        if (hide(account, id, null, "for good", now)) {
            return true;
        }
        boolean removed = sql.update("""
                update trash
                set account_id = null
                where account_id = ? and id = ?
                """, account, id) > 0;
        if (removed) {
            activity(actor).add(account, Kind.TEMPLATE_DELETED, id, "for good", now);
        }
        return removed;
    }

    /** @param owner the account, or null for a template that cannot be restored */
    private boolean hide(long account, String id, Long owner, String detail, Instant now) {
        long template = new Dao(sql).row(account, id);
        if (template == 0) {
            return false;
        }
        new BlockDao(sql, actor).saveIncludes(account, "template", id, List.of());
        sql.update("""
                update accounts
                set deleted_revision = max(deleted_revision, (select revision from templates where row = ?2)),
                  content_revision = content_revision + 1
                where id = ?1
                """, account, template);
        sql.update("""
                insert into trash (template, account_id, id, deleted_at, deleted_by)
                values (?, ?, ?, ?, ?)
                """, template, owner, id, now, actor.name());
        sql.update("""
                update templates
                set account_id = null
                where account_id = ? and row = ?
                """, account, template);
        activity(actor).add(account, Kind.TEMPLATE_DELETED, id, detail, now);
        return true;
    }

    // ---- in the trash

    /** The account's deleted templates, the last one first. */
    public List<Template.Deleted> list(long account) {
        return sql.list(Template.Deleted.class, """
                select d.id, t.name, t.published, d.deleted_at, d.deleted_by, d.deleted_at + ?2 as kept_until
                from trash d join templates t on t.row = d.template
                where d.account_id = ?1
                order by d.deleted_at desc, d.id
                """, account, KEPT.toMillis());
    }

    public Set<String> ids(long account) {
        return new HashSet<>(sql.list("""
                select id from trash
                where account_id = ?
                """, row -> row.text("id"), account));
    }

    public boolean has(long account, String id) {
        return sql.exists("""
                select 1 from trash
                where account_id = ? and id = ?
                """, account, id);
    }

    /** @throws Refusal when a deleted template has this id */
    public void checkFree(long account, String id) {
        if (has(account, id)) {
            throw taken(id);
        }
    }

    /** The refusal of an id that a deleted template has. */
    public static Refusal taken(String id) {
        return new Refusal("id", "The template " + id + " is in the trash: restore it, or delete it there for good and its id"
                + " is free");
    }

    // ---- out of it

    /** A deleted template that was read before the transaction. @param blocks that its draft includes */
    public record Restorable(byte[] sha256, List<String> blocks) {
    }

    public Optional<Restorable> restorable(long account, String id) {
        return sql.first("""
                select t.sha256, x.html
                from trash d
                join templates t on t.row = d.template
                join texts x on x.id = t.text and x.account_id = d.account_id
                where d.account_id = ? and d.id = ?
                """, row -> new Restorable(row.bytes("sha256"),
                Publisher.included(Utf8.text(row.bytes("html")), Validation.BLOCKS)), account, id);
    }

    /**
     * Restores a deleted template as it was. {@code updatedAt} is the same, unless a shared block that its draft or live version
     * uses was edited meanwhile: then it is the time of that edit.
     *
     * @return false when it is not there as it was read
     * @throws Refusal when the account has as many templates, or sets of test data, as it may have
     */
    public boolean restore(long account, String id, Restorable restorable, Instant now) {
        long template = sql.number("""
                select d.template from trash d join templates t on t.row = d.template
                where d.account_id = ? and d.id = ? and t.sha256 = ?
                """, account, id, restorable.sha256);
        if (template == 0) {
            return false;
        }
        new Dao(sql).checkRoom(account);
        new BlockDao(sql, actor).saveIncludes(account, "template", id, restorable.blocks);
        sql.update("""
                with recursive used(name) as (
                  select block from includes where account_id = ?1 and kind = 'template' and includer = ?2
                  union
                  select i.block from used u
                  cross join includes i on i.account_id = ?1 and i.kind = 'block' and i.includer = u.name -- in this order
                )
                update templates
                set account_id = ?1, updated_at = max(updated_at, coalesce((
                  select max(b.updated_at) from blocks b
                  where b.account_id = ?1
                    and b.updated_at >= (select deleted_at from trash where template = ?3)
                    and (b.name in (select name from used) or b.name in (
                      select block from version_blocks where template = ?3 and number = templates.published))), 0))
                where row = ?3 and account_id is null
                """, account, id, template);
        sql.update("""
                delete from trash
                where account_id = ? and template = ?
                """, account, template);
        new SampleDao(sql).checkRoom(account);
        new Dao(sql).accounts().incrementContentRevision(account);
        activity(actor).add(account, Kind.TEMPLATE_RESTORED, id, "", now);
        return true;
    }

    /** Removes the account's deleted templates, some of them. @return how many */
    public int empty(long account, int limit, Instant now) {
        int removed = sql.update("""
                update trash
                set account_id = null
                where template in (select template from trash where account_id = ? limit ?)
                """, account, limit);
        if (removed > 0) {
            activity(actor).addCounted(account, Kind.TRASH_EMPTIED, "", removed, "template", now);
        }
        return removed;
    }

    public boolean hasExpired(Instant now) {
        return sql.exists("""
                select 1 from trash
                where account_id is not null and deleted_at <= ?
                """, now.minus(KEPT));
    }

    private record Expired(long template, long accountId, String id) {
    }

    /** Removes deleted templates of all accounts that were kept long enough, some of them. @return how many */
    public int removeExpired(Instant now, int limit) {
        List<Expired> expired = sql.list(Expired.class, """
                select template, account_id, id from trash
                where account_id is not null and deleted_at <= ?
                order by deleted_at
                limit ?
                """, now.minus(KEPT), limit);
        for (Expired each : expired) {
            sql.update("""
                    update trash
                    set account_id = null
                    where account_id = ? and template = ?
                    """, each.accountId, each.template);
            activity(Actor.STET).add(each.accountId, Kind.TEMPLATE_DELETED, each.id, "for good, after 30 days in the trash", now);
        }
        return expired.size();
    }

    private ActivityDao activity(Actor author) {
        return new ActivityDao(sql, author);
    }
}
