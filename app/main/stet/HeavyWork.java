package stet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import stet.core.Turns;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.sqlite.Db;
import stet.web.ZipFiles;

/**
 * Heavy work of the web application, one piece of an account at a time and two in all, so that nobody's work fills the memory,
 * the disk or the processors, or holds up another account's for long.
 *
 * <pre>
 * request ─ its body to a file ─ waits for its account's turn ─ work ─► answer, an export in a file
 * </pre>
 *
 * <p>A client that sends its body slowly has no turn yet, and one that reads its answer slowly has none any more.
 */
final class HeavyWork {
    /** Pieces at work, of all accounts: each takes several times the memory of a draft of 2 MiB. */
    private static final int AT_WORK = Runtime.getRuntime().maxMemory() < 128 << 20 ? 1 : 2;
    /** Requests of one account that may be inside. */
    private static final int MAX_INSIDE = 16;
    /** Temporary files, each with a long body or an export: of one account, and of all. */
    private static final int MAX_FILES_OF_ONE = 6;
    private static final int MAX_FILES = 32;

    /** What a piece of work takes. */
    enum Kind {
        /** A draft or shared block is saved, or published. */
        SAVE(Answer.JSON, Request.MAX_DRAFT_BYTES),
        /** A draft is examined: variables, problems, preview, comparison with the live version. */
        CHECK(Answer.JSON, Request.MAX_DRAFT_BYTES),
        IMPORT("application/zip", 64 << 20),
        /** Like an import, but of any media type, as curl chooses its own. */
        PUSH(null, 64 << 20),
        EXPORT(Answer.JSON, ZipFiles.MAX_CHOICE_BYTES),
        /** A list or sum of much that an account has. */
        REPORT(Answer.JSON, 0);

        private final String type;
        private final long bytes;

        /** @param bytes of a body, at most */
        Kind(String type, long bytes) {
            this.type = type;
            this.bytes = bytes;
        }

        /** Whether it may take many seconds. */
        private boolean isLong() {
            return this == IMPORT || this == PUSH || this == EXPORT;
        }
    }

    private final Db db;
    private final LargeBodies bodies;
    private final Turns<Long> turns;
    private final Semaphore all = new Semaphore(AT_WORK, true);
    /** For long work, so that it never takes all turns. */
    private final Semaphore longWork = new Semaphore(1, true);
    /** Temporary files and their accounts, until they are deleted. */
    private final Map<Path, Long> files = new HashMap<>();

    HeavyWork(Pool pool, Db db, LargeBodies bodies) {
        this.turns = new Turns<>(MAX_INSIDE, pool::addFree);
        this.db = db;
        this.bodies = bodies;
    }

    /**
     * Does the work when it is its account's turn.
     *
     * @param account for which it is done, 0 for the administrators' work
     * @throws Failure.Thrown when too much is waiting, or its turn did not come in time
     */
    Response run(Kind kind, long account, Request request, Supplier<Response> work) {
        Path body = null;
        try (Turns<Long>.Place place = turns.enter(account).orElseThrow(Failure.BUSY::thrown)) {
            if (kind == Kind.EXPORT) {
                checkFiles(account);
            }
            if (kind == Kind.IMPORT || kind == Kind.PUSH || request.isLong()) {
                body = addFile(account);
                request.spool(body, kind.type, kind.bytes);
            } else {
                request.receive();
            }
            Failure.BUSY.unless(bodies.await()); // before the work: what was done is not to be tried again
            Response response = (kind.isLong() ? place.run(work, longWork, all) : place.run(work, all))
                    .orElseThrow(Failure.BUSY::thrown);
            if (response instanceof Answer answer && answer.file() != null) {
                add(answer.file(), account); // deleted when it is sent
            }
            return response;
        } finally {
            delete(body);
        }
    }

    private synchronized Path addFile(long account) {
        checkFiles(account);
        Path file = db.temporaryFile();
        files.put(file, account);
        return file;
    }

    private synchronized void add(Path file, long account) {
        files.put(file, account);
    }

    /** @throws Failure.Thrown when there are too many temporary files */
    private synchronized void checkFiles(long account) {
        files.keySet().removeIf(Files::notExists);
        long own = files.values().stream().filter(each -> each == account).count();
        Failure.BUSY.when(own >= MAX_FILES_OF_ONE || files.size() >= MAX_FILES);
    }

    private void delete(Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            db.log().error("work-failed", failure); // the next start deletes it
        }
    }
}
