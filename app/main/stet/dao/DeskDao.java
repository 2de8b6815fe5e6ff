package stet.dao;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import stet.core.Activity.Kind;
import stet.core.Template.PublicationRequest;
import stet.core.Validation;

/** The last save of a draft or shared block, and the requests to publish drafts. */
public final class DeskDao {
    private static final String REQUEST = "coalesce(requested_by, '') as by, requested_at as at, request_note as note,"
            + " saved_at > requested_at as saved_since";

    private final Sql sql;
    private final Dao dao;

    DeskDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /** @param by name of the person at that time, or null where nobody was recorded. @param at null before it was recorded */
    public record Saved(long revision, String by, Instant at) {
    }

    public Optional<Saved> template(long account, String id) {
        return sql.first(Saved.class, """
                select revision, saved_by as by, saved_at as at from templates
                where account_id = ? and id = ? and deleted_at is null
                """, account, id);
    }

    public Optional<Saved> block(long account, String name) {
        return sql.first(Saved.class, """
                select revision, saved_by as by, updated_at as at from blocks
                where account_id = ? and name = ?
                """, account, name);
    }

    // ---- requests to publish

    /** Asks for the publication of a draft, instead of an earlier request. @return whether there is such a template */
    public boolean request(long account, String id, String note, Instant now) {
        boolean exists = sql.update("""
                update templates
                set requested_at = ?3, requested_by = ?4, request_note = ?5
                where account_id = ?1 and id = ?2 and deleted_at is null
                """, account, id, now, dao.author().name(), Validation.note(note)) > 0;
        if (exists) {
            dao.activity().addOnce(account, Kind.PUBLICATION_REQUESTED, id, note, now);
        }
        return exists;
    }

    /** Withdraws the request. @return whether there is such a template */
    public boolean withdraw(long account, String id, Instant now) {
        if (request(account, id).isEmpty()) {
            return dao.hasTemplate(account, id);
        }
        endRequest(account, dao.row(account, id));
        dao.activity().add(account, Kind.REQUEST_WITHDRAWN, id, "", now);
        return true;
    }

    void endRequest(long account, long template) {
        sql.update("""
                update templates
                set requested_at = null, requested_by = null, request_note = null
                where account_id = ? and row = ? and deleted_at is null and requested_at is not null
                """, account, template);
    }

    public Optional<PublicationRequest> request(long account, String id) {
        return sql.first(PublicationRequest.class, """
                select %s from templates
                where account_id = ? and id = ? and deleted_at is null and requested_at is not null
                """.formatted(REQUEST), account, id);
    }

    public Map<String, PublicationRequest> requests(long account) {
        Map<String, PublicationRequest> requests = new HashMap<>();
        sql.list("""
                select id, %s from templates
                where account_id = ? and deleted_at is null and requested_at is not null
                """.formatted(REQUEST), row -> requests.put(row.text("id"), row.as(PublicationRequest.class)), account);
        return requests;
    }
}
