package stet.core;

import java.time.Instant;

/**
 * What a key opens.
 *
 * @param countedAt when a request of the account was last counted; the account's time never goes back behind it, so
 *                  that a clock set back opens no period a second time
 */
public record Access(long keyId, Account account, Instant countedAt) {

    /** The period that a request at {@code now} belongs to. */
    public Period period(Instant now) {
        return account.period(now.isBefore(countedAt) ? countedAt : now);
    }
}
