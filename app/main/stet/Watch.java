package stet;

import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import stet.core.Metrics;
import stet.core.Metrics.Area;
import stet.http.AccessLog;
import stet.http.Answer;
import stet.http.Request;

/** Watches a server for its operator: measures each answer, writes it to the access log, and lists the measurements. */
final class Watch {
    /** Begins the paths of the web application's data. */
    private static final String PAGES = "/data/";
    /** Begins the paths of deploy tokens that take a body. */
    private static final String PUSH = "/push";
    private static final String API = "/api/";

    private final Metrics metrics;
    private final AccessLog accessLog;
    private HttpContext operators;
    private MetricsPage page;

    /** @param accessLog or null */
    Watch(Metrics metrics, AccessLog accessLog) {
        this.metrics = metrics;
        this.accessLog = accessLog;
    }

    /** Has the measurements served in this context alone, and nothing else in it; called before its server starts. */
    void list(HttpContext context, MetricsPage measurements) {
        operators = context;
        page = measurements;
    }

    Answer listing() {
        return page.answer();
    }

    Area area(HttpExchange exchange, String target) {
        if (operators != null && exchange.getHttpContext() == operators) {
            return Area.METRICS;
        }
        return target.startsWith(API) ? Area.API : target.startsWith(PAGES) || target.startsWith(PUSH) ? Area.WEB : Area.OTHER;
    }

    /**
     * Notes an answer that was sent, or whose client has gone.
     *
     * @param request null when it could not be read
     * @param began   when it came, by System.nanoTime
     */
    void answered(Area area, Request request, Answer answer, long began) throws IOException {
        metrics.answered(area, answer.status(), System.nanoTime() - began, request == null ? 0 : request.waited());
        if (accessLog != null && request != null && area != Area.METRICS) {
            accessLog.add(request, answer.status(), request.isHead() ? 0 : answer.length());
        }
    }
}
