package stet.base;

/** An error in a user's input: one clear sentence and, if known, the name of the invalid field. */
public class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String field;

    public Refusal(String sentence) {
        this(null, sentence);
    }

    public Refusal(String field, String sentence) {
        super(sentence, null, false, false);
        this.field = field;
    }

    /** Name of the invalid field, or null. */
    public String field() {
        return field;
    }

    /** The same error, prefixed with its location, such as a file name. */
    public Refusal in(String place) {
        return new Refusal(field, place + ": " + getMessage());
    }
}
