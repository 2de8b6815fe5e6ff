package stet.core;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import stet.base.Refusal;

/**
 * The look of an account's new emails.
 *
 * @param colour     of buttons, as {@code #rrggbb}
 * @param background around the email, as {@code #rrggbb}
 * @param logo       address of an image, a tag, or an image of the account; empty for none
 */
public record Brand(String colour, String background, BrandFont font, String logo) {
    private static final Pattern COLOUR = Pattern.compile("#[0-9a-f]{6}");
    private static final Pattern ADDRESS = Pattern.compile("https?://[^\\s\"'<>]+");
    private static final Pattern TAG = Pattern.compile("\\{\\{[^{}\"<>]+}}");
    /** Maximum number of characters of a logo's address. */
    private static final int MAX_LOGO = 500;
    public static final Brand DEFAULT = new Brand("#2455c3", "#f3f4f7", BrandFont.SYSTEM, "");

    /** Fonts that every mail client has, with what takes their place. */
    public enum BrandFont {
        SYSTEM("-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"), ARIAL("Arial, Helvetica, sans-serif"),
        VERDANA("Verdana, Geneva, sans-serif"), GEORGIA("Georgia, 'Times New Roman', serif");

        /** The value of the CSS property {@code font-family}. */
        public final String css;

        BrandFont(String css) {
            this.css = css;
        }

        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** @throws Refusal if there is no such font */
        public static BrandFont of(String word) {
            return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst()
                    .orElseThrow(() -> new Refusal("font", "Choose one of the fonts"));
        }
    }

    /** Validates a look and removes surrounding whitespace. @throws Refusal if a value is invalid */
    public static Brand of(String colour, String background, String font, String logo) {
        String address = logo.strip();
        boolean isKnown = address.isEmpty() || ADDRESS.matcher(address).matches() || TAG.matcher(address).matches() || isImage(address);
        if (!isKnown || address.length() > MAX_LOGO) {
            throw new Refusal("logo", "Enter an address of at most " + MAX_LOGO + " characters that begins with https://");
        }
        return new Brand(colour("colour", colour), colour("background", background), BrandFont.of(font), address);
    }

    /** Whether this is the tag of an image, such as {@code {{> images/logo.png}}}. */
    private static boolean isImage(String address) {
        return address.startsWith("{{> ") && address.endsWith("}}") && ImageNames.isImage(address.substring(4, address.length() - 2));
    }

    /** Validates a colour. @return the colour in lower case */
    private static String colour(String field, String given) {
        String colour = given.strip().toLowerCase(Locale.ROOT);
        if (!COLOUR.matcher(colour).matches()) {
            throw new Refusal(field, "Enter a colour such as #2455c3");
        }
        return colour;
    }
}
