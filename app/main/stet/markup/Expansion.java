package stet.markup;

import java.util.List;
import java.util.Map;

/**
 * The text that publishing freezes.
 *
 * @param html      the exact bytes to serve
 * @param variables names that the caller fills in
 * @param blocks    by name the SHA-256 of each shared block in it, at any depth
 */
public record Expansion(String subject, byte[] html, List<String> variables, Map<String, byte[]> blocks) {
}
