package stet.model;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.dao.ReviewDao;

/**
 * The rules of one account in {@link Model}: templates, trash, shared blocks, files, keys and periods. Rejects a change by throwing
 * {@link Refused} with the web application's status before anything is changed.
 */
final class ModelAccount {
    private static final Pattern BLOCK = Pattern.compile("\\{\\{> *([A-Za-z0-9_-]+|images/[a-z]+\\.png) *}}");
    private static final Pattern VARIABLE = Pattern.compile("\\{\\{\\{?[#&]? *([a-z][a-z.]*) *}?}}");
    /** A draft error: closes a section that is not open. */
    static final String ERROR = "{{/wrong}}";

    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;
        final int status;

        Refused(int status) {
            super(null, null, false, false);
            this.status = status;
        }
    }

    /** @param live number of the served version, 0 for none; numbers start at 1 */
    record Template(String id, String name, String subject, String html, Instant updatedAt, long revision, int live,
                    List<Version> versions) {
        /** The draft as a file. */
        File file() {
            return new File(name, subject, html, true);
        }

        static String draft(String subject, String html) {
            return subject + "\0" + html;
        }

        /** Draft of the live version, or null. */
        String liveDraft() {
            return live == 0 ? null : draft(served().subject, served().draft);
        }

        Version served() {
            return live == 0 ? null : versions.get(live - 1);
        }

        String state() {
            return live == 0 ? "never"
                    : served().draft.equals(html) && served().subject.equals(subject) ? "published" : "changed";
        }
    }

    /** @param draft HTML with unexpanded blocks @param blocks texts of its shared blocks by name */
    record Version(String subject, String html, List<String> variables, String draft, Map<String, String> blocks) {
    }

    record Block(String html, Instant updatedAt, long revision) {
    }

    record Trashed(Template template, Instant deletedAt) {
    }

    /** @param expiresAt null for a key that was not rotated */
    record Key(String name, String value, Instant expiresAt) {
        boolean hasEnded(Instant now) {
            return expiresAt != null && !expiresAt.isAfter(now);
        }
    }

    /** An exported draft. */
    record File(String name, String subject, String html, boolean published) {
        File toPublish() {
            return new File(name, subject, html, true);
        }
    }

    record Files(Map<String, File> templates, Map<String, String> blocks) {
    }

    /** The last imported files. @param known draft of the version then live, or null @param rolledBack whether it has been rolled back */
    record Source(File file, String known, boolean rolledBack) {
    }

    /** A locally changed template as found by a pull. @param live draft of the live version, or null @param source or null */
    record Seen(File draft, String live, File source) {
    }

    /** @param source or null */
    record SeenBlock(String html, String source) {
    }

    /** @param json as pulled */
    record Pulled(byte[] json, Map<String, Seen> templates, Map<String, SeenBlock> blocks) {
        static final Pulled NOTHING = new Pulled(null, Map.of(), Map.of());
    }

    /** @param expiresAt null for a token that does not expire */
    record Token(String role, String secret, Instant expiresAt) {
        boolean hasEnded(Instant now) {
            return expiresAt != null && !expiresAt.isAfter(now);
        }
    }

    record Period(Instant start, Instant end) {
        long seconds() {
            return Duration.between(start, end).toSeconds();
        }

        long secondsLeft(Instant now) {
            return Math.floorDiv(Duration.between(now, end).toMillis() + 999, 1_000L);
        }
    }

    final String email;
    String plan = "free";
    Instant created = Model.START;
    Instant anchor;
    Long requestLimit;
    Long keyLimit;
    /** Null for the shared clock. */
    Instant clock;
    long deletedRevision;
    /** Roles by email address. */
    final Map<String, String> members = new TreeMap<>();
    final List<Key> keys = new ArrayList<>();
    final Map<String, Template> templates = new TreeMap<>();
    final Map<String, Trashed> trash = new TreeMap<>();
    final Map<String, Block> blocks = new TreeMap<>();
    final Map<String, Source> sources = new TreeMap<>();
    final Map<String, String> blockSources = new TreeMap<>();
    /** Templates and blocks copied from another account. A copy counts as a source only for another copy. */
    private final Set<String> copiedTemplates = new TreeSet<>();
    private final Set<String> copiedBlocks = new TreeSet<>();
    final List<Token> tokens = new ArrayList<>();
    /** Review links to drafts, by secret. */
    final Map<String, ReviewLink> reviewLinks = new TreeMap<>();
    /** Previews of pushes by name, then by template ID. */
    final Map<String, Map<String, Preview>> previews = new TreeMap<>();
    /** Comments on drafts by template, including templates in the trash. */
    final Map<String, List<String>> comments = new TreeMap<>();
    /** Accepted features by template, including templates in the trash. */
    final Map<String, Set<String>> accepted = new TreeMap<>();
    /** Mail clients whose support is checked. */
    Set<String> clients = new TreeSet<>(List.of("apple-mail", "gmail", "outlook-com", "outlook-windows", "samsung-email", "yahoo"));
    /** Usage by plan and period start. */
    final Map<String, Long> used = new HashMap<>();

    ModelAccount(String email) {
        this.email = email;
    }

    ModelAccount copy() {
        ModelAccount copy = new ModelAccount(email);
        copy.plan = plan;
        copy.created = created;
        copy.anchor = anchor;
        copy.requestLimit = requestLimit;
        copy.keyLimit = keyLimit;
        copy.clock = clock;
        copy.deletedRevision = deletedRevision;
        copy.members.putAll(members);
        copy.keys.addAll(keys);
        copy.templates.putAll(templates);
        copy.trash.putAll(trash);
        copy.blocks.putAll(blocks);
        copy.sources.putAll(sources);
        copy.blockSources.putAll(blockSources);
        copy.copiedTemplates.addAll(copiedTemplates);
        copy.copiedBlocks.addAll(copiedBlocks);
        copy.tokens.addAll(tokens);
        copy.reviewLinks.putAll(reviewLinks);
        copy.previews.putAll(previews);
        comments.forEach((id, texts) -> copy.comments.put(id, new ArrayList<>(texts)));
        accepted.forEach((id, features) -> copy.accepted.put(id, new TreeSet<>(features)));
        copy.clients = clients;
        copy.used.putAll(used);
        return copy;
    }

    long requests() {
        return requestLimit != null ? requestLimit : plan.equals("pro") ? 5_000 : plan.equals("free") ? 100 : 0;
    }

    long keyLimit() {
        return keyLimit != null ? keyLimit : plan.equals("pro") ? 5 : 1;
    }

    /** Returns the 30-day period or billing month that contains an instant. */
    Period period(Instant now) {
        if (!plan.equals("pro")) {
            Duration length = Duration.ofDays(30);
            Instant from = created;
            for (; from.isAfter(now); from = from.minus(length)) { }
            for (; !from.plus(length).isAfter(now); from = from.plus(length)) { }
            return new Period(from, from.plus(length));
        }
        int month = 0;
        for (; month(month).isAfter(now); month--) { }
        for (; !month(month + 1).isAfter(now); month++) { }
        return new Period(month(month), month(month + 1));
    }

    private Instant month(int number) {
        return anchor.atZone(ZoneOffset.UTC).plusMonths(number).toInstant();
    }

    private String usageKey(Instant now) {
        return plan + " " + period(now).start;
    }

    long used(Instant now) {
        return used.getOrDefault(usageKey(now), 0L);
    }

    void use(Instant now, long requests) {
        used.put(usageKey(now), requests);
    }

    void changePlan(String to, Instant now) {
        boolean entersPro = to.equals("pro") && !plan.equals("pro");
        plan = to;
        if (entersPro) {
            anchor = now;
            used.keySet().removeIf(key -> key.startsWith("pro ") && !Instant.parse(key.substring(4)).isBefore(now));
        }
    }

    // ---- templates

    Template find(String id) {
        return Optional.ofNullable(templates.get(id)).orElseThrow(() -> new Refused(404));
    }

    private Template find(String id, long revision) {
        if (find(id).revision != revision) {
            throw new Refused(409);
        }
        return find(id);
    }

    private Template blank(String id, String name, Instant now) {
        return new Template(id, name, "", "", now, deletedRevision + 1, 0, List.of());
    }

    void create(String id, String name, String copyOf, Instant now) {
        if (templates.containsKey(id) || trash.containsKey(id) || copyOf != null && !templates.containsKey(copyOf)) {
            throw new Refused(422);
        }
        Template original = copyOf == null ? blank(id, name, now) : templates.get(copyOf);
        templates.put(id, new Template(id, name, original.subject, original.html, now, deletedRevision + 1, 0, List.of()));
        accepted.put(id, new TreeSet<>(copyOf == null ? Set.of() : accepted(copyOf)));
    }

    Set<String> accepted(String id) {
        return accepted.getOrDefault(id, Set.of());
    }

    void accept(String id, String feature, boolean isAdded) {
        find(id);
        Set<String> features = accepted.computeIfAbsent(id, any -> new TreeSet<>());
        if (isAdded) {
            features.add(feature);
        } else {
            features.remove(feature);
        }
    }

    void chooseClients(Set<String> chosen) {
        if (chosen.isEmpty() || chosen.contains("pine")) {
            throw new Refused(422);
        }
        clients = new TreeSet<>(chosen);
    }

    void save(String id, long revision, String subject, String html, Instant now) {
        Template before = find(id, revision);
        write(id, before.name, subject, html, now);
    }

    /** Creates or changes a draft. */
    private void write(String id, String name, String subject, String html, Instant now) {
        Template before = templates.get(id);
        if (before == null) {
            templates.put(id, new Template(id, name, subject, html, now, deletedRevision + 1, 0, List.of()));
        } else if (!name.equals(before.name) || !subject.equals(before.subject) || !html.equals(before.html)) {
            templates.put(id, new Template(id, name, subject, html, now, before.revision + 1, before.live, before.versions));
        }
    }

    /** Like the control. Null keeps a value. */
    void put(String id, String name, String subject, String html, boolean publish, Instant now) {
        Template before = templates.getOrDefault(id, blank(id, id, now));
        String newSubject = subject == null ? before.subject : subject;
        String newHtml = html == null ? before.html : html;
        Version version = publish ? version(newSubject, newHtml, false, Map.of()) : null;
        if (trash.remove(id) != null) {
            sources.remove(id);
            comments.remove(id);
            accepted.remove(id);
        }
        write(id, name == null ? before.name : name, newSubject, newHtml, now);
        if (publish) {
            add(id, version, now);
        }
    }

    /** @param isSeen whether the user has seen the current name */
    void rename(String id, String name, boolean isSeen, Instant now) {
        Template before = find(id);
        if (!isSeen && !name.equals(before.name)) {
            throw new Refused(409);
        }
        if (!name.equals(before.name)) {
            templates.put(id, new Template(id, name, before.subject, before.html, now, before.revision, before.live,
                    before.versions));
        }
    }

    void publish(String id, long revision, boolean force, Instant now) {
        Template draft = find(id, revision);
        add(id, version(draft.subject, draft.html, force, Map.of()), now);
    }

    void publishAgain(String id, int number, Instant now) {
        Version version = versionOf(id, number);
        if (number == find(id).live) {
            throw new Refused(422);
        }
        add(id, version, now);
    }

    /** Restores a version's draft. */
    void restoreVersion(String id, int number, long revision, Instant now) {
        Version version = versionOf(id, number);
        save(id, revision, version.subject, version.draft, now);
    }

    private Version versionOf(String id, int number) {
        List<Version> versions = find(id).versions;
        if (number < 1 || number > versions.size()) {
            throw new Refused(404);
        }
        return versions.get(number - 1);
    }

    private void add(String id, Version version, Instant now) {
        Template before = find(id);
        List<Version> versions = new ArrayList<>(before.versions);
        versions.add(version);
        templates.put(id, new Template(id, before.name, before.subject, before.html, now, before.revision, versions.size(),
                List.copyOf(versions)));
        sources.computeIfPresent(id, (any, source) -> new Source(source.file, null, false)); // the source of an import is recorded later
    }

    /** @param newBlocks replace the account's */
    private Version version(String subject, String html, boolean force, Map<String, String> newBlocks) {
        Map<String, String> taken = new TreeMap<>();
        String expanded = expand(html, name -> newBlocks.containsKey(name) ? newBlocks.get(name)
                : blocks.containsKey(name) ? blocks.get(name).html : null, new TreeSet<>(), taken);
        if (expanded.contains(ERROR) && !force) {
            throw new Refused(422);
        }
        Set<String> variables = new LinkedHashSet<>();
        Matcher matcher = VARIABLE.matcher(subject + "\n" + expanded);
        while (matcher.find()) {
            variables.add(matcher.group(1));
        }
        return new Version(subject, expanded, List.copyOf(variables), html, Map.copyOf(taken));
    }

    /** Expands shared blocks. @param open blocks being expanded @param taken receives the texts by name */
    private static String expand(String html, Function<String, String> blocks, Set<String> open,
                                 Map<String, String> taken) {
        return BLOCK.matcher(html).replaceAll(tag -> {
            String name = tag.group(1);
            String text = blocks.apply(name);
            if (text == null || !open.add(name)) {
                throw new Refused(422); // unknown or recursive
            }
            taken.put(name, text);
            String expanded = expand(text, blocks, open, taken);
            open.remove(name);
            return Matcher.quoteReplacement(expanded);
        });
    }

    /** A draft with its shared blocks; null if it includes unknown ones, which a preview shows as they are written. */
    String shown(String id) {
        try {
            return expand(templates.get(id).html, name -> blocks.containsKey(name) ? blocks.get(name).html : null, new TreeSet<>(), new TreeMap<>());
        } catch (Refused unknownBlock) {
            return null;
        }
    }

    // ---- the trash

    void delete(String id, Instant now) {
        trash.put(id, new Trashed(find(id), now));
        forget(id);
    }

    /** Deletes a template for good. */
    void remove(String id) {
        if (!trash.containsKey(id)) {
            find(id);
            forget(id);
        }
        trash.remove(id);
        sources.remove(id);
        comments.remove(id);
        accepted.remove(id);
    }

    void emptyTrash() {
        List.copyOf(trash.keySet()).forEach(this::remove);
    }

    private void forget(String id) {
        deletedRevision = Math.max(deletedRevision, templates.remove(id).revision);
        reviewLinks.values().removeIf(link -> link.template.equals(id));
    }

    // ---- reviews

    record ReviewLink(String template, String maker, Instant expiresAt) {
    }

    /** @param html with its shared blocks, as pushed */
    record Preview(String secret, String html, Instant expiresAt) {
    }

    void checkReviewLink(String id, boolean byWriter) {
        find(id);
        if (reviewLinks.size() >= ReviewDao.MAX_LINKS / 10 * (byWriter ? 9 : 10)) {
            throw new Refused(422);
        }
    }

    void comment(String id, String text) {
        find(id);
        comments.computeIfAbsent(id, each -> new ArrayList<>()).add(text);
    }

    Trashed trashed(String id) {
        return Optional.ofNullable(trash.get(id)).orElseThrow(() -> new Refused(404));
    }

    /** Restores a template. If its blocks were edited in the meantime, its time is updated. */
    void restore(String id) {
        Trashed deleted = trashed(id);
        Template was = deleted.template;
        Instant updatedAt = blocks.entrySet().stream().filter(block -> uses(was, block.getKey()))
                .map(block -> block.getValue().updatedAt).filter(edited -> !edited.isBefore(deleted.deletedAt))
                .reduce(was.updatedAt, (one, other) -> one.isAfter(other) ? one : other);
        templates.put(id, moved(was, updatedAt));
        trash.remove(id);
    }

    // ---- shared blocks

    void createBlock(String name, String html, Instant now) {
        check(name, html);
        if (blocks.containsKey(name)) {
            throw new Refused(422);
        }
        putBlock(name, html, now);
    }

    void saveBlock(String name, long revision, String html, Instant now) {
        if (block(name).revision != revision) {
            throw new Refused(409);
        }
        check(name, html);
        putBlock(name, html, now);
    }

    Block block(String name) {
        return Optional.ofNullable(blocks.get(name)).orElseThrow(() -> new Refused(404));
    }

    /** Rejects a block that no published text could include. */
    private void check(String name, String html) {
        version("", "{{> " + name + "}}", true, Map.of(name, html));
    }

    /** Works like the control, which does not check the text. */
    void putBlock(String name, String html, Instant now) {
        if (writeBlock(name, html, now)) {
            touchUsers(Set.of(name), now);
        }
    }

    private boolean writeBlock(String name, String html, Instant now) {
        Block before = blocks.get(name);
        if (before != null && before.html.equals(html)) {
            return false;
        }
        blocks.put(name, new Block(html, now, before == null ? deletedRevision + 1 : before.revision + 1));
        return true;
    }

    void deleteBlock(String name) {
        boolean isUsed = templates.values().stream().anyMatch(template -> named(template.html).contains(name))
                || blocks.entrySet().stream().anyMatch(block -> !block.getKey().equals(name)
                && named(block.getValue().html).contains(name));
        if (isUsed) {
            throw new Refused(422);
        }
        deletedRevision = Math.max(deletedRevision, block(name).revision);
        blocks.remove(name);
        blockSources.remove(name);
    }

    private void touchUsers(Set<String> names, Instant now) {
        templates.replaceAll((id, template) -> names.stream().anyMatch(name -> uses(template, name))
                ? moved(template, now) : template);
    }

    private static Template moved(Template template, Instant now) {
        return new Template(template.id, template.name, template.subject, template.html, now, template.revision, template.live,
                template.versions);
    }

    /** Whether the draft or live version uses a block, at any depth. */
    private boolean uses(Template template, String block) {
        Set<String> found = named(template.html);
        for (int before = -1; before < found.size(); ) {
            before = found.size();
            Set.copyOf(found).stream().filter(blocks::containsKey).forEach(name -> found.addAll(named(blocks.get(name).html)));
        }
        return found.contains(block) || template.live > 0 && template.served().blocks.containsKey(block);
    }

    private static Set<String> named(String html) {
        Set<String> names = new TreeSet<>();
        BLOCK.matcher(html).results().forEach(tag -> names.add(tag.group(1)));
        return names;
    }

    /** Blocks changed since the live version was published. */
    List<String> stale(Template template) {
        return template.live == 0 ? List.of() : template.served().blocks.entrySet().stream()
                .filter(taken -> blocks.containsKey(taken.getKey()) && !blocks.get(taken.getKey()).html.equals(taken.getValue()))
                .map(Map.Entry::getKey).sorted().toList();
    }

    // ---- files

    Files export() {
        Files files = new Files(new TreeMap<>(), new TreeMap<>());
        templates.forEach((id, template) -> files.templates.put(id, new File(template.name, template.subject, template.html,
                template.live > 0)));
        blocks.forEach((name, block) -> files.blocks.put(name, block.html));
        return files;
    }

    /** Exports a template with the shared blocks that its draft includes, at any depth. */
    Files export(String id) {
        Files files = new Files(new TreeMap<>(Map.of(id, export().templates.get(id))), new TreeMap<>());
        addBlocks(templates.get(id).html, files.blocks);
        return files;
    }

    private void addBlocks(String html, Map<String, String> found) {
        BLOCK.matcher(html).results().map(tag -> tag.group(1)).filter(name -> blocks.containsKey(name) && !found.containsKey(name)).toList()
                .forEach(name -> {
                    if (found.put(name, blocks.get(name).html) == null) {
                        addBlocks(blocks.get(name).html, found);
                    }
                });
    }

    /** Local changes since the last files, as recorded by a pull. */
    Pulled pulled(byte[] json, boolean published) {
        Map<String, Seen> seen = new TreeMap<>();
        templates.forEach((id, template) -> {
            if (!isAsItCame(id)) {
                seen.put(id, published ? new Seen(null, template.liveDraft(), source(id, false)) : new Seen(template.file(), null, source(id, false)));
            }
        });
        Map<String, SeenBlock> seenBlocks = new TreeMap<>();
        blocks.forEach((name, block) -> {
            if (!block.html.equals(blockSource(name, false))) {
                seenBlocks.put(name, new SeenBlock(block.html, blockSource(name, false)));
            }
        });
        return new Pulled(json, seen, seenBlocks);
    }

    private boolean isAsItCame(String id) {
        return templates.get(id).file().equals(source(id, false)) && isLiveKnown(id, null, null, false);
    }

    private boolean isLiveKnown(String id, String draft, Seen seen, boolean isCopy) {
        Source source = seenSource(id, isCopy);
        Template template = templates.get(id);
        String live = template.liveDraft();
        return live == null || live.equals(Template.draft(template.subject, template.html)) || live.equals(draft)
                || source != null && live.equals(source.known) || seen != null && live.equals(seen.live);
    }

    /** Returns a template's source as it applies to incoming files or another copy, or null. */
    private Source seenSource(String id, boolean isCopy) {
        return isCopy || !copiedTemplates.contains(id) ? sources.get(id) : null;
    }

    private File source(String id, boolean isCopy) {
        Source source = seenSource(id, isCopy);
        return source == null ? null : source.file;
    }

    private String blockSource(String name, boolean isCopy) {
        return isCopy || !copiedBlocks.contains(name) ? blockSources.get(name) : null;
    }

    private boolean isConflict(String id, File file, boolean publish, Seen told, boolean isCopy) {
        if (!templates.containsKey(id)) {
            return false;
        }
        File draft = templates.get(id).file();
        File comes = new File(file.name, file.subject, file.html, true);
        Seen seen = told != null && Objects.equals(told.source, source(id, isCopy)) && !comes.equals(told.source) ? told : null;
        boolean mayReplace = draft.equals(comes) || draft.equals(source(id, isCopy))
                || seen != null && draft.equals(seen.draft);
        return !mayReplace || (!draft.equals(comes) || publish && file.published)
                && !isLiveKnown(id, Template.draft(file.subject, file.html), seen, isCopy);
    }

    private boolean isConflict(String name, String html, SeenBlock seen, boolean isCopy) {
        String source = blockSource(name, isCopy);
        String here = blocks.containsKey(name) ? blocks.get(name).html : html;
        return !here.equals(html) && !here.equals(source) && (!new SeenBlock(here, source).equals(seen) || html.equals(source));
    }

    /** Imports everything or nothing. @param renames whether names of live templates may change */
    void importFiles(Files files, Pulled pulled, boolean publish, boolean overwrite, boolean renames, Instant now) {
        take(files, pulled, publish, overwrite, renames, false, now);
    }

    /** Imports a copy from another account. The files remain the source, so that the next push does not revert the copy. */
    void copyHere(Files files, boolean publish, boolean overwrite, boolean renames, Instant now) {
        take(files, Pulled.NOTHING, publish, overwrite, renames, true, now);
    }

    private void take(Files files, Pulled pulled, boolean publish, boolean overwrite, boolean renames, boolean isCopy, Instant now) {
        if (!overwrite && (files.templates.entrySet().stream().anyMatch(each ->
                isConflict(each.getKey(), each.getValue(), publish, pulled.templates.get(each.getKey()), isCopy))
                || files.blocks.entrySet().stream().anyMatch(each ->
                isConflict(each.getKey(), each.getValue(), pulled.blocks.get(each.getKey()), isCopy)))) {
            throw new Refused(409);
        }
        if (!renames && files.templates.entrySet().stream().anyMatch(each -> templates.containsKey(each.getKey())
                && templates.get(each.getKey()).live > 0 && !templates.get(each.getKey()).name.equals(each.getValue().name))) {
            throw new Refused(422);
        }
        if (files.templates.keySet().stream().anyMatch(trash::containsKey)) {
            throw new Refused(422);
        }
        files.blocks.forEach((name, html) -> {
            if (!blocks.containsKey(name) || !blocks.get(name).html.equals(html)) {
                version("", "{{> " + name + "}}", true, files.blocks);
            }
        });
        Map<String, Version> versions = new LinkedHashMap<>();
        files.templates.forEach((id, file) -> {
            if (publish && file.published && !isServed(id, file, files.blocks)) {
                Version next = version(file.subject, file.html, false, files.blocks);
                Version live = templates.containsKey(id) ? templates.get(id).served() : null;
                if (!next.equals(live) && isByFiles(id, file, next, files.blocks) && !isRolledBack(id, file, next, files.blocks, isCopy)) {
                    versions.put(id, next);
                }
            }
        });
        Set<String> changed = new TreeSet<>();
        Set<String> toNote = new TreeSet<>(versions.keySet());
        files.templates.forEach((id, file) -> {
            File comes = new File(file.name, file.subject, file.html, true);
            boolean isSame = templates.containsKey(id) && templates.get(id).file().equals(comes);
            if (!isSame || !comes.equals(source(id, isCopy))) {
                toNote.add(id);
            }
        });
        toNote.removeIf(id -> isCopy && sources.containsKey(id) && !copiedTemplates.contains(id));
        Set<String> rolledBack = new TreeSet<>(toNote);
        rolledBack.removeIf(id -> versions.containsKey(id) || !keepsRollback(id, files.templates.get(id), isCopy));
        Map<String, String> known = new HashMap<>();
        toNote.forEach(id -> known.put(id, seenSource(id, isCopy) == null ? null : seenSource(id, isCopy).known));
        Set<String> unknown = new TreeSet<>(toNote); // templates whose live version is unknown to these files
        unknown.removeIf(id -> overwrite || versions.containsKey(id) || !isConflict(id, files.templates.get(id).toPublish(), true,
                pulled.templates.get(id), isCopy));
        files.blocks.forEach((name, html) -> {
            if (!isCopy || !blockSources.containsKey(name) || copiedBlocks.contains(name)) {
                blockSources.put(name, html);
                mark(copiedBlocks, name, isCopy);
            }
        });
        files.blocks.forEach((name, html) -> {
            if (writeBlock(name, html, now)) {
                changed.add(name);
            }
        });
        files.templates.forEach((id, file) -> write(id, file.name, file.subject, file.html, now));
        versions.forEach((id, version) -> add(id, version, now));
        touchUsers(changed, now);
        toNote.forEach(id -> {
            noteSource(id);
            sources.computeIfPresent(id, (any, source) -> new Source(source.file, source.known, rolledBack.contains(id)));
            mark(copiedTemplates, id, isCopy);
        });
        unknown.forEach(id -> sources.computeIfPresent(id, (any, source) ->
                new Source(source.file, known.get(id), source.rolledBack)));
    }

    /** Returns whether the live version has the text of these files; if so, the draft is not checked for errors. */
    private boolean isServed(String id, File file, Map<String, String> newBlocks) {
        Template template = templates.get(id);
        return template != null && isLiveDraft(file, template)
                && template.served().blocks.entrySet().stream().noneMatch(taken -> isChanged(taken, newBlocks));
    }

    private static boolean isLiveDraft(File file, Template template) {
        return Template.draft(file.subject, file.html).equals(template.liveDraft());
    }

    /** @param taken a block's name and its text in a live version */
    private static boolean isChanged(Map.Entry<String, String> taken, Map<String, String> newBlocks) {
        return !taken.getValue().equals(newBlocks.getOrDefault(taken.getKey(), taken.getValue()));
    }

    /** Returns whether a version differs from the live one because of its own text or because of a block among the files. */
    private boolean isByFiles(String id, File file, Version next, Map<String, String> newBlocks) {
        Template template = templates.get(id);
        return template == null || !isLiveDraft(file, template) || template.served().blocks.entrySet().stream()
                .anyMatch(taken -> next.blocks.containsKey(taken.getKey()) && isChanged(taken, newBlocks));
    }

    private static void mark(Set<String> copied, String name, boolean isCopy) {
        if (isCopy) {
            copied.add(name);
        } else {
            copied.remove(name);
        }
    }

    private boolean isRolledBack(String id, File file, Version next, Map<String, String> newBlocks, boolean isCopy) {
        return keepsRollback(id, file, isCopy) && next.blocks.keySet().stream().noneMatch(name -> newBlocks.containsKey(name)
                && !(blocks.containsKey(name) && blocks.get(name).html.equals(newBlocks.get(name))));
    }

    /** Returns whether neither the files nor a user has changed a rolled-back template's draft since the last files. */
    private boolean keepsRollback(String id, File file, boolean isCopy) {
        Source source = seenSource(id, isCopy);
        String draft = Template.draft(file.subject, file.html);
        return templates.containsKey(id) && source != null && source.rolledBack
                && Template.draft(source.file.subject, source.file.html).equals(draft)
                && Template.draft(templates.get(id).subject, templates.get(id).html).equals(draft);
    }

    /** Records the current state as the last files. */
    void noteSource(String id) {
        sources.put(id, new Source(templates.get(id).file(), templates.get(id).liveDraft(), false));
    }

    /** Serves an older version again on behalf of the files' author. */
    void rollBack(String id, int number, Instant now) {
        find(id);
        if (number == find(id).live || number > find(id).versions.size()) {
            throw new Refused(422);
        }
        publishAgain(id, number, now);
        sources.computeIfPresent(id, (any, source) -> new Source(source.file, templates.get(id).liveDraft(), true));
    }

    // ---- keys

    void checkKeyRoom() {
        if (keys.stream().filter(key -> key.expiresAt == null).count() >= keyLimit()) {
            throw new Refused(422);
        }
    }

    /** Replaces a key with a new key of the same name. */
    void rotate(Key old, String value, Instant now, Instant ends) {
        long lasting = keys.stream().filter(key -> key.expiresAt == null).count();
        long ending = keys.stream().filter(key -> key.expiresAt != null && key.expiresAt.isAfter(now)).count();
        if (old.expiresAt != null || ends.isAfter(now) && ending >= lasting) {
            throw new Refused(422);
        }
        keys.removeIf(key -> key.hasEnded(now));
        keys.set(keys.indexOf(old), new Key(old.name, old.value, ends));
        keys.add(new Key(old.name, value, null));
    }
}
