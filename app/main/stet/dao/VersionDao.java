package stet.dao;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.Utf8;
import stet.core.Activity.ActivityKind;
import stet.core.Draft;
import stet.core.TagList;
import stet.core.Template;
import stet.core.Validation;
import stet.core.Version;
import stet.markup.Publisher.Expansion;
import stet.markup.Publisher;

/**
 * Templates' versions. Publishing reads and expands the draft before the transaction, which then checks that the draft and its
 * blocks are unchanged and adds the version. {@link OldVersionDao} removes old versions.
 */
public final class VersionDao {
    /** A template's row number. Unlike a join, this subquery lets SQLite read versions in index order, up to a limit. */
    static final String TEMPLATE = "(select row from templates where account_id = ?1 and id = ?2 and deleted_at is null)";
    /** The columns of a {@link Version}. */
    private static final String VERSION = "v.number, v.published_at, v.published_by, v.note, v.sha256, length(x.html) as bytes";
    /** The newest versions. The limit keeps the search short enough for a write transaction. */
    private static final String NEWEST = """
            select sha256, draft_sha256, text, draft_text from versions
            where template = %s
            order by number desc
            limit 100
            """.formatted(TEMPLATE);

    private final Sql sql;
    private final Dao dao;

    VersionDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /**
     * An expanded draft, ready to be published.
     *
     * @param draft   SHA-256 of the draft: subject, NUL, HTML
     * @param sha256  the expanded HTML's SHA-256
     * @param isDraft whether the expanded HTML equals the draft's HTML
     */
    public record Prepared(Expansion publication, byte[] draft, byte[] sha256, boolean isDraft) {
        /** @param html the draft's HTML @param draft as in the record */
        public static Prepared of(byte[] html, byte[] draft, Expansion publication) {
            return new Prepared(publication, draft, Secret.sha256(publication.html()), Arrays.equals(html, publication.html()));
        }
    }

    /** Creates a publisher for one draft, using the account's shared blocks. */
    public Publisher publisher(long account) {
        return new Publisher(name -> dao.blocks().text(account, name));
    }

    /**
     * Reads and expands a draft.
     *
     * @param force whether to publish despite errors in the draft
     * @throws Refusal        if the template does not exist, or if its draft cannot be published
     * @throws StoreException if the draft or one of its blocks is corrupted
     */
    public Prepared prepare(long account, String id, boolean force) {
        Template template = dao.templates().find(account, id).orElseThrow(() -> new Refusal("id", "Template " + id + " not found"));
        String html = Utf8.text(template.html());
        Prepared prepared = Prepared.of(template.html(), Draft.sha256(template.subject(), template.html()),
                publisher(account).publish(template.subject(), html, force));
        if (!isUnchanged(account, id, prepared)) { // the draft was read in the same transaction, so a difference means corruption
            throw Digest.mismatch(sql, account, "the draft of template " + id);
        }
        return prepared;
    }

    /** Whether the draft and its blocks are unchanged since they were prepared. */
    public boolean isUnchanged(long account, String id, Prepared prepared) {
        return dao.templates().isDraft(account, id, prepared.draft)
                && dao.blocks().areUnchanged(account, prepared.publication.blocks());
    }

    /** Whether the prepared version differs from the live version in its served text, draft or shared blocks. */
    public boolean isNew(long account, String id, Prepared prepared) {
        return !sql.exists("""
                select 1 from templates t join versions v on v.template = t.row and v.number = t.published
                where t.account_id = ? and t.id = ? and t.deleted_at is null and v.subject = ? and v.sha256 = ?
                  and v.draft_sha256 = ?
                """, account, id, prepared.publication.subject(), prepared.sha256, prepared.draft)
                || !hasBlocks(account, id, prepared.publication.blocks());
    }

    /** Whether the live version was made from a draft with this HTML. */
    public boolean isLiveDraftHtml(long account, String id, byte[] html) {
        return sql.exists("""
                select 1
                from templates t
                join versions v on v.template = t.row and v.number = t.published
                join texts x on x.id = v.draft_text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ? and t.deleted_at is null and x.html = ?
                """, account, id, html);
    }

    /** Whether the live version has exactly these shared blocks. @param blocks SHA-256 by name */
    private boolean hasBlocks(long account, String id, Map<String, byte[]> blocks) {
        Map<String, byte[]> live = sql.map(String.class, byte[].class, """
                select u.block, u.sha256
                from templates t join version_blocks u on u.template = t.row and u.number = t.published
                where t.account_id = ? and t.id = ? and t.deleted_at is null
                """, account, id);
        return live.keySet().equals(blocks.keySet())
                && blocks.entrySet().stream().allMatch(block -> Arrays.equals(block.getValue(), live.get(block.getKey())));
    }

