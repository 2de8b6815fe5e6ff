package stet.core;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Text and its bytes, one to one: what has no exact counterpart is refused, never repaired. */
public final class Utf8 {
    private Utf8() {
    }

    /** The text of these bytes, or nothing when they are not UTF-8. */
    public static Optional<String> decode(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException notUtf8) {
            return Optional.empty();
        }
    }

    /** @throws Refusal when the text has half of a surrogate pair, which no byte sequence stands for */
    public static byte[] encode(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] exact = new byte[bytes.remaining()];
            bytes.get(exact);
            return exact;
        } catch (CharacterCodingException unpaired) {
            throw new Refusal("The text has half of a surrogate pair, which UTF-8 cannot hold");
        }
    }
}
