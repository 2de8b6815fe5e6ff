package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import stet.access.Member;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Brand;
import stet.core.DailyRequests;
import stet.core.Draft;
import stet.core.Samples;
import stet.core.SearchQuery;
import stet.core.Storage;
import stet.core.Template.PublicationRequest;
import stet.core.Template;
import stet.core.TemplateSummary.State;
import stet.core.Validation;
import stet.dao.Dao;
import stet.dao.SourceDao;
import stet.dao.TemplateDao;
import stet.dao.TrashDao;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.markup.DraftText;
import stet.web.MailClients.AcceptedJson;
import stet.web.Publishing.VersionJson;

/** Templates and their drafts: list, search, create, save, rename, tag, request review, delete and restore. */
public final class Templates {
    static final String OUTDATED = "This draft has changed since you opened it";
    private static final String RENAMED = "This template has been renamed since you opened it";
    /** Maximum number of IDs to try when searching for a free ID. */
    private static final int MAX_IDS_TRIED = 100;
    /** Maximum length of an ID before a hyphen and a number of up to two digits are appended. */
    private static final int MAX_ID_START = 61;

    private final Clock clock;
    private final RandomGenerator random;
    private final Starters starters;
    private final boolean sendsMail;

    Templates(Clock clock, RandomGenerator random, Starters starters, boolean sendsMail) {
        this.clock = clock;
        this.random = random;
        this.starters = starters;
        this.sendsMail = sendsMail;
    }

    /**
     * A template and its draft, as the editor shows them.
     *
     * @param nameRevision a new name must carry this number; {@code namedBy} and {@code namedAt} are null if not recorded
     * @param samples     test data sets by name, each a JSON document; {@code defaultSamples} is the name of the default set
     * @param stale       shared blocks that have changed since the live version was published
     * @param savedAt     time of the last save; null, like {@code savedBy}, if it was not recorded
     * @param request     an open review request, or null
     * @param published   the live version, or null
     * @param lastFetched the last API request for the template, or null
     * @param source      the last seed, import, push or copy that changed the template, or null
     * @param accepted    features that the template may use although some mail clients do not support them
     */
    record TemplateViewJson(String id, String name, long nameRevision, @JsonInclude(JsonInclude.Include.NON_NULL) String namedBy,
                        @JsonInclude(JsonInclude.Include.NON_NULL) Instant namedAt, String subject, String html, Map<String, String> samples,
                        @JsonInclude(JsonInclude.Include.NON_NULL) String defaultSamples, State state,
                        List<String> stale, Instant createdAt, Instant updatedAt, long revision, String savedBy, Instant savedAt,
                        PublicationRequest request, VersionJson published, List<String> tags, DailyRequests.Last lastFetched,
                        @JsonInclude(JsonInclude.Include.NON_NULL) SourceDao.SourceRow source,
                        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<AcceptedJson> accepted) {
    }

    /**
     * @param deleted number of templates in the trash
     * @param storage used bytes and their limit; the page warns near the limit
     */
    record TemplateList(List<TemplateRow> templates, int deleted, Storage storage) {
    }

    /**
     * @param stale     shared blocks that have changed since the live version was published
     * @param request   an open review request, or null
     * @param fetchedAt time of the last API request for the template, or null
     */
    record TemplateRow(String id, String name, String subject, State state, Instant updatedAt, List<String> stale, PublicationRequest request,
                       List<String> tags, Instant fetchedAt) {
    }

    // ---- list

    public Response list(Member member, Request request) {
        long account = member.account().id();
        return Response.json(member.read(dao -> {
            Map<String, List<String>> stale = dao.blocks().stale(account);
            Map<String, PublicationRequest> requests = dao.requests().all(account);
            Map<String, List<String>> tags = dao.library().tags(account);
            Map<String, Instant> fetched = dao.library().lastFetched(account);
            return new TemplateList(dao.templates().list(account).stream().map(template ->
                    new TemplateRow(template.id(), template.name(), template.subject(), template.state(), template.updatedAt(),
                            stale.getOrDefault(template.id(), List.of()), requests.get(template.id()),
                            tags.getOrDefault(template.id(), List.of()), fetched.get(template.id()))).toList(),
                    dao.trash().ids(account).size(), dao.storage().of(account));
        }));
    }

    /** Finds templates and shared blocks that contain all the words in {@code q}, including in names, IDs and tags. */
    public Response search(Member member, Request request) {
        List<String> given = request.parameters("q");
        if (given.size() != 1 || given.get(0) == null) {
            throw new Refusal("q", "A search requires exactly one q parameter");
        }
        SearchQuery query = SearchQuery.of(given.get(0));
        return Response.json(member.read(dao -> dao.library().search(member.account().id(), query)));
    }

    // ---- one template

    public Response show(Member member, Request request) {
        Account account = member.account();
        return Response.json(member.read(dao -> view(dao, account, request.id())));
    }

