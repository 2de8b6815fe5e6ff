package stet.files;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Decides whether files are an account's folder, by their paths alone. */
final class Shape implements Listing {
    /** Files of an account's folder that is further down: read as another system's, its blocks would become templates. */
    private static final Pattern NESTED = Pattern.compile(".*/(blocks/[^/]*\\.html|templates/([^/]*\\.samples/)?[^/]*\\.json)");

    private final String prefix;
    private String top;
    private boolean hasHtml;
    /** Whether there is a file that only an account's folder has: a block, a template's JSON. */
    private boolean hasOwn;
    private boolean hasOtherHtml;
    private boolean hasOtherJson;

    /** @param prefix the folder around the account's files, if they are an account's */
    Shape(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public boolean add(String path, long bytes, Supplier<byte[]> reader) {
        if (!AccountPath.isForeign(path)) {
            String first = path.substring(0, path.indexOf('/') + 1);
            boolean isAround = (top == null || top.equals(first)) && !path.equals(first + Foreign.CONTENT);
            top = isAround ? first : "";
            String inside = path.startsWith(prefix) ? path.substring(prefix.length()) : path;
            Optional<AccountPath.Kind> kind = AccountPath.kind(inside);
            boolean isTemplate = kind.equals(Optional.of(AccountPath.Kind.HTML));
            hasHtml |= isTemplate;
            hasOwn |= kind.isPresent() && !isTemplate || NESTED.matcher(inside).matches();
            hasOtherHtml |= kind.isEmpty() && AccountPath.isHtml(inside);
            hasOtherJson |= kind.isEmpty() && AccountPath.isJson(inside);
        }
        return false;
    }

    /** Whether HTML, or JSON without HTML, is where an account's folder has none. */
    boolean isForeign() {
        return !hasOwn && (hasOtherHtml || hasOtherJson && !hasHtml);
    }

    /** The one folder around all files, with its slash; empty where there is none, or it is Postmark's folder of a template. */
    String top() {
        return top == null ? "" : top;
    }
}
