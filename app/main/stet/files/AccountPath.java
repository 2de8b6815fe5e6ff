package stet.files;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import stet.core.Refusal;
import stet.core.Samples;
import stet.core.Validation;

/**
 * The path of a file in an account's folder.
 *
 * @param name the id of a template or the name of a block; empty for account.json
 * @param set  the name of a set of test data; null for other files
 */
record AccountPath(Kind kind, String name, String set) {
    static final String ACCOUNT = "account.json";
    static final List<String> FOLDERS = List.of("templates", "blocks");
    /** Folders of other programs. Hidden folders count as such, too. */
    private static final Set<String> FOREIGN = Set.of("__MACOSX", "node_modules");

    enum Kind {
        ACCOUNT("", ".json", 1 << 20, 1, "accounts"),
        HTML("templates/", ".html", Validation.HTML_BYTES, Validation.TEMPLATES, "templates"),
        JSON("templates/", ".json", 8 << 20, Integer.MAX_VALUE, "templates"), // each needs its HTML
        SAMPLES("templates/", ".json", Samples.BYTES, Samples.SETS_OF_ACCOUNT, "sets of test data"),
        BLOCK("blocks/", ".html", Validation.HTML_BYTES, Validation.BLOCKS, "shared blocks");

        private final String folder;
        private final String ending;
        private final int maxBytes;
        final int maxFiles;
        final String plural;

        Kind(String folder, String ending, int maxBytes, int maxFiles, String plural) {
            this.folder = folder;
            this.ending = ending;
            this.maxBytes = maxBytes;
            this.maxFiles = maxFiles;
            this.plural = plural;
        }

        /** The path of the file with this name: {@code templates/welcome.html}. */
        String path(String name) {
            return folder + name + ending;
        }
    }

    /** Folder of a template's sets of test data, behind its id. */
    private static final String SAMPLES = ".samples/";

    /** The path of a set of test data: {@code templates/welcome.samples/lena.json}. */
    static String samples(String id, String set) {
        return Kind.SAMPLES.folder + id + SAMPLES + set + Kind.SAMPLES.ending;
    }

    /** Whether a folder beside the templates is one of test data. */
    static boolean isSamplesFolder(String name) {
        return (name + "/").endsWith(SAMPLES);
    }

    /**
     * Parses a path with slashes; empty for a file to pass over: hidden, another program's, an image, a note.
     *
     * @throws Refusal naming the path, when it looks like a template in the wrong place
     */
    static Optional<AccountPath> of(String path) {
        if (isForeign(path)) {
            return Optional.empty();
        }
        if (path.equals(ACCOUNT)) {
            return Optional.of(new AccountPath(Kind.ACCOUNT, "", null));
        }
        for (Kind kind : List.of(Kind.HTML, Kind.JSON, Kind.BLOCK)) {
            int from = kind.folder.length();
            if (path.startsWith(kind.folder) && path.indexOf('/', from) < 0 && path.endsWith(kind.ending)) {
                String name = path.substring(from, path.length() - kind.ending.length());
                return Optional.of(new AccountPath(kind, checked(name, path), null));
            }
        }
        int folder = path.indexOf(SAMPLES);
        int from = folder + SAMPLES.length();
        if (folder > 0 && path.startsWith(Kind.SAMPLES.folder) && path.lastIndexOf('/', folder) == Kind.SAMPLES.folder.length() - 1
                && path.indexOf('/', from) < 0 && path.endsWith(Kind.SAMPLES.ending)) {
            return Optional.of(new AccountPath(Kind.SAMPLES, checked(path.substring(Kind.SAMPLES.folder.length(), folder), path),
                    checked(path.substring(from, path.length() - Kind.SAMPLES.ending.length()), path)));
        }
        if (isMisplaced(path)) {
            throw new Refusal("This does not belong in an account's folder, which has templates/ID.html, templates/ID.json,"
                    + " templates/ID.samples/NAME.json, blocks/NAME.html and account.json").in(path);
        }
        return Optional.empty();
    }

    private static String checked(String name, String path) {
        if (!Validation.isId(name)) {
            throw new Refusal("The file's name is not an id: 1 to 64 letters, digits, - and _, beginning with a letter"
                    + " or digit").in(path);
        }
        return name;
    }

    /** Whether the path, or a folder that it is in, is hidden or another program's. */
    static boolean isForeign(String path) {
        return Arrays.stream(path.split("/"))
                .anyMatch(name -> name.startsWith(".") && !name.equals("..") || FOREIGN.contains(name));
    }

    /** Whether the file may be meant as a template: HTML anywhere except in notes, and JSON beside templates. */
    private static boolean isMisplaced(String path) {
        String lower = path.toLowerCase(Locale.ROOT);
        boolean note = path.startsWith("README") || path.startsWith("LICENSE");
        boolean beside = FOLDERS.stream().anyMatch(folder -> lower.startsWith(folder + "/"));
        return !note && (lower.endsWith(".html") || lower.endsWith(".htm")) || beside && lower.endsWith(".json");
    }

    /** The path, or the outermost folder that it is in, not counting the account's own two. */
    static String outermost(String path) {
        int from = FOLDERS.stream().filter(folder -> path.startsWith(folder + "/")).mapToInt(folder -> folder.length() + 1).sum();
        int slash = path.indexOf('/', from);
        return slash < 0 ? path : path.substring(0, slash + 1);
    }

    /** Bytes that the file may have. */
    int maxBytes() {
        return kind.maxBytes;
    }

    /** @throws Refusal naming the path, when the file is too long */
    void checkSize(String path, long bytes) {
        if (bytes > kind.maxBytes) {
            throw new Refusal("The file has " + bytes + " bytes, the most is " + kind.maxBytes + " (" + (kind.maxBytes >> 20)
                    + " MiB)").in(path);
        }
    }
}
