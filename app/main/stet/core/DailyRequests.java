package stet.core;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/**
 * Some counted requests of one day.
 *
 * @param day      since 1970-01-01, UTC
 * @param keyName  null where the key was deleted
 * @param template the id, or empty for ids that are no template's
 * @param missed   whether they were answered with one of the two 404s
 */
public record DailyRequests(long day, long key, String keyName, String template, boolean missed, long requests, Instant lastAt) {

    /** The day that a time lies in. */
    public static long day(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC).toEpochDay();
    }

    /**
     * A request that was missed (404) or refused (429).
     *
     * @param keyName null where the key was deleted
     */
    public record Miss(Instant at, String keyName, String template, int status) {
    }

    /**
     * Counted requests of a period that have something in common.
     *
     * @param of     a day since 1970-01-01, the number of a key, or a template's id
     * @param name   of a key; null where it was deleted, and for all else
     * @param ok     answered with 200 or 304
     * @param missed answered with one of the two 404s
     */
    public record Sum<T>(T of, String name, long ok, long missed) {
    }
}
