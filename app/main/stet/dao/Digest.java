package stet.dao;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import stet.core.Secret;

/**
 * The SHA-256 that is stored beside what it was taken of. A text that is damaged on the disk is served to nobody, and nothing is
 * published from it.
 */
public final class Digest {
    private Digest() {
    }

    /** SHA-256 of a draft: its subject, a NUL and its html. */
    public static byte[] ofDraft(String subject, byte[] html) {
        return Secret.sha256((subject + "\0").getBytes(StandardCharsets.UTF_8), html);
    }

    /** @param text in words @throws StoreException when it is not the one that was written */
    static void check(Sql sql, long account, byte[] digest, byte[] written, String text) {
        if (!Arrays.equals(digest, written)) {
            throw damaged(sql, account, text);
        }
    }

    /** The failure to be thrown. @param text in words */
    static StoreException damaged(Sql sql, long account, String text) {
        String name = sql.first(String.class, "select name from accounts where id = ?", account).orElse("" + account);
        return StoreException.of("Damaged: " + text + " of " + name + " has another SHA-256 than when it was written;"
                + " \"check\" lists all that is damaged", StoreException.CORRUPT);
    }
}
