package stet.web;

import java.net.InetAddress;
import java.net.URI;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import stet.core.Account;
import stet.core.Activity.Kind;
import stet.core.Actor;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Log;
import stet.core.Member;
import stet.core.Person;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Role;
import stet.core.Secret;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Hosts;
import stet.http.Request;
import stet.http.Response;
import stet.http.TrustedProxies;
import stet.store.Dao;
import stet.store.Db;
import stet.store.FailedSignIns;
import stet.store.PersonDao;
import stet.store.SessionDao;
import stet.store.StoreException;

/**
 * Signing in and out, and the one place where a session and a role are checked.
 *
 * <pre>
 * no account ── set-up link ──► person ── e-mail and password ──► session (cookie) ── idle a day, 30 days, or ended ──► gone
 * </pre>
 */
public final class Sessions {
    private static final Duration IDLE_TIMEOUT = Duration.ofHours(24);
    static final Duration MAX_AGE = Duration.ofDays(30);
    /** Age of a session's last use at which the next use is written. */
    private static final Duration SEEN_INTERVAL = Duration.ofMinutes(1);
    private static final int ID_BYTES = 32;
    private static final String ACCOUNT_HEADER = "Stet-Account";
    /** Stands for the password of an unknown account, so that a sign-in to one takes as long. */
    static final String NOBODYS_HASH = "pbkdf2-sha512$220000$" + "A".repeat(22) + "==$" + "A".repeat(43) + "=";
    /** Characters of an e-mail address in the log, at most. */
    private static final int MAX_LOGGED_CHARACTERS = 100;

    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final URI baseUrl;
    private final TrustedProxies proxies;
    final SessionCookies cookies;
    final SignInAttempts attempts = new SignInAttempts();
    private final FailedSignIns failed;
    final PasswordQueue passwords;
    private volatile byte[] setUp;

