package stet.store;

import stet.core.Period;

/** What a request is counted against: at most {@code limit} requests of an account in a period of its plan. */
public record Charge(long account, String plan, Period period, long limit) {
}
