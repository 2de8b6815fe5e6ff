package stet.web;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import stet.access.Member;
import stet.base.Fields;
import stet.base.Refusal;
import stet.core.Activity.ActivityKind;
import stet.dao.Dao;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.markup.ClientSupport;

/**
 * The mail clients selected for an account, and the features that its templates may use even if some of these clients do not
 * support them.
 */
public final class MailClients {
    private final Clock clock;

    MailClients(Clock clock) {
        this.clock = clock;
    }

    /** @param date when the data about mail clients last changed */
    record ClientsJson(String version, String date, List<ClientJson> clients) {
    }

    record ClientJson(String id, String name, boolean chosen) {
    }

    /** An accepted feature. @param by name of the user who accepted the feature */
    record AcceptedJson(String id, String title, String by, Instant at) {
        static List<AcceptedJson> of(Dao dao, long account, String template) {
            return dao.mailClients().accepted(account, template).stream().map(each ->
                    new AcceptedJson(each.feature(), ClientSupport.table().title(each.feature()), each.by(), each.at())).toList();
        }
    }

    record AcceptedList(List<AcceptedJson> accepted) {
    }

    /** The chosen clients, as the form sends them. */
    private record Choice(List<String> clients) {
        /** The known clients among these IDs, in the table's order. */
        static Choice of(List<String> ids) {
            return new Choice(ClientSupport.table().clients().stream().map(ClientSupport.MailClient::id).filter(ids::contains).toList());
        }
    }

    public Response list(Member member, Request request) {
        ClientSupport support = ClientSupport.table();
        List<String> chosen = member.read(dao -> dao.mailClients().chosen(member.account().id()));
        return Response.json(new ClientsJson(support.version(), support.date(), support.clients().stream().map(client ->
                new ClientJson(client.id(), client.name(), chosen.contains(client.id()))).toList()));
    }

    public Response choose(Member member, Request request) {
        Fields fields = request.form();
        List<String> given = fields.list("clients");
        Seen seen = Seen.of(fields);
        fields.end();
        Choice choice = Choice.of(given);
        given.stream().filter(id -> !choice.clients.contains(id)).findFirst().ifPresent(id -> {
            throw new Refusal("clients", "Unknown mail client " + id);
        });
        if (choice.clients.isEmpty()) {
            throw new Refusal("clients", "Choose at least one mail client");
        }
        long account = member.account().id();
        member.change(dao -> {
            seen.check(dao, account, Choice.of(dao.mailClients().chosen(account)), choice, ActivityKind.MAIL_CLIENTS_CHANGED);
            dao.mailClients().choose(account, choice.clients, clock.instant());
        });
        return list(member, request);
    }

    /**
     * Adds and removes accepted features. The request contains only the changes, so that concurrent edits by others are preserved. The
     * feature table limits the number of accepted features.
     */
    public Response accept(Member member, Request request) {
        Fields fields = request.form();
        List<String> added = fields.list("add");
        List<String> removed = fields.list("remove");
        fields.end();
        added.stream().filter(id -> !ClientSupport.table().isFeature(id)).findFirst().ifPresent(id -> {
            throw new Refusal("add", "Unknown feature " + id);
        });
        long account = member.account().id();
        return Response.json(new AcceptedList(member.write(dao -> {
            Failure.NOT_FOUND.unless(dao.mailClients().accept(account, request.id(), added, removed, clock.instant()));
            return AcceptedJson.of(dao, account, request.id());
        })));
    }
}
