package stet.files;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import stet.core.FilesDigest;

/** The zip of a push: the files that differ from the account's state, as they are, and the digests of the others. */
public final class PushZip {
    private PushZip() {
    }

    public static void write(Path zip, AccountFiles files, AccountState state) {
        Unchanged unchanged = unchanged(files, state);
        Zip.write(zip, target -> {
            files.forEachFile((path, parsed) -> {
                boolean isSent = switch (parsed.kind()) {
                    case HTML, JSON, SAMPLES -> !unchanged.templates().containsKey(parsed.name());
                    case BLOCK -> !unchanged.blocks().containsKey(parsed.name());
                    case PULLED -> true;
                    case ACCOUNT, UNCHANGED -> false;
                };
                if (isSent) {
                    target.write(path, files.file(path));
                }
            });
            if (!unchanged.templates().isEmpty() || !unchanged.blocks().isEmpty()) {
                target.write(AccountPath.Kind.UNCHANGED.path(), unchanged.json());
            }
        });
    }

    private static Unchanged unchanged(AccountFiles files, AccountState state) {
        Map<String, String> templates = new TreeMap<>();
        Set<String> unpublished = new TreeSet<>();
        files.drafts().forEach((id, file) -> {
            if (file.digest().equals(state.templates().get(id))) {
                templates.put(id, file.digest());
                if (!file.published()) {
                    unpublished.add(id);
                }
            }
        });
        Map<String, String> blocks = new TreeMap<>();
        files.blocks().forEach((name, sha256) -> {
            if (FilesDigest.hex(sha256).equals(state.blocks().get(name))) {
                blocks.put(name, FilesDigest.hex(sha256));
            }
        });
        return new Unchanged(templates, unpublished, blocks);
    }
}
