package stet.files;

import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Refusal;
import stet.core.Utf8;
import stet.core.Validation;
import stet.markup.DraftText;
import stet.markup.Expansion;
import stet.markup.Problem;
import stet.markup.Problems;
import stet.markup.Publisher;
import stet.store.Dao;
import stet.store.Db;
import stet.store.Staging;
import stet.store.VersionDao;

/**
 * Makes an account's templates and blocks those of some files, all of it or nothing.
 *
 * <pre>
 * compare each file with the account, expand what is to be published: reading only
 *   └─ a dry run ends here ─ what is new is staged, in short transactions ─ one short transaction makes it the account's
 * </pre>
 *
 * <p>When the account has changed meanwhile, what that concerns is compared anew.
 */
public final class Import {
    /** How often the account may have changed meanwhile. */
    private static final int TRIES = 8;

    private final Db db;
    private final Account account;
    private final AccountFiles files;
    private final boolean publish;
    private final boolean force;
    private final Clock clock;
    private final Map<String, Dao.Head> seen = new HashMap<>();
    private final Map<String, Outcome> outcomes = new TreeMap<>();
    private final List<String> blocks = new ArrayList<>();
    private Map<String, String> seenBlocks;

    /**
     * @param publish whether what is to be served is published where that serves anything else than now
     * @param force   publishes drafts with their errors too
     */
    public Import(Db db, Account account, AccountFiles files, boolean publish, boolean force, Clock clock) {
        this.db = db;
        this.account = account;
        this.files = files;
        this.publish = publish;
        this.force = force;
        this.clock = clock;
    }

    /** The account's state, without texts. @param blocks the SHA-256 of each, by name */
    private record State(long revision, Map<String, Dao.Head> templates, Map<String, String> blocks) {
    }

    private record Outcome(boolean created, boolean changed, boolean published) {
    }

    /** @throws Refusal naming the file and line, when a draft cannot be published; or when the account changes too often */
    public ImportResult run() {
        try (Staging staging = new Staging(db, account, clock.instant())) {
            State state = state();
            for (int left = TRIES; left > 0; left--) {
                compare(state, staging);
                if (staging.commit(state.revision, clock.instant())) {
                    return result();
                }
                State next = state();
                if (next.revision == state.revision) { // it is the staged texts that are gone
                    staging.clear();
                    seenBlocks = null;
                }
                state = next;
            }
        }
        throw new Refusal("Others changed this account's templates all the time: nothing is imported; try it once more");
    }

    /** What it would do, without writing anything. */
    public ImportResult rehearse() {
        compare(state(), null);
        return result();
    }

    private State state() {
        return db.read(dao -> new State(dao.contentRevision(account.id()), dao.heads(account.id()), hex(dao.blocks().sha256s(account.id()))));
    }

