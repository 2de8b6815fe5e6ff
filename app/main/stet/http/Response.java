package stet.http;

/** The result of a route: an {@link Answer} or, in package api, a response that must be counted first. */
public interface Response {
}
