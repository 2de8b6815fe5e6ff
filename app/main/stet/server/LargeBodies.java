package stet.server;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import stet.base.HeapBudget;
import stet.base.Shares.Limit;
import stet.base.Shares;
import stet.core.Owner;
import stet.http.Response;
import stet.http.Failure;
import stet.sqlite.Db;

/**
 * Holds large bodies while they are sent. No account ever waits for another: a body that exceeds its owner's share of the memory, or the
 * total, is sent from a temporary file, and what exceeds the owner's share of files is refused.
 *
 * <pre>
 * response ── small ──────────────────────────────────────────────────────────────► sent
 *    └─ large ──┬─ in memory ── within the owner's share, and the total ──────────► sent, memory freed
 *               ├─ in a file ── within the owner's number and size of files ──────► sent, file deleted
 *               └─ refused with 503
 * </pre>
 *
 * <p>A body sent to several clients of an owner's group, recognized by its entity tag, is held once.
 */
final class LargeBodies {
    private static final long MIB = 1 << 20;
    /** Stands for all accounts. */
    private static final String ALL = "all";
    /** Shares of the memory: four accounts whose clients are slow fill it, and everything else is sent from files. */
    private static final long MEMORY = HeapBudget.LARGE_BYTES / 4;
    private static final long MEMORY_OF_GUESTS = HeapBudget.LARGE_BYTES / 16;
    /** Shares of the threads, which together leave some to other accounts. A batch of counted responses has 256. */
    private static final int SENT_TO_API = HeapBudget.REQUESTS / 2;
    private static final int SENT_TO_MEMBERS = HeapBudget.REQUESTS / 4;
    private static final int SENT_TO_GUESTS = HeapBudget.REQUESTS / 16;
    /** If the clients of several accounts occupy this many threads, each account has only a small share, so that others find a thread. */
    private static final int SENT_TO_ALL = HeapBudget.REQUESTS / 8 * 5;
    private static final int SENT_IF_FULL = HeapBudget.REQUESTS / 32;
    /** Shares of the files. One body may take 12 MiB, and a guest's comparison twice as much. */
    private static final int FILES = 64;
    private static final long FILE_BYTES = 128 * MIB;
    private static final int FILES_OF_GUESTS = 16;
    private static final long FILE_BYTES_OF_GUESTS = 64 * MIB;
    /** Free space that the files leave to the database, but not more than a tenth of the disk. */
    private static final long LEFT_FREE = 256 * MIB;

    private final Db db;
    private final Shares memory = new Shares();
    private final Shares files = new Shares();
    private final Shares sent = new Shares();
    private final Map<Object, Body> bodies = new ConcurrentHashMap<>();

    LargeBodies(Db db) {
        this.db = db;
    }

    /** A body shared by the clients that receive it. */
    private static final class Body {
        /** Changed only inside the map's {@code compute} for this body. */
        int clients;
        boolean isPlaced;
        /** Null if the body is in the file. */
        byte[] bytes;
        /** Null if the body is in memory. */
        Path file;
        /** The share of the memory or of the files; null for a body that is held although neither has room. */
        Shares.SharePart part;
    }

    /** @param tag the entity tag; for a body without one, a new object */
    private record Shared(Owner owner, Object tag) {
    }

    /**
     * Checks that the owner may hold another large body. Done before work that must not be refused afterwards.
     *
     * @throws Failure.Thrown with 503 if the owner holds too much
     */
    void check(Owner owner) {
        boolean mayBeSent = sent.hasRoom(sentLimits(owner)) || sent.hasRoom(sentIfFull(owner));
        Failure.BUSY.unless(mayBeSent && files.hasRoom(fileLimits(owner)));
    }

    /** Holds the body until the response is closed. @throws Failure.Thrown with 503 if the owner holds too much */
    Response hold(Owner owner, Response response) {
        return hold(owner, response, false);
    }

    /** Like {@link #hold}, but never refuses because the work is done; see {@link #check}. */
    Response holdAnyway(Owner owner, Response response) {
        return hold(owner, response, true);
    }

    /** @param always never refuses the body */
    private Response hold(Owner owner, Response response, boolean always) {
        if (response.file() != null || response.body().length < Response.LARGE_BODY) {
            return response;
        }
        Shares.SharePart client = always ? sent.takeAnyway(0, sentLimits(owner)) : takeThread(owner);
        Failure.BUSY.when(client == null);
        Shared key = new Shared(owner.isGuest() ? owner : owner.everyone(), response.etag() == null ? new Object() : response.etag());
        Body body = join(key);
        Once end = new Once(() -> {
            client.close();
            leave(key);
        });
        boolean isHeld = false;
        try {
            synchronized (body) { // only clients of the same owner wait for the file
                boolean isDeleted = body.file != null && Files.notExists(body.file);
                if (!body.isPlaced || isDeleted) {
                    Shares.close(body.part);
                    place(body, owner, response.body(), always);
                }
            }
            isHeld = true;
            return response.held(body.bytes, body.file, end);
        } finally {
            if (!isHeld) {
                end.close();
            }
        }
    }

