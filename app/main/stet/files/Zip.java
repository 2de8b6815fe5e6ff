package stet.files;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import stet.core.Refusal;
import stet.core.Utf8;

/**
 * Reads and writes an account's folder as a zip. The list of files is read from the central directory at the end of the zip
 * (APPNOTE.TXT, 4.3), so ignored files are never unpacked and a truncated zip is rejected.
 */
public final class Zip {
    /** Limits on the central directory, which is read into memory. An export of the largest account stays below these limits. */
    private static final long MAX_ENTRIES = 100_000;
    private static final long MAX_DIRECTORY_BYTES = 8 << 20;
    private static final int END_BYTES = 22;
    private static final int END_SIGNATURE = 0x06054b50;
    private static final int LOCATOR_BYTES = 20;
    private static final int LOCATOR_SIGNATURE = 0x07064b50;
    private static final int LARGE_END_BYTES = 56;
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
        checkDirectory(file);
        ZipFile zip;
        try {
            // File names not flagged as UTF-8 may contain any bytes, which ISO 8859-1 preserves.
            zip = new ZipFile(file.toFile(), StandardCharsets.ISO_8859_1);
        } catch (ZipException broken) {
            throw new Refusal("The zip file is corrupted or unsupported: " + broken.getMessage());
        }
        try {
            return list(zip, maxBytes);
        } catch (Throwable refused) {
            zip.close();
            throw refused;
        }
    }

    private static Source list(ZipFile zip, long maxBytes) {
        Source source = new Source(zip);
        String prefix = prefix(zip);
        Shape shape = new Shape(prefix);
        addAll(zip, "", shape, maxBytes);
        if (!shape.isForeign()) {
            addAll(zip, prefix, source, maxBytes);
            return source;
        }
        Foreign foreign = new Foreign(source, shape.top());
        addAll(zip, "", foreign, maxBytes);
        return foreign.source();
    }

    private static void addAll(ZipFile zip, String prefix, Listing listing, long maxBytes) {
        long unpacked = 0;
        for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements();) {
            ZipEntry entry = all.nextElement();
            String whole = path(entry);
            String path = whole.startsWith(prefix) ? whole.substring(prefix.length()) : whole;
            if (path.endsWith("/")) {
                listing.addFolder(path.substring(0, path.length() - 1));
            } else if (listing.add(path, entry.getSize(), () -> read(zip, entry, path))) {
                unpacked += entry.getSize();
            }
            if (unpacked > maxBytes) {
                throw new Refusal("The templates and blocks in the zip file exceed " + (maxBytes >> 20)
                        + " MiB; import them on the command line");
            }
        }
    }

    /** The enclosing folder: the shortest path that leads to a {@code templates/} or {@code blocks/} folder with HTML; may be empty. */
    private static String prefix(ZipFile zip) {
        return zip.stream().map(Zip::path).filter(path -> path.endsWith(".html")).map(Zip::accountFolder)
                .flatMap(Optional::stream).min(Comparator.comparingInt(String::length)).orElse("");
    }

    private static Optional<String> accountFolder(String path) {
        int file = path.lastIndexOf('/');
        int folder = path.lastIndexOf('/', file - 1) + 1;
        boolean content = file > 0 && AccountPath.FOLDERS.contains(path.substring(folder, file));
        boolean inside = !path.startsWith("/") && !("/" + path).contains("/../") && !AccountPath.isForeign(path);
        return content && inside ? Optional.of(path.substring(0, folder)) : Optional.empty();
    }

    /** Decodes a valid UTF-8 name as UTF-8, even if the zip does not flag it, and replaces Windows backslashes with slashes. */
    private static String path(ZipEntry entry) {
        String name = entry.getName();
        boolean bytes = name.chars().allMatch(c -> c < 256);
        Optional<String> text = bytes ? Utf8.decode(name.getBytes(StandardCharsets.ISO_8859_1)) : Optional.empty();
        String path = text.orElse(name).replace('\\', '/');
        return path.startsWith("./") ? path.substring(2) : path;
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

    // ---- the central directory (APPNOTE.TXT, 4.3.14 to 4.3.16)

    /** Rejects an oversized central directory before it is loaded. */
    private static void checkDirectory(Path file) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            int length = (int) Math.min(in.length(), END_BYTES + 0xffff);
            ByteBuffer tail = read(in, in.length() - length, length);
            int end = length - END_BYTES;
            while (end >= 0 && tail.getInt(end) != END_SIGNATURE) {
                end--;
            }
            if (end < 0) {
                throw new Refusal(in.length() == 0 ? "The zip file is empty; add templates or shared blocks" : "The file is not a zip file or is truncated; create it again");
            }
            if (end + END_BYTES + Short.toUnsignedInt(tail.getShort(end + 20)) != length) {
                throw new Refusal("The zip file is corrupted (unexpected data after the end); create it again");
            }
            int bytes = tail.getInt(end + 12); // -1 if the size is in the Zip64 record
            check(Short.toUnsignedLong(tail.getShort(end + 10)), bytes == -1 ? 0 : Integer.toUnsignedLong(bytes));
            if (end >= LOCATOR_BYTES && tail.getInt(end - LOCATOR_BYTES) == LOCATOR_SIGNATURE) {
                long largeEnd = tail.getLong(end - LOCATOR_BYTES + 8);
                if (largeEnd < 0 || largeEnd > in.length() - LARGE_END_BYTES) {
                    throw new Refusal("The zip file is corrupted or truncated; create it again");
                }
                ByteBuffer large = read(in, largeEnd, LARGE_END_BYTES);
                check(large.getLong(32), large.getLong(40));
            }
        }
    }

    private static void check(long entries, long bytes) {
        if (entries < 0 || entries > MAX_ENTRIES || bytes < 0 || bytes > MAX_DIRECTORY_BYTES) {
            throw new Refusal("The zip file has more than " + MAX_ENTRIES + " files, or its file names, comments and extra fields are too long in total; split the zip file");
        }
    }

    private static ByteBuffer read(RandomAccessFile in, long position, int length) throws IOException {
        byte[] bytes = new byte[length];
        in.seek(position);
        in.readFully(bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    // ---- writing

    /** Writes an export's files as a zip. */
    public static void write(Path file, Consumer<Export.Target> export) {
        try (ZipOutputStream out = new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            int[] files = {0};
            export.accept((path, bytes) -> {
                write(out, path, bytes);
                files[0]++;
            });
            if (files[0] == 0) {
                AccountPath.FOLDERS.forEach(folder -> write(out, folder + "/", new byte[0]));
            }
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
