package stet.web;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import stet.core.Account;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Member;
import stet.core.Refusal;
import stet.core.SearchQuery;
import stet.core.Template.PublicationRequest;
import stet.core.TemplateSummary.State;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.store.Db;

/** The templates of an account as a list: their states and tags, and those that a search finds. */
public final class Library {
    private final Db db;
    private final Clock clock;

    Library(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    /** @param deleted number of templates in the trash */
    record TemplateList(List<TemplateRow> templates, int deleted) {
    }

    /**
     * @param stale     the shared blocks of which the live version has an older text
     * @param request   to publish it, or null
     * @param fetchedAt the time of the last request for it, or null
     */
    record TemplateRow(String id, String name, State state, Instant updatedAt, List<String> stale, PublicationRequest request,
                       List<String> tags, Instant fetchedAt) {
    }

    public Response list(Member member, Request request) {
        Account account = member.account();
        return Answer.json(Json.write(db.read(dao -> {
            Map<String, List<String>> stale = dao.blocks().stale(account.id());
            Map<String, PublicationRequest> requests = dao.desk().requests(account.id());
            Map<String, List<String>> tags = dao.library().tags(account.id());
            Map<String, Instant> fetched = dao.library().lastFetched(account.id());
            return new TemplateList(dao.templates(account.id()).stream().map(template ->
                    new TemplateRow(template.id(), template.name(), template.state(), template.updatedAt(),
                            stale.getOrDefault(template.id(), List.of()), requests.get(template.id()),
                            tags.getOrDefault(template.id(), List.of()), fetched.get(template.id()))).toList(),
                    dao.trash().ids(account.id()).size());
        })));
    }

    /** Finds templates whose name, id, tags, subject or html has all words of {@code q}. */
    public Response search(Member member, Request request) {
        List<String> given = request.parameters("q");
        if (given.size() != 1 || given.get(0) == null) {
            throw new Refusal("q", "A search needs one q");
        }
        SearchQuery query = SearchQuery.of(given.get(0));
        return Answer.json(Json.write(db.read(dao -> dao.library().search(member.account().id(), query))));
    }

    record TagsJson(List<String> tags) {
    }

    /** Adds and removes tags, so that two people who tag one template lose nothing. */
    public Response changeTags(Member member, Request request) {
        Account account = member.account();
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_DRAFT_BYTES));
        List<String> added = fields.list("add").stream().map(String::strip).toList();
        List<String> removed = fields.list("remove");
        fields.end();
        return Answer.json(Json.write(new TagsJson(db.write(member, dao ->
                dao.library().changeTags(account.id(), request.id(), added, removed, clock.instant())
                        .orElseThrow(Failure.NOT_FOUND::thrown)))));
    }
}
