package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import stet.markup.Pieces.PieceKind;

/**
 * The pages' operations on the pieces that the server finds, in real emails: bytes outside the edits stay, brackets stay balanced, and a
 * piece that is moved back leaves no trace.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PieceOperationsTest {
    /** Number of random sequences; 2,000 take a minute. */
    private static final int SEQUENCES = Integer.getInteger("stet.sequences", 500);
    private static final int STEPS = 20;
    private static final int SEED = Integer.getInteger("stet.seed", 1);
    /** Number of sequences that share a request. */
    private static final int BATCH = 250;
    private static final ObjectMapper JSON = new ObjectMapper();

    private PieceNodeProcess node;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        node = new PieceNodeProcess(folder);
    }

    @AfterAll
    void end() {
        if (node != null) {
            node.close();
        }
    }

    /** Emails by name: the starters, those of the demo account, and foreign ones. */
    static Map<String, String> emails() throws IOException {
        Map<String, String> emails = new TreeMap<>();
        for (String folder : List.of("app/starters/templates", "app/demo/templates", "app/test/stet/markup/emails")) {
            try (Stream<Path> files = Files.list(Path.of(folder))) {
                for (Path file : files.filter(each -> each.toString().endsWith(".html")).toList()) {
                    String name = (folder.contains("demo") ? "demo-" : folder.contains("starters") ? "starter-" : "") + file.getFileName().toString().replace(".html", "");
                    emails.put(name, Files.readString(file));
                }
            }
        }
        return emails;
    }

    /** @param edits from the response of an operation */
    static String apply(String html, JsonNode edits) {
        StringBuilder text = new StringBuilder();
        int at = 0;
        for (JsonNode edit : ordered(edits)) {
            text.append(html, at, edit.get("from").asInt()).append(edit.get("text").asText());
            at = edit.get("to").asInt();
        }
        return text.append(html, at, html.length()).toString();
    }

    private static List<JsonNode> ordered(JsonNode edits) {
        List<JsonNode> ordered = new ArrayList<>();
        edits.forEach(ordered::add);
        ordered.sort(Comparator.<JsonNode>comparingInt(edit -> edit.get("from").asInt()).thenComparingInt(edit -> edit.get("to").asInt()));
        return ordered;
    }

    private static String source(String html, Pieces.Piece piece) {
        return html.substring(piece.from(), piece.to());
    }

    @Test
    void eachMoveCanBeUndoneAndEachInsertionIsFoundAgain() throws IOException {
        Map<String, String> emails = emails();
        assertTrue(emails.size() >= 60, "only " + emails.size() + " emails");
        List<String> wrong = new ArrayList<>();
        int moves = 0;
        int insertions = 0;
        for (Map.Entry<String, String> email : emails.entrySet()) {
            String html = email.getValue();
            Pieces pieces = Pieces.of(html);
            JsonNode all = node.ask(Map.of("do", "all", "html", html, "pieces", pieces));
            for (JsonNode move : all.get("moves")) {
                String failure = moved(html, pieces, move);
                if (failure != null) {
                    wrong.add(email.getKey() + " " + failure + ": " + move);
                }
                moves++;
            }
            for (JsonNode place : all.get("inserts")) {
                String failure = inserted(html, pieces, place);
                if (failure != null) {
                    wrong.add(email.getKey() + " " + place.get("list") + " " + place.get("index") + " " + failure);
                }
                insertions += place.get("kinds").size();
            }
        }
        assertEquals("", String.join("\n", wrong));
        assertTrue(moves > 3_000 && insertions > 15_000, moves + " moves, " + insertions + " insertions");
    }

    /** Moves a piece back to where it was. @return what is wrong, or null */
    private String moved(String html, Pieces pieces, JsonNode move) throws IOException {
        if (!move.has("edits")) {
            return move.path("problem").asText();
        }
        String after = apply(html, move.get("edits"));
        Pieces now = Pieces.of(after);
        if (after.length() != html.length() || now.fixed().size() != pieces.fixed().size() || now.piece().size() != pieces.piece().size() || now.list().size() != pieces.list().size()) {
            return "changes the structure";
        }
        String source = source(html, pieces.piece().get(move.get("piece").asInt()));
        int from = move.at("/select/from").asInt();
        int to = move.at("/select/to").asInt();
        for (int list = 0; list < now.list().size(); list++) {
            List<Integer> indices = now.list().get(list).pieces();
            int place = move.get("to").asInt();
            Pieces.Piece piece = place < indices.size() ? now.piece().get(indices.get(place)) : null;
            if (piece != null && from <= piece.from() && piece.to() <= to && source(after, piece).equals(source)) {
                int i = move.get("i").asInt();
                Map<String, Object> back = new LinkedHashMap<>(Map.of("do", "move", "html", after, "pieces", now, "piece", indices.get(place), "list", list));
                back.put("index", i > place ? i + 1 : i);
                return apply(after, node.ask(back).get("edits")).equals(html) ? null : "cannot be moved back";
            }
        }
        return "is not where it was moved to";
    }

    /** Inserts each kind alone, which must change nothing else, and all kinds together, which must all be found again. */
    private static String inserted(String html, Pieces pieces, JsonNode place) {
        List<JsonNode> edits = new ArrayList<>();
        List<String> kinds = new ArrayList<>();
        int longest = 0;
        for (JsonNode kind : place.get("kinds")) {
            if (kind.path("edits").size() != 1 || kind.at("/edits/0/from").asInt() != kind.at("/edits/0/to").asInt()) {
                return kind.get("kind") + " is not one insertion: " + kind;
            }
            edits.add(kind.at("/edits/0"));
            kinds.add(kind.get("kind").asText());
            longest += kind.at("/edits/0/text").asText().length();
        }
        int at = edits.get(0).get("from").asInt();
        String after = apply(html, JSON.createArrayNode().addAll(edits));
        if (after.length() != html.length() + longest || !after.startsWith(html.substring(0, at)) || !after.endsWith(html.substring(at))) {
            return "changes other bytes";
        }
        Pieces now = Pieces.of(after);
        if (now.problem() != null || now.fixed().size() != pieces.fixed().size()) {
            return "is not balanced: " + now.problem() + now.fixed();
        }
        for (int i = 0, from = at; i < kinds.size(); i++) {
            int begin = from + place.at("/kinds/" + i + "/select/from").asInt() - at;
            int to = from + place.at("/kinds/" + i + "/select/to").asInt() - at;
            from += edits.get(i).get("text").asText().length();
            Pieces.Piece found = now.piece().stream().filter(piece -> piece.from() == begin && piece.to() == to).findFirst().orElse(null);
            if (found == null) {
                return kinds.get(i) + " is no piece: " + after.substring(begin, Math.min(to, begin + 80));
            }
            boolean isLike = found.kind().word().equals(kinds.get(i))
                    || kinds.get(i).equals("space") && found.kind() == PieceKind.DIVIDER; // a rule of the email gives its cells a border
            if (!isLike) {
                return kinds.get(i) + " is read as " + found.kind();
            }
        }
        return null;
    }

    /** Emails for random sequences, which would take too long with longer ones; those of the demo account are added. */
    private static final List<String> SHORT = List.of("<body>\n  <h1>Hi</h1>\n  <p>Text <b>bold</b> {{name}}</p>\n</body>\n", "<p>a</p><p>b</p>{{#each items}}<p>c</p>{{/each}}",
            "<table>\r\n\t<tr><td style=\"padding: 8px\">A</td></tr>\r\n\t<!-- B -->\r\n\t<tr><td><p>b</p></td></tr>\r\n\t{{#if vip}}\r\n\t<tr><td>C</td><td>D</td></tr>\r\n\t{{/if}}\r\n</table>",
            "<div>\n<!--[if mso]><table><tr><td width=\"300\"><![endif]-->\n<div style=\"display: inline-block\"><p>L</p></div>\n<!--[if mso]></td><td><![endif]-->\n"
                    + "<div style=\"display: inline-block\"><img src=\"r.png\"></div>\n<!--[if mso]></td></tr></table><![endif]-->\n<hr>\n</div>",
            "<h2>T</h2>\n<!--[if mso]><v:rect href=\"https://a\" fillcolor=\"#fa0\"><center>Go</center></v:rect><![endif]-->\n<!--[if !mso]><!--><a href=\"https://a\" "
                    + "style=\"background: #fa0; padding: 8px\">Go</a><!--<![endif]-->\n<p>end</p>",
            "{{#if a}}<table>{{/if}}<tr><td>x</td></tr>{{#if a}}</table>{{/if}}<p>y</p><p>z</p>", "Only text, {{name}}", "<p>not closed<div><b>a</div><p>c</p>");

    /** An email to which one operation after another is applied. */
    private static final class Sequence {
        private final String start;
        private final int seed;
        private final Deque<JsonNode> undo = new ArrayDeque<>();
        private String html;

        Sequence(String start, int seed) {
            this.start = start;
            this.seed = seed;
            html = start;
        }

        /** @param result an operation's response, whose edits must leave no more parts unbalanced */
        void take(JsonNode result) {
            String before = html;
            html = apply(before, result.get("edits"));
            undo.push(reversed(before, result.get("edits")));
            assertTrue(Pieces.of(html).fixed().size() <= Pieces.of(before).fixed().size(), () -> result + " is not balanced in\n" + before);
        }

        /** The email after all operations are undone, the last one first. */
        String undone() {
            String text = html;
            for (JsonNode edits : undo) {
                text = apply(text, edits);
            }
            return text;
        }
    }

    @Test
    void randomSequencesCanBeUndoneToTheFirstByte() throws IOException {
        List<String> emails = new ArrayList<>(SHORT);
        emails().forEach((name, html) -> emails.addAll(name.startsWith("demo-") ? List.of(html) : List.of()));
        Map<String, Integer> done = new TreeMap<>();
        for (int first = 0; first < SEQUENCES; first += BATCH) {
            List<Sequence> batch = new ArrayList<>();
            for (int i = first; i < Math.min(first + BATCH, SEQUENCES); i++) {
                batch.add(new Sequence(emails.get(i % emails.size()), SEED * 100_003 + i));
            }
            for (int step = 0; step < STEPS; step++) {
                List<Map<String, Object>> steps = new ArrayList<>();
                for (Sequence sequence : batch) {
                    steps.add(Map.of("html", sequence.html, "pieces", Pieces.of(sequence.html), "seed", sequence.seed * 31 + step));
                }
                JsonNode results = node.ask(Map.of("do", "steps", "steps", steps));
                for (int i = 0; i < batch.size(); i++) {
                    batch.get(i).take(results.get(i));
                    done.merge(results.get(i).get("name").asText(), 1, Integer::sum);
                }
            }
            batch.forEach(sequence -> assertEquals(sequence.start, sequence.undone()));
        }
        assertTrue(done.size() >= 12 && done.getOrDefault("nothing", 0) < SEQUENCES * STEPS / 5, "operations: " + done);
    }

    /** The edits that undo some. */
    private static JsonNode reversed(String html, JsonNode edits) {
        ArrayNode reversed = JSON.createArrayNode();
        int more = 0;
        for (JsonNode edit : ordered(edits)) {
            int from = edit.get("from").asInt();
            int to = edit.get("to").asInt();
            int length = edit.get("text").asText().length();
            reversed.addObject().put("from", from + more).put("to", from + more + length).put("text", html.substring(from, to));
            more += length - (to - from);
        }
        return reversed;
    }
}
