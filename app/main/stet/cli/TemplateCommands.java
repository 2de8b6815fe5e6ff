package stet.cli;

import static stet.cli.Printer.row;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Locale;
import java.util.Optional;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Amount;
import stet.core.Refusal;
import stet.core.Suggestion;
import stet.core.Timestamp;
import stet.files.AccountFiles;
import stet.files.Export;
import stet.files.Folder;
import stet.files.Import;
import stet.files.Source;
import stet.files.Zip;
import stet.store.Dao;
import stet.store.Db;
import stet.store.StoreException;
import stet.store.VersionDao;

/** The commands on an account's templates: import, export, list, publish, delete, restore. */
final class TemplateCommands {
    private final Config config;
    private final PrintStream out;
    private final PrintStream err;
    private final Clock clock;

    TemplateCommands(Config config, Console console, Clock clock) {
        this.config = config;
        this.out = console.out();
        this.err = console.err();
        this.clock = clock;
    }

    void run() throws IOException {
        switch (config.command()) {
            case IMPORT -> importFiles();
            case EXPORT -> exportFiles();
            case TEMPLATE_LIST -> listTemplates();
            case TEMPLATE_PUBLISH -> publishTemplate();
            case TEMPLATE_RESTORE -> restoreTemplate();
            default -> deleteTemplate();
        }
    }

    private void importFiles() throws IOException {
        String email = config.required(Option.ACCOUNT);
        Path path = Config.path(config.operands().get(0));
        Source source = Files.isRegularFile(path) ? Zip.open(path, Long.MAX_VALUE) : Folder.open(path);
        Import.Publishing publishing = !config.has(Option.PUBLISH) ? Import.Publishing.NONE
                : config.has(Option.FORCE) ? Import.Publishing.FORCED : Import.Publishing.CHECKED;
        boolean dryRun = config.has(Option.DRY_RUN);
        try (AccountFiles files = AccountFiles.toImport(source); Db db = open()) {
            Import work = new Import(db, db.read(dao -> Lookup.account(dao, email)), files, publishing, Actor.COMMAND_LINE, clock);
            try {
                report(dryRun ? work.dryRun() : work.run());
                if (!files.passedOver().isEmpty()) {
                    err.println("Passed over: " + String.join(", ", files.passedOver()));
                }
            } finally {
                if (!dryRun) {
                    sweep(db);
                }
            }
        }
    }

    /** Removes unused data. A full disk does not fail the command, whose work is done. */
    private void sweep(Db db) {
        try {
            db.sweep(clock.instant());
        } catch (StoreException full) {
            // A serve, or the next command, sweeps.
        }
    }

    private void report(Import.Result result) {
        result.blocks().forEach(name -> out.println("block      " + name));
        result.created().forEach(id -> out.println("created    " + id));
        result.changed().forEach(id -> out.println("changed    " + id));
        result.published().forEach(id -> out.println("published  " + id));
        err.println("Templates: " + result.created().size() + " created, " + result.changed().size() + " changed, "
                + result.unchanged() + " unchanged, " + result.published().size() + " published; shared blocks: "
                + result.blocks().size() + " saved"
                + (config.has(Option.DRY_RUN) ? "; this was a dry run, nothing is changed" : ""));
    }

    private void exportFiles() throws IOException {
        String email = config.required(Option.ACCOUNT);
        Path folder = Config.path(config.operands().get(0));
        try (Db db = open()) {
            Account account = db.read(dao -> Lookup.account(dao, email));
            Folder.Target target = new Folder.Target(folder);
            db.read(dao -> {
                if (config.has(Option.PUBLISHED)) {
                    Export.writeServed(dao, account.id(), target);
                } else {
                    Export.write(dao, account.id(), target);
                }
                if (config.has(Option.WITH_ACCOUNT) && !target.writeNew("account.json", Export.account(dao, account))) {
                    err.println("account.json is there already, and was left alone");
                }
                return target;
            });
            target.others().forEach(other -> err.println(other + " is not in the account; it was left alone"));
            err.println(Amount.of(target.count(), "file") + (target.count() == 1 ? " is in " : " are in ") + folder);
        }
    }

