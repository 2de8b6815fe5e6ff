package stet.images;

/** The only part of EXIF data that is kept: how a camera was held, 1 to 8 (EXIF 2.32, 4.6.4). */
final class Exif {
    private static final int ORIENTATION = 0x0112;
    /** Maximum number of entries to search. */
    private static final int MAX_ENTRIES = 200;

    private Exif() {
    }

    /** The orientation in EXIF data between two positions; 1, which is upright, if there is none. */
    static int orientation(byte[] file, int from, int to) {
        if (to - from < 14) {
            return 1;
        }
        boolean isLittle = file[from] == 'I';
        if (file[from] != file[from + 1] || !isLittle && file[from] != 'M' || number(file, from + 2, 2, isLittle) != 42) {
            return 1;
        }
        long directory = number(file, from + 4, 4, isLittle);
        if (directory < 8 || directory > to - from - 2) {
            return 1;
        }
        int entry = from + (int) directory + 2;
        long entries = Math.min(MAX_ENTRIES, number(file, entry - 2, 2, isLittle));
        for (int i = 0; i < entries && entry + 12 <= to; i++, entry += 12) {
            if (number(file, entry, 2, isLittle) == ORIENTATION && number(file, entry + 2, 2, isLittle) == 3) {
                long value = number(file, entry + 8, 2, isLittle);
                return value >= 1 && value <= 8 ? (int) value : 1;
            }
        }
        return 1;
    }

    private static long number(byte[] file, int at, int bytes, boolean isLittle) {
        long number = 0;
        for (int i = 0; i < bytes; i++) {
            number = number << 8 | file[isLittle ? at + bytes - 1 - i : at + i] & 0xff;
        }
        return number;
    }

    /** EXIF data with nothing but an orientation. */
    static byte[] only(int orientation) {
        return new byte[] {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, ORIENTATION >> 8, ORIENTATION & 0xff, 0, 3, 0, 0, 0, 1, 0, (byte) orientation, 0, 0,
            0, 0, 0, 0};
    }
}