    /**
     * @param baseUrl how browsers reach Stet, without a slash at the end
     * @param proxies that are trusted to tell a client's address
     * @param setUp   the secret of the set-up link, or null where there is no link
     */
    public Sessions(Db db, Clock clock, RandomGenerator random, URI baseUrl, TrustedProxies proxies, String setUp) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.baseUrl = baseUrl;
        this.proxies = proxies;
        this.cookies = new SessionCookies(baseUrl, random);
        this.passwords = new PasswordQueue(clock, random);
        this.failed = new FailedSignIns(db);
        this.setUp = setUp == null ? null : Secret.sha256(setUp);
    }

    /**
     * A person who is signed in, and the account in which they work.
     *
     * @param account name of the account; null, as plan and role are, for a person who belongs to none
     */
    record SessionJson(String email, String name, boolean operator, Long id, String account, String plan, String role,
                       List<AccountRow> accounts, String baseUrl) {
    }

    /** One of the accounts that a person belongs to. */
    record AccountRow(long id, String name, String role, boolean suspended) {
    }

    /** The session of a request. @throws Failure.Thrown when the request is not signed in or comes from elsewhere */
    public SessionDao.Session session(Request request) {
        Hosts.check(request, baseUrl);
        Instant now = clock.instant();
        byte[] hash = cookies.sessionHash(request).orElseThrow(this::signedOut);
        SessionDao.Session session = db.read(dao -> dao.sessions().find(hash, now, IDLE_TIMEOUT, MAX_AGE))
                .orElseThrow(this::signedOut);
        if (isUse(request) && session.seenAt().plus(SEEN_INTERVAL).isBefore(now)) {
            seen(hash, now);
        }
        return session;
    }

    /** Whether somebody is there: an open page asks by itself for the presence of others. */
    private static boolean isUse(Request request) {
        return !request.path().endsWith("/presence");
    }

    /**
     * The member that a request comes from: the one place where a role is checked. The page names its account in the header
     * {@code Stet-Account}, so that a page which was open before a switch changes nothing in the other account.
     *
     * @throws Failure.Thrown when the person does not have this role in the account
     */
    public Member member(Role role, Request request) {
        SessionDao.Session session = session(request);
        Account account = session.account();
        if (account == null) {
            throw Failure.NO_MEMBER.thrown();
        }
        String seen = request.header(ACCOUNT_HEADER);
        if (seen != null && !seen.equals(Long.toString(account.id()))) {
            throw Failure.ACCOUNT_SWITCHED.thrown();
        }
        if (account.isSuspended()) {
            throw Failure.ACCOUNT_SUSPENDED.thrown();
        }
        if (!session.role().includes(role)) {
            throw (role == Role.OWNER ? Failure.OWNERS_ONLY : Failure.EDITORS_ONLY).thrown();
        }
        return new Member(session.person(), account, session.role(), TrustedProxies.text(address(request)));
    }

    /** Failed sign-ins, to be written from time to time. */
    public FailedSignIns failed() {
        return failed;
    }

    /** The operator that a request comes from. @throws Failure.Thrown when the person is none */
    public Actor operator(Request request) {
        Person person = session(request).person();
        if (!person.isOperator()) {
            throw Failure.OPERATORS_ONLY.thrown();
        }
        return new Actor(person.id(), person.label(), TrustedProxies.text(address(request)));
    }

    /** Notes the session's use; pages stay readable while the database is not writable. */
    private void seen(byte[] hash, Instant now) {
        try {
            db.writeUncached(dao -> dao.sessions().touch(hash, now));
        } catch (StoreException full) {
            // The next request notes it.
        }
    }

    private Failure.Thrown signedOut() {
        boolean noAccountYet = setUp != null && db.read(dao -> !dao.hasAccounts());
        return (noAccountYet ? Failure.SET_UP_FIRST : Failure.SIGNED_OUT).thrown();
    }

    public Response show(SessionDao.Session session, Request request) {
        return shown(session.person(), session.account());
    }

    /** Has the person work in another of their accounts from now on. */
    public Response changeAccount(SessionDao.Session session, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_FORM_BYTES));
        long id = fields.number("account");
        fields.end();
        Account account = memberships(session.person()).stream().map(PersonDao.Membership::account).filter(each -> each.id() == id)
                .findFirst().orElseThrow(Failure.NO_MEMBER::thrown);
        db.writeUncached(dao -> dao.sessions().changeAccount(session.id(), id));
        return shown(session.person(), account);
    }

    private List<PersonDao.Membership> memberships(Person person) {
        return db.read(dao -> dao.people().memberships(person.id()));
    }

    /** @param account in which the person works, or null */
    Answer shown(Person person, Account account) {
        List<PersonDao.Membership> memberships = memberships(person);
        String role = memberships.stream().filter(each -> account != null && each.account().id() == account.id())
                .map(each -> each.role().word()).findFirst().orElse(null);
        return Answer.json(Json.write(new SessionJson(person.email(), person.name(), person.isOperator(),
                account == null ? null : account.id(), account == null ? null : account.name(),
                account == null ? null : account.plan().word(), role,
                memberships.stream().map(each -> new AccountRow(each.account().id(), each.account().name(), each.role().word(),
                        each.account().isSuspended())).toList(), baseUrl.toString())));
    }

    /** The account in which a person begins to work: the first one that is not suspended. */
    private static Account firstAccount(Dao dao, Person person) {
        List<PersonDao.Membership> memberships = dao.people().memberships(person.id());
        if (memberships.isEmpty()) {
            return null;
        }
        return memberships.stream().map(PersonDao.Membership::account).filter(account -> !account.isSuspended()).findFirst()
                .orElseThrow(Failure.ACCOUNT_SUSPENDED::thrown);
    }

    /** Adds the first account for whoever has the set-up link. */
    public Response setUp(Request request) {
        Hosts.check(request, baseUrl);
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
        String id = newId();
        Account account = db.write(dao -> {
            if (dao.hasAccounts()) {
                throw new Refusal("token", "There is an account already: sign in");
            }
            Account added = dao.as(new Actor(null, email, TrustedProxies.text(address(request)))).addAccount(email, plan, now, now, hash);
            Person owner = dao.people().find(email).orElseThrow();
            dao.people().setOperator(owner.id(), true);
            begin(dao, owner, added, request, id);
            return added;
        });
        setUp = null;
        Log.info("account-added", "account", account.name(), "plan", account.plan().word(),
                "address", TrustedProxies.text(address(request)));
        return cookies.begin(shown(db.read(dao -> dao.people().find(email)).orElseThrow(), account), id, hash);
    }

    public Response signIn(Request request) {
        Hosts.check(request, baseUrl);
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_FORM_BYTES));
        String email = fields.text("email");
        String password = fields.text("password");
        fields.end();
        InetAddress address = address(request);
        Optional<Person> person = db.read(dao -> dao.people().find(email));
        Optional<String> hash = person.flatMap(found -> db.read(dao -> dao.people().password(found.id())));
        SignInAttempts.Attempt attempt = cookies.knownBrowser(request, hash.orElse(NOBODYS_HASH))
                .filter(browser -> hash.isPresent()).map(attempts::ofBrowser)
                .orElseGet(() -> attempts.ofStranger(email, address));
        if (!passwords.matches(attempt, password, hash.orElse(NOBODYS_HASH)) || hash.isEmpty()) {
            Log.warn("sign-in-failed", "address", TrustedProxies.text(address),
                    "email", email.substring(0, Math.min(email.length(), MAX_LOGGED_CHARACTERS)));
            person.ifPresent(known -> failed.note(known, TrustedProxies.text(address)));
            throw wrongPassword();
        }
        String id = newId();
        AtomicReference<Account> account = new AtomicReference<>();
        db.writeUncached(dao -> {
            // The password may have been changed since it was compared; the change ended every session.
            if (!dao.people().password(person.get().id()).equals(hash)) {
                throw wrongPassword();
            }
            account.set(firstAccount(dao, person.get()));
            begin(dao, person.get(), account.get(), request, id);
            dao.as(actor(person.get(), request)).activity().addSignIn(person.get(), clock.instant());
        });
        Log.info("sign-in", "address", TrustedProxies.text(address), "email", person.get().email());
        return cookies.begin(shown(person.get(), account.get()), id, hash.get());
    }

    private static Refusal wrongPassword() {
        return new Refusal("password", "E-mail or password is wrong");
    }

    public Response changePassword(SessionDao.Session session, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_FORM_BYTES));
        String current = fields.text("current");
        String password = fields.text("password");
        fields.end();
        Person person = session.person();
        SignInAttempts.Attempt attempt = attempts.ofSession(person.id(), address(request));
        Optional<String> before = db.read(dao -> dao.people().password(person.id()));
        if (!passwords.matches(attempt, current, before.orElse(NOBODYS_HASH))) {
            throw notCurrent();
        }
        String hash = passwords.hash(attempt.rank(), password, person.email());
        String id = newId();
        db.writeUncached(dao -> {
            // The operator, or another session, may have changed it since it was compared.
            if (!dao.people().password(person.id()).equals(before)) {
                throw notCurrent();
            }
            dao.people().changePassword(person.id(), hash);
            dao.as(actor(person, request)).activity().addToAll(person, Kind.PASSWORD_CHANGED, clock.instant());
            begin(dao, person, session.account(), request, id);
        });
        Log.info("password-changed", "email", person.email(), "address", TrustedProxies.text(address(request)));
        return cookies.begin(Answer.none(), id, hash);
    }

    static Refusal notCurrent() {
        return new Refusal("current", "This is not the current password");
    }

    public Response signOut(Request request) {
        Hosts.check(request, baseUrl);
        cookies.sessionHash(request).ifPresent(hash -> db.writeUncached(dao -> dao.sessions().delete(hash)));
        return cookies.end(Answer.none());
    }

    public Response signOutEverywhere(SessionDao.Session session, Request request) {
        db.writeUncached(dao -> dao.sessions().deleteAll(session.person().id()));
        Log.info("sessions-ended", "email", session.person().email(), "address", TrustedProxies.text(address(request)));
        return cookies.end(Answer.none());
    }

    private Actor actor(Person person, Request request) {
        return new Actor(person.id(), person.label(), TrustedProxies.text(address(request)));
    }

    InetAddress address(Request request) {
        return proxies.client(request.peer(), request.headers("X-Forwarded-For"));
    }

    String newId() {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Begins a session under a new id, and ends the one that the request came with. */
    void begin(Dao dao, Person person, Account account, Request request, String id) {
        Instant now = clock.instant();
        dao.sessions().deleteUnusedSince(now.minus(IDLE_TIMEOUT));
        cookies.sessionHash(request).ifPresent(dao.sessions()::delete);
        dao.sessions().add(Secret.sha256(id), person.id(), account == null ? null : account.id(), now);
    }
}
