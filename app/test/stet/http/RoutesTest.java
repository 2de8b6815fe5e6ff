package stet.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The literal routes in the switches must agree with Request's list of paths before ids. */
class RoutesTest {
    private static final Pattern ROUTE = Pattern.compile("\"(?:GET|POST|PUT|PATCH|DELETE) (/[^\" ]*)\"");

    @Test
    void eachIdOfARouteIsKnown() throws IOException {
        Set<String> before = new TreeSet<>();
        int routes = 0;
        for (String file : new String[] {"server/Handler.java", "fixture/Routes.java"}) {
            for (MatchResult route : ROUTE.matcher(Files.readString(Path.of("app/main/stet", file))).results().toList()) {
                routes++;
                String path = route.group(1);
                for (int id = path.indexOf("/:id"); id >= 0; id = path.indexOf("/:id", id + 1)) {
                    before.add(path.substring(0, id));
                }
            }
        }
        assertTrue(routes > 100, routes + " routes");
        assertEquals(before, new TreeSet<>(RequestTarget.BEFORE_IDS));
    }

    /** The methods in a 405 are those of the routes. */
    @Test
    void theAllowedMethodsAreThoseOfTheRoutes() throws IOException {
        Map<String, Set<String>> methods = new TreeMap<>();
        for (MatchResult route : ROUTE.matcher(Files.readString(Path.of("app/main/stet/server/Handler.java"))).results().toList()) {
            String method = route.group().substring(1, route.group().indexOf(' '));
            if (!route.group(1).matches("/data/.*|/metrics")) {
                methods.computeIfAbsent(route.group(1), path -> new TreeSet<>()).addAll(method.equals("GET") ? Set.of("GET", "HEAD") : Set.of(method));
            }
        }
        Map<String, Set<String>> allowed = new TreeMap<>();
        Stream.of(AllowedMethods.GET_ONLY, AllowedMethods.OTHERS.keySet()).flatMap(Set::stream).forEach(path ->
                allowed.put(path, new TreeSet<>(Set.of(AllowedMethods.of(path).orElseThrow().split(", ")))));
        assertEquals(methods, allowed);
    }
}
