package stet.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import stet.core.Refusal;

/** An account's folder in a file system, as a map from paths with slashes to bytes. */
public final class Folder {
    static final List<String> FOLDERS = List.of("templates", "blocks");

    private Folder() {
    }

    /** @throws Refusal naming the file, when one does not belong here or is too long; none of its bytes are read then */
    public static SortedMap<String, byte[]> read(Path folder) throws IOException {
        SortedMap<String, byte[]> files = new TreeMap<>();
        for (Path path : list(folder)) {
            String name = name(path);
            if (Files.isDirectory(path) && FOLDERS.contains(name)) {
                for (Path inner : list(path)) {
                    read(inner, name + "/" + name(inner), files);
                }
            } else {
                read(path, name, files);
            }
        }
        return files;
    }

    private static void read(Path path, String name, SortedMap<String, byte[]> files) throws IOException {
        Optional<Place> place = Place.of(name);
        if (place.isEmpty()) {
            return;
        }
        if (!Files.isRegularFile(path)) {
            throw new Refusal("This is not a file").in(name);
        }
        place.get().check(name, Files.size(path));
        if (!Files.isReadable(path)) {
            throw new Refusal("The file cannot be read").in(name);
        }
        files.put(name, Files.readAllBytes(path));
    }

    /**
     * Writes these files and leaves all others alone; what holds the same bytes already is not touched.
     *
     * @return the paths of the templates and blocks that are there and not among these
     */
    public static List<String> write(Path folder, SortedMap<String, byte[]> files) throws IOException {
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new Refusal(folder + " is not a folder");
        }
        for (String name : FOLDERS) {
            Files.createDirectories(folder.resolve(name));
        }
        for (var file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            if (!Files.isRegularFile(path) || !Arrays.equals(Files.readAllBytes(path), file.getValue())) {
                Path made = path.resolveSibling("." + path.getFileName() + ".new");
                Files.write(made, file.getValue());
                Files.move(made, path, StandardCopyOption.REPLACE_EXISTING);
            }
        }
        List<String> others = new ArrayList<>();
        for (String name : FOLDERS) {
            for (Path path : list(folder.resolve(name))) {
                String inner = name + "/" + name(path);
                if (!files.containsKey(inner) && !name(path).startsWith(".")) {
                    others.add(inner);
                }
            }
        }
        return others;
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
