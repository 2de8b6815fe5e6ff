package stet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import stet.api.LargeAnswers;
import stet.core.HeapBudget;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.sqlite.Db;
import stet.web.WorkQueue;
import stet.web.ZipFiles;

/**
 * Keeps heavy work of the web application from filling the memory, the disk or the processors: of each kind one request
 * is worked on at a time, a few wait in order, and the next ones are answered with 503.
 *
 * <pre>
 * request ─ its body to a file ─ waits for its kind's turn ─ work ─► answer, a large one in a file
 * </pre>
 *
 * <p>A client that sends its body slowly has no turn yet, and one that reads its answer slowly has none any more.
 */
final class Bulkhead {
    /** Requests of one account that may be inside. */
    private static final int PER_ACCOUNT = 16;
    /** Requests that may wait for one kind's turn. */
    private static final int WAITING = 32;
    /** Temporary files that may be there at once: each has at most the bytes of a body, or of an export. */
    private static final int FILES = 32;
    private static final int FILES_PER_ACCOUNT = 6;

    /** Work that is done one after the other. */
    enum Kind {
        /** A draft or shared block is saved, or published. */
        SAVE(Answer.JSON, Request.MAX_DRAFT_BYTES, Thread.NORM_PRIORITY),
        /** A draft is examined: variables, problems, preview, comparison with the live version. */
        CHECK(Answer.JSON, Request.MAX_DRAFT_BYTES, Thread.MIN_PRIORITY),
        IMPORT("application/zip", 64 << 20, Thread.NORM_PRIORITY),
        EXPORT(Answer.JSON, ZipFiles.MAX_CHOICE_BYTES, Thread.MIN_PRIORITY),
        /** A list or sum of much that an account has. */
        REPORT(Answer.JSON, 0, Thread.MIN_PRIORITY);

        private final String type;
        private final long bytes;
        private final int priority;

        /**
         * @param bytes    of a body, at most
         * @param priority low for work that only reads
         */
        Kind(String type, long bytes, int priority) {
            this.type = type;
            this.bytes = bytes;
            this.priority = priority;
        }
    }

    private final Db db;
    private final LargeAnswers answers;
    private final Map<Kind, WorkQueue> turns = new EnumMap<>(Kind.class);
    /** Requests inside, by account. */
    private final Map<Long, Integer> inside = new HashMap<>();
    /** Of these, requests that have a temporary file or make one, by account. */
    private final Map<Long, Integer> files = new HashMap<>();
    /** Files that answers are sent from, with their accounts. */
    private final Map<Path, Long> sending = new HashMap<>();

    Bulkhead(Db db, LargeAnswers answers) {
        this.db = db;
        this.answers = answers;
        WorkQueue shared = new WorkQueue("work", Thread.NORM_PRIORITY, WAITING);
        for (Kind kind : Kind.values()) {
            turns.put(kind, HeapBudget.ALLOWS_PARALLEL_WORK
                    ? new WorkQueue(kind.name().toLowerCase(Locale.ROOT), kind.priority, WAITING) : shared);
        }
    }

    /**
     * Does the work when it is its turn.
     *
     * @param account for which it is done, 0 for the operator's work
     * @throws Failure.Thrown when too much is waiting already
     */
    Response run(Kind kind, long account, Request request, Supplier<Response> work) {
        boolean hasFile = kind == Kind.IMPORT || kind == Kind.EXPORT || request.isLong();
        enter(account, hasFile);
        Path body = null;
        try {
            if (hasFile && (kind != Kind.EXPORT || request.isLong())) {
                body = db.temporaryFile();
                request.spool(body, kind.type, kind.bytes);
            } else {
                request.receive();
            }
            Response response = turns.get(kind).run(0, () -> work(account, work)).orElseThrow(Failure.BUSY::thrown);
            return response instanceof Answer answer ? answers.sending(answer) : response;
        } finally {
            leave(account, hasFile);
            delete(body);
        }
    }

    private Response work(long account, Supplier<Response> work) {
        answers.awaitRoom(); // before the work: what was done is not to be tried again
        Response response = work.get();
        if (response instanceof Answer answer && answer.file() != null) {
            send(answer.file(), account);
        }
        return response;
    }

    private synchronized void enter(long account, boolean hasFile) {
        sending.keySet().removeIf(Files::notExists);
        if (inside.getOrDefault(account, 0) >= PER_ACCOUNT) {
            throw Failure.BUSY.thrown();
        }
        if (hasFile) {
            long own = files.getOrDefault(account, 0) + sending.values().stream().filter(each -> each == account).count();
            long all = files.values().stream().mapToInt(each -> each).sum() + sending.size();
            if (own >= FILES_PER_ACCOUNT || all >= FILES) {
                throw Failure.BUSY.thrown();
            }
            files.merge(account, 1, Integer::sum);
        }
        inside.merge(account, 1, Integer::sum);
    }

    private synchronized void send(Path file, long account) {
        sending.put(file, account);
    }

    private synchronized void leave(long account, boolean hadFile) {
        less(inside, account);
        if (hadFile) {
            less(files, account);
        }
    }

    private static void less(Map<Long, Integer> counts, long account) {
        counts.computeIfPresent(account, (any, count) -> count == 1 ? null : count - 1);
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
