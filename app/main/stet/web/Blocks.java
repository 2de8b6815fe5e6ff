package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import stet.access.Member;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Block;
import stet.core.Validation;
import stet.dao.Dao;
import stet.dao.SourceDao;
import stet.dao.TemplateDao.Saved;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.markup.BlockCheck;
import stet.markup.Publisher;

/** An account's shared blocks and their uses. */
public final class Blocks {
    private final Clock clock;

    public Blocks(Clock clock) {
        this.clock = clock;
    }

    /**
     * @param users number of drafts and blocks that include the block
     * @param stale number of live versions with an older text of the block
     */
    record BlockRow(String name, Instant updatedAt, long bytes, long users, long stale) {
    }

    /**
     * A shared block, the templates and blocks that include it, and the templates whose live version contains an outdated version of the
     * block.
     */
    record BlockJson(String name, String html, long revision, Instant updatedAt, String savedBy, List<String> templates,
                     List<String> blocks, List<String> stale,
                     @JsonInclude(JsonInclude.Include.NON_NULL) SourceDao.SourceRow source) {
    }

    record BlockList(List<BlockRow> blocks) {
    }

    public Response list(Member member, Request request) {
        Account account = member.account();
        return member.read(dao -> {
            Map<String, Long> stale = dao.blocks().stale(account.id()).values().stream().flatMap(List::stream)
                    .collect(Collectors.groupingBy(name -> name, Collectors.counting()));
            return Response.json(new BlockList(dao.blocks().list(account.id()).stream().map(block ->
                    new BlockRow(block.name(), block.updatedAt(), block.bytes(), block.users(),
                            stale.getOrDefault(block.name(), 0L))).toList()));
        });
    }

    public Response show(Member member, Request request) {
        Account account = member.account();
        return Response.json(member.read(dao -> block(dao, account, request.id())));
    }

    public Response create(Member member, Request request) {
        Account account = member.account();
        Fields fields = request.form();
        String name = Validation.id("name", fields.text("name"));
        byte[] html = Validation.html(fields.text("html", ""));
        fields.end();
        List<String> included = Publisher.included(Utf8.text(html));
        return Response.json(201, member.write(dao -> check(dao, account, name, html), (dao, others) -> {
            if (dao.blocks().find(account.id(), name).isPresent()) {
                throw new Refusal("name", "A shared block named " + name + " already exists; choose another name");
            }
            dao.blocks().checkRoom(account.id());
            return save(dao, account, name, html, included, others);
        }));
    }

    public Response save(Member member, Request request) {
        Account account = member.account();
        Fields fields = request.form();
        long revision = fields.number("revision");
        byte[] html = Validation.html(fields.text("html"));
        fields.end();
        List<String> included = Publisher.included(Utf8.text(html));
        String name = request.id();
        return UnseenChange.response("This shared block has changed since you opened it", () -> member.write(dao -> {
            checkRevision(dao, account, name, revision);
            return check(dao, account, name, html);
        }, (dao, others) -> {
            checkRevision(dao, account, name, revision);
            return save(dao, account, name, html, included, others);
        }), () -> member.read(dao -> block(dao, account, name)));
    }

    private static void checkRevision(Dao dao, Account account, String name, long revision) {
        UnseenChange.check(dao.blocks().lastSave(account.id(), name).map(Saved::revision), revision);
    }

    /**
     * Rejects a block that would make every template using it unpublishable.
     *
     * @return SHA-256 of each other block used in the check, by name
     */
    private static Map<String, byte[]> check(Dao dao, Account account, String name, byte[] html) {
        return BlockCheck.check(name, other -> other.equals(name)
                ? Optional.of(Utf8.text(html)) : dao.blocks().text(account.id(), other));
    }

    /** @return empty if a block used in the check has changed since the check */
    private Optional<BlockJson> save(Dao dao, Account account, String name, byte[] html, List<String> included,
                                     Map<String, byte[]> others) {
        if (!dao.blocks().areUnchanged(account.id(), others)) {
            return Optional.empty();
        }
        dao.blocks().save(account.id(), name, html, included, clock.instant());
        return Optional.of(block(dao, account, name));
    }

    public Response delete(Member member, Request request) {
        Account account = member.account();
        Failure.NOT_FOUND.unless(member.write(dao -> dao.blocks().delete(account.id(), request.id(), clock.instant())));
        return Response.none();
    }

    /** The templates whose live version contains an outdated version of a shared block or image. */
    static List<String> stale(Dao dao, long account, String name) {
        return dao.blocks().stale(account).entrySet().stream()
                .filter(template -> template.getValue().contains(name)).map(Map.Entry::getKey).toList();
    }

    private static BlockJson block(Dao dao, Account account, String name) {
        Block block = dao.blocks().find(account.id(), name).orElseThrow(Failure.NOT_FOUND::thrown);
        return new BlockJson(name, Utf8.text(block.html()), block.revision(), block.updatedAt(), block.savedBy(),
                dao.blocks().includers(account.id(), "template", name), dao.blocks().includers(account.id(), "block", name),
                stale(dao, account.id(), name), dao.sources().find(account.id(), "block", name).orElse(null));
    }
}
