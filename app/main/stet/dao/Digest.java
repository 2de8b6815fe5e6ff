package stet.dao;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import stet.base.Secret;

/** Checks texts against their stored SHA-256, so that corrupted text is neither served nor published. */
public final class Digest {
    private Digest() {
    }

    /** SHA-256 of a draft: subject, NUL, HTML. */
    public static byte[] ofDraft(String subject, byte[] html) {
        return Secret.sha256((subject + "\0").getBytes(StandardCharsets.UTF_8), html);
    }

    /** @param text description of the text for the error message @throws StoreException if the digests differ */
    static void check(Sql sql, long account, byte[] actual, byte[] stored, String text) {
        if (!Arrays.equals(actual, stored)) {
            throw mismatch(sql, account, text);
        }
    }

    /** Creates the exception for corrupted text. @param text description of the text */
    static StoreException mismatch(Sql sql, long account, String text) {
        String name = sql.first(String.class, "select name from accounts where id = ?", account).orElse("" + account);
        return StoreException.of("Corrupted data in account " + name + ": " + text + " does not match its SHA-256;"
                + " run \"check\" for details", StoreException.CORRUPT);
    }
}
