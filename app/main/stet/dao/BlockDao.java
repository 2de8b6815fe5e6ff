package stet.dao;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.Utf8;
import stet.core.Activity.ActivityKind;
import stet.core.Block;
import stet.core.ImageNames;
import stet.core.Validation;
import stet.markup.Publisher;

/** Shared blocks, the drafts and blocks that use them, and live versions that contain an outdated block. */
public final class BlockDao {
    /** Maximum number of templates and blocks named in an error. */
    private static final int MAX_NAMED = 20;

    private final Sql sql;
    private final Dao dao;

    BlockDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /** The expansion of {@code {{> name}}}: a shared block's HTML or an image's address. @throws StoreException like {@link #html} */
    public Optional<String> text(long account, String name) {
        return ImageNames.isImage(name) ? dao.images().address(account, name) : html(account, name).map(Utf8::text);
    }

    /** A block's HTML or an image's file. @throws StoreException if it is corrupted; drafts that include the block then cannot be published */
    public Optional<byte[]> html(long account, String name) {
        return sql.first("""
                select b.sha256, x.html from blocks b join texts x on x.id = b.text and x.account_id = b.account_id
                where b.account_id = ? and b.name = ?
                """, row -> {
            byte[] html = row.bytes("html");
            Digest.check(sql, account, Secret.sha256(html), row.bytes("sha256"),
                    (ImageNames.isImage(name) ? "the image " : "the shared block ") + name);
            return html;
        }, account, name);
    }

    public Map<String, byte[]> sha256s(long account) {
        return sql.map(String.class, byte[].class, """
                select name, sha256 from blocks
                where account_id = ?
                """, account);
    }

    /** Whether each of these blocks still has the given SHA-256. @param blocks SHA-256 by name */
    public boolean areUnchanged(long account, Map<String, byte[]> blocks) {
        return blocks.entrySet().stream().allMatch(block -> sql.exists("""
                select 1 from blocks
                where account_id = ? and name = ? and sha256 = ?
                """, account, block.getKey(), block.getValue()));
    }

    /** @throws Refusal if the author has no {@linkplain MemberDao#room room} among the {@value Validation#BLOCKS} shared blocks */
    public void checkRoom(long account) {
        long blocks = sql.number("""
                select count(*) from blocks
                where account_id = ? and kind = 'html'
                """, account);
        long room = dao.members().room(account, Validation.BLOCKS);
        if (blocks >= room) {
            throw new Refusal("Shared block limit " + MemberDao.reachedText(room, Validation.BLOCKS) + "; delete a shared block first");
        }
    }

    /** Validates the name and HTML, then saves like {@link #save(long, String, byte[], List, Instant)}. */
    public boolean save(long account, String name, byte[] html, Instant now) {
        Validation.id("name", name);
        Validation.html(html);
        return save(account, name, html, Publisher.included(Utf8.text(html)), now);
    }

    /**
     * Creates a block or replaces its text, and updates {@code updated_at} of the templates that use the block.
     *
     * @param html   already validated
     * @param blocks names of the blocks that the HTML includes
     * @return false if the block already has this text
     */
    public boolean save(long account, String name, byte[] html, List<String> blocks, Instant now) {
        return save(account, name, Secret.sha256(html), () -> dao.addText(account, html), blocks, now);
    }

    /** Saves a block or image whose text may already be stored. @param text ID of the text that holds the HTML or the image's file */
    boolean save(long account, String name, byte[] sha256, LongSupplier text, List<String> blocks, Instant now) {
        if (areUnchanged(account, Map.of(name, sha256))) {
            return false;
        }
        sql.first(Long.class, """
                select text from blocks
                where account_id = ? and name = ?
                """, account, name).ifPresent(dao.garbage()::add);
        sql.update("""
                insert into blocks (account_id, name, kind, updated_at, revision, sha256, text, saved_by)
                values (?1, ?2, iif(instr(?2, '/') > 0, 'image', 'html'), ?3, (select deleted_revision + 1 from accounts where id = ?1), ?4, ?5, ?6)
                on conflict do update
                set updated_at = ?3, revision = revision + 1, sha256 = ?4, text = ?5, saved_by = ?6
                """, account, name, now, sha256, text.getAsLong(), dao.author().name());
        saveIncludes(account, "block", name, blocks);
        touchTemplates(account, List.of(name), now);
        dao.accounts().incrementContentRevision(account);
        dao.activity().addCounted(account, ActivityKind.BLOCK_SAVED, name, 1, now);
        return true;
    }

    /**
     * Updates {@code updated_at} of templates whose draft or live version uses one of these blocks, directly or through other
     * blocks.
     */
    public void touchTemplates(long account, List<String> blocks, Instant now) {
        String names = Sql.array(blocks);
        sql.update("""
                with recursive includers(kind, name) as (
                  select kind, includer from includes
                  where account_id = ?1 and block in (select value from json_each(?2))
                  union
                  select i.kind, i.includer from includers u
                  join includes i on i.account_id = ?1 and i.block = u.name
                  where u.kind = 'block'
                )
                update templates
                set updated_at = ?3
                where account_id = ?1 and deleted_at is null and updated_at <> ?3 and (
                  id in (select name from includers where kind = 'template')
                  or exists (
                    select 1 from version_blocks
                    where template = templates.row and number = templates.published
                      and block in (select value from json_each(?2))))
                """, account, names, now);
    }

    /** All shared blocks, without images. */
    public List<Block.Summary> list(long account) {
        return sql.list(Block.Summary.class, """
                select b.name, b.updated_at, length(x.html) as bytes,
                  (select count(*) from includes where account_id = b.account_id and block = b.name) as users
                from blocks b join texts x on x.id = b.text and x.account_id = b.account_id
                where b.account_id = ? and b.kind = 'html'
                order by b.name
                """, account);
    }

