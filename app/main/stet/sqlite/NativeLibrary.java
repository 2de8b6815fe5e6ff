package stet.sqlite;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;
import org.sqlite.util.OSInfo;
import stet.core.LocalFiles;
import stet.core.Reason;
import stet.core.Refusal;

/**
 * SQLite's own library, unpacked into the data folder once for each version. The driver itself would unpack it to the system's
 * temporary folder at every start, and a kill would leave it there.
 */
final class NativeLibrary {
    private static final String PATH = "org.sqlite.lib.path";
    private static final String NAME = "org.sqlite.lib.name";

    private NativeLibrary() {
    }

    /**
     * Loads it, from a data folder unless an option of the JVM says where.
     *
     * @param unpacking whether to write it there where it is missing
     * @param lasting   whether the folder stays; else nothing that names it is left behind for other loaders in this JVM
     * @throws Refusal when it cannot be loaded
     */
    static synchronized void load(Path data, boolean unpacking, boolean lasting) {
        boolean isSet = System.getProperty(PATH) != null || System.getProperty("org.sqlite.tmpdir") != null;
        if (!isSet) {
            find(data, unpacking);
        }
        try {
            SQLiteJDBCLoader.initialize();
        } catch (Exception failure) { // declared as such by the driver
            throw new Refusal("SQLite's library cannot be loaded; java -Dorg.sqlite.tmpdir=DIR names a folder"
                    + " that it may be unpacked to and run from (" + failure.getMessage() + ")");
        } finally {
            if (!isSet && !lasting) {
                System.clearProperty(PATH);
                System.clearProperty(NAME);
            }
        }
    }

    private static void find(Path data, boolean unpacking) {
        String name = LibraryLoaderUtil.getNativeLibName();
        String platform = OSInfo.getNativeLibFolderPathForCurrentOS(); // once: it runs a program to find out
        Path home = data.resolve("native").resolve(platform.replace('/', '-') + "-" + SQLiteJDBCLoader.getVersion());
        if (unpacking && Files.notExists(home.resolve(name))) {
            unpack("/org/sqlite/native/" + platform + "/" + name, home, name);
        }
        if (Files.exists(home.resolve(name))) {
            System.setProperty(PATH, home.toAbsolutePath().toString());
            System.setProperty(NAME, name);
        }
    }

    private static void unpack(String resource, Path home, String name) {
        try (InputStream packed = NativeLibrary.class.getResourceAsStream(resource)) {
            if (packed != null) { // else the driver says that it has none for this system
                Files.createDirectories(home, LocalFiles.folderMode());
                Path unpacked = Files.createTempFile(home, "lib", ".tmp");
                try (OutputStream out = Files.newOutputStream(unpacked)) {
                    packed.transferTo(out);
                }
                Files.move(unpacked, home.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException failure) {
            throw new Refusal("SQLite's library cannot be unpacked: " + Reason.of(failure));
        }
    }
}
