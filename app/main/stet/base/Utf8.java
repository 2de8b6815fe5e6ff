package stet.base;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Strict, lossless UTF-8 conversion: invalid text or bytes are rejected, never repaired. */
public final class Utf8 {
    /** Some Windows editors write it at the start of a file. */
    public static final String BYTE_ORDER_MARK = "\ufeff";

    private Utf8() {
    }

    /** Decodes bytes; empty if they are not UTF-8. */
    public static Optional<String> decode(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException notUtf8) {
            return Optional.empty();
        }
    }

    /** Removes a byte order mark at the start of a text, if there is one. */
    public static String withoutMark(String text) {
        return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
    }

    /** Decodes bytes that are known to be UTF-8. */
    public static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    /** @throws Refusal if the text has an unpaired surrogate, which UTF-8 cannot represent */
    public static byte[] encode(String text) {
        if (hasHalfPair(text)) {
            throw new Refusal("The text contains an unpaired surrogate, which UTF-8 cannot encode; remove it");
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** True if the text has an unpaired surrogate, which JSON can escape but UTF-8 cannot represent. */
    static boolean hasHalfPair(String text) {
        int i = 0;
        while (i < text.length()) {
            boolean isPair = isSurrogatePair(text, i, text.length());
            if (!isPair && Character.isSurrogate(text.charAt(i))) {
                return true;
            }
            i += isPair ? 2 : 1;
        }
        return false;
    }

    /** The UTF-8 length of part of a text, in bytes, computed without encoding it. */
    public static long length(String text, int from, int to) {
        long bytes = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (isSurrogatePair(text, i, to)) {
                bytes += 4;
                i++;
            } else {
                bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
            }
        }
        return bytes;
    }

    /** Whether a character begins a surrogate pair that ends before a position. */
    private static boolean isSurrogatePair(String text, int i, int to) {
        return Character.isHighSurrogate(text.charAt(i)) && i + 1 < to && Character.isLowSurrogate(text.charAt(i + 1));
    }
}
