package stet.files;

import java.util.Optional;
import stet.core.Refusal;
import stet.core.Rules;

/**
 * What a file is for, by its path in an account's folder.
 *
 * @param name the id of a template or the name of a block; empty for account.json
 */
record Place(Kind kind, String name) {
    static final String ACCOUNT = "account.json";

    enum Kind {
        SETTINGS("", ".json", 1 << 20),
        HTML("templates/", ".html", Rules.HTML_BYTES),
        JSON("templates/", ".json", 1 << 20),
        BLOCK("blocks/", ".html", Rules.HTML_BYTES);

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
     * The place of a path, or nothing for what is to be ignored: files beginning with a dot, README and LICENSE.
     *
     * @param path with slashes
     * @throws Refusal naming the path, when it has no place here
     */
    static Optional<Place> of(String path) {
        int slash = path.indexOf('/');
        String folder = path.substring(0, slash + 1);
        String file = path.substring(slash + 1);
        if (isIgnored(path)) {
            return Optional.empty();
        }
        if (path.equals(ACCOUNT)) {
            return Optional.of(new Place(Kind.SETTINGS, ""));
        }
        for (Kind kind : Kind.values()) {
            if (kind != Kind.SETTINGS && kind.folder.equals(folder) && file.endsWith(kind.ending)) {
                String name = file.substring(0, file.length() - kind.ending.length());
                if (!Rules.isId(name)) {
                    throw new Refusal("The file's name is no id: 1 to 64 letters, digits, - and _, beginning with a letter"
                            + " or digit").in(path);
                }
                return Optional.of(new Place(kind, name));
            }
        }
        throw new Refusal("This does not belong into an account's folder, which has templates/ID.html, templates/ID.json,"
                + " blocks/NAME.html and account.json").in(path);
    }

    /** Whether any part of the path begins with a dot, or the last is a README or LICENSE and no template's or block's. */
    private static boolean isIgnored(String path) {
        String file = path.substring(path.lastIndexOf('/') + 1);
        boolean remark = file.startsWith("README") || file.startsWith("LICENSE");
        boolean content = path.contains("/") && (file.endsWith(".html") || file.endsWith(".json"));
        return path.startsWith(".") || path.contains("/.") || remark && !content;
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
