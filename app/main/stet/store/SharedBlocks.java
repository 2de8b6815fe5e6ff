package stet.store;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import stet.core.Block;
import stet.core.ListedBlock;
import stet.core.Publisher;
import stet.core.Refusal;
import stet.core.Rules;
import stet.core.Secret;

/** The shared blocks: their texts, which drafts and blocks use them, and which live versions carry an older text. */
public final class SharedBlocks {
    private final Sql sql;

    SharedBlocks(Sql sql) {
        this.sql = sql;
    }

    public Optional<byte[]> html(long account, String name) {
        return sql.first("""
                select html from blocks
                where account_id = ? and name = ?
                """, row -> row.bytes("html"), account, name);
    }

    /** All of an account's, by name. */
    public Map<String, byte[]> all(long account) {
        Map<String, byte[]> blocks = new TreeMap<>();
        sql.list("""
                select name, html from blocks
                where account_id = ?
                """, row -> blocks.put(row.text("name"), row.bytes("html")), account);
        return blocks;
    }

    /** Makes a block or changes its text, which touches the drafts that use it at any depth. Whether it was different. */
    public boolean save(long account, String name, byte[] html, Instant now) {
        Rules.id("name", name);
        Rules.html(html);
        if (html(account, name).filter(before -> Arrays.equals(before, html)).isPresent()) {
            return false;
        }
        sql.update("""
                insert into blocks (account_id, name, updated_at, revision, sha256, html)
                values (?1, ?2, ?3, (select deleted_revision + 1 from accounts where id = ?1), ?4, ?5)
                on conflict do update
                set updated_at = ?3, revision = revision + 1, sha256 = ?4, html = ?5
                """, account, name, now, Secret.sha256(html), html);
        include(account, "block", name, html);
        sql.update("""
                with recursive users(kind, name) as (
                  select kind, includer from includes
                  where account_id = ?1 and block = ?2
                  union
                  select i.kind, i.includer from users u
                  join includes i on i.account_id = ?1 and i.block = u.name
                  where u.kind = 'block'
                )
                update templates
                set updated_at = ?3
                where account_id = ?1 and id in (select name from users where kind = 'template')
                """, account, name, now);
        return true;
    }

    public List<ListedBlock> list(long account) {
        return sql.list("""
                select b.name, b.updated_at, length(b.html) as bytes,
                  (select count(*) from includes where account_id = b.account_id and block = b.name) as users
                from blocks b
                where b.account_id = ?
                order by b.name
                """, row -> new ListedBlock(row.text("name"), row.instant("updated_at"), row.number("bytes"), row.number("users")),
                account);
    }

    public Optional<Block> find(long account, String name) {
        return sql.first("""
                select name, updated_at, revision, html from blocks
                where account_id = ? and name = ?
                """, SharedBlocks::block, account, name);
    }

    private static Block block(Sql.Row row) throws SQLException {
        return new Block(row.text("name"), row.bytes("html"), row.number("revision"), row.instant("updated_at"));
    }

    /** The drafts ({@code template}) or blocks ({@code block}) that name a block themselves. */
    public List<String> includers(long account, String kind, String block) {
        return sql.list("""
                select includer from includes
                where account_id = ? and kind = ? and block = ?
                order by includer
                """, row -> row.text("includer"), account, kind, block);
    }

    /** Whether there was such a block. @throws Refusal when a draft or a block uses it */
    public boolean delete(long account, String name) {
        List<String> users = new ArrayList<>(includers(account, "template", name));
        includers(account, "block", name).stream().filter(user -> !user.equals(name)).forEach(users::add);
        if (!users.isEmpty()) {
            throw new Refusal("The shared block \"" + name + "\" is used by " + String.join(", ", users));
        }
        sql.update("""
                delete from includes
                where account_id = ? and kind = 'block' and includer = ?
                """, account, name);
        sql.update("""
                update accounts
                set deleted_revision = max(deleted_revision, coalesce(
                  (select revision from blocks where account_id = ?1 and name = ?2), 0))
                where id = ?1
                """, account, name);
        return sql.update("""
                delete from blocks
                where account_id = ? and name = ?
                """, account, name) > 0;
    }

    /** Keeps which blocks a draft or block names. */
    void include(long account, String kind, String includer, byte[] html) {
        sql.update("""
                delete from includes
                where account_id = ? and kind = ? and includer = ?
                """, account, kind, includer);
        for (String block : Publisher.included(Dao.text(html))) {
            sql.update("""
                    insert into includes (account_id, kind, includer, block)
                    values (?, ?, ?, ?)
                    """, account, kind, includer, block);
        }
    }

    /** By template, the shared blocks of which its live version carries an older text. */
    public Map<String, List<String>> stale(long account) {
        Map<String, List<String>> stale = new TreeMap<>();
        sql.list("""
                select t.id, u.block
                from templates t
                join version_blocks u on u.template = t.row and u.number = t.published
                join blocks b on b.account_id = t.account_id and b.name = u.block
                where t.account_id = ? and b.sha256 <> u.sha256
                order by t.id, u.block
                """, row -> stale.computeIfAbsent(row.text("id"), any -> new ArrayList<>()).add(row.text("block")), account);
        return stale;
    }
}
