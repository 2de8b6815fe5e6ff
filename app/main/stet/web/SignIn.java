package stet.web;

import java.net.InetAddress;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import stet.core.Account;
import stet.core.Activity;
import stet.core.Actor;
import stet.core.Fields;
import stet.core.Log;
import stet.core.Person;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Secret;
import stet.core.Validation;
import stet.http.Answer;
import stet.http.AuthHeader;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.http.TrustedProxies;
import stet.store.Dao;
import stet.store.Db;
import stet.store.SessionDao;
import stet.store.SessionDao.Source;

/**
 * Signing in: the first account by the set-up link, a password and the code of a second factor, and a trusted proxy's header.
 *
 * <pre>
 * no account ── set-up link ──► person ── e-mail and password ──┬── has a second factor: and a code ──► session
 *                                 └── header of a proxy ────────┴──────────────────────────────────────► session
 * </pre>
 */
public final class SignIn {
    /** Stands for the password of an unknown account, so that a sign-in to one takes as long. */
    private static final String NOBODYS_HASH = "pbkdf2-sha512$220000$" + "A".repeat(22) + "==$" + "A".repeat(43) + "=";
    /** Characters of an e-mail address in the log, at most. */
    private static final int MAX_LOGGED_CHARACTERS = 100;

    private final Db db;
    private final Clock clock;
    private final Sessions sessions;
    private final AuthHeader authHeader;
    private final SignInAttempts attempts;
    private final PasswordQueue passwords;
    private volatile byte[] setUp;

    /** @param setUp the secret of the set-up link, or null where there is no link */
    SignIn(Db db, Clock clock, Sessions sessions, AuthHeader authHeader, String setUp) {
        this.db = db;
        this.clock = clock;
        this.sessions = sessions;
        this.authHeader = authHeader;
        this.attempts = sessions.attempts;
        this.passwords = sessions.passwords;
        this.setUp = setUp == null ? null : Secret.sha256(setUp);
    }

