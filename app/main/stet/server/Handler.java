package stet.server;

import static stet.core.Role.EDITOR;
import static stet.core.Role.OWNER;
import static stet.core.Role.WRITER;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.util.function.BiFunction;
import stet.access.Administrator;
import stet.access.Member;
import stet.access.SignedIn;
import stet.api.GetImage.ImageRequest;
import stet.api.GetTemplate;
import stet.base.Json;
import stet.base.Lazy;
import stet.base.Metrics.Area;
import stet.base.Utf8;
import stet.core.Role;
import stet.fixture.Fixture;
import stet.http.AllowedMethods;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.http.RouteResult;
import stet.server.HeavyWork.WorkKind;
import stet.sqlite.Health;
import stet.sqlite.Statistics;
import stet.web.Push;
import stet.web.Web;

/** Routes all requests, with the role that each needs. {@link Responder} sends their responses. */
final class Handler implements HttpHandler {
    private static final Response HEALTHY = Response.unstored(200, Response.JSON, Utf8.encode("{\"status\":\"ok\"}"));

    private final Responder responder;
    private final GetTemplate getTemplate;
    private final Statistics statistics;
    private final Lazy<Web> web;
    private final HeavyWork heavyWork;
    private final LargeBodies bodies;
    private final Fixture fixture;
    private final Health health;

    /** @param fixture the test double, or null */
    Handler(Responder responder, GetTemplate getTemplate, Statistics statistics, Lazy<Web> web, HeavyWork heavyWork, LargeBodies bodies, Health health,
            Fixture fixture) {
        this.responder = responder;
        this.getTemplate = getTemplate;
        this.statistics = statistics;
        this.web = web;
        this.heavyWork = heavyWork;
        this.bodies = bodies;
        this.health = health;
        this.fixture = fixture;
    }

    /** @throws IOException if the client has disconnected; the server then drops the connection */
    @Override
    public void handle(HttpExchange exchange) throws IOException {
        responder.handle(exchange, client -> {
            client.visit = fixture == null ? null : fixture.visit(client.request);
            return client.visit != null && client.visit.instead() != null ? client.visit.instead() : respond(client.request);
        });
    }

    /** The metrics listener's handler, which has a single route. */
    HttpHandler listing(MetricsPage page) {
        return exchange -> responder.handle(exchange, client -> {
            client.area = Area.METRICS;
            return switch ((client.request.isHead() ? "GET" : client.request.method()) + " " + client.request.path()) {
                case "GET /metrics" -> page.response();
                default -> Failure.NOT_FOUND.response();
            };
        });
    }

