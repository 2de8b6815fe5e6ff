package stet.mail;

import java.net.IDN;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.base.Refusal;

/**
 * An address that SMTP commands and headers can contain without quoting or encoding: an ASCII name before the @ (RFC 5322, 3.4.1:
 * dot-atom) and a host name, whose letters outside ASCII are in Punycode.
 */
public record MailAddress(String text) {
    private static final Pattern NAME = Pattern.compile("(?=.{1,64}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*");
    private static final Pattern DOMAIN = Pattern.compile("(?=.{1,189}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*");
    /** Characters that the JDK (IDNA 2003) drops or replaces although they belong to other domains today (IDNA 2008). */
    private static final Pattern DEVIATING = Pattern.compile("[\\u00df\\u1e9e\\u03c2\\u200c\\u200d]");

    /** @throws Refusal if an email to this address cannot be sent without extensions of SMTP */
    public static MailAddress of(String address) {
        int at = address.lastIndexOf('@');
        if (at < 0 || !NAME.matcher(address.substring(0, at)).matches()) {
            throw new Refusal("email", "Stet cannot send to \"" + address + "\"; only letters of the English alphabet, digits, single dots and"
                    + " !#$%&'*+/=?^_`{|}~- may precede the @");
        }
        return new MailAddress(address.substring(0, at) + "@" + domain(address, address.substring(at + 1)));
    }

    /** The domain in ASCII and lower case. @param address the whole address, for the message */
    private static String domain(String address, String domain) {
        try {
            Matcher deviating = DEVIATING.matcher(domain);
            String ascii = deviating.find() ? "" : IDN.toASCII(domain).toLowerCase(Locale.ROOT);
            if (DOMAIN.matcher(ascii).matches()) {
                return ascii;
            }
        } catch (IllegalArgumentException invalid) {
            // Rejected below.
        }
        throw new Refusal("email", "Stet cannot send to \"" + address + "\"; enter the domain in its ASCII form, such as example.com or"
                + " xn--bcher-kva.example");
    }

    /** True if an email to this address can be sent. */
    public static boolean isUsable(String address) {
        try {
            of(address);
            return true;
        } catch (Refusal unusable) {
            return false;
        }
    }

    /** The part after the @. */
    String domain() {
        return text.substring(text.lastIndexOf('@') + 1);
    }

    @Override
    public String toString() {
        return text;
    }
}
