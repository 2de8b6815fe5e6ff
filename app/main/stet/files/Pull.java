package stet.files;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
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
        compare(AccountPath.PathKind.HTML::path, there.digests(), here.digests(), state.templates(), there.pulled().templates(),
                here.pulled().templates());
        compare(AccountPath::ofBlock, there.blockDigests(), here.blockDigests(), state.blocks(), there.pulled().blocks(),
                here.pulled().blocks());
    }

    private void compare(UnaryOperator<String> paths, Map<String, String> theirs, Map<String, String> ours, Map<String, String> drafts,
                         Map<String, PulledState> edited, Map<String, PulledState> pulled) {
        theirs.forEach((id, their) -> {
            String our = ours.get(id);
            boolean isKnown = our == null || our.equals(drafts.get(id)) || edited.containsKey(id) && our.equals(edited.get(id).files())
                    || pulled.containsKey(id) && our.equals(pulled.get(id).draft());
            if (!their.equals(our)) {
                (isKnown ? written : published || edited.containsKey(id) ? changed : left).add(paths.apply(id));
            }
        });
    }

    /** Files not overwritten because they were changed only in the folder or by a push from another folder. */
    public List<String> left() {
        return left;
    }

    /** @throws Refusal naming the first files that would lose changes made in the folder, unless they may be overwritten */
    public void write(Folder.FolderTarget target, boolean overwrite) {
        if (!overwrite && !changed.isEmpty()) {
            throw new Refusal("Nothing was written. The folder has changes that are not in Stet: " + Conflict.joinFirst(changed)
                    + ". Create a branch from the last pushed commit, pull there and merge it, or discard these changes with --overwrite");
        }
        written.addAll(changed);
        here.forEachFile((path, parsed) -> {
            if (parsed.kind() == AccountPath.PathKind.SAMPLES && isWritten(AccountPath.PathKind.HTML.path(parsed.name())) && !there.has(path)) {
                target.delete(path);
            }
        });
        there.drafts().forEach((id, file) -> {
            if (isWritten(AccountPath.PathKind.HTML.path(id))) {
                boolean toPublish = (here.drafts().containsKey(id) ? here.drafts().get(id) : file).published();
                SortedMap<String, String> theirs = there.texts(id);
                SortedMap<String, String> ours = here.texts(id);
                Export.writeTemplate(there.draft(id), file.details(), toPublish, (path, bytes) -> {
                    if (here.has(path) && theirs.get(path).equals(ours.get(path))) {
                        target.keep(path); // keeps the author's formatting
                    } else {
                        target.write(path, bytes);
                    }
                });
            }
        });
        there.blocks().keySet().stream().filter(name -> isWritten(AccountPath.ofBlock(name)))
                .forEach(name -> Export.writeBlock(name, there.block(name), target));
        Pulled note = there.pulled().after(here.pulled(), id -> isWritten(AccountPath.PathKind.HTML.path(id)));
        if (!note.equals(here.pulled())) {
            target.write(AccountPath.PathKind.PULLED.path(), note.json());
        }
    }

    private boolean isWritten(String path) {
        return written.contains(path);
    }
}
