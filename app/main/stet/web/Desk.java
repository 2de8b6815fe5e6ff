package stet.web;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import stet.core.Member;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.store.Dao;
import stet.store.Db;
import stet.store.DeskDao;

/** People at one draft or shared block: who has it open, who saved it last, and who asks for its publication. */
public final class Desk {
    private final Db db;
    private final Clock clock;
    private final Authoring authoring;
    private final Presence presence = new Presence();

    public Desk(Db db, Clock clock, Authoring authoring) {
        this.db = db;
        this.clock = clock;
        this.authoring = authoring;
    }

    /** The newest revision with its author, and the others who have the text open. */
    record PresenceJson(long revision, String savedBy, Instant savedAt, List<Presence.Other> others) {
    }

    /** Answers an open page, which asks by itself; writes nothing. */
    public Response template(Member member, Request request) {
        return present(member, request, "template", dao -> dao.desk().template(member.account().id(), request.id()));
    }

    public Response block(Member member, Request request) {
        return present(member, request, "block", dao -> dao.desk().block(member.account().id(), request.id()));
    }

    private Response present(Member member, Request request, String kind, Function<Dao, Optional<DeskDao.Saved>> newest) {
        boolean dirty = request.form(fields -> fields.flag("dirty", false));
        DeskDao.Saved saved = db.read(newest).orElseThrow(Failure.NOT_FOUND::thrown);
        List<Presence.Other> others = presence.note(member, kind, request.id(), dirty, clock.instant());
        return Answer.json(new PresenceJson(saved.revision(), saved.by(), saved.at(), others));
    }

    /** Asks for the publication of a draft. */
    public Response ask(Member member, Request request) {
        String note = request.form(fields -> fields.text("note", ""));
        return change(member, request, dao -> dao.desk().request(member.account().id(), request.id(), note, clock.instant()));
    }

    public Response withdraw(Member member, Request request) {
        return change(member, request, dao -> dao.desk().withdraw(member.account().id(), request.id(), clock.instant()));
    }

    /** @param change tells whether there is such a template */
    private Response change(Member member, Request request, Function<Dao, Boolean> change) {
        return authoring.shown(200, member.account(), db.write(member, dao -> {
            if (!change.apply(dao)) {
                throw Failure.NOT_FOUND.thrown();
            }
            return Authoring.template(dao, member.account(), request.id());
        }));
    }
}
