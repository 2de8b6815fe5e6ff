package stet.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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

/**
 * A folder that an account is exported to. Other files in it are left alone, and a file that holds the same bytes already
 * is not touched.
 */
public final class FolderTarget implements Target {
    private final Path folder;
    private final Set<String> written = new HashSet<>();

    /** @throws Refusal when something else stands where a template or block belongs; a link could lead to any file */
    public FolderTarget(Path folder) throws IOException {
        this.folder = folder;
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new Refusal(folder + " is not a folder");
        }
        for (String name : Place.FOLDERS) {
            Path inner = folder.resolve(name);
            if (Files.isDirectory(inner, LinkOption.NOFOLLOW_LINKS)) {
                for (Path path : Folder.list(inner)) {
                    check(path, name + "/" + Folder.name(path));
                }
            } else {
                check(inner, name);
            }
        }
        for (String name : Place.FOLDERS) {
            Files.createDirectories(folder.resolve(name));
        }
    }

    private static void check(Path path, String name) {
        if (Files.isSymbolicLink(path)) {
            throw new Refusal("This is a symbolic link, and an export writes through none").in(name);
        }
        boolean place = Place.FOLDERS.contains(name) || name.endsWith(".html") || name.endsWith(".json");
        if (place && Files.exists(path) && !Files.isRegularFile(path) || Place.FOLDERS.contains(name) && Files.exists(path)) {
            throw new Refusal("This is not a " + (Place.FOLDERS.contains(name) ? "folder" : "file")).in(name);
        }
    }

    @Override
    public void write(String path, byte[] bytes) {
        Path file = folder.resolve(path);
        Path made = file.resolveSibling("." + file.getFileName() + ".new");
        try {
            if (!holds(file, bytes)) {
                Files.deleteIfExists(made); // left by an export that was killed
                try (OutputStream out = Files.newOutputStream(made, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                    out.write(bytes);
                }
                Files.move(made, file, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        written.add(path);
    }

    private static boolean holds(Path file, byte[] bytes) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) != bytes.length) {
            return false;
        }
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return Arrays.equals(in.readNBytes(bytes.length + 1), bytes);
        }
    }

    /** How many files were written, or were there already. */
    public int files() {
        return written.size();
    }

    /** The paths of the templates and blocks that are there, and were not written. */
    public List<String> others() throws IOException {
        List<String> others = new ArrayList<>();
        for (String name : Place.FOLDERS) {
            for (Path path : Folder.list(folder.resolve(name))) {
                String inner = name + "/" + Folder.name(path);
                if (!written.contains(inner) && !Folder.name(path).startsWith(".")) {
                    others.add(inner);
                }
            }
        }
        return others;
    }
}
