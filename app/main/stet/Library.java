package stet;

import java.nio.charset.StandardCharsets;
import stet.core.Access;
import stet.core.Secret;
import stet.http.Answer;
import stet.http.Failure;
import stet.store.Cache;
import stet.store.Db;

/** What the endpoint looks up, kept in memory for as long as it is what the database holds. */
final class Library {
    /** Bytes of answers that are kept, at most: a quarter of the heap. */
    private static final long KEPT_BYTES = Runtime.getRuntime().maxMemory() / 4;
    private static final int KEPT_KEYS = 100_000;
    /** What an answer weighs beside its body, in bytes. */
    private static final int OVERHEAD = 1_024;

    private final Db db;
    private final Cache<String, Access> keys;
    private final Cache<Wanted, Answer> answers;

    private record Wanted(long account, String id, Format format) {
    }

    Library(Db db) {
        this.db = db;
        this.keys = new Cache<>(db, access -> 1, KEPT_KEYS);
        this.answers = new Cache<>(db, answer -> answer.body().length + OVERHEAD, KEPT_BYTES);
    }

    /** Tells whether what was looked up is still so. */
    long generation() {
        return db.generation();
    }

    /** What a key opens, or null when there is no such key. */
    Access access(String key) {
        if (Secret.isMistyped(key)) {
            return null;
        }
        byte[] hash = Secret.sha256(key);
        return keys.get(new String(hash, StandardCharsets.ISO_8859_1),
                () -> db.read(dao -> dao.access(hash)).orElse(null));
    }

    /** The answer for a template of an account: its published version, or one of the two 404s, which are not kept. */
    Answer answer(long account, String id, Format format) {
        Answer published = answers.get(new Wanted(account, id, format),
                () -> db.read(dao -> dao.published(account, id)).map(format::answer).orElse(null));
        if (published != null) {
            return published;
        }
        return (db.read(dao -> dao.hasTemplate(account, id)) ? Failure.TEMPLATE_NOT_PUBLISHED : Failure.NOT_FOUND).answer();
    }
}
