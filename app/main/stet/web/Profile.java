package stet.web;

import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.random.RandomGenerator;
import stet.access.Sessions;
import stet.access.SignIn;
import stet.access.SignedIn;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Actor;
import stet.core.User;
import stet.core.Validation;
import stet.dao.Dao;
import stet.dao.UserDao;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.mail.MailAddress;

/** A user's own name and email address. */
public final class Profile {
    private final Clock clock;
    private final RandomGenerator random;
    private final Sessions sessions;
    private final SignIn signIn;

    Profile(Clock clock, RandomGenerator random, Sessions sessions, SignIn signIn) {
        this.clock = clock;
        this.random = random;
        this.sessions = sessions;
        this.signIn = signIn;
    }

    /**
     * Changes the user's name and, given the current password, the email address. If Stet sends emails, a new address is first sent a link
     * that confirms it.
     */
    public Response change(SignedIn self, Request request) {
        Fields fields = request.form();
        String name = Validation.userName(fields.text("name"));
        String email = Validation.email(fields.text("email"));
        String current = fields.text("current", "");
        fields.end();
        User user = self.user();
        boolean isMoving = !email.equals(user.email());
        if (isMoving && sessions.authHeader.isOn()) {
            throw new Refusal("email", "Your email address comes from the sign-in proxy; change it there");
        }
        boolean mustConfirm = isMoving && sessions.sendsMail && !email.equalsIgnoreCase(user.email());
        if (mustConfirm) {
            MailAddress.of(email); // throws if no email can be sent to it
        }
        Optional<String> hash = isMoving ? Optional.of(checkMove(self, email, current, request)) : Optional.empty();
        User changed = new User(user.id(), mustConfirm ? user.email() : email, name, user.isAdministrator());
        self.change(dao -> {
            Dao own = dao.as(new Actor(user.id(), changed.label(), self.actor().address()));
            changeName(own, user, name);
            hash.ifPresent(checked -> {
                SignIn.checkUnchanged(dao, user, checked);
                changeEmail(own, user, email, mustConfirm);
            });
        });
        return sessions.response(changed, self.account());
    }

    /** Changes the name unless the user already has it. */
    private void changeName(Dao dao, User user, String name) {
        String before = dao.users().find(user.id()).orElseThrow(Failure.SIGNED_OUT::thrown).name();
        if (!name.equals(before)) {
            dao.users().checkName(user.id(), name);
            dao.users().changeName(user.id(), name);
            dao.activity().addNameChange(user, before, clock.instant());
        }
    }

    /** Changes the email address, or sends the link that will change it. */
    private void changeEmail(Dao dao, User user, String email, boolean mustConfirm) {
        Instant now = clock.instant();
        if (mustConfirm) {
            dao.mails().addConfirmation(user, email, now, Secret.newLink(random));
            sessions.countConfirmation(email);
        } else {
            dao.users().changeEmail(user.id(), email);
            dao.activity().addEmailChange(user, email, now);
        }
    }

    /**
     * Checks whether a user may move to another email address. Requesting an address that belongs to another user counts as a failed
     * attempt, so that users cannot probe for other users' addresses.
     *
     * @return the stored hash of the current password
     * @throws Refusal        if the user has no password, if {@code current} is wrong, or if another user has the address
     * @throws Failure.Thrown if there were too many attempts
     */
    private String checkMove(SignedIn self, String email, String current, Request request) {
        long user = self.user().id();
        if (self.read(dao -> dao.users().password(user)).isEmpty()) {
            throw new Refusal("email", "You sign in without a password, so Stet cannot change your email address; ask an administrator for help");
        }
        String hash = signIn.checkPassword(self, request, current, "current");
        if (self.read(dao -> dao.users().find(email)).filter(other -> other.id() != user).isPresent()) {
            sessions.attempts.ofSession(user, sessions.address(request)).arrive();
            throw UserDao.emailTaken();
        }
        return hash;
    }
}
