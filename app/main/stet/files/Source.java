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
import java.util.stream.Collectors;
import stet.base.Excerpt;
import stet.base.Refusal;
import stet.core.TemplateSummary;
import stet.dao.Dao;
import stet.files.AccountHeads.AccountRoom;

/** An account folder's files, listed first and then read one at a time to save memory. */
public final class Source implements Listing, AutoCloseable {
    /** Maximum number of ignored files in a report. */
    private static final int MAX_IGNORED = 10;
    private static final int MAX_NOTICES = 100;
    private static final int NOTICE_CHARACTERS = 300;
    private static final int NAME_CHARACTERS = 100;

    private final SortedMap<String, Entry> entries = new TreeMap<>();
    private final Map<AccountPath.PathKind, Integer> counts = new EnumMap<>(AccountPath.PathKind.class);
    private final SortedSet<String> ignored = new TreeSet<>();
    private final Closeable opened;
    private boolean hasAccountFolder;
    /** Original paths of another system's templates, by path in this source; empty for an account's own files. */
    private final Map<String, String> origins = new HashMap<>();
    /** Templates for which only the HTML is known. */
    private final Set<String> bare = new HashSet<>();
    private final Set<String> notices = new LinkedHashSet<>();
    private int moreNotices;

    private record Entry(AccountPath path, Supplier<byte[]> reader) {
    }

    /** @param opened closed together with this source */
    Source(Closeable opened) {
        this.opened = opened;
    }

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
     * Adds a file, or ignores it if it does not belong to an account's folder.
     *
     * @throws Refusal if the file is misplaced, misnamed, too large or added twice (the message names the path), or if there are too
     *         many files
     */
    @Override
    public boolean add(String path, long bytes, Supplier<byte[]> reader) {
        Optional<AccountPath> parsed = AccountPath.of(path);
        if (parsed.isEmpty()) {
            passOver(path);
            return false;
        }
        parsed.get().kind().checkSize(shown(path), bytes);
        if (entries.put(path, new Entry(parsed.get(), reader)) != null) {
            throw new Refusal("The file appears twice; remove one copy").in(path);
        }
        AccountPath.PathKind kind = parsed.get().kind();
        if (counts.merge(kind, 1, Integer::sum) > kind.maxFiles) {
            throw new Refusal("An account can have at most " + kind.maxFiles + " " + kind.plural);
        }
        return true;
    }

    /** Adds a folder. The export of an empty account has only the folders {@code templates/} and {@code blocks/}. */
    @Override
    public void addFolder(String path) {
        checkIsNoFilePath(path);
        hasAccountFolder |= AccountPath.FOLDERS.contains(path);
    }

    /** Records an ignored file by its outermost folder or, if it is in no folder, by its name. */
    @Override
    public void passOver(String path) {
        if (!AccountPath.isHidden(path)) {
            checkIsNoFilePath(path);
        }
        if (!path.equals(AccountFiles.TARGETS)) {
            ignored.add(AccountPath.outermost(path));
        }
    }

    /** @throws Refusal if an account has a file at this path, where there is a folder or something else */
    private static void checkIsNoFilePath(String path) {
        if (AccountPath.kind(path).isPresent()) {
            throw new Refusal("This is not a file").in(path);
        }
    }

    /** Like {@link #checkRoom}, for an account of this database and an author's room. Closes this source if there is no room. */
    public Source withRoomIn(Dao dao, long account) {
        try {
            Set<String> blocks = dao.blocks().sha256s(account).keySet();
            AccountRoom room = AccountRoom.of(dao, account);
            boolean mayBeFull = dao.templates().count(account) + counts.getOrDefault(AccountPath.PathKind.HTML, 0) > room.templates();
            Set<String> templates = mayBeFull ? dao.templates().list(account).stream().map(TemplateSummary::id).collect(Collectors.toSet())
                    : Set.of(); // not read, because even all of them would have room
            checkRoom(room, templates, blocks);
            return this;
        } catch (RuntimeException full) {
            close();
            throw full;
        }
    }

    /**
     * Checks the number of files before any is read, because reading 10,000 templates takes half a minute.
     *
     * @param templates the account's template IDs
     * @param blocks    names of its shared blocks
     * @throws Refusal if the account would have too many templates or blocks
     */
    public void checkRoom(Set<String> templates, Set<String> blocks) {
        checkRoom(AccountRoom.ALL, templates, blocks);
    }