    /** Publishes a draft. @return the new version's number @throws Refusal as {@link #prepare} does, also if the draft has errors */
    public int publish(long account, String id, String note, Instant now) {
        return publish(account, id, prepare(account, id, false), note, now);
    }

    /**
     * Adds a version and makes it live. If the draft was prepared in an earlier transaction, the caller must have checked
     * {@link #isUnchanged}.
     *
     * @return the version's number
     */
    public int publish(long account, String id, Prepared prepared, String note, Instant now) {
        Expansion publication = prepared.publication;
        long template = dao.templates().row(account, id);
        long draft = sql.number("select text from templates where row = ?", template);
        long text = prepared.isDraft ? draft : text(account, id, prepared.sha256, publication.html())
                .orElseGet(() -> dao.addText(account, publication.html()));
        VersionRow version = nextRow(account, id, prepared, dao.author().name(), Validation.note(note), now);
        add(template, version, text, draft);
        publication.blocks().forEach((block, sha256) -> sql.update("""
                insert into version_blocks (template, number, block, sha256)
                values (?, ?, ?, ?)
                """, template, version.number(), block, sha256));
        dao.requests().end(account, template);
        makeLive(account, id, template, version.number(), note, now);
        return version.number();
    }

    /** Builds the row of a template's next version. @param author name of the user or token that publishes */
    public VersionRow nextRow(long account, String id, Prepared prepared, String author, String note, Instant now) {
        Expansion publication = prepared.publication;
        String blocks = publication.blocks().isEmpty() ? null : new TreeMap<>(publication.blocks()).entrySet().stream()
                .map(block -> block.getKey() + " " + HexFormat.of().formatHex(block.getValue())).collect(Collectors.joining("\n"));
        return new VersionRow(id, next(dao.templates().row(account, id)), now, author, note, prepared.sha256, prepared.draft,
                String.join("\n", publication.variables()), publication.subject(), blocks);
    }

