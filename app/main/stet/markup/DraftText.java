package stet.markup;

import java.util.List;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Draft;
import stet.core.Validation;

/**
 * A draft's text, with everything that can be computed before the transaction that saves it.
 *
 * @param sha256 see {@link Draft#sha256}
 * @param blocks names of the shared blocks that the HTML includes directly, whether they exist or not
 */
public record DraftText(String subject, byte[] html, byte[] sha256, List<String> blocks) {
    public static DraftText of(Draft draft) {
        return new DraftText(draft.subject(), draft.html(), draft.sha256(), Publisher.included(Utf8.text(draft.html())));
    }

    /** @throws Refusal if the subject or HTML is invalid */
    public static DraftText of(String subject, byte[] html) {
        Validation.subject(subject);
        Validation.html(html);
        return new DraftText(subject, html, Draft.sha256(subject, html), Publisher.included(Utf8.text(html)));
    }
}
