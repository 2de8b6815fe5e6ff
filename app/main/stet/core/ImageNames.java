package stet.core;

import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.base.Refusal;

/**
 * Names and addresses of images. An image's full name, {@code images/logo.png}, is its path in an account's folder and the name by which
 * drafts include it: {@code {{> images/logo.png}}}. Its address contains the SHA-256 of its bytes, which therefore never change.
 */
public final class ImageNames {
    public static final String FOLDER = "images/";
    /** Maximum number of characters of a full name. */
    public static final int MAX_CHARACTERS = 80;
    /** Maximum number of characters before the extension. */
    private static final int MAX_STEM = 64;
    private static final Pattern FULL = Pattern.compile("images/[A-Za-z0-9][A-Za-z0-9_-]{0," + (MAX_STEM - 1) + "}\\.(?:png|jpg|jpeg|gif)");
    private static final Pattern FILE = Pattern.compile("([0-9a-f]{64})\\.(png|jpg|gif)");

    /** The start of an address that recipients can load. */
    private static final Pattern PUBLIC = Pattern.compile("(?i)https://(?!"
            + "(?:localhost|[^/]*\\.localhost|127\\.[0-9.]+|0\\.0\\.0\\.0|\\[::1?])(?:[:/]|$))");

    private ImageNames() {
    }

    /** Whether this is an image's full name. */
    public static boolean isImage(String name) {
        return name.startsWith(FOLDER) && FULL.matcher(name).matches();
    }

    /** Validates an image's name without its folder. @return the full name */
    public static String full(String field, String file) {
        int dot = file.lastIndexOf('.') + 1;
        String lower = file.substring(0, dot) + file.substring(dot).toLowerCase(Locale.ROOT);
        if (!lower.equals(file) && isImage(FOLDER + lower)) {
            throw new Refusal(field, "\"" + file + "\" is not a valid image name; name it " + lower);
        }
        if (!isImage(FOLDER + file)) {
            throw new Refusal(field, "\"" + file + "\" is not a valid image name; use 1 to " + MAX_STEM + " letters, digits, - and _, starting with a letter or"
                    + " digit, then .png, .jpg, .jpeg or .gif");
        }
        return FOLDER + file;
    }

    /** Checks that a name's extension is that of the image's format. @param name a valid name, with or without its folder */
    public static void checkType(String field, String name, ImageType type) {
        if (ImageType.ofName(name) != type) {
            String stem = name.substring(name.lastIndexOf('/') + 1, name.lastIndexOf('.'));
            throw new Refusal(field, "The file is a " + type.label + "; name it " + stem + "." + type.extension());
        }
    }

    /** An image's file name in addresses: {@code SHA256.png}. */
    public static String file(byte[] sha256, ImageType type) {
        return HexFormat.of().formatHex(sha256) + "." + type.extension();
    }

    /** The SHA-256 in an address; null if its last part is not an image's file name. */
    public static byte[] sha256(String address) {
        Matcher file = FILE.matcher(address.substring(address.lastIndexOf('/') + 1));
        return file.matches() ? HexFormat.of().parseHex(file.group(1)) : null;
    }

    /** Whether recipients cannot load an address, or mail clients block it: it has no https, or leads to the recipient's own computer. */
    public static boolean isPrivate(String address) {
        return !PUBLIC.matcher(address).lookingAt();
    }

    /** The format in an address whose {@link #sha256} is not null. */
    public static ImageType type(String address) {
        return ImageType.ofName(address);
    }

    /** Derives a valid name from a file name of any system, such as {@code Foto (1).JPG}. @return the name without its folder */
    public static String suggested(String file, ImageType type) {
        String last = file.substring(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
        int dot = last.lastIndexOf('.');
        String stem = (dot > 0 ? last.substring(0, dot) : last).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_-]+", "-")
                .replaceAll("^[-_]+|-+$", "");
        return (stem.isEmpty() ? "image" : stem.substring(0, Math.min(stem.length(), MAX_STEM))) + "." + type.extension();
    }

    /** Appends a number to a valid name, with or without its folder: {@code logo-2.png}. */
    public static String numbered(String name, int number) {
        String end = "-" + number;
        int dot = name.lastIndexOf('.');
        int longest = name.lastIndexOf('/') + 1 + MAX_STEM - end.length();
        return name.substring(0, Math.min(dot, longest)) + end + name.substring(dot);
    }
}
