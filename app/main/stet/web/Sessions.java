package stet.web;

import java.net.InetAddress;
import java.net.URI;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Colour;
import stet.core.Person;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Secret;
import stet.core.UserAgent;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.PersonDao;
import stet.dao.SessionDao;
import stet.dao.SessionDao.Source;
import stet.dao.StoreException;
import stet.http.Answer;
import stet.http.AuthHeader;
import stet.http.Failure;
import stet.http.Hosts;
import stet.http.Request;
import stet.http.Response;
import stet.http.TrustedProxies;
import stet.sqlite.Db;
import stet.sqlite.FailedSignIns;

/**
 * The sessions of people, and the one place where a session and a role are checked.
 *
 * <pre>
 * email and password, and a code ({@link SignIn}) ──► session (cookie) ── idle a day, 30 days, or ended ──► gone
 * header of a trusted proxy ({@link AuthHeader}) ────► session (cookie) ── the same, or another header ────► gone
 * </pre>
 */
public final class Sessions {
    private static final Duration IDLE_TIMEOUT = Duration.ofHours(24);
    static final Duration MAX_AGE = Duration.ofDays(30);
    /** Age of a session's last use at which the next use is written. */
    private static final Duration SEEN_INTERVAL = Duration.ofMinutes(1);
    private static final int ID_BYTES = 32;
    private static final String ACCOUNT_HEADER = "Stet-Account";

    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final URI baseUrl;
    private final TrustedProxies proxies;
    final AuthHeader authHeader;
    final SessionCookies cookies;
    final SignInAttempts attempts;
    private final FailedSignIns failed;
    /** SHA-256 of the set-up link's secret; null where there is none, or somebody made the first account by it. */
    private volatile byte[] setUp;

