package stet.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import stet.core.Secret;

/**
 * Compares a text with the SHA-256 that was taken when it was written. A text that has rotted on the disk is served to nobody, and
 * nothing is published from it.
 */
final class Digest {
    private Digest() {
    }

    /** SHA-256 of a draft: its subject, a NUL and its html. */
    static byte[] ofDraft(String subject, byte[] html) {
        return Secret.sha256((subject + "\0").getBytes(StandardCharsets.UTF_8), html);
    }

    /** @throws StoreException when the html of a version is not the one that was published */
    static void checkVersion(Sql sql, long account, String template, int number, byte[] html, byte[] sha256) {
        if (!Arrays.equals(Secret.sha256(html), sha256)) {
            throw damaged(sql, account, "version " + number + " of the template " + template);
        }
    }

    /** @throws StoreException when the draft that a version was made from is not the one that it was */
    static void checkDraftOfVersion(Sql sql, long account, String template, int number, String subject, byte[] html,
                                    byte[] sha256) {
        if (!Arrays.equals(ofDraft(subject, html), sha256)) {
            throw damaged(sql, account, "the draft of version " + number + " of the template " + template);
        }
    }

    /** @throws StoreException when the text of a shared block is not the one that was saved */
    static void checkBlock(Sql sql, long account, String name, byte[] html, byte[] sha256) {
        if (!Arrays.equals(Secret.sha256(html), sha256)) {
            throw damaged(sql, account, "the shared block " + name);
        }
    }

    /** The failure to be thrown. @param text in words */
    static StoreException damaged(Sql sql, long account, String text) {
        String name = sql.first(String.class, "select name from accounts where id = ?", account).orElse("" + account);
        return StoreException.of("Damaged: " + text + " of " + name + " has another SHA-256 than when it was written;"
                + " \"check\" lists all that is damaged", StoreException.CORRUPT);
    }
}
