package stet.files;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import stet.base.Refusal;
import stet.base.Utf8;

/**
 * The central directory at the end of a zip (APPNOTE.TXT, 4.3.12 to 4.3.16). It has what {@link ZipFile} does not report: each
 * entry's type and the bytes of its name. Read again for each listing, because the names of a large zip would fill a small heap.
 *
 * @param position of the first entry, in bytes
 */
record ZipDirectory(Path file, long position) {
    /** Limits on the central directory, which {@link ZipFile} reads into memory. An export of the largest account stays below them. */
    private static final long MAX_ENTRIES = 100_000;
    private static final long MAX_BYTES = 8 << 20;
    private static final int END_BYTES = 22;
    private static final int END_SIGNATURE = 0x06054b50;
    private static final int LOCATOR_BYTES = 20;
    private static final int LOCATOR_SIGNATURE = 0x07064b50;
    private static final int LARGE_END_BYTES = 56;
    private static final int LARGE_END_SIGNATURE = 0x06064b50;
    private static final int ENTRY_BYTES = 46;
    private static final int ENTRY_SIGNATURE = 0x02014b50;
    private static final int UTF_8_FLAG = 1 << 11;
    private static final int UNICODE_PATH = 0x7075;
    /** The types of a Unix file in the upper half of an entry's external attributes (stat.h), and two attributes of Windows. */
    private static final int TYPE = 0170000;
    private static final int LINK = 0120000;
    private static final int FOLDER = 0040000;
    private static final int REGULAR = 0100000;
    private static final int WINDOWS_FOLDER = 0x10;
    private static final int WINDOWS_LINK = 0x400;
    private static final int UNIX = 3;
    private static final int MAC = 19;
    /** The characters 128 to 255 of code page 437, the zip format's original charset (APPNOTE.TXT, appendix D). */
    private static final String CODE_PAGE_437 = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌"
            + "█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

    enum EntryType { FILE, FOLDER, LINK, SPECIAL }

    /** @param path the name with slashes, decoded */
    record Entry(String path, EntryType type, ZipEntry file) {
    }

