package stet.types;

import java.text.Normalizer;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Unique identifiers in one scope of a source file, made from IDs and from variables' names. */
final class Identifiers {
    private final Set<String> taken = new HashSet<>();

    /** @param reserved words that cannot be identifiers here */
    Identifiers(Set<String> reserved) {
        taken.addAll(reserved);
    }

    /** An identifier that differs from all earlier ones by more than case, because some file systems ignore case. */
    String uniqueIgnoringCase(String wanted) {
        String name = wanted;
        for (int i = 2; taken.contains(name.toLowerCase(Locale.ROOT)); i++) {
            name = wanted + i;
        }
        taken.add(name.toLowerCase(Locale.ROOT));
        return name;
    }

    /** An identifier that differs from all earlier ones and all reserved words: if necessary with an underscore, otherwise with a number. */
    String unique(String wanted) {
        String name = taken.contains(wanted) ? wanted + "_" : wanted;
        for (int i = 2; taken.contains(name); i++) {
            name = wanted + i;
        }
        taken.add(name);
        return name;
    }

    /**
     * The name as an identifier: {@code first name} becomes {@code first_name}. A name that does not begin with a letter gets an x before it.
     * The identifier is in Unicode's form NFKC, in which Python reads identifiers.
     */
    static String identifier(String name) {
        String known = Normalizer.isNormalized(name, Normalizer.Form.NFKC) ? name : Normalizer.normalize(name, Normalizer.Form.NFKC);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < known.length(); i++) {
            char letter = known.charAt(i);
            text.append(Character.isLetter(letter) || letter >= '0' && letter <= '9' ? letter : '_');
        }
        return text.isEmpty() || !Character.isLetter(text.charAt(0)) ? "x" + text : text.toString();
    }

    /** The name as an identifier of words that begin with capitals: {@code order-items} becomes {@code OrderItems}. */
    static String capitalised(String name) {
        StringBuilder text = new StringBuilder();
        for (String word : identifier(name).split("_")) {
            if (!word.isEmpty()) {
                char first = Character.toUpperCase(word.charAt(0));
                text.append(Character.isUpperCase(first) ? "" : "X").append(first).append(word, 1, word.length());
            }
        }
        return text.isEmpty() ? "X" : text.toString();
    }

    /** A string literal in TypeScript, Python or Go, without invisible characters other than spaces. */
    static String literal(String text) {
        return literal(text, "\\u%04x");
    }

    /** A string literal without invisible characters other than spaces. @param control format of a control character in the language */
    static String literal(String text, String control) {
        StringBuilder literal = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            switch (letter) {
                case '"', '\\' -> literal.append('\\').append(letter);
                case '\n' -> literal.append("\\n");
                case '\r' -> literal.append("\\r");
                case '\t' -> literal.append("\\t");
                default -> literal.append(letter < ' ' ? String.format(control, (int) letter)
                        : isHidden(letter) ? String.format("\\u%04x", (int) letter) : String.valueOf(letter));
            }
        }
        return literal.append('"').toString();
    }

    private static boolean isHidden(char letter) {
        return switch (Character.getType(letter)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            case Character.SPACE_SEPARATOR -> letter != ' ';
            default -> false;
        };
    }
}
