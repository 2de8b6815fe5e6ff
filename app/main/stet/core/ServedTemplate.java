package stet.core;

import java.time.Instant;
import java.util.List;

/**
 * The published version of a template that the API serves (api.md, The template).
 *
 * @param html      exactly as published
 * @param updatedAt last change of the template, not of the version
 */
public record ServedTemplate(String id, String name, String subject, byte[] html, List<String> variables, Instant updatedAt) {
}
