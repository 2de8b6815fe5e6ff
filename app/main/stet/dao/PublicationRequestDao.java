package stet.dao;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import stet.core.Activity.ActivityKind;
import stet.core.Template.PublicationRequest;
import stet.core.Validation;

/** Open requests to publish a draft. */
public final class PublicationRequestDao {
    private static final String REQUEST = "coalesce(requested_by, '') as by, requested_at as at, request_note as note,"
            + " saved_at > requested_at as saved_since";

    private final Sql sql;
    private final Dao dao;

    PublicationRequestDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /** Requests the publication of a draft, replacing any earlier request. @return whether the template exists */
    public boolean add(long account, String id, String note, Instant now) {
        boolean exists = sql.update("""
                update templates
                set requested_at = ?3, requested_by = ?4, request_note = ?5
                where account_id = ?1 and id = ?2 and deleted_at is null
                """, account, id, now, dao.author().name(), Validation.note(note)) > 0;
        if (exists) {
            dao.activity().addOnce(account, ActivityKind.REVIEW_REQUESTED, id, note, now);
        }
        return exists;
    }

    /** Withdraws the request, if there is one. @return whether the template exists */
    public boolean withdraw(long account, String id, Instant now) {
        if (find(account, id).isEmpty()) {
            return dao.templates().exists(account, id);
        }
        end(account, dao.templates().row(account, id));
        dao.activity().addOnce(account, ActivityKind.REVIEW_REQUEST_WITHDRAWN, id, "", now);
        return true;
    }

    /** Removes a request, if there is one, without recording it. @param template the template's row number */
    void end(long account, long template) {
        sql.update("""
                update templates
                set requested_at = null, requested_by = null, request_note = null
                where account_id = ? and row = ? and deleted_at is null and requested_at is not null
                """, account, template);
    }

    public Optional<PublicationRequest> find(long account, String id) {
        return sql.first(PublicationRequest.class, """
                select %s from templates
                where account_id = ? and id = ? and deleted_at is null and requested_at is not null
                """.formatted(REQUEST), account, id);
    }

    /** An account's requests by template ID. */
    public Map<String, PublicationRequest> all(long account) {
        Map<String, PublicationRequest> requests = new HashMap<>();
        sql.list("""
                select id, %s from templates
                where account_id = ? and deleted_at is null and requested_at is not null
                """.formatted(REQUEST), row -> requests.put(row.text("id"), row.as(PublicationRequest.class)), account);
        return requests;
    }
}