    /** Routes a request; HEAD is routed like GET. */
    private RouteResult respond(Request request) {
        return switch ((request.isHead() ? "GET" : request.method()) + " " + request.path()) {
            // the retrieval API (api.md, The request)
            case "GET /api/v1/templates/:id" -> getTemplate.begin(request);

            // images in emails (api.md, Images)
            case "GET /images/:id" -> new ImageRequest(request);

            // operation and documents
            case "GET /healthz" -> health.failing().map(Handler::failing).orElse(HEALTHY);
            case "GET /docs" -> web().assets().readme(request);
            case "GET /docs/:id" -> web().assets().document(request);

            // pages of the web application
            case "GET /", "GET /templates", "GET /templates/:id", "GET /templates/:id/preview",
                 "GET /blocks", "GET /blocks/:id", "GET /blocks/:id/preview", "GET /images", "GET /stale", "GET /trash", "GET /keys", "GET /usage",
                 "GET /activity", "GET /users", "GET /account", "GET /security", "GET /installation",
                 "GET /signin", "GET /setup", "GET /join", "GET /reset", "GET /forgot", "GET /confirm", "GET /review"
                         -> web().assets().page(request);
            case "GET /assets/:id/:id", "GET /assets/:id/:id/:id" -> web().assets().file(request);
            case "GET /previews/:id" -> web().previews().show(request, bodies::hold);

            // sessions
            case "POST /data/setup" -> web().signIn().setUp(request);
            case "POST /data/session" -> web().signIn().signIn(request);
            case "POST /data/session/proxy" -> web().signIn().signInByProxy(request);
            case "DELETE /data/session" -> web().sessions().signOut(request);
            case "GET /data/session" -> signedIn(request, web().sessions()::show);
            case "PUT /data/session" -> signedIn(request, web().sessions()::changeAccount);
            case "GET /data/sessions" -> signedIn(request, web().ownSessions()::list);
            case "DELETE /data/sessions" -> signedIn(request, web().ownSessions()::endAll);
            case "DELETE /data/sessions/:id" -> signedIn(request, web().ownSessions()::end);
            case "PUT /data/password" -> signedIn(request, web().signIn()::changePassword);
            case "GET /data/two-factor" -> signedIn(request, web().twoFactor()::show);
            case "POST /data/two-factor" -> signedIn(request, web().twoFactor()::begin);
            case "PUT /data/two-factor" -> signedIn(request, web().twoFactor()::confirm);
            case "POST /data/two-factor/off" -> signedIn(request, web().twoFactor()::turnOff);
            case "POST /data/two-factor/codes" -> signedIn(request, web().twoFactor()::renewRecoveryCodes);
            case "PUT /data/two-factor/required" -> as(OWNER, request, web().users()::requireTwoFactor);
            case "PUT /data/user" -> signedIn(request, web().profile()::change);

            // invitations and password-reset links; the secret is in the body so that no log contains it
            case "POST /data/link" -> web().links().show(request);
            case "POST /data/link/join" -> signedIn(request, web().links()::join);
            case "POST /data/link/register" -> web().links().register(request);
            case "POST /data/link/reset" -> web().links().reset(request);
            case "POST /data/link/confirm" -> web().links().confirm(request);
            case "POST /data/link/request" -> web().links().requestReset(request);

            // emails to users
            case "GET /data/mail" -> web().mailSettings().show(request);
            case "GET /data/mail/own" -> signedIn(request, web().mailSettings()::own);
            case "POST /data/mail/confirmation" -> signedIn(request, web().mailSettings()::confirm);
            case "PUT /data/mail/choices" -> as(WRITER, request, web().mailSettings()::choose);
            case "GET /data/mail/queue" -> administrator(request, web().mailSettings()::queue);
            case "GET /data/tests" -> as(WRITER, request, web().mailTests()::recipients);
            case "POST /data/tests" -> as(WRITER, WorkKind.CHECK, request, web().mailTests()::draft);
            case "GET /data/tests/:id" -> as(WRITER, request, web().mailTests()::show);
            case "POST /data/templates/:id/versions/:id/tests" -> as(WRITER, WorkKind.CHECK, request, web().mailTests()::version);
            case "POST /data/review/tests" -> as(WRITER, WorkKind.CHECK, request, web().mailTests()::review);

            // account members
            case "GET /data/members" -> as(WRITER, request, web().users()::list);
            case "PUT /data/members/:id" -> as(OWNER, request, web().users()::changeRole);
            case "DELETE /data/members/:id" -> as(OWNER, request, web().users()::remove);
            case "GET /data/members/:id/secrets" -> as(OWNER, request, web().users()::secrets);
            case "POST /data/members/:id/reset" -> as(OWNER, request, web().users()::makeResetLink);
            case "DELETE /data/membership" -> as(WRITER, request, web().users()::leave);
            case "PUT /data/account" -> as(OWNER, request, web().users()::changeAccount);
            case "POST /data/invitations" -> as(OWNER, request, web().users()::invite);
            case "DELETE /data/invitations/:id" -> as(OWNER, request, web().users()::revoke);

            // templates and their drafts
            case "GET /data/templates" -> as(WRITER, WorkKind.REPORT, request, web().templates()::list);
            case "POST /data/templates" -> as(WRITER, WorkKind.SAVE, request, web().templates()::create);
            case "GET /data/ids" -> as(WRITER, request, web().templates()::suggestId);
            case "GET /data/starters" -> as(WRITER, WorkKind.REPORT, request, web().starters()::list);
            case "GET /data/templates/:id" -> as(WRITER, WorkKind.REPORT, request, web().templates()::show);
            case "PUT /data/templates/:id" -> as(WRITER, WorkKind.SAVE, request, web().templates()::save);
            case "PUT /data/templates/:id/name" -> as(EDITOR, WorkKind.SAVE, request, web().templates()::rename);
            case "DELETE /data/templates/:id" -> as(OWNER, request, web().templates()::delete);
            case "PUT /data/templates/:id/tags" -> as(WRITER, WorkKind.SAVE, request, web().templates()::changeTags);
            case "PUT /data/templates/:id/features" -> as(WRITER, request, web().mailClients()::accept);
            case "GET /data/clients" -> as(WRITER, request, web().mailClients()::list);
            case "PUT /data/clients" -> as(EDITOR, request, web().mailClients()::choose);
            case "GET /data/brand" -> as(WRITER, request, web().brands()::show);
            case "PUT /data/brand" -> as(EDITOR, request, web().brands()::set);
            case "GET /data/search" -> as(WRITER, WorkKind.REPORT, request, web().templates()::search);
            case "GET /data/deletions" -> as(WRITER, WorkKind.REPORT, request, web().templates()::deleted);
            case "POST /data/deletions/:id/restore" -> as(EDITOR, WorkKind.SAVE, request, web().templates()::restore);
            case "DELETE /data/deletions/:id" -> as(OWNER, request, web().templates()::remove);
            case "DELETE /data/deletions" -> as(OWNER, request, web().templates()::emptyTrash);

            // concurrent editing, review requests and activity
            case "POST /data/templates/:id/presence" -> as(WRITER, request, web().presence()::template);
            case "POST /data/blocks/:id/presence" -> as(WRITER, request, web().presence()::block);
            case "POST /data/templates/:id/request" -> as(WRITER, WorkKind.SAVE, request, web().templates()::requestReview);
            case "DELETE /data/templates/:id/request" -> as(WRITER, WorkKind.SAVE, request, web().templates()::withdraw);
            case "GET /data/activity" -> as(EDITOR, request, web().activity()::list);

            // review links for guests without an account (the secret is in the body) and comments
            case "GET /data/templates/:id/reviews" -> as(WRITER, request, web().reviews()::list);
            case "POST /data/templates/:id/reviews" -> as(WRITER, request, web().reviews()::create);
            case "POST /data/templates/:id/versions/:id/reviews" -> as(WRITER, request, web().reviews()::createOfVersion);
            case "DELETE /data/templates/:id/reviews/:id" -> as(WRITER, request, web().reviews()::revoke);
            case "GET /data/templates/:id/comments" -> as(WRITER, WorkKind.REPORT, request, web().comments()::list);
            case "POST /data/templates/:id/comments" -> as(WRITER, WorkKind.SAVE, request, web().comments()::add);
            case "PUT /data/templates/:id/comments/:id" -> as(WRITER, WorkKind.SAVE, request, web().comments()::resolve);
            case "DELETE /data/templates/:id/comments/:id" -> as(WRITER, WorkKind.REPORT, request, web().comments()::delete);
            case "POST /data/review/comments" -> web().reviews().comment(request, (guest, work) -> heavyWork.run(WorkKind.SAVE, guest, request, work));
            case "POST /data/review" -> web().reviews().open(request, (guest, work) -> heavyWork.run(WorkKind.CHECK, guest, request, work));

            // publishing and history
            case "POST /data/check" -> as(WRITER, WorkKind.CHECK, request, web().drafts()::check);
            case "POST /data/filled" -> as(WRITER, WorkKind.CHECK, request, web().drafts()::filled);
            case "POST /data/eml" -> as(WRITER, WorkKind.CHECK, request, web().drafts()::file);
            case "GET /data/templates/:id/types" -> as(WRITER, WorkKind.CHECK, request, web().publishing()::types);
            case "GET /data/templates/:id/publication" -> as(WRITER, WorkKind.CHECK, request, web().publishing()::publication);
            case "POST /data/templates/:id/publish" -> as(EDITOR, WorkKind.SAVE, request, web().publishing()::publish);
            case "GET /data/templates/:id/versions" -> as(WRITER, WorkKind.REPORT, request, web().publishing()::versions);
            case "GET /data/templates/:id/versions/:id" -> as(WRITER, WorkKind.CHECK, request, web().publishing()::version);
            case "POST /data/templates/:id/versions/:id/preview" -> as(WRITER, WorkKind.CHECK, request,
                    web().publishing()::previewVersion);
            case "POST /data/templates/:id/versions/:id/restore" -> as(WRITER, WorkKind.SAVE, request, web().publishing()::restore);
            case "POST /data/templates/:id/versions/:id/publish" -> as(EDITOR, WorkKind.SAVE, request, web().publishing()::publishAgain);
            case "POST /data/comparisons" -> as(WRITER, WorkKind.MANY, request, web().publications()::compare);
            case "POST /data/publications" -> as(EDITOR, WorkKind.MANY, request, web().publications()::publish);
            case "GET /data/stale" -> as(WRITER, WorkKind.REPORT, request, web().publishing()::stale);

            // shared blocks
            case "GET /data/blocks" -> as(WRITER, WorkKind.REPORT, request, web().blocks()::list);
            case "POST /data/blocks" -> as(WRITER, WorkKind.SAVE, request, web().blocks()::create);
            case "GET /data/blocks/:id" -> as(WRITER, WorkKind.REPORT, request, web().blocks()::show);
            case "PUT /data/blocks/:id" -> as(WRITER, WorkKind.SAVE, request, web().blocks()::save);
            case "DELETE /data/blocks/:id" -> as(OWNER, request, web().blocks()::delete);

            // images
            case "GET /data/images" -> as(WRITER, WorkKind.REPORT, request, web().images()::list);
            case "POST /data/images" -> as(WRITER, WorkKind.SAVE, request, web().images()::add);
            case "GET /data/images/:id" -> as(WRITER, request, web().images()::uses);
            case "PUT /data/images/:id" -> as(WRITER, WorkKind.SAVE, request, web().images()::replace);
            case "DELETE /data/images/:id" -> as(OWNER, request, web().images()::delete);
            case "DELETE /data/image-files/:id" -> as(OWNER, request, web().images()::deleteFile);

            // keys and usage
            case "GET /data/keys" -> as(OWNER, WorkKind.REPORT, request, web().keys()::list);
            case "POST /data/keys" -> as(OWNER, request, web().keys()::create);
            case "DELETE /data/keys/:id" -> as(OWNER, request, web().keys()::delete);
            case "POST /data/keys/:id/rotate" -> as(OWNER, request, web().keys()::rotate);
            case "GET /data/tokens" -> as(OWNER, request, web().tokens()::list);
            case "POST /data/tokens" -> as(OWNER, request, web().tokens()::create);
            case "DELETE /data/tokens/:id" -> as(OWNER, request, web().tokens()::delete);
            case "POST /data/tokens/:id/rotate" -> as(OWNER, request, web().tokens()::rotate);
            case "GET /data/usage" -> as(WRITER, WorkKind.REPORT, request, web().dashboard()::usage);

            case "GET /data/webhook" -> as(OWNER, request, web().webhook()::show);
            case "PUT /data/webhook" -> as(OWNER, request, web().webhook()::set);
            case "DELETE /data/webhook" -> as(OWNER, request, web().webhook()::remove);
            case "POST /data/webhook/test" -> as(OWNER, request, web().webhook()::test);

            // server backups
            case "GET /data/backups" -> as(OWNER, request, web().dashboard()::backups);

            // server administration
            case "GET /data/installation" -> administratorReport(request, web().installation()::show);
            case "POST /data/installation/images" -> administrator(request, web().imagesAddress()::test);
            case "POST /data/accounts" -> administrator(request, web().installation()::add);
            case "POST /data/accounts/:id/invitation" -> administrator(request, web().installation()::invite);
            case "PUT /data/accounts/:id/plan" -> administrator(request, web().installation()::changePlan);
            case "PUT /data/accounts/:id/name" -> administrator(request, web().installation()::rename);
            case "POST /data/accounts/:id/suspend" -> administrator(request, web().installation()::suspend);
            case "POST /data/accounts/:id/resume" -> administrator(request, web().installation()::resume);
            case "DELETE /data/accounts/:id" -> administrator(request, web().installation()::delete);

            // import, export and copying
            case "GET /data/export" -> as(WRITER, WorkKind.EXPORT, request, web().zipFiles()::exportZip);
            case "POST /data/export" -> as(WRITER, WorkKind.EXPORT, request, web().zipFiles()::exportSome);
            case "POST /data/copies/:id" -> as(WRITER, WorkKind.EXPORT, request, web().copies()::copy);
            case "POST /data/import/difference" -> as(OWNER, WorkKind.IMPORT, request, web().zipFiles()::difference);
            case "POST /data/import" -> as(OWNER, WorkKind.IMPORT, request, web().zipFiles()::importZip);

            // the push API, which requires deploy tokens (git-and-ci.md)
            case "GET /push" -> token(WRITER, WorkKind.REPORT, request, web().push()::state);
            case "POST /push" -> token(Push.role(request), WorkKind.PUSH, request, web().push()::push);
            case "DELETE /push/previews/:id" -> token(WRITER, WorkKind.SAVE, request, web().push()::endPreview);
            case "GET /pull" -> token(WRITER, WorkKind.EXPORT, request, web().push()::pull);
            case "GET /push/types" -> token(WRITER, WorkKind.EXPORT, request, web().push()::types);
            case "GET /push/templates/:id/versions" -> token(WRITER, WorkKind.REPORT, request, web().push()::versions);
            case "POST /push/templates/:id/rollback" -> token(EDITOR, WorkKind.SAVE, request, web().push()::rollback);

            // the test double's control endpoints are routed in stet.fixture.Routes
            default -> fixture != null && fixture.isControl(request) ? fixture.control(request) : withoutRoute(request);
        };
    }

