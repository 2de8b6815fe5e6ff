package stet.base;

import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** TLS on an open connection. */
public final class Tls {
    private Tls() {
    }

    /**
     * Adds TLS to a connection. The handshake, which the caller starts, verifies the certificate and the host name (RFC 9110, 4.3.4;
     * RFC 7817), although the connection may have been opened to an address.
     *
     * @param plain closed with the returned socket
     */
    public static SSLSocket over(Socket plain, String host, int port, SSLSocketFactory factory) throws IOException {
        SSLSocket secured = (SSLSocket) factory.createSocket(plain, host, port, true);
        SSLParameters parameters = secured.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secured.setSSLParameters(parameters);
        return secured;
    }
}