    /** Creates a template from a starter, as a copy of another, or empty. */
    public Response create(Member member, Request request) {
        Account account = member.account();
        Fields fields = request.form();
        String givenId = fields.text("id", "");
        String name = Validation.name(fields.text("name"));
        String copyOf = fields.text("copyOf", null);
        String starter = fields.text("starter", null);
        fields.end();
        String id = givenId.isEmpty() ? Validation.newId(random) : Validation.id("id", givenId);
        if (starter != null && copyOf != null) {
            throw new Refusal("copyOf", "Choose a starter or a template to copy, not both");
        }
        Draft draft = starter != null
                ? starters.draft(starter, id, name, () -> member.read(dao -> dao.brands().find(account.id())).orElse(Brand.DEFAULT))
                : copyOf != null ? copy(member, copyOf, id, name) : new Draft(id, name, "", new byte[0], Map.of());
        DraftText text = DraftText.of(draft);
        return Response.json(201, member.write(dao -> {
            if (dao.templates().exists(account.id(), id)) {
                throw new Refusal("id", "A template with the ID " + id + " already exists; choose another ID");
            }
            dao.trash().checkFree(account.id(), id);
            dao.templates().checkRoom(account.id());
            dao.templates().save(account.id(), id, name, text, draft.samples(), clock.instant());
            if (copyOf != null) {
                dao.details().find(account.id(), copyOf).ifPresent(details -> dao.details().set(account.id(), id, details));
                dao.mailClients().copy(account.id(), copyOf, id);
            }
            return view(dao, account, id);
        }));
    }

    /** @throws Refusal if there is no template with the ID {@code original} */
    private static Draft copy(Member member, String original, String id, String name) {
        return member.read(dao -> dao.templates().find(member.account().id(), original))
                .map(found -> new Draft(id, name, found.subject(), found.html(), found.samples()))
                .orElseThrow(() -> new Refusal("copyOf", "Template " + original + " not found"));
    }

    /**
     * @param taken whether the requested ID is not free; IDs in the trash are not
     * @param free  the requested ID if it is free, otherwise a similar free ID, or empty if none is found
     */
    record IdJson(boolean taken, String free) {
    }

    /** Checks whether an ID is in use, including by a template in the trash, and suggests a free one. */
    public Response suggestId(Member member, Request request) {
        String id = Validation.id("id", request.parameter("id"));
        String start = id.substring(0, Math.min(id.length(), MAX_ID_START));
        return Response.json(member.read(dao -> {
            long account = member.account().id();
            String free = Stream.concat(Stream.of(id), IntStream.range(2, MAX_IDS_TRIED).mapToObj(i -> start + "-" + i))
                    .filter(each -> !dao.templates().exists(account, each) && !dao.trash().has(account, each)).findFirst().orElse("");
            return new IdJson(!free.equals(id), free);
        }));
    }

    public Response save(Member member, Request request) {
        Account account = member.account();
        Fields fields = request.form();
        long revision = fields.number("revision");
        String subject = fields.text("subject");
        byte[] html = Validation.html(fields.text("html"));
        Samples samples = Samples.of(fields.texts("samples"), fields.text("defaultSamples", null));
        fields.end();
        DraftText text = DraftText.of(subject, html);
        return edit(member, request.id(), revision,
                dao -> dao.templates().save(account.id(), request.id(), null, text, samples, clock.instant()));
    }

    /** Renames a template; responds 409 if somebody else has renamed it since, unless the name is the same. */
    public Response rename(Member member, Request request) {
        Account account = member.account();
        Fields fields = request.form();
        String name = Validation.name(fields.text("name"));
        long revision = fields.number("revision");
        fields.end();
        return response(member, request.id(), RENAMED, () -> member.write(dao -> {
            TemplateDao.NamedTemplate stored = dao.templates().lastNaming(account.id(), request.id()).orElseThrow(Failure.NOT_FOUND::thrown);
            UnseenChange.throwIf(stored.revision() != revision && !stored.name().equals(name));
            dao.templates().rename(account.id(), request.id(), name, clock.instant());
            return view(dao, account, request.id());
        }));
    }

    record TagsJson(List<String> tags) {
    }

    /** Adds and removes tags. Sending only the changes preserves concurrent edits by others. */
    public Response changeTags(Member member, Request request) {
        Fields fields = request.form();
        List<String> added = fields.list("add").stream().map(String::strip).toList();
        List<String> removed = fields.list("remove");
        fields.end();
        return Response.json(new TagsJson(member.write(dao ->
                dao.library().changeTags(member.account().id(), request.id(), added, removed, clock.instant())
                        .orElseThrow(Failure.NOT_FOUND::thrown))));
    }

    /** Values in the form for a review request. @param note null if there is no request */
    record NoteJson(String note) {
    }

