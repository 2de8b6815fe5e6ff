package stet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import stet.core.Turns;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.sqlite.Db;
import stet.web.Publications;
import stet.web.ZipFiles;

/**
 * Limits the heavy work of the web application and the push API to one task per account and two in total (one if the heap is
 * small), so that no account can exhaust memory, disk or CPU time, or delay other accounts for long.
 *
 * <pre>
 * request ─ body saved to a file ─ waits for the account's turn ─ work ─► response; an export is in a file
 * </pre>
 *
 * <p>A client does not occupy its account's turn while sending the body or reading the response.
 */
final class HeavyWork {
    /** Maximum number of concurrent tasks of all accounts. A task may need several times the memory of a 2 MiB draft. */
    private static final int AT_WORK = Runtime.getRuntime().maxMemory() < 128 << 20 ? 1 : 2;
    /** Maximum number of waiting and running requests per account. */
    private static final int MAX_INSIDE = 16;
    /** Maximum number of temporary files (long bodies and exports) per account and in total. */
    private static final int MAX_FILES_OF_ONE = 6;
    private static final int MAX_FILES = 32;

    /** A kind of task, with the media type and maximum size of its request body. */
    enum Kind {
        /** Changes a template or shared block, for example saves or publishes a draft. */
        SAVE(Answer.JSON, Request.MAX_DRAFT_BYTES),
        /** Analyzes or renders a draft or version: variables, problems, preview, comparison. */
        CHECK(Answer.JSON, Request.MAX_DRAFT_BYTES),
        /** Compares or publishes many drafts, in batches that end once they reach 2 MiB. */
        MANY(Answer.JSON, Publications.MAX_LIST_BYTES),
        IMPORT("application/zip", 64 << 20),
        /** Like an import, but accepts any media type because curl sets its own. */
        PUSH(null, 64 << 20),
        EXPORT(Answer.JSON, ZipFiles.MAX_CHOICE_BYTES),
        /** Lists, shows or aggregates stored data. */
        REPORT(Answer.JSON, 0);

        private final String type;
        private final long bytes;

        /** @param bytes maximum size of the body */
        Kind(String type, long bytes) {
            this.type = type;
            this.bytes = bytes;
        }
    }

    private final Db db;
    private final LargeBodies bodies;
    private final Turns<Long> turns;
    private final Semaphore all = new Semaphore(AT_WORK, true);
    /** Allows only one long task at a time. */
    private final Semaphore longWork = new Semaphore(1, true);
    /** Existing temporary files and their accounts. */
    private final Map<Path, Long> files = new ConcurrentHashMap<>();

    HeavyWork(Pool pool, Db db, LargeBodies bodies) {
        this.turns = new Turns<>(MAX_INSIDE, pool::addFree);
        this.db = db;
        this.bodies = bodies;
    }

    /**
     * Runs the work when it is the account's turn.
     *
     * @param account the account's ID, or 0 for administrators
     * @throws Failure.Thrown if there are too many waiting requests or temporary files, the wait times out, or the body is invalid
     */
    Response run(Kind kind, long account, Request request, Supplier<Response> work) {
        Path body = null;
        try (Turns<Long>.Place place = turns.enter(account).orElseThrow(Failure.BUSY::thrown)) {
            if (kind == Kind.IMPORT || kind == Kind.PUSH || request.isLong()) {
                body = addFile(account);
                request.spool(body, kind.type, kind.bytes);
            } else {
                request.receive();
            }
            Failure.BUSY.unless(bodies.await()); // checked before the work, because a client rejected afterwards would repeat the request
            Optional<Response> response = switch (kind) {
                case EXPORT -> place.run(() -> export(account, work), longWork, all);
                case IMPORT, PUSH -> place.run(work, longWork, all);
                default -> place.run(work, all);
            };
            return response.orElseThrow(Failure.BUSY::thrown);
        } finally {
            delete(body);
        }
    }

    /** Runs an export and records its temporary file. Checks the limit on files here, because waiting exports have no files. */
    private Response export(long account, Supplier<Response> work) {
        checkFiles(account);
        Response response = work.get();
        if (response instanceof Answer answer && answer.file() != null) {
            files.put(answer.file(), account); // the file is deleted after it is sent
        }
        return response;
    }

    /** Synchronized so that concurrent uploads cannot exceed the limits. */
    private synchronized Path addFile(long account) {
        checkFiles(account);
        Path file = db.temporaryFile();
        files.put(file, account);
        return file;
    }

    /** @throws Failure.Thrown if there are too many temporary files */
    private void checkFiles(long account) {
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
            db.log().error("work-failed", failure); // the next start deletes the file
        }
    }
}
