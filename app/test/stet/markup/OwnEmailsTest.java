package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stet.markup.Pieces.PieceKind;

/** Everything that readers see in the starters and in the demo's emails can be edited in <em>Write</em>. */
class OwnEmailsTest {
    private static final Pattern UNSEEN = Pattern.compile("(?s)^.*?<body[^>]*>|<style>.*?</style>|&nbsp;|<div style=\"display: none;.*?</div>|<!--.*?-->|<(?:\\{\\{>|[^>])*>|\\{\\{[#/^>!][^}]*}}|\\{\\{else}}");

    /** The attributes and texts that the email itself gives each piece, so that <em>Write</em> shows and changes it. */
    private static final Map<PieceKind, Set<String>> PROPERTIES = Map.of(PieceKind.HEADING, Set.of("color"), PieceKind.TEXT, Set.of("color"),
            PieceKind.DIVIDER, Set.of("color"), PieceKind.IMAGE, Set.of("source", "alt", "width"),
            PieceKind.BUTTON, Set.of("label", "link", "background", "color", "padding", "radius"));

    static List<Path> emails() throws IOException {
        List<Path> all = Stream.of("app/starters/templates", "app/demo/templates", "app/demo/blocks", "app/demo-team/templates").map(Path::of).flatMap(OwnEmailsTest::files)
                .filter(file -> file.toString().endsWith(".html")).sorted().toList();
        assertTrue(all.size() >= 16, all.toString());
        return all;
    }

    private static Stream<Path> files(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList().stream();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @ParameterizedTest
    @MethodSource("emails")
    void allThatIsSeenIsInAPieceThatCanBeEdited(Path file) throws IOException {
        String html = Files.readString(file);
        Pieces pieces = Pieces.of(html);
        assertEquals(null, pieces.problem());
        assertEquals(List.of(), pieces.fixed());
        assertEquals(List.of(), pieces.piece().stream().filter(piece -> piece.kind() == PieceKind.CODE).toList());
        String seen = UNSEEN.matcher(html).replaceAll(unseen -> " ".repeat(unseen.group().length()));
        for (MatchResult word : Pattern.compile("\\S+").matcher(seen).results().toList()) {
            assertTrue(pieces.piece().stream().anyMatch(piece -> hasWords(piece, word.start(), word.end())), word.group() + " at " + word.start());
        }
        for (MatchResult image : Pattern.compile("<img ").matcher(html).results().toList()) {
            assertTrue(pieces.piece().stream().anyMatch(piece -> piece.kind() == PieceKind.IMAGE && isIn(piece.open(), image.start(), image.end())), "the image at " + image.start());
        }
        for (MatchResult link : Pattern.compile("<a [^>]*background-color").matcher(html).results().toList()) {
            assertTrue(pieces.piece().stream().anyMatch(piece -> piece.kind() == PieceKind.BUTTON && isIn(piece.open(), link.start(), link.start() + 1)), "the button at " + link.start());
        }
        for (MatchResult line : Pattern.compile("<td [^>]*border-top: 1px[^>]*>").matcher(html).results().toList()) {
            assertTrue(pieces.piece().stream().anyMatch(piece -> piece.kind() == PieceKind.DIVIDER && piece.from() < line.start() && line.end() < piece.to()), line.group());
        }
        for (Pieces.Piece piece : pieces.piece()) {
            assertTrue(piece.values().keySet().containsAll(PROPERTIES.getOrDefault(piece.kind(), Set.of())), piece.kind() + " " + piece.label() + " has only " + piece.values().keySet());
        }
    }

    private static boolean hasWords(Pieces.Piece piece, int from, int to) {
        boolean isText = piece.kind() == PieceKind.TEXT || piece.kind() == PieceKind.HEADING;
        return isText ? isIn(piece.content(), from, to) : piece.kind() == PieceKind.BUTTON && piece.values().get("label").stream().anyMatch(label -> isIn(label, from, to));
    }

    private static boolean isIn(int[] range, int from, int to) {
        return range[0] <= from && to <= range[1];
    }
}
