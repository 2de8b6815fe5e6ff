package stet.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import stet.core.Account;
import stet.files.AccountFiles;
import stet.files.AccountState;
import stet.files.Changes;
import stet.files.Export;
import stet.files.Import;
import stet.files.ImportOptions;
import stet.files.LiveTypes;
import stet.files.Source;
import stet.files.Zip;
import stet.sqlite.Db;
import stet.types.Language;

/** An account in the local data folder, which {@code serve} may be using. */
final class DataTarget implements Target {
    private final Cli cli;
    private final Db db;
    private final Account account;
    /** The zip file of a pull, or null. */
    private Path temporary;

    DataTarget(Cli cli) {
        this.cli = cli;
        String name = cli.config.required(Option.ACCOUNT);
        this.db = cli.open();
        try {
            this.account = db.read(dao -> cli.account(dao, name));
        } catch (RuntimeException unknown) {
            db.close();
            throw unknown;
        }
    }

    @Override
    public String name() {
        return account.labelled();
    }

    @Override
    public String account() {
        return account.name();
    }

    @Override
    public String label() {
        return account.label();
    }

    @Override
    public AccountState state() {
        return db.read(dao -> AccountState.of(dao, account));
    }

    @Override
    public void checkRoom(Source files) {
        db.read(dao -> files.withRoomIn(dao, account.id()));
    }

    @Override
    public Changes push(AccountFiles files, ImportOptions options, boolean dryRun) {
        Import work = new Import(db, account, files, options, cli.author(account), cli.clock);
        try {
            return dryRun ? work.dryRun() : work.run();
        } finally {
            if (!dryRun) {
                cli.sweep(db);
            }
        }
    }

    @Override
    public Source pull(boolean published) throws IOException {
        temporary = Files.createTempFile("stet", ".zip");
        db.read(dao -> {
            Zip.write(temporary, out -> Export.pull(dao, account.id(), published, out));
            return temporary;
        });
        return Zip.open(temporary, Long.MAX_VALUE);
    }

    @Override
    public RolledBack rollBack(String template, Integer to, String note) {
        return db.write(account, cli.author(account).checked(dao -> {
            cli.checkTemplate(dao, account, template);
            int of = to != null ? to : dao.versions().beforeLive(account.id(), template);
            return new RolledBack(dao.versions().rollBack(account.id(), template, of, note, cli.now()), of);
        }));
    }

    @Override
    public LiveTypes types(Language language, String name) {
        return db.read(dao -> LiveTypes.of(dao, account, language, name));
    }

    @Override
    public void close() throws IOException {
        try {
            db.close();
        } finally {
            if (temporary != null) {
                Files.deleteIfExists(temporary);
            }
        }
    }
}
