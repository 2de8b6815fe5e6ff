package stet.core;

import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * SHA-256 of the files of a template or shared block, in hex. It can be computed from the files or from the database, where no text
 * has to be read.
 */
public final class FilesDigest {
    private FilesDigest() {
    }

    /** @param draft as {@link Draft#sha256} computes it. @param samples as {@link Samples#lines} */
    public static String ofTemplate(byte[] draft, String name, List<String> tags, String samples) {
        return hex(Secret.sha256(Stream.of(hex(draft), name, TagList.lines(tags), Objects.requireNonNullElse(samples, ""))
                .map(part -> part.length() + ":" + part).collect(Collectors.joining("\n"))));
    }

    /** The digest of a shared block is that of its html. */
    public static String hex(byte[] sha256) {
        return sha256 == null ? null : HexFormat.of().formatHex(sha256);
    }
}
