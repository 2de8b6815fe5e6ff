package stet.access;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import stet.access.SignInAttempts.Lane;
import stet.base.Excerpt;
import stet.base.Fields;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Activity;
import stet.core.Actor;
import stet.core.User;
import stet.core.Plan;
import stet.core.Validation;
import stet.dao.AccountDao;
import stet.dao.Dao;
import stet.dao.MemberDao;
import stet.dao.SessionDao.Session;
import stet.dao.SessionDao.SessionSource;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.sqlite.Db;

/**
 * Sign-in by set-up link (first account), by password and two-factor code, or by a trusted proxy's header.
 *
 * <pre>
 * no account ── set-up link ──► user ── email and password ──┬── has two-factor authentication: and a code ──► session
 *                                 └── header of a proxy ────────┴──────────────────────────────────────► session
 * </pre>
 */
public final class SignIn {
    /** The hash to compare with if the user is unknown or has no password, so that the response time reveals neither. */
    private static final String NOBODYS_HASH = "pbkdf2-sha512$220000$" + "A".repeat(22) + "==$" + "A".repeat(43) + "=";
    /** Maximum number of characters of an email address or a proxy's user name in the log. */
    private static final int MAX_LOGGED_CHARACTERS = 100;

    private final Db db;
    private final Clock clock;
    private final Sessions sessions;
    private final AuthHeader authHeader;
    private final SignInAttempts attempts;

    public SignIn(Db db, Clock clock, Sessions sessions) {
        this.db = db;
        this.clock = clock;
        this.sessions = sessions;
        this.authHeader = sessions.authHeader;
        this.attempts = sessions.attempts;
    }

    /** Creates the first account for the holder of the set-up link, and signs its owner in. */
    public Response setUp(Request request) {
        sessions.checkHost(request);
        Fields fields = request.form();
        String token = fields.text("token");
        String name = Validation.accountName(fields.text("name"));
        String email = Validation.email(fields.text("email"));
        String password = fields.text("password");
        Plan plan = Plan.of(fields.text("plan"));
        Long requests = fields.number("requests", 0, Account.MAX_LIMIT, null);
        Long keys = fields.number("keys", 0, Account.MAX_LIMIT, null);
        fields.end();
        if (!sessions.isSetUpSecret(token)) {
            throw new Refusal("token", "This set-up link is no longer valid; restart serve to get a new link");
        }
        String hash = attempts.hash(Lane.KNOWN, password, email);
        Instant now = clock.instant();
        String id = sessions.newId();
        db.change(dao -> {
            if (dao.accounts().any()) {
                throw new Refusal("token", "An account already exists; sign in");
            }
            AccountDao accounts = dao.as(new Actor(null, email, sessions.addressText(request))).accounts();
            Account account = accounts.addWithOwner(name, email, hash, plan, now);
            accounts.changeLimits(account, requests, keys, now);
            User owner = dao.users().find(email).orElseThrow();
            accounts.setAdministrator(owner, true, now);
            sessions.begin(dao, owner, account, request, SessionSource.PASSWORD, id);
        });
        sessions.endSetUp();
        return sessions.begun(id, hash);
    }

    /** Signs in with a password. With two-factor authentication, a second request repeats the password and adds the code. */
    public Response signIn(Request request) {
        sessions.checkHost(request);
        Fields fields = request.form();
        String email = fields.text("email");
        String password = fields.text("password");
        String code = fields.text("code", null);
        fields.end();
        String address = sessions.addressText(request);
        Optional<User> user = db.read(dao -> dao.users().find(email));
        Optional<String> hash = user.flatMap(found -> db.read(dao -> dao.users().password(found.id())));
        Optional<String> browser = hash.flatMap(stored -> sessions.cookies.knownBrowser(request, stored));
        SignInAttempts.Attempt attempt = browser.map(attempts::ofBrowser)
                .orElseGet(() -> attempts.ofStranger(email, sessions.address(request)));
        if (!attempt.matches(password, hash.orElse(NOBODYS_HASH)) || hash.isEmpty()) {
            db.log().warn("sign-in-failed", "address", address, "email", logged(email));
            sessions.recordFailedSignIn(user, address);
            throw wrongPassword();
        }
        User known = user.get();
        Optional<SignInAttempts.Attempt> codeAttempt = countCodeAttempt(known, browser, code);
        String id = sessions.newId();
        try {
            db.changeUncached(dao -> {
                // No session may begin if the password has changed since the comparison.
                if (!dao.users().password(known.id()).equals(hash)) {
                    throw wrongPassword();
                }
                checkCode(dao, known, code);
                begin(dao, known, request, SessionSource.PASSWORD, id);
            });
        } catch (Refusal refusal) {
            db.log().warn("sign-in-failed", "address", address, "email", logged(email), "wrong", refusal.field());
            sessions.recordFailedSignIn(user, address);
            throw refusal;
        }
        codeAttempt.ifPresent(SignInAttempts.Attempt::refund);
        db.log().info("sign-in", "address", address, "email", known.email());
        return sessions.begun(id, hash.get());
    }

