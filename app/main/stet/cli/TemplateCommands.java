package stet.cli;

import static stet.cli.Printer.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import stet.base.Amount;
import stet.base.Refusal;
import stet.base.Suggestion;
import stet.base.Timestamp;
import stet.core.Account;
import stet.core.TemplateSummary;
import stet.dao.Dao;
import stet.dao.OldVersionDao.Excess;
import stet.dao.VersionDao;
import stet.files.AccountFiles;
import stet.files.Changes.SavedTexts;
import stet.files.Changes;
import stet.files.Export;
import stet.files.Folder;
import stet.files.Import;
import stet.files.ImportOptions;
import stet.files.Source;
import stet.files.TemplateFile;
import stet.sqlite.Db;
import stet.upkeep.Sweeper;

/** The commands for an account's templates. */
record TemplateCommands(Cli cli) {
    void importFiles() throws IOException {
        String name = cli.config.required(Option.ACCOUNT);
        Path path = Config.path(cli.operand());
        ImportOptions options = ImportOptions.of(PushCommands.publishing(cli.config), cli.config.has(Option.OVERWRITE));
        boolean dryRun = cli.config.has(Option.DRY_RUN);
        try (Source source = Folder.toImport(path); Db db = cli.open()) {
            Account account = db.read(dao -> cli.account(dao, name));
            db.read(dao -> source.withRoomIn(dao, account.id()));
            AccountFiles files = AccountFiles.toImport(source, id -> db.read(dao -> TemplateFile.of(dao, account.id(), id)));
            Import work = new Import(db, account, files, options, cli.author(account), cli.clock);
            try {
                Changes changes = dryRun ? work.dryRun() : work.run();
                checkConflicts(changes, files.isForeign());
                report(changes);
                printNotices(files, changes);
            } finally {
                if (!dryRun) {
                    cli.sweep(db);
                }
            }
        }
    }

    /** @param isForeign see {@link AccountFiles#isForeign} @throws Refusal if conflicts prevented the import */
    private static void checkConflicts(Changes changes, boolean isForeign) {
        if (changes.isRefused()) {
            throw new Refusal(changes.refusal() + ". " + (isForeign
                    ? PushCommands.MERGE + "--overwrite overwrites the HTML, but keeps names, subjects, tags and test data that are missing from the files"
                    : "\"pull\" downloads these changes; --overwrite overwrites them"));
        }
    }

    private void printNotices(AccountFiles files, Changes changes) {
        Stream<String> warnings = changes.findings().warnings().stream().map(warning -> "? " + warning);
        Stream.concat(files.notices().stream(), warnings).distinct().forEach(sentence -> cli.err.println(sentence));
        if (!files.ignored().isEmpty()) {
            cli.err.println("Ignored: " + String.join(", ", files.ignored()));
        }
    }

    private void report(Changes changes) {
        SavedTexts texts = changes.texts();
        texts.blocks().forEach(name -> cli.out.println("block      " + name));
        texts.created().forEach(id -> cli.out.println("created    " + id));
        texts.changed().forEach(id -> cli.out.println("changed    " + id));
        texts.published().forEach(id -> cli.out.println("published  " + id));
        cli.err.println("Templates: " + texts.created().size() + " created, " + texts.changed().size() + " changed, "
                + texts.unchanged() + " unchanged, " + texts.published().size() + " published; shared blocks: "
                + texts.blocks().size() + " saved" + (cli.config.has(Option.DRY_RUN) ? " (dry run; nothing was changed)" : ""));
    }

    void exportFiles() throws IOException {
        String name = cli.config.required(Option.ACCOUNT);
        Path folder = Config.path(cli.operand());
        try (Db db = cli.open()) {
            Account account = db.read(dao -> cli.account(dao, name));
            Folder.FolderTarget target = new Folder.FolderTarget(folder);
            try (target) {
                List<String> notices = db.read(dao -> write(dao, account, target));
                target.commit();
                notices.forEach(cli.err::println);
            }
            target.others().forEach(other -> cli.err.println(other + " is not in the account; the local file was kept"));
            cli.err.println(Amount.of(target.count(), "file") + " exported to " + folder);
        }
    }

    /** @return warnings about files */
    private List<String> write(Dao dao, Account account, Folder.FolderTarget target) {
        List<String> notices = new ArrayList<>();
        if (cli.config.has(Option.PUBLISHED)) {
            Export.writeServed(dao, account.id(), target).forEach(path -> notices.add(path
                    + " exceeds 2 MiB with its shared blocks, so it cannot be imported or used by a test double"));
        } else {
            Export.write(dao, account.id(), target);
        }
        if (cli.config.has(Option.WITH_ACCOUNT) && !target.writeNew("account.json", Export.accountJson(dao, account))) {
            notices.add("account.json already exists and was kept");
        }
        return notices;
    }

