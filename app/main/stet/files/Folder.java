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

/** An account's folder in a file system. */
public final class Folder implements Source {
    private final Path folder;
    private final boolean links;
    private final Contents contents = new Contents();

    private Folder(Path folder, boolean links) throws IOException {
        this.folder = folder;
        this.links = links;
        add(folder, "");
    }

    /**
     * A folder that may be anybody's: what is a symbolic link in it could lead to any file of this machine.
     *
     * @throws Refusal naming the file, when one has no place here, is too long or is a link
     */
    public static Folder of(Path folder) throws IOException {
        return new Folder(folder, false);
    }

    /** The operator's own folder, in which links are followed: orchestrators and build tools make theirs of links. */
    static Folder withLinks(Path folder) throws IOException {
        return new Folder(folder, true);
    }

    private void add(Path directory, String prefix) throws IOException {
        for (Path path : list(directory)) {
            String name = prefix + name(path);
            if (Place.isForeign(name)) {
                contents.passOver(name + (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) ? "/" : ""));
            } else if (!links && Files.isSymbolicLink(path)) {
                throw new Refusal("This is a symbolic link, and an import follows none").in(name);
            } else if (Files.isRegularFile(path)) {
                contents.add(name, Files.size(path));
            } else if (Place.of(name).isPresent()) {
                throw new Refusal("This is not a file").in(name);
            } else if (Files.isDirectory(path)) {
                contents.addFolder(name);
                add(path, name + "/");
            } else {
                contents.passOver(name);
            }
        }
    }

    @Override
    public Contents contents() {
        return contents;
    }

    @Override
    public byte[] read(String path) {
        Place place = contents.places().get(path);
        OpenOption[] options = links ? new OpenOption[0] : new OpenOption[] {LinkOption.NOFOLLOW_LINKS};
        try (InputStream in = Files.newInputStream(folder.resolve(path), options)) {
            byte[] bytes = in.readNBytes(place.limit() + 1);
            place.check(path, bytes.length);
            return bytes;
        } catch (NoSuchFileException gone) {
            throw new Refusal("The file is gone").in(path);
        } catch (AccessDeniedException closed) {
            throw new Refusal("The file cannot be read").in(path);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** What is in a folder, by name. */
    static List<Path> list(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new Refusal(Files.exists(folder) ? folder + " is not a folder" : "There is no folder " + folder);
        }
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.sorted().toList();
        }
    }

    /** A path's last name; in a zip a folder's own ends with a slash. */
    static String name(Path path) {
        String name = path.getFileName().toString();
        return name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
    }
}
