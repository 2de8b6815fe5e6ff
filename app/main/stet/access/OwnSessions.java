package stet.access;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import stet.base.UserAgent;
import stet.dao.SessionDao.SessionSource;
import stet.dao.SessionDao;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;

/** The list of a user's own sessions, which the user can end. */
public final class OwnSessions {
    private final Clock clock;
    private final Sessions sessions;

    public OwnSessions(Clock clock, Sessions sessions) {
        this.clock = clock;
        this.sessions = sessions;
    }

    /**
     * @param browser readable name
     * @param proxy   true if a proxy signed the user in
     * @param current true for the session that sent the request
     */
    record SessionRow(long id, String browser, String address, Instant createdAt, Instant seenAt, boolean proxy, boolean current) {
    }

    record SessionList(List<SessionRow> sessions) {
    }

    public Response list(SignedIn self, Request request) {
        List<SessionDao.SessionInfo> own = self.read(dao ->
                dao.sessions().list(self.user().id(), clock.instant(), Sessions.IDLE_TIMEOUT, Sessions.MAX_AGE));
        return Response.json(new SessionList(own.stream().map(each -> new SessionRow(each.id(),
                UserAgent.words(each.browser().userAgent()), each.browser().address(), each.createdAt(), each.seenAt(),
                each.source() == SessionSource.HEADER, each.id() == self.session().id())).toList()));
    }

    /** Ends one session, possibly the current one. */
    public Response end(SignedIn self, Request request) {
        long id = request.number();
        self.change(dao -> Failure.NOT_FOUND.unless(dao.sessions().delete(self.user().id(), id)));
        self.log().info("session-ended", "email", self.user().email(), "address", self.actor().address());
        return id == self.session().id() ? sessions.cookies.end(Response.none()) : Response.none();
    }

    /** Ends all of the user's sessions. With {@code revoke=true}, also revokes links that a stolen session could have made. */
    public Response endAll(SignedIn self, Request request) {
        boolean revokes = request.parameter("revoke").equals("true");
        self.change(dao -> {
            dao.sessions().deleteAll(self.user().id());
            if (revokes) {
                dao.links().revokeAllOf(self.user().id(), clock.instant());
            }
        });
        self.log().info("sessions-ended", "email", self.user().email(), "address", self.actor().address());
        return sessions.cookies.end(Response.none());
    }
}
