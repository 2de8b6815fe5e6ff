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
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
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
 * An account's folder as a zip, for the way through a browser. It is read by its directory, which stands at its end: what
 * is passed over is never unpacked, and a zip that is cut off has none.
 */
public final class Zip implements Source {
    /** What the directory may have, which is in memory as a whole: the files of an account need a quarter of it. */
    private static final long ENTRIES = 100_000;
    private static final long DIRECTORY_BYTES = 8 << 20;
    private static final int END_BYTES = 22;
    private static final int END_SIGNATURE = 0x06054b50;
    private static final int LOCATOR_BYTES = 20;
    private static final int LOCATOR_SIGNATURE = 0x07064b50;
    private static final int LARGE_END_BYTES = 56;
    /** Not the day it was written: two exports of one state are the same bytes. */
    private static final LocalDateTime TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

    private final ZipFile zip;
    private final Contents contents = new Contents();
    private final Map<String, ZipEntry> entries = new HashMap<>();

    private Zip(ZipFile zip) {
        this.zip = zip;
    }

    /**
     * The files in a zip, or in the one folder that all of it is in.
     *
     * @param limit bytes that all templates and blocks may have together when unpacked
     * @throws Refusal when it is no zip, too large when unpacked, or a file does not belong here
     */
    public static Zip open(Path file, long limit) throws IOException {
        checkDirectory(file);
        ZipFile opened;
        try {
            // Names that are not said to be UTF-8 are any bytes.
            opened = new ZipFile(file.toFile(), StandardCharsets.ISO_8859_1);
        } catch (ZipException broken) {
            throw new Refusal("This zip file is damaged, or of a kind that is not read: " + broken.getMessage());
        }
        Zip zip = new Zip(opened);
        try {
            zip.list(limit);
            return zip;
        } catch (Throwable refused) {
            zip.close();
            throw refused;
        }
    }

    private void list(long limit) {
        String prefix = prefix();
        long unpacked = 0;
        for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements();) {
            ZipEntry entry = all.nextElement();
            String whole = path(entry);
            String path = whole.startsWith(prefix) ? whole.substring(prefix.length()) : whole;
            if (path.endsWith("/")) {
                contents.addFolder(path.substring(0, path.length() - 1));
                continue;
            }
            contents.add(path, entry.getSize());
            if (contents.places().containsKey(path)) {
                entries.put(path, entry);
                unpacked += entry.getSize();
            }
            if (unpacked > limit) {
                throw new Refusal("The templates and blocks in the zip have more than " + (limit >> 20)
                        + " MiB, which only the command line imports");
            }
        }
    }

    /** The folder in front of all: the shortest path before a {@code templates/} or {@code blocks/} with an html in it, or empty. */
    private String prefix() {
        String shortest = null;
        for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements();) {
            ZipEntry entry = all.nextElement();
            String path = path(entry);
            int file = path.lastIndexOf('/');
            int folder = path.lastIndexOf('/', file - 1) + 1;
            boolean content = file > 0 && Place.FOLDERS.contains(path.substring(folder, file)) && path.endsWith(".html");
            boolean inside = !path.startsWith("/") && !("/" + path).contains("/../") && !Place.isForeign(path);
            if (content && inside && (shortest == null || folder < shortest.length())) {
                shortest = path.substring(0, folder);
            }
        }
        return shortest == null ? "" : shortest;
    }

    /** As the name is meant: UTF-8 also where the zip does not say so, and slashes also where Windows wrote backslashes. */
    private static String path(ZipEntry entry) {
        String name = entry.getName();
        boolean bytes = name.chars().allMatch(c -> c < 256);
        Optional<String> text = bytes ? Utf8.decode(name.getBytes(StandardCharsets.ISO_8859_1)) : Optional.empty();
        String path = text.orElse(name).replace('\\', '/');
        return path.startsWith("./") ? path.substring(2) : path;
    }

    @Override
    public Contents contents() {
        return contents;
    }

    @Override
    public byte[] read(String path) {
        ZipEntry entry = entries.get(path);
        try (InputStream in = zip.getInputStream(entry)) {
            byte[] bytes = in.readNBytes((int) entry.getSize() + 1);
            CRC32 sum = new CRC32();
            sum.update(bytes);
            if (bytes.length == entry.getSize() && sum.getValue() == entry.getCrc()) {
                return bytes;
            }
        } catch (IOException broken) {
            // Refused below.
        }
        throw new Refusal("The file is damaged in the zip, or locked with a password").in(path);
    }

    @Override
    public void close() {
        try {
            zip.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    // ---- the directory (APPNOTE.TXT, 4.3.14 to 4.3.16)

    /** Refuses a directory that is too large before it is loaded. */
    private static void checkDirectory(Path file) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            int length = (int) Math.min(in.length(), END_BYTES + 0xffff);
            ByteBuffer tail = read(in, in.length() - length, length);
            int end = length - END_BYTES;
            while (end >= 0 && tail.getInt(end) != END_SIGNATURE) {
                end--;
            }
            if (end < 0) {
                throw new Refusal(in.length() == 0 ? "The zip file is empty" : "This is not a zip file, or it ends too early");
            }
            if (end + END_BYTES + Short.toUnsignedInt(tail.getShort(end + 20)) != length) {
                throw new Refusal("This zip file is damaged: there is more behind its end");
            }
            int bytes = tail.getInt(end + 12);
            check(Short.toUnsignedLong(tail.getShort(end + 10)), bytes == -1 ? 0 : Integer.toUnsignedLong(bytes)); // -1: below
            if (end >= LOCATOR_BYTES && tail.getInt(end - LOCATOR_BYTES) == LOCATOR_SIGNATURE) {
                long largeEnd = tail.getLong(end - LOCATOR_BYTES + 8);
                if (largeEnd < 0 || largeEnd > in.length() - LARGE_END_BYTES) {
                    throw new Refusal("This zip file is damaged or ends too early");
                }
                ByteBuffer large = read(in, largeEnd, LARGE_END_BYTES);
                check(large.getLong(32), large.getLong(40));
            }
        }
    }

    private static void check(long entries, long bytes) {
        if (entries < 0 || entries > ENTRIES || bytes < 0 || bytes > DIRECTORY_BYTES) {
            throw new Refusal("The zip holds more than " + ENTRIES + " files, or their names are too long");
        }
    }

    private static ByteBuffer read(RandomAccessFile in, long position, int length) throws IOException {
        byte[] bytes = new byte[length];
        in.seek(position);
        in.readFully(bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    // ---- writing

    /** Makes a zip of what is written to a target, file by file. */
    public static void write(Path file, Consumer<Target> export) {
        try (ZipOutputStream out = new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            int[] files = {0};
            export.accept((path, bytes) -> {
                write(out, path, bytes);
                files[0]++;
            });
            if (files[0] == 0) {
                Place.FOLDERS.forEach(folder -> write(out, folder + "/", new byte[0]));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void write(ZipOutputStream out, String path, byte[] bytes) {
        ZipEntry entry = new ZipEntry(path);
        entry.setTimeLocal(TIME);
        try {
            out.putNextEntry(entry);
            out.write(bytes);
            out.closeEntry();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
