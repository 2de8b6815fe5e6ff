package stet.core;

import java.text.Normalizer;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.Utf8;

/** Rules for IDs, names, subjects and other text. Invalid text is rejected with a one-sentence message and the field's name. */
public final class Validation {
    /** Maximum size of the HTML of a draft or block, in bytes. */
    public static final int HTML_BYTES = 2 << 20;
    /** Maximum number of characters in a subject: the maximum line length in an email (RFC 5322, 2.1.1). */
    public static final int SUBJECT_CHARACTERS = 998;
    /** Maximum number of characters in a note or in the name of a template, account, key or deploy token. */
    public static final int NAME_CHARACTERS = 200;

    /** Maximum number of characters in a user's name. */
    public static final int USER_NAME_CHARACTERS = 100;

    /** Maximum number of characters in an account's label. */
    private static final int LABEL_CHARACTERS = 30;

    /** Maximum number of templates per account. */
    public static final int TEMPLATES = 10_000;
    /** Maximum number of shared blocks per account. */
    public static final int BLOCKS = 1_000;
    /** Maximum number of images per account. */
    public static final int IMAGES = 2_000;

    /** Letters and digits that are not mistaken for each other. */
    private static final String NEW_ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
    private static final int NEW_ID_CHARACTERS = 12;
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}");
    private static final Pattern EMAIL = Pattern.compile("[^\\s\\p{Z}@\"<>]{1,64}@[^\\s\\p{Z}@\"<>]{1,189}");
    /** Characters of a regular expression's class: marks that change another character's look, and show nothing themselves. */
    private static final String MARKS = "\\u034f\\u180b-\\u180f\\ufe00-\\ufe0f\\x{e0100}-\\x{e01ef}";
    /** Like {@link #MARKS}: control and format characters, line and paragraph separators, invisible letters, reserved ones. */
    private static final String UNSEEN = "\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\u115f\\u1160\\u17b4\\u17b5\\u2065\\u2800\\u3164\\uffa0\\ufff0-\\ufff8"
            + "\\x{16fe4}\\x{1d159}\\x{e0000}-\\x{e00ff}\\x{e01f0}-\\x{e0fff}";
    /**
     * Characters that make a name look empty or like another name: control and format characters (Unicode categories Cc and Cf,
     * including direction marks), line and paragraph separators, invisible letters, and marks without a character that they change.
     */
    private static final Pattern INVISIBLE = Pattern.compile("[" + UNSEEN + "]|(?<![^\\s\\p{Z}" + MARKS + UNSEEN + "])[" + MARKS + "]");
    /** Invisible marks that are legitimate in some names, but never in an email address. */
    private static final Pattern INVISIBLE_MARK = Pattern.compile("[" + MARKS + "]");
    private static final Pattern SPACES = Pattern.compile("[\\s\\p{Z}]+");
    /** Control characters and line breaks; unlike in a name, direction marks and joiners are legitimate in a subject or comment. */
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}&&[^\t]]");
    private static final Pattern GIVEN_KEY = Pattern.compile("(?=.{8,255}$)[A-Za-z0-9._~+/-]+=*");

    private Validation() {
    }

    public static boolean isId(String id) {
        return ID.matcher(id).matches();
    }

    /** Whether this can be the name of a shared block or the full name of an image. */
    public static boolean isBlock(String name) {
        return isId(name) || ImageNames.isImage(name);
    }

    /** Validates a template ID or block name. */
    public static String id(String field, String id) {
        if (!isId(id)) {
            throw new Refusal(field, "\"" + id + "\" is not a valid ID; use 1 to 64 letters, digits, - and _,"
                    + " starting with a letter or digit");
        }
        return id;
    }

    /** Generates an ID for a template without one. */
    public static String newId(RandomGenerator random) {
        StringBuilder id = new StringBuilder();
        for (int i = 0; i < NEW_ID_CHARACTERS; i++) {
            id.append(NEW_ID_ALPHABET.charAt(random.nextInt(NEW_ID_ALPHABET.length())));
        }
        return id.toString();
    }

    /** Validates a user's email address. */
    public static String email(String email) {
        checkVisible("email", "email address", email, INVISIBLE);
        checkVisible("email", "email address", email, INVISIBLE_MARK);
        if (!EMAIL.matcher(email).matches()) {
            throw new Refusal("email", "\"" + email + "\" is not a valid email address; enter an address such as ada@example.com");
        }
        return email;
    }

    /** Validates the name of a template, key or deploy token. */
    public static String name(String name) {
        checkVisible("name", "name", name, INVISIBLE);
        return text("name", name, 1, NAME_CHARACTERS);
    }

    /** Validates an account's name, and removes the spaces around it. */
    public static String accountName(String name) {
        checkVisible("name", "name", name, INVISIBLE);
        return text("name", trimmed(name), 1, NAME_CHARACTERS);
    }

    /** Removes from another system's name what {@link #name} rejects, and the spaces around the rest. The result may be empty or too long. */
    public static String cleaned(String name) {
        return trimmed(INVISIBLE.matcher(name).replaceAll(""));
    }

    /**
     * Returns the same text for names that look the same: case, compatible characters (Unicode's NFKC), marks that show nothing, and
     * the kind and number of spaces make no difference.
     */
    public static String likeness(String name) {
        String visible = INVISIBLE_MARK.matcher(Normalizer.normalize(name, Normalizer.Form.NFKC)).replaceAll("");
        return trimmed(SPACES.matcher(visible).replaceAll(" ")).codePoints().map(Character::toUpperCase).map(Character::toLowerCase)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
    }

    /** Rejects a tag with an invisible character. */
    static void checkTag(String tag) {
        checkVisible("tags", "tag", tag, INVISIBLE);
    }

    /** Removes the whitespace around a text, including no-break spaces, which {@link String#strip} keeps. */
    public static String trimmed(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isSpace(text.charAt(from))) {
            from++;
        }
        while (from < to && isSpace(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isSpace(char character) {
        return Character.isWhitespace(character) || Character.isSpaceChar(character);
    }

    /** Validates a user's name, which may be empty, and removes the spaces around it. */
    public static String userName(String name) {
        checkVisible("name", "name", name, INVISIBLE);
        return text("name", trimmed(name), 0, USER_NAME_CHARACTERS);
    }

    /** Validates an account's label, which may be empty. */
    public static String label(String label) {
        checkVisible("label", "label", label, INVISIBLE);
        return text("label", label, 0, LABEL_CHARACTERS);
    }

    /** @param what names the text in the message */
    private static void checkVisible(String field, String what, String text, Pattern invisible) {
        Matcher found = invisible.matcher(text);
        if (found.find()) {
            throw new Refusal(field, "The " + what + " must not contain the invisible character "
                    + String.format(Locale.ROOT, "U+%04X", text.codePointAt(found.start())));
        }
    }

    /** Validates the note of a publication, push, rollback or request for review, which may be empty. */
    public static String note(String note) {
        checkVisible("note", "note", note, INVISIBLE);
        return text("note", note, 0, NAME_CHARACTERS);
    }

    /** Validates an email's subject, which may be empty. */
    public static String subject(String subject) {
        if (subject.indexOf('\n') >= 0 || subject.indexOf('\r') >= 0) {
            throw new Refusal("subject", "The subject contains a line break; it must be a single line");
        }
        checkVisible("subject", "subject", subject, CONTROL);
        return text("subject", subject, 0, SUBJECT_CHARACTERS);
    }

    /** Rejects control characters, except line breaks and tabs. @param what names the text in the message */
    public static void checkLines(String field, String what, String text) {
        checkVisible(field, what, text.replaceAll("[\r\n]", " "), CONTROL);
    }

    /** Validates HTML and returns its exact bytes. */
    public static byte[] html(String html) {
        return html(Utf8.encode(html));
    }

    /** Validates HTML. @return the same bytes */
    public static byte[] html(byte[] html) {
        if (html.length > HTML_BYTES) {
            throw new Refusal("html", "The HTML is " + html.length + " bytes; the limit is " + HTML_BYTES + " (2 MiB)");
        }
        if (Utf8.decode(html).isEmpty()) {
            throw new Refusal("html", "The HTML is not UTF-8; convert it to UTF-8");
        }
        return html;
    }

    /** Validates a key chosen by a user for seeds and fixtures: a bearer token (RFC 6750, 2.1) of 8 to 255 characters. */
    public static String key(String key) {
        if (!GIVEN_KEY.matcher(key).matches()) {
            throw new Refusal("key", "A key must have 8 to 255 characters: A-Z a-z 0-9 - . _ ~ + /, and = only at the end");
        }
        if (Secret.isMistyped(key)) {
            throw new Refusal("key", "The key looks like a key generated by Stet, but its checksum is wrong; copy the key again");
        }
        return key;
    }

    /** Checks a length in characters. @param shortest 0 if the text may be empty */
    private static String text(String field, String text, int shortest, int longest) {
        int length = text.codePointCount(0, text.length());
        if (length > longest) {
            throw new Refusal(field, "The " + field + " is " + length + " characters; the limit is " + longest);
        }
        if (shortest > 0 && trimmed(text).isEmpty()) {
            throw new Refusal(field, "The " + field + " must not be empty");
        }
        Utf8.encode(text);
        return text;
    }
}
