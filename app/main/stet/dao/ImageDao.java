package stet.dao;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.base.Amount;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Activity.ActivityKind;
import stet.core.ImageNames;
import stet.core.ImageType;
import stet.core.LimitChange;
import stet.core.Validation;
import stet.images.ImageFile;

/**
 * Images' files. A name is a shared block, see {@link BlockDao}; a file belongs to an account and stays when its name gets another one,
 * because versions and sent emails use its address.
 *
 * <pre>
 * images/logo.png ─► the current file ─┐
 * version ─────────► its files ────────┴─► images ─► texts, one per account and SHA-256
 * </pre>
 */
public final class ImageDao {
    /** Maximum number of files per account. */
    static final int MAX_FILES = 10_000;
    /** Maximum number of users of an image that are named in an error. */
    private static final int MAX_NAMED = 20;
    /** Number of days whose requests the page shows. */
    private static final int SHOWN_DAYS = 30;
    /** Number of days for which the numbers of requests are kept. */
    private static final int KEPT_DAYS = 62;

    private final Sql sql;
    private final Dao dao;

    ImageDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    // ---- addresses

    /** The start of all addresses, without a slash at the end. */
    public String url() {
        return sql.first(String.class, "select url from image_settings").orElseThrow();
    }

    /** Sets the start of addresses. Versions keep the addresses that they were published with. */
    public void setUrl(String url) {
        sql.update("update image_settings set url = ?1 where url <> ?1", url);
    }

    /** Sets the default limit of files per account. */
    public void setDefaultLimit(long bytes) {
        sql.update("update image_settings set bytes = ?1 where bytes <> ?1", bytes);
    }

    /** The address of an image by its full name; empty for an unknown one. */
    Optional<String> address(long account, String name) {
        return sql.first("""
                select sha256, (select url from image_settings) as url from blocks
                where account_id = ? and name = ? and kind = 'image'
                """, row -> row.text("url") + "/" + ImageNames.file(row.bytes("sha256"), ImageType.ofName(name)), account, name);
    }

    /** A file and an account that has it. */
    public record ServedImage(long account, byte[] bytes) {
    }

    /**
     * The file that an address serves, from any account that has it and is not suspended.
     *
     * @throws StoreException if the file is corrupted
     */
    public Optional<ServedImage> served(byte[] sha256, ImageType type) {
        return sql.first("""
                select i.account_id, x.html from images i
                join accounts a on a.id = i.account_id
                join texts x on x.id = i.text and x.account_id = i.account_id
                where i.sha256 = ? and i.type = ? and a.deleted_at is null and a.suspended_at is null
                limit 1
                """, row -> {
            byte[] bytes = row.bytes("html");
            Digest.check(sql, row.number("account_id"), Secret.sha256(bytes), sha256, "the image " + ImageNames.file(sha256, type));
            return new ServedImage(row.number("account_id"), bytes);
        }, sha256, type.extension());
    }

    // ---- saving

    /**
     * Adds an image or replaces its file, and updates {@code updated_at} of the templates that use it.
     *
     * @param name the full name
     * @return false if the image already has this file
     * @throws Refusal if the name's extension is that of another format, or a limit is reached
     */
    public boolean save(long account, String name, ImageFile file, Instant now) {
        ImageNames.checkType("name", name, file.type());
        ImageUse before = use(account);
        byte[] sha256 = Secret.sha256(file.bytes());
        long text = textId(account, sha256).orElseGet(() -> dao.addText(account, file.bytes()));
        add(account, new NewImage(name, sha256, text, file.type().extension(), file.bytes().length, file.width(), file.height()), now);
        boolean isSaved = dao.blocks().save(account, name, sha256, () -> text, List.of(), now);
        checkGrowth(account, before);
        return isSaved;
    }

    /** An image whose file is in {@code texts}. @param name the full name @param type the extension of its format */
    record NewImage(String name, byte[] sha256, long text, String type, long bytes, int width, int height) {
    }

    /** Adds an image's file, unless the account already has it. The caller saves the name. */
    void add(long account, NewImage image, Instant now) {
        sql.update("""
                insert into images (account_id, sha256, text, type, bytes, width, height, last_name, added_at, added_by)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                on conflict do update
                set last_name = excluded.last_name
                """, account, image.sha256, image.text, image.type, image.bytes, image.width, image.height, image.name, now, dao.author().name());
    }

