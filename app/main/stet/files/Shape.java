package stet.files;

import java.util.Collections;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decides from paths alone whether files form an account's folder. */
final class Shape implements Listing {
    /** HTML of an account's folder within these files. Reading it as another system's would change template IDs. */
    private static final Pattern NESTED = Pattern.compile("(.*/)(templates|blocks)/[^/]*\\.html");
    private static final Pattern NESTED_JSON = Pattern.compile(".*/templates/([^/]*\\.samples/)?[^/]*\\.json");
    private static final Pattern IN_TEMPLATES = Pattern.compile("(?i)(.*/)?(templates|blocks)/.*");

    private static final Pattern MISPLACED = Pattern.compile("(?i)[^/]*|templates/([^/]*\\.samples/.*|[^/]*\\.html?)");

    private final String prefix;
    /** See {@link #top()}; null before the first file. */
    private String top;
    private boolean hasHtml;
    private boolean hasBlocks;
    /** Whether there is a file that only an account's folder has, such as a template's JSON file. */
    private boolean hasOwn;
    /** Whether there is HTML, or JSON below, where an account's folder has none. */
    private boolean hasOtherHtml;
    private boolean hasOtherJson;
    /** Whether there is HTML outside all folders that are named as an account's. */
    private boolean hasHtmlElsewhere;
    /** Folders that contain a nested {@code templates/} or {@code blocks/} with HTML. */
    private final Set<String> withTemplates = new HashSet<>();
    private final Set<String> withBlocks = new HashSet<>();
    /** Whether there is HTML where an account's template was probably meant: beside {@code templates/}, or badly named in it. */
    private boolean hasMisplaced;

    /** @param prefix the files' enclosing folder if they form an account's folder */
    Shape(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public boolean add(String path, long bytes, Supplier<byte[]> reader) {
        if (!AccountPath.isHidden(path)) {
            findTop(path);
            record(path.startsWith(prefix) ? path.substring(prefix.length()) : path);
        }
        return false;
    }

    private void findTop(String path) {
        if (AccountPath.isPage(path) || AccountPath.isJson(path)) {
            String first = path.substring(0, path.indexOf('/') + 1);
            boolean isAround = (top == null || top.equals(first)) && !path.equals(first + Foreign.CONTENT);
            top = isAround ? first : "";
        }
    }

    /** @param path within the enclosing folder, if there is one */
    private void record(String path) {
        Matcher nested = NESTED.matcher(path);
        if (nested.matches()) {
            (nested.group(2).equals("templates") ? withTemplates : withBlocks).add(nested.group(1));
        }
        hasOwn |= NESTED_JSON.matcher(path).matches();
        Optional<AccountPath.PathKind> kind = AccountPath.kind(path);
        if (kind.isPresent()) {
            switch (kind.get()) {
                case HTML -> hasHtml = true;
                case BLOCK -> hasBlocks = true;
                case IMAGE -> { } // other systems' folders may have it, too
                case ACCOUNT, PULLED, UNCHANGED, JSON, SAMPLES -> hasOwn = true;
            }
        } else if (AccountPath.isPage(path)) {
            hasOtherHtml = true;
            hasHtmlElsewhere |= !IN_TEMPLATES.matcher(path).matches();
            hasMisplaced |= MISPLACED.matcher(path).matches();
        } else {
            hasOtherJson |= AccountPath.isJson(path);
        }
    }

    /** Links are skipped in another system's folder, and refused when an account's folder is read. */
    @Override
    public void addLink(String path) {
    }

    /**
     * True if the files are another system's: HTML in a place that an account's folder does not use, or JSON in such a place and no HTML.
     * False if there is a file that only an account's folder has, a misplaced template, or no HTML outside a nested account's folder.
     */
    boolean isForeign() {
        boolean hasOwnBlocks = hasBlocks && (prefix.isEmpty() || hasHtml || !hasHtmlElsewhere);
        boolean isAccount = hasOwn || hasOwnBlocks || isNested() || hasHtml && hasMisplaced;
        return !isAccount && (hasOtherHtml || hasOtherJson && !hasHtml);
    }

    /** True if a folder within these is an account's: it has both templates and blocks, or there is no other HTML. */
    private boolean isNested() {
        boolean hasNested = !withTemplates.isEmpty() || !withBlocks.isEmpty();
        return hasNested && !hasHtmlElsewhere || !Collections.disjoint(withTemplates, withBlocks);
    }

    /** The files' common top-level folder, with a trailing slash; empty if there is none or if the folder belongs to a Postmark template. */
    String top() {
        return top == null ? "" : top;
    }
}
