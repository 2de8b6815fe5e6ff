package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import stet.core.Account;
import stet.core.DailyRequests;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Key;
import stet.core.Log;
import stet.core.Member;
import stet.core.PublicationRequest;
import stet.core.Secret;
import stet.core.ServedTemplate;
import stet.core.Template;
import stet.core.TemplateSummary;
import stet.core.Utf8;
import stet.core.Validation;
import stet.core.Version;
import stet.core.VersionText;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.markup.Checks;
import stet.markup.DraftText;
import stet.markup.Expansion;
import stet.markup.PlainText;
import stet.markup.Problems;
import stet.markup.Publisher;
import stet.markup.Sampler;
import stet.markup.SourceMarks;
import stet.markup.TestData;
import stet.markup.VariableNames;
import stet.markup.VariableTree;
import stet.markup.Variables;
import stet.store.Dao;
import stet.store.Db;
import stet.store.DeskDao;

/** Checks and previews drafts, publishes them, and shows the history that this makes. */
public final class Publishing {
    /** Names that one list has, at most. */
    private static final int MAX_NAMES = 1_000;
    /** Days for which the keys that fetched a template are named before it is published. */
    private static final int RECENT_DAYS = 30;
    /** Characters of the texts in one list of stale templates, about. */
    private static final long MAX_STALE_CHARACTERS = 16 << 20;

    private final Db db;
    private final Clock clock;
    private final Authoring authoring;
    private final Previews previews;

    public Publishing(Db db, Clock clock, Authoring authoring, Previews previews) {
        this.db = db;
        this.clock = clock;
        this.authoring = authoring;
        this.previews = previews;
    }

    // ---- before publishing

    /**
     * {@code bytes} counts the html with its shared blocks; {@code preview} is an address, {@code cut} where too long;
     * {@code marked} tells whether its parts lead to the draft, {@code preheader} is its first text.
     */
    record CheckJson(long bytes, List<VariableJson> variables, int moreVariables, List<BlockJson> blocks,
                     List<ProblemJson> problems, int moreProblems, String subject, String preview, boolean cut,
                     boolean marked, String preheader) {
    }

    /** @param tree the name with those within it, of a list or an object */
    record VariableJson(String name, int morePlaces, List<TagLocations.Place> places,
                        @JsonInclude(JsonInclude.Include.NON_NULL) String tree) {
    }

    record BlockJson(String name, int line, boolean exists) {
    }

    /** {@code lines} has a line as often as the problem is on it. */
    record ProblemJson(String level, String field, String block, List<Integer> lines, String sentence) {
        static List<ProblemJson> of(Problems problems) {
            return problems.rows().stream().map(row -> new ProblemJson(row.problem().level().word(), row.problem().field(),
                    row.problem().block(), row.lines(), row.problem().sentence())).toList();
        }
    }

