package stet.web;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import stet.core.Account;
import stet.core.DailyRequests;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Key;
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
import stet.markup.Publisher;
import stet.markup.Sampler;
import stet.markup.VariableNames;
import stet.markup.Variables;
import stet.store.Dao;
import stet.store.Db;
import stet.store.Statistics;
import stet.store.VersionDao;

/** From a draft to what is served: checks and preview, publishing, and the history that it makes. */
public final class Publishing {
    /** How long ago a key may have fetched a template to be named when it is published, in days. */
    private static final int LATELY = 30;
    private static final long DAY = 86_400_000;
    /** About how much text one list of stale templates may carry. */
    private static final long STALE_CHARACTERS = 16 << 20;

    private final Db db;
    private final Clock clock;
    private final Authoring authoring;
    private final Previews previews;
    private final Statistics statistics;

    public Publishing(Db db, Clock clock, Authoring authoring, Previews previews, Statistics statistics) {
        this.db = db;
        this.clock = clock;
        this.authoring = authoring;
        this.previews = previews;
        this.statistics = statistics;
    }

    /** What is being typed: its variables, blocks and problems, and a preview with the samples. */
    public Response check(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, Authoring.BODY_BYTES));
        String subject = Validation.subject(fields.text("subject"));
        String html = fields.text("html");
        Validation.html(html);
        Map<String, String> samples = Validation.samples(fields.texts("samples"));
        fields.end();
        return db.read(dao -> {
            Publisher publisher = dao.versions().publisher(account.id());
            String expanded = publisher.expand(subject, html);
            VariableNames names = VariableNames.in(subject, expanded, JsonViews.LISTED);
            Checks.warn(subject, html, expanded, names.first(), publisher.problems());
            ObjectNode object = Json.object().put("bytes", Utf8.length(expanded, 0, expanded.length()));
            TagLocations places = TagLocations.of(names.first(), subject, html);
            ArrayNode variables = object.putArray("variables");
            for (String name : names.first()) {
                TagLocations.Found found = places.of(name);
                ArrayNode array = variables.addObject().put("name", name).put("morePlaces", found.more).putArray("places");
                found.first.forEach(place -> array.addObject().put("field", place.field()).put("line", place.line()));
            }
            object.put("moreVariables", names.more());
            ArrayNode blocks = object.putArray("blocks");
            places.blocks().forEach((name, line) -> blocks.addObject().put("name", name).put("line", line)
                    .put("exists", !publisher.isMissing(name)));
            JsonViews.problems(object, publisher.problems());
            Sampler.Filled preview = Sampler.html(expanded, samples);
            object.put("subject", Sampler.subject(subject, samples).text());
            object.put("preview", previews.add(account, Utf8.encode(preview.text()))).put("cut", preview.cut());
            return Answer.json(Json.write(object));
        });
    }

    /** What publishing now would change, and for whom. */
    public Response publication(Account account, Request request) {
        statistics.write();
        return db.read(dao -> {
            Optional<Template> template = dao.template(account.id(), request.id());
            if (template.isEmpty()) {
                return Failure.NOT_FOUND;
            }
            ObjectNode object = compare(dao, account, template.get());
            keys(dao, account, request.id(), object.putArray("keys"));
            return Answer.json(Json.write(object));
        });
    }

    private ObjectNode compare(Dao dao, Account account, Template template) {
        String html = JsonViews.text(template.html());
        Publisher publisher = dao.versions().publisher(account.id());
        String next = publisher.expand(template.subject(), html);
        List<String> variables = Variables.in(template.subject(), next);
        Checks.warn(template.subject(), html, next, variables, publisher.problems());
        boolean possible = !publisher.problems().isRefused();
        Optional<ServedTemplate> live = dao.published(account.id(), template.id());
        List<String> before = live.map(ServedTemplate::variables).orElse(List.of());
        ObjectNode object = Json.object().put("revision", template.revision());
        JsonViews.problems(object, publisher.problems());
        object.set("live", live.map(version -> text(version.subject(), JsonViews.text(version.html()), version.variables())
                .put("number", template.published())).orElse(null));
        object.put("sha256", possible ? sha256(template.subject(), next) : null);
        object.set("next", possible ? text(template.subject(), next, variables) : null);
        JsonViews.names(object, "added", without(variables, before));
        JsonViews.names(object, "removed", without(before, variables));
        object.put("unchanged", live.isPresent() && live.get().subject().equals(template.subject())
                && JsonViews.text(live.get().html()).equals(next));
        return object;
    }

    /** Tells one text to be published from another. */
    private static String sha256(String subject, String html) {
        return HexFormat.of().formatHex(Secret.sha256(subject + "\0" + html));
    }

    private static ObjectNode text(String subject, String html, List<String> variables) {
        ObjectNode text = Json.object().put("subject", subject).put("html", html);
        JsonViews.names(text, "variables", variables);
        return text;
    }

    static List<String> without(List<String> names, List<String> others) {
        Set<String> known = new HashSet<>(others);
        return names.stream().filter(name -> !known.contains(name)).toList();
    }

    private void keys(Dao dao, Account account, String id, ArrayNode array) {
        long since = Math.floorDiv(clock.millis(), DAY) - LATELY;
        Map<Long, List<DailyRequests>> byKey = new LinkedHashMap<>();
        dao.requestLog().daily(account.id(), id, since).forEach(
                traffic -> byKey.computeIfAbsent(traffic.key(), any -> new ArrayList<>()).add(traffic));
        Map<Long, String> starts = dao.keys().list(account.id()).stream().collect(Collectors.toMap(Key::id, Key::start));
        byKey.forEach((key, traffic) -> array.addObject()
                .put("name", traffic.get(0).keyName())
                .put("start", starts.get(key))
                .put("requests", traffic.stream().mapToLong(DailyRequests::requests).sum())
                .put("lastAt", JsonViews.time(traffic.get(0).lastAt())));
    }

    /** Of what was looked at, where that is said: the draft has its revision, the shared blocks are in the SHA-256. */
    public Response publish(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, Authoring.BODY_BYTES));
        long revision = Authoring.revision(fields);
        String note = fields.text("note", "");
        String seen = fields.text("sha256", null);
        boolean force = fields.flag("force", false);
        fields.end();
        return db.<Optional<VersionDao.Prepared>, Supplier<Response>>write(account,
                dao -> authoring.refusal(dao, account, request.id(), revision).isPresent() ? Optional.empty()
                        : Optional.of(dao.versions().prepare(account.id(), request.id(), force)),
                (dao, prepared) -> publish(dao, account, request.id(), revision, seen, note, prepared)).get();
    }

    /** Nothing when what was prepared is no longer what publishing would freeze. */
    private Optional<Supplier<Response>> publish(Dao dao, Account account, String id, long revision, String seen, String note,
                                                 Optional<VersionDao.Prepared> prepared) {
        Optional<Supplier<Response>> refusal = authoring.refusal(dao, account, id, revision);
        if (refusal.isPresent()) {
            return refusal;
        }
        if (prepared.isEmpty() || !dao.versions().isUnchanged(account.id(), id, prepared.get())) {
            return Optional.empty();
        }
        Expansion publication = prepared.get().publication();
        if (seen != null && !seen.equals(sha256(publication.subject(), JsonViews.text(publication.html())))) {
            return Optional.of(() -> Answer.json(409, Json.write(Map.of("error",
                    "A shared block was saved meanwhile: look at what changes once more"))));
        }
        dao.versions().publish(account.id(), id, prepared.get(), note, clock.instant());
        return Optional.of(authoring.found(dao, account, id));
    }

    // ---- history

    public Response versions(Account account, Request request) {
        return db.read(dao -> {
            Optional<Template> template = dao.template(account.id(), request.id());
            if (template.isEmpty()) {
                return Failure.NOT_FOUND;
            }
            ObjectNode object = Json.object();
            ArrayNode versions = object.putArray("versions");
            for (Version version : dao.versions().list(account.id(), request.id())) {
                versions.add(JsonViews.version(version, version.number() == template.get().published()));
            }
            return Answer.json(Json.write(object));
        });
    }

    public Response version(Account account, Request request) {
        return db.read(dao -> {
            Optional<VersionText> frozen = frozen(dao, account, request);
            if (frozen.isEmpty()) {
                return Failure.NOT_FOUND;
            }
            int live = dao.template(account.id(), request.id()).orElseThrow().published();
            ObjectNode object = JsonViews.version(frozen.get().version(), frozen.get().version().number() == live);
            object.setAll(text(frozen.get().subject(), JsonViews.text(frozen.get().html()), frozen.get().variables()));
            object.putObject("draft").put("subject", frozen.get().subject()).put("html", JsonViews.text(frozen.get().draftHtml()));
            return Answer.json(Json.write(object));
        });
    }

    /** A version as it is served, with today's samples. */
    public Response previewVersion(Account account, Request request) {
        new Fields(request.body(Answer.JSON, Authoring.BODY_BYTES)).end();
        return db.read(dao -> {
            Optional<VersionText> frozen = frozen(dao, account, request);
            if (frozen.isEmpty()) {
                return Failure.NOT_FOUND;
            }
            Map<String, String> samples = dao.template(account.id(), request.id()).orElseThrow().samples();
            String html = Sampler.html(JsonViews.text(frozen.get().html()), samples).text();
            return Answer.json(Json.write(Map.of("preview", previews.add(account, Utf8.encode(html)))));
        });
    }

    /** Into the draft; what is served stays. */
    public Response restore(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, Authoring.BODY_BYTES));
        long revision = Authoring.revision(fields);
        fields.end();
        Optional<DraftText> text = db.read(dao -> frozen(dao, account, request))
                .map(frozen -> DraftText.of(frozen.subject(), frozen.draftHtml()));
        return authoring.at(account, request.id(), revision, dao -> {
            text.ifPresent(known -> dao.save(account.id(), request.id(), null, known, null, clock.instant()));
            return text.isPresent() ? authoring.found(dao, account, request.id()) : () -> Failure.NOT_FOUND;
        });
    }

    /** Serves an old version again, as a new one; the draft stays. */
    public Response publishAgain(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, Authoring.BODY_BYTES));
        String note = fields.text("note", "");
        fields.end();
        return db.<Supplier<Response>>write(account, dao -> number(request).flatMap(number ->
                dao.versions().publishAgain(account.id(), request.id(), number, note, clock.instant())).isPresent()
                ? authoring.found(dao, account, request.id()) : () -> Failure.NOT_FOUND).get();
    }

    private static Optional<VersionText> frozen(Dao dao, Account account, Request request) {
        return number(request).flatMap(number -> dao.versions().find(account.id(), request.id(), number));
    }

    private static Optional<Integer> number(Request request) {
        String number = request.secondId();
        return number.matches("[1-9][0-9]{0,8}") ? Optional.of(Integer.valueOf(number)) : Optional.empty();
    }

    /**
     * The templates whose live version carries an older text of a shared block, and what publishing them would change;
     * of very many the first, until those are published.
     */
    public Response stale(Account account, Request request) {
        return db.read(dao -> {
            ObjectNode object = Json.object();
            ArrayNode templates = object.putArray("templates");
            long[] room = {STALE_CHARACTERS};
            dao.blocks().stale(account.id()).forEach((id, blocks) -> {
                Template template = dao.template(account.id(), id).orElseThrow();
                if (room[0] <= 0) {
                    return;
                }
                ObjectNode row = compare(dao, account, template);
                room[0] -= row.path("live").path("html").asText().length() + row.path("next").path("html").asText().length();
                row.put("id", id).put("name", template.name())
                        .put("draftChanged", dao.state(account.id(), id) == TemplateSummary.State.CHANGED);
                JsonViews.texts(row.putArray("blocks"), blocks);
                templates.add(row);
            });
            return Answer.json(Json.write(object));
        });
    }
}