    /** Begins a session in the account of {@link #firstAccount}, and records the sign-in. */
    private void begin(Dao dao, User user, Request request, SessionSource source, String id) {
        sessions.begin(dao, user, firstAccount(dao, user).orElse(null), request, source, id);
        dao.as(sessions.actor(user, request)).activity().addSignIn(user, clock.instant());
    }

    /**
     * Chooses the account after sign-in: the account used last, otherwise the first, but never a suspended account. Empty for a user
     * without accounts, and for an administrator whose accounts are all suspended.
     *
     * @throws Failure.Thrown if the user {@link MemberDao#isSuspended}
     */
    private static Optional<Account> firstAccount(Dao dao, User user) {
        List<Account> open = dao.members().memberships(user.id()).stream().map(MemberDao.Membership::account)
                .filter(account -> !account.isSuspended()).toList();
        Failure.ACCOUNT_SUSPENDED.when(dao.members().isSuspended(user));
        Optional<Long> last = dao.sessions().lastAccount(user.id());
        return open.stream().filter(account -> last.isPresent() && last.get() == account.id()).findFirst().or(() -> open.stream().findFirst());
    }

    private static String logged(String name) {
        return Excerpt.start(name, MAX_LOGGED_CHARACTERS);
    }

    private static Refusal wrongPassword() {
        return new Refusal("password", "The email or password is wrong");
    }

    // ---- two-factor authentication

    /**
     * Counts an attempt to enter a code.
     *
     * @param browser ID of the known browser, if it is one
     * @return the attempt, to refund after a correct code; empty if the user does not have two-factor authentication
     * @throws Refusal        if there is no code
     * @throws Failure.Thrown if a limit is reached
     */
    private Optional<SignInAttempts.Attempt> countCodeAttempt(User user, Optional<String> browser, String code) {
        if (!db.read(dao -> dao.twoFactors().isOn(user.id()))) {
            return Optional.empty();
        }
        checkGiven(code);
        SignInAttempts.Attempt attempt = attempts.ofCode(browser.map(mark -> "browser " + mark).orElse("user " + user.id()));
        attempt.arrive();
        return Optional.of(attempt);
    }

    /** @throws Refusal if there is no code */
    private static void checkGiven(String code) {
        if (code == null) {
            throw new Refusal("code", "Enter the code from your authenticator app or a recovery code");
        }
    }

    static Refusal wrongCode() {
        return new Refusal("code", "The code is wrong or has already been used; enter the next code");
    }

    /** @throws Refusal if the user has two-factor authentication and the code is missing or wrong */
    private void checkCode(Dao dao, User user, String code) {
        if (dao.twoFactors().isOn(user.id())) {
            checkGiven(code);
            if (!dao.twoFactors().accept(user.id(), code, clock.instant())) {
                throw wrongCode();
            }
        }
    }

    // ---- proxy header

    /** Signs in the user named by a trusted proxy, who is added if --auth-header-role is set. */
    public Response signInByProxy(Request request) {
        sessions.checkHost(request);
        AuthHeader.ProxyUser named = authHeader.named(request).orElseThrow(Failure.SIGNED_OUT::thrown);
        String id = sessions.newId();
        User user;
        try {
            user = db.writeUncached(dao -> {
                User found = Sessions.user(dao, named).orElseGet(() -> add(dao, named, request));
                dao.users().confirm(found.id());
                begin(dao, found, request, SessionSource.HEADER, id);
                return found;
            });
        } catch (Refusal refusal) {
            db.log().warn("sign-in-rejected", "address", sessions.addressText(request), "user", logged(named.user()),
                    "why", refusal.getMessage());
            throw refusal;
        }
        db.log().info("sign-in", "address", sessions.addressText(request), "email", user.email(), "proxy", true);
        return sessions.begun(id, null);
    }