    /** ID of the text that holds a file which the account already has, even if a corrupted database has only its name. */
    public Optional<Long> textId(long account, byte[] sha256) {
        return sql.first(Long.class, """
                select text from images
                where account_id = ?1 and sha256 = ?2
                union all
                select text from blocks
                where account_id = ?1 and kind = 'image' and sha256 = ?2
                limit 1
                """, account, sha256);
    }

    /** An account's files and their limit. */
    public record ImageRoom(long files, long bytes, long limit) {
    }

    public ImageRoom room(long account) {
        return sql.first(ImageRoom.class, """
                select count(i.text) as files, coalesce(sum(i.bytes), 0) as bytes,
                  coalesce(a.image_limit, (select bytes from image_settings)) as "limit"
                from accounts a left join images i on i.account_id = a.id
                where a.id = ?
                """, account).orElse(new ImageRoom(0, 0, 0));
    }

    /** An account's files and the number of its images. */
    record ImageUse(ImageRoom room, long names) {
    }

    ImageUse use(long account) {
        return new ImageUse(room(account), sql.number("select count(*) from blocks where account_id = ? and kind = 'image'", account));
    }

    /**
     * Checks the limits after images were added or replaced. Like {@link StorageDao#bounded}, rejects only what adds to an account that is over
     * its limit, so that its authors can still replace an image with a file that they have.
     *
     * @param before the account's use before the change
     * @throws Refusal if the account has more images or files than before and than its author may add
     */
    void checkGrowth(long account, ImageUse before) {
        ImageUse after = use(account);
        long limit = after.room.limit;
        long bytes = dao.members().room(account, limit);
        if (after.room.bytes > Math.max(bytes, before.room.bytes)) {
            throw new Refusal("file", "The images would take " + Amount.bytes(after.room.bytes, bytes)
                    + "; the limit" + (bytes < limit ? " for writers" : "") + " is " + Amount.bytes(bytes, after.room.bytes)
                    + ". Delete unused files on the page Images, or ask an administrator for a higher limit");
        }
        long files = dao.members().room(account, MAX_FILES);
        if (after.room.files > Math.max(files, before.room.files)) {
            throw new Refusal("file", "Image file limit " + MemberDao.reachedText(files, MAX_FILES) + "; delete unused files on the page Images");
        }
        long names = dao.members().room(account, Validation.IMAGES);
        if (after.names > Math.max(names, before.names)) {
            throw new Refusal("name", "Image limit " + MemberDao.reachedText(names, Validation.IMAGES) + "; delete an image first");
        }
    }

    /** An account's limit of files in bytes; empty for the default. */
    public Optional<Long> ownLimit(long account) {
        return sql.first(Long.class, "select image_limit from accounts where id = ? and image_limit is not null", account);
    }

    /** Sets an account's limit of files in bytes; null for the default. */
    public void changeLimit(long account, Long bytes, Instant now) {
        int changed = sql.update("""
                update accounts
                set image_limit = ?1
                where id = ?2 and image_limit is not ?1
                """, bytes, account);
        if (changed > 0) {
            dao.activity().addLimits(account, new LimitChange.OfBytes(LimitChange.ByteLimit.IMAGES, bytes), now);
        }
    }

    // ---- the page

    /**
     * A file.
     *
     * @param name     the full name that has this file now; null for a file without a name
     * @param lastName the full name that it had last
     * @param revision the name's revision, or 0
     * @param drafts   number of drafts and blocks that include the name
     * @param versions number of versions with this file
     * @param live     number of live versions with this file
     * @param requests number of requests for its address in the last 30 days; null if an account without a common member also has the file,
     *                 because the requests may be for its emails
     * @param today    number of them today, or null
     */
    public record ImageRow(String name, String lastName, byte[] sha256, String type, long bytes, int width, int height, long revision,
                           Instant addedAt, String addedBy, long drafts, long versions, long live, Long requests, Long today) {
        /** The file name in addresses. */
        public String file() {
            return fileName(sha256, type);
        }
    }

    private static String fileName(byte[] sha256, String type) {
        return ImageNames.file(sha256, ImageType.ofExtension(type).orElseThrow());
    }

