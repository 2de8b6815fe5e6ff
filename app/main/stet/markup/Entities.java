package stet.markup;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.text.Normalizer;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import stet.base.Utf8;

/** HTML character references in text and attributes, read as browsers do (HTML standard, 13.2.5.72 to 13.2.5.80). */
public final class Entities {
    private static final String FILE = "/stet/entities/names.txt";
    /** Length of the longest name, with its semicolon. */
    private static final int MAX_NAME = 32;
    /** Length of the longest name that needs no semicolon. */
    private static final int MAX_BARE_NAME = 6;
    /** Characters of Windows-1252 for the numbers 128 to 159; \0 if the number stands for itself. */
    private static final String WINDOWS_1252 = "\u20ac\0\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\0\u017d\0"
            + "\0\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\0\u017e\u0178";
    private static final Pattern LINE_BREAKS = Pattern.compile("&(?:#0*1[03](?:;|(?![0-9]))|#[xX]0*[aAdD](?:;|(?![0-9a-fA-F]))|NewLine;)");
    private static final Pattern INVISIBLE = Pattern.compile("[\\u00ad\\u034f\\u061c\\u200b-\\u200f\\u2060\\ufeff]+");
    private static final String REPLACEMENT = "\ufffd";

    private Entities() {
    }

    /** Characters by name, loaded on first use. Names keep their semicolon; a name that needs none has an entry without it, too. */
    private static final class Names {
        static final Map<String, String> TABLE = table();

        private static Map<String, String> table() {
            try (InputStream file = Entities.class.getResourceAsStream(FILE)) {
                Map<String, String> table = new HashMap<>();
                for (String line : Utf8.text(file.readAllBytes()).split("\n")) {
                    String[] words = line.split(" ");
                    StringBuilder text = new StringBuilder(2);
                    for (int i = 1; i < words.length; i++) {
                        text.appendCodePoint(Integer.parseInt(words[i], 16));
                    }
                    table.put(words[0], text.toString());
                    table.put(words[0].endsWith(";") ? words[0] : words[0] + ";", text.toString());
                }
                return table;
            } catch (IOException brokenJar) {
                throw new UncheckedIOException(brokenJar);
            }
        }
    }

    /** A decoded reference. @param end index after the reference */
    record Reference(String text, int end) {
    }

    /** Decodes the references in text. An ampersand that begins none stays unchanged. */
    public static String decode(String html) {
        return decode(html, false);
    }

    /** Decodes the references in an attribute's value, where {@code &copy=2} is part of an address and not a reference. */
    public static String decodeAttribute(String value) {
        return decode(value, true);
    }

    /**
     * HTML as a reader would type its words: references decoded, letters composed (NFC), fixed spaces as spaces, and nothing invisible.
     * References to line breaks become spaces, so that the lines stay as they are.
     */
    public static String shown(String html) {
        String text = decodeAttribute(LINE_BREAKS.matcher(html).replaceAll(" "));
        return INVISIBLE.matcher(Normalizer.normalize(text, Normalizer.Form.NFC).replace('\u00a0', ' ').replace('\u202f', ' ')).replaceAll("");
    }

    private static String decode(String html, boolean isAttribute) {
        int and = html.indexOf('&');
        if (and < 0) {
            return html;
        }
        StringBuilder text = new StringBuilder(html.length());
        int copied = 0;
        while (and >= 0) {
            Reference reference = reference(html, and, isAttribute);
            if (reference != null) {
                text.append(html, copied, and).append(reference.text);
                copied = reference.end;
            }
            and = html.indexOf('&', reference == null ? and + 1 : copied);
        }
        return text.append(html, copied, html.length()).toString();
    }

    /** Reads the reference that begins with the ampersand at a position; null if there is none. */
    static Reference reference(String html, int and, boolean isAttribute) {
        return html.startsWith("#", and + 1) ? numeric(html, and + 2) : named(html, and + 1, isAttribute);
    }

    private static Reference named(String html, int from, boolean isAttribute) {
        int end = from;
        while (end < html.length() && end - from < MAX_NAME && isAlphanumeric(html.charAt(end))) {
            end++;
        }
        String text = html.startsWith(";", end) ? Names.TABLE.get(html.substring(from, end + 1)) : null;
        if (text != null) {
            return new Reference(text, end + 1);
        }
        for (int bare = Math.min(end, from + MAX_BARE_NAME); bare > from + 1; bare--) {
            text = Names.TABLE.get(html.substring(from, bare));
            if (text != null) {
                boolean isInAddress = isAttribute && bare < html.length() && (html.charAt(bare) == '=' || isAlphanumeric(html.charAt(bare)));
                return isInAddress ? null : new Reference(text, bare);
            }
        }
        return null;
    }

    private static Reference numeric(String html, int from) {
        boolean isHex = html.startsWith("x", from) || html.startsWith("X", from);
        int radix = isHex ? 16 : 10;
        int digits = isHex ? from + 1 : from;
        int point = 0;
        int end = digits;
        while (end < html.length() && html.charAt(end) < 128 && Character.digit(html.charAt(end), radix) >= 0) {
            point = Math.min(point * radix + Character.digit(html.charAt(end), radix), Character.MAX_CODE_POINT + 1);
            end++;
        }
        return end == digits ? null : new Reference(character(point), html.startsWith(";", end) ? end + 1 : end);
    }

    /** The text of a numeric reference, which replaces what is no character. */
    private static String character(int point) {
        boolean isSurrogate = point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
        if (point == 0 || point > Character.MAX_CODE_POINT || isSurrogate) {
            return REPLACEMENT;
        }
        char mapped = point >= 128 && point < 160 ? WINDOWS_1252.charAt(point - 128) : '\0';
        return mapped == '\0' ? Character.toString(point) : String.valueOf(mapped);
    }

    private static boolean isAlphanumeric(char c) {
        return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
    }

    /** Escapes a text as Handlebars 4.7 does. */
    static String escape(String plain) {
        return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                .replace("\"", "&quot;").replace("'", "&#x27;").replace("`", "&#x60;").replace("=", "&#x3D;");
    }
}
