package stet.api;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import stet.base.HeapBudget;
import stet.base.Secret;
import stet.base.Turns;
import stet.core.Account;
import stet.core.SecretGrant;
import stet.core.Period;
import stet.http.Response;
import stet.http.Failure;
import stet.sqlite.Cache;
import stet.sqlite.Db;

/** Caches the retrieval endpoint's responses and keys. An entry is valid until its account changes. */
public final class ResponseCache {
    /** Estimated memory of a response in addition to its body, in bytes. */
    private static final int OVERHEAD = 1_024;
    /** Estimated memory of a key in bytes; keys may use one eighth of the cache. */
    private static final long KEY_BYTES = 512;
    private static final long KEYS_PART = 8;
    /** Responses for templates whose HTML is larger than this, in bytes, are prepared in a queue of their own. */
    private static final int HUGE = 256 << 10;

    private final Db db;
    private final Queue large;
    /** Preparing 12 MiB and writing it to a file takes 50 ms or more, for which a response of 100 KB should not have to wait. */
    private final Queue huge;
    private final Cache<String, SecretGrant> keys;
    private final Cache<Wanted, Response> responses;

    /**
     * A queue of responses to prepare.
     *
     * @param turns  ensures that an account waits for at most one response of each other account
     * @param making ensures that only one response is prepared at a time, because preparation takes several times the response's size in memory
     */
    private record Queue(Turns<Long> turns, Semaphore making) {
        Queue(Runnable beforeWait) {
            this(new Turns<>(HeapBudget.REQUESTS / 4, beforeWait), new Semaphore(1, true));
        }
    }

    private record Wanted(long account, String id, Format format) {

        /** Replaces the generated method, which takes 9 ms on first use and would delay the first response. */
        @Override
        public int hashCode() {
            return 31 * Long.hashCode(account) + id.hashCode() + format.ordinal();
        }
    }

    /** @param beforeWait called before a thread waits */
    public ResponseCache(Db db, Runnable beforeWait) {
        this.db = db;
        this.large = new Queue(beforeWait);
        this.huge = new Queue(beforeWait);
        this.keys = new Cache<>(db, HeapBudget.CACHE_BYTES / KEYS_PART / KEY_BYTES);
        this.responses = new Cache<>(db, HeapBudget.CACHE_BYTES - HeapBudget.CACHE_BYTES / KEYS_PART);
    }

    /** A number that changes whenever a write invalidates cached data; used to detect stale reads. */
    long generation() {
        return db.generation();
    }

    /** Cache usage; sizes are estimates. */
    public List<CacheUse> use() {
        return List.of(new CacheUse("responses", responses.hits(), responses.misses(), responses.weight()),
                new CacheUse("keys", keys.hits(), keys.misses(), keys.weight() * KEY_BYTES));
    }

    public record CacheUse(String cache, long hits, long misses, long bytes) {
    }

    /** A key's grant, or null if the key does not exist. */
    SecretGrant grant(String key) {
        byte[] hash = Secret.sha256(key);
        String name = new String(hash, StandardCharsets.ISO_8859_1);
        SecretGrant kept = keys.get(name);
        if (kept != null || Secret.isMistyped(key)) {
            return kept;
        }
        return keys.make(name, () -> db.readForResponse(dao -> dao.keys().access(hash)).orElse(null),
                made -> made.account().id(), made -> 1);
    }

    /** Number of requests counted in one of an account's periods. */
    long used(Account account, Period period) {
        return db.readForResponse(dao -> dao.usage().used(account, period.start()));
    }

    /**
     * Prepares a response from a template's published version or one of the two 404 errors, which are not cached.
     *
     * @param use makes the response; while it holds a large body that has just been prepared, no other of its queue is prepared
     */
    <T> T response(long account, String id, Format format, Function<Response, T> use) {
        Wanted wanted = new Wanted(account, id, format);
        Response kept = responses.get(wanted);
        if (kept != null) {
            return use.apply(kept);
        }
        long bytes = db.readForResponse(dao -> dao.templates().publishedBytes(account, id));
        return bytes >= Response.LARGE_BODY ? make(wanted, use, bytes > HUGE ? huge : large) : use.apply(make(wanted));
    }

    private Response make(Wanted wanted) {
        Response made = responses.make(wanted, () -> db.readForResponse(dao -> dao.templates().published(wanted.account, wanted.id))
                .map(wanted.format::response).orElse(null), any -> wanted.account, response -> response.body().length + OVERHEAD);
        if (made != null) {
            return made;
        }
        boolean isThere = db.readForResponse(dao -> dao.templates().exists(wanted.account, wanted.id));
        return (isThere ? Failure.TEMPLATE_NOT_PUBLISHED : Failure.NOT_FOUND).response();
    }

    private <T> T make(Wanted wanted, Function<Response, T> use, Queue queue) {
        try (Turns<Long>.TurnPlace place = queue.turns.enter(wanted.account).orElseThrow(Failure.BUSY::thrown)) {
            return place.run(() -> {
                Response kept = responses.get(wanted);
                return use.apply(kept != null ? kept : make(wanted));
            }, queue.making).orElseThrow(Failure.BUSY::thrown);
        }
    }
}
