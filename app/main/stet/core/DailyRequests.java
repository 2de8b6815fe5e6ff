package stet.core;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** Request statistics per day (UTC), key and template. */
public final class DailyRequests {
    private DailyRequests() {
    }

    /** The day of an instant, counted from 1970-01-01. */
    public static long day(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC).toEpochDay();
    }

    /** Start of a day. */
    public static Instant start(long day) {
        return LocalDate.ofEpochDay(day).atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    /** The last counted request for a template. @param keyName null if the key was deleted */
    public record Last(Instant at, @JsonProperty("key") String keyName) {
    }

    /** A key that has requested a template. @param keyName null if the key was deleted, as is {@code start} */
    public record Caller(@JsonProperty("name") String keyName, String start, long requests, Instant lastAt) {
    }

    /**
     * One key's requests for one template that got the same status: 403, 404 or 429.
     *
     * @param at      time of the last request
     * @param keyName null if the key was deleted
     */
    public record Miss(Instant at, @JsonProperty("key") String keyName, String template, int status, long times) {
    }

    /**
     * The counted requests of one group, such as a key or template, in a period.
     *
     * @param of     what identifies the group: a day counted from 1970-01-01, a key's row ID, or a template ID
     * @param name   the key's name; null for a deleted key and for other groups
     * @param ok     number of 200 and 304 responses
     * @param missed number of 404 responses
     */
    public record Sum<T>(@JsonProperty("id") T of, String name, long ok, long missed) {
    }
}
