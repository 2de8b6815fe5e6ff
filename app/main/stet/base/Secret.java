package stet.base;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Generates keys, deploy tokens, passwords and the secrets of links, all from letters and digits, and IDs in base64url. Callers pass a
 * cryptographically secure generator.
 *
 * <p>An API key is {@code stet_}, 32 random characters (190 bits) and a 6-character checksum. The checksum detects
 * mistyped keys without a database query; the prefix lets scanners find leaked keys.
 */
public final class Secret {
    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final String PREFIX = "stet_";
    private static final String TOKEN_PREFIX = "stet_deploy_";
    private static final int RANDOM_CHARACTERS = 32;
    private static final int TOKEN_CHARACTERS = 43;
    private static final int PASSWORD_CHARACTERS = 24;
    private static final int CHECKSUM_CHARACTERS = 6;
    private static final Pattern GENERATED =
            Pattern.compile(PREFIX + "[0-9A-Za-z]{" + (RANDOM_CHARACTERS + CHECKSUM_CHARACTERS) + "}");

    private Secret() {
    }

    /** An API key; see the class. */
    public static String newKey(RandomGenerator random) {
        String key = PREFIX + characters(random, RANDOM_CHARACTERS);
        return key + checksum(key);
    }

    /** A deploy token: {@code stet_deploy_}, 43 random characters (256 bits) and a checksum as in API keys. */
    public static String newToken(RandomGenerator random) {
        String token = TOKEN_PREFIX + characters(random, TOKEN_CHARACTERS);
        return token + checksum(token);
    }

    /** A password to be copied from the screen: 24 characters (142 bits) in groups. */
    public static String newPassword(RandomGenerator random) {
        return characters(random, PASSWORD_CHARACTERS).replaceAll("(.{6})(?!$)", "$1-");
    }

    /** A link's secret: 32 characters (190 bits). */
    public static String newLink(RandomGenerator random) {
        return characters(random, RANDOM_CHARACTERS);
    }

    /** A link's secret that depends on a random key and a number, and cannot be guessed without the key. */
    public static String derived(byte[] key, long number) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(Long.toString(number).getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    /** An unguessable ID: random bytes in base64url. */
    public static String newId(RandomGenerator random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** True if a key has the format of generated keys but a wrong checksum. */
    public static boolean isMistyped(String key) {
        if (!GENERATED.matcher(key).matches()) {
            return false;
        }
        int body = PREFIX.length() + RANDOM_CHARACTERS;
        return !checksum(key.substring(0, body)).equals(key.substring(body));
    }

    /**
     * First characters of a key or deploy token, shown in lists to tell keys and tokens apart; at most half of it, because users can choose
     * short keys.
     */
    public static String start(String key) {
        String prefix = key.startsWith(TOKEN_PREFIX) ? TOKEN_PREFIX : PREFIX;
        return key.substring(0, Math.min(key.length() / 2, prefix.length() + 4));
    }

    public static byte[] sha256(String text) {
        return sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Digest of the concatenated parts. */
    public static byte[] sha256(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
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
        StringBuilder digits = new StringBuilder(CHECKSUM_CHARACTERS);
        for (int i = 0; i < CHECKSUM_CHARACTERS; i++) {
            digits.append(ALPHABET.charAt((int) (rest % ALPHABET.length())));
            rest /= ALPHABET.length();
        }
        return digits.reverse().toString();
    }
}
