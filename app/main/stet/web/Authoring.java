package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Log;
import stet.core.Member;
import stet.core.Refusal;
import stet.core.Samples;
import stet.core.Template;
import stet.core.Template.PublicationRequest;
import stet.core.TemplateSummary.State;
import stet.core.Utf8;
import stet.core.Validation;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.markup.DraftText;
import stet.store.Dao;
import stet.store.Db;
import stet.store.DeskDao;
import stet.web.Publishing.VersionJson;

/** The templates of an account and their drafts: created, saved, renamed, moved into the trash. */
public final class Authoring {
    /** Ids that are looked up to find one that is free. */
    private static final int MAX_IDS_TRIED = 100;
    /** Characters of an id before the number that is added to it. */
    private static final int MAX_ID_START = 61;

    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final Starters starters;

    public Authoring(Db db, Clock clock, RandomGenerator random, Starters starters) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.starters = starters;
    }

    /**
     * A template and its draft as the editor shows them.
     *
     * @param samples   sets of test data, each a JSON document, by name; {@code defaultSamples} is the name of one
     * @param savedAt   null, as {@code savedBy} is, where nobody was recorded
     * @param request   to publish it, or null
     * @param published the live version, or null
     */
    record TemplateJson(String id, String name, String subject, String html, Map<String, String> samples,
                        @JsonInclude(JsonInclude.Include.NON_NULL) String defaultSamples, State state,
                        List<String> stale, Instant createdAt, Instant updatedAt, long revision, String savedBy, Instant savedAt,
                        PublicationRequest request, VersionJson published, List<String> tags) {
    }

    /** @param lastFetched null where no key has fetched it */
    record EditorJson(@JsonUnwrapped TemplateJson template, LastFetched lastFetched) {
    }

    record LastFetched(Instant at, String key) {
    }

    record Conflict(String error, EditorJson theirs) {
    }

    /** Thrown out of a transaction for an editor that has not seen the newest revision. */
    static final class Outdated extends RuntimeException {
        private static final long serialVersionUID = 1;

        Outdated() {
            super(null, null, false, false);
        }
    }

    public Response show(Member member, Request request) {
        Account account = member.account();
        return shown(200, account, db.read(dao -> template(dao, account, request.id())));
    }

    public Response create(Member member, Request request) {
        Account account = member.account();
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_DRAFT_BYTES));
        String givenId = fields.text("id", "");
        String name = Validation.name(fields.text("name"));
        String copyOf = fields.text("copyOf", null);
        String starter = fields.text("starter", null);
        fields.end();
        String id = givenId.isEmpty() ? Validation.newId(random) : Validation.id("id", givenId);
        Draft draft = starter != null ? starters.draft(starter, id, name)
                .orElseThrow(() -> new Refusal("starter", "There is no starter " + starter))
                : copyOf == null ? new Draft(id, name, "", new byte[0], Map.of())
                : db.read(dao -> dao.template(account.id(), copyOf))
                .map(original -> new Draft(id, name, original.subject(), original.html(), original.samples()))
                .orElseThrow(() -> new Refusal("copyOf", "There is no template " + copyOf));
        DraftText text = DraftText.of(draft);
        return shown(201, account, db.write(member, dao -> {
            if (dao.hasTemplate(account.id(), id)) {
                throw new Refusal("id", "There is a template " + id + " already");
            }
            dao.trash().checkFree(account.id(), id);
            dao.checkRoom(account.id());
            dao.save(account.id(), id, name, text, draft.samples(), clock.instant());
            if (copyOf != null) {
                dao.library().tags(account.id(), copyOf).ifPresent(tags -> dao.library().setTags(account.id(), id, tags));
            }
            return template(dao, account, id);
        }));
    }

    /** @param free an id like the one asked for that no template has, not in the trash either; the same one where it is free */
    record IdJson(boolean taken, String free) {
    }

    /** Tells whether a template has the id of the parameter {@code id} already, if only in the trash. */
    public Response id(Member member, Request request) {
        String id = Validation.id("id", request.parameter("id"));
        String start = id.substring(0, Math.min(id.length(), MAX_ID_START));
        return Answer.json(Json.write(db.read(dao -> {
            long account = member.account().id();
            String free = Stream.concat(Stream.of(id), IntStream.range(2, MAX_IDS_TRIED).mapToObj(i -> start + "-" + i))
                    .filter(each -> !dao.hasTemplate(account, each) && !dao.trash().has(account, each)).findFirst().orElse("");
            return new IdJson(!free.equals(id), free);
        })));
    }

    public Response save(Member member, Request request) {
        Account account = member.account();
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_DRAFT_BYTES));
        long revision = fields.number("revision");
        String subject = fields.text("subject");
        byte[] html = Validation.html(fields.text("html"));
        Samples samples = Samples.of(fields.texts("samples"), fields.text("defaultSamples", null));
        fields.end();
        DraftText text = DraftText.of(subject, html);
        return edit(member, request.id(), revision,
                dao -> dao.save(account.id(), request.id(), null, text, samples, clock.instant()));
    }

    public Response rename(Member member, Request request) {
        Account account = member.account();
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_DRAFT_BYTES));
        String name = fields.text("name");
        fields.end();
        return shown(200, account, db.write(member, dao -> {
            dao.rename(account.id(), request.id(), name, clock.instant());
            return template(dao, account, request.id());
        }));
    }

    public Response delete(Member member, Request request) {
        Account account = member.account();
        if (!db.write(member, dao -> dao.trash().delete(account.id(), request.id(), clock.instant()))) {
            throw Failure.NOT_FOUND.thrown();
        }
        Log.info("template-deleted", "account", account.name(), "template", request.id(), "person", member.person().email());
        return Answer.none();
    }

    /** Changes a template for an editor that has seen this revision, and answers as {@link #answer} does. */
    Response edit(Member member, String id, long revision, Consumer<Dao> change) {
        return answer(member.account(), id, () -> db.write(member, dao -> {
            Account account = member.account();
            checkRevision(dao, account, id, revision);
            change.accept(dao);
            return template(dao, account, id);
        }));
    }

    /** Answers with the template that was changed, or with 409 and the draft that somebody else saved meanwhile. */
    Response answer(Account account, String id, Supplier<TemplateJson> change) {
        try {
            return shown(200, account, change.get());
        } catch (Outdated outdated) {
            EditorJson theirs = editor(account, db.read(dao -> template(dao, account, id)));
            return Answer.json(409, Json.write(new Conflict("Somebody has saved this draft meanwhile", theirs)));
        }
    }

    /** @throws Outdated when this is not the newest revision: nobody overwrites what they have not seen */
    static void checkRevision(Dao dao, Account account, String id, long revision) {
        if (dao.revision(account.id(), id).orElseThrow(Failure.NOT_FOUND::thrown) != revision) {
            throw new Outdated();
        }
    }

    static TemplateJson template(Dao dao, Account account, String id) {
        Template template = dao.template(account.id(), id).orElseThrow(Failure.NOT_FOUND::thrown);
        VersionJson live = dao.versions().list(account.id(), id).stream()
                .filter(version -> template.published() != null && version.number() == template.published())
                .map(version -> VersionJson.of(version, true)).findFirst().orElse(null);
        DeskDao.Saved saved = dao.desk().template(account.id(), id).orElseThrow();
        return new TemplateJson(id, template.name(), template.subject(), Utf8.text(template.html()),
                template.samples().documents(), template.samples().defaultName(), dao.state(account.id(), id),
                dao.blocks().stale(account.id(), id), template.createdAt(), template.updatedAt(), template.revision(),
                saved.by(), saved.at(), dao.desk().request(account.id(), id).orElse(null), live,
                dao.library().tags(account.id(), id).orElseThrow());
    }

    Response shown(int status, Account account, TemplateJson template) {
        return Answer.json(status, Json.write(editor(account, template)));
    }

    /** Adds what the statistics say. */
    private EditorJson editor(Account account, TemplateJson template) {
        return new EditorJson(template, db.read(dao -> dao.requestLog().lastFetched(account.id(), template.id))
                .map(last -> new LastFetched(last.at(), last.keyName())).orElse(null));
    }
}
