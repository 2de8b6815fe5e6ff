package stet.files;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import stet.base.FileNames;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Draft;
import stet.core.ImageNames;
import stet.core.Password;
import stet.core.Samples;
import stet.core.TemplateDetails;
import stet.dao.Dao;
import stet.dao.VersionDao;
import stet.files.ImportTry.AccountReader;
import stet.files.ImportTry.ImportWork;
import stet.images.ImageFile;
import stet.sqlite.ImportTarget;

/**
 * A complete account read from its folder.
 *
 * @param folder prefix of file names in error messages: the folder's name and a slash, or empty
 */
public record Seed(String folder, AccountJson settings, AccountFiles files) {
    /**
     * Reads the folder's account if the folder contains an account.json, otherwise each subfolder's account, except in hidden folders.
     *
     * @throws Refusal if a file is invalid; the message names the file and, if known, the field
     */
    public static List<Seed> read(Path folder) throws IOException {
        List<Path> inside = Folder.list(folder);
        List<String> names = inside.stream().map(FileNames::last).toList();
        if (names.contains(AccountPath.ACCOUNT)) {
            return List.of(read("", folder));
        }
        Path whole = folder.toAbsolutePath().normalize().getParent();
        if (whole != null && AccountPath.FOLDERS.contains(FileNames.last(folder))
                && Files.exists(whole.resolve(AccountPath.ACCOUNT))) {
            throw new Refusal(folder + " is part of the account folder " + whole
                    + "; use the account folder instead");
        }
        if (names.stream().anyMatch(AccountPath.FOLDERS::contains)) {
            throw new Refusal("No account.json in " + folder
                    + ". Add an account.json, for example with \"export --with-account\"");
        }
        List<Seed> seeds = new ArrayList<>();
        for (Path path : inside) {
            String name = FileNames.last(path);
            if (Files.isDirectory(path) && !name.startsWith(".")) {
                seeds.add(read(name + "/", path));
            } else if (!name.startsWith(".") && !name.startsWith("README") && !name.startsWith("LICENSE")) {
                throw new Refusal("Unexpected file beside the account folders; move it into one of them").in(name);
            }
        }
        if (seeds.isEmpty()) {
            throw new Refusal(folder + " must contain an account.json or folders that each contain one");
        }
        return seeds;
    }

    /** Reads a folder in {@code /stet} from the jar or the compiled classes. @param use receives the seed while its files are readable */
    public static <T> T bundled(String folder, Function<Seed, T> use) throws IOException {
        try {
            Path home = Path.of(Seed.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            try (FileSystem jar = Files.isDirectory(home) ? null : FileSystems.newFileSystem(home)) {
                return use.apply(read("", jar == null ? home.resolve("stet/" + folder) : jar.getPath("stet/" + folder)));
            }
        } catch (URISyntaxException brokenJar) {
            throw new IllegalStateException(brokenJar);
        }
    }

    private static Seed read(String folder, Path path) throws IOException {
        try {
            Source source = Folder.open(path, true);
            if (!source.has(AccountPath.ACCOUNT)) {
                throw new Refusal("The file is missing; add it").in(AccountPath.ACCOUNT);
            }
            byte[] json = source.read(AccountPath.ACCOUNT);
            return new Seed(folder, AccountFiles.at(AccountPath.ACCOUNT, () -> AccountJson.of(json)), AccountFiles.of(source));
        } catch (Refusal refusal) {
            throw inFolder(folder, refusal);
        }
    }

    private static Refusal inFolder(String folder, Refusal refusal) {
        return new Refusal(refusal.field(), folder + refusal.getMessage());
    }

    /** Adds the account with its templates and publishes those marked as published, in one transaction. */
    public Account into(Dao dao, Instant now, RandomGenerator random) {
        return into(dao, now, now, false, password -> Password.hash(password, settings.email(), random));
    }

    /**
     * Adds the account to a temporary database. Templates without an {@code updatedAt} get the creation time from account.json, if given,
     * so that every start serves the same bytes. Passwords are hashed quickly but weakly.
     */
    public Account intoTemporary(Dao dao, Instant now, RandomGenerator random) {
        return into(dao, now, settings.createdAt(now), true, password -> Password.hashCheaply(password, random));
    }

    /**
     * Adds the account.
     *
     * @param now      time at which the account is added
     * @param savedAt  time of its templates and shared blocks
     * @param asServed see {@link #save}
     */
    private Account into(Dao dao, Instant now, Instant savedAt, boolean asServed, UnaryOperator<String> hash) {
        try {
            Account account = AccountFiles.at(AccountPath.ACCOUNT, () -> addAccount(dao, now, hash));
            save(dao, account.id(), savedAt, asServed);
            return account;
        } catch (Refusal refusal) {
            throw inFolder(folder, refusal);
        }
    }

    /**
     * Saves and publishes a new account's files in the transaction that adds the account.
     *
     * @param asServed whether templates with an {@code updatedAt} keep that time and are published despite errors
     */
    private void save(Dao dao, long account, Instant now, boolean asServed) {
        ImportOptions options = ImportOptions.ofSeed(asServed ? PublishMode.SERVED : PublishMode.CHECKED);
        SeedTarget target = new SeedTarget(dao, account, files, now, asServed);
        new ImportTry(new ImportWork(target, account, files, options, () -> now), AccountHeads.EMPTY, target).run(Decisions.NONE);
    }

    /** Saves an import's changes at once, in the transaction that adds the account. */
    private record SeedTarget(Dao dao, long account, AccountFiles files, Instant now, boolean asServed) implements AccountReader, ImportTarget {
        private Instant time(String template) {
            Instant served = files.drafts().get(template).updatedAt();
            return asServed && served != null ? served : now;
        }

        @Override
        public <T> T read(Function<Dao, T> questions) {
            return questions.apply(dao);
        }

        @Override
        public void block(String name, byte[] html, byte[] sha256, List<String> blocks) {
            if (ImageNames.isImage(name)) {
                dao.images().save(account, name, ImageFile.of(html), now);
            } else {
                dao.blocks().save(account, name, html, now);
            }
        }

        @Override
        public void draft(Draft draft, Samples before, boolean isMoved, boolean isNewHtml) {
            dao.templates().save(account, draft, time(draft.id()));
        }

        @Override
        public void details(String template, TemplateDetails details) {
            dao.details().set(account, template, details);
        }

        @Override
        public void version(String template, VersionDao.Prepared prepared, Instant any) {
            dao.versions().publish(account, template, prepared, "", time(template));
        }

        @Override
        public void source(String kind, String name, byte[] digest, boolean isLiveKnown, boolean keepsRollback) {
            dao.sources().recordSeed(account, kind, name, digest, kind.equals("template") ? time(name) : now);
        }
    }

    private Account addAccount(Dao dao, Instant now, UnaryOperator<String> hash) {
        Instant created = settings.createdAt(now);
        Instant anchor = settings.billingAnchor() != null ? settings.billingAnchor() : created;
        String password = settings.password() == null ? null : hash.apply(settings.password());
        Account added = dao.accounts().add(settings.email(), settings.plan(), created, anchor, password);
        dao.accounts().setLimits(added.id(), settings.requestLimit(), settings.keyLimit());
        Account account = dao.accounts().find(settings.email()).orElseThrow();
        settings.keys().forEach(key -> dao.keys().add(account, key.name(), key.key(), now));
        if (settings.used() > 0) {
            dao.usage().set(account, account.period(now).start(), settings.used());
        }
        return account;
    }
}
