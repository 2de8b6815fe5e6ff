package stet.files;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import stet.core.FilesDigest;
import stet.core.Json;
import stet.dao.Dao;
import stet.dao.SourceDao.Head;

/**
 * Changes made here that {@code pull} has written into files, in {@code stet-pulled.json} beside them. It is committed with the
 * files, so that a push of what was merged from them replaces these changes, and no later ones.
 *
 * @param templates by id
 * @param blocks    by name
 */
record Pulled(Map<String, Seen> templates, Map<String, Seen> blocks) {
    static final Pulled NOTHING = new Pulled(Map.of(), Map.of());

    /**
     * What a pull found.
     *
     * @param draft digest of its files, or null where the live version was pulled
     * @param live  draft digest of the live version, or null where the draft was pulled
     * @param files digest that the last import or push had brought, or null: the next one ends what this permits
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Seen(String draft, String live, String files) {
        /** Whether what comes was merged with it: neither has anything come since, nor is it what had come before. */
        boolean isMerged(String digest, byte[] source) {
            return Objects.equals(files, FilesDigest.hex(source)) && !digest.equals(files);
        }

        /** The same with what an earlier pull of the same files found besides. @param other or null */
        private Seen with(Seen other) {
            return other == null || !Objects.equals(files, other.files) ? this
                    : new Seen(draft == null ? other.draft : draft, live == null ? other.live : live, files);
        }
    }

    /** The changes made here since the last import or push. @param published whether the live versions are pulled, or the drafts */
    static Pulled of(Dao dao, long account, boolean published) {
        return new Pulled(seen(dao.sources().templates(account), published), seen(dao.sources().blocks(account), published));
    }

    private static Map<String, Seen> seen(Map<String, Head> heads, boolean published) {
        Map<String, Seen> seen = new TreeMap<>();
        heads.values().stream().filter(head -> !Conflict.isAsItCame(head)).forEach(head -> {
            boolean isLive = published && head.kind().equals("template");
            seen.put(head.id(), new Seen(isLive ? null : head.digest(), isLive ? FilesDigest.hex(head.live()) : null,
                    FilesDigest.hex(head.source())));
        });
        return seen;
    }

    static Pulled of(byte[] json) {
        JsonNode root = Json.readObject(json);
        return new Pulled(seen(root.path("templates")), seen(root.path("blocks")));
    }

    /** The changes that the files of two pulls have. */
    Pulled after(Pulled earlier) {
        return new Pulled(merged(templates, earlier.templates), merged(blocks, earlier.blocks));
    }

    private static Map<String, Seen> merged(Map<String, Seen> now, Map<String, Seen> earlier) {
        Map<String, Seen> merged = new TreeMap<>(now);
        merged.replaceAll((id, seen) -> seen.with(earlier.get(id)));
        return merged;
    }

    private static Map<String, Seen> seen(JsonNode named) {
        Map<String, Seen> seen = new TreeMap<>();
        named.properties().forEach(each -> seen.put(each.getKey(),
                new Seen(each.getValue().path("draft").asText(null), each.getValue().path("live").asText(null),
                        each.getValue().path("files").asText(null))));
        return seen;
    }

    byte[] json() {
        return Json.writeLines(this);
    }
}
