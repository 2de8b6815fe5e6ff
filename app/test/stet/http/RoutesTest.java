package stet.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The literal routes in the switches must agree with Request's list of paths before ids. */
class RoutesTest {
    private static final Pattern ROUTE = Pattern.compile("\"(?:GET|POST|PUT|PATCH|DELETE) (/[^\" ]*)\"");

    @Test
    void eachIdOfARouteIsKnown() throws IOException {
        Set<String> before = new TreeSet<>();
        int routes = 0;
        for (String file : new String[] {"Handler.java", "fixture/Routes.java"}) {
            for (MatchResult route : ROUTE.matcher(Files.readString(Path.of("app/main/stet", file))).results().toList()) {
                routes++;
                String path = route.group(1);
                for (int id = path.indexOf("/:id"); id >= 0; id = path.indexOf("/:id", id + 1)) {
                    before.add(path.substring(0, id));
                }
            }
        }
        assertTrue(routes > 100, routes + " routes");
        assertEquals(before, new TreeSet<>(Request.BEFORE_IDS));
    }
}