    private static Map<String, String> hex(Map<String, byte[]> sha256s) {
        return sha256s.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, each -> HexFormat.of().formatHex(each.getValue())));
    }

    private ImportResult result() {
        List<String> created = ids(Outcome::created);
        List<String> changed = ids(Outcome::changed);
        return new ImportResult(created, changed, outcomes.size() - created.size() - changed.size(), List.copyOf(blocks),
                ids(Outcome::published));
    }

    private List<String> ids(Function<Outcome, Boolean> which) {
        return outcomes.entrySet().stream().filter(each -> which.apply(each.getValue())).map(Map.Entry::getKey).toList();
    }

    /** @param staging or null: nothing is written */
    private void compare(State state, Staging staging) {
        checkRoom(state.templates.keySet(), files.drafts().keySet(), Validation.TEMPLATES, "templates");
        checkRoom(state.blocks.keySet(), files.blocks().keySet(), Validation.BLOCKS, "shared blocks");
        if (!state.blocks.equals(seenBlocks)) {
            if (seenBlocks != null && staging != null) {
                staging.clear();
            }
            seenBlocks = state.blocks;
            seen.clear();
            outcomes.clear();
            compareBlocks(staging);
        }
        for (String id : files.drafts().keySet()) {
            Dao.Head head = state.templates.get(id);
            boolean known = outcomes.containsKey(id);
            if (known && (head == null ? seen.get(id) == null : head.isUnchanged(seen.get(id)))) {
                continue;
            }
            if (known && staging != null) {
                staging.remove(id);
            }
            outcomes.put(id, compare(id, head, staging));
            seen.put(id, head);
        }
    }

    /** Refuses more than an export, and so the next import, may have. */
    private static void checkRoom(Set<String> present, Set<String> added, int most, String name) {
        long number = present.size() + added.stream().filter(each -> !present.contains(each)).count();
        if (number > most) {
            throw new Refusal("The account would have " + number + " " + name + ", the most is " + most);
        }
    }

    private void compareBlocks(Staging staging) {
        blocks.clear();
        hex(files.blocks()).entrySet().stream().filter(block -> !block.getValue().equals(seenBlocks.get(block.getKey())))
                .map(Map.Entry::getKey).sorted().forEach(blocks::add);
        if (staging != null) {
            for (String name : blocks) {
                byte[] html = files.block(name);
                staging.block(name, html, files.blocks().get(name), Publisher.included(text(html)));
            }
        }
    }

    /** @param head of the template, or null where there is none */
    private Outcome compare(String id, Dao.Head head, Staging staging) {
        AccountFiles.DraftFile file = files.drafts().get(id);
        Map<String, String> samples = files.samples(id);
        boolean sameSamples = head != null && db.read(dao -> dao.samples(account.id(), id)).equals(samples);
        boolean sameText = head != null && Arrays.equals(file.sha256(), head.sha256());
        boolean sameName = head != null && file.name().equals(head.name());
        boolean same = sameName && sameText && sameSamples;
        boolean toPublish = publish && file.published();
        if (same && !toPublish) {
            return new Outcome(false, false, false);
        }
        Draft draft = files.draft(id);
        if (!same && staging != null) {
            boolean sameHtml = sameText || head != null && db.read(dao -> dao.isHtml(account.id(), id, draft.html()));
            staging.draft(id, draft.name(), DraftText.of(draft), !sameName || !sameText, !sameHtml, sameSamples ? null : samples);
        }
        boolean published = toPublish && publish(draft, file, head, staging);
        return new Outcome(head == null, head != null && !same, published);
    }

    private boolean publish(Draft draft, AccountFiles.DraftFile file, Dao.Head head, Staging staging) {
        VersionDao.Prepared prepared = VersionDao.Prepared.of(draft.html(), file.sha256(), expand(files, draft, force, this::block));
        if (head != null && !db.read(dao -> dao.versions().isNew(account.id(), draft.id(), prepared))) {
            return false;
        }
        if (staging != null) {
            staging.version(draft.id(), prepared);
        }
        return true;
    }

    private Optional<String> block(String name) {
        return files.blocks().containsKey(name) ? Optional.of(text(files.block(name)))
                : db.read(dao -> dao.blocks().html(account.id(), name)).map(Import::text);
    }

    private static String text(byte[] html) {
        return Utf8.decode(html).orElseThrow();
    }

    /** The same for an account that is being made: in the one transaction that makes it, with what is to be served published. */
    static void into(Dao dao, long account, AccountFiles files, Instant now) {
        files.blocks().keySet().forEach(name -> dao.blocks().save(account, name, files.block(name), now));
        files.drafts().forEach((id, file) -> {
            Draft draft = files.draft(id);
            dao.save(account, draft, now);
            if (file.published()) {
                Expansion publication = expand(files, draft, false, name -> dao.blocks().html(account, name).map(Import::text));
                dao.versions().publish(account, id, VersionDao.Prepared.of(draft.html(), file.sha256(), publication), "", now);
            }
        });
    }

    /** @throws Refusal naming each problem with its file and line */
    private static Expansion expand(AccountFiles files, Draft draft, boolean force, Function<String, Optional<String>> blocks) {
        Publisher publisher = new Publisher(blocks);
        try {
            return publisher.publish(draft.subject(), text(draft.html()), force);
        } catch (Refusal refusal) {
            String sentences = Problems.sentence(publisher.problems().stopping(force).stream()
                    .map(problem -> sentence(problem, draft.id(), files)).toList());
            throw sentences.isEmpty() ? refusal.in(Place.path(Place.Kind.HTML, draft.id())) : new Refusal("html", sentences);
        }
    }

    private static String sentence(Problem problem, String id, AccountFiles files) {
        if (problem.block() != null && !files.blocks().containsKey(problem.block())) {
            return Place.path(Place.Kind.HTML, id) + ": " + problem;
        }
        if (problem.block() != null) {
            return Place.path(Place.Kind.BLOCK, problem.block()) + ": line " + problem.line() + ": " + problem.sentence();
        }
        return problem.field().equals("subject")
                ? Place.path(Place.Kind.JSON, id) + ": \"subject\": " + problem.sentence()
                : Place.path(Place.Kind.HTML, id) + ": line " + problem.line() + ": " + problem.sentence();
    }
}
