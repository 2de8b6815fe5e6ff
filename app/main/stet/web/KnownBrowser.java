package stet.web;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The mark that a sign-in leaves in a browser. It lets nobody in: it spares the owner the limits that strangers share
 * ({@link SignInAttempts}). Its form is {@code ID.MAC}, both base64url. The key of the MAC is the account's password as it
 * is stored, so that a mark holds for one account, until its password changes.
 */
final class KnownBrowser {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int ID_BYTES = 16;

    private KnownBrowser() {
    }

    /** @param hash the account's password as it is stored */
    static String mark(String hash, RandomGenerator random) {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        String id = base64(bytes);
        return id + "." + base64(mac(hash, id));
    }

    /** The id of a mark that was made with this hash, or nothing. */
    static Optional<String> id(String mark, String hash) {
        int dot = mark.indexOf('.');
        String id = mark.substring(0, Math.max(dot, 0));
        byte[] expected = base64(mac(hash, id)).getBytes(StandardCharsets.UTF_8);
        byte[] given = mark.substring(dot + 1).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(expected, given) ? Optional.of(id) : Optional.empty();
    }

    private static byte[] mac(String hash, String id) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(hash.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            return mac.doFinal(("browser " + id).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
