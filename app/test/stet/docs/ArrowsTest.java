package stet.docs;

import static java.util.Map.entry;
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

/** Packages import each other only in the directions shown in design.md. */
class ArrowsTest {
    private static final Path MAIN = Path.of("app/main/stet");
    /** The package of the main class. Only {@code testing}, the second entry point, imports it; nothing imports {@code testing}. */
    private static final String TOP = "";
    private static final Map<String, Set<String>> ARROWS = Map.ofEntries(
            entry("core", Set.of()),
            entry("http", Set.of("core")),
            entry("markup", Set.of("core")),
            entry("dao", Set.of("core", "markup")),
            entry("sqlite", Set.of("core", "markup", "dao")),
            entry("files", Set.of("core", "markup", "sqlite", "dao")),
            entry("api", Set.of("core", "http", "sqlite", "dao")),
            entry("web", Set.of("core", "http", "markup", "sqlite", "dao", "files")),
            entry("fixture", Set.of("core", "http", "markup", "sqlite", "dao", "files")),
            entry("cli", Set.of("core", "http", "markup", "sqlite", "dao", "files")),
            entry(TOP, Set.of("core", "http", "markup", "sqlite", "dao", "files", "api", "web", "fixture", "cli")),
            entry("testing", Set.of(TOP, "core", "http", "markup", "sqlite", "dao", "files", "api", "web", "fixture", "cli")));
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
                    if (!other.equals(room) && !ARROWS.get(room).contains(other)) {
                        wrong.add(file + ": " + line.strip());
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    /**
     * Compares the package table with the folders. A row names the packages that it imports, or says "all packages except" and
     * names the others.
     */
    @Test
    void theRoomsOfTheTableAreTheFolders() throws IOException {
        Map<String, Set<String>> listed = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("app/docs/design.md"))) {
            if (line.startsWith("| `app/main/stet")) {
                String[] cells = line.split(" \\| ");
                String room = cells[0].replaceAll("[|` ]|app/main/stet/?", "");
                Set<String> named = Pattern.compile("`([a-z]+)`").matcher(cells[2]).results().map(found -> found.group(1))
                        .collect(Collectors.toSet());
                listed.put(room, !cells[2].startsWith("all packages") ? named : ARROWS.keySet().stream()
                        .filter(other -> !other.equals(room) && !named.contains(other)).collect(Collectors.toSet()));
            }
        }
        assertEquals(new TreeMap<>(ARROWS), listed);
        Set<String> folders = sources().stream().map(ArrowsTest::room).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(folders, listed.keySet());
    }

    @Test
    void onlyTheDatabasePackagesSpeakJdbc() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path file : sources()) {
            if (!Set.of("sqlite", "dao").contains(room(file)) && Files.readString(file).contains("java.sql")) {
                wrong.add(file.toString());
            }
        }
        assertEquals(List.of(), wrong);
    }

    /** Routes write through an author, whose right each transaction checks. Only sign-in and review links use the database directly. */
    @Test
    void noRouteReachesTheDatabaseWithoutACheckOfTheRight() throws IOException {
        Set<String> doors = Set.of("Member", "SignedIn", "Administrator");
        Set<String> signingIn = Set.of("Sessions", "SignIn", "Links", "Reviews", "DeployTokens");
        List<String> wrong = new ArrayList<>();
        for (Path file : sources()) {
            String name = file.getFileName().toString().replace(".java", "");
            String source = Files.readString(file);
            if (!room(file).equals("web") || doors.contains(name) || name.equals("Web")) {
                continue; // Web only passes it on
            }
            if (Pattern.compile("\\bDb \\w").matcher(source).find() && !signingIn.contains(name)) {
                wrong.add(file.toString());
            }
            for (String method : source.split("\n    }\n")) { // routes of signed-in users write with the user's rights
                if (doors.stream().anyMatch(door -> method.contains("(" + door + " ")) && method.matches("(?s).*\\bdb\\.(write|change).*")) {
                    wrong.add(file + ": " + method.strip().lines().findFirst().orElseThrow());
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    /** Statements that find templates by account must specify whether to include the trash. */
    @Test
    void noStatementFindsADeletedTemplateByMistake() throws IOException {
        Pattern statement = Pattern.compile("\"\"\"\n.*?\"\"\"", Pattern.DOTALL);
        List<String> wrong = new ArrayList<>();
        for (Path file : sources()) {
            statement.matcher(Files.readString(file)).results().map(found -> found.group())
                    .filter(sql -> Pattern.compile("(from|join|update) templates\\b").matcher(sql).find() && sql.contains("account_id = ?")
                            && !sql.contains("deleted_at"))
                    .forEach(sql -> wrong.add(file + ": " + sql));
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
