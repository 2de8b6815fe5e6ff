package stet.web;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import stet.access.Member;
import stet.base.Fields;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.DailyRequests.Caller;
import stet.core.Template;
import stet.core.Validation;
import stet.core.Version;
import stet.dao.Dao;
import stet.dao.VersionDao.Prepared;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.sqlite.Slices;
import stet.web.Drafts.ProblemJson;
import stet.web.LiveComparison.ContractJson;

/**
 * Compares or publishes many drafts per request. Each template succeeds or fails on its own.
 *
 * <pre>
 * list ─► each draft is read and expanded, up to 2 MiB ─► transactions of 20 ms, a savepoint per template ─► results
 * </pre>
 *
 * <p>Results are in list order. A response ends early after 2 MiB or at a failure that is not limited to one template, such as a revoked
 * role; the client then requests the remaining templates. If a request ends before its first result, the whole request fails.
 */
public final class Publications {
    /** Maximum size of a request body, in bytes. */
    public static final int MAX_LIST_BYTES = 64 << 10;
    /** Maximum number of templates per request. */
    private static final int MAX_TEMPLATES = 100;
    /** No further draft is read once the expanded drafts and their results reach this size, which limits a request's memory and time. */
    private static final long MAX_BYTES = 2 << 20;
    /** Estimated size of a listed problem or variable. */
    private static final int LISTED_BYTES = 1 << 10;

    private final Clock clock;

    public Publications(Clock clock) {
        this.clock = clock;
    }

    /** A template that failed, with its ID and the status and message that a request for only this template would return. */
    record FailedJson(String id, int status, String error) {
    }

    /**
     * The result for one template of the list.
     *
     * @param value  null if the template failed
     * @param bytes  size of the text and its results
     * @param failed null if the template did not fail
     */
    private record TemplateAttempt<T>(T value, long bytes, FailedJson failed) {
        static <T> TemplateAttempt<T> of(T value, long bytes) {
            return new TemplateAttempt<>(value, bytes, null);
        }

        static <T> TemplateAttempt<T> failed(FailedJson failed) {
            return new TemplateAttempt<>(null, 0, failed);
        }

        Object json() {
            return failed == null ? value : failed;
        }
    }

    /** @param results by template, in the order of the list: what was asked for, or {@link FailedJson} */
    private record ResultsJson(List<?> results) {
    }

    /** Runs work for one template; a failure that is limited to the template becomes its result. */
    private static <T> TemplateAttempt<T> attempt(String id, Supplier<TemplateAttempt<T>> work) {
        try {
            return work.get();
        } catch (UnseenChange unseen) {
            return TemplateAttempt.failed(new FailedJson(id, 409, Templates.OUTDATED));
        } catch (Refusal refusal) {
            return TemplateAttempt.failed(new FailedJson(id, 422, refusal.getMessage()));
        } catch (Failure.Thrown thrown) {
            return TemplateAttempt.failed(new FailedJson(id, thrown.response().status(), thrown.error()));
        }
    }

    /**
     * Processes the first templates of a list, in order, until {@link #MAX_BYTES} is reached or a failure ends the request. The first one is
     * always processed; its failure is thrown.
     */
    private static <A, T> List<TemplateAttempt<T>> processFirst(Member member, List<A> list, Function<A, TemplateAttempt<T>> work) {
        List<TemplateAttempt<T>> attempts = new ArrayList<>();
        long bytes = 0;
        for (int i = 0; i < list.size() && bytes < MAX_BYTES; i++) {
            A next = list.get(i);
            if (!tryStep(member, attempts.isEmpty(), () -> attempts.add(work.apply(next)))) {
                return attempts;
            }
            bytes += attempts.get(i).bytes;
        }
        return attempts;
    }

    /**
     * Runs a step of a request, and logs a failure other than {@link Failure.Thrown}. The caller runs no further step after a failure.
     *
     * @param isFirst true for the first step, whose failure is thrown to the caller
     * @return false if the step failed
     */
    private static boolean tryStep(Member member, boolean isFirst, Runnable work) {
        try {
            work.run();
            return true;
        } catch (RuntimeException failure) {
            if (isFirst) {
                throw failure;
            }
            if (!(failure instanceof Failure.Thrown)) {
                member.log().error("work-failed", failure);
            }
            return false;
        }
    }

    /** @throws Failure.Thrown if the list has too many templates for one request */
    private static <T> List<T> limited(List<T> list) {
        Failure.TOO_MANY_TEMPLATES.when(list.size() > MAX_TEMPLATES);
        return list;
    }

    // ---- comparing

