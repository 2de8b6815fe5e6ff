package stet.dao;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import stet.base.Amount;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Activity.ActivityKind;
import stet.core.Validation;
import stet.markup.MovedPlaces;

/** Comments and replies on drafts and versions, by members and by guests with a review link. */
public final class CommentDao {
    /** Maximum number of comments and replies per template. */
    public static final int MAX = 500;
    /** Maximum number of guests' comments per template, so that guests cannot keep members from commenting. */
    public static final int MAX_OF_GUESTS = 300;
    /** Maximum number of comments by the guests of one review link, so that they cannot keep the guests of other links from commenting. */
    public static final int MAX_OF_LINK = 100;
    /** Maximum size of a comment in bytes of UTF-8. */
    public static final int BYTES = 2_048;
    /** Maximum length of a quote in UTF-16 code units. */
    public static final int QUOTE_LENGTH = 200;

    private final Sql sql;
    private final Dao dao;

    CommentDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /**
     * A comment to add.
     *
     * @param number   the version's number, or null for the draft; a member's reply always gets its parent's number, but a
     *                 guest's reply must specify that number
     * @param replyTo  ID of the comment to reply to, or null
     * @param guest    whether the author is a guest with an unverified name
     * @param by       the guest's name; ignored for a member, who is the transaction's author
     * @param quote    the preview text that the comment is about, or empty
     * @param source   the source of the quote, or null
     * @param link     ID of the guest's review link; null for a member
     */
    public record NewComment(Integer number, Long replyTo, boolean guest, String by, String quote, SourcePlace source, String text, Long link) {
        /**
         * A member's comment on the draft.
         *
         * @param replyTo ID of the comment that it answers, or null
         */
        public static NewComment byMember(Long replyTo, String text) {
            return new NewComment(null, replyTo, false, "", "", null, text, null);
        }

        /** A guest's comment, still without a review link; see {@link #through}. @param source the source of the quote, or null */
        public static NewComment byGuest(String name, Long replyTo, String quote, SourcePlace source, String text) {
            return new NewComment(null, replyTo, true, name, quote, source, text, null);
        }

        /** @throws Refusal if the text is blank, or if the text or quote is too long or not valid Unicode, or if the text has control characters */
        public NewComment {
            int bytes = Utf8.encode(text).length;
            if (Validation.trimmed(text).isEmpty()) {
                throw new Refusal("text", "Enter a comment");
            }
            if (bytes > BYTES) {
                throw new Refusal("text", "The comment is " + bytes + " bytes; the limit is " + BYTES + " (2 KiB)");
            }
            Validation.checkLines("text", "comment", text);
            Utf8.encode(quote);
            if (quote.length() > QUOTE_LENGTH) {
                throw new Refusal("quote", "The quote is " + quote.length() + " characters; the limit is " + QUOTE_LENGTH);
            }
        }

        /** Returns a copy made with a review link. @param version the version that the link shows, or null for the draft */
        public NewComment through(long reviewLink, Integer version) {
            return new NewComment(version, replyTo, guest, by, quote, source, text, reviewLink);
        }
    }

    /**
     * The source of a quote in a draft's HTML, in UTF-16 code units.
     *
     * @param end      index after the last char
     * @param revision revision of the draft
     */
    public record SourcePlace(long start, long end, long revision) {
        /** @throws Refusal if the place is empty or ends before its start */
        public SourcePlace {
            if (end <= start) {
                throw new Refusal("placeEnd", "The place must end after its start");
            }
        }
    }

    /**
     * A stored comment.
     *
     * @param place      start of the quote's source in the draft, or null
     * @param lost       whether the quote's source was not found again after an edit
     * @param resolvedAt null if unresolved
     */
    public record Comment(long id, Integer number, Long replyTo, boolean guest, String by, Instant at, String quote, Long place, Long placeEnd,
                          boolean lost, String text, String resolvedBy, Instant resolvedAt) {
    }

    /** A template's comments and replies, oldest first. */
    public List<Comment> list(long account, String id) {
        return sql.list(Comment.class, """
                select id, number, reply_to, by_guest as guest, written_by as by, written_at as at, quote, place, place_end, lost, text,
                  resolved_by, resolved_at
                from comments
                where template = ?
                order by id
                """, dao.templates().row(account, id));
    }

    /** Comments on the draft or on one version. @param number the version's number, or null for the draft */
    public List<Comment> list(long account, String id, Integer number) {
        return list(account, id).stream().filter(each -> Objects.equals(each.number, number)).toList();
    }

