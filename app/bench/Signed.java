package stet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import stet.base.Json;

/** A signed-in browser. After a 503, it waits and retries as the pages do. */
final class Signed {
    private static final String JSON = "application/json";
    /** A parser without Stet's limits, which are meant for requests. */
    private static final ObjectMapper JSON_READER = new ObjectMapper();
    /** Timeout for the whole response, in s. */
    private static final int LIMIT = 60;
    /** Maximum number of consecutive 503 responses. */
    private static final int TRIES = 60;

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AtomicInteger putOff = new AtomicInteger();
    private final String url;
    private final String cookie;

    private Signed(String url, String email) throws Exception {
        this.url = url;
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/data/session")).header("Content-Type", JSON)
                .POST(body(Json.object().put("email", email).put("password", Data.PASSWORD))).build();
        HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        this.cookie = answer.headers().firstValue("Set-Cookie")
                .orElseThrow(() -> new Broken("signing in was answered with " + answer.statusCode())).split(";")[0];
    }

    static Signed in(String url, String email) throws Exception {
        return new Signed(url, email);
    }

    String cookie() {
        return cookie;
    }

    /** Returns the number of 503 responses. */
    int putOff() {
        return putOff.get();
    }

    JsonNode get(String path) throws Exception {
        return JSON_READER.readTree(send(signed(path).build(), HttpResponse.BodyHandlers.ofByteArray()));
    }

    JsonNode send(String method, String path, ObjectNode body) throws Exception {
        return JSON_READER.readTree(send(signed(path).header("Content-Type", JSON).method(method, body(body)).build(),
                HttpResponse.BodyHandlers.ofByteArray()));
    }

    /** @param body null for none @return the unparsed response body */
    byte[] bytes(String method, String path, ObjectNode body) throws Exception {
        return send(body == null ? signed(path).method(method, HttpRequest.BodyPublishers.noBody()).build()
                : signed(path).header("Content-Type", JSON).method(method, body(body)).build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    JsonNode sendZip(String path, Path zip) throws Exception {
        return JSON_READER.readTree(send(signed(path).header("Content-Type", "application/zip")
                .POST(HttpRequest.BodyPublishers.ofFile(zip)).build(), HttpResponse.BodyHandlers.ofByteArray()));
    }

    void download(String path, Path file) throws Exception {
        send(signed(path).build(), HttpResponse.BodyHandlers.ofFile(file));
    }

    private HttpRequest.Builder signed(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).header("Cookie", cookie);
    }

    private static HttpRequest.BodyPublisher body(ObjectNode body) {
        return HttpRequest.BodyPublishers.ofByteArray(Json.write(body));
    }

    private <T> T send(HttpRequest request, HttpResponse.BodyHandler<T> handler) throws Exception {
        for (int tries = 1; ; tries++) {
            HttpResponse<T> answer = answer(request, handler);
            String wait = answer.headers().firstValue("Retry-After").orElse("");
            if (answer.statusCode() / 100 == 2) {
                return answer.body();
            }
            if (answer.statusCode() != 503 || wait.isEmpty() || tries == TRIES) {
                throw new Broken(request.method() + " " + request.uri().getPath() + " was answered with " + answer.statusCode()
                        + (answer.body() instanceof byte[] bytes ? ": " + new String(bytes, StandardCharsets.UTF_8) : ""));
            }
            putOff.incrementAndGet();
            TimeUnit.SECONDS.sleep(Long.parseLong(wait));
        }
    }

    private <T> HttpResponse<T> answer(HttpRequest request, HttpResponse.BodyHandler<T> handler) throws Exception {
        String what = request.method() + " " + request.uri().getPath();
        try {
            return client.sendAsync(request, handler).get(LIMIT, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            throw new Broken(what + " was not answered in " + LIMIT + " s");
        } catch (ExecutionException failed) {
            throw new Broken(what + " was not answered: " + failed.getCause());
        }
    }
}
