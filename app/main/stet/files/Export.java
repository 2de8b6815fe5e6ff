package stet.files;

import java.util.TreeMap;
import stet.core.BlockSummary;
import stet.core.Draft;
import stet.core.Json;
import stet.core.Template;
import stet.core.TemplateSummary;
import stet.store.Dao;

/** Writes the files of an account. Two exports of one state are the same bytes: one order, line feeds, and no time in them. */
public final class Export {
    private Export() {
    }

    /** Takes the files of an export, one after the other. */
    public interface Target {
        /** @throws java.io.UncheckedIOException when the file cannot be written */
        void write(String path, byte[] bytes);
    }

    /**
     * Writes all files of an account; for one transaction.
     *
     * @throws stet.store.StoreException when a draft or a shared block has rotted
     */
    public static void write(Dao dao, long account, Target target) {
        for (BlockSummary block : dao.blocks().list(account)) {
            write(block.name(), dao.blocks().html(account, block.name()).orElseThrow(), target);
        }
        for (TemplateSummary listed : dao.templates(account)) {
            Template template = dao.intactTemplate(account, listed.id());
            write(new Draft(template.id(), template.name(), template.subject(), template.html(), template.samples()),
                    template.published() != null, target);
        }
    }

    /** Writes the two files of a template. */
    public static void write(Draft draft, boolean published, Target target) {
        Object json = new AccountFiles.TemplateJson(draft.name(), published, new TreeMap<>(draft.samples()), draft.subject());
        target.write(AccountPath.Kind.HTML.path(draft.id()), draft.html());
        target.write(AccountPath.Kind.JSON.path(draft.id()), Json.writeLines(json));
    }

    /** Writes the file of a shared block. */
    public static void write(String block, byte[] html, Target target) {
        target.write(AccountPath.Kind.BLOCK.path(block), html);
    }
}
