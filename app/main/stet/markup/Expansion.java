package stet.markup;

import java.util.List;
import java.util.Map;

/**
 * What publishing freezes.
 *
 * @param html      the exact bytes to serve
 * @param variables the names the caller fills in
 * @param blocks    the name of each shared block taken in, at any depth, with the SHA-256 of its text
 */
public record Expansion(String subject, byte[] html, List<String> variables, Map<String, byte[]> blocks) {
}
