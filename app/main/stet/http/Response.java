package stet.http;

/** What a route returns: an {@link Answer}, or in the room api one that has to be counted first. */
public interface Response {
}
