package stet.files;

import java.util.ArrayList;
import java.util.List;
import stet.core.Amount;

/**
 * The changes of an import.
 *
 * @param created   ids of new templates
 * @param changed   ids of templates with another draft
 * @param unchanged number of templates that were as in the files
 * @param blocks    names of shared blocks that are new or have another text
 * @param published ids of templates whose served version is new
 */
public record ImportResult(List<String> created, List<String> changed, int unchanged, List<String> blocks,
                           List<String> published) {

    /** The numbers of what is changed; empty where nothing is. */
    String inWords() {
        List<String> words = new ArrayList<>();
        add(words, created, "created");
        add(words, changed, "changed");
        add(words, published, "published");
        if (!blocks.isEmpty()) {
            words.add(Amount.of(blocks.size(), "block"));
        }
        return String.join(", ", words);
    }

    private static void add(List<String> words, List<String> ids, String done) {
        if (!ids.isEmpty()) {
            words.add(ids.size() + " " + done);
        }
    }
}
