package stet.base;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Locale;
import java.util.OptionalLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Time-based one-time codes (RFC 6238): HMAC-SHA-1, six digits, 30-second steps, which authenticator apps support by default. The
 * codes of the previous and next steps are also valid because a phone's clock may be slightly off (RFC 6238, 5.2).
 */
public final class Totp {
    /** Length of a secret in bytes, the same as that of a SHA-1 digest (RFC 4226, 4). */
    public static final int SECRET_BYTES = 20;
    private static final String ALGORITHM = "HmacSHA1";
    private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int BASE32_BITS = 5;
    private static final int STEP_SECONDS = 30;
    private static final int CODES = 1_000_000;
    /** Allowed clock skew, in time steps. */
    private static final int SKEW = 1;

    private Totp() {
    }

    /** The six-digit code for a point in time. */
    public static String code(byte[] secret, Instant at) {
        return code(secret, step(at));
    }

    /**
     * The time step of a valid code; empty if the code is invalid.
     *
     * @param last the step of the last accepted code; only later steps match, so no code works twice
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

    /** HOTP (RFC 4226, 5.3). */
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

    // ---- secrets in Base32 without padding (RFC 4648, 6): letters and digits that are easy to read out and type

    /** Encodes bytes. @param bytes a multiple of 5 bytes, so that no bits are left over */
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

    /** Inserts a hyphen after every four characters. */
    public static String inGroups(String text) {
        return text.replaceAll("(.{4})(?!$)", "$1-");
    }

    /** Removes whitespace and hyphens from a typed code and converts it to upper case, as in recovery codes. */
    public static String normalized(String typed) {
        return typed.replaceAll("[\\s-]", "").toUpperCase(Locale.ROOT);
    }
}
