package stet.base;

import java.util.List;
import java.util.Optional;

/** The User-Agent header (RFC 9110, 10.1.5), which can contain anything that a client sends. */
public final class UserAgent {
    /** Maximum number of characters stored. */
    private static final int MAX_CHARACTERS = 200;

    /** A part of a User-Agent header, and its display name. */
    private record Sign(String part, String word) {
    }

    /** The order matters because browsers also name the browsers they imitate. */
    private static final List<Sign> BROWSERS = List.of(new Sign("Edg", "Edge"), new Sign("OPR/", "Opera"),
            new Sign("SamsungBrowser/", "Samsung Internet"), new Sign("Firefox/", "Firefox"), new Sign("FxiOS/", "Firefox"),
            new Sign("Chrome/", "Chrome"), new Sign("CriOS/", "Chrome"), new Sign("Safari/", "Safari"), new Sign("curl/", "curl"));
    private static final List<Sign> SYSTEMS = List.of(new Sign("Android", "Android"), new Sign("iPhone", "iPhone"),
            new Sign("iPad", "iPad"), new Sign("Windows", "Windows"), new Sign("Mac OS X", "macOS"), new Sign("CrOS", "ChromeOS"),
            new Sign("Linux", "Linux"));

    private UserAgent() {
    }

    /** Prepares a header for storage: removes ASCII control characters and keeps at most 200 characters; returns "" for null. */
    public static String stored(String header) {
        String text = header == null ? "" : header.replaceAll("\\p{Cntrl}", "");
        return text.substring(0, Math.min(text.length(), MAX_CHARACTERS));
    }

    /** Display name: {@code Firefox on Linux}, {@code A browser on Windows}, {@code curl}, {@code Unknown}. */
    public static String words(String stored) {
        Optional<String> browser = word(BROWSERS, stored);
        return word(SYSTEMS, stored).map(system -> browser.orElse("A browser") + " on " + system).orElse(browser.orElse("Unknown"));
    }

    private static Optional<String> word(List<Sign> signs, String text) {
        return signs.stream().filter(sign -> text.contains(sign.part)).map(Sign::word).findFirst();
    }
}
