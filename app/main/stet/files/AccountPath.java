package stet.files;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.base.Refusal;
import stet.core.ImageNames;
import stet.core.Samples;
import stet.core.Validation;
import stet.images.ImageFile;

/**
 * The path of a file in an account's folder.
 *
 * @param name a template's ID, a block's name or an image's full name; empty for other files
 * @param set  name of a set of test data; null for other files
 */
record AccountPath(PathKind kind, String name, String set) {
    static final String ACCOUNT = "account.json";
    /** Maximum size of any file, in bytes. */
    static final int MAX_BYTES = 8 << 20;
    /** Folders that every account's files have, even if they are empty. */
    static final List<String> FOLDERS = List.of("templates", "blocks");
    /** Folders that an export writes files into; {@code images} only if there are images. */
    static final List<String> WRITTEN = List.of("templates", "blocks", "images");
    /** Other programs' folders, ignored like hidden folders. */
    private static final Set<String> LIKE_HIDDEN = Set.of("__MACOSX", "node_modules");

    enum PathKind {
        ACCOUNT(AccountPath.ACCOUNT, 1 << 20, 1, "accounts"),
        PULLED("stet-pulled.json", 4 << 20, 1, "files of pull"),
        UNCHANGED("stet-unchanged.json", 4 << 20, 1, "files of push"),
        HTML("templates/%s.html", Validation.HTML_BYTES, Validation.TEMPLATES, "templates"),
        JSON("templates/%s.json", MAX_BYTES, Integer.MAX_VALUE, "templates"), // no limit, because each file needs its template's HTML
        SAMPLES("templates/%s.samples/%s.json", Samples.BYTES, Samples.SETS_OF_ACCOUNT, "sets of test data"),
        BLOCK("blocks/%s.html", Validation.HTML_BYTES, Validation.BLOCKS, "shared blocks"),
        /** Other files in {@code images/} are ignored. */
        IMAGE("images/%s", "images/([^/]*\\.(?i:png|jpe?g|gif))", ImageFile.MAX_BYTES, Validation.IMAGES, "images");

        private final String format;
        private final Pattern pattern;
        private final int maxBytes;
        final int maxFiles;
        final String plural;

        PathKind(String format, int maxBytes, int maxFiles, String plural) {
            this(format, format.replace(".", "\\.").replace("%s", "([^/]*)"), maxBytes, maxFiles, plural);
        }

        PathKind(String format, String pattern, int maxBytes, int maxFiles, String plural) {
            this.format = format;
            this.pattern = Pattern.compile(pattern);
            this.maxBytes = maxBytes;
            this.maxFiles = maxFiles;
            this.plural = plural;
        }

        /** @throws Refusal if the file is too large; the message names the path */
        void checkSize(String path, long bytes) {
            if (bytes > maxBytes) {
                throw new Refusal("The file is " + bytes + " bytes; the limit is " + maxBytes + " (" + (maxBytes >> 20) + " MiB)").in(path);
            }
        }

        /** A file's path: {@code templates/welcome.html}, {@code templates/welcome.samples/lena.json}. */
        String path(Object... names) {
            return format.formatted(names);
        }
    }

    /**
     * Parses a path with slashes. Returns empty for files to ignore: hidden files, other programs' files, images outside {@code images/},
     * READMEs and the like.
     *
     * @throws Refusal naming the path if it looks like a misplaced template, or if the file's name is not a valid ID
     */
    static Optional<AccountPath> of(String path) {
        Optional<PathKind> kind = isHidden(path) ? Optional.empty() : kind(path);
        if (kind.isPresent()) {
            return Optional.of(of(kind.get(), path));
        }
        if (!isHidden(path) && isMisplaced(path)) {
            throw new Refusal("Unexpected file in an account's folder; Stet reads only templates/ID.html, templates/ID.json,"
                    + " templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json").in(path);
        }
        return Optional.empty();
    }

    private static AccountPath of(PathKind kind, String path) {
        Matcher names = kind.pattern.matcher(path);
        names.matches(); // true, because the kind is that of the path
        return switch (kind) {
            case ACCOUNT, PULLED, UNCHANGED -> new AccountPath(kind, "", null);
            case HTML, JSON, BLOCK -> new AccountPath(kind, checked(names.group(1), path), null);
            case SAMPLES -> new AccountPath(kind, checked(names.group(1), path), checked(names.group(2), path));
            case IMAGE -> new AccountPath(kind, AccountFiles.at(path, () -> ImageNames.full("name", names.group(1))), null);
        };
    }

    /** The path of a shared block's or image's file. */
    static String ofBlock(String name) {
        return ImageNames.isImage(name) ? name : PathKind.BLOCK.path(name);
    }

    /** The kind of file at a path, even if the file's name is invalid. */
    static Optional<PathKind> kind(String path) {
        return Arrays.stream(PathKind.values()).filter(kind -> kind.pattern.matcher(path).matches()).findFirst();
    }

    private static String checked(String name, String path) {
        if (!Validation.isId(name)) {
            throw new Refusal("The file name is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter"
                    + " or digit").in(path);
        }
        return name;
    }

    /** Whether the path or one of its folders is hidden or belongs to another program. */
    static boolean isHidden(String path) {
        return Arrays.stream(path.split("/"))
                .anyMatch(name -> name.startsWith(".") && !name.equals("..") || LIKE_HIDDEN.contains(name));
    }

    /**
     * Whether the file may be a misplaced template: HTML that is not a top-level README or licence, or JSON in {@code templates/} or
     * {@code blocks/}.
     */
    private static boolean isMisplaced(String path) {
        String lower = path.toLowerCase(Locale.ROOT);
        return isHtml(path) || isJson(path) && FOLDERS.stream().anyMatch(folder -> lower.startsWith(folder + "/"));
    }

    /** Whether the file is HTML and its path does not begin with README or LICENSE. */
    static boolean isHtml(String path) {
        String lower = path.toLowerCase(Locale.ROOT);
        return (lower.endsWith(".html") || lower.endsWith(".htm")) && !path.startsWith("README") && !path.startsWith("LICENSE");
    }

    /** Whether the file is a template in another system's folder: HTML, or Handlebars or Mustache by its extension. */
    static boolean isPage(String path) {
        String lower = path.toLowerCase(Locale.ROOT);
        return isHtml(path) || lower.endsWith(".hbs") || lower.endsWith(".handlebars") || lower.endsWith(".mustache");
    }

    static boolean isJson(String path) {
        return path.toLowerCase(Locale.ROOT).endsWith(".json");
    }

    /**
     * The path's outermost folder, not counting {@code templates/} and {@code blocks/}; the path itself if it has no folder.
     */
    static String outermost(String path) {
        int from = FOLDERS.stream().filter(folder -> path.startsWith(folder + "/")).mapToInt(folder -> folder.length() + 1).sum();
        int slash = path.indexOf('/', from);
        return slash < 0 ? path : path.substring(0, slash + 1);
    }
}
