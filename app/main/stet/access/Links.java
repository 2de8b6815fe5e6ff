package stet.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import stet.base.Fields;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Activity.ActivityKind;
import stet.core.User;
import stet.core.Role;
import stet.core.Validation;
import stet.dao.Dao;
import stet.dao.LinkDao.Link;
import stet.dao.LinkDao.LinkKind;
import stet.dao.UserDao;
import stet.dao.SessionDao;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.sqlite.Db;

/**
 * Handles invitations, password-reset links and links that confirm an email address. The secret is in the URL fragment, which browsers
 * never send, and in the request bodies. A wrong secret counts as a failed sign-in attempt from the client's address.
 */
public final class Links {
    private final Db db;
    private final Clock clock;
    private final Sessions sessions;

    public Links(Db db, Clock clock, Sessions sessions) {
        this.db = db;
        this.clock = clock;
        this.sessions = sessions;
    }

    /**
     * @param accounts accounts in the invitation; empty for other links
     * @param email    email address of the user whose password is reset or who confirms an address, or null
     * @param confirms the address that the link confirms, or null
     */
    record LinkJson(List<Invited> accounts, String email, String madeBy, Instant expiresAt,
                    @JsonInclude(JsonInclude.Include.NON_NULL) String confirms) {
    }

    record Invited(String name, Role role) {
    }

    /**
     * The links found for a request's secret, and the rate-limited attempt, which is refunded if the secret is correct.
     *
     * @param links one entry per account in an invitation
     */
    private record OpenedLink(String secret, List<Link> links, SignInAttempts.Attempt attempt) {
        Link first() {
            return links.get(0);
        }
    }

    /** Counts an attempt to open a link, and finds the link. @throws Refusal as {@link #found} @throws Failure.Thrown at a limit */
    private OpenedLink open(String secret, Request request) {
        SignInAttempts.Attempt attempt = sessions.attempts.ofLink(sessions.address(request));
        attempt.arrive();
        return new OpenedLink(secret, db.read(dao -> found(dao, secret)), attempt);
    }

    /** @throws Refusal if the link is unknown, used, revoked or expired, or the account's owners may no longer reset this password */
    private List<Link> found(Dao dao, String secret) {
        List<Link> links = dao.links().entries(secret, clock.instant()).stream().filter(link -> link.isInvitation() || link.account() == null
                || dao.members().resettable(link.account().id()).contains(link.user().id())).toList();
        if (links.isEmpty()) {
            throw ended();
        }
        return links;
    }

    private static Refusal ended() {
        return new Refusal("secret", "This link has been used or revoked, or has expired;"
                + " ask for a new link");
    }

    /** Describes a link to whoever has the secret. */
    public Response show(Request request) {
        sessions.checkHost(request);
        OpenedLink opened = open(request.form(fields -> fields.text("secret")), request);
        opened.attempt.refund();
        Link link = opened.first();
        return Response.json(new LinkJson(opened.links.stream().filter(Link::isInvitation)
                .map(each -> new Invited(each.account().name(), each.role())).toList(),
                link.isInvitation() ? null : link.user().email(), link.madeBy(), link.expiresAt(), link.email()));
    }

    /** Adds a signed-in user to the accounts in an invitation. Without a current account, the first of them becomes the current one. */
    public Response join(SignedIn self, Request request) {
        OpenedLink opened = open(request.form(fields -> fields.text("secret")), request);
        self.change(dao -> {
            SessionDao.Session session = self.session(dao);
            confirmIfEmailed(dao, opened.secret, session.user());
            Account joined = accept(dao, opened.secret, session.user(), request);
            if (session.account() == null) {
                dao.sessions().changeAccount(session, joined.id());
            }
        });
        opened.attempt.refund();
        SessionDao.Session session = self.read(self::session);
        return sessions.response(session.user(), session.account());
    }

    /** Creates a user, adds the user to the accounts in an invitation and starts a session. */
    public Response register(Request request) {
        sessions.checkHost(request);
        Fields fields = request.form();
        OpenedLink opened = open(fields.text("secret"), request);
        String name = Validation.userName(fields.text("name"));
        String email = Validation.email(fields.text("email"));
        String password = fields.text("password");
        fields.end();
        invitations(opened.links); // rejects other links before the password is hashed
        if (db.read(dao -> dao.users().find(email)).isPresent()) {
            throw UserDao.emailTaken();
        }
        String hash = sessions.attempts.hash(opened.attempt.lane(), password, email);
        String id = sessions.newId();
        db.changeUncached(dao -> {
            User added = dao.users().add(email, hash, clock.instant());
            dao.users().changeName(added.id(), name);
            User named = new User(added.id(), email, name, false);
            confirmIfEmailed(dao, opened.secret, named);
            Account joined = accept(dao, opened.secret, named, request);
            sessions.begin(dao, named, joined, request, SessionDao.SessionSource.PASSWORD, id);
        });
        opened.attempt.refund();
        return sessions.begun(id, hash);
    }

