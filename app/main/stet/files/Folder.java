package stet.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import stet.base.FileNames;
import stet.base.FullDisk;
import stet.base.LocalFiles;
import stet.base.Refusal;
import stet.base.SystemFailure;

/** Reads and writes an account's folder in the file system. */
public final class Folder {
    private Folder() {
    }

    /**
     * Opens an untrusted folder, in which symbolic links could point to any file on this machine.
     *
     * @throws Refusal naming a file that is misplaced, too large or a symbolic link
     */
    public static Source open(Path folder) throws IOException {
        return open(folder, false);
    }

    /** @param followsLinks true for the administrator's own folder, because orchestrators and build tools use links */
    static Source open(Path folder, boolean followsLinks) throws IOException {
        Source source = new Source();
        addAll(folder, "", followsLinks, source);
        return source;
    }

    /** Opens a folder, a zip, a template's file or a JSON file, in Stet's or another system's format. */
    public static Source toImport(Path path) throws IOException {
        String name = path.toAbsolutePath().toString(); // absolute, because the relative path README.html would not count as HTML
        boolean isSingle = AccountPath.isPage(name) || AccountPath.isJson(name);
        if (Files.isRegularFile(path) && !isSingle) {
            return Zip.open(path, Long.MAX_VALUE);
        }
        Foreign foreign = new Foreign(new Source(), "");
        if (isSingle && Files.isRegularFile(path)) {
            return foreign.only(FileNames.last(path), Files.size(path), () -> read(path, FileNames.last(path), true));
        }
        Shape shape = new Shape("");
        addAll(path, "", false, shape);
        if (!shape.isForeign()) {
            return open(path);
        }
        addAll(path, "", false, foreign);
        return foreign.convert();
    }

