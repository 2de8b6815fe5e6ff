package stet.web;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import stet.access.Member;
import stet.core.Activity.ActivityKind;
import stet.core.Activity;
import stet.dao.ActivityDao;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;

/** An account's activity log. Owners see all entries, with IP addresses; editors see only entries about templates and shared blocks. */
public final class ActivityPage {
    private static final int PAGE_ROWS = 50;

    /**
     * @param before cursor of the next page; null on the last page
     * @param users  users to filter by
     * @param kinds  sentence by kind, in order
     */
    record ActivityList(List<Activity> rows, Long before, List<UserRow> users, Map<String, String> kinds) {
    }

    record UserRow(long id, String name) {
    }

    public Response list(Member member, Request request) {
        String kind = request.parameter("kind");
        String subject = request.parameter("subject");
        Long user = number(request, "user");
        Long before = number(request, "before");
        return member.read(dao -> {
            boolean isOwner = member.isOwner(dao);
            List<ActivityKind> shown = Arrays.stream(ActivityKind.values())
                    .filter(each -> each.isContent() || (isOwner && each.isOfAccount())).toList();
            ActivityDao.Filter filter = new ActivityDao.Filter(user, subject.isEmpty() ? null : subject,
                    shown.stream().filter(each -> kind.isEmpty() || each.word().equals(kind)).toList());
            ActivityDao.Page page = dao.activity().page(member.account().id(), filter,
                    before == null ? Long.MAX_VALUE : before, PAGE_ROWS);
            return Response.json(new ActivityList(isOwner ? page.rows() : page.rows().stream().map(Activity::withoutAddress).toList(),
                    page.before() == 0 ? null : page.before(),
                    dao.members().list(member.account().id()).stream()
                            .map(each -> new UserRow(each.user().id(), each.user().label())).toList(), sentences(shown)));
        });
    }

    private static Map<String, String> sentences(List<ActivityKind> kinds) {
        Map<String, String> sentences = new LinkedHashMap<>();
        kinds.forEach(kind -> sentences.put(kind.word(), kind.sentence));
        return sentences;
    }

    /** A parameter of at most 18 digits; null if missing or empty. @throws Failure.Thrown for anything else */
    static Long number(Request request, String name) {
        String value = request.parameter(name);
        Failure.BAD_REQUEST.unless(value.matches("[0-9]{0,18}"));
        return value.isEmpty() ? null : Long.valueOf(value);
    }
}
