package stet.core;

import java.time.Instant;

/**
 * Somebody's request to publish a draft.
 *
 * @param by         name of the person at that time
 * @param note       may be empty
 * @param savedSince whether the draft was saved after it
 */
public record PublicationRequest(String by, Instant at, String note, boolean savedSince) {
}
