package stet.files;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import stet.base.Json;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Block;
import stet.core.Draft;
import stet.core.Role;
import stet.core.Samples;
import stet.core.ServedTemplate;
import stet.core.Template;
import stet.core.TemplateDetails;
import stet.core.TemplateSummary;
import stet.core.Validation;
import stet.dao.Dao;

/**
 * Writes an account's files. Exports of the same state are identical: files have a fixed order, and generated JSON has sorted fields, LF
 * line endings and no export time.
 */
public final class Export {
    private Export() {
    }

    /** Receives an export's files one by one. */
    public interface ExportTarget {
        /** @throws java.io.UncheckedIOException if the file cannot be written */
        void write(String path, byte[] bytes);
    }

    /**
     * Writes all of an account's drafts, shared blocks and images in one transaction.
     *
     * @throws stet.dao.StoreException if a draft or shared block is corrupted
     */
    public static void write(Dao dao, long account, ExportTarget target) {
        writeBlocks(dao, account, blocksAndImages(dao, account), target);
        writeDrafts(dao, account, ids(dao, account), true, target);
    }

    /**
     * Writes selected templates and the shared blocks and images that they include, in one transaction.
     *
     * @throws Refusal if no ID is given or an ID is unknown
     */
    public static void writeSelected(Dao dao, long account, Set<String> ids, ExportTarget target) {
        if (ids.isEmpty()) {
            throw new Refusal("templates", "Choose at least one template");
        }
        ids.stream().filter(id -> !dao.templates().exists(account, id)).findFirst().ifPresent(id -> {
            throw new Refusal("templates", "Template " + id + " not found");
        });
        writeBlocks(dao, account, dao.library().blocksUsedBy(account, ids), target);
        writeDrafts(dao, account, new TreeSet<>(ids), true, target);
    }

    /** Names of all shared blocks, then full names of all images. */
    private static List<String> blocksAndImages(Dao dao, long account) {
        List<String> names = new ArrayList<>(dao.blocks().list(account).stream().map(Block.Summary::name).toList());
        names.addAll(dao.blocks().images(account));
        return names;
    }

    private static List<String> ids(Dao dao, long account) {
        return dao.templates().list(account).stream().map(TemplateSummary::id).toList();
    }

    private static void writeBlocks(Dao dao, long account, Collection<String> names, ExportTarget target) {
        names.forEach(name -> writeBlock(name, dao.blocks().html(account, name).orElseThrow(), target));
    }

    /** @param statesPublished whether to state {@code "published": true} for a published template; false is always stated */
    private static void writeDrafts(Dao dao, long account, Collection<String> ids, boolean statesPublished, ExportTarget target) {
        Map<String, TemplateDetails> details = dao.details().all(account);
        for (String id : ids) {
            Template template = dao.templates().intact(account, id);
            boolean isPublished = template.published() != null;
            write(id, template.html(), new TemplateFile(template.name(), template.subject(), template.samples(), details.get(id),
                    isPublished && !statesPublished ? null : Boolean.valueOf(isPublished), null), target);
        }
    }

    /**
     * Writes the data that the API serves, in one transaction: the live versions, with their names and times. A template that was
     * never published gets empty HTML. Test data is always current, because versions do not include it.
     *
     * @return paths of files that exceed a draft's maximum size because versions contain expanded blocks
     */
    public static List<String> writeServed(Dao dao, long account, ExportTarget target) {
        List<String> tooLong = new ArrayList<>();
        for (TemplateSummary listed : dao.templates().list(account)) {
            Optional<ServedTemplate> served = dao.templates().published(account, listed.id());
            byte[] html = served.map(ServedTemplate::html).orElse(new byte[0]);
            Samples samples = dao.templates().samples(account, listed.id());
            write(listed.id(), html, new TemplateFile(listed.name(), served.map(ServedTemplate::subject).orElse(""), samples,
                    TemplateDetails.NONE, served.isPresent(), listed.updatedAt()), target);
            if (html.length > Validation.HTML_BYTES) {
                tooLong.add(AccountPath.PathKind.HTML.path(listed.id()));
            }
        }
        return tooLong;
    }

