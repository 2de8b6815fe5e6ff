package stet.sqlite;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;
import stet.base.FullDisk;
import stet.base.LocalFiles;
import stet.base.SystemFailure;

/**
 * SQLite's native library, unpacked to the data folder once per system and version. By default, the driver unpacks the library to the
 * system's temporary folder at every start, and a killed process leaves it behind.
 */
public final class NativeLibrary {
    private static final String PATH = "org.sqlite.lib.path";
    private static final String NAME = "org.sqlite.lib.name";
    private static final String TEMPORARY = "org.sqlite.tmpdir";

    private NativeLibrary() {
    }

    /** Loads the driver's configuration ahead of time. A concurrent {@link #load} waits until this is done. */
    static synchronized void loadDriver() {
        new SQLiteConfig();
    }

    /**
     * Loads the library from the data folder. If it cannot be unpacked there, as on a full or read-only disk, or if a JVM option names a
     * folder, the driver finds or unpacks it.
     *
     * @param unpacking whether to unpack the library to the data folder if it is missing
     * @throws SystemFailure if the library cannot be loaded
     */
    public static synchronized void load(DataFolder data, boolean unpacking) {
        if (!isFolderGiven()) {
            chooseUnpacked(data, unpacking);
        }
        try {
            SQLiteJDBCLoader.initialize();
        } catch (Exception failure) { // the driver declares no narrower type
            Path temporary = Path.of(System.getProperty(TEMPORARY, System.getProperty("java.io.tmpdir")));
            String cause = FullDisk.isFull(temporary) ? ", because the disk of " + temporary + " is full" : "";
            throw new SystemFailure("Cannot load SQLite's library" + cause + ". Run java with -D" + TEMPORARY + "=DIR, where DIR is a folder"
                    + " that allows executable files (" + failure.getMessage() + ")");
        }
    }

    /**
     * Like {@link #load}, from a folder that will be deleted. Clears the driver's system properties, so that other class loaders in this JVM
     * do not use the folder.
     */
    static synchronized void loadForTemporaryData(DataFolder data) {
        boolean isFolderGiven = isFolderGiven();
        try {
            load(data, true);
        } finally {
            if (!isFolderGiven) {
                System.clearProperty(PATH);
                System.clearProperty(NAME);
            }
        }
    }

    private static boolean isFolderGiven() {
        return System.getProperty(PATH) != null || System.getProperty(TEMPORARY) != null;
    }

    /**
     * Sets the driver's system properties to the library in the data folder, or leaves them unset if it is not there. Finds the name of its
     * folder without the driver's OSInfo, which runs a program and reads a hundred paths to identify the Linux system.
     */
    private static void chooseUnpacked(DataFolder data, boolean unpacking) {
        String name = LibraryLoaderUtil.getNativeLibName();
        String system = System.getProperty("os.name") + (isMusl() ? "-musl" : "");
        Path home = data.path("native").resolve((system + "-" + System.getProperty("os.arch")).replaceAll("[^\\w-]", "")
                + "-" + SQLiteJDBCLoader.getVersion());
        if (unpacking && Files.notExists(home.resolve(name))) {
            unpack(data, LibraryLoaderUtil.getNativeLibResourcePath() + "/" + name, home.resolve(name));
        }
        if (Files.exists(home.resolve(name))) {
            System.setProperty(PATH, home.toAbsolutePath().toString());
            System.setProperty(NAME, name);
        }
    }

    /** Whether the system uses musl. Systems with musl and glibc need different libraries but may share a data folder. */
    private static boolean isMusl() {
        String[] loaders = new File("/lib").list((folder, name) -> name.startsWith("ld-musl-"));
        return loaders != null && loaders.length > 0 && Files.notExists(Path.of("/lib64/ld-linux-x86-64.so.2"));
    }

    /** Unpacks the library, unless the driver has none for this system or the data folder cannot be written. */
    private static void unpack(DataFolder data, String resource, Path library) {
        try (InputStream packed = NativeLibrary.class.getResourceAsStream(resource)) {
            if (packed != null) { // otherwise, the driver reports that this system is unsupported
                for (Path each : List.of(data.path("native"), library.getParent())) {
                    if (Files.notExists(each)) {
                        data.own(Files.createDirectories(each, LocalFiles.folderMode()));
                    }
                }
                Path unpacked = data.own(Files.createTempFile(library.getParent(), "lib", ".tmp"));
                try {
                    try (OutputStream out = Files.newOutputStream(unpacked)) {
                        packed.transferTo(out);
                    }
                    Files.move(unpacked, library, StandardCopyOption.ATOMIC_MOVE);
                } finally {
                    Files.deleteIfExists(unpacked);
                }
            }
        } catch (IOException full) {
            // The driver unpacks the library to the system's temporary folder.
        }
    }
}
