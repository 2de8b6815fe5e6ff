package stet.http;

/** Sends the answer to one request, once, on any thread; throws nothing. */
public interface Sender {
    void send(Answer answer, Part part);
}
