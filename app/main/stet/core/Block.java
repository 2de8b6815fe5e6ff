package stet.core;

import java.time.Instant;

/**
 * A shared block: html that drafts and other blocks include.
 *
 * @param revision grows with each save and is never reused, so that two editors notice each other
 */
public record Block(String name, byte[] html, long revision, Instant updatedAt) {
}
