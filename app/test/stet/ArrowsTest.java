package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rooms know each other only in the direction that design.md draws. */
class ArrowsTest {
    private static final Path MAIN = Path.of("app/main/stet");
    /** The room at the top, which may know all others, and which none of them knows. */
    private static final String TOP = "";
    private static final Map<String, Set<String>> ARROWS = Map.of(
            "core", Set.of(),
            "http", Set.of(),
            "markup", Set.of("core"),
            "store", Set.of("core", "markup"),
            "files", Set.of("core", "markup", "store"),
            "api", Set.of("core", "http", "store"),
            "web", Set.of("core", "http", "markup", "store", "files"),
            "fixture", Set.of("core", "http", "markup", "store", "files"),
            "cli", Set.of("core", "http", "markup", "store", "files"),
            TOP, Set.of("core", "http", "markup", "store", "files", "api", "web", "fixture", "cli"));
    /** The second front door beside the main class: it starts the service itself, inside another program. */
    private static final Map<String, String> FRONT_DOOR = Map.of("app/main/stet/fixture/StetFixture.java", "import stet.Server;");
    private static final Pattern OURS = Pattern.compile("\\bstet\\.(?:([a-z]+)\\.)?[A-Z*]");

    @Test
    void importsPointTheWayTheArrowsDo() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path file : sources()) {
            String room = room(file);
            assertTrue(ARROWS.containsKey(room), file + " is in a room that has no arrows yet");
            for (String line : Files.readAllLines(file)) {
                Matcher ours = OURS.matcher(line);
                while (ours.find()) {
                    String other = ours.group(1) == null ? TOP : ours.group(1);
                    boolean frontDoor = line.equals(FRONT_DOOR.get(file.toString().replace('\\', '/')));
                    if (!other.equals(room) && !ARROWS.get(room).contains(other) && !frontDoor) {
                        wrong.add(file + ": " + line.strip());
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    /** The table of rooms, in which only the first has all. */
    @Test
    void theRoomsOfTheTableAreTheFolders() throws IOException {
        Map<String, Set<String>> listed = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("app/docs/design.md"))) {
            if (line.startsWith("| `app/main/stet")) {
                String[] cells = line.split(" \\| ");
                Matcher other = Pattern.compile("`([a-z]+)`").matcher(cells[2]);
                listed.put(cells[0].replaceAll("[|` ]|app/main/stet/?", ""), cells[2].startsWith("all rooms") ? ARROWS.get(TOP)
                        : other.results().map(found -> found.group(1)).collect(Collectors.toSet()));
            }
        }
        assertEquals(new TreeMap<>(ARROWS), listed);
        Set<String> folders = sources().stream().map(ArrowsTest::room).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(folders, listed.keySet());
    }

    @Test
    void onlyTheStoreSpeaksSql() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path file : sources()) {
            if (!room(file).equals("store") && Files.readString(file).contains("java.sql")) {
                wrong.add(file.toString());
            }
        }
        assertEquals(List.of(), wrong);
    }

    @Test
    void timeComesInByTheConstructor() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path file : sources()) {
            if (Files.readString(file).contains("Instant.now()")) {
                wrong.add(file.toString());
            }
        }
        assertEquals(List.of(), wrong);
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> paths = Files.walk(MAIN)) {
            return paths.filter(path -> path.toString().endsWith(".java")).sorted().toList();
        }
    }

    private static String room(Path file) {
        Path inside = MAIN.relativize(file);
        return inside.getNameCount() == 1 ? TOP : inside.getName(0).toString();
    }
}
