package stet.core;

import java.util.List;

/** A version and its text: as it is served, and the html of the draft it was made of, with its blocks not expanded. */
public record VersionText(Version version, String subject, byte[] html, List<String> variables, byte[] draftHtml) {
}
