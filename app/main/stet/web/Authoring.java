package stet.web;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import stet.core.Account;
import stet.core.DailyRequests;
import stet.core.Draft;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Refusal;
import stet.core.Template;
import stet.core.TemplateSummary;
import stet.core.Validation;
import stet.core.Version;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.markup.DraftText;
import stet.store.Dao;
import stet.store.Db;
import stet.store.Statistics;

/** The templates of an account and their drafts: listed, made, changed, renamed, deleted. */
public final class Authoring {
    /** A draft of 2 MiB, every character of which may be escaped in JSON, and its samples. */
    static final int BODY_BYTES = 16 << 20;

    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final Statistics statistics;

    public Authoring(Db db, Clock clock, RandomGenerator random, Statistics statistics) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.statistics = statistics;
    }

    public Response list(Account account, Request request) {
        return Answer.json(Json.write(db.read(dao -> {
            ObjectNode list = Json.object();
            Map<String, List<String>> stale = dao.blocks().stale(account.id());
            for (TemplateSummary template : dao.templates(account.id())) {
                ObjectNode row = list.withArrayProperty("templates").addObject()
                        .put("id", template.id())
                        .put("name", template.name())
                        .put("state", JsonViews.state(template.state()))
                        .put("updatedAt", JsonViews.time(template.updatedAt()));
                JsonViews.texts(row.putArray("stale"), stale.getOrDefault(template.id(), List.of()));
            }
            list.withArrayProperty("templates");
            return list;
        })));
    }

    public Response show(Account account, Request request) {
        statistics.write();
        return db.read(dao -> found(dao, account, request.id())).get();
    }

    public Response create(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        String id = fields.text("id", null);
        String name = Validation.name(fields.text("name"));
        String copyOf = fields.text("copyOf", null);
        fields.end();
        String made = id == null || id.isEmpty() ? Validation.newId(random) : Validation.id("id", id);
        Optional<Template> original = copyOf == null ? Optional.empty() : db.read(dao -> dao.template(account.id(), copyOf));
        if (copyOf != null && original.isEmpty()) {
            throw new Refusal("copyOf", "There is no template " + copyOf);
        }
        Draft draft = original.map(from -> new Draft(made, name, from.subject(), from.html(), from.samples()))
                .orElseGet(() -> new Draft(made, name, "", new byte[0], Map.of()));
        DraftText text = DraftText.of(draft);
        return db.write(account, dao -> {
            if (dao.hasTemplate(account.id(), made)) {
                throw new Refusal("id", "There is a template " + made + " already");
            }
            dao.checkRoom(account.id());
            dao.save(account.id(), made, name, text, draft.samples(), clock.instant());
            return found(201, dao, account, made);
        }).get();
    }

    public Response save(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        long revision = revision(fields);
        String subject = fields.text("subject");
        byte[] html = Validation.html(fields.text("html"));
        Map<String, String> samples = fields.texts("samples");
        fields.end();
        DraftText text = DraftText.of(subject, html);
        Validation.samples(samples);
        return at(account, request.id(), revision, dao -> {
            dao.save(account.id(), request.id(), null, text, samples, clock.instant());
            return found(dao, account, request.id());
        });
    }

    public Response rename(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        String name = fields.text("name");
        fields.end();
        return db.write(account, dao -> {
            dao.rename(account.id(), request.id(), name, clock.instant());
            return found(dao, account, request.id());
        }).get();
    }

    public Response delete(Account account, Request request) {
        return db.write(account, dao -> dao.deleteTemplate(account.id(), request.id())) ? Answer.none() : Failure.NOT_FOUND;
    }

    /** What is done to a template by somebody who has seen its newest draft. @return makes the answer, after the transaction */
    interface Change {
        Supplier<Response> make(Dao dao);
    }

    /** Changes a template, or shows the draft that somebody else saved meanwhile: nothing is overwritten unseen. */
    Response at(Account account, String id, long revision, Change change) {
        return db.write(account, dao -> refusal(dao, account, id, revision).orElseGet(() -> change.make(dao))).get();
    }

    /** Why nothing is done for somebody who has seen this revision. */
    Optional<Supplier<Response>> refusal(Dao dao, Account account, String id, long seen) {
        Optional<Long> revision = dao.revision(account.id(), id);
        if (revision.isEmpty()) {
            return Optional.of(() -> Failure.NOT_FOUND);
        }
        if (revision.get() == seen) {
            return Optional.empty();
        }
        ObjectNode conflict = Json.object().put("error", "Somebody has saved this draft meanwhile");
        ObjectNode theirs = describe(dao, account, dao.template(account.id(), id).orElseThrow());
        conflict.set("theirs", theirs);
        return Optional.of(() -> {
            addLastFetched(theirs, account, id);
            return Answer.json(409, Json.write(conflict));
        });
    }

    static long revision(Fields fields) {
        Long revision = fields.number("revision", null);
        if (revision == null) {
            throw new Refusal("revision", "\"revision\" is missing");
        }
        return revision;
    }

    Supplier<Response> found(Dao dao, Account account, String id) {
        return found(200, dao, account, id);
    }

    /** Reads a template in the transaction; the answer is written after it. */
    private Supplier<Response> found(int status, Dao dao, Account account, String id) {
        Optional<ObjectNode> found = dao.template(account.id(), id).map(template -> describe(dao, account, template));
        return () -> {
            found.ifPresent(object -> addLastFetched(object, account, id));
            return found.<Response>map(object -> Answer.json(status, Json.write(object))).orElse(Failure.NOT_FOUND);
        };
    }

    private static ObjectNode describe(Dao dao, Account account, Template template) {
        ObjectNode object = Json.object()
                .put("id", template.id())
                .put("name", template.name())
                .put("subject", template.subject())
                .put("html", JsonViews.text(template.html()));
        template.samples().forEach(object.putObject("samples")::put);
        Optional<Version> live = dao.versions().list(account.id(), template.id()).stream()
                .filter(version -> template.published() != null && version.number() == template.published()).findFirst();
        object.put("state", JsonViews.state(dao.state(account.id(), template.id())));
        JsonViews.texts(object.putArray("stale"), dao.blocks().stale(account.id(), template.id()));
        object.put("createdAt", JsonViews.time(template.createdAt()))
                .put("updatedAt", JsonViews.time(template.updatedAt()))
                .put("revision", template.revision());
        object.set("published", live.map(version -> JsonViews.version(version, true)).orElse(null));
        return object;
    }

    /** From the statistics, which may be long: not in a transaction that writes. */
    private void addLastFetched(ObjectNode template, Account account, String id) {
        template.set("lastFetched", db.read(dao -> lastFetched(dao, account, id)));
    }

    private static ObjectNode lastFetched(Dao dao, Account account, String id) {
        List<DailyRequests> traffic = dao.requestLog().daily(account.id(), id, 0);
        return traffic.isEmpty() ? null : Json.object()
                .put("at", JsonViews.time(traffic.get(0).lastAt()))
                .put("key", traffic.get(0).keyName());
    }
}
