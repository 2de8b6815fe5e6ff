import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.sqlite.SQLiteConfig;
import stet.dao.Sql;
import stet.dao.VersionRow;

/**
 * Measures saving a draft of a template with 20,000 versions: {@code java -cp target/stet.jar app/bench/SaveBench.java}. The
 * class path selects the jar to measure. Prints the median in ms.
 */
class SaveBench {
    private static final int VERSIONS = 20_000;
    private static final int SAVES = 60;
    private static final String PASSWORD = "correct horse battery";

    private final String jar = System.getProperty("java.class.path");
    private final Path folder = Files.createTempDirectory("stet-bench");
    private final HttpClient client = HttpClient.newHttpClient();

    private SaveBench() throws Exception {
    }

    public static void main(String[] arguments) throws Exception {
        new SaveBench().measure();
    }

    private List<String> stet(String... words) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar", jar));
        command.addAll(List.of(words));
        command.addAll(List.of("--data", folder.resolve("data").toString()));
        return command;
    }

    private void run(String... words) throws Exception {
        if (new ProcessBuilder(stet(words)).inheritIO().start().waitFor() != 0) {
            throw new IllegalStateException(String.join(" ", words));
        }
    }

    private void measure() throws Exception {
        Files.writeString(Files.createDirectories(folder.resolve("files/templates")).resolve("old.html"), "<p>Hello {{name}}</p>".repeat(700));
        Files.writeString(folder.resolve("password"), PASSWORD);
        run("account", "add", "ada@example.com", "--plan", "pro", "--password-file", folder.resolve("password").toString());
        run("import", folder.resolve("files").toString(), "--account", "ada@example.com", "--publish");
        addVersions();
        run("check");
        Process serve = new ProcessBuilder(stet("serve", "--listen", "127.0.0.1:0")).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(serve.getInputStream(), StandardCharsets.UTF_8))) {
            String line = out.readLine();
            while (!line.startsWith("STET_READY url=")) {
                line = out.readLine();
            }
            System.out.printf("a draft saved, of 20,000 versions: %.1f ms%n", median(line.substring("STET_READY url=".length())));
        } finally {
            serve.destroy();
        }
    }

    /** Adds copies of the first version with consecutive numbers and valid row digests; the last one is live. */
    private void addVersions() {
        try (Sql sql = Sql.open(new SQLiteConfig(), folder.resolve("data/stet.db"), "")) {
            VersionRow first = sql.first(VersionRow.class, "select " + VersionRow.COLUMNS
                    + " from templates t join versions v on v.template = t.row").orElseThrow();
            sql.execute("begin");
            for (int number = 2; number <= VERSIONS; number++) {
                VersionRow copy = new VersionRow(first.template(), number, first.publishedAt(), first.publishedBy(), first.note(),
                        first.sha256(), first.draftSha256(), first.variables(), first.subject(), first.blocks());
                sql.update("""
                        insert into versions (
                          template, number, published_at, note, sha256, draft_sha256, row_sha256, variables, subject, text, draft_text,
                          published_by)
                        select template, ?, published_at, note, sha256, draft_sha256, ?, variables, subject, text, draft_text,
                          published_by
                        from versions
                        where number = 1
                        """, number, copy.digest());
            }
            sql.execute("update templates set published = " + VERSIONS + "; commit");
        }
    }

    private double median(String url) throws Exception {
        HttpResponse<String> session = send(url + "/data/session", "POST",
                "{\"email\":\"ada@example.com\",\"password\":\"" + PASSWORD + "\"}", "");
        String cookie = session.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
        double[] times = new double[SAVES];
        for (int i = 0; i < SAVES; i++) {
            long begin = System.nanoTime();
            HttpResponse<String> saved = send(url + "/data/templates/old", "PUT",
                    "{\"revision\":" + (i + 1) + ",\"subject\":\"s\",\"html\":\"<p>" + i + "</p>\",\"samples\":{}}", cookie);
            times[i] = (System.nanoTime() - begin) / 1e6;
            if (saved.statusCode() != 200) {
                throw new IllegalStateException(saved.body());
            }
        }
        Arrays.sort(times);
        return times[SAVES / 2];
    }

    private HttpResponse<String> send(String url, String method, String json, String cookie) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(url)).header("Content-Type", "application/json").header("Cookie", cookie)
                .method(method, BodyPublishers.ofString(json)).build(), BodyHandlers.ofString());
    }
}
