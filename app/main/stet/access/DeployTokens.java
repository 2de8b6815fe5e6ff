package stet.access;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import stet.base.Secret;
import stet.core.Actor;
import stet.core.Owner;
import stet.core.Role;
import stet.core.SecretGrant;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.StoreException;
import stet.http.Failure;
import stet.http.Request;
import stet.sqlite.Db;

/** Authenticates deploy tokens. Tokens and their roles are checked only here. */
public final class DeployTokens {
    /** Minimum time between recorded uses of a token. */
    private static final Duration USE_INTERVAL = Duration.ofMinutes(1);

    private final Db db;
    private final Clock clock;
    private final Sessions sessions;

    public DeployTokens(Db db, Clock clock, Sessions sessions) {
        this.db = db;
        this.clock = clock;
        this.sessions = sessions;
    }

    /**
     * Authenticates a request's token. The role is checked here, and again in each database transaction. Invalid tokens are
     * logged as failed sign-ins and throttled by address; valid tokens are never throttled.
     *
     * @param role the role that the request requires
     * @throws Failure.Thrown if the token is missing or invalid, its account is suspended, or its role is insufficient
     */
    public Member member(Role role, Request request) {
        String secret = request.bearer();
        Failure.MISSING_TOKEN.when(request.headers("Authorization").isEmpty());
        Failure.WRONG_TOKEN.when(secret == null);
        byte[] hash = Secret.sha256(secret);
        Optional<SecretGrant> found = db.read(dao -> find(dao, hash));
        if (found.isEmpty()) {
            countWrong(request, secret);
            throw Failure.WRONG_TOKEN.thrown();
        }
        SecretGrant grant = found.get();
        Actor actor = new Actor(null, "token " + grant.name(), sessions.addressText(request), grant.role());
        request.setSender(actor.name());
        check(grant, role);
        recordUse(grant);
        return new Member(db, new Author(actor, dao -> {
            check(find(dao, hash).orElseThrow(Failure.WRONG_TOKEN::thrown), role);
            return actor;
        }), Owner.token(grant.account().id(), grant.id()), null, grant.account(), grant.role());
    }

    /** @return empty if the token is unknown or expired */
    private Optional<SecretGrant> find(Dao dao, byte[] hash) {
        return dao.tokens().access(hash).filter(grant -> !grant.isExpired(clock.instant()));
    }

    private static void check(SecretGrant grant, Role role) {
        Failure.ACCOUNT_SUSPENDED.when(grant.account().isSuspended());
        Failure.EDITOR_TOKENS_ONLY.unless(grant.role().includes(role));
    }

    /** Counts a wrong token as a failed sign-in attempt from the address, and logs it. @throws Failure.Thrown if the limit is reached */
    private void countWrong(Request request, String secret) {
        sessions.attempts.ofLink(sessions.address(request)).arrive();
        db.log().warn("sign-in-failed", "address", sessions.addressText(request), "email", "", "token",
                secret.startsWith("stet_") ? Secret.start(secret) : ""); // other secrets, which may be sent by mistake, are never logged
    }

    /** Records the token's use, at most once a minute, if possible. Tokens keep working while the database is read-only. */
    private void recordUse(SecretGrant grant) {
        Instant now = clock.instant();
        Optional<Instant> last = db.read(dao -> dao.tokens().lastUsed(grant.id()));
        if (last.isEmpty() || last.get().plus(USE_INTERVAL).isBefore(now)) {
            try {
                db.changeUncached(dao -> dao.tokens().recordUse(grant.id(), now));
            } catch (StoreException full) {
                // A later request will record a use.
            }
        }
    }
}
