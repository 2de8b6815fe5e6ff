package stet.files;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import stet.base.Refusal;
import stet.files.Pulled.PulledState;

/**
 * Writes an account's files into a folder. Pulling drafts never replaces changes made only in the folder.
 *
 * <pre>
 * missing in the folder, or unchanged since the account had it ─► written
 * changed only in the folder ────────────────────────────────────► left alone
 * changed in both ───────────────────────────────────────────────► error, unless it may be overwritten
 * </pre>
 */
public final class Pull {
    private final AccountFiles there;
    private final AccountFiles here;
    private final boolean published;
    private final Set<String> written = new TreeSet<>();
    private final List<String> left = new ArrayList<>();
    private final List<String> changed = new ArrayList<>();

    /**
     * @param there     the account's files
     * @param here      the folder's files
     * @param state     digests of the account's drafts
     * @param published whether the account's files are the sources of live versions
     */
    public Pull(AccountFiles there, AccountFiles here, AccountState state, boolean published) {
        this.there = there;
        this.here = here;
        this.published = published;
        Pulled edited = there.pulled();
        Pulled pulled = here.pulled();
        Map<String, String> templates = here.digests();
        there.digests().forEach((id, digest) -> add(AccountPath.PathKind.HTML.path(id), digest, templates.get(id),
                new Known(state.templates().get(id), edited.templates().get(id), pulled.templates().get(id))));
        Map<String, String> blocks = here.blockDigests();
        there.blockDigests().forEach((name, digest) -> add(AccountPath.ofBlock(name), digest, blocks.get(name),
                new Known(state.blocks().get(name), edited.blocks().get(name), pulled.blocks().get(name))));
    }

    /**
     * States of a template or block that the account had, each of which may be null.
     *
     * @param draft  digest of the account's draft
     * @param edited the change made in Stet since the last import or push
     * @param pulled the change that an earlier pull wrote into the folder
     */
    private record Known(String draft, PulledState edited, PulledState pulled) {
        boolean includes(String digest) {
            return digest.equals(draft) || edited != null && digest.equals(edited.files()) || pulled != null && digest.equals(pulled.draft());
        }
    }

    /** Decides about a template or block. @param our digest of the folder's files; null if the folder has none */
    private void add(String path, String their, String our, Known known) {
        if (their.equals(our)) {
            return;
        }
        if (our == null || known.includes(our)) {
            written.add(path);
        } else if (published || known.edited != null) {
            changed.add(path);
        } else {
            left.add(path);
        }
    }

    /** Files not overwritten because they were changed only in the folder or by a push from another folder. */
    public List<String> left() {
        return left;
    }

    /**
     * Writes the files that replace the folder's, and deletes test data that their templates no longer have.
     *
     * @throws Refusal naming the first files that would lose changes made in the folder, unless they may be overwritten
     */
    public void write(Folder.FolderTarget target, boolean overwrite) {
        if (!overwrite && !changed.isEmpty()) {
            throw new Refusal("Nothing was written. The folder has changes that are not in Stet: " + Conflict.joinFirst(changed)
                    + ". Create a branch from the last pushed commit, pull there and merge it, or discard these changes with --overwrite");
        }
        written.addAll(changed);
        deleteSets(target);
        there.drafts().forEach((id, file) -> {
            if (isWritten(AccountPath.PathKind.HTML.path(id))) {
                writeTemplate(target, id, file);
            }
        });
        there.blocks().keySet().stream().filter(name -> isWritten(AccountPath.ofBlock(name)))
                .forEach(name -> Export.writeBlock(name, there.block(name), target));
        Pulled note = there.pulled().after(here.pulled(), id -> isWritten(AccountPath.PathKind.HTML.path(id)));
        if (!note.equals(here.pulled())) {
            target.write(AccountPath.PathKind.PULLED.path(), note.json());
        }
    }

    /** Deletes the test data that written templates no longer have. */
    private void deleteSets(Folder.FolderTarget target) {
        here.forEachFile((path, parsed) -> {
            if (parsed.kind() == AccountPath.PathKind.SAMPLES && isWritten(AccountPath.PathKind.HTML.path(parsed.name())) && !there.has(path)) {
                target.delete(path);
            }
        });
    }

    /** Writes a template's files. A folder's file with the same content keeps its author's formatting, and the folder says whether to publish. */
    private void writeTemplate(Folder.FolderTarget target, String id, AccountFiles.DraftFile file) {
        boolean toPublish = (here.drafts().containsKey(id) ? here.drafts().get(id) : file).published();
        SortedMap<String, String> theirs = there.texts(id);
        SortedMap<String, String> ours = here.texts(id);
        Export.writeTemplate(there.draft(id), file.details(), toPublish, (path, bytes) -> {
            if (here.has(path) && theirs.get(path).equals(ours.get(path))) {
                target.keep(path);
            } else {
                target.write(path, bytes);
            }
        });
    }

    private boolean isWritten(String path) {
        return written.contains(path);
    }
}
