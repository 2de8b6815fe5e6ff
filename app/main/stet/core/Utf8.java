package stet.core;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Text and its bytes, one to one. Text or bytes without an exact counterpart are refused, never repaired. */
public final class Utf8 {
    private Utf8() {
    }

    /** Decodes bytes; empty when they are not UTF-8. */
    public static Optional<String> decode(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException notUtf8) {
            return Optional.empty();
        }
    }

    /** @throws Refusal when the text has half of a surrogate pair, which has no bytes */
    public static byte[] encode(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!isPair(text, i, text.length())) {
                    throw new Refusal("The text has half of a surrogate pair, which UTF-8 cannot hold");
                }
                i++;
            }
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Counts the bytes of a part of a text without encoding it. */
    public static long length(String text, int from, int to) {
        long bytes = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (isPair(text, i, to)) {
                bytes += 4;
                i++;
            } else {
                bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
            }
        }
        return bytes;
    }

    private static boolean isPair(String text, int i, int to) {
        return Character.isHighSurrogate(text.charAt(i)) && i + 1 < to && Character.isLowSurrogate(text.charAt(i + 1));
    }
}