    /**
     * Writes the files for {@code pull} in one transaction: either the drafts, or the sources of live versions with the current shared
     * blocks. Adds a record of changes made in Stet. Drafts that were never published are marked so that pushing the files does not publish
     * them; otherwise, what to publish is the decision of the files' author.
     *
     * @param published whether to write live versions instead of drafts
     */
    public static void pull(Dao dao, long account, boolean published, ExportTarget target) {
        Pulled pulled = Pulled.of(dao, account, published);
        if (!pulled.equals(Pulled.NOTHING)) {
            target.write(AccountPath.PathKind.PULLED.path(), pulled.json());
        }
        writeBlocks(dao, account, blocksAndImages(dao, account), target);
        if (published) {
            writeLive(dao, account, target);
        } else {
            writeDrafts(dao, account, ids(dao, account), false, target);
        }
    }

    /** Writes the sources of the live versions, with the templates' current names, details and test data. */
    private static void writeLive(Dao dao, long account, ExportTarget target) {
        Map<String, TemplateDetails> details = dao.details().all(account);
        for (TemplateSummary listed : dao.templates().list(account)) {
            String id = listed.id();
            dao.versions().live(account, id).flatMap(live -> dao.versions().find(account, id, live.number())).ifPresent(live ->
                    write(id, live.draftHtml(), new TemplateFile(listed.name(), live.subject(), dao.templates().samples(account, id),
                            details.get(id), null, null), target));
        }
    }

    /** Writes a template's files. */
    public static void writeTemplate(Draft draft, TemplateDetails details, boolean published, ExportTarget target) {
        write(draft.id(), draft.html(), new TemplateFile(draft.name(), draft.subject(), draft.samples(), details, published, null), target);
    }

    private static void write(String id, byte[] html, TemplateFile file, ExportTarget target) {
        target.write(AccountPath.PathKind.HTML.path(id), html);
        target.write(AccountPath.PathKind.JSON.path(id), file.json());
        file.samples().documents().forEach((set, document) -> writeSamples(id, set, document, target));
    }

    /** Writes a set of test data to its file. */
    public static void writeSamples(String id, String set, String document, ExportTarget target) {
        target.write(AccountPath.PathKind.SAMPLES.path(id, set), Utf8.encode(document));
    }

    /**
     * An account.json for the test double. Keys get made-up values because the file must not contain secrets. The values contain the
     * account's ID, so that one test double can load several exports. The email address also contains the ID if the account's name is
     * not an email address.
     */
    public static byte[] accountJson(Dao dao, Account account) {
        String email = account.name().contains("@") ? account.name() : dao.members().list(account.id()).stream()
                .filter(member -> member.role() == Role.OWNER).map(member -> member.user().email()).findFirst()
                .orElse("account@example.com").replaceFirst("@", "+" + account.id() + "@");
        List<KeyFields> keys = new ArrayList<>();
        dao.keys().list(account.id()).stream().filter(key -> key.expiresAt() == null).limit(account.keys()).forEach(key ->
                keys.add(new KeyFields("stet-test-key-" + account.id() + "-" + (keys.size() + 1), key.name())));
        LimitFields limits = account.keyLimit() == null && account.requestLimit() == null ? null
                : new LimitFields(account.keyLimit(), account.requestLimit());
        return Json.writeLines(new AccountFields(account.billingAnchor(), account.createdAt(), email, keys, limits,
                account.plan().word()));
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record AccountFields(Instant billingAnchor, Instant createdAt, String email, List<KeyFields> keys,
                                 LimitFields limits, String plan) {
    }

    private record KeyFields(String key, String name) {
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record LimitFields(Long keys, Long requests) {
    }

    /** Writes a shared block's or image's file. */
    public static void writeBlock(String name, byte[] bytes, ExportTarget target) {
        target.write(AccountPath.ofBlock(name), bytes);
    }
}
