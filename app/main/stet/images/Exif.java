package stet.images;

import java.nio.charset.StandardCharsets;

/** The only part of EXIF data that is kept: how a camera was held, 1 to 8 (EXIF 2.32, 4.6.4). */
final class Exif {
    private static final int ORIENTATION = 0x0112;
    /** The type of a 16-bit number. */
    private static final int SHORT = 3;
    private static final int HEADER_BYTES = 8;
    private static final int ENTRY_BYTES = 12;
    /** Maximum number of entries to search. */
    private static final int MAX_ENTRIES = 200;

    private Exif() {
    }

    /** The orientation in EXIF data between two positions; 1, which is upright, if there is none. */
    static int orientation(byte[] file, int from, int to) {
        if (to - from < HEADER_BYTES + 2) {
            return 1;
        }
        String order = new String(file, from, 2, StandardCharsets.ISO_8859_1);
        boolean isLittle = order.equals("II");
        boolean isTiff = (isLittle || order.equals("MM")) && number(file, from + 2, 2, isLittle) == 42;
        long directory = number(file, from + 4, 4, isLittle);
        if (!isTiff || directory < HEADER_BYTES || directory > to - from - 2) {
            return 1;
        }
        int entry = from + (int) directory + 2;
        long entries = Math.min(MAX_ENTRIES, number(file, entry - 2, 2, isLittle));
        for (int i = 0; i < entries && entry + ENTRY_BYTES <= to; i++, entry += ENTRY_BYTES) {
            if (number(file, entry, 2, isLittle) == ORIENTATION && number(file, entry + 2, 2, isLittle) == SHORT) {
                long value = number(file, entry + 8, 2, isLittle);
                return value >= 1 && value <= 8 ? (int) value : 1;
            }
        }
        return 1;
    }

    /** An unsigned number of so many bytes. */
    private static long number(byte[] file, int at, int bytes, boolean isLittle) {
        long number = 0;
        for (int i = 0; i < bytes; i++) {
            number = number << 8 | file[isLittle ? at + bytes - 1 - i : at + i] & 0xff;
        }
        return number;
    }

    /** EXIF data with nothing but an orientation: the header and a directory with one entry. */
    static byte[] only(int orientation) {
        return new byte[] {'M', 'M', 0, 42, 0, 0, 0, HEADER_BYTES,
            0, 1, ORIENTATION >> 8, ORIENTATION & 0xff, 0, SHORT, 0, 0, 0, 1, 0, (byte) orientation, 0, 0, 0, 0, 0, 0};
    }
}
