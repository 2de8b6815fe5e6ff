package stet.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import stet.cli.Option;

/** The Compose files: their options exist, their volumes are declared, and both run Stet with the same privileges. */
class ComposeTest {
    private static final Path FOLDER = Path.of("app/docs");
    private static final Path PRODUCTION = FOLDER.resolve("compose.production.yaml");
    /** Keys of a service (https://github.com/compose-spec/compose-spec/blob/main/05-services.md). */
    private static final Set<String> KEYS = Set.of("build", "cap_drop", "command", "depends_on", "environment", "healthcheck", "image", "mem_limit",
            "pids_limit", "ports", "read_only", "restart", "security_opt", "stop_grace_period", "tmpfs", "ulimits", "user", "volumes");

    private static Map<String, Object> yaml(Path file) throws IOException {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        return new Yaml(new SafeConstructor(options)).load(Files.readString(file));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    private static List<?> list(Object value) {
        return value == null ? List.of() : (List<?>) value;
    }

    private static Map<String, Object> services(Path file) throws IOException {
        return map(yaml(file).get("services"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"compose.yaml", "compose.production.yaml"})
    void theFilesUseKnownKeysAndExistingFiles(String name) throws IOException {
        Map<String, Object> file = yaml(FOLDER.resolve(name));
        Set<String> mounted = new HashSet<>();
        map(file.get("services")).forEach((service, value) -> {
            Map<String, Object> settings = map(value);
            assertTrue(KEYS.containsAll(settings.keySet()), service + ": " + settings.keySet());
            assertTrue(settings.containsKey("image"), service);
            for (Object volume : list(settings.get("volumes"))) {
                String[] parts = volume.toString().split(":");
                assertTrue(parts[1].startsWith("/"), service + ": " + volume);
                if (parts[0].startsWith("./")) {
                    assertTrue(Files.isRegularFile(FOLDER.resolve(parts[0])) && parts[2].equals("ro"), service + ": " + volume);
                } else {
                    mounted.add(parts[0]);
                }
            }
            list(settings.get("ports")).forEach(port -> assertTrue(port.toString().matches("(127\\.0\\.0\\.1:)?\\d{2,5}:\\d{2,5}(/udp)?"), service + ": " + port));
            list(settings.get("depends_on")).forEach(other -> assertTrue(map(file.get("services")).containsKey(other), service + ": " + other));
        });
        assertEquals(map(file.get("volumes")).keySet(), mounted);
    }

    @ParameterizedTest
    @ValueSource(strings = {"compose.yaml", "compose.production.yaml"})
    void theVariablesOfStetAreItsOptions(String name) throws IOException {
        Set<String> set = new TreeSet<>(map(map(services(FOLDER.resolve(name)).get("stet")).get("environment")).keySet());
        Arrays.stream(Option.values()).map(Option::variable).forEach(set::remove);
        assertEquals(Set.of(), set);
    }

    @Test
    void bothRunStetWithTheSamePrivileges() throws IOException {
        Map<String, Object> simple = map(services(FOLDER.resolve("compose.yaml")).get("stet"));
        Map<String, Object> production = map(services(PRODUCTION).get("stet"));
        Set<String> same = new TreeSet<>(simple.keySet());
        same.removeAll(Set.of("build", "environment", "image", "ports"));
        same.forEach(key -> assertEquals(simple.get(key), production.get(key), key));
        assertEquals(same.size() + 2, production.size(), "and image and environment: " + production.keySet());
    }

    @Test
    void onlyCaddyIsOpenToTheNetworkAndForwardsToStet() throws IOException {
        Map<String, Object> services = services(PRODUCTION);
        assertEquals(Set.of("caddy"), services.entrySet().stream().filter(each -> map(each.getValue()).containsKey("ports")).map(Map.Entry::getKey).collect(Collectors.toSet()));
        String caddy = Files.readString(FOLDER.resolve("Caddyfile"));
        assertTrue(caddy.contains("{$STET_HOST} {") && caddy.contains("reverse_proxy stet:8080 {"), caddy);
        assertEquals(Set.of("STET_HOST"), map(map(services.get("caddy")).get("environment")).keySet());
        assertTrue(Files.readString(FOLDER.resolve("Containerfile")).contains("STET_LISTEN=:8080"));
    }

    @Test
    void stetTrustsOnlyItsOwnNetwork() throws IOException {
        Object subnet = map(list(map(map(map(yaml(PRODUCTION).get("networks")).get("default")).get("ipam")).get("config")).get(0)).get("subnet");
        assertEquals(subnet, map(map(services(PRODUCTION).get("stet")).get("environment")).get("STET_TRUSTED_PROXIES"));
    }

    @Test
    void litestreamHasTheTestedVersion() throws IOException {
        String image = map(services(PRODUCTION).get("litestream")).get("image").toString();
        try (Stream<Path> documents = Files.list(FOLDER)) {
            List<Path> tested = documents.filter(file -> file.toString().endsWith(".md") && text(file).contains("is tested with Litestream ")).toList();
            assertEquals(1, tested.size());
            assertTrue(text(tested.get(0)).contains("is tested with Litestream " + image.replaceFirst(".*:", "") + "."), image);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Each variable is explained at the top, and has a default or is required. */
    @Test
    void theVariablesAreExplained() throws IOException {
        String text = Files.readString(PRODUCTION);
        Set<String> used = Pattern.compile("\\$\\{([A-Z_]+)(:[-?][^}]*)}").matcher(text).results().map((MatchResult each) -> each.group(1)).collect(Collectors.toCollection(TreeSet::new));
        Set<String> explained = Pattern.compile("(?m)^#   ([A-Z_]+)=").matcher(text).results().map(each -> each.group(1)).collect(Collectors.toCollection(TreeSet::new));
        explained.add("STET_IMAGE"); // its default is the image that run.md builds
        assertEquals(explained, used);
        assertEquals(text.split("\\$\\{", -1).length, 1 + (int) Pattern.compile("\\$\\{[A-Z_]+:[-?]").matcher(text).results().count());
    }
}
