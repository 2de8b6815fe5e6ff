package bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/**
 * A client with a header of its own.
 *
 * @param name  of the header that goes with each request
 * @param value of that header
 */
record Client(String url, String name, String value) {
    static final ObjectMapper JSON = new ObjectMapper();
    /** HTTP/1.1, because chromedriver does not respond to requests that offer an upgrade to HTTP/2. */
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    /** Longer than the longest script in the browser. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    Client(String url) {
        this(url, "Accept", "*/*");
    }

    /** Signs in with {@link Data#PASSWORD}. */
    static Client signedIn(String url, String email) throws Exception {
        String cookie = new Client(url).success("POST", "/data/session", "application/json",
                JSON.writeValueAsBytes(Map.of("email", email, "password", Data.PASSWORD))).headers().firstValue("Set-Cookie").orElseThrow();
        return new Client(url, "Cookie", cookie.split(";")[0]);
    }

    /** @param secret an API key or deploy token */
    static Client withKey(String url, String secret) {
        return new Client(url, "Authorization", "Bearer " + secret);
    }

    /** @param body null for none @throws IllegalStateException if the response is no success */
    HttpResponse<byte[]> success(String method, String path, String type, byte[] body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path)).header(name, value).timeout(PATIENCE)
                .method(method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(body));
        if (body != null) {
            request.header("Content-Type", type);
        }
        HttpResponse<byte[]> response;
        try {
            response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (ConnectException refused) {
            throw refused;
        } catch (IOException closed) { // A server may close idle connections at any time; clients then send once more.
            response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        }
        if (response.statusCode() / 100 != 2) {
            throw new IllegalStateException(method + " " + path + ": " + response.statusCode() + " " + new String(response.body(), StandardCharsets.UTF_8));
        }
        return response;
    }

    /** Connects and sends a request, whose response is the caller's to read. @param window bytes that the system receives ahead */
    static Socket send(String url, String request, int window) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(window);
        socket.connect(new InetSocketAddress(URI.create(url).getHost(), URI.create(url).getPort()));
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    /** Returns false if the connection is refused. */
    boolean isAnswered(String path) throws Exception {
        try {
            return success("GET", path, "", null).statusCode() == 200;
        } catch (ConnectException notYet) {
            return false;
        }
    }

    byte[] get(String path) throws Exception {
        return success("GET", path, "", null).body();
    }

    JsonNode json(String path) throws Exception {
        return JSON.readTree(get(path));
    }

    /** @param body for Jackson */
    JsonNode json(String method, String path, Object body) throws Exception {
        return JSON.readTree(success(method, path, "application/json", JSON.writeValueAsBytes(body)).body());
    }
}
