package stet.store;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Values made from the database, kept until its generation changes. When their weight passes the bound all are
 * dropped: what is in use is back after one reading each.
 */
public final class Cache<K, V> {
    private final ConcurrentHashMap<K, Entry<V>> entries = new ConcurrentHashMap<>();
    private final AtomicLong weight = new AtomicLong();
    private final Db db;
    private final ToLongFunction<V> weigher;
    private final long bound;

    private record Entry<V>(V value, long generation, long weight) {
    }

    /** @param bound the most that all values may weigh, in the weigher's unit */
    public Cache(Db db, ToLongFunction<V> weigher, long bound) {
        this.db = db;
        this.weigher = weigher;
        this.bound = bound;
    }

    /** The value of a key, made anew where the database has changed since; a null is not kept. */
    public V get(K key, Supplier<V> maker) {
        Entry<V> kept = entries.get(key);
        long generation = db.generation();
        if (kept != null && kept.generation == generation) {
            return kept.value;
        }
        V made = maker.get();
        if (made != null) {
            put(key, new Entry<>(made, generation, weigher.applyAsLong(made)));
        }
        return made;
    }

    private void put(K key, Entry<V> entry) {
        if (weight.get() + entry.weight > bound) {
            entries.clear();
            weight.set(0);
        }
        if (entry.weight > bound) {
            return;
        }
        Entry<V> before = entries.put(key, entry);
        weight.addAndGet(entry.weight - (before == null ? 0 : before.weight));
    }
}
