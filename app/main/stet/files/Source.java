package stet.files;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import stet.core.Refusal;

/** The files of an account's folder: listed first, then read one by one, so that one at a time is in memory. */
public final class Source implements Listing, AutoCloseable {
    /** A report names at most this many files that were passed over. */
    private static final int MAX_PASSED_OVER = 10;
    private static final int MAX_NOTICES = 100;
    private static final int NOTICE_CHARACTERS = 300;
    private static final int NAME_CHARACTERS = 100;

    private final SortedMap<String, Entry> entries = new TreeMap<>();
    private final Map<AccountPath.Kind, Integer> counts = new EnumMap<>(AccountPath.Kind.class);
    private final SortedSet<String> passedOver = new TreeSet<>();
    private final Closeable opened;
    private boolean hasAccountFolder;
    /** Where the files of another system's templates come from, by path; empty for an account's own files. */
    private final Map<String, String> origins = new HashMap<>();
    /** Templates of which nothing but the HTML is known. */
    private final Set<String> bare = new HashSet<>();
    private final Set<String> notices = new LinkedHashSet<>();
    private int moreNotices;

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
     * @throws Refusal naming the path, when the file is in the wrong place, too long or added twice
     */
    @Override
    public boolean add(String path, long bytes, Supplier<byte[]> reader) {
        Optional<AccountPath> parsed = AccountPath.of(path);
        if (parsed.isEmpty()) {
            passOver(path);
            return false;
        }
        parsed.get().checkSize(shown(path), bytes);
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
    @Override
    public void addFolder(String path) {
        checkIsNoPlace(path);
        hasAccountFolder |= AccountPath.FOLDERS.contains(path);
    }

    /** Has a file reported as passed over, by its outermost folder or, where it is in none, by its name. */
    @Override
    public void passOver(String path) {
        if (!AccountPath.isForeign(path)) {
            checkIsNoPlace(path);
        }
        passedOver.add(AccountPath.outermost(path));
    }

    private static void checkIsNoPlace(String path) {
        if (AccountPath.kind(path).isPresent()) {
            throw new Refusal("This is not a file").in(path);
        }
    }

    boolean has(String path) {
        return entries.containsKey(path);
    }

    void forEach(BiConsumer<String, AccountPath> action) {
        entries.forEach((path, entry) -> action.accept(path, entry.path));
    }

    /** @throws Refusal naming the path, when the file is too long, damaged, or gone */
    byte[] read(String path) {
        Entry entry = entries.get(path);
        byte[] bytes = entry.reader.get();
        entry.path.checkSize(shown(path), bytes.length);
        return bytes;
    }

    // ---- files of another system

    /** Adds a file of a template. @param origin its path for messages */
    void add(String path, String origin, long bytes, Supplier<byte[]> reader) {
        origins.put(path, origin);
        add(path, bytes, reader);
    }

    /** Notes that nothing but the HTML of a template is known. */
    void bare(String id) {
        bare.add(id);
    }

    boolean isBare(String id) {
        return bare.contains(id) || !has(AccountPath.Kind.JSON.path(id));
    }

    public boolean isForeign() {
        return !origins.isEmpty();
    }

    /** The path as its author knows it. */
    String shown(String path) {
        return origins.getOrDefault(path, path);
    }

    /** Has a sentence reported on what is left out or read otherwise. */
    void notice(String whole) {
        String sentence = cut(whole, NOTICE_CHARACTERS);
        if (notices.size() < MAX_NOTICES) {
            notices.add(sentence);
        } else if (!notices.contains(sentence)) {
            moreNotices++;
        }
    }

    List<String> notices() {
        Stream<String> rule = entries.entrySet().stream().filter(entry -> origins.containsKey(entry.getKey())).limit(1).map(entry ->
                "Read as another system's files, with ids from their names: " + named(shown(entry.getKey())) + " has the template "
                        + entry.getValue().path.name());
        return Stream.of(rule, notices.stream(), moreNotices == 0 ? Stream.<String>empty() : Stream.of(moreNotices + " more"))
                .flatMap(each -> each).toList();
    }

    /** A name of any length, for a message. */
    static String named(String name) {
        return cut(name, NAME_CHARACTERS);
    }

    /** The beginning of a text, which UTF-8 can hold. */
    private static String cut(String text, int most) {
        String start = text.length() <= most ? text : text.substring(0, most) + "\u2026";
        return start.replaceAll("\\p{Cs}", "?");
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
