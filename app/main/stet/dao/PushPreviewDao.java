package stet.dao;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import stet.base.Amount;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Activity.ActivityKind;
import stet.core.ImageNames;
import stet.core.ImageType;
import stet.core.PreviewedEmail;
import stet.dao.ImageDao.ServedImage;

/** Previews, which show the emails of a push that has not been made. {@link ReviewDao#find} opens their links. */
public final class PushPreviewDao {
    public static final Duration LIFETIME = Duration.ofDays(14);
    /** Maximum number of an account's previews and of the images in them. */
    public static final int MAX = 1_000;
    /** Maximum size of an account's previews, in bytes; they also count towards its storage. */
    public static final long MAX_BYTES = 64 << 20;

    private final Sql sql;
    private final Dao dao;

    PushPreviewDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /** A stored text to show. @param item a template's ID, or an image's full name */
    public record StagedItem(String item, long text, byte[] sha256) {
        boolean isEmail() {
            return !ImageNames.isImage(item);
        }
    }

    /** The number of previews, with the images in them, and their size. */
    public record PreviewSize(long items, long bytes) {
        private static final PreviewSize MAX_OF_ACCOUNT = new PreviewSize(MAX, MAX_BYTES);
    }

    /** @throws Refusal if a push alone has more previews than an account may have */
    public static void checkPush(PreviewSize push) {
        check(push, PreviewSize.MAX_OF_ACCOUNT, "others");
    }

    /** @param others names of previews that can be deleted */
    private static void check(PreviewSize used, PreviewSize limit, String others) {
        if (used.items > limit.items) {
            throw new Refusal("preview", "Preview limit " + MemberDao.reachedText(limit.items, MAX) + "; delete " + others
                    + " with \"push DIR --preview NAME --end\"");
        }
        if (used.bytes > limit.bytes) {
            throw new Refusal("preview", "The account's previews would take " + Amount.bytes(used.bytes, limit.bytes) + "; the limit is "
                    + Amount.bytes(limit.bytes, used.bytes) + "; delete " + others + " with \"push DIR --preview NAME --end\"");
        }
    }

    /**
     * Replaces the previews of a name. A preview whose email is still among the items keeps its link.
     *
     * @param secrets makes secrets for new links
     * @return the links' secrets, by template ID
     * @throws Refusal if the account would have too many previews
     */
    public Map<String, String> replace(long account, String name, List<StagedItem> items, Supplier<String> secrets, Instant now) {
        PreviewSize before = size(account);
        sql.update("""
                delete from push_previews
                where account_id = ?1 and (expires_at <= ?2 or name = ?3 and item not in (select value from json_each(?4)))
                """, account, now, name, Sql.array(items.stream().map(StagedItem::item).toList()));
        for (StagedItem each : items) {
            sql.update("""
                    insert into push_previews (account_id, name, item, text, secret, made_by, expires_at, sha256)
                    values (?, ?, ?, ?, ?, ?, ?, ?)
                    on conflict (account_id, name, item) do update
                    set text = excluded.text, made_by = excluded.made_by, expires_at = excluded.expires_at, sha256 = excluded.sha256
                    """, account, name, each.item, each.text, each.isEmail() ? secrets.get() : null, dao.author().name(), now.plus(LIFETIME),
                    each.sha256);
        }
        PreviewSize after = size(account);
        if (after.items > before.items || after.bytes > before.bytes) { // fewer are allowed even over the limit
            check(after, new PreviewSize(dao.members().room(account, MAX), dao.members().room(account, MAX_BYTES)), others(account, name));
        }
        long emails = items.stream().filter(StagedItem::isEmail).count();
        dao.activity().addOnce(account, ActivityKind.PREVIEW_PUSHED, name, Amount.of(emails, "email"), now);
        return sql.map(String.class, String.class, """
                select item, secret from push_previews
                where account_id = ? and name = ? and secret is not null
                """, account, name);
    }

    private PreviewSize size(long account) {
        return sql.first(PreviewSize.class, """
                select count(*) as items, coalesce(sum(length(x.html)), 0) as bytes
                from push_previews p join texts x on x.id = p.text
                where p.account_id = ?
                """, account).orElseThrow();
    }

    /** Other names with the most previews, for a refusal. */
    private String others(long account, String name) {
        List<String> names = sql.list(String.class, """
                select name || ' (' || count(*) || ')' from push_previews
                where account_id = ? and name <> ?
                group by name
                order by count(*) desc, name
                limit 3
                """, account, name);
        return names.isEmpty() ? "others" : "others, such as " + String.join(", ", names) + ",";
    }

    /** Deletes the previews of a name. @return the number of emails that they showed */
    public int end(long account, String name, Instant now) {
        int emails = (int) sql.number("""
                select count(*) from push_previews
                where account_id = ? and name = ? and secret is not null and expires_at > ?
                """, account, name, now);
        int deleted = sql.update("""
                delete from push_previews
                where account_id = ? and name = ?
                """, account, name);
        if (deleted > 0) {
            dao.activity().addOnce(account, ActivityKind.PREVIEW_ENDED, name, Amount.of(emails, "email"), now);
        }
        return emails;
    }

    /** The email of a preview that {@link ReviewDao#find} has found. @throws StoreException if it is corrupted */
    public PreviewedEmail email(long account, String name, String item) {
        return sql.first("""
                select x.html, p.sha256 from push_previews p
                join texts x on x.id = p.text and x.account_id = p.account_id
                where p.account_id = ? and p.name = ? and p.item = ?
                """, row -> {
            byte[] json = row.bytes("html");
            Digest.check(sql, account, Secret.sha256(json), row.bytes("sha256"), "the preview " + name + " of " + item);
            return PreviewedEmail.of(json);
        }, account, name, item).orElseThrow();
    }

    /**
     * The file of an image in a preview of any account that is not suspended; empty once the preview has expired.
     *
     * @throws StoreException if the file is corrupted
     */
    public Optional<ServedImage> image(byte[] sha256, ImageType type, Instant now) {
        return sql.first("""
                select p.account_id, x.html from push_previews p
                join accounts a on a.id = p.account_id
                join texts x on x.id = p.text and x.account_id = p.account_id
                where p.sha256 = ?1 and instr(p.item, '/') > 0
                  and substr(p.item, instr(p.item, '.') + 1) in (select value from json_each(?2))
                  and p.expires_at > ?3 and a.deleted_at is null and a.suspended_at is null
                limit 1
                """, row -> {
            byte[] file = row.bytes("html");
            Digest.check(sql, row.number("account_id"), Secret.sha256(file), sha256, "the image " + ImageNames.file(sha256, type));
            return new ServedImage(row.number("account_id"), file);
        }, sha256, Sql.array(type.extensions), now);
    }
}
