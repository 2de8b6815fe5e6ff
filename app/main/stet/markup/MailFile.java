package stet.markup;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Locale;
import stet.base.Utf8;

/**
 * Builds an email (RFC 5322) with plain text and HTML as alternatives (RFC 2046, 5.1.4), to send or as an .eml file. {@code X-Unsent} makes
 * Outlook open the file as a draft.
 */
public final class MailFile {
    /** Maximum number of subject bytes per encoded word, so that lines have at most 76 chars (RFC 2047, 2). */
    private static final int MAX_WORD_BYTES = 39;
    /** The hyphen is not a Base64 character, so no line of a part can match the boundary. */
    private static final String BOUNDARY = "stet-part";
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(76, new byte[] {'\r', '\n'});
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("EEE, d MMM yyyy HH:mm:ss Z", Locale.ENGLISH);

    private MailFile() {
    }

    /**
     * The header fields of an email to send, besides its subject.
     *
     * @param fromName the sender's name, or empty
     * @param from     an ASCII address without quotes, like {@code to}
     * @param id       identifies the email; the same for each attempt to send it, so that mailboxes recognise duplicates
     */
    public record MailHeaders(String fromName, String from, String to, String id, Instant date) {
    }

    /**
     * Builds an ASCII file; only the address lines can be longer than 78 chars.
     *
     * @param address sender and recipient; omitted if too long or if a header would have to quote or encode it
     * @param subject the subject with variables filled in; each run of control characters becomes a space
     * @param html    the HTML with variables filled in
     */
    public static byte[] of(String address, String subject, String html, Instant date) {
        StringBuilder file = new StringBuilder();
        if (address.matches("[!-~]{1,250}") && !address.matches(".*[<>()\\[\\],;:\\\\\"].*")) {
            header(file, "From", "<" + address + ">");
            header(file, "To", "<" + address + ">");
        }
        header(file, "Subject", encoded(subject));
        header(file, "Date", DATE.format(date.atOffset(ZoneOffset.UTC)));
        header(file, "X-Unsent", "1");
        return body(file, html);
    }

    /** Builds an email to send: the same subject and parts as in the file, and headers that tell programs not to answer (RFC 3834, 5). */
    public static byte[] message(MailHeaders headers, String subject, String html) {
        StringBuilder file = new StringBuilder();
        header(file, "From", (headers.fromName.isEmpty() ? "" : phrase(headers.fromName) + " ") + "<" + headers.from + ">");
        header(file, "To", "<" + headers.to + ">");
        header(file, "Subject", encoded(subject));
        header(file, "Date", DATE.format(headers.date.atOffset(ZoneOffset.UTC)));
        header(file, "Message-ID", "<" + headers.id + ">");
        header(file, "Auto-Submitted", "auto-generated");
        header(file, "X-Auto-Response-Suppress", "All");
        return body(file, html);
    }

    private static byte[] body(StringBuilder file, String html) {
        header(file, "MIME-Version", "1.0");
        header(file, "Content-Type", "multipart/alternative;\r\n boundary=\"" + BOUNDARY + '"');
        part(file, "text/plain", PlainText.of(html));
        part(file, "text/html", html);
        return file.append("\r\n--").append(BOUNDARY).append("--\r\n").toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** A name before an address (RFC 5322, 3.2.5), quoted or in encoded words. */
    private static String phrase(String name) {
        String encoded = encoded(name);
        return encoded.startsWith("=?") ? encoded : '"' + encoded.replaceAll("[\\\\\"]", "\\\\$0") + '"';
    }

    private static void header(StringBuilder file, String name, String value) {
        file.append(name).append(": ").append(value).append("\r\n");
    }

    private static void part(StringBuilder file, String type, String content) {
        file.append("\r\n--").append(BOUNDARY).append("\r\n");
        header(file, "Content-Type", type + "; charset=utf-8");
        header(file, "Content-Transfer-Encoding", "base64");
        file.append("\r\n").append(LINES.encodeToString(content.getBytes(StandardCharsets.UTF_8)));
    }

    /** The text as plain ASCII, or as encoded words on folded lines. Decoders drop the line breaks and spaces between encoded words. */
    private static String encoded(String text) {
        String line = text.replaceAll("[\\p{Cntrl}\\u2028\\u2029]+", " ").strip();
        boolean isPlain = line.matches("[ -~]{0,65}") && !line.contains("=?");
        if (isPlain) {
            return line;
        }
        StringBuilder words = new StringBuilder();
        int from = 0;
        while (from < line.length()) {
            int to = wordEnd(line, from);
            byte[] word = line.substring(from, to).getBytes(StandardCharsets.UTF_8);
            words.append(words.isEmpty() ? "" : "\r\n ").append("=?utf-8?B?").append(Base64.getEncoder().encodeToString(word)).append("?=");
            from = to;
        }
        return words.toString();
    }

    /** End of the longest part of a text, in whole characters, that fits into an encoded word. */
    private static int wordEnd(String line, int from) {
        int end = line.offsetByCodePoints(from, 1);
        while (end < line.length()) {
            int next = line.offsetByCodePoints(end, 1);
            if (Utf8.length(line, from, next) > MAX_WORD_BYTES) {
                return end;
            }
            end = next;
        }
        return end;
    }
}