    public Optional<TemplateDao.Saved> lastSave(long account, String name) {
        return sql.first(TemplateDao.Saved.class, """
                select revision, saved_by as by, updated_at as at from blocks
                where account_id = ? and name = ?
                """, account, name);
    }

    /** A shared block; empty for an unknown one and for an image. */
    public Optional<Block> find(long account, String name) {
        return sql.first(Block.class, """
                select b.name, b.updated_at, b.revision, b.saved_by, x.html
                from blocks b join texts x on x.id = b.text and x.account_id = b.account_id
                where b.account_id = ? and b.name = ? and b.kind = 'html'
                """, account, name);
    }

    /** Full names of all images. */
    public List<String> images(long account) {
        return sql.list(String.class, """
                select name from blocks
                where account_id = ? and kind = 'image'
                order by name
                """, account);
    }

    /** IDs of the templates whose drafts include one of these blocks, directly or through other blocks. */
    public List<String> templatesUsing(long account, List<String> blocks) {
        return sql.list(String.class, """
                with recursive includers(kind, name) as (
                  select 'block', value from json_each(?2)
                  union
                  select i.kind, i.includer from includers u
                  join includes i on i.account_id = ?1 and i.block = u.name
                  where u.kind = 'block'
                )
                select name from includers
                where kind = 'template'
                """, account, Sql.array(blocks));
    }

    /** IDs of the templates or names of the blocks that directly include a block. @param kind {@code template} or {@code block} */
    public List<String> includers(long account, String kind, String block) {
        return sql.list(String.class, """
                select includer from includes
                where account_id = ? and kind = ? and block = ?
                order by includer
                """, account, kind, block);
    }

    /** @param kind {@code template} or {@code block} */
    public record IncludeRow(String kind, String includer, String block) {
    }

    /** All blocks included in an account's drafts and blocks. */
    public List<IncludeRow> includes(long account) {
        return sql.list(IncludeRow.class, """
                select kind, includer, block from includes
                where account_id = ?
                """, account);
    }

    /** @return whether the block existed @throws Refusal if a draft or another block uses the block */
    public boolean delete(long account, String name, Instant now) {
        List<String> includers = new ArrayList<>(includers(account, "template", name));
        includers(account, "block", name).stream().filter(includer -> !includer.equals(name)).forEach(includers::add);
        if (!includers.isEmpty()) {
            throw new Refusal((ImageNames.isImage(name) ? "The image \"" : "The shared block \"") + name + "\" is still used by "
                    + includers.stream().limit(MAX_NAMED).collect(Collectors.joining(", "))
                    + (includers.size() > MAX_NAMED ? " and " + (includers.size() - MAX_NAMED) + " more" : "") + "; remove it there first");
        }
        saveIncludes(account, "block", name, List.of());
        return remove(account, name, "", now);
    }

    /** Deletes blocks. The caller must ensure that nothing else includes these blocks. @param note detail of the activity entries */
    public void delete(long account, List<String> names, String note, Instant now) {
        names.forEach(name -> saveIncludes(account, "block", name, List.of())); // first, because the blocks may include each other
        names.forEach(name -> remove(account, name, note, now));
    }

    /** Deletes a block that includes nothing and is included by nothing. @return whether the block existed */
    private boolean remove(long account, String name, String detail, Instant now) {
        sql.update("""
                update accounts
                set deleted_revision = max(deleted_revision, coalesce(
                  (select revision from blocks where account_id = ?1 and name = ?2), 0))
                where id = ?1
                """, account, name);
        sql.update("""
                insert or ignore into garbage (after, text)
                select 0, text from blocks
                where account_id = ? and name = ?
                """, account, name);
        dao.accounts().incrementContentRevision(account);
        boolean deleted = sql.update("""
                delete from blocks
                where account_id = ? and name = ?
                """, account, name) > 0;
        if (deleted) {
            dao.activity().add(account, ActivityKind.BLOCK_DELETED, name, detail, now);
        }
        return deleted;
    }

    /** Replaces the list of blocks that a draft or block includes. */
    void saveIncludes(long account, String kind, String includer, List<String> blocks) {
        sql.update("""
                delete from includes
                where account_id = ? and kind = ? and includer = ?
                """, account, kind, includer);
        for (String block : blocks) {
            sql.update("""
                    insert into includes (account_id, kind, includer, block)
                    values (?, ?, ?, ?)
                    """, account, kind, includer, block);
        }
    }

    /** Blocks whose text in a template's live version is outdated. */
    public List<String> stale(long account, String template) {
        return sql.list(String.class, """
                select u.block
                from templates t
                join version_blocks u on u.template = t.row and u.number = t.published
                join blocks b on b.account_id = t.account_id and b.name = u.block
                where t.account_id = ? and t.id = ? and t.deleted_at is null and b.sha256 <> u.sha256
                order by u.block
                """, account, template);
    }

    /**
     * For each template, the blocks whose text in its live version is outdated. Templates without such blocks are omitted.
     */
    public Map<String, List<String>> stale(long account) {
        Map<String, List<String>> stale = new TreeMap<>();
        sql.list("""
                select t.id, u.block
                from templates t
                join version_blocks u on u.template = t.row and u.number = t.published
                join blocks b on b.account_id = t.account_id and b.name = u.block
                where t.account_id = ? and t.deleted_at is null and b.sha256 <> u.sha256
                order by t.id, u.block
                """, row -> stale.computeIfAbsent(row.text("id"), any -> new ArrayList<>()).add(row.text("block")), account);
        return stale;
    }
}
