package stet.core;

import java.util.Locale;

/** Base32 without padding (RFC 4648, 6): letters and digits that people can read out and type. */
public final class Base32 {
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int BITS = 5;

    private Base32() {
    }

    /** @param bytes a multiple of 5 of them, so that no bits are left over */
    public static String encode(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        int bits = 0;
        int count = 0;
        for (byte each : bytes) {
            bits = bits << 8 | each & 0xff;
            for (count += 8; count >= BITS; count -= BITS) {
                text.append(ALPHABET.charAt(bits >> count - BITS & 31));
            }
        }
        return text.toString();
    }

    /** The same in groups of four. */
    public static String inGroups(String text) {
        return text.replaceAll("(.{4})(?!$)", "$1-");
    }

    /** A text as it was encoded, however it was typed: in small letters, with blanks or hyphens. */
    public static String normalized(String typed) {
        return typed.replaceAll("[\\s-]", "").toUpperCase(Locale.ROOT);
    }
}
