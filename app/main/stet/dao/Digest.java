package stet.dao;

import java.util.Arrays;

/** Checks texts against their stored SHA-256, so that corrupted text is neither served nor published. */
final class Digest {
    private Digest() {
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
