package stet.files;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import stet.core.Draft;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Listed;
import stet.core.Refusal;
import stet.core.Rules;
import stet.core.Template;
import stet.store.Dao;

/**
 * The drafts and shared blocks of an account as files: one format for import, export, seeds and fixtures.
 *
 * @param drafts by id
 * @param blocks the html of each, by name
 */
public record AccountFiles(SortedMap<String, DraftFile> drafts, SortedMap<String, byte[]> blocks) {

    /** @param published whether it is to be served; when not, it is a draft only */
    public record DraftFile(Draft draft, boolean published) {
    }

    /**
     * Reads the files of a folder; account.json is not looked at.
     *
     * @param files the bytes by path, as {@link Folder#read} gives them
     * @throws Refusal naming the file, and the field where there is one
     */
    public static AccountFiles of(SortedMap<String, byte[]> files) {
        SortedMap<String, DraftFile> drafts = new TreeMap<>();
        SortedMap<String, byte[]> blocks = new TreeMap<>();
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            String path = file.getKey();
            Place.of(path).ifPresent(place -> {
                place.check(path, file.getValue().length);
                switch (place.kind()) {
                    case BLOCK -> blocks.put(place.name(), at(path, () -> Rules.html(file.getValue())));
                    case HTML -> drafts.put(place.name(), draft(place.name(), path, file.getValue(), files));
                    case JSON -> {
                        if (!files.containsKey(Place.path(Place.Kind.HTML, place.name()))) {
                            throw new Refusal("There is no " + place.name() + ".html beside it").in(path);
                        }
                    }
                    case SETTINGS -> { }
                }
            });
        }
        return new AccountFiles(drafts, blocks);
    }

    private static DraftFile draft(String id, String path, byte[] html, SortedMap<String, byte[]> files) {
        at(path, () -> Rules.html(html));
        String jsonPath = Place.path(Place.Kind.JSON, id);
        byte[] json = files.get(jsonPath);
        if (json == null) {
            return new DraftFile(new Draft(id, id, "", html, Map.of()), true);
        }
        return at(jsonPath, () -> {
            Fields fields = Fields.withoutNull(json);
            String name = fields.text("name", id);
            String subject = fields.text("subject", "");
            Map<String, String> samples = fields.texts("samples");
            boolean published = fields.flag("published", true);
            fields.end();
            return new DraftFile(new Draft(id, name, subject, html, samples), published);
        });
    }

    /** The files of an account as it is, two times the same: sorted, with line feeds, without a time in them. */
    public static SortedMap<String, byte[]> of(Dao dao, long account) {
        SortedMap<String, byte[]> files = new TreeMap<>();
        for (Listed listed : dao.templates(account)) {
            Template template = dao.template(account, listed.id()).orElseThrow();
            files.put(Place.path(Place.Kind.HTML, listed.id()), template.html());
            files.put(Place.path(Place.Kind.JSON, listed.id()), json(template));
        }
        dao.blocks(account).forEach((name, html) -> files.put(Place.path(Place.Kind.BLOCK, name), html));
        return files;
    }

    private static byte[] json(Template template) {
        ObjectNode json = Json.object();
        json.put("name", template.name());
        json.put("published", template.published() != null);
        ObjectNode samples = json.putObject("samples");
        new TreeMap<>(template.samples()).forEach(samples::put);
        json.put("subject", template.subject());
        return Json.writeLines(json);
    }

    /** Has refusals name the file. */
    static <T> T at(String path, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (Refusal refusal) {
            throw refusal.in(path);
        }
    }
}
