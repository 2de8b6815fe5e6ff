package stet;

import java.nio.charset.StandardCharsets;
import stet.core.Access;
import stet.core.Account;
import stet.core.HeapBudget;
import stet.core.Period;
import stet.core.Secret;
import stet.http.Answer;
import stet.http.Failure;
import stet.store.Cache;
import stet.store.Db;

/** What the endpoint looks up, kept in memory for as long as it is what the database holds. */
final class Library {
    /** What an answer weighs beside its body, in bytes. */
    private static final int OVERHEAD = 1_024;

    private final Db db;
    private final Cache<String, Access> keys;
    private final Cache<Wanted, Answer> answers;

    private record Wanted(long account, String id, Format format) {

        /** The record's own takes 9 ms to be made when it is first asked for, which is before the first answer. */
        @Override
        public int hashCode() {
            return 31 * Long.hashCode(account) + id.hashCode() + format.ordinal();
        }
    }

    Library(Db db) {
        this.db = db;
        this.keys = new Cache<>(db, HeapBudget.cachedKeys());
        this.answers = new Cache<>(db, HeapBudget.cachedAnswers());
    }

    /** Tells whether what was looked up is still so. */
    long generation() {
        return db.generation();
    }

    /** What a key opens, or null when there is no such key. */
    Access access(String key) {
        byte[] hash = Secret.sha256(key);
        String name = new String(hash, StandardCharsets.ISO_8859_1);
        Access kept = keys.get(name);
        if (kept != null || Secret.isMistyped(key)) {
            return kept;
        }
        return keys.make(name, () -> db.readForAnswer(dao -> dao.keys().access(hash)).orElse(null), made -> made.account().id(), made -> 1);
    }

    /** Requests of an account that a period has counted. */
    long used(Account account, Period period) {
        return db.readForAnswer(dao -> dao.usage().used(account, period.start()));
    }

    /** The answer for a template of an account: its published version, or one of the two 404s, which are not kept. */
    Answer answer(long account, String id, Format format) {
        Wanted wanted = new Wanted(account, id, format);
        Answer kept = answers.get(wanted);
        if (kept != null) {
            return kept;
        }
        Answer made = answers.make(wanted, () -> db.readForAnswer(dao -> dao.published(account, id)).map(format::answer).orElse(null),
                any -> account, answer -> answer.body().length + OVERHEAD);
        if (made != null) {
            return made;
        }
        return (db.readForAnswer(dao -> dao.hasTemplate(account, id)) ? Failure.TEMPLATE_NOT_PUBLISHED : Failure.NOT_FOUND).answer();
    }
}