    void list() {
        cli.printRows(cli.read(dao -> {
            Account account = cli.account(dao);
            if (cli.config.has(Option.TRASH)) {
                return dao.trash().list(account.id()).stream().map(deleted ->
                        row(deleted.id(), "deleted", Timestamp.format(deleted.deletedAt()), deleted.name())).toList();
            }
            return dao.templates().list(account.id()).stream().map(template ->
                    row(template.id(), cli.config.has(Option.JSON) ? template.state().name().toLowerCase(Locale.ROOT)
                            : template.state().words(), Timestamp.format(template.updatedAt()), template.name())).toList();
        }).stream());
    }

    void publish() {
        try (Db db = cli.open()) {
            Account account = db.read(dao -> {
                Account found = cli.account(dao);
                cli.checkTemplate(dao, found, id());
                return found;
            });
            Optional<Integer> number = db.write(account,
                    dao -> dao.versions().prepare(account.id(), id(), cli.config.has(Option.FORCE)),
                    (dao, prepared) -> publish(dao, account, prepared));
            cli.err.println(number.map(version -> "Template " + id() + " published as version " + version)
                    .orElse("Template " + id() + " is unchanged; nothing was published"));
        }
    }

    /**
     * @return empty if the draft has changed since it was prepared; otherwise an Optional of the new version number, which is itself empty
     *         if the content is already live
     */
    private Optional<Optional<Integer>> publish(Dao dao, Account account, VersionDao.Prepared prepared) {
        if (!dao.versions().isUnchanged(account.id(), id(), prepared)) {
            return Optional.empty();
        }
        return Optional.of(!dao.versions().isNew(account.id(), id(), prepared) ? Optional.empty()
                : Optional.of(dao.versions().publish(account.id(), id(), prepared, "", cli.now())));
    }

    void delete() {
        boolean forGood = cli.config.has(Option.FOR_GOOD);
        cli.delete(dao -> {
            Account account = cli.account(dao);
            if (!forGood || !dao.trash().has(account.id(), id())) {
                cli.checkTemplate(dao, account, id());
            }
            cli.checkConfirmed(forGood ? "permanently deletes template " + id() + " and its history"
                    : "moves template " + id() + " to the trash; requests for the template then get 404");
            if (forGood) {
                dao.trash().remove(account.id(), id(), cli.now());
            } else {
                dao.trash().delete(account.id(), id(), cli.now());
            }
        });
        cli.err.println("Template " + id()
                + (forGood ? " deleted" : " moved to the trash for 30 days; requests for the template now get 404"));
    }

    void restore() {
        try (Db db = cli.open()) {
            Account account = db.read(cli::account);
            db.write(account, dao -> dao.trash().restorable(account.id(), id()).orElseThrow(() -> notInTrash(dao, account)),
                    (dao, restorable) -> dao.trash().restore(account.id(), id(), restorable, cli.now())
                            ? Optional.of(true) : Optional.empty());
        }
        cli.err.println("Template " + id() + " restored");
    }

    private Refusal notInTrash(Dao dao, Account account) {
        return dao.templates().exists(account.id(), id())
                ? new Refusal("Template " + id() + " is not in the trash; \"template list --trash\" shows deleted templates")
                : Cli.unknown("Template", id(), Suggestion.nearest(id(), dao.trash().ids(account.id())));
    }

    /** Deletes old versions of the named template or of all templates. */
    void prune() {
        int keep = cli.config.versionsToKeep();
        try (Db db = cli.open()) {
            Account account = db.read(cli::account);
            List<String> ids = db.read(dao -> {
                if (cli.config.operands().size() == 1) {
                    return dao.templates().list(account.id()).stream().map(TemplateSummary::id).toList();
                }
                cli.checkTemplate(dao, account, id());
                return List.of(id());
            });
            Excess excess = ids.stream().map(id -> db.read(dao -> dao.oldVersions().excess(account.id(), id, keep, cli.now())))
                    .reduce(Excess.NONE, Excess::plus);
            if (excess.versions() > 0) {
                cli.checkConfirmed("permanently deletes " + excess);
            }
            Excess removed = ids.stream().map(id -> new Sweeper(db).prune(account, id, keep, cli.now())).reduce(Excess.NONE, Excess::plus);
            new Sweeper(db).sweep(cli.now());
            cli.err.println(removed.versions() == 0 ? "Nothing to delete beyond the newest " + Amount.of(keep, "version")
                    : removed + " deleted");
        }
    }

    private String id() {
        return cli.config.operands().get(1);
    }
}
