package stet.dao;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import stet.core.Actor;
import stet.core.SecretKind;

/**
 * SQL statements, grouped by subject, for one connection and one author. Statements for maintenance are in the package
 * {@code stet.sqlite}. Methods that change rows must run in a {@code Db} transaction. Statements on one account's rows select them by the
 * account's ID, or by a row ID or secret that belongs to the account.
 */
public final class Dao {
    private final Sql sql;
    private final Actor author;
    /** The transaction's changes so far, for the log. Shared by all authors of the connection. */
    private final List<RecordedChange> recorded;

    /** The statements of one connection. @param author recorded with each change */
    public Dao(Sql sql, Actor author) {
        this(sql, author, new ArrayList<>());
    }

    private Dao(Sql sql, Actor author, List<RecordedChange> recorded) {
        this.sql = sql;
        this.author = author;
        this.recorded = recorded;
    }

    /** The same statements in the same transaction, for another author. */
    public Dao as(Actor author) {
        return new Dao(sql, author, recorded);
    }

    Actor author() {
        return author;
    }

    public Sql sql() {
        return sql;
    }

    /** Changes recorded since this list was last cleared. The owner of the connection clears it when a transaction ends. */
    public List<RecordedChange> recorded() {
        return recorded;
    }

    public AccountDao accounts() {
        return new AccountDao(this);
    }

    public ActivityDao activity() {
        return new ActivityDao(this);
    }

    public BlockDao blocks() {
        return new BlockDao(this);
    }

    public SecretDao secrets(SecretKind kind) {
        return new SecretDao(this, kind);
    }

    public SecretDao keys() {
        return secrets(SecretKind.KEY);
    }

    public DetailsDao details() {
        return new DetailsDao(this);
    }

    public LibraryDao library() {
        return new LibraryDao(this);
    }

    public LinkDao links() {
        return new LinkDao(this);
    }

    public WebhookDao webhooks() {
        return new WebhookDao(this);
    }

    public MailDao mails() {
        return new MailDao(this);
    }

    public MailQueueDao mailQueue() {
        return new MailQueueDao(this);
    }

    public BrandDao brands() {
        return new BrandDao(this);
    }

    public MailChoiceDao mailChoices() {
        return new MailChoiceDao(this);
    }

    public MailClientDao mailClients() {
        return new MailClientDao(this);
    }

    public UserDao users() {
        return new UserDao(this);
    }

    public MemberDao members() {
        return new MemberDao(this);
    }

    public PublicationRequestDao requests() {
        return new PublicationRequestDao(this);
    }

    public RequestLogDao requestLog() {
        return new RequestLogDao(this);
    }

    public CommentDao comments() {
        return new CommentDao(this);
    }

    public ReviewDao reviews() {
        return new ReviewDao(this);
    }

    public PushPreviewDao pushPreviews() {
        return new PushPreviewDao(this);
    }

    public TwoFactorDao twoFactors() {
        return new TwoFactorDao(this);
    }

    public SessionDao sessions() {
        return new SessionDao(this);
    }

    /** @param id the import's ID, unique per {@code Db} */
    public StagedDao staged(long id) {
        return new StagedDao(this, id);
    }

    public SourceDao sources() {
        return new SourceDao(this);
    }

    public StorageDao storage() {
        return new StorageDao(this);
    }

    public SecretDao tokens() {
        return secrets(SecretKind.TOKEN);
    }

    public TrashDao trash() {
        return new TrashDao(this);
    }

    public UsageDao usage() {
        return new UsageDao(this);
    }

    public VersionDao versions() {
        return new VersionDao(this);
    }

    public OldVersionDao oldVersions() {
        return new OldVersionDao(this);
    }

    public SampleDao sampleSets() {
        return new SampleDao(this);
    }

    public ImageDao images() {
        return new ImageDao(this);
    }

    public GarbageDao garbage() {
        return new GarbageDao(this);
    }

    public TemplateDao templates() {
        return new TemplateDao(this);
    }

    /**
     * Checks that the tables needed to serve a template can be read, by looking up a key and template that do not exist.
     *
     * @return false, because they do not exist
     * @throws StoreException if a table cannot be read
     */
    public boolean probeRead() {
        return keys().access(new byte[0]).isPresent() || templates().published(0, "").isPresent() || templates().exists(0, "");
    }

    /** Tests disk writes by inserting and deleting a row. Setting a row to its current value might not write a page. */
    public void probeWrite() {
        sql.update("insert into opened (number) values (0)");
        sql.update("delete from opened where rowid = last_insert_rowid()");
    }

    /**
     * Runs work in a savepoint. If the work throws, only its own changes are rolled back, and the transaction can continue unless SQLite
     * has ended it.
     */
    public <T> T nested(Supplier<T> work) {
        int before = recorded.size();
        sql.transaction("savepoint nested");
        try {
            T result = work.get();
            sql.transaction("release nested");
            return result;
        } catch (Throwable failure) {
            recorded.subList(before, recorded.size()).clear();
            try {
                sql.transaction("rollback to nested");
                sql.transaction("release nested");
            } catch (StoreException ended) {
                failure.addSuppressed(ended); // SQLite may roll back the whole transaction, for example if the disk is full
            }
            throw failure;
        }
    }

    /** Adds an immutable text. @return its ID */
    public long addText(long account, byte[] html) {
        sql.update("""
                insert into texts (account_id, html)
                values (?, ?)
                """, account, html);
        return sql.number("select last_insert_rowid()");
    }
}
