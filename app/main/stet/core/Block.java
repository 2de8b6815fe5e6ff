package stet.core;

import java.time.Instant;

/**
 * A shared block: html that drafts and other blocks take in.
 *
 * @param revision grows with its saves and is never had again, so that two editors notice each other
 */
public record Block(String name, byte[] html, long revision, Instant updatedAt) {
}
