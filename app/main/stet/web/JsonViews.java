package stet.web;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import stet.core.Json;
import stet.core.TemplateSummary;
import stet.core.Timestamp;
import stet.core.Version;
import stet.markup.Problem;
import stet.markup.Problems;

/** How the things of {@code core} look in the web application's JSON. */
final class JsonViews {
    /** Names that one list has, at most. */
    static final int LISTED = 1_000;

    private JsonViews() {
    }

    static String text(byte[] html) {
        return new String(html, StandardCharsets.UTF_8);
    }

    static String time(Instant instant) {
        return instant == null ? null : Timestamp.format(instant);
    }

    static String state(TemplateSummary.State state) {
        return switch (state) {
            case NEVER_PUBLISHED -> "never";
            case PUBLISHED -> "published";
            case CHANGED -> "changed";
        };
    }

    static void texts(ArrayNode array, Collection<String> texts) {
        texts.forEach(array::add);
    }

    static ObjectNode version(Version version, boolean live) {
        return Json.object()
                .put("number", version.number())
                .put("publishedAt", time(version.publishedAt()))
                .put("note", version.note())
                .put("bytes", version.bytes())
                .put("sha256", version.digest())
                .put("live", live);
    }

    static void problems(ObjectNode object, Problems problems) {
        ArrayNode array = object.putArray("problems");
        for (Problem problem : problems.first()) {
            array.addObject()
                    .put("level", problem.level().word())
                    .put("field", problem.field())
                    .put("block", problem.block())
                    .put("line", problem.line())
                    .put("sentence", problem.sentence());
        }
        object.put("moreProblems", problems.more());
    }

    /** The first of some names, and how many more there are: {@code "added": [...], "moreAdded": 0}. */
    static void names(ObjectNode object, String field, Collection<String> names) {
        ArrayNode array = object.putArray(field);
        names.stream().limit(LISTED).forEach(array::add);
        object.put("more" + Character.toUpperCase(field.charAt(0)) + field.substring(1), Math.max(0, names.size() - LISTED));
    }
}
