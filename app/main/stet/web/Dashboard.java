package stet.web;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import stet.core.Account;
import stet.core.DailyRequests;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Key;
import stet.core.Period;
import stet.core.Refusal;
import stet.core.Secret;
import stet.core.Suggestion;
import stet.core.TemplateSummary;
import stet.core.Validation;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.store.Db;
import stet.store.Statistics;

/** The keys of an account, and what they were used for. */
public final class Dashboard {
    private static final int BODY_BYTES = 8 << 10;
    /** How long a rotated key may go on working, in hours. */
    private static final int LONGEST_OVERLAP = 72;
    private static final long DAY = 86_400_000;
    /** Pairs of an unknown id and one that exists that are compared for a page of usage, at most. */
    private static final int COMPARED = 100_000;
    /** Templates that the page shows, those with the most requests. */
    private static final int TEMPLATES = 1_000;

    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final Statistics statistics;

    public Dashboard(Db db, Clock clock, RandomGenerator random, Statistics statistics) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.statistics = statistics;
    }

    // ---- keys

    public Response keys(Account account, Request request) {
        statistics.write();
        Instant now = clock.instant();
        return db.read(dao -> {
            Map<Long, Instant> lastUsed = dao.requestLog().lastUsed(account.id());
            Map<Long, DailyRequests.Sum<Long>> used = dao.requestLog().byKey(account.id(), account.period(now).start()).stream()
                    .collect(Collectors.toMap(DailyRequests.Sum::of, sum -> sum));
            List<Key> keys = dao.keys().list(account.id()).stream().filter(key -> !key.isExpired(now)).toList();
            ObjectNode object = Json.object();
            ArrayNode array = object.putArray("keys");
            for (Key key : keys) {
                array.addObject()
                        .put("id", key.id())
                        .put("name", key.name())
                        .put("start", key.start())
                        .put("createdAt", JsonViews.time(key.createdAt()))
                        .put("lastUsedAt", JsonViews.time(lastUsed.get(key.id())))
                        .put("requests", requests(used.get(key.id())))
                        .put("expiresAt", JsonViews.time(key.expiresAt()));
            }
            object.put("counted", keys.stream().filter(key -> key.expiresAt() == null).count()).put("limit", account.keys());
            return Answer.json(Json.write(object));
        });
    }

    private static long requests(DailyRequests.Sum<Long> sum) {
        return sum == null ? 0 : sum.ok() + sum.missed();
    }

    public Response createKey(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        String name = Validation.name(fields.text("name"));
        fields.end();
        String secret = Secret.newKey(random);
        Key key = db.write(account, dao -> dao.keys().add(account, name, secret, clock.instant()));
        return shownOnce(key, secret);
    }

    public Response deleteKey(Account account, Request request) {
        boolean deleted = keyId(request).map(id -> db.write(account, dao -> dao.keys().delete(account.id(), id))).orElse(false);
        return deleted ? Answer.none() : Failure.NOT_FOUND;
    }

    public Response rotateKey(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        long hours = fields.number("hours", 24L);
        fields.end();
        if (hours < 0 || hours > LONGEST_OVERLAP) {
            throw new Refusal("hours", "The old key can go on for 0 to " + LONGEST_OVERLAP + " hours");
        }
        String secret = Secret.newKey(random);
        Instant now = clock.instant();
        Optional<Key> key = keyId(request).flatMap(id -> db.write(account, dao -> {
            dao.keys().deleteExpired(account.id(), now);
            return dao.keys().rotate(account, id, secret, now, now.plus(Duration.ofHours(hours)));
        }));
        return key.isEmpty() ? Failure.NOT_FOUND : shownOnce(key.get(), secret);
    }

    private static Response shownOnce(Key key, String secret) {
        return Answer.json(201, Json.write(Json.object().put("id", key.id()).put("name", key.name()).put("key", secret)));
    }

    private static Optional<Long> keyId(Request request) {
        return request.id().matches("[1-9][0-9]{0,17}") ? Optional.of(Long.valueOf(request.id())) : Optional.empty();
    }

    // ---- usage

    public Response usage(Account account, Request request) {
        statistics.write();
        return db.read(dao -> {
            Instant now = clock.instant();
            Period period = account.period(now);
            ObjectNode object = Json.object()
                    .put("plan", account.plan().word())
                    .put("used", dao.usage().used(account, period.start()))
                    .put("limit", account.requests())
                    .put("start", JsonViews.time(period.start()))
                    .put("end", JsonViews.time(period.end()))
                    .put("now", JsonViews.time(now));
            days(object.putArray("days"), dao.requestLog().byDay(account.id(), period.start()), period, now);
            ArrayNode keys = object.putArray("keys");
            dao.requestLog().byKey(account.id(), period.start()).forEach(sum ->
                    put(keys.addObject().put("id", sum.of()).put("name", sum.name()), sum));
            ArrayNode templates = object.putArray("templates");
            dao.requestLog().byTemplate(account.id(), period.start(), TEMPLATES).forEach(sum ->
                    put(templates.addObject().put("id", sum.of()), sum));
            Set<String> ids = dao.templates(account.id()).stream().map(TemplateSummary::id).collect(Collectors.toCollection(LinkedHashSet::new));
            Map<String, Optional<String>> hints = new HashMap<>();
            ArrayNode misses = object.putArray("misses");
            for (DailyRequests.Miss miss : dao.requestLog().misses(account.id())) {
                misses.addObject()
                        .put("at", JsonViews.time(miss.at()))
                        .put("key", miss.keyName())
                        .put("template", miss.template())
                        .put("status", miss.status())
                        .put("hint", hints.size() * ids.size() < COMPARED ? hints.computeIfAbsent(miss.template(), id -> hint(id, ids)).orElse(null)
                                : hints.getOrDefault(miss.template(), Optional.empty()).orElse(null));
            }
            return Answer.json(Json.write(object));
        });
    }

    private static Optional<String> hint(String id, Set<String> ids) {
        return ids.contains(id) ? Optional.empty() : Optional.ofNullable(Suggestion.unknown(id, ids));
    }

    private static void days(ArrayNode array, List<DailyRequests.Sum<Long>> sums, Period period, Instant now) {
        Map<Long, DailyRequests.Sum<Long>> byDay = sums.stream().collect(Collectors.toMap(DailyRequests.Sum::of, sum -> sum));
        for (long day = Math.floorDiv(period.start().toEpochMilli(), DAY); day <= Math.floorDiv(now.toEpochMilli(), DAY); day++) {
            put(array.addObject().put("day", LocalDate.ofEpochDay(day).toString()),
                    byDay.getOrDefault(day, new DailyRequests.Sum<>(day, null, 0, 0)));
        }
    }

    private static void put(ObjectNode object, DailyRequests.Sum<?> sum) {
        object.put("ok", sum.ok()).put("missed", sum.missed());
    }
}
