package stet.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import stet.core.Refusal;

/** Reads an account's folder in a file system. */
public final class Folder {
    private Folder() {
    }

    /**
     * The files of a folder that may be anybody's: a symbolic link in it could lead to any file of this machine.
     *
     * @throws Refusal naming the file, when one is in the wrong place, too long or a link
     */
    public static Source open(Path folder) throws IOException {
        return open(folder, false);
    }

    /** @param followsLinks true for the operator's own folder: orchestrators and build tools make theirs of links */
    static Source open(Path folder, boolean followsLinks) throws IOException {
        Source source = new Source();
        addAll(folder, "", followsLinks, source);
        return source;
    }

    private static void addAll(Path directory, String prefix, boolean followsLinks, Source source) throws IOException {
        for (Path file : list(directory)) {
            String path = prefix + name(file);
            if (AccountPath.isForeign(path)) {
                source.passOver(path + (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) ? "/" : ""));
            } else if (!followsLinks && Files.isSymbolicLink(file)) {
                throw new Refusal("This is a symbolic link, and an import follows none").in(path);
            } else if (Files.isRegularFile(file)) {
                source.add(path, Files.size(file), () -> read(file, path, followsLinks));
            } else if (AccountPath.of(path).isPresent()) {
                throw new Refusal("This is not a file").in(path);
            } else if (Files.isDirectory(file)) {
                source.addFolder(path);
                addAll(file, path + "/", followsLinks, source);
            } else {
                source.passOver(path);
            }
        }
    }

    private static byte[] read(Path file, String path, boolean followsLinks) {
        AccountPath parsed = AccountPath.of(path).orElseThrow();
        OpenOption[] options = followsLinks ? new OpenOption[0] : new OpenOption[] {LinkOption.NOFOLLOW_LINKS};
        try (InputStream in = Files.newInputStream(file, options)) {
            byte[] bytes = in.readNBytes(parsed.maxBytes() + 1);
            parsed.checkSize(path, bytes.length);
            return bytes;
        } catch (NoSuchFileException gone) {
            throw new Refusal("The file is gone").in(path);
        } catch (AccessDeniedException closed) {
            throw new Refusal("The file cannot be read").in(path);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The files and folders in a folder, sorted. */
    static List<Path> list(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new Refusal(Files.exists(folder) ? folder + " is not a folder" : "There is no folder " + folder);
        }
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.sorted().toList();
        }
    }

    /** The last name of a path; for a folder in a zip the JDK ends it with a slash. */
    static String name(Path path) {
        String name = path.getFileName().toString();
        return name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
    }
}
