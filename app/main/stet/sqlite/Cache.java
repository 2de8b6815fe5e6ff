package stet.sqlite;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Caches values computed from the database. Each value belongs to an account and is valid until a change that may affect the
 * account. If the total weight would exceed the bound, arbitrary values are evicted.
 */
public final class Cache<K, V> {
    private final ConcurrentHashMap<K, CacheEntry<V>> entries = new ConcurrentHashMap<>();
    private final AtomicLong weight = new AtomicLong();
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final Generations generations;
    private final long bound;

    /** @param generation the latest generation when the computation of the value began */
    private record CacheEntry<V>(V value, long account, long generation, long weight) {
    }

    /** @param bound maximum weight of all values, in the unit used by the weigher of {@link #make} */
    public Cache(Db db, long bound) {
        this(db.generations(), bound);
    }

    Cache(Generations generations, long bound) {
        this.generations = generations;
        this.bound = bound;
    }

    /** Returns the key's value, or null if there is no valid value. */
    public V get(K key) {
        CacheEntry<V> kept = entries.get(key);
        boolean valid = kept != null && kept.generation >= generations.of(kept.account);
        (valid ? hits : misses).increment();
        return valid ? kept.value : null;
    }

    public long hits() {
        return hits.sum();
    }

    public long misses() {
        return misses.sum();
    }

    /** Weight of all values, valid or not. */
    public long weight() {
        return weight.get();
    }

    /**
     * Computes a value and caches it unless its weight exceeds the bound. If the account changes during the computation, the cached value
     * is invalid.
     *
     * @param maker   computes the value from the database; null is not cached
     * @param account ID of the value's account
     */
    public V make(K key, Supplier<V> maker, ToLongFunction<V> account, ToLongFunction<V> weigher) {
        long before = generations.latest();
        V made = maker.get();
        if (made != null) {
            put(key, new CacheEntry<>(made, account.applyAsLong(made), before, weigher.applyAsLong(made)));
        }
        return made;
    }

    /** Caches a value unless its weight exceeds the bound, and first evicts others until it fits. */
    private void put(K key, CacheEntry<V> entry) {
        if (entry.weight > bound) {
            return;
        }
        Iterator<Map.Entry<K, CacheEntry<V>>> others = entries.entrySet().iterator();
        while (weight.get() + entry.weight > bound && others.hasNext()) {
            Map.Entry<K, CacheEntry<V>> other = others.next();
            if (entries.remove(other.getKey(), other.getValue())) {
                weight.addAndGet(-other.getValue().weight);
            }
        }
        CacheEntry<V> before = entries.put(key, entry);
        weight.addAndGet(entry.weight - (before == null ? 0 : before.weight));
    }
}
