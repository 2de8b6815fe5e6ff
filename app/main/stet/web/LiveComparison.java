package stet.web;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.DailyRequests.Caller;
import stet.core.DailyRequests;
import stet.core.Draft;
import stet.core.Samples;
import stet.core.ServedTemplate;
import stet.core.Template;
import stet.dao.Dao;
import stet.http.Failure;
import stet.markup.Checks;
import stet.markup.Problems;
import stet.markup.Publisher;
import stet.markup.Publisher.Expansion;
import stet.markup.Sampler;
import stet.markup.Variables;
import stet.web.Drafts.ProblemJson;

/**
 * Compares the text that would be published with the live version.
 *
 * @param live      null if there is no live version
 * @param sha256    digest of {@code next}; both are null if the draft cannot be published
 * @param unchanged true if the live version was made from the same draft and shared blocks
 */
record LiveComparison(long revision, List<ProblemJson> problems, int moreProblems, LiveJson live, String sha256,
                  TextJson next, @JsonUnwrapped ContractJson contract, boolean unchanged) {
    /** Maximum number of names per list. */
    private static final int MAX_NAMES = 1_000;
    /** Keys that fetched the template within this many days are listed before publishing. */
    private static final int RECENT_DAYS = 30;

    record TextJson(String subject, String html, List<String> variables, int moreVariables) {
        static TextJson of(String subject, String html, List<String> variables) {
            return new TextJson(subject, html, first(variables), more(variables));
        }
    }

    /** Variables that callers must add, and variables that become unused. */
    record ContractJson(List<String> added, int moreAdded, List<String> removed, int moreRemoved) {
        static ContractJson of(List<String> before, List<String> after) {
            List<String> added = without(after, before);
            List<String> removed = without(before, after);
            return new ContractJson(first(added), more(added), first(removed), more(removed));
        }
    }

    record LiveJson(@JsonUnwrapped TextJson text, int number) {
    }

    static LiveComparison of(Dao dao, Account account, Template template) {
        dao.templates().checkDraft(account.id(), template);
        String html = Utf8.text(template.html());
        Publisher publisher = dao.versions().publisher(account.id());
        String expanded = publisher.expand(template.subject(), html);
        List<String> variables = Variables.in(template.subject(), expanded);
        long sent = Sampler.html(expanded, Samples.data(template.samples().document(null))).bytes();
        Problems problems = Checks.of(template.subject(), html, expanded, variables, sent, publisher);
        TextJson next = problems.isRefused() ? null : TextJson.of(template.subject(), expanded, variables);
        Optional<ServedTemplate> served = dao.templates().published(account.id(), template.id());
        List<String> before = served.map(ServedTemplate::variables).orElse(List.of());
        LiveJson live = served.map(version -> new LiveJson(
                TextJson.of(version.subject(), Utf8.text(version.html()), before), template.published())).orElse(null);
        return new LiveComparison(template.revision(), ProblemJson.of(problems), problems.more(), live,
                next == null ? null : sha256(next.subject, next.html), next,
                ContractJson.of(before, variables),
                live != null && live.text.subject.equals(template.subject()) && live.text.html.equals(expanded)
                        && Templates.isLive(dao, account.id(), template.id()));
    }

    /** Digest that identifies a text to be published. */
    static String sha256(String subject, String html) {
        return HexFormat.of().formatHex(Draft.sha256(subject, Utf8.encode(html)));
    }

    /** @throws Failure.Thrown unless the user has seen the text to be published, including shared blocks */
    static void checkSeen(String sha256, Expansion text) {
        Failure.BLOCK_SAVED_MEANWHILE.unless(sha256.equals(sha256(text.subject(), Utf8.text(text.html()))));
    }

    /** The keys that fetched a template recently. */
    static List<Caller> callers(Dao dao, Account account, String id, Instant now) {
        return callers(dao, account, Set.of(id), now).getOrDefault(id, List.of());
    }

    /** The keys that fetched each template recently. */
    static Map<String, List<Caller>> callers(Dao dao, Account account, Set<String> ids, Instant now) {
        return dao.requestLog().callers(account.id(), ids, DailyRequests.day(now) - RECENT_DAYS);
    }

    /** At most {@link #MAX_NAMES} of the names. Copies the list, because a view would keep the full list in memory. */
    private static List<String> first(List<String> names) {
        return names.stream().limit(MAX_NAMES).toList();
    }

    private static int more(List<String> names) {
        return Math.max(0, names.size() - MAX_NAMES);
    }

    /** The names that are not among the others, in order. */
    static List<String> without(List<String> names, List<String> others) {
        Set<String> known = new HashSet<>(others);
        return names.stream().filter(name -> !known.contains(name)).toList();
    }
}
