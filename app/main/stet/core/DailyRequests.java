package stet.core;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** Days, and the counted requests of some of them. */
public final class DailyRequests {
    private DailyRequests() {
    }

    /** The day that a time lies in. */
    public static long day(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC).toEpochDay();
    }

    /** The time at which a day begins. */
    public static Instant start(long day) {
        return LocalDate.ofEpochDay(day).atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    /** The last counted request for a template. @param keyName null when the key was deleted */
    public record Last(Instant at, @JsonProperty("key") String keyName) {
    }

    /** A key that has fetched a template. @param keyName null, as {@code start} is, when the key was deleted */
    public record Caller(@JsonProperty("name") String keyName, String start, long requests, Instant lastAt) {
    }

    /**
     * Requests of one key for one template that were answered with 403, 404 or 429.
     *
     * @param at      time of the last one
     * @param keyName null when the key was deleted
     */
    public record Miss(Instant at, @JsonProperty("key") String keyName, String template, int status, long times) {
    }

    /**
     * Counted requests of one period, grouped.
     *
     * @param of     the group: a day since 1970-01-01, the number of a key, or the id of a template
     * @param name   of the key; null when it was deleted, and for other groups
     * @param ok     answered with 200 or 304
     * @param missed answered with 404
     */
    public record Sum<T>(@JsonProperty("id") T of, String name, long ok, long missed) {
    }
}
