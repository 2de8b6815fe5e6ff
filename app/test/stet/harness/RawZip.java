package stet.harness;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** A zip written byte by byte (APPNOTE.TXT, 4.3), so that a test can create invalid zips. */
public final class RawZip {
    private static final int DESCRIPTOR = 1 << 3;
    private static final int UTF_8 = 1 << 11;

    private final ByteArrayOutputStream files = new ByteArrayOutputStream();
    private final ByteArrayOutputStream directory = new ByteArrayOutputStream();
    private int entries;
    private long saidEntries = -1;

    /** Adds a deflated file. */
    public RawZip file(String name, String text) {
        return file(name, text.getBytes(StandardCharsets.UTF_8));
    }

    public RawZip file(String name, byte[] bytes) {
        return entry(name, deflate(bytes), 8, 0, bytes.length, crc(bytes), files.size());
    }

    /** Adds a file as if written to a pipe, with sizes and checksum after the data. */
    public RawZip streamed(String name, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return entry(name, deflate(bytes), 8, DESCRIPTOR, bytes.length, crc(bytes), files.size());
    }

    /** Adds an uncompressed file. */
    public RawZip stored(String name, String text, boolean streamed) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return entry(name, bytes, 0, streamed ? DESCRIPTOR : 0, bytes.length, crc(bytes), files.size());
    }

    /** Adds a file with a wrong length. */
    public RawZip lying(String name, byte[] bytes, int length) {
        return entry(name, deflate(bytes), 8, 0, length, crc(bytes), files.size());
    }

    /** Adds a file with a wrong checksum. */
    public RawZip changed(String name, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return entry(name, deflate(bytes), 8, 0, bytes.length, crc(bytes) + 1, files.size());
    }

    /** Adds a file that cannot be inflated. */
    public RawZip broken(String name, int length) {
        byte[] noise = new byte[100];
        Arrays.fill(noise, (byte) 0xff);
        return entry(name, noise, 8, 0, length, 7, files.size());
    }

    /** Adds a file as on a system that writes no UTF-8 names. @param attributes external attributes, whose upper half Unix uses for the mode */
    public RawZip from(int system, int attributes, byte[] name, byte[] extra, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return entry(name, deflate(bytes), 8, 0, bytes.length, crc(bytes), files.size(), system, attributes, extra);
    }

    /** Adds an entry with a Unix mode, such as 0120777 for a symbolic link. */
    public RawZip mode(int mode, String name, String text) {
        return from(3, mode << 16, name.getBytes(StandardCharsets.UTF_8), new byte[0], text);
    }

    /** A Unicode Path field (APPNOTE.TXT, 4.6.9). @param of the name whose checksum it holds */
    public static byte[] unicodePath(byte[] of, String path) {
        byte[] utf8 = path.getBytes(StandardCharsets.UTF_8);
        return buffer(9 + utf8.length).putShort((short) 0x7075).putShort((short) (5 + utf8.length)).put((byte) 1).putInt(crc(of)).put(utf8).array();
    }

    /** Adds another name for the first file. */
    public RawZip again(String name, byte[] first) {
        return entry(name, deflate(first), 8, 0, first.length, crc(first), 0);
    }

    /** Writes a wrong number of entries to the Zip64 end record. */
    public RawZip saying(long number) {
        saidEntries = number;
        return this;
    }

    /** The zip truncated after the last file, without its directory. */
    public byte[] cutOff() {
        return files.toByteArray();
    }

    public byte[] bytes() {
        ByteArrayOutputStream zip = new ByteArrayOutputStream();
        zip.writeBytes(files.toByteArray());
        zip.writeBytes(directory.toByteArray());
        if (saidEntries >= 0) {
            int large = zip.size();
            zip.writeBytes(buffer(56).putInt(0x06064b50).putLong(44).putShort((short) 45).putShort((short) 45).putInt(0).putInt(0)
                    .putLong(saidEntries).putLong(saidEntries).putLong(directory.size()).putLong(files.size()).array());
            zip.writeBytes(buffer(20).putInt(0x07064b50).putInt(0).putLong(large).putInt(1).array());
        }
        short number = saidEntries >= 0 ? -1 : (short) entries;
        zip.writeBytes(buffer(22).putInt(0x06054b50).putInt(0).putShort(number).putShort(number)
                .putInt(directory.size()).putInt(files.size()).putShort((short) 0).array());
        return zip.toByteArray();
    }

    private RawZip entry(String name, byte[] packed, int method, int flags, int length, int crc, int position) {
        return entry(name.getBytes(StandardCharsets.UTF_8), packed, method, flags | UTF_8, length, crc, position, 0, 0, new byte[0]);
    }

    private RawZip entry(byte[] path, byte[] packed, int method, int flags, int length, int crc, int position, int system, int attributes,
            byte[] extra) {
        boolean later = (flags & DESCRIPTOR) != 0;
        if (position == files.size()) {
            files.writeBytes(buffer(30).putInt(0x04034b50).putShort((short) 20).putShort((short) flags).putShort((short) method)
                    .putInt(0).putInt(later ? 0 : crc).putInt(later ? 0 : packed.length).putInt(later ? 0 : length)
                    .putShort((short) path.length).putShort((short) 0).array());
            files.writeBytes(path);
            files.writeBytes(packed);
            if (later) {
                files.writeBytes(buffer(16).putInt(0x08074b50).putInt(crc).putInt(packed.length).putInt(length).array());
            }
        }
        directory.writeBytes(buffer(46).putInt(0x02014b50).putShort((short) (system << 8 | 20)).putShort((short) 20).putShort((short) flags)
                .putShort((short) method).putInt(0).putInt(crc).putInt(packed.length).putInt(length).putShort((short) path.length)
                .putShort((short) extra.length).putShort((short) 0).putShort((short) 0).putShort((short) 0).putInt(attributes).putInt(position).array());
        directory.writeBytes(path);
        directory.writeBytes(extra);
        entries++;
        return this;
    }

    /** Returns the bytes, one per char, for {@link Client#write}. */
    public String text() {
        return new String(bytes(), StandardCharsets.ISO_8859_1);
    }

    private static ByteBuffer buffer(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] deflate(byte[] bytes) {
        Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        try {
            deflater.setInput(bytes);
            deflater.finish();
            byte[] packed = new byte[bytes.length + 100];
            return Arrays.copyOf(packed, deflater.deflate(packed));
        } finally {
            deflater.end();
        }
    }

    private static int crc(byte[] bytes) {
        CRC32 sum = new CRC32();
        sum.update(bytes);
        return (int) sum.getValue();
    }
}
