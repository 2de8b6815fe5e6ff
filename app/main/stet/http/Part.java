package stet.http;

/** How much of an answer leaves before its connection is closed; all of it but for the faults of the test double. */
public enum Part {
    WHOLE,
    /** The head, which promises the whole body, and half of that. */
    HALF,
    NOTHING
}
