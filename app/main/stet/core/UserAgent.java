package stet.core;

import java.util.List;

/** The name by which a browser presents itself (RFC 9110, 10.1.5). A client sends what it likes. */
public final class UserAgent {
    /** Characters of it that are kept, at most. */
    private static final int MAX_CHARACTERS = 200;

    /** Part of a User-Agent, and the word for it. */
    private record Sign(String part, String word) {
    }

    /** A browser also names those that it is to be taken for, so that the order matters. */
    private static final List<Sign> BROWSERS = List.of(new Sign("Edg", "Edge"), new Sign("OPR/", "Opera"),
            new Sign("SamsungBrowser/", "Samsung Internet"), new Sign("Firefox/", "Firefox"), new Sign("FxiOS/", "Firefox"),
            new Sign("Chrome/", "Chrome"), new Sign("CriOS/", "Chrome"), new Sign("Safari/", "Safari"), new Sign("curl/", "curl"));
    private static final List<Sign> SYSTEMS = List.of(new Sign("Android", "Android"), new Sign("iPhone", "iPhone"),
            new Sign("iPad", "iPad"), new Sign("Windows", "Windows"), new Sign("Mac OS X", "macOS"), new Sign("CrOS", "ChromeOS"),
            new Sign("Linux", "Linux"));

    private UserAgent() {
    }

    /** A header as it is stored: without control characters, 200 characters at most; empty for null. */
    public static String stored(String header) {
        String text = header == null ? "" : header.replaceAll("\\p{Cntrl}", "");
        return text.substring(0, Math.min(text.length(), MAX_CHARACTERS));
    }

    /** For people to read: {@code Firefox on Linux}, {@code A browser on Windows}, {@code curl}, {@code Unknown}. */
    public static String words(String stored) {
        String browser = word(BROWSERS, stored);
        String system = word(SYSTEMS, stored);
        if (system == null) {
            return browser == null ? "Unknown" : browser;
        }
        return (browser == null ? "A browser" : browser) + " on " + system;
    }

    private static String word(List<Sign> signs, String text) {
        return signs.stream().filter(sign -> text.contains(sign.part)).map(Sign::word).findFirst().orElse(null);
    }
}