    private void checkRoom(AccountRoom room, Set<String> templates, Set<String> blocks) {
        Set<String> added = names(AccountPath.PathKind.BLOCK);
        added.addAll(names(AccountPath.PathKind.IMAGE));
        room.check(templates, names(AccountPath.PathKind.HTML), blocks, added);
    }

    private Set<String> names(AccountPath.PathKind kind) {
        return entries.values().stream().map(Entry::path).filter(path -> path.kind() == kind).map(AccountPath::name).collect(Collectors.toSet());
    }

    /** Removes a file from the list, if present. */
    void omit(String path) {
        entries.remove(path);
    }

    boolean has(String path) {
        return entries.containsKey(path);
    }

    void forEach(BiConsumer<String, AccountPath> action) {
        entries.forEach((path, entry) -> action.accept(path, entry.path));
    }

    /** Reads a file of the list. @throws Refusal if it is too large, corrupted, unreadable or gone; the message names the path */
    byte[] read(String path) {
        Entry entry = entries.get(path);
        byte[] bytes = entry.reader.get();
        entry.path.kind().checkSize(shown(path), bytes.length);
        return bytes;
    }

    // ---- another system's files

    /** Adds a template's file. @param origin the path to show in messages */
    void add(String path, String origin, long bytes, Supplier<byte[]> reader) {
        origins.put(path, origin);
        add(path, bytes, reader);
    }

    /** Records that only a template's HTML is known. */
    void addBare(String id) {
        bare.add(id);
    }

    /** Whether there is only a template's HTML, without a JSON file of its own. */
    boolean isBare(String id) {
        return bare.contains(id) || !has(AccountPath.PathKind.JSON.path(id));
    }

    /** Whether the files come from another system or are plain HTML. */
    public boolean isForeign() {
        return !origins.isEmpty();
    }

    /** The path to show in messages. */
    String shown(String path) {
        return origins.getOrDefault(path, path);
    }

    /** Adds a notice about content that was omitted or converted. */
    void notice(String whole) {
        String sentence = truncated(whole, NOTICE_CHARACTERS);
        if (notices.size() < MAX_NOTICES) {
            notices.add(sentence);
        } else if (!notices.contains(sentence)) {
            moreNotices++;
        }
    }

    /** The notices, beginning with the rule for IDs and its example, which then has no notice of its own. */
    List<String> notices() {
        List<String> sentences = new ArrayList<>();
        Optional<String> example = entries.keySet().stream().filter(origins::containsKey).findFirst()
                .map(path -> shortened(shown(path)) + " becomes template " + entries.get(path).path.name());
        example.ifPresent(sentence -> sentences.add("IDs come from file names or file contents: " + sentence));
        notices.stream().filter(notice -> !example.equals(Optional.of(notice))).forEach(sentences::add);
        if (moreNotices > 0) {
            sentences.add(moreNotices + " more");
        }
        return sentences;
    }

    /** Truncates a name for a message. */
    static String shortened(String name) {
        return truncated(name, NAME_CHARACTERS);
    }

    /** Truncates a text and replaces characters that UTF-8 cannot encode. */
    private static String truncated(String text, int maxCharacters) {
        return Excerpt.of(text, maxCharacters).replaceAll("\\p{Cs}", "?");
    }

    /** Ignored files, with each folder listed once: {@code .git/, README.md, logo.png}. */
    List<String> ignored() {
        List<String> names = new ArrayList<>(ignored.stream().limit(MAX_IGNORED).toList());
        if (ignored.size() > MAX_IGNORED) {
            names.add((ignored.size() - MAX_IGNORED) + " more");
        }
        return names;
    }

    /** @throws Refusal if there are neither templates nor blocks, unless this is the export of an empty account */
    void checkNotEmpty() {
        boolean empty = entries.values().stream()
                .allMatch(entry -> entry.path.kind() == AccountPath.PathKind.ACCOUNT || entry.path.kind() == AccountPath.PathKind.PULLED);
        if (empty && (!hasAccountFolder || !ignored.isEmpty())) {
            throw new Refusal("Nothing to import; add files such as templates/ID.html or blocks/NAME.html"
                    + (ignored.isEmpty() ? "" : ". Ignored: " + String.join(", ", ignored())));
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
