package stet.http;

/** The result of a route: an {@link Answer}, or an answer of package api that must be counted first. */
public interface Response {
}
