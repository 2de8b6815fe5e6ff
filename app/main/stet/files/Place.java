package stet.files;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import stet.core.Refusal;
import stet.core.Validation;

/**
 * What a file is for, by its path in an account's folder.
 *
 * @param name the id of a template or the name of a block; empty for account.json
 */
record Place(Kind kind, String name) {
    static final String ACCOUNT = "account.json";
    static final List<String> FOLDERS = List.of("templates", "blocks");
    /** Folders of other programs, full of files of theirs; hidden ones besides. */
    private static final Set<String> FOREIGN = Set.of("__MACOSX", "node_modules");

    enum Kind {
        SETTINGS("", ".json", 1 << 20),
        HTML("templates/", ".html", Validation.HTML_BYTES),
        JSON("templates/", ".json", 8 << 20),
        BLOCK("blocks/", ".html", Validation.HTML_BYTES);

        private final String folder;
        private final String ending;
        private final int bytes;

        Kind(String folder, String ending, int bytes) {
            this.folder = folder;
            this.ending = ending;
            this.bytes = bytes;
        }
    }

    /** Where the file with this name stands: {@code templates/welcome.html}. */
    static String path(Kind kind, String name) {
        return kind.folder + name + kind.ending;
    }

    /**
     * The place of a path, or nothing for one that is passed over: whatever is hidden or another program's, and what can
     * be no template, such as images and notes.
     *
     * @param path with slashes
     * @throws Refusal naming the path, when it looks like a template in the wrong place
     */
    static Optional<Place> of(String path) {
        if (isForeign(path)) {
            return Optional.empty();
        }
        if (path.equals(ACCOUNT)) {
            return Optional.of(new Place(Kind.SETTINGS, ""));
        }
        int slash = path.lastIndexOf('/');
        String folder = path.substring(0, slash + 1);
        String file = path.substring(slash + 1);
        for (Kind kind : Kind.values()) {
            if (kind != Kind.SETTINGS && kind.folder.equals(folder) && file.endsWith(kind.ending)) {
                String name = file.substring(0, file.length() - kind.ending.length());
                if (!Validation.isId(name)) {
                    throw new Refusal("The file's name is no id: 1 to 64 letters, digits, - and _, beginning with a letter"
                            + " or digit").in(path);
                }
                return Optional.of(new Place(kind, name));
            }
        }
        if (isMisplaced(path)) {
            throw new Refusal("This does not belong into an account's folder, which has templates/ID.html, templates/ID.json,"
                    + " blocks/NAME.html and account.json").in(path);
        }
        return Optional.empty();
    }

    /** Whether the path, or a folder that it is in, is hidden or another program's. */
    static boolean isForeign(String path) {
        return Arrays.stream(path.split("/"))
                .anyMatch(name -> name.startsWith(".") && !name.equals("..") || FOREIGN.contains(name));
    }

    /** Whether somebody may take the file for a template: an html anywhere but a remark, and beside templates a JSON, too. */
    private static boolean isMisplaced(String path) {
        String lower = path.toLowerCase(Locale.ROOT);
        boolean remark = path.startsWith("README") || path.startsWith("LICENSE");
        boolean among = FOLDERS.stream().anyMatch(folder -> lower.startsWith(folder + "/"));
        return !remark && (lower.endsWith(".html") || lower.endsWith(".htm")) || among && lower.endsWith(".json");
    }

    /** The path, or the outermost folder that it is in, not counting the account's own two. */
    static String outermost(String path) {
        int from = FOLDERS.stream().filter(folder -> path.startsWith(folder + "/")).mapToInt(folder -> folder.length() + 1).sum();
        int slash = path.indexOf('/', from);
        return slash < 0 ? path : path.substring(0, slash + 1);
    }

    /** Bytes that a file here may have. */
    int limit() {
        return kind.bytes;
    }

    /** @throws Refusal naming the path, when a file here has no right to be that long */
    void check(String path, long bytes) {
        if (bytes > kind.bytes) {
            throw new Refusal("The file has " + bytes + " bytes, the most is " + kind.bytes + " (" + (kind.bytes >> 20)
                    + " MiB)").in(path);
        }
    }
}
