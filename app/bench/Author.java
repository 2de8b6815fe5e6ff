package stet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import stet.core.Json;

/** Somebody who is signed in to the web application and works with it through its data requests. */
final class Author {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String url;
    private final String key;
    private final String cookie;
    private long revision;

    private Author(String url, String key) throws Exception {
        this.url = url;
        this.key = key;
        HttpResponse<byte[]> answer = client.send(json("/data/session", "POST", Json.object()
                .put("email", Data.AUTHOR).put("password", Data.PASSWORD)), HttpResponse.BodyHandlers.ofByteArray());
        this.cookie = answer.headers().firstValue("Set-Cookie")
                .orElseThrow(() -> new Broken("signing in was answered with " + answer.statusCode())).split(";")[0];
    }

    static Author signIn(String url, Data data) throws Exception {
        Author author = new Author(url, data.authorKey());
        author.revision = author.send(author.signed("/data/templates/welcome").build()).get("revision").longValue();
        return author;
    }

    /** What a page shows first: all templates. */
    void list() throws Exception {
        int listed = send(signed("/data/templates").build()).get("templates").size();
        if (listed != Data.AUTHORED) {
            throw new Broken("the list has " + listed + " templates");
        }
    }

    void save(byte[] html) throws Exception {
        ObjectNode draft = Json.object().put("revision", revision).put("subject", "Hi {{name}}")
                .put("html", new String(html, StandardCharsets.UTF_8));
        draft.putObject("samples");
        revision = send(signed(json("/data/templates/welcome", "PUT", draft))).get("revision").longValue();
    }

    void publish() throws Exception {
        ObjectNode wanted = Json.object().put("revision", revision).put("note", "");
        revision = send(signed(json("/data/templates/welcome/publish", "POST", wanted))).get("revision").longValue();
    }

    /** Whether the API serves this now, by one request. */
    boolean isServed(byte[] html) throws Exception {
        return Arrays.equals(Throughput.fetch(url, Throughput.HTML, key).body(), html);
    }

    private HttpRequest json(String path, String method, ObjectNode body) {
        return HttpRequest.newBuilder(URI.create(url + path)).header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofByteArray(Json.write(body))).build();
    }

    private HttpRequest.Builder signed(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).header("Cookie", cookie);
    }

    private HttpRequest signed(HttpRequest request) {
        return HttpRequest.newBuilder(request, (name, value) -> true).header("Cookie", cookie).build();
    }

    private JsonNode send(HttpRequest request) throws Exception {
        HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200) {
            throw new Broken(request.method() + " " + request.uri().getPath() + " was answered with " + answer.statusCode()
                    + ": " + new String(answer.body(), StandardCharsets.UTF_8));
        }
        return Json.readObject(answer.body());
    }
}
