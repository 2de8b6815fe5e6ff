package stet.store;

/** What a request is counted against: at most {@code limit} of a meter. */
public record Charge(UsageKey meter, long limit) {
}
