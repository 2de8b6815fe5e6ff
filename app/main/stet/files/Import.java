package stet.files;

import java.time.Clock;
import java.util.Map;
import java.util.function.Supplier;
import stet.base.Refusal;
import stet.core.Account;
import stet.dao.Author;
import stet.dao.PushPreviewDao;
import stet.dao.SourceDao.OriginKind;
import stet.files.ImportTry.ImportWork;
import stet.sqlite.Db;
import stet.sqlite.ImportTarget;
import stet.sqlite.PreviewStaging;
import stet.sqlite.Staging;

/**
 * Saves files as an account's templates and blocks, all of them or none. The same for pushes, imports, zip files and copies; seeds differ in
 * their target only ({@link Seed}).
 *
 * <pre>
 * heads of the account ─► ImportTry: decides, and stages in short transactions ─► commit: one short transaction applies it ─► done
 *          ▲                  └─► conflicts, or a dry run: done                     │
 *          └────────── the account has changed: begin again, with what still holds ─┘
 * </pre>
 */
public final class Import {
    /** Maximum number of times that the files are compared if other users keep changing the account. */
    private static final int MAX_TRIES = 8;

    private final Db db;
    private final Account account;
    private final Author author;
    private final ImportWork work;

    public Import(Db db, Account account, AccountFiles files, ImportOptions options, Author author, Clock clock) {
        this.db = db;
        this.account = account;
        this.author = author;
        this.work = new ImportWork(db::read, account.id(), files, options, clock);
    }

    /**
     * Applies all changes. If there are conflicts and overwriting is not allowed, applies no changes and returns the conflicts.
     *
     * @throws Refusal if a file cannot be imported or a draft cannot be published (the message names the file), or if the account keeps
     *         changing
     */
    public Changes run() {
        try (Staging staging = new Staging(db, account, author, work.options().origin(), work.clock().instant())) {
            AccountHeads heads = heads();
            Decisions earlier = Decisions.NONE;
            for (int left = MAX_TRIES; left > 0; left--) {
                ImportTry current = new ImportTry(work, heads, staging);
                Changes changes = current.run(earlier);
                boolean isNothing = changes.isEmpty() && staging.isEmpty();
                if (changes.isRefused() || isNothing) {
                    return changes;
                }
                if (commit(current, changes, heads, staging)) {
                    return changes;
                }
                AccountHeads latest = heads();
                earlier = latest.revision() == heads.revision() ? Decisions.NONE : current.stillValid(latest); // the same: staged texts were deleted
                if (earlier.blocks().isPresent()) {
                    current.outdated(earlier).forEach(staging::remove);
                } else {
                    staging.clear();
                }
                heads = latest;
            }
        }
        throw new Refusal("The account was changed during the import. Nothing was imported. Try again");
    }

    /** @return false if the account has changed since the try, or garbage collection has deleted the staged texts */
    private boolean commit(ImportTry current, Changes changes, AccountHeads heads, Staging staging) {
        String detail = work.options().origin().how() == OriginKind.IMPORT ? changes.inWords() : "";
        return staging.commit(heads.revision(), detail, changes.texts().published().size(), current::prune, work.clock().instant());
    }

    /** Reports the changes that {@link #run} would make, without writing. */
    public Changes dryRun() {
        return new ImportTry(work, heads(), ImportTarget.NONE).run(Decisions.NONE);
    }

    /**
     * Makes a preview of each email that {@link #run} would change; see {@link PushPreviewDao}. Changes nothing else in the account.
     *
     * @param name    replaces the earlier previews of this name
     * @param secrets makes secrets for new links
     * @param start   the links without their secrets
     * @return the changes that {@link #run} would make, with the links; if there are conflicts, without any, and earlier previews stay
     */
    public Changes preview(String name, Supplier<String> secrets, String start) {
        ImportTry current = new ImportTry(work, heads(), ImportTarget.NONE);
        Changes changes = current.run(Decisions.NONE);
        if (changes.isRefused()) {
            return changes;
        }
        try (PreviewStaging staging = new PreviewStaging(db, account, author, work.clock().instant())) {
            current.preview(changes, staging::add);
            Map<String, String> links = staging.commit(name, secrets);
            links.replaceAll((id, secret) -> start + secret);
            return changes.withPreviews(links);
        }
    }

    private AccountHeads heads() {
        return db.read(author.checked(dao -> AccountHeads.of(dao, account.id(), work.options().origin().how() == OriginKind.COPY)));
    }
}
