package stet.core;

import java.util.List;

/** A version with its text as served, and the html of its draft, where the blocks are not expanded. */
public record VersionText(Version version, String subject, byte[] html, List<String> variables, byte[] draftHtml) {
}
