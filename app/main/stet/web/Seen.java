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
     * @param now    the stored values, as the form sends them
     * @param wanted the new values
     * @param kinds  the activity that records changes of this setting
     * @throws Failure.Thrown if the stored values are neither those that the form showed nor the new ones
     */
    void check(Dao dao, long account, Object now, Object wanted, ActivityKind... kinds) {
        if (isOutdated(now, wanted)) {
            Optional<ActivityDao.Change> last = dao.activity().last(account, List.of(kinds));
            throw outdated(now, last.map(ActivityDao.Change::actor).orElse(null), last.map(ActivityDao.Change::at).orElse(null));
        }
    }

    /** Like the other {@code check}, for a setting that records itself who changed it last, and when. */
    void check(Object now, Object wanted, String by, Instant at) {
        if (isOutdated(now, wanted)) {
            throw outdated(now, by, at);
        }
    }

    private static Failure.Thrown outdated(Object now, String by, Instant at) {
        return Failure.SETTING_CHANGED.thrown(new Theirs(now, by, at));
    }

    private boolean isOutdated(Object now, Object wanted) {
        return json != null && !now.equals(wanted) && !json.equals(Json.tree(Utf8.text(Json.write(now))));
    }
}
