package stet.access;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Actor;
import stet.core.DeployToken;
import stet.core.Owner;
import stet.core.Role;
import stet.core.Validation;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.StoreException;
import stet.dao.TokenDao.Grant;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.sqlite.Db;

/** An account's deploy tokens. Tokens and their roles are checked only here. */
public final class DeployTokens {
    /** Maximum number of hours that a rotated token can keep working. */
    private static final long MAX_OVERLAP_HOURS = 72;
    private static final long MAX_DAYS = 3_650;
    /** Minimum time between recorded uses of a token. */
    private static final Duration USE_INTERVAL = Duration.ofMinutes(1);

    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final Sessions sessions;

    public DeployTokens(Db db, Clock clock, RandomGenerator random, Sessions sessions) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.sessions = sessions;
    }

    /** A new token, which cannot be shown again. */
    record NewToken(long id, String name, Role role, String token) {
    }

    public Response list(Member member, Request request) {
        Instant now = clock.instant();
        List<DeployToken> tokens = member.read(dao -> dao.tokens().list(member.account().id()));
        return Answer.json(Map.of("tokens", tokens.stream().filter(token -> !token.isExpired(now)).toList(), "limit", DeployToken.MAX));
    }

    public Response create(Member member, Request request) {
        Account account = member.account();
        Fields fields = request.form();
        String name = Validation.name(fields.text("name"));
        Role role = Role.of(fields.text("role", Role.WRITER.word()));
        Long days = fields.number("days", 1, MAX_DAYS, null);
        fields.end();
        String secret = Secret.newToken(random);
        Instant now = clock.instant();
        DeployToken token = member.write(dao -> dao.tokens().add(account, name, role, secret,
                days == null ? null : now.plus(Duration.ofDays(days)), now));
        member.log().info("token-added", "account", account.name(), "token", token.id(), "role", role.word(), "user",
                member.user().email());
        return Answer.json(201, new NewToken(token.id(), token.name(), role, secret));
    }

    public Response delete(Member member, Request request) {
        Account account = member.account();
        long id = request.number();
        Failure.NOT_FOUND.unless(member.write(dao -> dao.tokens().delete(account.id(), id, clock.instant())));
        member.log().info("token-deleted", "account", account.name(), "token", id, "user", member.user().email());
        return Answer.none();
    }

    public Response rotate(Member member, Request request) {
        Account account = member.account();
        long hours = request.form(fields -> fields.number("hours", 24L));
        if (hours < 0 || hours > MAX_OVERLAP_HOURS) {
            throw new Refusal("hours", "The old token can keep working for 0 to " + MAX_OVERLAP_HOURS + " hours");
        }
        long id = request.number();
        String secret = Secret.newToken(random);
        Instant now = clock.instant();
        DeployToken token = member.write(dao -> dao.tokens().rotate(account, id, secret, now, now.plus(Duration.ofHours(hours))))
                .orElseThrow(Failure.NOT_FOUND::thrown);
        member.log().info("token-rotated", "account", account.name(), "token", id, "new", token.id(), "hours", hours,
                "user", member.user().email());
        return Answer.json(201, new NewToken(token.id(), token.name(), token.role(), secret));
    }

    // ---- authorization

    /**
     * Authenticates a request's token. The role is checked here, and again in each database transaction. Invalid tokens are
     * logged as failed sign-ins and throttled by address; valid tokens are never throttled.
     *
     * @throws Failure.Thrown if the token is missing or invalid, its account is suspended, or its role is insufficient
     */
    public Member member(Role role, Request request) {
        String secret = request.bearer();
        Failure.MISSING_TOKEN.when(request.headers("Authorization").isEmpty());
        Failure.WRONG_TOKEN.when(secret == null);
        byte[] hash = Secret.sha256(secret);
        Grant grant = db.read(dao -> dao.tokens().grant(hash, clock.instant())).orElseThrow(() -> wrong(request, secret));
        Actor actor = new Actor(null, "token " + grant.token().name(), sessions.text(request), grant.token().role());
        request.sender(actor.name());
        check(grant, role);
        use(grant);
        return new Member(db, new Author(actor, dao -> {
            check(grant(dao, hash), role);
            return actor;
        }), Owner.token(grant.account().id(), grant.token().id()), null, grant.account(), grant.token().role());
    }

    private Grant grant(Dao dao, byte[] hash) {
        return dao.tokens().grant(hash, clock.instant()).orElseThrow(Failure.WRONG_TOKEN::thrown);
    }

    private static void check(Grant grant, Role role) {
        Failure.ACCOUNT_SUSPENDED.when(grant.account().isSuspended());
        Failure.EDITOR_TOKENS_ONLY.unless(grant.token().role().includes(role));
    }

    private Failure.Thrown wrong(Request request, String secret) {
        sessions.attempts.ofLink(sessions.address(request)).arrive();
        db.log().warn("sign-in-failed", "address", sessions.text(request), "email", "", "token",
                secret.startsWith("stet_") ? Secret.start(secret) : ""); // other secrets, which may be sent by mistake, are never logged
        return Failure.WRONG_TOKEN.thrown();
    }

    /** Records the token's use if possible. Tokens keep working while the database is read-only. */
    private void use(Grant grant) {
        Instant now = clock.instant();
        Instant last = grant.token().lastUsedAt();
        if (last == null || last.plus(USE_INTERVAL).isBefore(now)) {
            try {
                db.changeUncached(dao -> dao.tokens().used(grant.token().id(), now));
            } catch (StoreException full) {
                // A later request will record a use.
            }
        }
    }
}
