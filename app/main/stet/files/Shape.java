package stet.files;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Decides from paths alone whether files form an account's folder. */
final class Shape implements Listing {
    /** Files of a nested account folder. Reading such files as another system's would change template IDs. */
    private static final Pattern NESTED = Pattern.compile(".*/((templates|blocks)/[^/]*\\.html|templates/([^/]*\\.samples/)?[^/]*\\.json)");

    private static final Pattern MISPLACED = Pattern.compile("(?i)[^/]*|templates/([^/]*\\.samples/.*|[^/]*\\.html?)");

    private final String prefix;
    private String top;
    private boolean hasHtml;
    /** Whether there is a file that only an account's folder has, such as a block or a template's JSON file. */
    private boolean hasOwn;
    private boolean hasOtherHtml;
    private boolean hasOtherJson;
    /** Whether there is HTML where an account's template was probably meant: beside {@code templates/}, or badly named in it. */
    private boolean hasMisplaced;

    /** @param prefix the files' enclosing folder if they form an account's folder */
    Shape(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public boolean add(String path, long bytes, Supplier<byte[]> reader) {
        if (!AccountPath.isForeign(path)) {
            String first = path.substring(0, path.indexOf('/') + 1);
            if (AccountPath.isPage(path) || AccountPath.isJson(path)) {
                boolean isAround = (top == null || top.equals(first)) && !path.equals(first + Foreign.CONTENT);
                top = isAround ? first : "";
            }
            String inside = path.startsWith(prefix) ? path.substring(prefix.length()) : path;
            Optional<AccountPath.Kind> kind = AccountPath.kind(inside);
            boolean isTemplate = kind.equals(Optional.of(AccountPath.Kind.HTML));
            hasHtml |= isTemplate;
            hasOwn |= kind.isPresent() && !isTemplate || NESTED.matcher(inside).matches();
            boolean isOtherHtml = kind.isEmpty() && AccountPath.isPage(inside);
            hasOtherHtml |= isOtherHtml;
            hasMisplaced |= isOtherHtml && MISPLACED.matcher(inside).matches();
            hasOtherJson |= kind.isEmpty() && AccountPath.isJson(inside);
        }
        return false;
    }

    /** Links are skipped in another system's folder, and refused when an account's folder is read. */
    @Override
    public void addLink(String path) {
    }

    /**
     * True if the files are another system's: HTML in a place that an account's folder does not use, or JSON in such a place and no HTML.
     * False if a file is there that only an account's folder has, or a template of one is misplaced.
     */
    boolean isForeign() {
        return !hasOwn && !(hasHtml && hasMisplaced) && (hasOtherHtml || hasOtherJson && !hasHtml);
    }

    /** The files' common top-level folder, with a trailing slash; empty if there is none or if the folder belongs to a Postmark template. */
    String top() {
        return top == null ? "" : top;
    }
}
