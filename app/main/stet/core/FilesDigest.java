package stet.core;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import stet.base.Secret;

/**
 * Digest (SHA-256, in hex) of a template's or shared block's files. The digest can be computed from the files or, without
 * reading any text, from digests in the database.
 */
public final class FilesDigest {
    private FilesDigest() {
    }

    /** @param draft the digest from {@link Draft#sha256} @param samples the lines from {@link Samples#lines}; null is like no lines */
    public static String ofTemplate(byte[] draft, String name, TemplateDetails details, String samples) {
        List<String> parts = new ArrayList<>(List.of(hex(draft), name));
        parts.addAll(details.inOrder());
        parts.add(Objects.requireNonNullElse(samples, ""));
        return hex(Secret.sha256(parts.stream().map(part -> part.length() + ":" + part).collect(Collectors.joining("\n"))));
    }

    /** Formats a digest in hex; returns null for null. A shared block's digest is the SHA-256 of its HTML. */
    public static String hex(byte[] sha256) {
        return sha256 == null ? null : HexFormat.of().formatHex(sha256);
    }
}
