package stet.web;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.base.Fields;
import stet.base.Json;
import stet.base.Utf8;
import stet.core.Activity.ActivityKind;
import stet.dao.ActivityDao;
import stet.dao.Dao;
import stet.http.Failure;

/**
 * The values of a setting that a form showed. Forms send these values as {@code seen}, so that users do not overwrite changes that they have
 * not seen.
 *
 * @param json null if the request does not say
 */
record Seen(JsonNode json) {
    /**
     * @param value the current values
     * @param by    name of the user who changed them last; null, like {@code at}, if not recorded
     */
    record Theirs(Object value, String by, Instant at) {
    }

    static Seen of(Fields fields) {
        return new Seen(fields.tree("seen"));
    }

    /**
     * @param stored the stored values, as the form sends them
     * @param wanted the new values
     * @param kinds  the activity that records changes of this setting
     * @throws Failure.Thrown if the stored values are neither those that the form showed nor the new ones
     */
    void check(Dao dao, long account, Object stored, Object wanted, ActivityKind... kinds) {
        if (isOutdated(stored, wanted)) {
            Optional<ActivityDao.Change> last = dao.activity().last(account, List.of(kinds));
            throw outdated(stored, last.map(ActivityDao.Change::actor).orElse(null), last.map(ActivityDao.Change::at).orElse(null));
        }
    }

    /** Like the other {@code check}, for a setting that records itself who changed it last, and when. */
    void check(Object stored, Object wanted, String by, Instant at) {
        if (isOutdated(stored, wanted)) {
            throw outdated(stored, by, at);
        }
    }

    private static Failure.Thrown outdated(Object stored, String by, Instant at) {
        return Failure.SETTING_CHANGED.thrown(new Theirs(stored, by, at));
    }

    private boolean isOutdated(Object stored, Object wanted) {
        return json != null && !stored.equals(wanted) && !json.equals(Json.tree(Utf8.text(Json.write(stored))));
    }
}