    /** As {@link Web#over}. */
    Sessions(Db db, Clock clock, RandomGenerator random, URI baseUrl, TrustedProxies proxies, AuthHeader authHeader,
             String setUp) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.baseUrl = baseUrl;
        this.proxies = proxies;
        this.authHeader = authHeader;
        this.cookies = new SessionCookies(baseUrl, random);
        this.attempts = new SignInAttempts(clock, random);
        this.failed = new FailedSignIns(db);
        this.setUp = setUp == null ? null : Secret.sha256(setUp);
    }

    /**
     * A person who is signed in, and the account in which they work.
     *
     * @param account name of the account; null, as label, colour, plan and role are, for a person who belongs to none
     */
    record SessionJson(String email, String name, boolean administrator, Long id, String account, String label, Colour colour, Plan plan, Role role,
                       List<AccountRow> accounts, String baseUrl) {
    }

    /** One of the accounts that a person belongs to. */
    record AccountRow(long id, String name, String label, Colour colour, Role role, boolean suspended) {
    }

    /** By what the sender of a request is known. @param named by a trusted proxy, if it names anybody */
    private record Credentials(byte[] hash, Optional<AuthHeader.Named> named) {
    }

    /** @throws Failure.Thrown when the request comes from elsewhere, or with nothing */
    private Credentials credentials(Request request) {
        checkHost(request);
        Optional<AuthHeader.Named> named = authHeader.named(request);
        byte[] hash = cookies.sessionHash(request).orElseThrow(() -> db.read(dao -> signedOut(dao, named)));
        return new Credentials(hash, named);
    }

    /** Its session, which is noted as used. */
    private SessionDao.Session use(Credentials credentials, Request request) {
        SessionDao.Session session = db.read(dao -> session(dao, credentials));
        Instant now = clock.instant();
        boolean isUse = !request.path().endsWith("/presence"); // which an open page asks for by itself
        if (isUse && session.seenAt().plus(SEEN_INTERVAL).isBefore(now)) {
            seen(credentials.hash, request, now);
        }
        return session;
    }

    private SessionDao.Session session(Dao dao, Credentials credentials) {
        return find(dao, credentials.hash).filter(found -> isOf(credentials.named, found, dao))
                .orElseThrow(() -> signedOut(dao, credentials.named));
    }

    private Optional<SessionDao.Session> find(Dao dao, byte[] hash) {
        return dao.sessions().find(hash, clock.instant(), IDLE_TIMEOUT, MAX_AGE);
    }

    /** Whether a session is that of the person whom the proxy names, if it names one. One begun by a header needs it each time. */
    private static boolean isOf(Optional<AuthHeader.Named> named, SessionDao.Session session, Dao dao) {
        return named.isEmpty() ? session.source() == Source.PASSWORD
                : find(dao, named.get()).filter(person -> person.id() == session.person().id()).isPresent();
    }

    static Optional<Person> find(Dao dao, AuthHeader.Named named) {
        return Optional.ofNullable(named.email()).flatMap(dao.people()::find);
    }

    // ---- who a request comes from: its right is checked now, and in the transaction of each read and write

    /** The person that a request comes from, of any account or none. @throws Failure.Thrown when they are signed out */
    public SignedIn signedIn(Request request) {
        Credentials credentials = credentials(request);
        SessionDao.Session session = use(credentials, request);
        return new SignedIn(db, new Author(actor(session.person(), request),
                dao -> Failure.SIGNED_OUT.when(session(dao, credentials).isPersonDeleted())), session);
    }

    /**
     * The member that a request comes from: the one place where a role is checked. The page names its account in the header
     * {@code Stet-Account}, so that a page which was open before a switch changes nothing in the other account.
     *
     * @throws Failure.Thrown when the person does not have this role in the account
     */
    public Member member(Role role, Request request) {
        Credentials credentials = credentials(request);
        SessionDao.Session session = use(credentials, request);
        String seen = request.header(ACCOUNT_HEADER);
        check(session, role, seen);
        String account = Long.toString(session.account().id());
        return new Member(db, new Author(actor(session.person(), request), dao -> check(session(dao, credentials), role, account)),
                session.person(), session.account(), session.role());
    }

    /** The same person in another of their accounts. Each check includes the one of their right here. @throws Failure.Thrown as above */
    Member elsewhere(Member here, long account, Role role, Request request) {
        byte[] hash = credentials(request).hash;
        SessionDao.Session there = db.read(dao -> elsewhere(dao, here, hash, account, role));
        Role held = there.role().includes(Role.EDITOR) ? Role.EDITOR : role; // the request goes on as what it began
        return new Member(db, new Author(actor(there.person(), request), dao -> elsewhere(dao, here, hash, account, held)), there.person(),
                there.account(), there.role());
    }

    private SessionDao.Session elsewhere(Dao dao, Member here, byte[] hash, long account, Role role) {
        here.check(dao);
        SessionDao.Session there = dao.sessions().find(hash, account, clock.instant(), IDLE_TIMEOUT, MAX_AGE).orElseThrow(Failure.SIGNED_OUT::thrown);
        Failure.NOT_FOUND.when(there.account() == null);
        check(there, role, null);
        return there;
    }

    /** @param account the id of the one that is worked in; null for any */
    private static void check(SessionDao.Session session, Role role, String account) {
        Failure.NO_MEMBER.when(session.account() == null);
        Failure.ACCOUNT_SWITCHED.unless(account == null || account.equals(Long.toString(session.account().id())));
        Failure.ACCOUNT_SUSPENDED.when(session.account().isSuspended());
        Failure.TWO_FACTOR_NEEDED.when(session.lacksTwoFactor());
        (role == Role.OWNER ? Failure.OWNERS_ONLY : Failure.EDITORS_ONLY).unless(session.role().includes(role));
    }

    /** The administrator that a request comes from: one with two-factor authentication, where an account of theirs asks for one. */
    public Administrator administrator(Request request) {
        Credentials credentials = credentials(request);
        SessionDao.Session session = use(credentials, request);
        Author author = new Author(actor(session.person(), request), dao -> checkAdministrator(dao, session(dao, credentials)));
        db.read(author.checked(dao -> dao));
        return new Administrator(db, author);
    }

    private static void checkAdministrator(Dao dao, SessionDao.Session session) {
        Person person = session.person();
        Failure.ADMINISTRATORS_ONLY.unless(person.isAdministrator());
        Failure.TWO_FACTOR_NEEDED.unless(session.source() == Source.HEADER || !dao.twoFactors().isLacking(person.id()));
    }

    /** Failed sign-ins, to be written from time to time. */
    public FailedSignIns failed() {
        return failed;
    }

    Actor actor(Person person, Request request) {
        return new Actor(person.id(), person.label(), text(request));
    }

    /** Notes the session's use; pages stay readable while the database is not writable. */
    private void seen(byte[] hash, Request request, Instant now) {
        try {
            db.writeUncached(dao -> dao.sessions().touch(hash, browser(request), now));
        } catch (StoreException full) {
            // The next request notes it.
        }
    }

    /** Compares the secret of a set-up link, in the same time whether it is right or not. */
    boolean isSetUp(String token) {
        byte[] expected = setUp;
        return expected != null && MessageDigest.isEqual(expected, Secret.sha256(token));
    }

    /** Ends the set-up link: the first account is made. */
    void endSetUp() {
        setUp = null;
    }

    private Failure.Thrown signedOut(Dao dao, Optional<AuthHeader.Named> named) {
        boolean noAccountYet = setUp != null && !dao.accounts().any();
        return (noAccountYet ? Failure.SET_UP_FIRST : named.isPresent() ? Failure.SIGNED_IN_BY_PROXY : Failure.SIGNED_OUT).thrown();
    }

    public Response show(SignedIn self, Request request) {
        return shown(self.person(), self.account());
    }

    /** Has the person work in another of their accounts from now on. */
    public Response changeAccount(SignedIn self, Request request) {
        long id = request.form(fields -> fields.number("account"));
        long person = self.person().id();
        self.write(dao -> {
            Failure.NO_MEMBER.unless(dao.people().memberships(person).stream().anyMatch(each -> each.account().id() == id));
            dao.sessions().changeAccount(self.session(), id);
        });
        return shown(self.person(), db.read(dao -> dao.accounts().find(id)).orElse(null));
    }

    /** @param account in which the person works, or null */
    Answer shown(Person person, Account account) {
        List<PersonDao.Membership> memberships = db.read(dao -> dao.people().memberships(person.id()));
        Role role = memberships.stream().filter(each -> account != null && each.account().id() == account.id())
                .map(PersonDao.Membership::role).findFirst().orElse(null);
        return Answer.json(new SessionJson(person.email(), person.name(), person.isAdministrator(),
                account == null ? null : account.id(), account == null ? null : account.name(),
                account == null ? null : account.label(), account == null ? null : account.colour(),
                account == null ? null : account.plan(), role,
                memberships.stream().map(each -> new AccountRow(each.account().id(), each.account().name(), each.account().label(),
                        each.account().colour(), each.role(), each.account().isSuspended())).toList(), baseUrl.toString()));
    }

    public Response signOut(Request request) {
        checkHost(request);
        cookies.sessionHash(request).ifPresent(hash -> db.writeUncached(dao -> dao.sessions().delete(hash)));
        return cookies.end(Answer.none());
    }

    /** Ends all sessions of the person. With {@code withdraw=true}, the links that a stolen one may have made end, too. */
    public Response signOutEverywhere(SignedIn self, Request request) {
        boolean withdraws = request.parameter("withdraw").equals("true");
        self.write(dao -> {
            dao.sessions().deleteAll(self.person().id());
            if (withdraws) {
                dao.links().withdrawAllOf(self.person().id(), clock.instant());
            }
        });
        db.log().info("sessions-ended", "email", self.person().email(), "address", self.actor().address());
        return cookies.end(Answer.none());
    }

    // ---- a person's own sessions

    /** @param browser in words. @param proxy whether one signed the person in. @param current whether it is the request's own */
    record SessionRow(long id, String browser, String address, Instant createdAt, Instant seenAt, boolean proxy, boolean current) {
    }

    public Response list(SignedIn self, Request request) {
        List<SessionDao.Listed> sessions = self.read(dao ->
                dao.sessions().list(self.person().id(), clock.instant(), IDLE_TIMEOUT, MAX_AGE));
        return Answer.json(Map.of("sessions", sessions.stream().map(each -> new SessionRow(each.id(),
                UserAgent.words(each.browser().userAgent()), each.browser().address(), each.createdAt(), each.seenAt(),
                each.source() == Source.HEADER, each.id() == self.session().id())).toList()));
    }

    /** Ends one of them, which may be the request's own. */
    public Response end(SignedIn self, Request request) {
        long id = request.number();
        self.write(dao -> {
            Failure.NOT_FOUND.unless(dao.sessions().delete(self.person().id(), id));
        });
        db.log().info("session-ended", "email", self.person().email(), "address", self.actor().address());
        return id == self.session().id() ? cookies.end(Answer.none()) : Answer.none();
    }

    // ---- for whatever signs in

    /** As {@link Hosts#check}. */
    void checkHost(Request request) {
        Hosts.check(request, baseUrl);
    }

    InetAddress address(Request request) {
        return proxies.client(request.peer(), request.headers("X-Forwarded-For"));
    }

    /** The address of a request's client, as it is logged. */
    String text(Request request) {
        return TrustedProxies.text(address(request));
    }

    private SessionDao.Browser browser(Request request) {
        return new SessionDao.Browser(UserAgent.stored(request.header("User-Agent")), text(request));
    }

    String newId() {
        return Secret.newId(random, ID_BYTES);
    }

    /** Begins a session under a new id, and ends the one that the request came with. @param account to work in, or null */
    void begin(Dao dao, Person person, Account account, Request request, Source source, String id) {
        Instant now = clock.instant();
        dao.sessions().deleteUnusedSince(now.minus(IDLE_TIMEOUT));
        dao.people().deleteRemoved();
        cookies.sessionHash(request).ifPresent(dao.sessions()::delete);
        dao.sessions().add(Secret.sha256(id), person.id(), account == null ? null : account.id(), browser(request), source, now);
    }

    /** Shows a session that has begun, with its cookies. @param passwordHash of the person, or null where a proxy named them */
    Answer begun(String id, String passwordHash) {
        SessionDao.Session session = db.read(dao -> find(dao, Secret.sha256(id))).orElseThrow(Failure.SIGNED_OUT::thrown);
        return cookies.begin(shown(session.person(), session.account()), id, passwordHash);
    }
}
