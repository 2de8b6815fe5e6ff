package stet.web;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import stet.core.Account;
import stet.core.Block;
import stet.core.BlockSummary;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Refusal;
import stet.core.Validation;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.markup.Problem;
import stet.markup.Publisher;
import stet.store.Dao;
import stet.store.Db;

/** The shared blocks of an account, and who uses them. */
public final class Blocks {
    private final Db db;
    private final Clock clock;

    public Blocks(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    public Response list(Account account, Request request) {
        return db.read(dao -> {
            ObjectNode object = Json.object();
            ArrayNode blocks = object.putArray("blocks");
            Map<String, Long> stale = dao.blocks().stale(account.id()).values().stream().flatMap(List::stream)
                    .collect(Collectors.groupingBy(name -> name, Collectors.counting()));
            for (BlockSummary block : dao.blocks().list(account.id())) {
                blocks.addObject()
                        .put("name", block.name())
                        .put("updatedAt", JsonViews.time(block.updatedAt()))
                        .put("bytes", block.bytes())
                        .put("users", block.users())
                        .put("stale", stale.getOrDefault(block.name(), 0L));
            }
            return Answer.json(Json.write(object));
        });
    }

    public Response show(Account account, Request request) {
        return db.read(dao -> found(200, dao, account, request.id())).get();
    }

    public Response create(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, Authoring.BODY_BYTES));
        String name = Validation.id("name", fields.text("name"));
        byte[] html = Validation.html(fields.text("html", ""));
        fields.end();
        List<String> named = Publisher.included(JsonViews.text(html));
        return db.write(account, dao -> check(dao, account, name, html), (dao, used) -> {
            if (dao.blocks().find(account.id(), name).isPresent()) {
                throw new Refusal("name", "There is a shared block " + name + " already");
            }
            dao.blocks().checkRoom(account.id());
            return save(dao, account, name, html, named, used, 201);
        }).get();
    }

    public Response save(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, Authoring.BODY_BYTES));
        long revision = Authoring.revision(fields);
        byte[] html = Validation.html(fields.text("html"));
        fields.end();
        List<String> named = Publisher.included(JsonViews.text(html));
        String name = request.id();
        return db.<Used, Supplier<Response>>write(account,
                dao -> refusal(dao, account, name, revision).isPresent() ? null : check(dao, account, name, html), (dao, used) -> {
                    Optional<Supplier<Response>> refusal = refusal(dao, account, name, revision);
                    return refusal.isPresent() ? refusal : save(dao, account, name, html, named, used, 200);
                }).get();
    }

    /** Why nothing is saved for somebody who has seen this revision. */
    private static Optional<Supplier<Response>> refusal(Dao dao, Account account, String name, long seen) {
        Optional<Block> block = dao.blocks().find(account.id(), name);
        if (block.isEmpty()) {
            return Optional.of(() -> Failure.NOT_FOUND);
        }
        if (block.get().revision() == seen) {
            return Optional.empty();
        }
        ObjectNode conflict = Json.object().put("error", "Somebody has saved this shared block meanwhile");
        conflict.set("theirs", describe(dao, account, block.get()));
        return Optional.of(() -> Answer.json(409, Json.write(conflict)));
    }

    /** The blocks that a text was checked with, by name the SHA-256 of each. */
    private record Used(Map<String, byte[]> blocks) {
    }

    /** A block that would keep every template with it from being published is not saved. */
    private static Used check(Dao dao, Account account, String name, byte[] html) {
        Publisher publisher = new Publisher(other -> other.equals(name)
                ? Optional.of(JsonViews.text(html)) : dao.blocks().html(account.id(), other).map(JsonViews::text));
        publisher.expand("", "{{> " + name + "}}");
        // A section may be closed by another block, so what is said of the whole is no fault of this one.
        publisher.problems().stopping(false).stream()
                .filter(problem -> problem.block() != null || problem.level() == Problem.Level.REFUSED)
                .findFirst().ifPresent(problem -> {
                    throw new Refusal("html", problem.toString());
                });
        Map<String, byte[]> others = new HashMap<>(publisher.taken());
        others.remove(name);
        return new Used(others);
    }

    /** Nothing when the blocks that it was checked with are others by now. */
    private Optional<Supplier<Response>> save(Dao dao, Account account, String name, byte[] html, List<String> named, Used used, int status) {
        if (used == null || !dao.blocks().areUnchanged(account.id(), used.blocks)) {
            return Optional.empty();
        }
        dao.blocks().save(account.id(), name, html, named, clock.instant());
        return Optional.of(found(status, dao, account, name));
    }

    public Response delete(Account account, Request request) {
        return db.write(account, dao -> dao.blocks().delete(account.id(), request.id())) ? Answer.none() : Failure.NOT_FOUND;
    }

    /** Reads a block in the transaction; the answer is written after it. */
    private static Supplier<Response> found(int status, Dao dao, Account account, String name) {
        Optional<ObjectNode> found = dao.blocks().find(account.id(), name).map(block -> describe(dao, account, block));
        return () -> found.<Response>map(object -> Answer.json(status, Json.write(object))).orElse(Failure.NOT_FOUND);
    }

    private static ObjectNode describe(Dao dao, Account account, Block block) {
        ObjectNode object = Json.object()
                .put("name", block.name())
                .put("html", JsonViews.text(block.html()))
                .put("revision", block.revision())
                .put("updatedAt", JsonViews.time(block.updatedAt()));
        JsonViews.texts(object.putArray("templates"), dao.blocks().includers(account.id(), "template", block.name()));
        JsonViews.texts(object.putArray("blocks"), dao.blocks().includers(account.id(), "block", block.name()));
        JsonViews.texts(object.putArray("stale"), dao.blocks().stale(account.id()).entrySet().stream()
                .filter(entry -> entry.getValue().contains(block.name())).map(Map.Entry::getKey).toList());
        return object;
    }
}
