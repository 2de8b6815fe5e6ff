package stet.web;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import stet.access.Member;
import stet.access.Sessions;
import stet.access.SignInAttempts;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Samples;
import stet.core.Template;
import stet.core.User;
import stet.core.Validation;
import stet.core.Version;
import stet.dao.Dao;
import stet.dao.MailDao.MailState;
import stet.dao.MailDao.QueuedMail;
import stet.dao.ReviewDao.Reviewed;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.web.Drafts.Given;
import stet.web.Drafts.MailJson;

/**
 * Test emails: a draft or version with test data, sent to the user's own address or to a member who chose to receive tests, never to an
 * address in the request.
 */
public final class MailTests {
    /** Maximum size of a test's HTML in bytes. While the email is built, it takes about 15 times as much memory. */
    private static final int MAX_BYTES = 1 << 20;

    private final Clock clock;
    private final Sessions sessions;
    private final Reviews reviews;

    MailTests(Clock clock, Sessions sessions, Reviews reviews) {
        this.clock = clock;
        this.sessions = sessions;
        this.reviews = reviews;
    }

    /**
     * @param email     the user's own address
     * @param confirmed whether Stet may send to it
     */
    record RecipientsJson(String email, boolean confirmed, List<RecipientJson> recipients) {
    }

    /** @param self whether this is the user who asks */
    record RecipientJson(long id, String name, String email, boolean self) {
    }

    /**
     * @param dueAt   time of the next attempt; null if there is none
     * @param outcome the mail server's reply, or why the last attempt failed
     */
    record TestJson(long id, String email, MailState state, int tries, Instant dueAt, String outcome) {
        static TestJson of(QueuedMail mail) {
            return new TestJson(mail.id(), mail.address(), mail.state(), mail.tries(), mail.nextTryAt(), mail.outcome());
        }
    }

    public Response recipients(Member member, Request request) {
        sessions.checkMail();
        User self = member.user();
        return Response.json(member.read(dao -> {
            List<RecipientJson> recipients = recipients(dao, member).stream()
                    .map(each -> new RecipientJson(each.id(), each.name(), each.email(), each.id() == self.id())).toList();
            return new RecipientsJson(self.email(), dao.users().isConfirmed(self.id()), recipients);
        }));
    }

    /** The users to whom this member may send tests. */
    private static List<User> recipients(Dao dao, Member member) {
        return dao.mailChoices().recipients(member.account().id(), member.user().id());
    }

    /** Sends the draft in the request, which may have unsaved changes. */
    public Response draft(Member member, Request request) {
        Fields fields = request.form();
        Given draft = Given.of(fields);
        String template = Validation.id("template", fields.text("template"));
        long to = fields.number("to");
        fields.end();
        return send(member, to, template, dao -> {
            Failure.NOT_FOUND.unless(dao.templates().exists(member.account().id(), template));
            return draft.filled(dao, member.account().id());
        });
    }

    /** Sends a version with one of the template's current sets of test data. */
    public Response version(Member member, Request request) {
        Fields fields = request.form();
        String chosen = fields.text("chosen", null);
        long to = fields.number("to");
        fields.end();
        return send(member, to, request.id(), dao -> filled(dao, member.account().id(), request.id(), Publishing.number(request), chosen));
    }

    /** Sends what a review link shows, to a member of its account. */
    public Response review(Member member, Request request) {
        Fields fields = request.form();
        String secret = fields.text("secret");
        String chosen = fields.text("chosen", null);
        long to = fields.number("to");
        fields.end();
        SignInAttempts.Attempt attempt = sessions.attempts.ofSession(member.user().id(), sessions.address(request));
        attempt.arrive();
        Reviewed reviewed = member.read(dao -> Reviews.requireTemplate(reviews.found(dao, secret)));
        attempt.refund();
        if (reviewed.accountId() != member.account().id()) {
            throw new Refusal("Only members of the email's account can send it; switch to that account");
        }
        return send(member, to, reviewed.id(), dao -> {
            reviews.found(dao, secret); // may have been revoked since
            return filled(dao, member.account().id(), reviewed.id(), reviewed.number(), chosen);
        });
    }

    /**
     * The saved draft or a version with one of the template's current sets of test data.
     *
     * @param number the version's number, or null for the saved draft
     */
    private static MailJson filled(Dao dao, long account, String id, Integer number, String chosen) {
        Template template = dao.templates().find(account, id).orElseThrow(Failure.NOT_FOUND::thrown);
        Samples samples = template.samples();
        if (number == null) {
            return new Given(template.subject(), Utf8.text(template.html()), samples, chosen, false).filled(dao, account);
        }
        Version.VersionText version = dao.versions().find(account, id, number).orElseThrow(Failure.NOT_FOUND::thrown);
        return MailJson.of(version.subject(), Utf8.text(version.html()), Samples.data(samples.document(chosen)));
    }

    /**
     * Queues a test. The email is filled in before the transaction, which checks the rights again.
     *
     * @param to ID of the recipient
     */
    private Response send(Member member, long to, String template, Function<Dao, MailJson> filled) {
        sessions.checkMail();
        MailJson mail = member.read(filled);
        byte[] html = Utf8.encode(mail.html());
        if (html.length > MAX_BYTES) {
            throw new Refusal("The email is " + html.length + " bytes with this test data; a test must have at most " + MAX_BYTES + " (1 MiB)");
        }
        QueuedMail queued = member.write(dao -> {
            User recipient = recipients(dao, member).stream().filter(each -> each.id() == to).findFirst().orElseThrow(() ->
                    new Refusal("to", to == member.user().id() ? "Confirm your email address first; open your account page"
                            : "This user does not receive tests; choose another recipient"));
            long id = dao.mails().addTest(member.account().id(), recipient, template, mail.subject(), html, clock.instant());
            return dao.mailQueue().find(id).orElseThrow();
        });
        return Response.json(201, TestJson.of(queued));
    }

    /** The state of a test that the user has sent. */
    public Response show(Member member, Request request) {
        long id = request.number();
        return Response.json(TestJson.of(member.read(dao -> dao.mailQueue().test(member.account().id(), id)).orElseThrow(Failure.NOT_FOUND::thrown)));
    }
}
