package stet.markup;

import java.util.List;
import java.util.Map;
import stet.core.Draft;
import stet.core.Utf8;

/**
 * The text of a draft with all that saving it needs, made before the transaction that saves it.
 *
 * @param sha256 as {@link Draft#sha256} has it
 * @param blocks shared blocks that the html names itself, whether they exist or not
 */
public record DraftText(String subject, byte[] html, byte[] sha256, List<String> blocks) {
    public static DraftText of(Draft draft) {
        return new DraftText(draft.subject(), draft.html(), draft.sha256(), Publisher.included(Utf8.text(draft.html())));
    }

    /** The text of a draft whose name and samples are saved apart from it. */
    public static DraftText of(String subject, byte[] html) {
        return of(new Draft("any", "any", subject, html, Map.of()));
    }
}