    /** Adds a version's row. The caller adds the blocks. @param template the template's row number */
    private void add(long template, VersionRow version, long text, long draftText) {
        sql.update("""
                insert into versions (
                  template, number, published_at, note, sha256, draft_sha256, row_sha256, variables, subject, text, draft_text,
                  published_by)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, template, version.number(), version.publishedAt(), version.note(), version.sha256(), version.draftSha256(),
                version.digest(), version.variables(), version.subject(), text, draftText, version.publishedBy());
    }

    /** Finds an identical text in the newest versions, so that it can be reused. @param sha256 the HTML's SHA-256 */
    public Optional<Long> text(long account, String id, byte[] sha256, byte[] html) {
        return same("text", "sha256", account, id, sha256, html);
    }

    /** Finds an identical draft text in the newest versions, so that it can be reused. @param sha256 the draft's SHA-256 */
    public Optional<Long> draftText(long account, String id, byte[] sha256, byte[] html) {
        return same("draft_text", "draft_sha256", account, id, sha256, html);
    }

    private Optional<Long> same(String text, String digest, long account, String id, byte[] sha256, byte[] html) {
        return sql.first("""
                select x.id
                from (%s) v cross join texts x on x.id = v.%s -- in this order
                where v.%s = ?3 and x.html = ?4
                limit 1
                """.formatted(NEWEST, text, digest), row -> row.number("id"), account, id, sha256, html);
    }

    /** Publishes an earlier version again as a new version. @return the new number; empty for an unknown version */
    public Optional<Integer> publishAgain(long account, String id, int number, String note, Instant now) {
        long template = dao.templates().row(account, id);
        int next = next(template);
        Optional<Stored> before = sql.first("""
                select %s, v.text, v.draft_text
                from templates t join versions v on v.template = t.row
                where t.account_id = ? and t.id = ? and t.deleted_at is null and v.number = ?
                """.formatted(VersionRow.COLUMNS), row -> row.as(Stored.class), account, id, number);
        if (before.isEmpty()) {
            return Optional.empty();
        }
        VersionRow old = before.get().version;
        add(template, new VersionRow(id, next, now, dao.author().name(), Validation.note(note), old.sha256(), old.draftSha256(),
                old.variables(), old.subject(), old.blocks()), before.get().text, before.get().draftText);
        sql.update("""
                insert into version_blocks (template, number, block, sha256)
                select template, ?3, block, sha256 from version_blocks
                where template = ?1 and number = ?2
                """, template, number, next);
        makeLive(account, id, template, next, note, now);
        return Optional.of(next);
    }

    /**
     * The newest version older than the first one with the live subject and HTML, so that a second rollback goes back further.
     *
     * @throws Refusal if there is no such version
     */
    public int beforeLive(long account, String id) {
        return sql.first(Integer.class, """
                select v.number
                from templates t
                join versions live on live.template = t.row and live.number = t.published
                join versions v on v.template = t.row and v.number < live.number
                where t.account_id = ? and t.id = ? and t.deleted_at is null
                  and v.number < (
                    select min(number) from versions
                    where template = t.row and sha256 = live.sha256 and subject = live.subject)
                order by v.number desc
                limit 1
                """, account, id).orElseThrow(() -> new Refusal("to", "Template " + id + " has no earlier version to roll back to"));
    }

    /**
     * Publishes an earlier version again as a new version. Also records that the files' author knows the new version, so that the
     * author's next push may replace it.
     *
     * @return the new number
     * @throws Refusal        if the version is live or unknown
     * @throws StoreException if the version is corrupted
     */
    public int rollBack(long account, String id, int number, String note, Instant now) {
        if (live(account, id).filter(live -> live.number() == number).isPresent()) {
            throw new Refusal("to", "Version " + number + " is already live");
        }
        int next = find(account, id, number).flatMap(intact -> publishAgain(account, id, number, note, now))
                .orElseThrow(() -> new Refusal("to", "Template " + id + " has no version " + number));
        dao.sources().recordRollback(account, id);
        return next;
    }

    private record Stored(VersionRow version, long text, long draftText) {
    }

    /** Makes a version live, and records that. @param template the template's row number */
    private void makeLive(long account, String id, long template, int number, String note, Instant now) {
        sql.update("""
                update templates
                set published = ?3, updated_at = ?4
                where account_id = ?1 and row = ?2 and deleted_at is null
                """, account, template, number, now);
        dao.sources().recordPublication(account, id);
        dao.accounts().incrementContentRevision(account);
        dao.activity().add(account, ActivityKind.TEMPLATE_PUBLISHED, id, number, note, now);
    }

    private int next(long template) {
        return 1 + (int) sql.number("select max(number) from versions where template = ?", template);
    }

    /**
     * Finds a version with its text and its draft's text.
     *
     * @throws StoreException if the version or either text is corrupted
     */
    public Optional<Version.VersionText> find(long account, String id, int number) {
        return sql.first("""
                select %s, length(x.html) as bytes, x.html, d.html as draft_html
                from templates t
                join versions v on v.template = t.row
                join texts x on x.id = v.text and x.account_id = t.account_id
                join texts d on d.id = v.draft_text and d.account_id = t.account_id
                where t.account_id = ? and t.id = ? and t.deleted_at is null and v.number = ?
                """.formatted(VersionRow.COLUMNS), row -> {
            Version.VersionText found = new Version.VersionText(row.as(Version.class), row.text("subject"), row.bytes("html"),
                    TagList.ofLines(row.text("variables")), row.bytes("draft_html"));
            check(sql, account, row, found.html());
            Digest.check(sql, account, Draft.sha256(found.subject(), found.draftHtml()), row.bytes("draft_sha256"),
                    "the draft of version " + number + " of template " + id);
            return found;
        }, account, id, number);
    }

    /** @param row a row with {@link VersionRow#COLUMNS} @throws StoreException if the HTML or the row is corrupted */
    static void check(Sql sql, long account, Row row, byte[] html) throws SQLException {
        String version = "version " + row.integer("number") + " of template " + row.text("template");
        Digest.check(sql, account, Secret.sha256(html), row.bytes("sha256"), version);
        Digest.check(sql, account, row.as(VersionRow.class).digest(), row.bytes("row_sha256"), version);
    }

    /** Lists a template's versions, newest first. @param before lists only versions with lower numbers */
    public List<Version> list(long account, String id, long before, int limit) {
        return sql.list(Version.class, """
                select %s
                from versions v join texts x on x.id = v.text and x.account_id = ?1
                where v.template = %s and v.number < ?3
                order by v.number desc
                limit ?4
                """.formatted(VERSION, TEMPLATE), account, id, before, limit);
    }

    /** Variables of the live version; an empty list if nothing is live. */
    public List<String> variables(long account, String id) {
        return sql.first("""
                select v.variables
                from templates t join versions v on v.template = t.row and v.number = t.published
                where t.account_id = ? and t.id = ? and t.deleted_at is null
                """, row -> TagList.ofLines(row.text("variables")), account, id).orElse(List.of());
    }

    /** The served version without its text; empty if the template was never published. */
    public Optional<Version> live(long account, String id) {
        return sql.first(Version.class, """
                select %s
                from templates t
                join versions v on v.template = t.row and v.number = t.published
                join texts x on x.id = v.text and x.account_id = t.account_id
                where t.account_id = ? and t.id = ? and t.deleted_at is null
                """.formatted(VERSION), account, id);
    }
}