    /** All files: first those with a name, by name, then others, newest first. A file with several names is listed for each. */
    public List<ImageRow> list(long account, long today) {
        return sql.list(ImageRow.class, """
                with strangers as (
                  select distinct i.sha256
                  from images i
                  join images o on o.sha256 = i.sha256 and o.account_id <> i.account_id
                  join accounts a on a.id = o.account_id
                  where i.account_id = ?1 and a.deleted_at is null and not exists (
                    select 1 from members m join members n on n.user_id = m.user_id
                    where m.account_id = i.account_id and n.account_id = o.account_id))
                select b.name, i.last_name, i.sha256, i.type, i.bytes, i.width, i.height, coalesce(b.revision, 0) as revision,
                  i.added_at, i.added_by,
                  (select count(*) from includes where account_id = ?1 and block = b.name) as drafts,
                  (select count(*) from version_blocks u join templates t on t.row = u.template
                   where u.sha256 = i.sha256 and instr(u.block, '/') > 0 and t.account_id = ?1 and t.removed_at is null) as versions,
                  (select count(*) from version_blocks u join templates t on t.row = u.template and t.published = u.number
                   where u.sha256 = i.sha256 and instr(u.block, '/') > 0 and t.account_id = ?1 and t.deleted_at is null) as live,
                  iif(s.sha256 is null, coalesce((
                    select sum(requests) from image_requests where sha256 = i.sha256 and day > ?2 - ?3), 0), null) as requests,
                  iif(s.sha256 is null, coalesce((
                    select requests from image_requests where sha256 = i.sha256 and day = ?2), 0), null) as today
                from images i
                left join strangers s on s.sha256 = i.sha256
                left join blocks b on b.account_id = i.account_id and b.kind = 'image' and b.sha256 = i.sha256
                where i.account_id = ?1
                order by b.name is null, b.name, i.added_at desc, i.sha256
                """, account, today, SHOWN_DAYS);
    }

    /** An image by its full name. */
    public record CurrentImage(byte[] sha256, int width, int height, long bytes, long revision) {
    }

    public Optional<CurrentImage> named(long account, String name) {
        return sql.first(CurrentImage.class, """
                select b.sha256, i.width, i.height, i.bytes, b.revision from blocks b
                join images i on i.account_id = b.account_id and i.sha256 = b.sha256
                where b.account_id = ? and b.name = ? and b.kind = 'image'
                """, account, name);
    }

    /**
     * Deletes a file for good: its address returns 404 from now on, also in emails that were sent.
     *
     * @return whether the file existed
     * @throws Refusal if an image or a version uses the file
     */
    public boolean deleteFile(long account, byte[] sha256, Instant now) {
        List<String> users = sql.list(String.class, """
                select name from blocks
                where account_id = ?1 and kind = 'image' and sha256 = ?2
                union all
                select 'version ' || u.number || ' of template ' || t.id || iif(t.deleted_at is null, '', ' in the trash')
                from version_blocks u join templates t on t.row = u.template
                where u.sha256 = ?2 and instr(u.block, '/') > 0 and t.account_id = ?1 and t.removed_at is null
                limit ?3
                """, account, sha256, MAX_NAMED);
        if (!users.isEmpty()) {
            throw new Refusal("The file is still used by " + String.join(", ", users)
                    + (users.size() == MAX_NAMED ? " and perhaps others" : "") + "; delete it only when no image and no version uses it");
        }
        Optional<UnusedFile> unused = sql.first(UnusedFile.class, """
                select text, type, last_name from images
                where account_id = ? and sha256 = ?
                """, account, sha256);
        unused.ifPresent(file -> {
            dao.garbage().add(file.text);
            sql.update("delete from images where account_id = ? and sha256 = ?", account, sha256);
            dao.activity().add(account, ActivityKind.IMAGE_FILE_DELETED, file.lastName, fileName(sha256, file.type), now);
        });
        return unused.isPresent();
    }

    private record UnusedFile(long text, String type, String lastName) {
    }

    // ---- requests

    /** Adds requests of a day for a file, if an account has it. */
    public void addRequests(byte[] sha256, long day, long requests) {
        sql.update("""
                insert into image_requests (sha256, day, requests)
                select ?1, ?2, ?3 where exists (select 1 from images where sha256 = ?1)
                on conflict do update
                set requests = requests + excluded.requests
                """, sha256, day, requests);
    }

    /** The first day whose numbers of requests are kept. */
    static long firstKeptDay(long today) {
        return today - KEPT_DAYS;
    }
}
