package stet.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import stet.base.HeapBudget;
import stet.base.Shares.Limit;
import stet.base.Shares;
import stet.base.Turns;
import stet.core.Owner;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.http.RouteResult;
import stet.sqlite.Db;
import stet.web.Publications;
import stet.web.ZipFiles;

/**
 * Limits the heavy work of the web application and the push API to one task per account and two in total (one if the heap is
 * small), so that no account can exhaust memory, disk or CPU time, or delay other accounts for long.
 *
 * <pre>
 * request ─ body received, if long into a file ─ waits for the account's turn ─ work ─► response; an export is in a file
 * </pre>
 *
 * <p>A client does not occupy a place in the queue while sending the body or reading the response. What it occupies meanwhile, a file
 * or memory, is limited by user, deploy token or review link, and by account; nothing is shared by all accounts.
 */
final class HeavyWork {
    /** Maximum number of concurrent tasks of all accounts. A task may need several times the memory of a 2 MiB draft. */
    private static final int AT_WORK = Runtime.getRuntime().maxMemory() < 128 << 20 ? 1 : 2;
    /** Maximum number of waiting and running requests per account, and per review link. */
    private static final int MAX_INSIDE = 16;
    private static final int MAX_INSIDE_OF_LINK = 4;
    private static final long MIB = 1 << 20;
    /**
     * Temporary files of long bodies and exports, per user or token and per account. A pipeline pushes a few folders at a time, and one of
     * four users is enough to leave room for others. Two of the longest bodies fit.
     */
    private static final int FILES = 6;
    private static final long FILE_BYTES = 128 * MIB;
    private static final int FILES_OF_ACCOUNT = 24;
    private static final long FILE_BYTES_OF_ACCOUNT = 256 * MIB;
    /** Short bodies that are arriving, per user or token and per account; each occupies a thread. */
    private static final int SHORT = Math.min(32, HeapBudget.REQUESTS / 32);
    private static final int SHORT_OF_ACCOUNT = 4 * SHORT;

    /** A kind of task, with the media type and maximum size of its request body. */
    enum WorkKind {
        /** Changes a template or shared block, for example saves or publishes a draft. */
        SAVE(Response.JSON, Request.MAX_DRAFT_BYTES),
        /** Analyzes or renders a draft or version: variables, problems, preview, comparison. */
        CHECK(Response.JSON, Request.MAX_DRAFT_BYTES),
        /** Compares or publishes many drafts, in batches that end once they reach 2 MiB. */
        MANY(Response.JSON, Publications.MAX_LIST_BYTES),
        IMPORT("application/zip", 64 << 20),
        /** Like an import, but accepts any media type because curl sets its own. */
        PUSH(null, 64 << 20),
        EXPORT(Response.JSON, ZipFiles.MAX_CHOICE_BYTES),
        /** Lists, shows or aggregates stored data. */
        REPORT(Response.JSON, 0);

        /** The required media type; null for any. */
        private final String type;
        private final long bytes;

        /** @param bytes maximum size of the body */
        WorkKind(String type, long bytes) {
            this.type = type;
            this.bytes = bytes;
        }
    }

    private final Db db;
    private final LargeBodies bodies;
    private final Turns<Object> turns;
    private final Semaphore all = new Semaphore(AT_WORK, true);
    /** Allows only one long task at a time. */
    private final Semaphore longWork = new Semaphore(1, true);
    private final Shares files = new Shares();
    private final Shares shortBodies = new Shares();
    private final Shares links = new Shares();

    HeavyWork(Pool pool, Db db, LargeBodies bodies) {
        this.turns = new Turns<>(MAX_INSIDE, pool::addFree);
        this.db = db;
        this.bodies = bodies;
    }

    /**
     * Receives the request's body, then runs the work when it is the account's turn. Guests of an account have their own turns, so that they
     * cannot block its members.
     *
     * @throws Failure.Thrown if the owner has too many waiting requests or temporary files, the wait times out, or the body is invalid
     */
    RouteResult run(WorkKind kind, Owner owner, Request request, Supplier<RouteResult> work) {
        bodies.check(owner); // checked before the work, because a client rejected afterwards would repeat the request
        Body body = receive(kind, owner, request);
        Shares.SharePart ofLink = null;
        try {
            ofLink = owner.isGuest() ? take(links, 0, List.of(new Limit(owner, MAX_INSIDE_OF_LINK, 0))) : null;
            return inTurn(kind, owner, request, work);
        } finally {
            close(body);
            Shares.close(ofLink);
        }
    }