    /** @throws Refusal if the file is not a zip or its central directory is too large */
    static ZipDirectory of(Path file) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            if (in.length() == 0) {
                throw new Refusal("The zip file is empty; add templates or shared blocks");
            }
            int length = (int) Math.min(in.length(), END_BYTES + 0xffff); // the record is followed by a comment of up to 0xffff bytes
            ByteBuffer tail = read(in, in.length() - length, length);
            int end = end(tail);
            int entries = Short.toUnsignedInt(tail.getShort(end + 10));
            int bytes = tail.getInt(end + 12); // -1 if the size is in the Zip64 record
            check(entries, bytes == -1 ? 0 : Integer.toUnsignedLong(bytes));
            Optional<Long> largePosition = largePosition(in, tail, end);
            boolean isLarge = entries == 0xffff || bytes == -1 || tail.getInt(end + 16) == -1;
            long endPosition = in.length() - length + end;
            return new ZipDirectory(file, isLarge && largePosition.isPresent() ? largePosition.get() : endPosition - Integer.toUnsignedLong(bytes));
        }
    }

    /** Index of the record at the end of a zip, which is followed only by its comment. */
    private static int end(ByteBuffer tail) {
        int end = tail.limit() - END_BYTES;
        while (end >= 0 && tail.getInt(end) != END_SIGNATURE) {
            end--;
        }
        if (end < 0) {
            throw new Refusal("The file is not a zip file or is truncated; create it again");
        }
        if (end + END_BYTES + Short.toUnsignedInt(tail.getShort(end + 20)) != tail.limit()) {
            throw new Refusal("The zip file is corrupted (unexpected data after the end); create it again");
        }
        return end;
    }

    /** The position of the first entry in the Zip64 record, if the zip has this record; checks the record. */
    private static Optional<Long> largePosition(RandomAccessFile in, ByteBuffer tail, int end) throws IOException {
        if (end < LOCATOR_BYTES || tail.getInt(end - LOCATOR_BYTES) != LOCATOR_SIGNATURE) {
            return Optional.empty();
        }
        long largeEnd = tail.getLong(end - LOCATOR_BYTES + 8);
        if (largeEnd < 0 || largeEnd > in.length() - LARGE_END_BYTES) {
            throw new Refusal("The zip file is corrupted or truncated; create it again");
        }
        ByteBuffer large = read(in, largeEnd, LARGE_END_BYTES);
        check(large.getLong(32), large.getLong(40));
        return large.getInt(0) == LARGE_END_SIGNATURE ? Optional.of(largeEnd - large.getLong(40)) : Optional.empty();
    }

    private static void check(long entries, long bytes) {
        if (entries < 0 || entries > MAX_ENTRIES || bytes < 0 || bytes > MAX_BYTES) {
            throw new Refusal("The zip file has more than " + MAX_ENTRIES + " files, or its file names, comments and extra fields are too long in total; split the zip file");
        }
    }

    private static ByteBuffer read(RandomAccessFile in, long position, int length) throws IOException {
        byte[] bytes = new byte[length];
        in.seek(position);
        in.readFully(bytes);
        return little(bytes);
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Lists the entries of the opened zip. @throws Refusal if {@link ZipFile} reads other entries from the file than this directory has */
    void forEach(ZipFile zip, Consumer<Entry> action) {
        try (FileChannel channel = FileChannel.open(file);
                InputStream in = new BufferedInputStream(Channels.newInputStream(channel.position(Math.max(0, position))))) {
            for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements();) {
                action.accept(next(in, all.nextElement()));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Entry next(InputStream in, ZipEntry entry) throws IOException {
        ByteBuffer fixed = little(in.readNBytes(ENTRY_BYTES));
        if (fixed.limit() < ENTRY_BYTES || fixed.getInt(0) != ENTRY_SIGNATURE) {
            throw corrupted();
        }
        byte[] name = in.readNBytes(Short.toUnsignedInt(fixed.getShort(28)));
        byte[] extra = in.readNBytes(Short.toUnsignedInt(fixed.getShort(30)));
        in.skipNBytes(Short.toUnsignedInt(fixed.getShort(32)));
        boolean isUtf8 = (fixed.getShort(8) & UTF_8_FLAG) != 0;
        if (!new String(name, isUtf8 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1).equals(entry.getName())) {
            throw corrupted();
        }
        String path = unicodePath(name, extra).or(() -> Utf8.decode(name)).orElseGet(() -> codePage437(name)).replace('\\', '/');
        return new Entry(path.startsWith("./") ? path.substring(2) : path, type(path, fixed.get(5), fixed.getInt(38)), entry);
    }

    private static Refusal corrupted() {
        return new Refusal("The zip file is corrupted or unsupported (its directory does not match its files); create it again");
    }

    /** The name in the Unicode Path field of Info-ZIP, 7-Zip and WinRAR (APPNOTE.TXT, 4.6.9), unless the name has been changed since. */
    private static Optional<String> unicodePath(byte[] name, byte[] extra) {
        ByteBuffer fields = little(extra);
        for (int at = 0; at + 4 <= extra.length;) {
            int id = Short.toUnsignedInt(fields.getShort(at));
            int length = Short.toUnsignedInt(fields.getShort(at + 2));
            int from = at + 4;
            at = from + length;
            if (id == UNICODE_PATH && length > 5 && at <= extra.length && fields.get(from) == 1) {
                CRC32 sum = new CRC32();
                sum.update(name);
                byte[] path = new byte[length - 5];
                fields.get(from + 5, path);
                return (int) sum.getValue() == fields.getInt(from + 1) ? Utf8.decode(path) : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static String codePage437(byte[] name) {
        StringBuilder text = new StringBuilder(name.length);
        for (byte letter : name) {
            text.append(letter >= 0 ? (char) letter : CODE_PAGE_437.charAt(letter & 0x7f));
        }
        return text.toString();
    }

    /** @param system that created the entry; the types of Unix files are also valid for Windows, where some programs write them */
    private static EntryType type(String path, int system, int attributes) {
        int unixType = attributes >>> 16 & TYPE;
        boolean isUnix = system == UNIX || system == MAC;
        if (unixType == LINK || !isUnix && (attributes & WINDOWS_LINK) != 0) {
            return EntryType.LINK;
        }
        if (path.endsWith("/") || unixType == FOLDER || unixType == 0 && (attributes & WINDOWS_FOLDER) != 0) {
            return EntryType.FOLDER;
        }
        return unixType == 0 || unixType == REGULAR ? EntryType.FILE : EntryType.SPECIAL;
    }
}
