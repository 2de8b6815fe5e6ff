package stet.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.base.Utf8;
import stet.cli.Command;
import stet.cli.Option;
import stet.harness.Client;
import stet.harness.OpenApi;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.http.Failure;
import stet.http.Response;

/** The documents match the program, have working links and are served as pages. */
public class DocumentsTest {
    private static final Path COMMANDS = Path.of("app/docs/commands.md");
    private static final int PAGE_BYTES = 20_480;
    private static final int README_BYTES = 6_144;
    private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]*");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]*)(?:#([^)]*))?\\)");

    private static final Pattern NAMED = Pattern.compile("\\bapi\\.md, ([A-Z][A-Za-z ]*)");

    public static List<Path> documents() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("app/docs"))) {
            return Stream.concat(Stream.of("README.md", ".github/CONTRIBUTING.md", ".github/RELEASES.md", ".github/SECURITY.md").map(Path::of),
                    files.filter(file -> file.toString().endsWith(".md"))).sorted().toList();
        }
    }

    @Test
    void theReadmeIsShort() throws IOException {
        assertTrue(Files.size(Path.of("README.md")) <= README_BYTES);
    }

    /** Pages are short, and their first line names their audience. */
    @ParameterizedTest
    @MethodSource("documents")
    void pagesAreShortAndSayForWhomTheyAre(Path document) throws IOException {
        assertTrue(Files.size(document) <= PAGE_BYTES, document.toString());
        assertTrue(document.endsWith("README.md") || Files.readAllLines(document).get(2).startsWith("For "), document.toString());
    }

    /** The sidebar lists each page once, except the first one and SECURITY.md, whose path is that of security.md. */
    @Test
    void theSidebarListsEachPage() throws IOException {
        List<String> listed = Pattern.compile("href=\"/docs/([^\"]+)\"").matcher(Files.readString(Path.of("app/docs/foot.html"))).results()
                .map(link -> link.group(1)).sorted().toList();
        assertEquals(documents().stream().map(file -> file.getFileName().toString().replace(".md", "")).filter(name -> !Set.of("README", "SECURITY").contains(name))
                .sorted().toList(), listed);
    }

    @ParameterizedTest
    @MethodSource("documents")
    void linksLeadToFilesAndHeadings(Path document) throws IOException {
        List<String> wrong = new ArrayList<>();
        for (MatchResult link : LINK.matcher(withoutCode(document)).results().toList()) {
            if (!link.group(1).startsWith("https://")) {
                Path file = link.group(1).isEmpty() ? document : document.resolveSibling(link.group(1)).normalize();
                if (!Files.exists(file) || link.group(2) != null && !headings(file).contains(link.group(2))) {
                    wrong.add(link.group());
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    private static String withoutCode(Path document) throws IOException {
        return Files.readString(document).replaceAll("(?s)\n```.*?\n```", "").replaceAll("`[^`\n]*`", "`");
    }

    /** Headings in the form used by links. */
    private static Set<String> headings(Path document) throws IOException {
        return withoutCode(document).lines().filter(line -> line.matches("#+ .*"))
                .map(line -> line.replaceAll("^#+ ", "").toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} -]", "").replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    /** All api.md headings that code and tests refer to exist. */
    @Test
    void namedHeadingsAreThere() throws IOException {
        Set<String> headings = Files.readAllLines(Path.of("app/docs/api.md")).stream().filter(line -> line.startsWith("#"))
                .map(line -> line.replaceAll("^#+ ", "")).collect(Collectors.toSet());
        Set<String> named = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("app"))) {
            for (Path file : files.filter(each -> each.toString().matches(".*\\.(?:java|js)")).toList()) {
                NAMED.matcher(Files.readString(file)).results().forEach(found -> named.add(found.group(1)));
            }
        }
        assertTrue(headings.containsAll(named) && named.size() > 5, named.toString());
    }

    @ParameterizedTest
    @MethodSource("documents")
    void jsonBlocksAreJsonObjects(Path document) throws IOException {
        Matcher block = Pattern.compile("(?s)\n```json\n(.*?)\n```\n").matcher(Files.readString(document));
        while (block.find()) {
            assertTrue(new ObjectMapper().readTree(block.group(1)).isObject(), block.group(1));
        }
    }

    /** As code: each header, type, body, field and error. Each status but 304, which is in the text, begins a row. */
    @Test
    void apiHasAllThatOpenApiDescribes() throws IOException {
        String api = Files.readString(Path.of("app/docs/api.md"));
        Set<String> code = Pattern.compile("`([^`\n]+)`").matcher(api).results().map(span -> span.group(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
        List<String> missing = new ArrayList<>();
        for (String fact : OpenApi.described()) {
            String value = fact.replaceAll("^\\d+ (?:header|type|body|field|error is) |: [a-z]+$", "").toLowerCase(Locale.ROOT);
            if (!code.contains(value) && !code.contains("{\"error\":\"" + value + "\"}")
                    || !api.contains("| " + fact.substring(0, 3) + " |") && !fact.startsWith("304")) {
                missing.add(fact);
            }
        }
        assertEquals(List.of(), missing);
    }

    /** No body in api.md is misspelt or no longer returned. */
    @Test
    void eachErrorBodyInApiIsOneOfTheCode() throws IOException {
        Set<String> bodies = Arrays.stream(Failure.values()).map(failure -> Utf8.text(failure.response().body())).collect(Collectors.toSet());
        List<String> quoted = Pattern.compile("`(\\{\"error\":[^`\n]+)`").matcher(Files.readString(Path.of("app/docs/api.md"))).results()
                .map(span -> span.group(1)).toList();
        assertTrue(quoted.size() >= 10, quoted.toString());
        assertEquals(List.of(), quoted.stream().filter(body -> !bodies.contains(body)).toList());
    }

    @Test
    void errorsHaveASingleFieldAsApiSays() throws IOException {
        assertTrue(Files.readString(Path.of("app/docs/api.md")).contains("JSON error bodies have a single field, `error`."));
        assertEquals(Set.of("error: string"), OpenApi.described().stream().filter(fact -> fact.matches("[45]\\d\\d field .*"))
                .map(fact -> fact.replaceFirst("\\d+ field ", "")).collect(Collectors.toSet()));
    }

    /** TextsTest reads what their rows advise. */
    @Test
    void eachErrorOfTheCodeIsInApiOrErrors() throws IOException {
        String errors = Files.readString(Path.of("app/docs/errors.md")) + Files.readString(Path.of("app/docs/api.md")).replaceAll("\\{\"error\":\"([^\"]*)\"}", "$1");
        List<String> sentences = Arrays.stream(Failure.values()).map(Failure::response)
                .map(response -> response.type().equals(Response.JSON) ? Json.readObject(response.body()).get("error").textValue() : Utf8.text(response.body()))
                .toList();
        assertEquals(List.of(), sentences.stream().filter(error -> !errors.contains(error + "`")).toList());
    }

    /** security.md names the libraries in the jar, those whose scope in pom.xml is compile or runtime. */
    @Test
    void theLibrariesAreListed() throws IOException {
        String pom = Files.readString(Path.of("pom.xml"));
        Set<String> libraries = new TreeSet<>();
        for (MatchResult dependency : Pattern.compile("(?s)<dependency>.*?</dependency>").matcher(pom.substring(0, pom.indexOf("<build>"))).results().toList()) {
            Matcher scope = Pattern.compile("<scope>(\\w+)<").matcher(dependency.group());
            if (!scope.find() || scope.group(1).equals("runtime")) {
                libraries.add(dependency.group().replaceAll("(?s).*?<artifactId>([^<]+)<.*", "$1"));
            }
        }
        String security = Files.readString(Path.of("app/docs/security.md"));
        String rows = security.substring(security.indexOf("| library | used for |")).split("\n\n")[0];
        assertEquals(libraries, Pattern.compile("(?m)^\\| `([^`]+)`").matcher(rows).results().map(row -> row.group(1)).collect(Collectors.toCollection(TreeSet::new)));
    }

    /** The headers in security.md are those of pages and of the API. */
    @Test
    void theHeadersAreThoseOfResponses() throws IOException {
        String security = Files.readString(Path.of("app/docs/security.md"));
        String table = security.substring(security.indexOf("| header | pages | API responses |")).split("\n\n")[0];
        List<String[]> rows = table.lines().skip(2).map(line -> line.split(" *\\| *", -1)).toList();
        try (Running stet = new Running()) {
            Client.Reply page = stet.get("/", null);
            Client.Reply api = stet.get(Running.TEMPLATES + "none", null);
            for (String[] row : rows.subList(0, rows.size() - 1)) { // the last one depends on --base-url
                String name = row[1].replace("`", "");
                assertEquals(row[2].replace("`", ""), page.header(name), name);
                if (!name.equals("Content-Security-Policy")) {
                    assertEquals(row[3].replace("`", ""), Objects.requireNonNullElse(api.header(name), ""), name);
                }
            }
            assertEquals("| `Strict-Transport-Security`", table.lines().skip(rows.size() + 1L).findFirst().orElseThrow().split(" \\| ")[0]);
        }
    }

    /** Each test double control has a row that names its parameters. */
    @Test
    void theControlsAreListed() throws IOException {
        String controls = Files.readString(Path.of("app/docs/controls.md"));
        Set<String> expected = new TreeSet<>();
        List<String> unnamed = new ArrayList<>();
        for (MatchResult route : Pattern.compile("\\bon\\(\"([A-Z]+ /_fixture/(?!assets)[^\"]+)\", \\w+::\\w+([^;]*)\\);").matcher(
                Files.readString(Path.of("app/main/stet/fixture/Routes.java"))).results().toList()) {
            expected.add(route.group(1));
            Pattern.compile("\"(\\w+)\"").matcher(route.group(2)).results().map(found -> found.group(1))
                    .filter(name -> !controls.contains("`" + name + "`") && !controls.matches("(?s).*[?&`]" + name + "=.*")).forEach(unnamed::add);
        }
        Set<String> listed = Pattern.compile("(?m)^\\| `([A-Z]+ /_fixture[^`?]*)").matcher(controls).results()
                .map(found -> found.group(1).replaceAll("/[A-Z]+(?=/|$)", "/:id")).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(expected, listed);
        assertEquals(List.of(), unnamed);
    }

    @Test
    void theTableHasEachCommandWithItsOptions() throws IOException {
        List<String> expected = Arrays.stream(Command.values()).map(command -> row(command.usage(),
                command.options().stream().filter(option -> option != Option.DATA && !option.isVariableOnly()).map(Option::word))).toList();
        assertEquals(expected, commands().map(DocumentsTest::row).toList());
    }

    @Test
    void theCommandsOfTheTableAreThoseOfHelp() throws IOException {
        List<String> helped = new Terminal(Path.of("none")).done("help").lines().filter(line -> line.startsWith("    "))
                .map(line -> line.strip().split(" {2,}")[0]).map(usage -> usage.replaceAll(" --.*", "")).toList();
        assertEquals(helped, commands().map(usage -> usage.replaceAll(" \\[?--.*", "")).toList());
    }

    /** The launcher gives commands a lower priority than serve. */
    @Test
    void theLauncherKnowsEachCommand() throws IOException {
        String words = Arrays.stream(Command.values()).filter(command -> !Set.of(Command.SERVE, Command.DEMO, Command.FIXTURE).contains(command))
                .map(command -> command.words().split(" ")[0]).distinct().sorted().collect(Collectors.joining(" | "));
        String launcher = Files.readString(Path.of("app/main/start.sh"));
        assertTrue(launcher.contains("  " + words + ") command="), words);
    }

    @Test
    void theUnitIsTheOneOfThePackage() throws IOException {
        List<String> unit = Files.readAllLines(Path.of("app/package/stet.service")).stream().filter(line -> line.contains("=")
                && !line.startsWith("#") || line.startsWith("[")).toList();
        Matcher block = Pattern.compile("(?s)\n```ini\n(\\[Unit.*?)\n```\n").matcher(Files.readString(Path.of("app/docs/run.md")));
        assertTrue(block.find());
        assertEquals(unit, block.group(1).lines().filter(line -> !line.isEmpty()).toList());
    }

    @Test
    void everyVariableIsListed() throws IOException {
        TreeSet<String> expected = new TreeSet<>();
        Arrays.stream(Option.values()).map(Option::variable).forEach(expected::add);
        TreeSet<String> listed = new TreeSet<>();
        Pattern.compile("STET_(?!READY)[A-Z_]+").matcher(Files.readString(COMMANDS)).results().forEach(found -> listed.add(found.group()));
        assertEquals(expected, listed);
    }

    @Test
    void flagsAreListedAsTrueOrFalse() throws IOException {
        String document = Files.readString(COMMANDS);
        String flags = document.substring(document.indexOf("\nThese variables take `true` or `false`:")).split("\n\n")[0];
        assertEquals(Arrays.stream(Option.values()).filter(Option::isFlag).map(Option::variable).sorted().toList(),
                Pattern.compile("STET_[A-Z_]+").matcher(flags).results().map(found -> found.group()).sorted().toList());
    }

    /** Returns a command and its option names, sorted. */
    private static String row(String usage, Stream<String> options) {
        return usage.replaceAll(" --.*", "") + " " + new TreeSet<>(options.toList());
    }

    private static String row(String usage) {
        Matcher option = OPTION.matcher(usage);
        return row(usage.replaceAll(" \\[?--.*", ""), option.results().map(found -> found.group()));
    }

    private static Stream<String> commands() throws IOException {
        return Files.readAllLines(COMMANDS).stream().dropWhile(line -> !line.equals("## The command line")).skip(1)
                .takeWhile(line -> !line.startsWith("## ")).filter(line -> line.startsWith("| `")).map(line -> line.split("`")[1]);
    }

    /** Path and heading of each page. */
    private static final String PAGES = """
            /docs                  | Stet
            /docs/README           | Stet
            /docs/CONTRIBUTING     | Contributing
            /docs/security         | Security
            /docs/comparison       | Comparison
            /docs/email            | Email to users
            /docs/errors           | Errors
            /docs/glossary         | Glossary
            /docs/start            | Your first email in ten minutes
            /docs/api              | The API
            /docs/changes          | Changes
            /docs/RELEASES         | Releases
            /docs/coming-from      | Coming from another system
            /docs/commands         | Commands and variables
            /docs/controls         | Controls of the test double
            /docs/backup           | Back up and restore
            /docs/design           | How Stet is built
            /docs/files            | File format
            /docs/git-and-ci       | Templates in Git
            /docs/monitoring       | Health, logs and metrics
            /docs/npm              | Push without Java
            /docs/team             | Team and roles
            /docs/working-together | Work together
            /docs/first-hour       | An administrator's first hour
            /docs/activity         | Activity log
            /docs/preview          | The preview
            /docs/proxies          | Proxies
            /docs/rendering        | Fill a template in
            /docs/run              | Run it in production
            /docs/resources        | Disk space and memory
            /docs/test-double      | The test double
            /docs/testing-go       | Tests in Go
            /docs/testing-java     | Tests in Java
            /docs/testing-node     | Tests in Node
            /docs/testing-python   | Tests in Python
            /docs/testing-spring   | Tests in Spring Boot
            /docs/types            | Types of emails' data
            /docs/writing          | Write emails
            """;

    /** SECURITY.md is not served, because its path is that of security.md. */
    @Test
    void eachDocumentIsAPage() throws IOException {
        assertEquals(documents().stream().map(file -> "/docs/" + file.getFileName().toString().replace(".md", "")).filter(path -> !path.equals("/docs/SECURITY"))
                .sorted().toList(), PAGES.lines().map(row -> row.split(" *\\| *")[0]).filter(path -> !path.equals("/docs")).sorted().toList());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = PAGES)
    void eachPageIsPublicAndItsLinksWork(String path, String heading) {
        try (Running stet = new Running()) {
            Client.Reply page = stet.get(path, null);
            assertEquals("200 text/html; charset=utf-8", page.status() + " " + page.header("Content-Type"));
            assertTrue(page.text().contains("<title>" + heading + "</title>"), page.text().substring(0, 500));
            assertTrue(page.text().contains(">" + heading + "</a></h1>"));
            Pattern.compile("(?:href|src|srcset)=\"([^\"]*)\"").matcher(page.text()).results().map(link -> link.group(1)).distinct()
                    .filter(link -> !link.startsWith("https:")).forEach(link -> follow(stet, path, page, link));
        }
    }

    @Test
    void pagesCanBeCachedAndLoadOnlyFromThisServer() {
        try (Running stet = new Running()) {
            for (String path : PAGES.lines().map(row -> row.split(" *\\| *")[0]).toList()) {
                Client.Reply page = stet.get(path, null);
                assertTrue(page.header("Content-Security-Policy").startsWith("default-src 'none'; script-src 'self';"), path);
                assertFalse(Pattern.compile("src(set)?=\"(?!/)").matcher(page.text()).find(), path);
                assertEquals(304, stet.get(path, null, "If-None-Match: " + page.header("ETag")).status(), path);
            }
        }
    }

    @Test
    void eachColumnOfATableHasAName() {
        try (Running stet = new Running()) {
            for (String path : PAGES.lines().map(row -> row.split(" *\\| *")[0]).toList()) {
                assertFalse(Pattern.compile("<th[^>]*>\\s*</th>").matcher(stet.get(path, null).text()).find(), path);
            }
        }
    }

    private static void follow(Running stet, String path, Client.Reply page, String link) {
        URI to = URI.create("http://stet" + path).resolve(link);
        Client.Reply reply = link.startsWith("#") ? page : stet.get(to.getPath(), null);
        assertEquals(200, reply.status(), link);
        if (to.getFragment() != null) {
            assertTrue(reply.text().contains("id=\"" + to.getFragment() + "\""), link);
        }
    }

    @Test
    void openApiIsServedAsItIs() throws IOException {
        try (Running stet = new Running()) {
            Client.Reply reply = stet.get("/docs/openapi.json", null);
            assertEquals("application/json", reply.header("Content-Type"));
            assertEquals(Files.readString(Path.of("app/docs/openapi.json")), reply.text());
        }
    }

    @ParameterizedTest(name = "/docs/{0}")
    @ValueSource(strings = {"", "no-such", "head", "pull_request_template", "..%2fstatic%2findex.html", "..%2fschema.sql", "%2e%2e%2fschema.sql", "../schema.sql", "api/x",
        "api%00", "app.js"})
    void otherNamesAreNotFound(String name) {
        try (Running stet = new Running()) {
            Client.Reply reply = stet.get("/docs/" + name, null);
            assertEquals(404, reply.status());
            assertFalse(reply.text().contains("html"), "the API's error, not a page");
        }
    }
}
