package stet.files;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.TreeMap;
import stet.core.BlockSummary;
import stet.core.Draft;
import stet.core.Json;
import stet.core.Template;
import stet.core.TemplateSummary;
import stet.store.Dao;

/** The files of an account as it is, two times the same: in one order, with line feeds, without a time in them. */
public final class Export {
    private Export() {
    }

    /** Writes one file after the other; for one transaction. */
    public static void write(Dao dao, long account, Target target) {
        for (BlockSummary block : dao.blocks().list(account)) {
            write(block.name(), dao.blocks().html(account, block.name()).orElseThrow(), target);
        }
        for (TemplateSummary listed : dao.templates(account)) {
            Template template = dao.template(account, listed.id()).orElseThrow();
            write(new Draft(template.id(), template.name(), template.subject(), template.html(), template.samples()),
                    template.published() != null, target);
        }
    }

    /** The two files of a template. */
    public static void write(Draft draft, boolean published, Target target) {
        ObjectNode json = Json.object();
        json.put("name", draft.name());
        json.put("published", published);
        ObjectNode samples = json.putObject("samples");
        new TreeMap<>(draft.samples()).forEach(samples::put);
        json.put("subject", draft.subject());
        target.write(Place.path(Place.Kind.HTML, draft.id()), draft.html());
        target.write(Place.path(Place.Kind.JSON, draft.id()), Json.writeLines(json));
    }

    /** The file of a shared block. */
    public static void write(String block, byte[] html, Target target) {
        target.write(Place.path(Place.Kind.BLOCK, block), html);
    }
}
