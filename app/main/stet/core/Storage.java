package stet.core;

/** An account's stored bytes and storage limit. */
public record Storage(long bytes, long limit) {
    public boolean exceedsLimit() {
        return bytes > limit;
    }

    public Refusal refusal() {
        return new Refusal("The account would store " + Amount.bytes(bytes, limit) + "; its limit is " + Amount.bytes(limit, bytes)
                + ". Delete templates and empty the trash, or ask an administrator for more storage");
    }
}