    /** Runs the work when it is the turn of the account or of its guests. @throws Failure.Thrown with 503 if too many wait, or the wait times out */
    private RouteResult inTurn(WorkKind kind, Owner owner, Request request, Supplier<RouteResult> work) {
        try (Turns<Object>.TurnPlace place = turns.enter(owner.isGuest() ? owner.everyone() : owner.account()).orElseThrow(Failure.BUSY::thrown)) {
            boolean hasChanged = kind != WorkKind.CHECK && !request.method().equals("GET") && !request.isHead();
            Supplier<RouteResult> held = () -> hold(owner, work.get(), hasChanged);
            Optional<RouteResult> result = switch (kind) {
                case EXPORT -> place.run(() -> export(owner, work, hasChanged), longWork, all);
                case IMPORT, PUSH -> place.run(held, longWork, all);
                default -> place.run(held, all);
            };
            return result.orElseThrow(Failure.BUSY::thrown);
        }
    }

    /**
     * Holds a response's body before the next task begins, so that few large bodies are in memory.
     *
     * @param hasChanged whether the work has changed data, so that the response must not be refused
     */
    private RouteResult hold(Owner owner, RouteResult result, boolean hasChanged) {
        if (result instanceof Response response) {
            return hasChanged ? bodies.holdAnyway(owner, response) : bodies.hold(owner, response);
        }
        return result;
    }

    /** @throws Failure.Thrown with 503 if a limit is exceeded */
    private static Shares.SharePart take(Shares shares, long bytes, List<Limit> limits) {
        Shares.SharePart part = shares.take(bytes, limits);
        Failure.BUSY.when(part == null);
        return part;
    }

    private static List<Limit> fileLimits(Owner owner) {
        return owner.limits(FILES, FILE_BYTES, FILES_OF_ACCOUNT, FILE_BYTES_OF_ACCOUNT);
    }

    // ---- bodies

    /** A received body, with what it occupies until the work is done. */
    private final class Body implements AutoCloseable {
        /** Memory or, with a file, the share of the files. */
        private final Shares.SharePart part;
        /** Null for a body in memory. */
        private Path file;

        Body(Shares.SharePart part) {
            this.part = part;
        }

        @Override
        public void close() {
            part.close();
            db.deleteTemporary(file);
        }
    }

    /** Receives the body: in memory if it is short and there is room for it, otherwise in a file. @return null if there is no body */
    private Body receive(WorkKind kind, Owner owner, Request request) {
        long length = request.shortLength();
        boolean isShort = kind != WorkKind.IMPORT && kind != WorkKind.PUSH && length >= 0;
        if (isShort && length == 0) {
            request.receive();
            return null;
        }
        Shares.SharePart memory = isShort ? bodies.takeMemory(owner, length) : null;
        return memory == null ? receiveFile(kind, owner, request) : receiveShort(owner, request, memory);
    }

    /** @param memory taken for the body, and freed if the body is not received */
    private Body receiveShort(Owner owner, Request request, Shares.SharePart memory) {
        Shares.SharePart arriving = shortBodies.take(0, owner.limits(SHORT, 0, SHORT_OF_ACCOUNT, 0));
        boolean isReceived = false;
        try {
            Failure.BUSY.when(arriving == null);
            request.receive();
            isReceived = true;
            return new Body(memory);
        } finally {
            Shares.close(arriving); // the body no longer occupies a thread
            if (!isReceived) {
                memory.close();
            }
        }
    }

    /** Receives a body into a temporary file, which is deleted if that fails. */
    private Body receiveFile(WorkKind kind, Owner owner, Request request) {
        Body body = new Body(take(files, 0, fileLimits(owner)));
        boolean isReceived = false;
        try {
            body.file = db.temporaryFile();
            request.spool(body.file, kind.type, kind.bytes, body.part::grow);
            isReceived = true;
            return body;
        } finally {
            if (!isReceived) {
                body.close();
            }
        }
    }

    private static void close(Body body) {
        if (body != null) {
            body.close();
        }
    }

    // ---- exports

    /** Runs an export and limits its temporary file. Waiting exports have no files. */
    private RouteResult export(Owner owner, Supplier<RouteResult> work, boolean hasChanged) {
        Shares.SharePart part = take(files, 0, fileLimits(owner));
        boolean isHeld = false;
        try {
            RouteResult result = work.get();
            if (result instanceof Response response && response.file() != null) {
                countBytes(part, owner, response);
                isHeld = true;
                return response.held(null, response.file(), () -> {
                    part.close();
                    response.close();
                });
            }
            return hold(owner, result, hasChanged);
        } finally {
            if (!isHeld) {
                part.close();
            }
        }
    }

    /** Counts an export's bytes. The owner's only export may be of any size. @throws Failure.Thrown with 503 if a further one exceeds a limit */
    private void countBytes(Shares.SharePart part, Owner owner, Response response) {
        try {
            if (!part.grow(response.length()) && files.held(owner) > 1) {
                db.deleteTemporary(response.file());
                throw Failure.BUSY.thrown();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
