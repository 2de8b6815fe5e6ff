package stet.files;

import java.nio.file.Path;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * The zip file of a push. For each template and shared block that differs from the account's version, it contains unmodified copies of
 * the files; for the others, their digests. It also contains {@code stet-pulled.json}, if present.
 */
public final class PushZip {
    private PushZip() {
    }

    public static void write(Path zip, AccountFiles files, AccountState state) {
        Unchanged unchanged = unchanged(files, state);
        Zip.write(zip, target -> {
            files.forEachFile((path, parsed) -> {
                boolean isSent = switch (parsed.kind()) {
                    case HTML, JSON, SAMPLES -> !unchanged.templates().containsKey(parsed.name());
                    case BLOCK, IMAGE -> !unchanged.blocks().containsKey(parsed.name());
                    case PULLED -> true;
                    case ACCOUNT, UNCHANGED -> false;
                };
                if (isSent) {
                    target.write(path, files.file(path));
                }
            });
            if (!unchanged.templates().isEmpty() || !unchanged.blocks().isEmpty()) {
                target.write(AccountPath.PathKind.UNCHANGED.path(), unchanged.json());
            }
        });
    }

    private static Unchanged unchanged(AccountFiles files, AccountState state) {
        SortedMap<String, String> templates = files.digests();
        templates.entrySet().retainAll(state.templates().entrySet());
        Set<String> unpublished = new TreeSet<>(templates.keySet());
        unpublished.removeIf(id -> files.drafts().get(id).published());
        SortedMap<String, String> blocks = files.blockDigests();
        blocks.entrySet().retainAll(state.blocks().entrySet());
        return new Unchanged(templates, unpublished, blocks);
    }
}
