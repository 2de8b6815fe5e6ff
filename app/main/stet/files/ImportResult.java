package stet.files;

import java.util.List;

/**
 * What an import did.
 *
 * @param created   ids of templates that are new
 * @param changed   ids of templates whose draft is another now
 * @param unchanged how many templates were as in the files
 * @param blocks    names of the shared blocks that are new or have another text
 * @param published ids of templates of which another version is served now
 */
public record ImportResult(List<String> created, List<String> changed, int unchanged, List<String> blocks, List<String> published) {
}
