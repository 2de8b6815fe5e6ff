package stet.core;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Locale;
import java.util.OptionalLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Time-based codes (RFC 6238): HMAC-SHA-1, six digits, steps of 30 seconds, as all apps know them. The code of the step before
 * and of the step behind the present one are right too, as a phone's clock may be a little off (RFC 6238, 5.2).
 */
public final class Totp {
    /** Bytes of a secret: as many as SHA-1 has (RFC 4226, 4). */
    public static final int SECRET_BYTES = 20;
    private static final String ALGORITHM = "HmacSHA1";
    private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int BASE32_BITS = 5;
    private static final int STEP_SECONDS = 30;
    private static final int CODES = 1_000_000;
    /** Steps by which the other clock may be off. */
    private static final int SKEW = 1;

    private Totp() {
    }

    /** The code of an instant: six digits. */
    public static String code(byte[] secret, Instant at) {
        return code(secret, step(at));
    }

    /**
     * The step whose code this is.
     *
     * @param last step of the last code that was accepted: no code is accepted twice, and none that is older
     */
    public static OptionalLong step(byte[] secret, String code, Instant now, long last) {
        long present = step(now);
        for (long step = Math.max(present - SKEW, last + 1); step <= present + SKEW; step++) {
            if (code(secret, step).equals(code)) {
                return OptionalLong.of(step);
            }
        }
        return OptionalLong.empty();
    }

    private static long step(Instant at) {
        return Math.floorDiv(at.getEpochSecond(), STEP_SECONDS);
    }

    /** RFC 4226, 5.3. */
    private static String code(byte[] secret, long step) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            ByteBuffer digest = ByteBuffer.wrap(mac.doFinal(ByteBuffer.allocate(Long.BYTES).putLong(step).array()));
            int offset = digest.get(digest.limit() - 1) & 15;
            return "%06d".formatted((digest.getInt(offset) & Integer.MAX_VALUE) % CODES);
        } catch (GeneralSecurityException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    // ---- secrets in Base32 without padding (RFC 4648, 6): letters and digits that people can read out and type

    /** @param bytes a multiple of 5 of them, so that no bits are left over */
    public static String base32(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        int bits = 0;
        int count = 0;
        for (byte each : bytes) {
            bits = bits << 8 | each & 0xff;
            for (count += 8; count >= BASE32_BITS; count -= BASE32_BITS) {
                text.append(BASE32.charAt(bits >> count - BASE32_BITS & 31));
            }
        }
        return text.toString();
    }

    /** Base32 in groups of four. */
    public static String inGroups(String text) {
        return text.replaceAll("(.{4})(?!$)", "$1-");
    }

    /** A text as it was encoded, however it was typed: in small letters, with spaces or hyphens. */
    public static String normalized(String typed) {
        return typed.replaceAll("[\\s-]", "").toUpperCase(Locale.ROOT);
    }
}
