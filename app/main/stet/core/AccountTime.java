package stet.core;

import java.time.Instant;

/** The time that a request of an account is counted at. */
public interface AccountTime {
    /** The same time for all accounts; only the test double has others. */
    AccountTime EVERYBODYS = (access, now) -> now;

    Instant of(KeyGrant access, Instant now);
}
