package stet.web;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Listed;
import stet.core.Refusal;
import stet.core.Rules;
import stet.core.Template;
import stet.core.Traffic;
import stet.core.Version;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
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
            Map<String, List<String>> stale = dao.stale(account.id());
            for (Listed template : dao.templates(account.id())) {
                ObjectNode row = list.withArrayProperty("templates").addObject()
                        .put("id", template.id())
                        .put("name", template.name())
                        .put("state", Shapes.state(template.state()))
                        .put("updatedAt", Shapes.time(template.updatedAt()));
                Shapes.texts(row.putArray("stale"), stale.getOrDefault(template.id(), List.of()));
            }
            list.withArrayProperty("templates");
            return list;
        })));
    }

    public Response show(Account account, Request request) {
        statistics.write();
        return db.read(dao -> found(dao, account, request.id()));
    }

    public Response create(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        String id = fields.text("id", null);
        String name = Rules.name(fields.text("name"));
        String copyOf = fields.text("copyOf", null);
        fields.end();
        String made = id == null || id.isEmpty() ? Rules.newId(random) : Rules.id("id", id);
        return db.write(account, dao -> {
            if (dao.hasTemplate(account.id(), made)) {
                throw new Refusal("id", "There is a template " + made + " already");
            }
            Optional<Template> original = copyOf == null ? Optional.empty() : dao.template(account.id(), copyOf);
            if (copyOf != null && original.isEmpty()) {
                throw new Refusal("copyOf", "There is no template " + copyOf);
            }
            Draft draft = original.map(from -> new Draft(made, name, from.subject(), from.html(), from.samples()))
                    .orElseGet(() -> new Draft(made, name, "", new byte[0], Map.of()));
            dao.save(account.id(), draft, clock.instant());
            return answer(201, dao, account, made);
        });
    }

    public Response save(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        long revision = revision(fields);
        String subject = fields.text("subject");
        byte[] html = Rules.html(fields.text("html"));
        Map<String, String> samples = fields.texts("samples");
        fields.end();
        return at(account, request.id(), revision, (dao, template, now) -> {
            dao.save(account.id(), new Draft(template.id(), template.name(), subject, html, samples), now);
            return found(dao, account, template.id());
        });
    }

    public Response rename(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        String name = fields.text("name");
        fields.end();
        return db.write(account, dao -> dao.rename(account.id(), request.id(), name, clock.instant())
                ? found(dao, account, request.id()) : Failure.NOT_FOUND);
    }

    public Response delete(Account account, Request request) {
        return db.write(account, dao -> dao.deleteTemplate(account.id(), request.id())) ? Answer.none() : Failure.NOT_FOUND;
    }

    /** What is done to a template by somebody who has seen its newest draft. */
    interface Change {
        Response make(Dao dao, Template template, Instant now);
    }

    /** Changes a template, or shows the draft that somebody else saved meanwhile: nothing is overwritten unseen. */
    Response at(Account account, String id, long revision, Change change) {
        return db.write(account, dao -> {
            Optional<Template> template = dao.template(account.id(), id);
            if (template.isEmpty()) {
                return Failure.NOT_FOUND;
            }
            if (template.get().revision() != revision) {
                ObjectNode conflict = Json.object().put("error", "Somebody has saved this draft meanwhile");
                conflict.set("theirs", describe(dao, account, template.get()));
                return Answer.json(409, Json.write(conflict));
            }
            return change.make(dao, template.get(), clock.instant());
        });
    }

    static long revision(Fields fields) {
        Long revision = fields.number("revision", null);
        if (revision == null) {
            throw new Refusal("revision", "\"revision\" is missing");
        }
        return revision;
    }

    Response found(Dao dao, Account account, String id) {
        return dao.hasTemplate(account.id(), id) ? answer(200, dao, account, id) : Failure.NOT_FOUND;
    }

    private Response answer(int status, Dao dao, Account account, String id) {
        return Answer.json(status, Json.write(describe(dao, account, dao.template(account.id(), id).orElseThrow())));
    }

    private static ObjectNode describe(Dao dao, Account account, Template template) {
        ObjectNode object = Json.object()
                .put("id", template.id())
                .put("name", template.name())
                .put("subject", template.subject())
                .put("html", Shapes.text(template.html()));
        template.samples().forEach(object.putObject("samples")::put);
        Optional<Version> live = dao.versions(account.id(), template.id()).stream()
                .filter(version -> template.published() != null && version.number() == template.published()).findFirst();
        object.put("state", Shapes.state(dao.state(account.id(), template.id())));
        Shapes.texts(object.putArray("stale"), dao.stale(account.id()).getOrDefault(template.id(), List.of()));
        object.put("createdAt", Shapes.time(template.createdAt()))
                .put("updatedAt", Shapes.time(template.updatedAt()))
                .put("revision", template.revision());
        object.set("published", live.map(version -> Shapes.version(version, true)).orElse(null));
        object.set("lastFetched", lastFetched(dao, account, template.id()));
        return object;
    }

    private static ObjectNode lastFetched(Dao dao, Account account, String id) {
        List<Traffic> traffic = dao.visits().traffic(account.id(), id, 0);
        return traffic.isEmpty() ? null : Json.object()
                .put("at", Shapes.time(traffic.get(0).lastAt()))
                .put("key", traffic.get(0).keyName());
    }
}
