package stet.mail;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import stet.base.Json;
import stet.base.Utf8;
import stet.core.Draft;
import stet.files.AccountFiles;
import stet.files.Seed;
import stet.markup.MailFile;
import stet.markup.Publisher;
import stet.markup.Sampler;

/** Stet's own emails: the templates in {@code app/mails}, filled in. */
public final class Letters {
    private final MailServer server;

    public Letters(MailServer server) {
        this.server = server;
    }

    /** A template with its shared blocks already expanded. */
    private record Letter(String subject, String html) {
    }

    /** A holder class, so that the templates are loaded on first use. */
    private static final class BundledLetters {
        static final Map<String, Letter> ALL = read(List.of("invitation", "reset", "address", "address-changed", "password-changed", "review",
                "two-factor-changed", "server-test"));
    }

    private static Map<String, Letter> read(List<String> ids) {
        try {
            return Seed.bundled("mails", seed -> ids.stream().collect(Collectors.toMap(Function.identity(), id -> letter(seed.files(), id))));
        } catch (IOException brokenJar) {
            throw new UncheckedIOException(brokenJar);
        }
    }

    private static Letter letter(AccountFiles files, String id) {
        Draft draft = files.draft(id);
        Publisher publisher = new Publisher(block -> Optional.of(Utf8.text(files.block(block))));
        return new Letter(draft.subject(), publisher.expand(draft.subject(), Utf8.text(draft.html())));
    }

    /**
     * Fills in one of Stet's templates.
     *
     * @param template its ID in {@code app/mails}
     * @param data     values for all its variables
     * @param id       see {@link #message}
     */
    public byte[] letter(String template, Map<String, Object> data, MailAddress to, String id, Instant date) {
        Letter letter = BundledLetters.ALL.get(template);
        ObjectNode values = Json.readObject(Json.write(data));
        return message(Sampler.subject(letter.subject, values).text(), Sampler.html(letter.html, values).text(), to, id, date);
    }

    /** Builds an email from its filled in subject and HTML. @param id unique for each email of this server */
    public byte[] message(String subject, String html, MailAddress to, String id, Instant date) {
        String messageId = "stet." + id + "@" + server.from().domain();
        return MailFile.message(new MailFile.MailHeaders(server.fromName(), server.from().text(), to.text(), messageId, date), subject, html);
    }
}