    /**
     * @param number number of the live version, or null
     * @param sha256 null if the draft cannot be published
     */
    record ComparedJson(String id, long revision, List<ProblemJson> problems, int moreProblems, Integer number, String sha256,
                        @JsonUnwrapped ContractJson contract, boolean unchanged, List<Caller> keys) {
    }

    /** Shows for each template what publishing would change, without the texts. */
    public Response compare(Member member, Request request) {
        List<String> ids = limited(request.form(fields -> fields.list("templates")));
        Map<String, List<Caller>> callers = member.read(dao -> LiveComparison.callers(dao, member.account(), Set.copyOf(ids), clock.instant()));
        List<TemplateAttempt<ComparedJson>> attempts = processFirst(member, ids, id -> member.read(dao ->
                attempt(id, () -> compared(dao, member.account(), id, callers.getOrDefault(id, List.of())))));
        return Response.json(new ResultsJson(attempts.stream().map(TemplateAttempt::json).toList()));
    }

    private static TemplateAttempt<ComparedJson> compared(Dao dao, Account account, String id, List<Caller> callers) {
        Template template = dao.templates().find(account.id(), id).orElseThrow(Failure.NOT_FOUND::thrown);
        LiveComparison all = LiveComparison.of(dao, account, template);
        ContractJson contract = all.contract();
        long listed = all.problems().size() + contract.added().size() + contract.removed().size();
        long bytes = template.html().length + (all.next() == null ? 0 : all.next().html().length());
        return TemplateAttempt.of(new ComparedJson(id, all.revision(), all.problems(), all.moreProblems(),
                all.live() == null ? null : all.live().number(), all.sha256(), contract, all.unchanged(), callers), bytes + listed * LISTED_BYTES);
    }

    // ---- publishing

    /** @param sha256 digest of the text that the user has seen */
    private record Asked(String id, long revision, String sha256) {
        static Asked of(Fields fields) {
            Asked asked = new Asked(fields.text("id"), fields.number("revision"), fields.text("sha256"));
            fields.end();
            return asked;
        }
    }

    /** A draft that has been read, expanded and checked. */
    private record Ready(Asked asked, Prepared prepared) {
    }

    record PublishedJson(String id, int number) {
    }

    /** Publishes drafts that the user has seen. A draft whose text is already live is not published again. */
    public Response publish(Member member, Request request) {
        Fields fields = request.form();
        String note = Validation.note(fields.text("note", ""));
        List<Asked> list = limited(fields.objects("templates").stream().map(Asked::of).toList());
        fields.end();
        Queue<TemplateAttempt<Ready>> ready = new ArrayDeque<>(processFirst(member, list, asked -> member.read(dao ->
                attempt(asked.id, () -> prepared(dao, member.account(), asked)))));
        List<Object> results = new ArrayList<>();
        boolean succeeded = true;
        while (succeeded && !ready.isEmpty()) {
            succeeded = tryStep(member, results.isEmpty(), () -> results.addAll(publishSome(member, ready, note)));
        }
        return Response.json(new ResultsJson(results));
    }

    private static TemplateAttempt<Ready> prepared(Dao dao, Account account, Asked asked) {
        Templates.checkRevision(dao, account, asked.id, asked.revision);
        Prepared prepared = dao.versions().prepare(account.id(), asked.id, false);
        LiveComparison.checkSeen(asked.sha256, prepared.publication());
        return TemplateAttempt.of(new Ready(asked, prepared), prepared.publication().html().length);
    }

    /** Removes as many of the remaining drafts as fit into one 20 ms transaction, and publishes them. @return their results */
    private List<Object> publishSome(Member member, Queue<TemplateAttempt<Ready>> ready, String note) {
        List<TemplateAttempt<PublishedJson>> done = new ArrayList<>();
        member.change(dao -> Slices.slice(() -> {
            TemplateAttempt<Ready> next = ready.remove();
            done.add(next.failed != null ? TemplateAttempt.failed(next.failed)
                    : attempt(next.value.asked.id, () -> TemplateAttempt.of(dao.nested(() -> publish(dao, member.account(), next.value, note)), 0)));
            return !ready.isEmpty();
        }));
        return done.stream().map(TemplateAttempt::json).toList();
    }

    private PublishedJson publish(Dao dao, Account account, Ready ready, String note) {
        String id = ready.asked.id;
        return dao.storage().bounded(account.id(), () -> {
            Templates.checkRevision(dao, account, id, ready.asked.revision);
            Failure.BLOCK_SAVED_MEANWHILE.unless(dao.versions().isUnchanged(account.id(), id, ready.prepared));
            return new PublishedJson(id, dao.versions().isNew(account.id(), id, ready.prepared)
                    ? dao.versions().publish(account.id(), id, ready.prepared, note, clock.instant())
                    : dao.versions().live(account.id(), id).map(Version::number).orElseThrow());
        });
    }
}
