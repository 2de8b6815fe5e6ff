package stet.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import stet.core.Refusal;

/** Writes an export into a folder. Other files there are left alone, and so are files that hold the same bytes already. */
public final class FolderTarget implements Export.Target {
    private final Path folder;
    private final Set<String> written = new HashSet<>();

    /** @throws Refusal when a link, which could lead to any file, or something else is in the place of a template or block */
    public FolderTarget(Path folder) throws IOException {
        this.folder = folder;
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new Refusal(folder + " is not a folder");
        }
        for (String name : AccountPath.FOLDERS) {
            Path inner = folder.resolve(name);
            checkIsNoLink(inner, name);
            if (Files.isDirectory(inner)) {
                checkFiles(inner, name + "/");
            } else if (Files.exists(inner)) {
                throw new Refusal("This is not a folder").in(name);
            }
        }
        for (String name : AccountPath.FOLDERS) {
            Files.createDirectories(folder.resolve(name));
        }
    }

    private static void checkFiles(Path directory, String prefix) throws IOException {
        for (Path file : Folder.list(directory)) {
            String path = prefix + Folder.name(file);
            checkFile(file, path);
            if (isSamples(file)) {
                checkFiles(file, path + "/");
            }
        }
    }

    private static boolean isSamples(Path file) {
        return AccountPath.isSamplesFolder(Folder.name(file)) && Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS);
    }

    private static void checkIsNoLink(Path file, String path) {
        if (Files.isSymbolicLink(file)) {
            throw new Refusal("This is a symbolic link, and an export writes through none").in(path);
        }
    }

    private static void checkFile(Path file, String path) {
        checkIsNoLink(file, path);
        if ((path.endsWith(".html") || path.endsWith(".json")) && Files.exists(file) && !Files.isRegularFile(file)) {
            throw new Refusal("This is not a file").in(path);
        }
    }

    @Override
    public void write(String path, byte[] bytes) {
        Path file = folder.resolve(path);
        Path temporary = file.resolveSibling("." + file.getFileName() + ".new");
        try {
            if (!holds(file, bytes)) {
                Files.createDirectories(file.getParent());
                Files.deleteIfExists(temporary); // left by an export that was killed
                Files.write(temporary, bytes, StandardOpenOption.CREATE_NEW);
                Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        written.add(path);
    }

    /** Writes a file of the folder itself unless there is one. @return whether there was none, or one of the same bytes */
    public boolean writeNew(String path, byte[] bytes) {
        try {
            Path file = folder.resolve(path);
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !holds(file, bytes)) {
                return false;
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        write(path, bytes);
        return true;
    }

    private static boolean holds(Path file, byte[] bytes) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) != bytes.length) {
            return false;
        }
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return Arrays.equals(in.readNBytes(bytes.length + 1), bytes);
        }
    }

    /** Number of files that were written or held the same bytes already. */
    public int files() {
        return written.size();
    }

    /** Paths of the other files beside the templates and blocks, except hidden ones. */
    public List<String> others() throws IOException {
        List<String> others = new ArrayList<>();
        for (String name : AccountPath.FOLDERS) {
            addOthers(folder.resolve(name), name + "/", others);
        }
        return others;
    }

    private void addOthers(Path directory, String prefix, List<String> others) throws IOException {
        for (Path file : Folder.list(directory)) {
            String path = prefix + Folder.name(file);
            if (isSamples(file)) {
                addOthers(file, path + "/", others);
            } else if (!written.contains(path) && !Folder.name(file).startsWith(".")) {
                others.add(path);
            }
        }
    }
}
