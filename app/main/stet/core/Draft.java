package stet.core;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import stet.base.Secret;

/** The part of a template that an author saves. The constructor validates everything but the samples, which are already valid. */
public record Draft(String id, String name, String subject, byte[] html, Samples samples) {
    public Draft {
        Validation.id("id", id);
        Validation.name(name);
        Validation.subject(subject);
        Validation.html(html);
    }

    /** @param documents test data sets by name */
    public Draft(String id, String name, String subject, byte[] html, Map<String, String> documents) {
        this(id, name, subject, html, Samples.of(documents, null));
    }

    /** The SHA-256 of this subject and HTML. */
    public byte[] sha256() {
        return sha256(subject, html);
    }

    /** SHA-256 of the subject, a NUL and the HTML, by which stored drafts are checked. */
    public static byte[] sha256(String subject, byte[] html) {
        return Secret.sha256((subject + "\0").getBytes(StandardCharsets.UTF_8), html);
    }
}
