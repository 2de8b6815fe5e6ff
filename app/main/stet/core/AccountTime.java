package stet.core;

import java.time.Instant;

/** What time it is for an account when one of its requests is counted. */
public interface AccountTime {
    /** Everybody's, but never going back: what all but the test double go by. */
    AccountTime STEADY = Access::steady;

    Instant of(Access access, Instant now);
}
