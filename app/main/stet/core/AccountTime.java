package stet.core;

import java.time.Instant;

/** What time it is for an account when one of its requests is counted. */
public interface AccountTime {
    /** The same for each account: what all but the test double go by. */
    AccountTime EVERYBODYS = (access, now) -> now;

    Instant of(KeyGrant access, Instant now);
}
