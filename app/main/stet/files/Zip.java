package stet.files;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import stet.base.Refusal;

/**
 * Reads and writes an account's folder as a zip. The list of files is read from the {@link ZipDirectory} at the end of the zip, so
 * ignored files are never unpacked and a truncated zip is rejected.
 */
public final class Zip {
    /** Fixed time of all entries, so that exports of the same state have identical bytes. */
    private static final LocalDateTime ENTRY_TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

    private Zip() {
    }

    /**
     * Opens a zip, whose files may be inside an enclosing folder.
     *
     * @param maxBytes maximum total size of all unpacked templates and blocks, in bytes
     * @throws Refusal if the file is not a zip, is too large when unpacked, or contains a misplaced file
     */
    public static Source open(Path file, long maxBytes) throws IOException {
        ZipDirectory directory = ZipDirectory.of(file);
        ZipFile zip;
        try {
            // File names not flagged as UTF-8 may contain any bytes, which ISO 8859-1 preserves.
            zip = new ZipFile(file.toFile(), StandardCharsets.ISO_8859_1);
        } catch (ZipException broken) {
            throw new Refusal("The zip file is corrupted or unsupported: " + broken.getMessage());
        }
        try {
            return list(directory, zip, maxBytes);
        } catch (Throwable refused) {
            zip.close();
            throw refused;
        }
    }

    private static Source list(ZipDirectory directory, ZipFile zip, long maxBytes) {
        Source source = new Source(zip);
        String prefix = prefix(directory, zip);
        Shape shape = new Shape(prefix);
        addAll(directory, zip, "", shape, maxBytes);
        if (!shape.isForeign()) {
            addAll(directory, zip, prefix, source, maxBytes);
            return source;
        }
        Foreign foreign = new Foreign(source, shape.top());
        addAll(directory, zip, "", foreign, maxBytes);
        return foreign.convert();
    }

    private static void addAll(ZipDirectory directory, ZipFile zip, String prefix, Listing listing, long maxBytes) {
        long[] unpacked = {0};
        directory.forEach(zip, entry -> {
            unpacked[0] += add(entry, zip, prefix, listing);
            if (unpacked[0] > maxBytes) {
                throw new Refusal("The templates and blocks in the zip file exceed " + (maxBytes >> 20)
                        + " MiB; import them on the command line");
            }
        });
    }

    /** @return number of bytes to unpack later */
    private static long add(ZipDirectory.Entry entry, ZipFile zip, String prefix, Listing listing) {
        String path = entry.path().startsWith(prefix) ? entry.path().substring(prefix.length()) : entry.path();
        long bytes = entry.file().getSize();
        boolean isHidden = AccountPath.isHidden(path);
        switch (entry.type()) {
            case FILE -> {
                return listing.add(path, bytes, () -> read(zip, entry.file(), path)) ? bytes : 0;
            }
            case FOLDER -> {
                if (bytes > 0 && !isHidden) {
                    throw new Refusal("This is a folder with content of its own; create the zip file again").in(path);
                }
                listing.addFolder(path.endsWith("/") ? path.substring(0, path.length() - 1) : path);
            }
            case LINK -> {
                if (isHidden) {
                    listing.passOver(path);
                } else {
                    listing.addLink(entry.path());
                }
            }
            case SPECIAL -> listing.passOver(path);
        }
        return 0;
    }

    /** The enclosing folder: the shortest path that leads to a {@code templates/} or {@code blocks/} folder with HTML; may be empty. */
    private static String prefix(ZipDirectory directory, ZipFile zip) {
        AtomicReference<String> shortest = new AtomicReference<>();
        directory.forEach(zip, entry -> {
            Optional<String> folder = entry.path().endsWith(".html") ? accountFolder(entry.path()) : Optional.empty();
            folder.filter(each -> shortest.get() == null || each.length() < shortest.get().length()).ifPresent(shortest::set);
        });
        return Objects.requireNonNullElse(shortest.get(), "");
    }

    /** The folder around a file's {@code templates/} or {@code blocks/} folder, with a slash at its end; empty if the file is in neither. */
    private static Optional<String> accountFolder(String path) {
        int file = path.lastIndexOf('/');
        int folder = path.lastIndexOf('/', file - 1) + 1;
        boolean isInFolder = file > 0 && AccountPath.FOLDERS.contains(path.substring(folder, file));
        boolean isInZip = !path.startsWith("/") && !("/" + path).contains("/../") && !AccountPath.isHidden(path);
        return isInFolder && isInZip ? Optional.of(path.substring(0, folder)) : Optional.empty();
    }

    private static byte[] read(ZipFile zip, ZipEntry entry, String path) {
        try (InputStream in = zip.getInputStream(entry)) {
            byte[] bytes = in.readNBytes((int) entry.getSize() + 1);
            CRC32 sum = new CRC32();
            sum.update(bytes);
            if (bytes.length == entry.getSize() && sum.getValue() == entry.getCrc()) {
                return bytes;
            }
        } catch (IOException broken) {
            // rejected below
        }
        throw new Refusal("The file is corrupted or password-protected; create the zip file again").in(path);
    }

    // ---- writing

    /** Writes an export's files as a zip. @return the zip file */
    public static Path write(Path file, Consumer<Export.ExportTarget> export) {
        try (ZipOutputStream out = new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            int[] files = {0};
            export.accept((path, bytes) -> {
                write(out, path, bytes);
                files[0]++;
            });
            if (files[0] == 0) {
                AccountPath.FOLDERS.forEach(folder -> write(out, folder + "/", new byte[0]));
            }
            return file;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void write(ZipOutputStream out, String path, byte[] bytes) {
        ZipEntry entry = new ZipEntry(path);
        entry.setTimeLocal(ENTRY_TIME);
        try {
            out.putNextEntry(entry);
            out.write(bytes);
            out.closeEntry();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
