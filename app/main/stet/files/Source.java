package stet.files;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import stet.core.Refusal;

/** The files of an account's folder: listed first, then read one by one, so that one at a time is in memory. */
public final class Source implements AutoCloseable {
    /** A report names at most this many files that were passed over. */
    private static final int MAX_PASSED_OVER = 10;

    private final SortedMap<String, Entry> entries = new TreeMap<>();
    private final Map<AccountPath.Kind, Integer> counts = new EnumMap<>(AccountPath.Kind.class);
    private final SortedSet<String> passedOver = new TreeSet<>();
    private final Closeable opened;
    private boolean hasAccountFolder;

    private record Entry(AccountPath path, Supplier<byte[]> reader) {
    }

    /** @param opened closed together with this source */
    Source(Closeable opened) {
        this.opened = opened;
    }

    /** A source without files. */
    public Source() {
        this(() -> { });
    }

    /** Files in memory, by path. */
    public static Source of(SortedMap<String, byte[]> files) {
        Source source = new Source();
        files.forEach((path, bytes) -> source.add(path, bytes.length, () -> bytes));
        return source;
    }

    /**
     * Adds a file, or passes it over when an account's folder has no such file.
     *
     * @param bytes  length of the file
     * @param reader reads the file; throws a {@link Refusal} naming the path when that fails
     * @return whether the file was added
     * @throws Refusal naming the path, when the file is in the wrong place, too long or added twice
     */
    public boolean add(String path, long bytes, Supplier<byte[]> reader) {
        Optional<AccountPath> parsed = AccountPath.of(path);
        if (parsed.isEmpty()) {
            passOver(path);
            return false;
        }
        parsed.get().checkSize(path, bytes);
        if (entries.put(path, new Entry(parsed.get(), reader)) != null) {
            throw new Refusal("The file is there twice").in(path);
        }
        AccountPath.Kind kind = parsed.get().kind();
        if (counts.merge(kind, 1, Integer::sum) > kind.maxFiles) {
            throw new Refusal("There are more than " + kind.maxFiles + " " + kind.plural + ", the most that an account may have");
        }
        return true;
    }

    /** Adds a folder: an account without templates has an empty {@code templates/} and {@code blocks/}. */
    void addFolder(String path) {
        hasAccountFolder |= AccountPath.FOLDERS.contains(path);
    }

    /** Has a file reported as passed over, by its outermost folder or, where it is in none, by its name. */
    void passOver(String path) {
        passedOver.add(AccountPath.outermost(path));
    }

    boolean has(String path) {
        return entries.containsKey(path);
    }

    void forEach(BiConsumer<String, AccountPath> action) {
        entries.forEach((path, entry) -> action.accept(path, entry.path));
    }

    /** @throws Refusal naming the path, when the file is too long, damaged, or gone */
    byte[] read(String path) {
        return entries.get(path).reader.get();
    }

    /** Files that were passed over, each folder once: {@code .git/, README.md, logo.png}. */
    List<String> passedOver() {
        List<String> names = new ArrayList<>(passedOver.stream().limit(MAX_PASSED_OVER).toList());
        if (passedOver.size() > MAX_PASSED_OVER) {
            names.add((passedOver.size() - MAX_PASSED_OVER) + " more");
        }
        return names;
    }

    /** @throws Refusal when there is no template and no block, unless this is an export of an empty account */
    void checkNotEmpty() {
        boolean empty = entries.values().stream()
                .allMatch(entry -> entry.path.kind() == AccountPath.Kind.ACCOUNT || entry.path.kind() == AccountPath.Kind.PULLED);
        if (empty && (!hasAccountFolder || !passedOver.isEmpty())) {
            throw new Refusal("There is nothing to import: no templates/ID.html and no blocks/NAME.html"
                    + (passedOver.isEmpty() ? "" : ", but " + String.join(", ", passedOver())));
        }
    }

    @Override
    public void close() {
        try {
            opened.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
