package stet.images;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.zip.CRC32;
import stet.core.ImageType;

/** Reads a PNG chunk by chunk (W3C PNG, third edition, 5). */
final class PngWalk extends ImageFile.ImageWalk {
    private static final int SIGNATURE = 8;
    /** Bytes of a chunk beside its data: length, name and checksum. */
    private static final int FRAME_BYTES = 12;
    /** Chunks that affect how the image is shown. Texts, times, profiles' histograms and private chunks are dropped. */
    private static final Set<String> KEPT = Set.of("IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "pHYs",
            "cICP", "acTL", "fcTL", "fdAT");

    private boolean hasData;
    private boolean isDataEnded;
    private boolean isDone;

    PngWalk(byte[] file) {
        super(ImageType.PNG, file);
    }

    @Override
    void walk() {
        keep(0, SIGNATURE);
        at = SIGNATURE;
        boolean isFirst = true;
        while (!isDone) {
            countPart();
            long length = longAt(at);
            checkLength(at, FRAME_BYTES + length);
            int end = at + FRAME_BYTES + (int) length;
            chunk(isFirst, new String(file, at + 4, 4, StandardCharsets.ISO_8859_1), (int) length, end);
            isFirst = false;
            at = end;
        }
    }

    /** Checks the chunk at the current position, and keeps it if it is needed. @param length of its data @param end the position behind it */
    private void chunk(boolean isFirst, String name, int length, int end) {
        if (isFirst != name.equals("IHDR") || !name.matches("[A-Za-z]{4}")) {
            throw damaged();
        }
        boolean isKept = KEPT.contains(name);
        if (!isKept && Character.isUpperCase(name.charAt(0))) {
            throw damaged(); // a chunk without which the image cannot be shown
        }
        CRC32 crc = new CRC32();
        crc.update(file, at + 4, length + 4);
        if (isKept && crc.getValue() != longAt(end - 4)) {
            throw damaged();
        }
        check(name, at + 8, length);
        if (isKept) {
            keep(at, end);
        } else if (name.equals("eXIf")) {
            keepOrientation(length);
        }
    }

    /** Checks a chunk's data and its place in the file. @param data the position of the data */
    private void check(String name, int data, int length) {
        isDataEnded |= hasData && !name.equals("IDAT");
        switch (name) {
            case "IHDR" -> {
                if (length != 13 || !isHeader(data)) {
                    throw damaged();
                }
                setSize(longAt(data), longAt(data + 4));
            }
            case "IDAT" -> {
                if (isDataEnded) {
                    throw damaged();
                }
                hasData = true;
            }
            case "fcTL" -> {
                if (length != 26 || longAt(data + 4) > width || longAt(data + 8) > height) {
                    throw damaged();
                }
                countFrame(longAt(data + 4), longAt(data + 8));
            }
            case "IEND" -> {
                if (!hasData || length != 0) {
                    throw damaged();
                }
                isDone = true;
            }
            default -> { }
        }
    }

    /** Whether depth, colour type, compression, filter and interlacing are known. */
    private boolean isHeader(int data) {
        String depths = switch (byteAt(data + 9)) {
            case 0 -> "1 2 4 8 16";
            case 3 -> "1 2 4 8";
            case 2, 4, 6 -> "8 16";
            default -> "";
        };
        return Set.of(depths.split(" ")).contains(Integer.toString(byteAt(data + 8))) && byteAt(data + 10) == 0 && byteAt(data + 11) == 0
                && byteAt(data + 12) <= 1;
    }

    /** Replaces an EXIF chunk by one that has only the orientation; drops that of an upright image, and one behind the image's data. */
    private void keepOrientation(int length) {
        int orientation = Exif.orientation(file, at + 8, at + 8 + length);
        if (orientation > 1 && !hasData) {
            byte[] exif = Exif.only(orientation);
            byte[] chunk = new byte[FRAME_BYTES + exif.length];
            chunk[3] = (byte) exif.length;
            System.arraycopy("eXIf".getBytes(StandardCharsets.ISO_8859_1), 0, chunk, 4, 4);
            System.arraycopy(exif, 0, chunk, 8, exif.length);
            CRC32 crc = new CRC32();
            crc.update(chunk, 4, exif.length + 4);
            for (int i = 0; i < 4; i++) {
                chunk[8 + exif.length + i] = (byte) (crc.getValue() >> 24 - 8 * i);
            }
            kept.write(chunk, 0, chunk.length);
        }
    }
}