    /** Adds the first account for whoever has the set-up link. */
    public Response setUp(Request request) {
        sessions.checkHost(request);
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_FORM_BYTES));
        String token = fields.text("token");
        String email = fields.text("email");
        String password = fields.text("password");
        Plan plan = Plan.of(fields.text("plan"));
        fields.end();
        byte[] expected = setUp;
        if (expected == null || !MessageDigest.isEqual(expected, Secret.sha256(token))) {
            throw new Refusal("token", "This set-up link is not valid any more");
        }
        String hash = passwords.hash(0, password, email);
        Instant now = clock.instant();
        String id = sessions.newId();
        Account account = db.write(dao -> {
            if (dao.accounts().any()) {
                throw new Refusal("token", "There is an account already: sign in");
            }
            Account added = dao.as(new Actor(null, email, sessions.text(request))).accounts().add(email, plan, now, now, hash);
            Person owner = dao.people().find(email).orElseThrow();
            dao.people().setOperator(owner.id(), true);
            sessions.begin(dao, owner, added, request, id);
            return added;
        });
        setUp = null;
        sessions.endSetUp();
        Log.info("account-added", "account", account.name(), "plan", account.plan().word(), "address", sessions.text(request));
        return sessions.cookies.begin(sessions.shown(db.read(dao -> dao.people().find(email)).orElseThrow(), account), id, hash);
    }

    /** Signs in by a password. The code of a person with a second factor comes with it, in a second request. */
    public Response signIn(Request request) {
        sessions.checkHost(request);
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_FORM_BYTES));
        String email = fields.text("email");
        String password = fields.text("password");
        String code = fields.text("code", null);
        fields.end();
        InetAddress address = sessions.address(request);
        Optional<Person> person = db.read(dao -> dao.people().find(email));
        Optional<String> hash = person.flatMap(found -> db.read(dao -> dao.people().password(found.id())));
        Optional<String> browser = hash.flatMap(stored -> sessions.cookies.knownBrowser(request, stored));
        SignInAttempts.Attempt attempt = browser.map(attempts::ofBrowser).orElseGet(() -> attempts.ofStranger(email, address));
        if (!passwords.matches(attempt, password, hash.orElse(NOBODYS_HASH)) || hash.isEmpty()) {
            Log.warn("sign-in-failed", "address", TrustedProxies.text(address), "email", logged(email));
            person.ifPresent(known -> sessions.failed().note(known, TrustedProxies.text(address)));
            throw wrongPassword();
        }
        Person known = person.get();
        boolean needsCode = db.read(dao -> dao.secondFactors().isOn(known.id()));
        String tries = browser.map(mark -> "browser " + mark).orElse("person " + known.id());
        if (needsCode) {
            takeCode(tries, code);
        }
        String id = sessions.newId();
        AtomicReference<Account> account = new AtomicReference<>();
        try {
            db.writeUncached(dao -> {
                // The password may have been changed since it was compared; the change ended every session.
                if (!dao.people().password(known.id()).equals(hash)) {
                    throw wrongPassword();
                }
                checkCode(dao, known, code);
                account.set(Sessions.firstAccount(dao, known));
                sessions.begin(dao, known, account.get(), request, id);
                dao.as(sessions.actor(known, request)).activity().addSignIn(known, clock.instant());
            });
        } catch (Refusal refusal) {
            Log.warn("sign-in-failed", "address", TrustedProxies.text(address), "email", logged(email), "wrong", refusal.field());
            sessions.failed().note(known, TrustedProxies.text(address));
            throw refusal;
        }
        if (needsCode) {
            attempts.giveBackCode(tries);
        }
        Log.info("sign-in", "address", TrustedProxies.text(address), "email", known.email());
        return sessions.cookies.begin(sessions.shown(known, account.get()), id, hash.get());
    }

    private static String logged(String email) {
        return email.substring(0, Math.min(email.length(), MAX_LOGGED_CHARACTERS));
    }

    private static Refusal wrongPassword() {
        return new Refusal("password", "E-mail or password is wrong");
    }

    // ---- the second factor

    private static Refusal codeNeeded() {
        return new Refusal("code", "Enter the code that your app shows, or a recovery code");
    }

    static Refusal wrongCode() {
        return new Refusal("code", "This code is not right, or it was used before");
    }

    /** @throws Refusal when the person has a second factor, and this is no code of it */
    private void checkCode(Dao dao, Person person, String code) {
        if (dao.secondFactors().isOn(person.id())) {
            if (code == null) {
                throw codeNeeded();
            }
            if (!dao.secondFactors().accept(person.id(), code, clock.instant())) {
                throw wrongCode();
            }
        }
    }

    /** Takes a try of a code, behind a right password. @throws Failure.Thrown when there were too many */
    void takeCode(String tries, String code) {
        if (code == null) {
            throw codeNeeded();
        }
        long wait = attempts.takeCode(tries, clock.instant());
        if (wait > 0) {
            throw Failure.TOO_MANY_TRIES.thrown(wait);
        }
    }

    void giveBackCode(String tries) {
        attempts.giveBackCode(tries);
    }

    // ---- a proxy's header

    /** Signs in the person whom a trusted proxy names. */
    public Response signInByProxy(Request request) {
        sessions.checkHost(request);
        AuthHeader.Named named = sessions.named(request).orElseThrow(Failure.SIGNED_OUT::thrown);
        String id = sessions.newId();
        AtomicReference<Person> person = new AtomicReference<>();
        AtomicReference<Account> account = new AtomicReference<>();
        try {
            db.writeUncached(dao -> {
                person.set(Sessions.find(dao, named).orElseGet(() -> add(dao, named, request)));
                account.set(Sessions.firstAccount(dao, person.get()));
                sessions.begin(dao, person.get(), account.get(), request, Source.HEADER, id);
                dao.as(sessions.actor(person.get(), request)).activity().addSignIn(person.get(), clock.instant());
            });
        } catch (Refusal refusal) {
            Log.warn("sign-in-refused", "address", sessions.text(request), "user", logged(named.user()),
                    "why", refusal.getMessage());
            throw refusal;
        }
        Log.info("sign-in", "address", sessions.text(request), "email", person.get().email(), "proxy", true);
        return sessions.cookies.begin(sessions.shown(person.get(), account.get()), id, null);
    }

    /** Adds a person who is not known yet, with the role that --auth-header-role gives them. */
    private Person add(Dao dao, AuthHeader.Named named, Request request) {
        if (named.email() == null) {
            throw new Refusal("proxy", "The proxy has signed you in as " + named.user() + ", but names no e-mail address");
        }
        String email = Validation.email(named.email());
        if (authHeader.role() == null) {
            throw new Refusal("proxy", "Nobody here has the e-mail address " + email + ": ask an owner for an invitation");
        }
        Account account = account(dao);
        Instant now = clock.instant();
        long id = dao.people().add(email, null, now).id();
        dao.people().setRole(account.id(), id, authHeader.role(), now);
        String name = name(named.label());
        if (dao.people().isFree(id, name)) {
            dao.people().changeName(id, name);
        }
        Person added = dao.people().find(id).orElseThrow();
        dao.as(sessions.actor(added, request)).activity().add(account.id(), Activity.Kind.PERSON_ADDED, email,
                authHeader.role().word(), now);
        return added;
    }

    private Account account(Dao dao) {
        if (authHeader.account() != null) {
            return dao.accounts().find(authHeader.account())
                    .orElseThrow(() -> new Refusal("proxy",
                            "There is no account " + authHeader.account() + ": see --auth-header-account"));
        }
        List<Account> accounts = dao.accounts().list();
        if (accounts.size() != 1) {
            throw new Refusal("proxy", accounts.isEmpty() ? "There is no account yet: whoever runs this server makes the first one"
                    : "There is more than one account: whoever runs this server names yours by --auth-header-account");
        }
        return accounts.get(0);
    }

    private static String name(String label) {
        String name = Validation.INVISIBLE.matcher(label).replaceAll("").strip();
        return name.length() <= Validation.PERSON_NAME_CHARACTERS ? name : "";
    }

    // ---- the password

    public Response changePassword(SessionDao.Session session, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_FORM_BYTES));
        String current = fields.text("current");
        String password = fields.text("password");
        fields.end();
        Person person = session.person();
        SignInAttempts.Attempt attempt = attempts.ofSession(person.id(), sessions.address(request));
        Optional<String> before = checkPassword(attempt, person, current, "current");
        String hash = passwords.hash(attempt.rank(), password, person.email());
        String id = sessions.newId();
        db.writeUncached(dao -> {
            // The operator, or another session, may have changed it since it was compared.
            if (!dao.people().password(person.id()).equals(before)) {
                throw notCurrent();
            }
            dao.people().changePassword(person.id(), hash);
            dao.as(sessions.actor(person, request)).activity()
                    .addToAll(person, Activity.Kind.PASSWORD_CHANGED, "", clock.instant());
            sessions.begin(dao, person, session.account(), request, session.source(), id);
        });
        Log.info("password-changed", "email", person.email(), "address", sessions.text(request));
        return sessions.cookies.begin(Answer.none(), id, hash);
    }

    /** Compares the password of a person who is signed in. @throws Refusal for another one, or a person without one */
    void checkPassword(SessionDao.Session session, Request request, String password) {
        checkPassword(attempts.ofSession(session.person().id(), sessions.address(request)), session.person(), password, "password");
    }

    private Optional<String> checkPassword(SignInAttempts.Attempt attempt, Person person, String password, String field) {
        Optional<String> stored = db.read(dao -> dao.people().password(person.id()));
        if (!passwords.matches(attempt, password, stored.orElse(NOBODYS_HASH)) || stored.isEmpty()) {
            throw notCurrent(field);
        }
        return stored;
    }

    static Refusal notCurrent() {
        return notCurrent("current");
    }

    private static Refusal notCurrent(String field) {
        return new Refusal(field, "This is not the current password");
    }
}
