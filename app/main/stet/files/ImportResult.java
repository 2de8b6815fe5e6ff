package stet.files;

import java.util.List;

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
}