    /** Requests a review of a draft; responds 409 if that would replace another's request that the form did not show. */
    public Response requestReview(Member member, Request request) {
        Fields fields = request.form();
        String note = fields.text("note", "");
        Seen seen = Seen.of(fields);
        fields.end();
        long account = member.account().id();
        return changeRequest(member, request, dao -> {
            if (dao.templates().exists(account, request.id()) && isLive(dao, account, request.id())) {
                throw new Refusal("Nothing to review; the draft matches the live version");
            }
            dao.requests().find(account, request.id()).ifPresent(open ->
                    seen.check(new NoteJson(open.note()), new NoteJson(note), open.by(), open.at()));
            boolean exists = dao.requests().add(account, request.id(), note, clock.instant());
            if (exists && sendsMail) {
                dao.mails().addReviews(account, request.id(), clock.instant());
            }
            return exists;
        });
    }

    /** True if the draft, with the current shared blocks, equals the live version. */
    static boolean isLive(Dao dao, long account, String id) {
        return dao.templates().state(account, id) == State.PUBLISHED && dao.blocks().stale(account, id).isEmpty();
    }

    public Response withdraw(Member member, Request request) {
        return changeRequest(member, request, dao -> dao.requests().withdraw(member.account().id(), request.id(), clock.instant()));
    }

    /** @param change returns false if the template does not exist */
    private Response changeRequest(Member member, Request request, Predicate<Dao> change) {
        return Response.json(member.write(dao -> {
            Failure.NOT_FOUND.unless(change.test(dao));
            return view(dao, member.account(), request.id());
        }));
    }

    // ---- trash

    public Response delete(Member member, Request request) {
        Failure.NOT_FOUND.unless(member.write(dao -> dao.trash().delete(member.account().id(), request.id(), clock.instant())));
        return Response.none();
    }

    record TrashJson(List<Template.Deleted> templates) {
    }

    public Response deleted(Member member, Request request) {
        return Response.json(new TrashJson(member.read(dao -> dao.trash().list(member.account().id()))));
    }

    /** Restores a template from the trash unchanged, and returns it. */
    public Response restore(Member member, Request request) {
        Account account = member.account();
        TemplateViewJson restored = member.write(
                dao -> dao.trash().restorable(account.id(), request.id()).orElseThrow(Failure.NOT_FOUND::thrown),
                (dao, restorable) -> dao.trash().restore(account.id(), request.id(), restorable, clock.instant())
                        ? Optional.of(view(dao, account, request.id())) : Optional.empty());
        return Response.json(restored);
    }

    /** Permanently deletes a template that is in the trash. */
    public Response remove(Member member, Request request) {
        long account = member.account().id();
        member.change(dao -> {
            Failure.NOT_FOUND.unless(dao.trash().has(account, request.id()));
            dao.trash().remove(account, request.id(), clock.instant());
        });
        return Response.none();
    }

    /** Permanently deletes all templates in the trash, in batches. */
    public Response emptyTrash(Member member, Request request) {
        int removed;
        do {
            removed = member.write(dao -> dao.trash().empty(member.account().id(), TrashDao.STEP_ROWS, clock.instant()));
        } while (removed == TrashDao.STEP_ROWS);
        return Response.none();
    }

    // ---- shared with publishing

    /** Changes a template if {@code revision} is its newest revision; otherwise responds 409 with the newest draft. */
    Response edit(Member member, String id, long revision, Consumer<Dao> change) {
        return response(member, id, () -> member.write(dao -> {
            Account account = member.account();
            checkRevision(dao, account, id, revision);
            change.accept(dao);
            return view(dao, account, id);
        }));
    }

    /** Returns the changed template, or 409 with the newest draft if the revision is outdated. */
    Response response(Member member, String id, Supplier<TemplateViewJson> change) {
        return response(member, id, OUTDATED, change);
    }

    private static Response response(Member member, String id, String error, Supplier<TemplateViewJson> change) {
        return UnseenChange.response(error, change, () -> member.read(dao -> view(dao, member.account(), id)));
    }

    /** @throws UnseenChange if there is a newer revision */
    static void checkRevision(Dao dao, Account account, String id, long revision) {
        UnseenChange.check(dao.templates().revision(account.id(), id), revision);
    }

    static TemplateViewJson view(Dao dao, Account account, String id) {
        Template template = dao.templates().find(account.id(), id).orElseThrow(Failure.NOT_FOUND::thrown);
        VersionJson live = dao.versions().live(account.id(), id).map(version -> VersionJson.of(version, true)).orElse(null);
        TemplateDao.Saved saved = dao.templates().lastSave(account.id(), id).orElseThrow();
        List<AcceptedJson> accepted = AcceptedJson.of(dao, account.id(), id);
        TemplateDao.NamedTemplate named = dao.templates().lastNaming(account.id(), id).orElseThrow();
        return new TemplateViewJson(id, template.name(), named.revision(), named.by(), named.at(), template.subject(), Utf8.text(template.html()),
                template.samples().documents(), template.samples().defaultName(), dao.templates().state(account.id(), id),
                dao.blocks().stale(account.id(), id), template.createdAt(), template.updatedAt(), template.revision(),
                saved.by(), saved.at(), dao.requests().find(account.id(), id).orElse(null), live,
                dao.library().tags(account.id(), id).orElseThrow(), dao.requestLog().lastFetched(account.id(), id).orElse(null),
                dao.sources().find(account.id(), "template", id).orElse(null), accepted);
    }
}
