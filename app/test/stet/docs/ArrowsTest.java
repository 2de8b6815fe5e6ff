package stet.docs;

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
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Packages import each other only in the directions shown in design.md. */
class ArrowsTest {
    private static final Path MAIN = Path.of("app/main/stet");
    /** The package of the main class. */
    private static final String TOP = "";
    private static final Pattern TYPE = Pattern.compile("\\b(?:class|record|enum|@?interface) ([A-Z]\\w*)");
    /** Strings and comments. */
    private static final Pattern NO_CODE = Pattern.compile("\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*+\"|/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
    private static final Pattern OURS = Pattern.compile("\\bstet\\.(?:([a-z]+)\\.)?[A-Z*]");

    /**
     * The packages that each package may import, from the package table. A row names them, or says "all packages except" and names the
     * others.
     */
    private static Map<String, Set<String>> arrows() throws IOException {
        List<String> rows = Files.readAllLines(Path.of("app/docs/design.md")).stream().filter(line -> line.startsWith("| `app/main/stet")).toList();
        Set<String> rooms = rows.stream().map(ArrowsTest::listed).collect(Collectors.toSet());
        return rows.stream().collect(Collectors.toMap(ArrowsTest::listed, row -> {
            String imports = row.split(" \\| ")[2];
            Set<String> named = Pattern.compile("`([a-z]+)`").matcher(imports).results().map(found -> found.group(1)).collect(Collectors.toSet());
            return !imports.startsWith("all packages") ? named : rooms.stream()
                    .filter(other -> !other.equals(listed(row)) && !named.contains(other)).collect(Collectors.toSet());
        }));
    }

    private static String listed(String row) {
        return row.split(" \\| ")[0].replaceAll("[|` ]|app/main/stet/?", "");
    }

    @Test
    void eachPackageImportsThoseThatTheTableNames() throws IOException {
        Map<String, Set<String>> found = new TreeMap<>();
        for (Path file : sources()) {
            Set<String> others = found.computeIfAbsent(room(file), room -> new TreeSet<>());
            Files.readAllLines(file).forEach(line -> OURS.matcher(line).results()
                    .map(ours -> ours.group(1) == null ? TOP : ours.group(1)).filter(other -> !other.equals(room(file))).forEach(others::add));
        }
        assertEquals(new TreeMap<>(arrows()), found);
    }

    @Test
    void packagesImportEachOtherInNoCircle() throws IOException {
        Map<String, Set<String>> left = new TreeMap<>(arrows());
        while (left.values().removeIf(others -> others.stream().noneMatch(left::containsKey))) {
            // A package that imports no package left is in no circle.
        }
        assertEquals(Map.of(), left);
    }

    @Test
    void theRootHasTheMainClassAndTheServices() throws IOException {
        assertEquals(List.of("FixtureService.java", "Service.java", "Stet.java"),
                sources().stream().filter(file -> room(file).equals(TOP)).map(file -> file.getFileName().toString()).toList());
    }

    /** A name says what a type is without its package: no other package declares a type of that name. */
    @Test
    void noTwoPackagesHaveATypeOfOneName() throws IOException {
        Map<String, Set<String>> homes = new TreeMap<>();
        for (Path file : sources()) {
            String code = NO_CODE.matcher(Files.readString(file)).replaceAll(" ");
            TYPE.matcher(code).results().forEach(type -> homes.computeIfAbsent(type.group(1), name -> new TreeSet<>()).add(room(file)));
        }
        assertTrue(homes.size() > 500, homes.size() + " types");
        assertEquals(Map.of(), homes.entrySet().stream().filter(home -> home.getValue().size() > 1)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    @Test
    void onlyTheDatabasePackagesUseJdbc() throws IOException {
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
        Set<String> signingIn = Set.of("Sessions", "SignIn", "Links", "Reviews", "DeployTokens", "FailedSignIns");
        List<String> wrong = new ArrayList<>();
        for (Path file : sources()) {
            String name = file.getFileName().toString().replace(".java", "");
            String source = Files.readString(file);
            if (!Set.of("web", "access").contains(room(file)) || doors.contains(name) || name.equals("Web")) {
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
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            statement.matcher(Files.readString(file)).results().map(MatchResult::group)
                    .filter(sql -> Pattern.compile("(from|join|update) templates\\b").matcher(sql).find() && sql.contains("account_id = ?"))
                    .forEach(sql -> found.add(file + ": " + sql));
        }
        assertTrue(found.size() > 20, found.size() + " statements");
        assertEquals(List.of(), found.stream().filter(sql -> !sql.contains("deleted_at")).toList());
    }

    @Test
    void noSourceCallsInstantNow() throws IOException {
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
