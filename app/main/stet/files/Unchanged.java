package stet.files;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import stet.base.Json;

/**
 * The templates and blocks that a push omits because the account already has them: {@code stet-unchanged.json} in the zip.
 *
 * @param templates   digests of the files by template ID
 * @param unpublished IDs of templates not to publish
 * @param blocks      digests by block name
 */
record Unchanged(Map<String, String> templates, Set<String> unpublished, Map<String, String> blocks) {
    static final Unchanged NOTHING = new Unchanged(Map.of(), Set.of(), Map.of());

    static Unchanged of(byte[] json) {
        JsonNode root = Json.readObject(json);
        Set<String> unpublished = new TreeSet<>();
        root.path("unpublished").forEach(id -> unpublished.add(id.asText()));
        return new Unchanged(digests(root.path("templates")), unpublished, digests(root.path("blocks")));
    }

    static Map<String, String> digests(JsonNode named) {
        Map<String, String> digests = new TreeMap<>();
        named.properties().forEach(each -> digests.put(each.getKey(), each.getValue().asText()));
        return digests;
    }

    byte[] json() {
        return Json.write(this);
    }
}