    /** Checks a draft as it is typed: its variables, shared blocks and problems, and a preview with the samples. */
    public Response check(Member member, Request request) {
        Account account = member.account();
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_DRAFT_BYTES));
        String subject = Validation.subject(fields.text("subject"));
        String html = fields.text("html");
        Validation.html(html);
        Map<String, String> samples = Validation.samples(fields.texts("samples"));
        fields.end();
        return db.read(dao -> {
            Publisher publisher = dao.versions().publisher(account.id());
            String expanded = publisher.expand(subject, html);
            VariableNames names = VariableNames.in(subject, expanded, MAX_NAMES);
            Checks.warn(subject, html, expanded, names.first(), publisher.problems());
            ObjectNode data = TestData.of(samples);
            Map<String, String> trees = new HashMap<>();
            VariableTree.of(subject, expanded, data).variables().stream().filter(variable -> !variable.inner().isEmpty())
                    .forEach(variable -> trees.put(variable.name(), variable.toString()));
            TagLocations locations = new TagLocations(names.first(), subject, html);
            List<BlockJson> blocks = new ArrayList<>();
            locations.blocks().forEach((name, line) -> blocks.add(new BlockJson(name, line, !publisher.isMissing(name))));
            String secret = previews.newName();
            SourceMarks marks = SourceMarks.of(expanded, publisher.sourceMap(), secret);
            Sampler.Filled marked = Sampler.html(expanded, data, marks);
            Sampler.Filled preview = marked.cut() ? Sampler.html(expanded, data) : marked;
            return Answer.json(Json.write(new CheckJson(Utf8.length(expanded, 0, expanded.length()),
                    names.first().stream().map(name -> new VariableJson(name, locations.more(name), locations.of(name),
                            trees.get(name))).toList(),
                    names.more(), blocks, ProblemJson.of(publisher.problems()), publisher.problems().more(),
                    Sampler.subject(subject, data).text(), previews.addMarked(account, preview.text(), secret), preview.cut(),
                    marks != SourceMarks.NONE && preview == marked, PlainText.preheader(preview.text()))));
        });
    }

    record TextJson(String subject, String html, List<String> variables, int moreVariables) {
        static TextJson of(String subject, String html, List<String> variables) {
            return new TextJson(subject, html, first(variables), more(variables));
        }
    }

    record LiveJson(@JsonUnwrapped TextJson text, int number) {
    }

    /**
     * Compares the draft, were it published now, with the live version.
     *
     * @param live    null where none is
     * @param sha256  of {@code next}, null where there is nothing to publish, as {@code next} is
     * @param added   variables that only {@code next} has
     * @param removed variables that only {@code live} has
     */
    record ComparisonJson(long revision, List<ProblemJson> problems, int moreProblems, LiveJson live, String sha256,
                          TextJson next, List<String> added, int moreAdded, List<String> removed, int moreRemoved,
                          boolean unchanged) {
        int characters() {
            return (live == null ? 0 : live.text.html.length()) + (next == null ? 0 : next.html.length());
        }
    }

    /** @param savedAt last save of the draft; null, as {@code savedBy} is, where nobody was recorded. @param request or null */
    record PublicationJson(@JsonUnwrapped ComparisonJson comparison, Collection<KeyJson> keys, String savedBy, Instant savedAt,
                           PublicationRequest request) {
    }

    /** A key that fetched the template lately; name and start are null where it was deleted. */
    record KeyJson(String name, String start, long requests, Instant lastAt) {
    }

    /** Shows the changes that publishing now would make, and the keys that they would concern. */
    public Response publication(Member member, Request request) {
        Account account = member.account();
        return db.read(dao -> {
            Template template = template(dao, account, request);
            DeskDao.Saved saved = dao.desk().template(account.id(), template.id()).orElseThrow();
            return Answer.json(Json.write(new PublicationJson(compare(dao, account, template), keys(dao, account, template.id()),
                    saved.by(), saved.at(), dao.desk().request(account.id(), template.id()).orElse(null))));
        });
    }

    private static ComparisonJson compare(Dao dao, Account account, Template template) {
        dao.checkDraft(account.id(), template);
        String html = Utf8.text(template.html());
        Publisher publisher = dao.versions().publisher(account.id());
        String expanded = publisher.expand(template.subject(), html);
        List<String> variables = Variables.in(template.subject(), expanded);
        Checks.warn(template.subject(), html, expanded, variables, publisher.problems());
        TextJson next = publisher.problems().isRefused() ? null : TextJson.of(template.subject(), expanded, variables);
        Optional<ServedTemplate> served = dao.published(account.id(), template.id());
        List<String> before = served.map(ServedTemplate::variables).orElse(List.of());
        LiveJson live = served.map(version -> new LiveJson(
                TextJson.of(version.subject(), Utf8.text(version.html()), before), template.published())).orElse(null);
        List<String> added = without(variables, before);
        List<String> removed = without(before, variables);
        return new ComparisonJson(template.revision(), ProblemJson.of(publisher.problems()), publisher.problems().more(),
                live, next == null ? null : sha256(next.subject, next.html), next,
                first(added), more(added), first(removed), more(removed),
                live != null && live.text.subject.equals(template.subject()) && live.text.html.equals(expanded));
    }

    /** Tells one text to be published from another. */
    private static String sha256(String subject, String html) {
        return HexFormat.of().formatHex(Secret.sha256(subject + "\0" + html));
    }

    /** A copy, so that a long list of rows does not hold on to all names. */
    private static List<String> first(List<String> names) {
        return names.stream().limit(MAX_NAMES).toList();
    }

    private static int more(List<String> names) {
        return Math.max(0, names.size() - MAX_NAMES);
    }

    static List<String> without(List<String> names, List<String> others) {
        Set<String> known = new HashSet<>(others);
        return names.stream().filter(name -> !known.contains(name)).toList();
    }

    private Collection<KeyJson> keys(Dao dao, Account account, String id) {
        Map<Long, String> starts = dao.keys().list(account.id()).stream().collect(Collectors.toMap(Key::id, Key::start));
        Map<Long, KeyJson> keys = new LinkedHashMap<>();
        for (DailyRequests day : dao.requestLog().daily(account.id(), id, DailyRequests.day(clock.instant()) - RECENT_DAYS)) {
            KeyJson key = new KeyJson(day.keyName(), starts.get(day.key()), day.requests(), day.lastAt());
            keys.merge(day.key(), key, (latest, earlier) ->
                    new KeyJson(latest.name, latest.start, latest.requests + earlier.requests, latest.lastAt));
        }
        return keys.values();
    }

    record StaleList(List<StaleRow> templates) {
    }

    record StaleRow(@JsonUnwrapped ComparisonJson comparison, String id, String name, boolean draftChanged, List<String> blocks) {
    }

    /**
     * Lists the templates whose live version has an older text of a shared block, each with the changes that publishing it
     * would make. A very long list is cut; the rest shows once those in it are published.
     */
    public Response stale(Member member, Request request) {
        Account account = member.account();
        return db.read(dao -> {
            List<StaleRow> rows = new ArrayList<>();
            long characters = 0;
            for (Map.Entry<String, List<String>> stale : dao.blocks().stale(account.id()).entrySet()) {
                if (characters >= MAX_STALE_CHARACTERS) {
                    break;
                }
                Template template = dao.template(account.id(), stale.getKey()).orElseThrow();
                ComparisonJson comparison = compare(dao, account, template);
                characters += comparison.characters();
                rows.add(new StaleRow(comparison, template.id(), template.name(),
                        dao.state(account.id(), template.id()) == TemplateSummary.State.CHANGED, stale.getValue()));
            }
            return Answer.json(Json.write(new StaleList(rows)));
        });
    }

    // ---- publishing

    /**
     * Publishes the draft that the author has seen: {@code revision} names its text, {@code sha256}, where it is given, its
     * text with the shared blocks.
     */
    public Response publish(Member member, Request request) {
        Account account = member.account();
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_DRAFT_BYTES));
        long revision = fields.number("revision");
        String note = fields.text("note", "");
        String seen = fields.text("sha256", null);
        boolean force = fields.flag("force", false);
        fields.end();
        String id = request.id();
        return authoring.answer(account, id, () -> logged(member, db.write(member, dao -> {
            Authoring.checkRevision(dao, account, id, revision);
            return dao.versions().prepare(account.id(), id, force);
        }, (dao, prepared) -> {
            Authoring.checkRevision(dao, account, id, revision);
            if (!dao.versions().isUnchanged(account.id(), id, prepared)) {
                return Optional.empty();
            }
            Expansion expansion = prepared.publication();
            if (seen != null && !seen.equals(sha256(expansion.subject(), Utf8.text(expansion.html())))) {
                throw Failure.BLOCK_SAVED_MEANWHILE.thrown();
            }
            dao.versions().publish(account.id(), id, prepared, note, clock.instant());
            return Optional.of(Authoring.template(dao, account, id));
        })));
    }

    private static Authoring.TemplateJson logged(Member member, Authoring.TemplateJson published) {
        Log.info("template-published", "account", member.account().name(), "template", published.id(), "version",
                published.published().number(), "person", member.person().email());
        return published;
    }

    // ---- history

    record VersionList(List<VersionJson> versions) {
    }

    record VersionJson(int number, Instant publishedAt, String publishedBy, String note, long bytes, String sha256, boolean live) {
        static VersionJson of(Version version, boolean live) {
            return new VersionJson(version.number(), version.publishedAt(), version.publishedBy(), version.note(), version.bytes(),
                    version.digest(), live);
        }
    }

    /** @param draft the text that it was made from, with its shared blocks not expanded */
    record VersionTextJson(@JsonUnwrapped VersionJson version, @JsonUnwrapped TextJson text, DraftJson draft) {
    }

    record DraftJson(String subject, String html) {
    }

    record PreviewJson(String preview) {
    }

    public Response versions(Member member, Request request) {
        Account account = member.account();
        return db.read(dao -> {
            Template template = template(dao, account, request);
            return Answer.json(Json.write(new VersionList(dao.versions().list(account.id(), template.id()).stream()
                    .map(version -> VersionJson.of(version, version.number() == template.published())).toList())));
        });
    }

    public Response version(Member member, Request request) {
        Account account = member.account();
        return db.read(dao -> {
            VersionText version = version(dao, account, request);
            boolean live = version.version().number() == template(dao, account, request).published();
            return Answer.json(Json.write(new VersionTextJson(VersionJson.of(version.version(), live),
                    TextJson.of(version.subject(), Utf8.text(version.html()), version.variables()),
                    new DraftJson(version.subject(), Utf8.text(version.draftHtml())))));
        });
    }

    /** Shows a version as it is served, with the samples of today. */
    public Response previewVersion(Member member, Request request) {
        Account account = member.account();
        new Fields(request.body(Answer.JSON, Request.MAX_DRAFT_BYTES)).end();
        return db.read(dao -> {
            String html = Utf8.text(version(dao, account, request).html());
            String filled = Sampler.html(html, template(dao, account, request).samples()).text();
            return Answer.json(Json.write(new PreviewJson(previews.add(account, Utf8.encode(filled)))));
        });
    }

    /** Makes the draft of a version the draft again; the live version stays. */
    public Response restore(Member member, Request request) {
        Account account = member.account();
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_DRAFT_BYTES));
        long revision = fields.number("revision");
        fields.end();
        VersionText version = db.read(dao -> version(dao, account, request));
        DraftText draft = DraftText.of(version.subject(), version.draftHtml());
        return authoring.edit(member, request.id(), revision,
                dao -> dao.save(account.id(), request.id(), null, draft, null, clock.instant()));
    }

    /** Serves an old version again, under a new number; the draft stays. */
    public Response publishAgain(Member member, Request request) {
        Account account = member.account();
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_DRAFT_BYTES));
        String note = fields.text("note", "");
        fields.end();
        int number = db.read(dao -> version(dao, account, request)).version().number(); // not damaged
        return authoring.shown(200, account, logged(member, db.write(member, dao -> {
            dao.versions().publishAgain(account.id(), request.id(), number, note, clock.instant())
                    .orElseThrow(Failure.NOT_FOUND::thrown);
            return Authoring.template(dao, account, request.id());
        })));
    }

    private static Template template(Dao dao, Account account, Request request) {
        return dao.template(account.id(), request.id()).orElseThrow(Failure.NOT_FOUND::thrown);
    }

    private static VersionText version(Dao dao, Account account, Request request) {
        return dao.versions().find(account.id(), request.id(), number(request)).orElseThrow(Failure.NOT_FOUND::thrown);
    }

    private static int number(Request request) {
        if (!request.secondId().matches("[1-9][0-9]{0,8}")) {
            throw Failure.NOT_FOUND.thrown();
        }
        return Integer.parseInt(request.secondId());
    }
}