    /**
     * Adds a comment.
     *
     * @return false if the template does not exist
     * @throws Refusal if the author has no {@linkplain MemberDao#room room} among the template's {@link #MAX} comments, if the guests' or the
     *                 link's share is used up, or if the comment to reply to does not exist, is itself a reply or, if the author is a
     *                 guest, belongs to a different version
     */
    public boolean add(long account, String id, NewComment given, Instant now) {
        long template = dao.templates().row(account, id);
        if (template == 0) {
            return false;
        }
        checkRoom(account, template, given);
        if (given.replyTo != null) {
            checkParent(template, given);
        }
        SourcePlace source = given.number == null ? given.source : null;
        // After a save, the text that was at the place is unknown.
        boolean isLost = source != null && dao.templates().revision(account, id).orElse(-1L) != source.revision;
        SourcePlace place = isLost ? null : source;
        sql.update("""
                insert into comments (account_id, template, number, reply_to, by_guest, written_by, written_at, quote, place, place_end, lost,
                  text, review_link)
                select ?1, ?2, iif(?4 is null, ?3, (select number from comments where id = ?4)), ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
                """, account, template, given.number, given.replyTo, given.guest,
                given.guest ? given.by : dao.author().name(), now, given.quote, place == null ? null : place.start,
                place == null ? null : place.end, isLost, given.text, given.link);
        if (!given.guest) {
            dao.activity().addOnce(account, ActivityKind.COMMENT_ADDED, id, "", now);
        }
        return true;
    }

    private void checkRoom(long account, long template, NewComment given) {
        long room = given.guest ? MemberDao.roomOfWriters(MAX) : dao.members().room(account, MAX);
        if (sql.number("select count(*) from comments where template = ?", template) >= room) {
            throw new Refusal("text", "Comment limit " + MemberDao.reachedText(room, MAX) + "; delete comments first");
        }
        if (given.guest) {
            checkShares(template, given.link);
        }
    }

    private void checkShares(long template, Long link) {
        if (sql.number("select count(*) from comments where template = ? and review_link = ?", template, link) >= MAX_OF_LINK) {
            throw new Refusal("text", "This link has reached its limit of " + MAX_OF_LINK + " comments; ask for a new link");
        }
        if (sql.number("select count(*) from comments where template = ? and by_guest = 1", template) >= MAX_OF_GUESTS) {
            throw new Refusal("text", "Reviewers' comment limit reached (" + MAX_OF_GUESTS
                    + "); ask whoever sent you this link to delete comments");
        }
    }

    private void checkParent(long template, NewComment reply) {
        boolean isAllowed = sql.exists("""
                select 1 from comments
                where id = ? and template = ? and reply_to is null and (not ? or number is ?)
                """, reply.replyTo, template, reply.guest, reply.number);
        if (!isAllowed) {
            throw new Refusal("replyTo", "This comment does not exist or cannot be replied to; reload the page");
        }
    }

    /** Whether a template has comments with a place in its draft. */
    boolean hasPlaces(long template) {
        return sql.exists("""
                select 1 from comments
                where template = ? and place is not null
                """, template);
    }

    private record PlacedComment(long id, long place, long placeEnd) {
    }

    /** Moves the comments' places after an edit of the draft's HTML; those that cannot be found again are lost. */
    void move(long template, String before, String after) {
        MovedPlaces moved = new MovedPlaces(before, after);
        for (PlacedComment each : sql.list(PlacedComment.class, """
                select id, place, place_end from comments
                where template = ? and place is not null
                """, template)) {
            MovedPlaces.Place found = moved.find((int) each.place, (int) each.placeEnd);
            if (found == null || found.start() != each.place) {
                sql.update("""
                        update comments
                        set place = ?2, place_end = ?3, lost = ?2 is null
                        where id = ?1
                        """, each.id, found == null ? null : found.start(), found == null ? null : found.end());
            }
        }
    }

    /** Deletes the comments by the guests of a review link, and the replies to them. */
    void deleteByGuests(long account, String id, long link, Instant now) {
        int deleted = sql.update("""
                delete from comments
                where template = ? and review_link = ?
                """, dao.templates().row(account, id), link);
        if (deleted > 0) {
            dao.activity().addOnce(account, ActivityKind.COMMENT_DELETED, id, Amount.of(deleted, "comment") + " by guests of a review link", now);
        }
    }

    /** Resolves or reopens a comment. @return false if the template does not have this comment, or if it is a reply */
    public boolean resolve(long account, String id, long comment, boolean isResolved, Instant now) {
        return sql.update("""
                update comments
                set resolved_by = ?3, resolved_at = ?4
                where template = ?1 and id = ?2 and reply_to is null
                """, dao.templates().row(account, id), comment, isResolved ? dao.author().name() : null, isResolved ? now : null) > 0;
    }

    /** Deletes a comment and its replies. @return whether the template had this comment */
    public boolean delete(long account, String id, long comment, Instant now) {
        boolean existed = sql.update("""
                delete from comments
                where template = ? and id = ?
                """, dao.templates().row(account, id), comment) > 0;
        if (existed) {
            dao.activity().addOnce(account, ActivityKind.COMMENT_DELETED, id, "", now);
        }
        return existed;
    }
}
