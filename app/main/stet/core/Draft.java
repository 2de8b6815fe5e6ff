package stet.core;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What is saved of a template: checked against {@link Validation} when made. */
public record Draft(String id, String name, String subject, byte[] html, Map<String, String> samples) {
    public Draft {
        Validation.id("id", id);
        Validation.name(name);
        Validation.subject(subject);
        Validation.html(html);
        samples = Map.copyOf(Validation.samples(samples));
    }

    /** Tells one draft's text from another's, whatever its name and samples. */
    public byte[] sha256() {
        return Secret.sha256((subject + "\0").getBytes(StandardCharsets.UTF_8), html);
    }
}