    /** Runs once even if closed again. */
    private static final class Once implements Closeable {
        private final AtomicReference<Runnable> end;

        Once(Runnable end) {
            this.end = new AtomicReference<>(end);
        }

        @Override
        public void close() {
            Runnable first = end.getAndSet(null);
            if (first != null) {
                first.run();
            }
        }
    }

    /** Adds a client to a body, until {@link #leave}. */
    private Body join(Shared key) {
        return bodies.compute(key, (any, known) -> {
            Body shared = known == null ? new Body() : known;
            shared.clients++;
            return shared;
        });
    }

    /**
     * Places a body in memory or, if that would exceed a share of the memory, in a file.
     *
     * @param always never refuses the body
     * @throws Failure.Thrown with 503 if neither has room for it
     */
    private void place(Body body, Owner owner, byte[] bytes, boolean always) {
        body.isPlaced = false;
        body.file = null; // may have been deleted
        Shares.SharePart inMemory = takeMemory(owner, bytes.length);
        if (inMemory != null) {
            body.bytes = bytes;
            body.part = inMemory;
        } else {
            Shares.SharePart inFile = always ? files.takeAnyway(bytes.length, fileLimits(owner)) : files.take(bytes.length, fileLimits(owner));
            Failure.BUSY.when(inFile == null);
            body.part = inFile;
            writeFile(body, bytes, always);
        }
        body.isPlaced = true;
    }

    /** Writes a body to a file or, if that fails, keeps it in memory. The parameters and exceptions are as for {@link #place}. */
    private void writeFile(Body body, byte[] bytes, boolean always) {
        Path file = null;
        try {
            file = db.temporaryFile();
            body.file = file;
            File disk = file.toFile(); // Files.getFileStore fails in a changed root, whose mount point no table lists
            if (disk.getUsableSpace() - bytes.length < Math.min(LEFT_FREE, disk.getTotalSpace() / 10)) {
                throw new IOException("too little space on the disk for a response");
            }
            Files.write(file, bytes);
        } catch (IOException | RuntimeException full) {
            db.log().error("work-failed", full);
            db.deleteTemporary(file);
            body.file = null;
            body.part.close();
            body.part = memory.take(bytes.length, List.of(new Limit(ALL, Long.MAX_VALUE, HeapBudget.LARGE_BYTES))); // beyond the owner's share
            Failure.BUSY.unless(always || body.part != null);
            body.bytes = bytes;
        }
    }

    /** Takes memory for a body that a client sends or reads. @return null if too much is taken */
    Shares.SharePart takeMemory(Owner owner, long bytes) {
        return memory.take(bytes, List.of(new Limit(owner.everyone(), Long.MAX_VALUE, owner.isGuest() ? MEMORY_OF_GUESTS : MEMORY),
                new Limit(ALL, Long.MAX_VALUE, HeapBudget.LARGE_BYTES)));
    }

    /** Takes one of the threads that send. @return null if the owner has its share of them */
    private Shares.SharePart takeThread(Owner owner) {
        Shares.SharePart part = sent.take(0, sentLimits(owner));
        return part != null ? part : sent.take(0, sentIfFull(owner));
    }

    /** The limits on the threads that send to the owner. */
    private static List<Limit> sentLimits(Owner owner) {
        return switch (owner.group()) {
            case API -> sentLimits(owner, SENT_TO_API, SENT_TO_ALL);
            case MEMBERS -> sentLimits(owner, SENT_TO_MEMBERS, SENT_TO_ALL);
            case GUESTS -> sentLimits(owner, SENT_TO_GUESTS, SENT_TO_ALL);
            case RECIPIENTS -> limits(owner, HeapBudget.RECIPIENTS, Long.MAX_VALUE); // sent by threads of their own
        };
    }

    /** The limits once the clients of several accounts occupy {@link #SENT_TO_ALL} threads. */
    private static List<Limit> sentIfFull(Owner owner) {
        return sentLimits(owner, SENT_IF_FULL, Long.MAX_VALUE);
    }

    /** @param number maximum number of clients of the owner's group @param ofAll maximum number of clients of all accounts */
    private static List<Limit> sentLimits(Owner owner, long number, long ofAll) {
        List<Limit> limits = new ArrayList<>(limits(owner, number, Long.MAX_VALUE));
        limits.add(new Limit(ALL, ofAll, Long.MAX_VALUE));
        return limits;
    }

    private static List<Limit> fileLimits(Owner owner) {
        return owner.isGuest() ? limits(owner, FILES_OF_GUESTS, FILE_BYTES_OF_GUESTS) : limits(owner, FILES, FILE_BYTES);
    }

    /** The limits of the owner's group; each user, token or link may use half of them. */
    private static List<Limit> limits(Owner owner, long number, long bytes) {
        return owner.limits(number / 2, bytes / 2, number, bytes);
    }

    /** Removes a client from a body, which is freed with its last client. */
    private void leave(Shared key) {
        bodies.computeIfPresent(key, (any, body) -> {
            if (--body.clients > 0) {
                return body;
            }
            Shares.close(body.part);
            db.deleteTemporary(body.file);
            return null;
        });
    }
}
