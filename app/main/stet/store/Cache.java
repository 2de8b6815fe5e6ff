package stet.store;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Values made from the database, each of one account, kept until something of that account changes. When their weight
 * passes the bound some are dropped, whichever come first: what is in use is back after one reading each.
 */
public final class Cache<K, V> {
    private final ConcurrentHashMap<K, Entry<V>> entries = new ConcurrentHashMap<>();
    private final AtomicLong weight = new AtomicLong();
    private final Db db;
    private final long bound;

    /** @param generation of the account, as it was before the value was made */
    private record Entry<V>(V value, long account, long generation, long weight) {
    }

    /** @param bound the most that all values may weigh, in the unit of {@link #get}'s weigher */
    public Cache(Db db, long bound) {
        this.db = db;
        this.bound = bound;
    }

    /** The value that is kept for a key and still so, or null. */
    public V get(K key) {
        Entry<V> kept = entries.get(key);
        return kept != null && kept.generation == db.generation(kept.account) ? kept.value : null;
    }

    /**
     * Makes a value and keeps it, unless something changed meanwhile.
     *
     * @param maker   reads the database; a null is not kept
     * @param account whose value it is
     */
    public V make(K key, Supplier<V> maker, ToLongFunction<V> account, ToLongFunction<V> weigher) {
        long before = db.generation();
        V made = maker.get();
        if (made != null) {
            long owner = account.applyAsLong(made);
            Entry<V> entry = new Entry<>(made, owner, db.generation(owner), weigher.applyAsLong(made));
            if (before == db.generation()) {
                put(key, entry);
            }
        }
        return made;
    }

    private void put(K key, Entry<V> entry) {
        if (entry.weight > bound) {
            return;
        }
        Iterator<Map.Entry<K, Entry<V>>> others = entries.entrySet().iterator();
        while (weight.get() + entry.weight > bound && others.hasNext()) {
            Map.Entry<K, Entry<V>> other = others.next();
            if (entries.remove(other.getKey(), other.getValue())) {
                weight.addAndGet(-other.getValue().weight);
            }
        }
        Entry<V> before = entries.put(key, entry);
        weight.addAndGet(entry.weight - (before == null ? 0 : before.weight));
    }
}
