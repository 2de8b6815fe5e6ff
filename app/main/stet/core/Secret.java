package stet.core;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Keys and passwords as they are made: letters and digits from a cryptographic generator.
 *
 * <p>An API key is {@code stet_}, 32 random characters (190 bits) and a checksum of 6, so that a mistyped key is
 * known without a look at the database and a leaked one can be searched for.
 */
public final class Secret {
    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final String PREFIX = "stet_";
    private static final int RANDOM = 32;
    private static final int CHECKSUM = 6;
    private static final MessageDigest SHA_256 = digest();
    private static final Pattern GENERATED = Pattern.compile("stet_[0-9A-Za-z]{" + (RANDOM + CHECKSUM) + "}");

    private Secret() {
    }

    public static String newKey(RandomGenerator random) {
        String key = PREFIX + characters(random, RANDOM);
        return key + checksum(key);
    }

    /** A password for a person to read off the screen: 24 characters in groups, 142 bits. */
    public static String newPassword(RandomGenerator random) {
        return characters(random, 24).replaceAll("(.{6})(?!$)", "$1-");
    }

    /** Whether a key has the shape of a generated one, but not its checksum. */
    public static boolean isMistyped(String key) {
        if (!GENERATED.matcher(key).matches()) {
            return false;
        }
        int body = PREFIX.length() + RANDOM;
        return !checksum(key.substring(0, body)).equals(key.substring(body));
    }

    /** What the lists show of a key, enough to tell it from others: its first characters. */
    public static String start(String key) {
        return key.substring(0, Math.min(key.length() / 2, PREFIX.length() + 4));
    }

    public static byte[] sha256(String text) {
        return sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Of all the parts, one behind the other. */
    public static byte[] sha256(byte[]... parts) {
        MessageDigest digest;
        try {
            digest = (MessageDigest) SHA_256.clone(); // to look it up takes longer than to digest a key
        } catch (CloneNotSupportedException notByThisProvider) {
            digest = digest();
        }
        for (byte[] part : parts) {
            digest.update(part);
        }
        return digest.digest();
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    private static String characters(RandomGenerator random, int count) {
        StringBuilder text = new StringBuilder(count);
        for (int i = 0; i < count; i++) {
            text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return text.toString();
    }

    private static String checksum(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        long rest = crc.getValue();
        StringBuilder digits = new StringBuilder(CHECKSUM);
        for (int i = 0; i < CHECKSUM; i++) {
            digits.append(ALPHABET.charAt((int) (rest % ALPHABET.length())));
            rest /= ALPHABET.length();
        }
        return digits.reverse().toString();
    }
}