    /** Returns 405 if the path has routes for other methods (RFC 9110, 15.5.6), otherwise 404. */
    private RouteResult withoutRoute(Request request) {
        return AllowedMethods.of(request.path()).map(allowed -> Failure.METHOD_NOT_ALLOWED.response().with("Allow", allowed))
                .orElseGet(() -> fixture == null ? web().assets().notFound(request) : Failure.NOT_FOUND.response());
    }

    /** Handles a request from any signed-in user, even one without an account. */
    private RouteResult signedIn(Request request, BiFunction<SignedIn, Request, RouteResult> page) {
        return page.apply(web().sessions().signedIn(request), request);
    }

    /** Handles a request from a member with at least this role. */
    private RouteResult as(Role role, Request request, BiFunction<Member, Request, RouteResult> page) {
        return page.apply(web().sessions().member(role, request), request);
    }

    /** Runs a heavy task for a member with at least this role. For a report, writes pending statistics first. */
    private RouteResult as(Role role, WorkKind kind, Request request, BiFunction<Member, Request, RouteResult> page) {
        Member member = web().sessions().member(role, request);
        if (kind == WorkKind.REPORT) {
            statistics.write();
        }
        return heavyWork.run(kind, member.owner(), request, () -> page.apply(member, request));
    }

    /** Runs a heavy task for a deploy token with at least this role. */
    private RouteResult token(Role role, WorkKind kind, Request request, BiFunction<Member, Request, RouteResult> work) {
        Member member = web().deployTokens().member(role, request);
        return heavyWork.run(kind, member.owner(), request, () -> work.apply(member, request));
    }

    /** Handles a request from an administrator. */
    private RouteResult administrator(Request request, BiFunction<Administrator, Request, RouteResult> page) {
        return page.apply(web().sessions().administrator(request), request);
    }

    /** Runs a report for an administrator; writes pending statistics first. */
    private RouteResult administratorReport(Request request, BiFunction<Administrator, Request, RouteResult> page) {
        Administrator administrator = web().sessions().administrator(request);
        statistics.write();
        return heavyWork.run(WorkKind.REPORT, administrator.owner(), request, () -> page.apply(administrator, request));
    }

    private Web web() {
        return web.get();
    }

    /** The response of /healthz while the server does not work. */
    private static Response failing(String reason) {
        return Response.json(503, Json.object().put("status", "failing").put("reason", reason));
    }
}
