package stet.http;

/** An exchange whose response has been sent. The client's next request is read once the exchange is closed. */
public interface OpenExchange {
    /** Nothing to close: the exchange is closed already, or its response is sent later. */
    OpenExchange NONE = () -> { };

    /** Closes the exchange without blocking. Must be called once. */
    void close();
}
