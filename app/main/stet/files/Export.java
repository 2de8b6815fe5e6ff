package stet.files;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import stet.core.Account;
import stet.core.BlockSummary;
import stet.core.Draft;
import stet.core.Json;
import stet.core.Refusal;
import stet.core.Role;
import stet.core.ServedTemplate;
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
        Map<String, List<String>> tags = dao.library().tags(account);
        for (TemplateSummary listed : dao.templates(account)) {
            writeTemplate(dao, account, listed.id(), tags, target);
        }
    }

    /**
     * Does the same with some templates, and the shared blocks that they include.
     *
     * @throws Refusal naming the first id that the account does not have
     */
    public static void write(Dao dao, long account, Set<String> ids, Target target) {
        ids.stream().filter(id -> !dao.hasTemplate(account, id)).findFirst().ifPresent(id -> {
            throw new Refusal("templates", "There is no template " + id);
        });
        for (String block : dao.library().blocks(account, new String(Json.write(ids), StandardCharsets.UTF_8))) {
            write(block, dao.blocks().html(account, block).orElseThrow(), target);
        }
        Map<String, List<String>> tags = dao.library().tags(account);
        for (String id : new TreeSet<>(ids)) {
            writeTemplate(dao, account, id, tags, target);
        }
    }

    private static void writeTemplate(Dao dao, long account, String id, Map<String, List<String>> tags, Target target) {
        Template template = dao.intactTemplate(account, id);
        write(new Draft(template.id(), template.name(), template.subject(), template.html(), template.samples()),
                template.published() != null, tags.getOrDefault(id, List.of()), null, target);
    }

    /**
     * Writes what is served now, for one transaction: the live versions, with the names and times that the API tells. A template
     * that was never published has an empty text. The test data is that of today.
     */
    public static void writeServed(Dao dao, long account, Target target) {
        for (TemplateSummary listed : dao.templates(account)) {
            Optional<ServedTemplate> served = dao.published(account, listed.id());
            write(new Draft(listed.id(), listed.name(), served.map(ServedTemplate::subject).orElse(""),
                    served.map(ServedTemplate::html).orElse(new byte[0]), dao.samples(account, listed.id())),
                    served.isPresent(), List.of(), listed.updatedAt(), target);
        }
    }

    /** Writes the files of a template. */
    public static void write(Draft draft, boolean published, Target target) {
        write(draft, published, List.of(), null, target);
    }

    private static void write(Draft draft, boolean published, List<String> tags, Instant updatedAt, Target target) {
        SortedMap<String, Object> json = new TreeMap<>(Map.of("name", draft.name(), "published", published,
                "subject", draft.subject()));
        if (draft.samples().defaultName() != null) {
            json.put("defaultSamples", draft.samples().defaultName());
        }
        if (updatedAt != null) {
            json.put("updatedAt", updatedAt);
        }
        if (!tags.isEmpty()) {
            json.put("tags", tags);
        }
        target.write(AccountPath.Kind.HTML.path(draft.id()), draft.html());
        target.write(AccountPath.Kind.JSON.path(draft.id()), Json.writeLines(json));
        draft.samples().documents().forEach((set, document) -> writeSamples(draft.id(), set, document, target));
    }

    /** Writes the file of a set of test data. */
    public static void writeSamples(String id, String set, String document, Target target) {
        target.write(AccountPath.samples(id, set), document.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The account.json of an account for a test double: without secrets, so its keys have made-up values. The account's number is
     * in each, and in the e-mail address of an account that has a name, so that one double takes several exports.
     */
    public static byte[] account(Dao dao, Account account) {
        String email = account.name().contains("@") ? account.name() : dao.people().members(account.id()).stream()
                .filter(member -> member.role() == Role.OWNER).map(member -> member.person().email()).findFirst()
                .map(owner -> owner.replaceFirst("@", "+" + account.id() + "@")).orElse(account.name());
        SortedMap<String, Object> json = new TreeMap<>(Map.of("email", email, "plan", account.plan().word(), "createdAt",
                account.createdAt()));
        if (account.billingAnchor() != null) {
            json.put("billingAnchor", account.billingAnchor());
        }
        SortedMap<String, Long> limits = new TreeMap<>();
        if (account.requestLimit() != null) {
            limits.put("requests", account.requestLimit());
        }
        if (account.keyLimit() != null) {
            limits.put("keys", account.keyLimit());
        }
        if (!limits.isEmpty()) {
            json.put("limits", limits);
        }
        List<Map<String, String>> keys = new ArrayList<>();
        dao.keys().list(account.id()).stream().filter(key -> key.expiresAt() == null).limit(account.keys()).forEach(key ->
                keys.add(new TreeMap<>(Map.of("name", key.name(), "key", "stet-test-key-" + account.id() + "-" + (keys.size() + 1)))));
        json.put("keys", keys);
        return Json.writeLines(json);
    }

    /** Writes the file of a shared block. */
    public static void write(String block, byte[] html, Target target) {
        target.write(AccountPath.Kind.BLOCK.path(block), html);
    }
}
