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
    private final Map<String, Found> files = new HashMap<>();
    /** Paths by path in lower case, for pages written on systems that ignore case. */
    private final Map<String, String> paths = new HashMap<>();
    /** The full name of each file that a page uses; empty for a file that is no acceptable image. */
    private final Map<String, Optional<String>> names = new HashMap<>();
    private final Set<String> taken = new HashSet<>();
    /** Number of replaced addresses in all pages, each of which is counted once. */
    private int addresses;

    private record Found(long bytes, Supplier<byte[]> reader) {
    }

    ForeignImages(Source source) {
        this.source = source;
    }

    static boolean isImage(String path) {
        return FILE.matcher(path).matches();
    }

    void add(String path, long bytes, Supplier<byte[]> reader) {
        files.put(path, new Found(bytes, reader));
        paths.putIfAbsent(path.toLowerCase(Locale.ROOT), path);
    }

    /** Adds the images that a page uses. @return reads the page with their addresses replaced */
    Supplier<byte[]> read(String page, Supplier<byte[]> reader) {
        if (files.isEmpty()) {
            return reader;
        }
        int replaced = new PageRewrite(page, reader.get()).replaceAll();
        addresses += replaced;
        return replaced == 0 ? reader : () -> {
            PageRewrite rewrite = new PageRewrite(page, reader.get());
            rewrite.replaceAll();
            return rewrite.bytes();
        };
    }

    /** Reports what was imported and rewritten, once all pages are read. @param unread receives the paths of unused images */
    void end(Set<String> unread) {
        files.keySet().stream().filter(path -> names.getOrDefault(path, Optional.empty()).isEmpty()).forEach(unread::add);
        long images = names.values().stream().filter(Optional::isPresent).count();
        if (images > 0) {
            source.notice(Amount.of(images, "image") + " imported; "
                    + Amount.of(addresses, "address in the HTML was replaced with a name", "addresses in the HTML were replaced with names"));
        }
    }

    /** A page whose addresses of images are replaced with inclusions. */
    private final class PageRewrite {
        private final String page;
        private final byte[] original;
        /** Empty if the page is not UTF-8, for which it is rejected later. */
        private final String html;
        private final StringBuilder changed = new StringBuilder();
        /** End of what is in {@code changed}. */
        private int copied;
        private int replaced;

        PageRewrite(String page, byte[] bytes) {
            this.page = page;
            this.original = bytes;
            this.html = Utf8.decode(bytes).orElse("");
        }

        /** @return number of replaced addresses */
        int replaceAll() {
            for (Html.Token token : Html.in(html)) {
                if (token.kind() == Html.HtmlKind.START) {
                    token.attributes().forEach(this::replaceIn);
                } else if (token.kind() == Html.HtmlKind.RAW) {
                    replaceInCss(token.start(), token.end());
                }
            }
            return replaced;
        }

        private void replaceIn(Html.Attribute attribute) {
            String name = attribute.name().toLowerCase(Locale.ROOT);
            if (ATTRIBUTES.contains(name)) {
                char before = html.charAt(attribute.valueStart() - 1);
                boolean isQuoted = before == '"' || before == '\'';
                replace(attribute.valueStart(), attribute.valueEnd(), isQuoted ? "" : "\"");
            } else if (name.equals("style")) {
                replaceInCss(attribute.valueStart(), attribute.valueEnd());
            }
        }

        private void replaceInCss(int from, int to) {
            Matcher url = CSS.matcher(html).region(from, to);
            while (url.find()) {
                replace(url.start(2), url.end(2), "");
            }
        }

        /** Replaces an address if it leads to an image. @param quote to add around the inclusion, which contains a space; may be empty */
        private void replace(int from, int to, String quote) {
            Optional<String> path = to - from > MAX_ADDRESS ? Optional.empty() : path(page, html.substring(from, to).strip());
            path.flatMap(file -> names.computeIfAbsent(file, ForeignImages.this::accept)).ifPresent(name -> {
                replaced++;
                changed.append(html, copied, from).append(quote).append("{{> ").append(name).append("}}").append(quote);
                copied = to;
            });
        }

        byte[] bytes() {
            return copied == 0 ? original : Utf8.encode(changed + html.substring(copied));
        }
    }

    /** The path of the file to which a page's address leads, if there is one. */
    private Optional<String> path(String page, String address) {
        if (address.isEmpty() || ABSOLUTE.matcher(address).matches()) {
            return Optional.empty();
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
        return files.containsKey(found) ? Optional.of(found) : Optional.ofNullable(paths.get(found.toLowerCase(Locale.ROOT)));
    }

    /** Adds a file to the import, if it is an acceptable image. @return its full name there */
    private Optional<String> accept(String path) {
        Found file = files.get(path);
        try {
            ImageFile.checkSize(file.bytes); // before the file is read
            ImageFile image = ImageFile.of(file.reader.get());
            if (taken.size() == Validation.IMAGES) {
                throw new Refusal("An account can have at most " + Validation.IMAGES + " images");
            }
            String name = newName(ImageNames.suggested(path, image.type()));
            source.add(name, image.bytes().length, file.reader);
            return Optional.of(name);
        } catch (Refusal unusable) {
            source.notice(Source.shortened(path) + ": " + unusable.getMessage() + ". Its addresses are unchanged");
            return Optional.empty();
        }
    }

    /** A full name that no other image of the import has, in upper or lower case. */
    private String newName(String suggested) {
        String name = suggested;
        for (int number = 2; !taken.add(name.toLowerCase(Locale.ROOT)); number++) {
            name = ImageNames.numbered(suggested, number);
        }
        return ImageNames.FOLDER + name;
    }
}
