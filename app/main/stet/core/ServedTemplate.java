package stet.core;

import java.time.Instant;
import java.util.List;

/**
 * A template's published version as served by the API (api.md, The template).
 *
 * @param html      exactly as published
 * @param updatedAt time of the last change to the template, not to the version
 */
public record ServedTemplate(String id, String name, String subject, byte[] html, List<String> variables, Instant updatedAt) {
}
