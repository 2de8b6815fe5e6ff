package stet.files;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.base.Amount;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.ImageNames;
import stet.core.Validation;
import stet.images.ImageFile;
import stet.markup.Html;

/**
 * The images beside another system's HTML. An address that leads to one of them, relative to its page, becomes an inclusion of an image of
 * the account; everything else stays byte for byte.
 *
 * <pre>
 * img/logo.png, and src="img/logo.png" in a page ─► images/logo.png, and src="{{> images/logo.png}}"
 * </pre>
 */
final class ForeignImages {
    /** An image's address in an attribute; {@code background} and VML's {@code src} are among them. */
    private static final Set<String> ATTRIBUTES = Set.of("src", "background");
    private static final Pattern FILE = Pattern.compile("(?i).*\\.(?:png|jpe?g|gif)");
    private static final Pattern CSS = Pattern.compile("(?i)url\\(\\s*(['\"]?)([^'\"()\\s][^'\"()]*)\\1\\s*\\)");
    private static final Pattern ABSOLUTE = Pattern.compile("(?i)[a-z][a-z0-9+.-]*:.*|//.*|#.*|.*\\{\\{.*", Pattern.DOTALL);
    /** Longest address to look up. */
    private static final int MAX_ADDRESS = 1_000;

    private final Source source;
    private final Map<String, Supplier<byte[]>> files = new HashMap<>();
    private final Map<String, Long> sizes = new HashMap<>();
    /** Paths by path in lower case, for pages written on systems that ignore case. */
    private final Map<String, String> paths = new HashMap<>();
    /** The inclusion of each file that a page uses; empty for a file that is no acceptable image. */
    private final Map<String, Optional<String>> names = new HashMap<>();
    private final Set<String> taken = new HashSet<>();
    private int addresses;

    ForeignImages(Source source) {
        this.source = source;
    }

    static boolean isImage(String path) {
        return FILE.matcher(path).matches();
    }

    void add(String path, long bytes, Supplier<byte[]> reader) {
        files.put(path, reader);
        sizes.put(path, bytes);
        paths.putIfAbsent(path.toLowerCase(Locale.ROOT), path);
    }

    /** Adds the images that a page uses. @return reads the page with their addresses replaced */
    Supplier<byte[]> read(String page, Supplier<byte[]> reader) {
        if (files.isEmpty()) {
            return reader;
        }
        int before = addresses;
        rewrite(page, reader.get());
        return addresses == before ? reader : () -> rewrite(page, reader.get());
    }

    /** Reports what was imported and rewritten, once all pages are read. @param unread receives the paths of unused images */
    void end(Set<String> unread) {
        files.keySet().stream().filter(path -> names.getOrDefault(path, Optional.empty()).isEmpty()).forEach(unread::add);
        long images = names.values().stream().filter(Optional::isPresent).count();
        if (images > 0) {
            source.notice(Amount.of(images, "image") + " imported; " + Amount.of(addresses, "address in the HTML was replaced with a name", "addresses in the HTML were replaced with names"));
        }
    }

    private byte[] rewrite(String page, byte[] bytes) {
        String html = Utf8.decode(bytes).orElse(null);
        if (html == null) {
            return bytes; // rejected later
        }
        StringBuilder changed = new StringBuilder();
        int copied = 0;
        for (Html.Token token : Html.in(html)) {
            if (token.kind() == Html.HtmlKind.START) {
                for (Html.Attribute attribute : token.attributes()) {
                    String name = attribute.name().toLowerCase(Locale.ROOT);
                    if (ATTRIBUTES.contains(name)) {
                        copied = replace(page, html, attribute.valueStart(), attribute.valueEnd(), changed, copied);
                    } else if (name.equals("style")) {
                        copied = css(page, html, attribute.valueStart(), attribute.valueEnd(), changed, copied);
                    }
                }
            } else if (token.kind() == Html.HtmlKind.RAW) {
                copied = css(page, html, token.start(), token.end(), changed, copied);
            }
        }
        return copied == 0 ? bytes : Utf8.encode(changed.append(html, copied, html.length()).toString());
    }

    private int css(String page, String html, int from, int to, StringBuilder changed, int copied) {
        int end = copied;
        Matcher url = CSS.matcher(html).region(from, to);
        while (url.find()) {
            end = replace(page, html, url.start(2), url.end(2), changed, end);
        }
        return end;
    }

    /** Replaces an address if it leads to an image. @return the end of what was copied */
    private int replace(String page, String html, int from, int to, StringBuilder changed, int copied) {
        String path = from < 0 || to - from > MAX_ADDRESS ? null : path(page, html.substring(from, to).strip());
        Optional<String> name = path == null ? Optional.empty() : names.computeIfAbsent(path, this::accept);
        if (name.isEmpty()) {
            return copied;
        }
        addresses++;
        boolean isQuoted = html.charAt(from - 1) == '"' || html.charAt(from - 1) == '\'' || html.charAt(from - 1) == '(' || Character.isWhitespace(html.charAt(from - 1));
        String quote = isQuoted ? "" : "\"";
        changed.append(html, copied, from).append(quote).append("{{> ").append(name.get()).append("}}").append(quote);
        return to;
    }

    /** The path of the file to which a page's address leads; null if there is none. */
    private String path(String page, String address) {
        if (address.isEmpty() || ABSOLUTE.matcher(address).matches()) {
            return null;
        }
        String path = address.replace("&amp;", "&").replaceFirst("[?#].*", "").replace('\\', '/');
        try {
            path = URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notEncoded) {
            // a percent sign of the file's name
        }
        Deque<String> parts = new ArrayDeque<>();
        String whole = path.startsWith("/") ? path : page.substring(0, page.lastIndexOf('/') + 1) + path;
        for (String part : whole.split("/")) {
            if (part.equals("..")) {
                parts.pollLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.addLast(part);
            }
        }
        String found = String.join("/", parts);
        return files.containsKey(found) ? found : paths.get(found.toLowerCase(Locale.ROOT));
    }

    private Optional<String> accept(String path) {
        try {
            if (sizes.get(path) > ImageFile.MAX_BYTES) {
                ImageFile.of(new byte[ImageFile.MAX_BYTES + 1]);
            }
            ImageFile image = ImageFile.of(files.get(path).get());
            if (taken.size() == Validation.IMAGES) {
                throw new Refusal("An account can have at most " + Validation.IMAGES + " images");
            }
            String name = name(ImageNames.suggested(path, image.type()));
            source.add(name, image.bytes().length, files.get(path));
            return Optional.of(name);
        } catch (Refusal unusable) {
            source.notice(Source.named(path) + ": " + unusable.getMessage() + ". Its addresses are unchanged");
            return Optional.empty();
        }
    }

    /** A full name that no other image of the import has, in upper or lower case. */
    private String name(String suggested) {
        String name = suggested;
        for (int number = 2; !taken.add(name.toLowerCase(Locale.ROOT)); number++) {
            name = ImageNames.numbered(suggested, number);
        }
        return ImageNames.FOLDER + name;
    }
}
