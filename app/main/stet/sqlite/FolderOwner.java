package stet.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import stet.base.LocalFiles.FileOwner;
import stet.base.LocalFiles;
import stet.base.Refusal;

/** The user to whom a data folder's files belong, and whether this process can use them. */
public final class FolderOwner {
    private final Path folder;
    private final Path database;

    FolderOwner(Path folder, Path database) {
        this.folder = folder;
        this.database = database;
    }

    /**
     * Why nothing can be written: the folder or the database is read-only. Empty if both can be written.
     *
     * @throws Refusal if this user can write, but the files would not be readable for their owner
     */
    Optional<String> notWritable() {
        for (Path path : List.of(folder, database)) {
            if (Files.exists(path) && !Files.isWritable(path)) {
                return Optional.of("Cannot write to " + (path.equals(folder) ? "the folder " : "") + path + ": " + reasonNotWritable(path));
            }
        }
        Optional<FileOwner> process = LocalFiles.process();
        if (owner().isPresent() && process.isPresent() && process.get().user() != 0 && process.get().user() != owner().get().user()) {
            throw notOwned();
        }
        return Optional.empty();
    }

    /**
     * The owner of all files: the database's, or the folder's if there is no database. Empty if root owns the folder, because a container's
     * volume can be root's and yet be meant for another user (Kubernetes, fsGroup).
     */
    private Optional<FileOwner> owner() {
        return Files.exists(database) ? LocalFiles.owner(database) : LocalFiles.owner(folder).filter(owner -> owner.user() != 0);
    }

    /**
     * Gives a new file or folder to the owner of all files, so that a service can read what root's commands create.
     *
     * @return the path
     * @throws Refusal if this is not possible; the new file is deleted
     */
    Path own(Path created) {
        Optional<FileOwner> owner = owner();
        if (owner.isPresent() && LocalFiles.owner(created).filter(other -> other.user() != owner.get().user()).isPresent()) {
            try {
                LocalFiles.give(created, owner.get());
            } catch (IOException notRoot) {
                created.toFile().delete();
                throw notOwned();
            }
        }
        return created;
    }

    private Refusal notOwned() {
        Optional<String> user = ownerName(Files.exists(database) ? database : folder);
        return new Refusal("The data in " + folder + " belongs to " + user.map(name -> "the user " + name).orElse("another user")
                + ", who could not read files created by " + System.getProperty("user.name") + ". Run the command as " + user.orElse("that user"));
    }

    private static Optional<String> ownerName(Path path) {
        try {
            return Optional.of(Files.getOwner(path).getName());
        } catch (IOException unknown) {
            return Optional.empty();
        }
    }

    private static String reasonNotWritable(Path path) {
        try {
            return Files.getFileStore(path).isReadOnly() ? "the file system is mounted read-only" : reason(path);
        } catch (IOException unknown) {
            return reason(path);
        }
    }

    /** Explains why the process's user cannot access a path. */
    public static String reason(Path path) {
        String user = System.getProperty("user.name");
        String owner;
        try {
            owner = Files.getOwner(path).getName();
        } catch (IOException | UnsupportedOperationException unknown) {
            owner = user;
        }
        if (owner.equals(user)) {
            return "its permissions deny access";
        }
        return "it is owned by " + owner + ", but Stet runs as " + user + (Files.isDirectory(path) ? remedy(path, owner) : "");
    }

    /**
     * The end of a sentence that tells how to give the process access; empty if the system has no user IDs. Running Stet as the owner is not
     * offered for root's folders, which were created for a container; any other owner may be the user of a running service.
     */
    private static String remedy(Path folder, String owner) {
        return LocalFiles.process().map(user -> "; run " + (owner.equals("root") ? "" : "Stet as " + owner + ", or ")
                + "chown -R " + user.user() + ":" + user.group() + " " + folder
                + " (for a container, on its host, with the folder that is mounted as " + folder + ")").orElse("");
    }
}
