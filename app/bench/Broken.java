package stet;

/** A failure that invalidates a row's figures. */
final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1;

    Broken(String sentence) {
        super(sentence);
    }
}
