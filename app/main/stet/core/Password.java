package stet.core;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import stet.base.Refusal;
import stet.base.Utf8;

/** Password hashes, stored as {@code pbkdf2-sha512$ITERATIONS$SALT$HASH} with salt and hash in Base64. */
public final class Password {
    /** Number of iterations that the OWASP Password Storage Cheat Sheet recommends for PBKDF2-HMAC-SHA512. */
    private static final int ITERATIONS = 220_000;
    private static final int CHEAP_ITERATIONS = 10;
    /** Django's list of about 20,000 common passwords, in lower case, one per line. */
    private static final String COMMON_PASSWORDS = "/stet/passwords/common-passwords.txt.gz";
    private static final String SCHEME = "pbkdf2-sha512";
    private static final int SALT_BYTES = 16;
    private static final int HASH_BITS = 256;
    private static final int MIN_CHARACTERS = 8;
    private static final int MAX_BYTES = 1_024;
    private static final Pattern VISIBLE = Pattern.compile("[^\\p{Cc}\\p{Cf}\\p{Cn}\\p{Z}]");

    /** Control characters, line separators and the byte order mark, which come from files and which browsers remove from a password field. */
    private static final Pattern UNTYPABLE = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}\\ufeff]");

    private Password() {
    }

    /**
     * Hashes a new password. Deliberately slow: about 0.2 s on one core.
     *
     * @param email the user's email address
     * @throws Refusal if the password is too short, too long or too easy to guess, or cannot be typed
     */
    public static String hash(String password, String email, RandomGenerator random) {
        checkLength(password);
        if (!VISIBLE.matcher(password).find()) {
            throw new Refusal("password", "The password must contain visible characters");
        }
        checkTypable(password);
        if (password.strip().equalsIgnoreCase(email)) {
            throw new Refusal("password", "The password must not be the email address");
        }
        if (isCommon(password)) {
            throw new Refusal("password",
                    "This is one of the most common passwords; choose another");
        }
        return hash(password, random, ITERATIONS);
    }

    /** Hashes a password quickly but weakly, for test data only. @throws Refusal if the password is too short or too long, or cannot be typed */
    public static String hashCheaply(String password, RandomGenerator random) {
        checkLength(password);
        checkTypable(password);
        return hash(password, random, CHEAP_ITERATIONS);
    }

    private static void checkTypable(String password) {
        Matcher untypable = UNTYPABLE.matcher(password);
        if (untypable.find()) {
            throw new Refusal("password", "The password must not contain the character " + String.format(Locale.ROOT, "U+%04X",
                    (int) untypable.group().charAt(0)) + ", which cannot be typed into the sign-in form");
        }
    }

    private static void checkLength(String password) {
        if (password.codePointCount(0, password.length()) < MIN_CHARACTERS) {
            throw new Refusal("password", "The password must have at least " + MIN_CHARACTERS + " characters");
        }
        if (Utf8.encode(password).length > MAX_BYTES) {
            throw new Refusal("password", "The password must be at most " + MAX_BYTES + " bytes");
        }
    }

    /** Reads the list on each call, which takes a few ms. Passwords are set too rarely to justify keeping the list in memory. */
    private static boolean isCommon(String password) {
        String wanted = password.strip().toLowerCase(Locale.ROOT);
        try (BufferedReader list = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Password.class.getResourceAsStream(COMMON_PASSWORDS)), StandardCharsets.UTF_8))) {
            return list.lines().anyMatch(wanted::equals);
        } catch (IOException brokenJar) {
            throw new UncheckedIOException(brokenJar);
        }
    }

    private static String hash(String password, RandomGenerator random, int iterations) {
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        Base64.Encoder base64 = Base64.getEncoder();
        return SCHEME + "$" + iterations + "$" + base64.encodeToString(salt) + "$"
                + base64.encodeToString(derive(password, salt, iterations));
    }

    /** Checks a password against a hash. Takes as long as hashing, whether or not the password matches. */
    public static boolean matches(String password, String hash) {
        String[] parts = hash.split("\\$");
        byte[] salt = Base64.getDecoder().decode(parts[2]);
        byte[] expected = Base64.getDecoder().decode(parts[3]);
        return MessageDigest.isEqual(expected, derive(password, salt, Integer.parseInt(parts[1])));
    }

    private static byte[] derive(String password, byte[] salt, int iterations) {
        try {
            PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), salt, iterations, HASH_BITS);
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512").generateSecret(spec).getEncoded();
        } catch (GeneralSecurityException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
