package stet.web;

import java.time.Clock;
import java.util.List;
import java.util.function.Predicate;
import stet.access.Member;
import stet.dao.CommentDao.Comment;
import stet.dao.CommentDao.NewComment;
import stet.dao.Dao;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;

/**
 * Comments on a template by the account's members; guests comment through {@link Reviews}. Each response lists all comments.
 */
public final class Comments {
    private final Clock clock;

    Comments(Clock clock) {
        this.clock = clock;
    }

    /** @param revision the draft's revision, to which the comments' places refer */
    record CommentsJson(long revision, List<Comment> comments) {
    }

    public Response list(Member member, Request request) {
        return member.read(dao -> listed(dao, member, request));
    }

    private static Response listed(Dao dao, Member member, Request request) {
        long account = member.account().id();
        long revision = dao.templates().revision(account, request.id()).orElseThrow(Failure.NOT_FOUND::thrown);
        return Response.json(new CommentsJson(revision, dao.comments().list(account, request.id())));
    }

    /** @param change returns false if the comment does not exist */
    private static Response changed(Member member, Request request, Predicate<Dao> change) {
        return member.write(dao -> {
            Failure.NOT_FOUND.unless(change.test(dao));
            return listed(dao, member, request);
        });
    }

    /** Adds a comment on the draft, or a reply. */
    public Response add(Member member, Request request) {
        NewComment comment = request.form(fields -> NewComment.byMember(fields.number("replyTo", null), fields.text("text")));
        return changed(member, request, dao ->
                dao.comments().add(member.account().id(), request.id(), comment, clock.instant()));
    }

    /** Resolves a comment or, with {@code "resolved": false}, reopens it. */
    public Response resolve(Member member, Request request) {
        boolean isResolved = request.form(fields -> fields.flag("resolved", true));
        return changed(member, request, dao ->
                dao.comments().resolve(member.account().id(), request.id(), request.number(), isResolved, clock.instant()));
    }

    public Response delete(Member member, Request request) {
        return changed(member, request, dao -> dao.comments().delete(member.account().id(), request.id(), request.number(), clock.instant()));
    }
}
