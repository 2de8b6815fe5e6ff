package stet.files;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import stet.base.Json;
import stet.core.FilesDigest;
import stet.dao.Dao;
import stet.dao.SourceDao.Head;

/**
 * Changes made in Stet that {@code pull} wrote into files, recorded in {@code stet-pulled.json} beside the files. The record is committed
 * with the files, so that pushing the merged files replaces exactly these changes and no later ones.
 *
 * @param templates by ID
 * @param blocks    by name
 */
record Pulled(Map<String, PulledState> templates, Map<String, PulledState> blocks) {
    static final Pulled NOTHING = new Pulled(Map.of(), Map.of());

    /**
     * The state found by a pull.
     *
     * @param draft digest of the draft's files; null if the live version was pulled
     * @param live  digest of the draft from which the live version was published; null if only drafts were pulled
     * @param files digest of the last import or push, or null; the next import or push invalidates this record
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record PulledState(String draft, String live, String files) {
        /**
         * Whether the incoming files include this change. True if nothing has been imported or pushed since the pull, and the incoming
         * files differ from the last import or push.
         */
        boolean isMerged(String digest, byte[] source) {
            return Objects.equals(files, FilesDigest.hex(source)) && !digest.equals(files);
        }

        /**
         * Merges an earlier pull into this one if both followed the same import or push.
         *
         * @param replaced whether this pull replaced the draft
         */
        private PulledState with(PulledState other, boolean replaced) {
            return other == null || !Objects.equals(files, other.files) ? this
                    : new PulledState(draft == null && !replaced ? other.draft : draft, live == null ? other.live : live, files);
        }
    }

    /** Changes made in Stet since the last import or push. @param published whether live versions, not drafts, are pulled */
    static Pulled of(Dao dao, long account, boolean published) {
        return new Pulled(seen(dao.sources().templates(account), published), seen(dao.sources().blocks(account), published));
    }

    private static Map<String, PulledState> seen(Map<String, Head> heads, boolean published) {
        Map<String, PulledState> seen = new TreeMap<>();
        heads.values().stream().filter(head -> Conflict.ofRemoval(head).isPresent()).forEach(head -> {
            boolean isLive = published && head.kind().equals("template");
            seen.put(head.id(), new PulledState(isLive ? null : head.digest(), isLive ? FilesDigest.hex(head.live()) : null,
                    FilesDigest.hex(head.source())));
        });
        return seen;
    }

    static Pulled of(byte[] json) {
        JsonNode root = Json.readObject(json);
        return new Pulled(seen(root.path("templates")), seen(root.path("blocks")));
    }

    /** Merges the changes of two pulls. @param replaced templates whose files this pull wrote */
    Pulled after(Pulled earlier, Predicate<String> replaced) {
        return new Pulled(merged(templates, earlier.templates, replaced), merged(blocks, earlier.blocks, id -> false));
    }

    private static Map<String, PulledState> merged(Map<String, PulledState> later, Map<String, PulledState> earlier, Predicate<String> replaced) {
        Map<String, PulledState> merged = new TreeMap<>(later);
        merged.replaceAll((id, seen) -> seen.with(earlier.get(id), replaced.test(id)));
        return merged;
    }

    private static Map<String, PulledState> seen(JsonNode named) {
        Map<String, PulledState> seen = new TreeMap<>();
        named.properties().forEach(each -> seen.put(each.getKey(),
                new PulledState(each.getValue().path("draft").asText(null), each.getValue().path("live").asText(null),
                        each.getValue().path("files").asText(null))));
        return seen;
    }

    byte[] json() {
        return Json.writeLines(this);
    }
}
