package stet.web;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import stet.access.Member;
import stet.base.Suggestion;
import stet.core.Account;
import stet.core.DailyRequests;
import stet.core.Period;
import stet.core.Plan;
import stet.core.TemplateSummary;
import stet.http.Response;
import stet.http.Request;
import stet.upkeep.Backups;

/** An account's usage, and the state of backups. */
public final class Dashboard {
    /** Maximum number of comparisons between unknown and existing IDs per usage page. */
    private static final int MAX_COMPARISONS = 100_000;
    /** Maximum number of templates on the usage page, which shows those with the most requests. */
    private static final int MAX_TEMPLATES = 1_000;

    private final Optional<Backups> backups;
    private final Clock clock;

    /** @param backups the server's automatic backups, if enabled */
    Dashboard(Optional<Backups> backups, Clock clock) {
        this.backups = backups;
        this.clock = clock;
    }

    // ---- usage

    /** Usage of the current period, and recent 404, 403 and 429 responses. */
    record UsageJson(Plan plan, long used, long limit, Instant start, Instant end, Instant now, List<DayUsage> days,
                     List<DailyRequests.Sum<Long>> keys, List<TemplateUsage> templates, List<MissJson> misses) {
    }

    /** @param day UTC date such as 2026-01-31 */
    record DayUsage(String day, long ok, long missed) {
    }

    /** @param id the template's ID; empty for the total of all unknown IDs */
    record TemplateUsage(String id, long ok, long missed) {
    }

    /** @param hint the ID that was probably meant, or the cause; may be null */
    record MissJson(@JsonUnwrapped DailyRequests.Miss miss, String hint) {
    }

    public Response usage(Member member, Request request) {
        Account account = member.account();
        Instant now = clock.instant();
        Period period = account.period(now);
        return member.read(dao -> Response.json(new UsageJson(account.plan(),
                dao.usage().used(account, period.start()), account.requests(), period.start(), period.end(), now,
                days(dao.requestLog().byDay(account.id(), period.start()), period, now),
                dao.requestLog().byKey(account.id(), period.start()),
                dao.requestLog().byTemplate(account.id(), period.start(), MAX_TEMPLATES).stream()
                        .map(sum -> new TemplateUsage(sum.of(), sum.ok(), sum.missed())).toList(),
                misses(dao.requestLog().misses(account.id()), dao.templates().list(account.id())))));
    }

    /** All days of the period so far, including days without requests. */
    private static List<DayUsage> days(List<DailyRequests.Sum<Long>> sums, Period period, Instant now) {
        Map<Long, DailyRequests.Sum<Long>> byDay = sums.stream().collect(Collectors.toMap(DailyRequests.Sum::of, sum -> sum));
        return LongStream.rangeClosed(DailyRequests.day(period.start()), DailyRequests.day(now)).mapToObj(day -> {
            DailyRequests.Sum<Long> sum = byDay.getOrDefault(day, new DailyRequests.Sum<>(day, null, 0, 0));
            return new DayUsage(LocalDate.ofEpochDay(day).toString(), sum.ok(), sum.missed());
        }).toList();
    }

    private static List<MissJson> misses(List<DailyRequests.Miss> misses, List<TemplateSummary> templates) {
        Set<String> ids = templates.stream().map(TemplateSummary::id).collect(Collectors.toCollection(LinkedHashSet::new));
        Map<String, String> hints = new HashMap<>();
        templates.stream().filter(template -> template.state() == TemplateSummary.State.NEVER_PUBLISHED)
                .forEach(template -> hints.put(template.id(), "never published; publish it first"));
        hints.putAll(suggestions(misses, ids));
        return misses.stream().map(miss -> new MissJson(miss, isNotFound(miss) ? hints.get(miss.template()) : null)).toList();
    }

    /** A suggestion for each unknown ID, until {@link #MAX_COMPARISONS} have been made. */
    private static Map<String, String> suggestions(List<DailyRequests.Miss> misses, Set<String> ids) {
        Map<String, String> suggestions = new HashMap<>();
        long comparisons = 0;
        for (DailyRequests.Miss miss : misses) {
            String id = miss.template();
            if (isNotFound(miss) && !ids.contains(id) && !suggestions.containsKey(id) && comparisons < MAX_COMPARISONS) {
                suggestions.put(id, Suggestion.unknown(id, ids));
                comparisons += ids.size();
            }
        }
        return suggestions;
    }

    private static boolean isNotFound(DailyRequests.Miss miss) {
        return miss.status() == 404;
    }

    // ---- backups

    /**
     * @param every interval of automatic backups in seconds; null if disabled
     * @param last  time of the newest backup; null if there is none or backups are disabled
     */
    record BackupsJson(Long every, Instant last) {
    }

    public Response backups(Member member, Request request) {
        return Response.json(backups
                .map(each -> new BackupsJson(each.every().toSeconds(), each.last().orElse(null)))
                .orElse(new BackupsJson(null, null)));
    }
}