    /** @param prefix the directory's path with a slash at its end, or empty */
    private static void addAll(Path directory, String prefix, boolean followsLinks, Listing listing) throws IOException {
        for (Path file : list(directory)) {
            String path = prefix + FileNames.last(file);
            if (AccountPath.isHidden(path)) {
                listing.passOver(path + (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) ? "/" : ""));
            } else if (!followsLinks && Files.isSymbolicLink(file)) {
                listing.addLink(path);
            } else if (Files.isRegularFile(file)) {
                listing.add(path, Files.size(file), () -> read(file, path, followsLinks));
            } else if (Files.isDirectory(file)) {
                listing.addFolder(path);
                addAll(file, path + "/", followsLinks, listing);
            } else {
                listing.passOver(path);
            }
        }
    }

    private static byte[] read(Path file, String path, boolean followsLinks) {
        OpenOption[] options = followsLinks ? new OpenOption[0] : new OpenOption[] {LinkOption.NOFOLLOW_LINKS};
        try (InputStream in = Files.newInputStream(file, options)) {
            return in.readNBytes(AccountPath.MAX_BYTES + 1);
        } catch (NoSuchFileException gone) {
            throw new Refusal("The file was removed while it was being read; try again").in(path);
        } catch (AccessDeniedException closed) {
            throw new Refusal("The file cannot be read; check its permissions").in(path);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A folder's entries, sorted. @throws Refusal if it does not exist or is not a folder */
    static List<Path> list(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new Refusal(Files.exists(folder) ? folder + " is not a folder" : "Folder " + folder + " not found");
        }
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.sorted().toList();
        }
    }

    /**
     * Writes an export into a folder, whose files change only after the whole export has been written to a temporary folder. The folder may
     * be a Git checkout, so unrelated and unchanged files are left alone.
     *
     * <pre>
     * write ─► .stet-export-PROCESS-N/ ─ commit ─► the new folder, by one rename; or each differing file, by its own rename
     * </pre>
     *
     * <p>A crash during commit leaves each file either old or new, never partial. The next export writes the remaining files.
     */
    public static final class FolderTarget implements Export.ExportTarget, AutoCloseable {
        private static final String STAGE = ".stet-export-";
        /** The rest of a temporary folder's name: the process, whose ID has at most 9 digits, and its {@link System#nanoTime}, which may be negative. */
        private static final Pattern PROCESS = Pattern.compile("([0-9]{1,9})--?[0-9]+");
        private static final String OWN = Long.toString(ProcessHandle.current().pid());

        private final Path folder;
        private final Path stage;
        private final boolean isNew;
        private final Set<String> written = new HashSet<>();
        /** Written files still in the temporary folder, in order. */
        private final Set<String> staged = new LinkedHashSet<>();
        private final Set<String> deleted = new LinkedHashSet<>();
        private long bytes;
        private boolean isFull;

        /**
         * @throws Refusal       if the path is not a folder, or if the path of a template, block or image is not a regular file. Symbolic
         *                       links are rejected because they could point to any file.
         * @throws FullDisk      if the disk is full
         * @throws SystemFailure if the folder is not writable
         */
        public FolderTarget(Path folder) throws IOException {
            this.folder = folder;
            this.isNew = Files.notExists(folder);
            if (Files.exists(folder) && !Files.isDirectory(folder)) { // not if its parent's permissions hide what it is
                throw new Refusal(folder + " is not a folder");
            }
            for (String name : AccountPath.WRITTEN) {
                Path inner = folder.resolve(name);
                checkIsNoLink(inner, name);
                if (Files.exists(inner) && !Files.isDirectory(inner)) {
                    throw new Refusal("This is not a folder").in(name);
                }
            }
            files().forEach((path, file) -> checkFile(file, path));
            Path there = folder.toAbsolutePath(); // or its innermost parent that exists, which is on the same disk
            while (Files.notExists(there)) {
                there = there.getParent();
            }
            try {
                deleteAbandonedFolders(there);
                this.stage = there.resolve(STAGE + OWN + "-" + System.nanoTime());
                for (String name : AccountPath.FOLDERS) {
                    Files.createDirectories(stage.resolve(name));
                }
            } catch (IOException failure) {
                if (FullDisk.isCauseOf(failure)) {
                    throw new FullDisk(there, FullDisk.MIN_FREE_BYTES);
                }
                throw SystemFailure.of("Cannot write to the folder " + folder, failure);
            }
        }

        /** Deletes the temporary folders of exports that were killed. */
        private static void deleteAbandonedFolders(Path folder) throws IOException {
            try (DirectoryStream<Path> stages = Files.newDirectoryStream(folder, STAGE + "*")) {
                for (Path stage : stages) {
                    Matcher process = PROCESS.matcher(FileNames.last(stage).substring(STAGE.length()));
                    if (process.matches() && isAbandoned(process.group(1))) {
                        LocalFiles.delete(stage);
                    }
                }
            } catch (AccessDeniedException unlisted) {
                // the folder cannot be listed but may still be writable
            }
        }

        /** Whether a folder's process has ended; one with this process's ID is of an earlier process, as in a restarted container. */
        private static boolean isAbandoned(String process) {
            return process.equals(OWN) || ProcessHandle.of(Long.parseLong(process)).isEmpty();
        }

        /** All files in the folders of templates, blocks and images, by path. */
        private Map<String, Path> files() throws IOException {
            Map<String, Path> files = new LinkedHashMap<>();
            for (String name : AccountPath.WRITTEN) {
                if (Files.isDirectory(folder.resolve(name))) {
                    addFiles(folder.resolve(name), name + "/", files);
                }
            }
            return files;
        }

        private static void addFiles(Path directory, String prefix, Map<String, Path> files) throws IOException {
            for (Path file : list(directory)) {
                String path = prefix + FileNames.last(file);
                if (path.endsWith(".samples") && Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                    addFiles(file, path + "/", files);
                } else {
                    files.put(path, file);
                }
            }
        }

        private static void checkIsNoLink(Path file, String path) {
            if (Files.isSymbolicLink(file)) {
                throw new Refusal("This is a symbolic link, which exports do not follow; replace it with a file or folder").in(path);
            }
        }

        private static void checkFile(Path file, String path) {
            checkIsNoLink(file, path);
            boolean isRead = path.endsWith(".html") || path.endsWith(".json") || AccountPath.kind(path).isPresent();
            if (isRead && Files.exists(file) && !Files.isRegularFile(file)) {
                throw new Refusal("This is not a file").in(path);
            }
        }

        @Override
        public void write(String path, byte[] content) {
            try {
                if (isNew || !holds(folder.resolve(path), content)) {
                    bytes += content.length;
                    if (!isFull) {
                        Files.createDirectories(stage.resolve(path).getParent());
                        Files.write(stage.resolve(path), content, StandardOpenOption.CREATE_NEW);
                    }
                    staged.add(path);
                }
            } catch (IOException failure) {
                if (!FullDisk.isCauseOf(failure)) {
                    throw new UncheckedIOException(failure);
                }
                isFull = true; // keep counting, because commit reports the total size
            }
            written.add(path);
        }

        /** Deletes a file from the folder during {@link #commit}. */
        void delete(String path) {
            deleted.add(path);
        }

        /**
         * Moves all written files into place, and removes the deleted ones.
         *
         * @throws FullDisk    if the files did not fit on the disk; nothing is changed
         * @throws IOException if a file cannot be moved, after the files before it have been put back
         */
        public void commit() throws IOException {
            if (isFull) {
                throw new FullDisk(folder, bytes);
            }
            if (isNew) {
                Files.createDirectories(folder.toAbsolutePath().getParent());
                Files.move(stage, folder, StandardCopyOption.ATOMIC_MOVE);
                return;
            }
            List<String> moved = new ArrayList<>();
            try {
                for (String name : AccountPath.FOLDERS) {
                    Files.createDirectories(folder.resolve(name));
                }
                for (String path : staged) {
                    Path file = folder.resolve(path);
                    Files.createDirectories(file.getParent());
                    if (Files.exists(file)) {
                        LocalFiles.linkOrCopy(file, before(path));
                    }
                    moved.add(path);
                    Files.move(stage.resolve(path), file, StandardCopyOption.ATOMIC_MOVE);
                }
                for (String path : deleted) {
                    Files.createDirectories(before(path).getParent());
                    Files.move(folder.resolve(path), before(path), StandardCopyOption.ATOMIC_MOVE);
                    moved.add(path); // added only after the move, because putBack deletes files without a backup
                }
            } catch (IOException failure) {
                for (String path : moved) {
                    putBack(path);
                }
                throw failure;
            }
        }

        /** Path of a file's backup, which is kept until the commit is complete. */
        private Path before(String path) {
            return stage.resolve(path + ".before");
        }

        private void putBack(String path) throws IOException {
            if (Files.exists(before(path))) {
                Files.move(before(path), folder.resolve(path), StandardCopyOption.ATOMIC_MOVE);
            } else {
                Files.deleteIfExists(folder.resolve(path));
            }
        }

        /** Deletes uncommitted files. */
        @Override
        public void close() throws IOException {
            LocalFiles.delete(stage);
        }

        /** Writes a file to the folder's top level. @return false, without writing, if a file with this name has different content */
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

        /** Keeps a file in the folder unchanged. */
        void keep(String path) {
            written.add(path);
        }

        /** Number of files that the export adds, changes or deletes. */
        public int changed() {
            return staged.size() + deleted.size();
        }

        /** Number of exported files, including files that were already identical. */
        public int count() {
            return written.size();
        }

        /** Files in these folders that are not part of the export, except hidden files. */
        public List<String> others() throws IOException {
            return files().keySet().stream().filter(path -> !written.contains(path) && !path.contains("/.")).toList();
        }
    }
}
