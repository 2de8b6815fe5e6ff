package stet.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import stet.core.Account;
import stet.core.Password;
import stet.core.Refusal;
import stet.store.Dao;

/**
 * An account as its folder describes it, settings and all.
 *
 * @param folder what refusals put in front of a file's name: empty, or the folder's name and a slash
 */
public record Seed(String folder, AccountJson settings, AccountFiles files) {

    /**
     * The accounts of a folder: of itself if it has an account.json, else of each of its folders.
     *
     * @throws Refusal naming the file, and the field where there is one
     */
    public static List<Seed> read(Path folder) throws IOException {
        List<Path> inside = Folder.list(folder);
        if (inside.stream().anyMatch(path -> Folder.name(path).equals(Place.ACCOUNT))) {
            return List.of(seed("", folder));
        }
        if (inside.stream().map(Folder::name).anyMatch(Place.FOLDERS::contains)) {
            throw new Refusal("There is no account.json in " + folder + ": it says whose these templates are (an export has none)");
        }
        List<Seed> seeds = new ArrayList<>();
        for (Path path : inside) {
            String name = Folder.name(path) + "/";
            if (Files.isDirectory(path) && !name.startsWith(".")) {
                seeds.add(seed(name, path));
            } else {
                alone(Folder.name(path));
            }
        }
        if (seeds.isEmpty()) {
            throw new Refusal(folder + " has no account.json, and no folder with one");
        }
        return seeds;
    }

    /** @throws Refusal when a file beside the accounts' folders is not one of those that are ignored */
    private static void alone(String name) {
        boolean ignored = name.startsWith(".") || name.startsWith("README") || name.startsWith("LICENSE");
        if (!ignored) {
            throw new Refusal("This does not belong into a folder of accounts' folders").in(name);
        }
    }

    private static Seed seed(String folder, Path path) throws IOException {
        return inside(folder, () -> {
            Folder files = Folder.withLinks(path);
            if (!files.contents().places().containsKey(Place.ACCOUNT)) {
                throw new Refusal("The file is missing").in(Place.ACCOUNT);
            }
            byte[] json = files.read(Place.ACCOUNT);
            return new Seed(folder, AccountFiles.at(Place.ACCOUNT, () -> AccountJson.of(json)), AccountFiles.of(files));
        });
    }

    /** Makes the account with all it has, and publishes what is to be published; for one transaction. */
    public Account into(Dao dao, Instant now, RandomGenerator random) {
        return into(dao, now, now, password -> Password.hash(password, settings.email(), random));
    }

    /**
     * The same for throw-away data: whatever the files give a time for is made then, so that two starts answer the same
     * bytes, and passwords are hashed cheaply.
     */
    public Account intoThrowAway(Dao dao, Instant now, RandomGenerator random) {
        Instant written = settings.createdAt() != null ? settings.createdAt() : now;
        return into(dao, now, written, password -> Password.hashCheaply(password, random));
    }

    private Account into(Dao dao, Instant now, Instant written, UnaryOperator<String> hash) {
        return inside(folder, () -> {
            Account account = AccountFiles.at(Place.ACCOUNT, () -> account(dao, now, hash));
            Import.into(dao, account.id(), files, written);
            return account;
        });
    }

    private Account account(Dao dao, Instant now, UnaryOperator<String> hash) {
        Instant created = settings.createdAt() != null ? settings.createdAt() : now;
        Instant anchor = settings.billingAnchor() != null ? settings.billingAnchor() : created;
        String password = settings.password() == null ? null : hash.apply(settings.password());
        Account added = dao.addAccount(settings.email(), settings.plan(), created, anchor, password);
        dao.changeLimits(added.id(), settings.requestLimit(), settings.keyLimit());
        Account account = dao.account(settings.email()).orElseThrow();
        settings.keys().forEach(key -> dao.keys().add(account, key.name(), key.key(), now));
        if (settings.used() > 0) {
            dao.usage().set(account, account.period(now).start(), settings.used());
        }
        return account;
    }

    /** Work that may fail on a file. */
    private interface Work<T, E extends Exception> {
        T run() throws E;
    }

    private static <T, E extends Exception> T inside(String folder, Work<T, E> work) throws E {
        try {
            return work.run();
        } catch (Refusal refusal) {
            throw new Refusal(refusal.field(), folder + refusal.getMessage());
        }
    }
}
