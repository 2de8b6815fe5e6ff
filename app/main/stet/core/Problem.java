package stet.core;

/**
 * What is wrong with a draft, or may be.
 *
 * @param blocking whether it cannot be published with it
 * @param block    the shared block it was found in, or null for the draft itself
 * @param field    {@code subject} or {@code html}
 * @param line     counted from 1
 */
public record Problem(boolean blocking, String block, String field, int line, String sentence) {

    /** The sentence with its place: {@code line 3: there is no shared block "footer"}. */
    @Override
    public String toString() {
        String place = block != null ? "shared block \"" + block + "\", " : field.equals("subject") ? "subject, " : "";
        return place + "line " + line + ": " + sentence;
    }
}