    /** Adds an unknown user. @throws Refusal if the proxy's user has no email address, or if unknown users are rejected */
    private User add(Dao dao, AuthHeader.ProxyUser named, Request request) {
        if (named.email() == null) {
            throw new Refusal("proxy", "The proxy signed you in as " + named.user() + " but sent no email address;"
                    + " configure the proxy to send Remote-Email");
        }
        String email = Validation.email(named.email());
        if (!authHeader.addsUsers()) {
            throw new Refusal("proxy", "No user has the email address " + email + "; ask an owner for an invitation");
        }
        Account account = accountToJoin(dao);
        Instant now = clock.instant();
        long id = dao.users().add(email, null, now).id();
        dao.members().setRole(account.id(), id, authHeader.role(), now);
        String name = userName(named.label());
        if (dao.users().isNameFree(id, name)) {
            dao.users().changeName(id, name);
        }
        User added = dao.users().find(id).orElseThrow();
        dao.as(sessions.actor(added, request)).activity().add(account.id(), Activity.ActivityKind.USER_ADDED, email,
                authHeader.role().word(), now);
        return added;
    }

    /** The account that unknown users join. @throws Refusal if it is not clear which */
    private Account accountToJoin(Dao dao) {
        if (authHeader.account() != null) {
            return dao.accounts().find(authHeader.account()).orElseThrow(() -> new Refusal("proxy",
                    "Account " + authHeader.account() + " not found; check --auth-header-account"));
        }
        List<Account> accounts = dao.accounts().list();
        if (accounts.size() != 1) {
            throw new Refusal("proxy", accounts.isEmpty() ? "No account exists yet; an administrator must create one"
                    : "There are several accounts; an administrator must choose one with --auth-header-account");
        }
        return accounts.get(0);
    }

    /** A user's name from a proxy; empty if too long. */
    private static String userName(String label) {
        String name = Validation.cleaned(label);
        return name.codePointCount(0, name.length()) <= Validation.USER_NAME_CHARACTERS ? name : "";
    }

    // ---- password

    /** Changes the password. If {@code revoke} is set, also revokes the links that a stolen session could have made. */
    public Response changePassword(SignedIn self, Request request) {
        Fields fields = request.form();
        String current = fields.text("current");
        String password = fields.text("password");
        boolean revokes = fields.flag("revoke", false);
        fields.end();
        User user = self.user();
        String before = checkPassword(self, request, current, "current");
        String hash = attempts.hash(Lane.KNOWN, password, user.email());
        String id = sessions.newId();
        self.change(dao -> {
            checkUnchanged(dao, user, before);
            Session session = self.session(dao);
            dao.users().changePassword(user.id(), hash);
            dao.activity().addPasswordChange(user, clock.instant());
            if (sessions.sendsMail) {
                dao.mails().addPasswordNotice(user, clock.instant());
            }
            if (revokes) {
                dao.links().revokeAllOf(user.id(), clock.instant());
            }
            sessions.begin(dao, user, session.account(), request, session.source(), id);
        });
        return sessions.cookies.begin(Response.none(), id, hash);
    }

    /**
     * Checks a signed-in user's password.
     *
     * @param field the password's field in the form
     * @return the stored hash
     * @throws Refusal        if the password is wrong
     * @throws Failure.Thrown if there were too many attempts
     */
    public String checkPassword(SignedIn self, Request request, String password, String field) {
        SignInAttempts.Attempt attempt = attempts.ofSession(self.user().id(), sessions.address(request));
        Optional<String> stored = self.read(dao -> dao.users().password(self.user().id()));
        if (!attempt.matches(password, stored.orElse(NOBODYS_HASH)) || stored.isEmpty()) {
            throw notCurrent(field);
        }
        return stored.get();
    }

    /** @throws Refusal if an administrator or another session has changed the password since {@link #checkPassword} returned this hash */
    public static void checkUnchanged(Dao dao, User user, String hash) {
        if (!dao.users().password(user.id()).equals(Optional.of(hash))) {
            throw notCurrent("current");
        }
    }

    private static Refusal notCurrent(String field) {
        return new Refusal(field, "The current password is wrong");
    }
}
