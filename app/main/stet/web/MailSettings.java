package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import stet.access.Administrator;
import stet.access.Member;
import stet.access.Sessions;
import stet.access.SignedIn;
import stet.base.Fields;
import stet.base.Secret;
import stet.core.Account;
import stet.dao.Dao;
import stet.dao.MailChoiceDao.MailChoices;
import stet.dao.MailDao.MailKind;
import stet.dao.MailDao.MailState;
import stet.dao.MailDao.QueuedMail;
import stet.http.Response;
import stet.http.Request;
import stet.mail.MailAddress;
import stet.mail.Mailer;

/** Whether Stet sends emails, which ones a user receives, and the queue for administrators. */
public final class MailSettings {
    private final Clock clock;
    private final RandomGenerator random;
    private final Sessions sessions;
    private final Optional<Mailer> mailer;

    /** @param mailer empty if no emails are sent */
    MailSettings(Clock clock, RandomGenerator random, Sessions sessions, Optional<Mailer> mailer) {
        this.clock = clock;
        this.random = random;
        this.sessions = sessions;
        this.mailer = mailer;
    }

    /** @param on whether Stet sends emails */
    record IsOn(boolean on) {
    }

    /** Tells anyone whether a password can be reset by email. */
    public Response show(Request request) {
        sessions.checkHost(request);
        return Response.json(new IsOn(mailer.isPresent()));
    }

    /**
     * @param on        whether Stet sends emails; the other fields are missing if not
     * @param confirmed whether the user's address is confirmed
     * @param pending   the address to be confirmed by an open link, if it is not the user's present one
     * @param choices   which emails the user receives as a member of the current account; missing without an account
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record OwnMailJson(boolean on, Boolean confirmed, String pending, MailChoices choices) {
    }

    public Response own(SignedIn self, Request request) {
        if (mailer.isEmpty()) {
            return Response.json(new OwnMailJson(false, null, null, null));
        }
        long user = self.user().id();
        return Response.json(self.read(dao -> {
            Optional<String> pending = dao.links().addressToConfirm(user, clock.instant()).filter(email -> !email.equalsIgnoreCase(self.user().email()));
            MailChoices choices = self.account() == null ? null : dao.mailChoices().choices(self.account().id(), user);
            return new OwnMailJson(true, dao.users().isConfirmed(user), pending.orElse(null), choices);
        }));
    }

    /** Chooses which emails the member receives. */
    public Response choose(Member member, Request request) {
        sessions.checkMail();
        Fields fields = request.form();
        MailChoices choices = new MailChoices(fields.flag("tests", false), fields.flag("reviews", false));
        fields.end();
        member.change(dao -> dao.mailChoices().choose(member.account().id(), member.user().id(), choices));
        return Response.none();
    }

    /** Sends an email that confirms the user's present address, unless it is confirmed. */
    public Response confirm(SignedIn self, Request request) {
        sessions.checkMail();
        MailAddress.of(self.user().email()); // throws if no email can be sent to it
        String secret = Secret.newLink(random);
        self.change(dao -> {
            if (!dao.users().isConfirmed(self.user().id())) {
                dao.mails().addConfirmation(self.user(), self.user().email(), clock.instant(), secret);
                sessions.countConfirmation(self.user().email());
            }
        });
        return Response.none();
    }

    /** @param server null if no emails are sent */
    record QueueJson(String server, long waiting, Instant lastSentAt, List<QueueRow> mails) {
    }

    /**
     * @param account the account's name, or null for an email about a user
     * @param dueAt   time of the next attempt; null if there is none
     */
    record QueueRow(long id, MailKind kind, String account, String email, MailState state, int tries, Instant createdAt,
                    Instant dueAt, String outcome) {
        static QueueRow of(Dao dao, QueuedMail mail) {
            Optional<Account> account = Optional.ofNullable(mail.accountId()).flatMap(dao.accounts()::find);
            return new QueueRow(mail.id(), mail.kind(), account.map(Account::name).orElse(null), address(mail), mail.state(), mail.tries(),
                    mail.createdAt(), mail.nextTryAt(), mail.outcome());
        }
    }

    /** Unfinished and failed emails, without their content. */
    public Response queue(Administrator administrator, Request request) {
        String server = mailer.map(Mailer::description).orElse(null);
        return Response.json(administrator.read(dao -> new QueueJson(server, dao.mailQueue().waiting(), dao.mailQueue().lastSent().orElse(null),
                dao.mailQueue().problems().stream().map(mail -> QueueRow.of(dao, mail)).toList())));
    }

    /** An email's address; empty if somebody typed it for a reset, because it may be anyone's. */
    private static String address(QueuedMail mail) {
        return mail.kind() == MailKind.RESET && mail.userId() == null ? "" : mail.address();
    }
}
