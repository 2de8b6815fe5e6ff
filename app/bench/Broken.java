package stet;

/** A failure that makes a row's figures worthless, in one sentence. */
final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1;

    Broken(String sentence) {
        super(sentence);
    }
}
