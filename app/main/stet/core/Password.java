package stet.core;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.random.RandomGenerator;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** A password as it is kept: {@code pbkdf2-sha512$ROUNDS$SALT$HASH}, salt and hash in base64. */
public final class Password {
    /** OWASP Password Storage Cheat Sheet, PBKDF2-HMAC-SHA512. */
    private static final int ROUNDS = 220_000;
    private static final int FEW_ROUNDS = 10;
    private static final String SCHEME = "pbkdf2-sha512";
    private static final int SALT_BYTES = 16;
    private static final int HASH_BITS = 256;
    private static final int SHORTEST = 8;
    private static final int LONGEST = 1_024;

    private Password() {
    }

    /**
     * Hashes a new password; takes about 0.2 s of one core, on purpose.
     *
     * @param email whose password it is
     * @throws Refusal when it is too short, too long or too easy to guess
     */
    public static String hash(String password, String email, RandomGenerator random) {
        checkLength(password);
        if (password.codePoints().noneMatch(Password::isVisible)) {
            throw new Refusal("password", "A password has more than blanks and control characters");
        }
        if (password.strip().equalsIgnoreCase(email)) {
            throw new Refusal("password", "A password is not the e-mail address itself");
        }
        if (CommonPasswords.contain(password)) {
            throw new Refusal("password", "This is one of the 20,000 most common passwords, which are guessed first: choose another");
        }
        return hash(password, random, ROUNDS);
    }

    /** Hashes a password of throw-away data, which nobody attacks, in no time. @throws Refusal when it is too short or too long */
    public static String hashCheaply(String password, RandomGenerator random) {
        checkLength(password);
        return hash(password, random, FEW_ROUNDS);
    }

    private static void checkLength(String password) {
        if (password.codePointCount(0, password.length()) < SHORTEST) {
            throw new Refusal("password", "A password has at least " + SHORTEST + " characters");
        }
        if (Utf8.encode(password).length > LONGEST) {
            throw new Refusal("password", "A password has at most " + LONGEST + " bytes");
        }
    }

    private static boolean isVisible(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL, Character.FORMAT, Character.SPACE_SEPARATOR, Character.LINE_SEPARATOR,
                 Character.PARAGRAPH_SEPARATOR, Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    private static String hash(String password, RandomGenerator random, int rounds) {
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        Base64.Encoder base64 = Base64.getEncoder();
        return SCHEME + "$" + rounds + "$" + base64.encodeToString(salt) + "$"
                + base64.encodeToString(derive(password, salt, rounds));
    }

    /** Whether this is the password that was hashed; takes as long as hashing, whatever the answer. */
    public static boolean matches(String password, String hash) {
        String[] parts = hash.split("\\$");
        byte[] salt = Base64.getDecoder().decode(parts[2]);
        byte[] expected = Base64.getDecoder().decode(parts[3]);
        return MessageDigest.isEqual(expected, derive(password, salt, Integer.parseInt(parts[1])));
    }

    private static byte[] derive(String password, byte[] salt, int rounds) {
        try {
            PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), salt, rounds, HASH_BITS);
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512").generateSecret(spec).getEncoded();
        } catch (GeneralSecurityException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