    private void listTemplates() {
        try (Db db = open()) {
            if (config.has(Option.TRASH)) {
                new Printer(config, out).printRows(db.read(dao -> dao.trash().list(account(dao).id())).stream().map(deleted ->
                        row(deleted.id(), "deleted", Timestamp.format(deleted.deletedAt()), deleted.name())));
                return;
            }
            new Printer(config, out).printRows(db.read(dao -> dao.templates(account(dao).id())).stream().map(template ->
                    row(template.id(), config.has(Option.JSON) ? template.state().name().toLowerCase(Locale.ROOT)
                            : template.state().words(), Timestamp.format(template.updatedAt()), template.name())));
        }
    }

    private void publishTemplate() {
        try (Db db = open()) {
            Account account = db.read(this::accountWithTemplate);
            Optional<Integer> number = db.write(account,
                    dao -> dao.versions().prepare(account.id(), id(), config.has(Option.FORCE)),
                    (dao, prepared) -> publish(dao, account, prepared));
            err.println(number.map(version -> "The template " + id() + " is published as version " + version)
                    .orElse("The template " + id() + " is served as it is already; nothing was published"));
        }
    }

    /** @return nothing when the draft has changed since it was prepared; within it nothing when that version is served already */
    private Optional<Optional<Integer>> publish(Dao dao, Account account, VersionDao.Prepared prepared) {
        if (!dao.versions().isUnchanged(account.id(), id(), prepared)) {
            return Optional.empty();
        }
        return Optional.of(!dao.versions().isNew(account.id(), id(), prepared) ? Optional.empty()
                : Optional.of(dao.versions().publish(account.id(), id(), prepared, "", clock.instant())));
    }

    private void deleteTemplate() {
        boolean forGood = config.has(Option.FOR_GOOD);
        try (Db db = open()) {
            db.change(dao -> {
                Account account = account(dao);
                if (!forGood || !dao.trash().has(account.id(), id())) {
                    Lookup.checkTemplate(dao, account, id());
                }
                Lookup.checkConfirmed(config, forGood ? "deletes the template " + id() + " with its history for good"
                        : "moves the template " + id() + " into the trash, and its requests get 404");
                if (forGood) {
                    dao.trash().remove(account.id(), id(), clock.instant());
                } else {
                    dao.trash().delete(account.id(), id(), clock.instant());
                }
            });
            db.sweep(clock.instant());
        }
        err.println("The template " + id() + (forGood ? " is deleted" : " is in the trash for 30 days: its next request gets 404"));
    }

    private void restoreTemplate() {
        try (Db db = open()) {
            Account account = db.read(this::account);
            db.write(account, dao -> dao.trash().restorable(account.id(), id()).orElseThrow(() ->
                    dao.hasTemplate(account.id(), id()) ? new Refusal("The template " + id() + " is not in the trash")
                            : Lookup.unknown("template", id(), Suggestion.nearest(id(), dao.trash().ids(account.id())))),
                    (dao, restorable) -> dao.trash().restore(account.id(), id(), restorable, clock.instant())
                            ? Optional.of(true) : Optional.empty());
        }
        err.println("The template " + id() + " is restored as it was");
    }

    private Db open() {
        return Db.open(config.data(), false);
    }

    private String id() {
        return config.operands().get(1);
    }

    private Account account(Dao dao) {
        return Lookup.account(dao, config.operands().get(0));
    }

    /** @throws Refusal when there is no such account, or it has no template of this id */
    private Account accountWithTemplate(Dao dao) {
        Account account = account(dao);
        Lookup.checkTemplate(dao, account, id());
        return account;
    }
}
