package stet.core;

/** Refuses what a user asked for, with one clear sentence and the name of the field at fault where there is one. */
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

    /** The name of the field at fault, or null. */
    public String field() {
        return field;
    }

    /** The same refusal with its place in front: the name of a file, for instance. */
    public Refusal in(String place) {
        return new Refusal(field, place + ": " + getMessage());
    }
}
