package stet.http;

/** The result of a route: a {@link Response} or, in package api, a request that is counted or handed over before its response. */
public interface RouteResult {
}