    /** Confirms the address, because only its owner can open a link in an email to it. */
    private static void confirmIfEmailed(Dao dao, String secret, User user) {
        if (dao.mailQueue().addressOf(secret).filter(user.email()::equalsIgnoreCase).isPresent()) {
            dao.users().confirm(user.id());
        }
    }

    /**
     * Consumes an invitation and adds the memberships in one transaction, so only one of two concurrent requests succeeds.
     *
     * @param user the user as of this transaction
     * @return the first of the accounts that the user now belongs to
     * @throws Refusal        if the link is no open invitation, or if the user already belongs to all of its accounts
     * @throws Failure.Thrown if all accounts are suspended
     */
    private Account accept(Dao dao, String secret, User user, Request request) {
        List<Link> links = invitations(found(dao, secret));
        List<Link> applied = links.stream().filter(link -> dao.members().role(link.account().id(), user.id()).isEmpty()).toList();
        if (applied.isEmpty()) {
            throw new Refusal("secret", "You already belong to " + links.stream().map(link -> link.account().name())
                    .collect(Collectors.joining(" and ")));
        }
        links.forEach(link -> dao.links().use(link.id()));
        for (Link link : applied) {
            dao.members().setRole(link.account().id(), user.id(), link.role(), clock.instant());
            dao.as(sessions.actor(user, request)).activity().add(link.account().id(), ActivityKind.USER_ADDED, user.email(),
                    link.role().word() + ", invited by " + link.madeBy(), clock.instant());
        }
        dao.users().checkName(user.id(), user.name());
        return applied.get(0).account();
    }

    /**
     * The invitations among a secret's links, at least one. Omits invitations to suspended accounts, but does not close them.
     *
     * @throws Refusal        if the links are not invitations
     * @throws Failure.Thrown if all accounts are suspended
     */
    private static List<Link> invitations(List<Link> links) {
        if (!links.get(0).isInvitation()) {
            throw ended();
        }
        List<Link> open = links.stream().filter(link -> !link.account().isSuspended()).toList();
        Failure.ACCOUNT_SUSPENDED.when(open.isEmpty());
        return open;
    }

    /** Sets a new password and ends all of the user's sessions. Does not sign the user in. */
    public Response reset(Request request) {
        sessions.checkHost(request);
        Fields fields = request.form();
        OpenedLink opened = open(fields.text("secret"), request);
        String password = fields.text("password");
        fields.end();
        User user = opened.first().user();
        if (opened.first().kind() != LinkKind.RESET) {
            throw ended();
        }
        String hash = sessions.attempts.hash(opened.attempt.lane(), password, user.email());
        db.changeUncached(dao -> {
            Link used = found(dao, opened.secret).get(0);
            dao.users().changePassword(user.id(), hash); // also deletes the link
            if (sessions.sendsMail) {
                dao.mails().addPasswordNotice(user, clock.instant());
            }
            String how = used.isRequested() ? "by a link in an email" : "by a link of " + used.madeBy();
            dao.as(sessions.actor(user, request)).activity().addToAll(user, ActivityKind.PASSWORD_CHANGED, how, clock.instant());
        });
        opened.attempt.refund();
        return Response.none();
    }

    /**
     * Requests an email with a password-reset link. The response is the same for every address: neither does it depend on whether the
     * address is a user's, nor on whether this user gets an email, which is decided later ({@link stet.dao.MailDao#resolve}). Not synced, as
     * the user can ask again.
     */
    public Response requestReset(Request request) {
        sessions.checkHost(request);
        sessions.checkMail();
        String email = Validation.email(request.form(fields -> fields.text("email")).strip());
        if (sessions.attempts.countReset(email, sessions.address(request))) {
            db.writeLater(dao -> dao.mails().requestReset(email, clock.instant()));
        }
        db.log().info("forgot-password", "email", email, "address", sessions.addressText(request));
        return Response.none();
    }

    /** Confirms an email address, which becomes the user's unless it already is. */
    public Response confirm(Request request) {
        sessions.checkHost(request);
        OpenedLink opened = open(request.form(fields -> fields.text("secret")), request);
        Link shown = opened.first();
        if (shown.kind() != LinkKind.ADDRESS) {
            throw ended();
        }
        db.changeUncached(dao -> {
            Link link = found(dao, opened.secret).get(0);
            User user = link.user();
            dao.links().use(link.id());
            if (!link.email().equalsIgnoreCase(user.email())) {
                boolean wasConfirmed = dao.users().isConfirmed(user.id());
                dao.users().changeEmail(user.id(), link.email());
                dao.as(sessions.actor(user, request)).activity().addEmailChange(user, link.email(), clock.instant());
                if (wasConfirmed) {
                    dao.mails().addAddressNotice(user.id(), user.email(), clock.instant());
                }
            }
            dao.users().confirm(user.id());
        });
        opened.attempt.refund();
        if (shown.email().equalsIgnoreCase(shown.user().email())) { // a new address is logged as activity
            db.log().info("email-confirmed", "email", shown.email(), "address", sessions.addressText(request));
        }
        return Response.none();
    }
}
