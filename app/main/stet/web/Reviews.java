package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import stet.access.Member;
import stet.access.Sessions;
import stet.access.SignInAttempts;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Owner;
import stet.core.PreviewedEmail;
import stet.core.Samples;
import stet.core.Template;
import stet.core.Validation;
import stet.core.Version;
import stet.dao.CommentDao.Comment;
import stet.dao.CommentDao.NewComment;
import stet.dao.CommentDao.SourcePlace;
import stet.dao.Dao;
import stet.dao.ReviewDao.ReviewLink;
import stet.dao.ReviewDao.Reviewed;
import stet.http.Response;
import stet.http.RouteResult;
import stet.http.Failure;
import stet.http.Request;
import stet.markup.Publisher;
import stet.markup.Sampler;
import stet.markup.SourceMap;
import stet.sqlite.Db;
import stet.web.Drafts.MailJson;

/**
 * Review links, which let guests without an account read and comment on a draft or version. The secret is in the URL fragment, which
 * browsers never send, and in the body of guests' requests. A wrong secret counts as a failed sign-in attempt from the client's address.
 */
public final class Reviews {
    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final URI baseUrl;
    private final Sessions sessions;
    private final Previews previews;

    Reviews(Db db, Clock clock, RandomGenerator random, URI baseUrl, Sessions sessions, Previews previews) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.baseUrl = baseUrl;
        this.sessions = sessions;
        this.previews = previews;
    }

    // ---- for members

    /** @param url contains the secret, which cannot be shown again */
    record MadeJson(String url, @JsonUnwrapped ReviewLink link) {
    }

    record ReviewLinkList(List<ReviewLink> links) {
    }

    record CommentList(List<Comment> comments) {
    }

    public Response list(Member member, Request request) {
        long account = member.account().id();
        return Response.json(new ReviewLinkList(member.read(dao -> {
            Failure.NOT_FOUND.unless(dao.templates().exists(account, request.id()));
            return dao.reviews().list(account, request.id(), clock.instant());
        })));
    }

    /** Creates a link that always shows the current draft. */
    public Response create(Member member, Request request) {
        return create(member, request, null);
    }

    public Response createOfVersion(Member member, Request request) {
        return create(member, request, Publishing.number(request));
    }

    /** @param number the version's number, or null for the current draft */
    private Response create(Member member, Request request, Integer number) {
        long account = member.account().id();
        String secret = Secret.newLink(random);
        return Response.json(201, member.write(dao -> {
            Failure.NOT_FOUND.unless(number == null || dao.versions().find(account, request.id(), number).isPresent());
            ReviewLink link = dao.reviews().add(account, request.id(), number, clock.instant(), secret).orElseThrow(Failure.NOT_FOUND::thrown);
            return new MadeJson(baseUrl + "/review#" + secret, link);
        }));
    }

    /** Revokes a link; with {@code comments=true}, also deletes the comments by its guests. */
    public Response revoke(Member member, Request request) {
        boolean withComments = request.parameter("comments").equals("true");
        Failure.NOT_FOUND.unless(member.write(dao ->
                dao.reviews().revoke(member.account().id(), request.id(), request.number(), withComments, clock.instant())));
        return Response.none();
    }

    // ---- for guests

    /**
     * Data shown to a guest.
     *
     * @param number   version number, or null for the draft
     * @param revision the draft's revision, or null for a version or preview
     * @param pushed   the name under which a preview was pushed; otherwise null
     * @param samples  names of the test data sets, without their content
     * @param hasLive  whether there is a live version to compare the text with
     * @param compared null unless the guest compares the text with the live version
     * @param comments null for a preview
     */
    record ReviewJson(String name, Integer number, @JsonInclude(JsonInclude.Include.NON_NULL) Long revision,
                      @JsonInclude(JsonInclude.Include.NON_NULL) String pushed, String madeBy, Instant expiresAt, String subject,
                      List<String> samples, String chosen, boolean hasLive, @JsonUnwrapped Previews.Marked preview,
                      @JsonUnwrapped ComparedMails compared, @JsonInclude(JsonInclude.Include.NON_NULL) List<Comment> comments) {
    }

    /**
     * @param shown       the displayed text
     * @param live        the live version; null if there is none
     * @param livePreview URL path of the live version with test data; null like {@code live}
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record ComparedMails(MailJson shown, MailJson live, String livePreview) {
    }

    /** The guest with this link, whose heavy work has a queue of its own, so that guests cannot block the account's members. */
    private static Owner guest(Reviewed reviewed, String secret) {
        return Owner.guest(reviewed.accountId(), "link " + HexFormat.of().formatHex(Secret.sha256(secret)));
    }

    /**
     * Shows a guest what a link shows.
     *
     * @param turns runs heavy work, one task at a time for an account's guests
     */
    public RouteResult open(Request request, BiFunction<Owner, Supplier<RouteResult>, RouteResult> turns) {
        sessions.checkHost(request);
        Fields fields = request.form();
        String secret = fields.text("secret");
        String chosen = fields.text("chosen", null);
        boolean compares = fields.flag("compare", false);
        fields.end();
        Reviewed reviewed = opened(request, secret);
        sessions.attempts.countGuest(sessions.address(request));
        return turns.apply(guest(reviewed, secret), () -> db.read(dao -> Response.json(show(dao, found(dao, secret), chosen, compares))));
    }

    /**
     * Adds a guest's comment or reply. Returns all comments that the guest can see.
     *
     * @param turns as for {@link #open}
     */
    public RouteResult comment(Request request, BiFunction<Owner, Supplier<RouteResult>, RouteResult> turns) {
        sessions.checkHost(request);
        Fields fields = request.form();
        String secret = fields.text("secret");
        String name = Validation.userName(fields.text("name"));
        if (name.isEmpty()) {
            throw new Refusal("name", "Enter your name");
        }
        NewComment given = NewComment.byGuest(name, fields.number("replyTo", null), fields.text("quote", ""), place(fields), fields.text("text"));
        fields.end();
        Reviewed opened = opened(request, secret);
        Account account = db.read(dao -> dao.accounts().find(opened.accountId())).orElseThrow();
        sessions.attempts.countComment(sessions.address(request));
        return turns.apply(guest(opened, secret), () -> Response.json(201, new CommentList(db.write(account, dao -> {
            Reviewed reviewed = requireTemplate(found(dao, secret));
            dao.comments().add(account.id(), reviewed.id(), given.through(reviewed.link(), reviewed.number()), clock.instant());
            return dao.comments().list(account.id(), reviewed.id(), reviewed.number());
        }))));
    }

    /** The text that a guest's secret opens. A wrong secret counts as a failed sign-in attempt. */
    private Reviewed opened(Request request, String secret) {
        SignInAttempts.Attempt attempt = sessions.attempts.ofLink(sessions.address(request));
        attempt.arrive();
        Reviewed reviewed = db.read(dao -> found(dao, secret));
        attempt.refund();
        return reviewed;
    }

    /** The source of the quote, as the preview of a draft marks it, or null. */
    private static SourcePlace place(Fields fields) {
        Long start = fields.number("place", 0, Validation.HTML_BYTES, null);
        Long end = fields.number("placeEnd", 0, Validation.HTML_BYTES, null);
        Long revision = fields.number("revision", null);
        return start == null || end == null || revision == null ? null : new SourcePlace(start, end, revision);
    }

    /** @throws Refusal if the link is unknown, revoked or expired */
    Reviewed found(Dao dao, String secret) {
        return dao.reviews().find(secret, clock.instant()).orElseThrow(() -> new Refusal("secret",
                "This link has expired or is no longer valid; ask for a new link"));
    }

    /** @throws Refusal for a preview, which is discussed in its pull request and belongs to no template */
    static Reviewed requireTemplate(Reviewed reviewed) {
        if (reviewed.isPreview()) {
            throw new Refusal("A preview takes no comments and cannot be sent as a test; use the pull request");
        }
        return reviewed;
    }

    /**
     * The text that a link shows, without test data filled in.
     *
     * @param revision the draft's; null for a version or preview
     * @param map      leads to places in the draft; empty for a version or preview
     */
    private record ShownText(String name, Long revision, Samples samples, MailJson mail, SourceMap map) {
        static ShownText of(Dao dao, Reviewed reviewed) {
            if (reviewed.isPreview()) {
                PreviewedEmail email = dao.pushPreviews().email(reviewed.accountId(), reviewed.pushed(), reviewed.id());
                return new ShownText(email.name(), null, new Samples(email.samples(), email.defaultName()),
                        new MailJson(email.subject(), email.html()), new SourceMap());
            }
            long account = reviewed.accountId();
            Template template = dao.templates().find(account, reviewed.id()).orElseThrow(Failure.NOT_FOUND::thrown);
            if (reviewed.number() == null) {
                Publisher publisher = dao.versions().publisher(account);
                String html = publisher.expand(template.subject(), Utf8.text(template.html()));
                return new ShownText(template.name(), template.revision(), template.samples(), new MailJson(template.subject(), html),
                        publisher.sourceMap());
            }
            Version.VersionText version = dao.versions().find(account, reviewed.id(), reviewed.number()).orElseThrow(Failure.NOT_FOUND::thrown);
            return new ShownText(template.name(), null, template.samples(), new MailJson(version.subject(), Utf8.text(version.html())),
                    new SourceMap());
        }
    }

    private ReviewJson show(Dao dao, Reviewed reviewed, String chosen, boolean compares) {
        ShownText text = ShownText.of(dao, reviewed);
        Samples samples = text.samples;
        ObjectNode data = Samples.data(samples.document(chosen));
        return new ReviewJson(text.name, reviewed.number(), text.revision, reviewed.pushed(), reviewed.madeBy(), reviewed.expiresAt(),
                Sampler.subject(text.mail.subject(), data).text(), List.copyOf(samples.documents().keySet()),
                chosen != null && samples.documents().containsKey(chosen) ? chosen : samples.defaultName(),
                dao.versions().live(reviewed.accountId(), reviewed.id()).isPresent(),
                previews.addMarked(guests(reviewed), text.mail.html(), text.map, data), compares ? compared(dao, reviewed, text.mail, data) : null,
                reviewed.isPreview() ? null : dao.comments().list(reviewed.accountId(), reviewed.id(), reviewed.number()));
    }

    private ComparedMails compared(Dao dao, Reviewed reviewed, MailJson shown, ObjectNode data) {
        return dao.templates().published(reviewed.accountId(), reviewed.id()).map(served -> {
            MailJson live = new MailJson(served.subject(), Utf8.text(served.html()));
            return new ComparedMails(shown, live, previews.add(guests(reviewed), Sampler.html(live.html(), data).text(), null));
        }).orElse(new ComparedMails(shown, null, null));
    }

    /** All guests of the account, who share the space for previews. */
    private static Owner guests(Reviewed reviewed) {
        return Owner.guest(reviewed.accountId(), null);
    }
}
