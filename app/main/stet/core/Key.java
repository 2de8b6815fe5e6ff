package stet.core;

import java.time.Instant;

/** An API key as it is listed: all of it but the key. */
public record Key(long id, String name, String start, Instant createdAt) {
}
