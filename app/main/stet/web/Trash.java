package stet.web;

import java.time.Clock;
import java.util.List;
import java.util.Optional;
import stet.core.Account;
import stet.core.Json;
import stet.core.Log;
import stet.core.Member;
import stet.core.Template;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.store.Db;
import stet.store.TrashDao;
import stet.web.Authoring.TemplateJson;

/** The trash of an account: its deleted templates are listed, restored, and deleted for good. */
public final class Trash {
    private final Db db;
    private final Clock clock;
    private final Authoring authoring;

    Trash(Db db, Clock clock, Authoring authoring) {
        this.db = db;
        this.clock = clock;
        this.authoring = authoring;
    }

    record TrashList(List<Template.Deleted> templates) {
    }

    public Response list(Member member, Request request) {
        return Answer.json(Json.write(new TrashList(db.read(dao -> dao.trash().list(member.account().id())))));
    }

    /** Answers with the template, which is as it was. */
    public Response restore(Member member, Request request) {
        Account account = member.account();
        TemplateJson restored = db.write(member,
                dao -> dao.trash().restorable(account.id(), request.id()).orElseThrow(Failure.NOT_FOUND::thrown),
                (dao, restorable) -> dao.trash().restore(account.id(), request.id(), restorable, clock.instant())
                        ? Optional.of(Authoring.template(dao, account, request.id())) : Optional.empty());
        log("template-restored", member, request.id());
        return authoring.shown(200, account, restored);
    }

    /** Deletes one for good. */
    public Response remove(Member member, Request request) {
        if (!db.write(member, dao -> dao.trash().has(member.account().id(), request.id())
                && dao.trash().remove(member.account().id(), request.id(), clock.instant()))) {
            throw Failure.NOT_FOUND.thrown();
        }
        log("template-removed", member, request.id());
        return Answer.none();
    }

    /** Deletes all for good, in steps. */
    public Response empty(Member member, Request request) {
        int all = 0;
        int removed;
        do {
            removed = db.write(member, dao -> dao.trash().empty(member.account().id(), TrashDao.STEP_ROWS, clock.instant()));
            all += removed;
        } while (removed == TrashDao.STEP_ROWS);
        Log.info("trash-emptied", "account", member.account().name(), "templates", all, "person", member.person().email());
        return Answer.none();
    }

    private static void log(String event, Member member, String template) {
        Log.info(event, "account", member.account().name(), "template", template, "person", member.person().email());
    }
}
