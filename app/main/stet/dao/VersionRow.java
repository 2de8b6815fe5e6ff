package stet.dao;

import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;
import stet.base.Secret;
import stet.core.Draft;

/**
 * A version's row and blocks. Their stored SHA-256 covers everything that was published, because the row contains the texts'
 * digests.
 *
 * @param template    the template's ID
 * @param publishedBy null if not recorded
 * @param sha256      the HTML's SHA-256
 * @param draftSha256 the draft's SHA-256, computed by {@link Draft#sha256(String, byte[])}
 * @param variables   one per line
 * @param blocks      one per line, sorted: name and SHA-256 of the text in hex; null if there are none
 */
public record VersionRow(String template, int number, Instant publishedAt, String publishedBy, String note, byte[] sha256,
                         byte[] draftSha256, String variables, String subject, String blocks) {
    /** The columns of this record, and {@code row_sha256}, for queries that join {@code versions v} with {@code templates t}. */
    public static final String COLUMNS = """
            t.id as template, v.number, v.published_at, v.published_by, v.note, v.sha256, v.draft_sha256, v.variables, v.subject,
              v.row_sha256, (
                select group_concat(line, char(10)) from (
                  select block || ' ' || lower(hex(sha256)) as line from version_blocks
                  where template = v.template and number = v.number
                  order by block)) as blocks""";

    /** SHA-256 of all components, each prefixed with its length; null becomes {@code -}. */
    public byte[] digest() {
        List<Object> values = Arrays.asList(template, number, publishedAt.toEpochMilli(), publishedBy, note,
                HexFormat.of().formatHex(sha256), HexFormat.of().formatHex(draftSha256), variables, subject, blocks);
        StringJoiner lines = new StringJoiner("\n");
        for (Object value : values) {
            lines.add(value == null ? "-" : value.toString().length() + ":" + value);
        }
        return Secret.sha256(lines.toString());
    }
}
