package stet.http;

/** The result of a route: an {@link Answer} or, in package api, a response whose request must be counted first. */
public interface Response {
}
