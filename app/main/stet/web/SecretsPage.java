package stet.web;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import stet.access.Member;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.core.AccountSecret;
import stet.core.DailyRequests;
import stet.core.Role;
import stet.core.SecretKind;
import stet.core.Validation;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;

/** An account's API keys or its deploy tokens. */
public final class SecretsPage {
    /** Maximum number of hours that a rotated secret can keep working. */
    private static final long MAX_OVERLAP_HOURS = 72;
    private static final long OVERLAP_HOURS = 24;
    /** Maximum lifetime of a deploy token: ten years. */
    private static final long MAX_DAYS = 3_650;

    private final SecretKind kind;
    private final Clock clock;
    private final RandomGenerator random;

    SecretsPage(SecretKind kind, Clock clock, RandomGenerator random) {
        this.kind = kind;
        this.clock = clock;
        this.random = random;
    }

    /** @param counted number of secrets that count toward the limit; rotated keys do not */
    record SecretList(List<SecretRow> secrets, long counted, long limit) {
    }

    /**
     * @param role      a deploy token's role; null for an API key
     * @param requests  number of requests in the current period; 0 for a deploy token
     * @param expiresAt may be null; an API key has an expiry only after its rotation
     */
    record SecretRow(long id, String name, Role role, String start, Instant createdAt, String createdBy, Instant lastUsedAt,
                     long requests, Instant expiresAt) {
        static SecretRow of(AccountSecret secret, long requests) {
            return new SecretRow(secret.id(), secret.name(), secret.role(), secret.start(), secret.createdAt(), secret.createdBy(),
                    secret.lastUsedAt(), requests, secret.expiresAt());
        }
    }

    /**
     * A new secret, which cannot be shown again.
     *
     * @param role a deploy token's role; null for an API key
     */
    record NewSecret(long id, String name, Role role, String secret) {
    }

    public Response list(Member member, Request request) {
        Account account = member.account();
        Instant now = clock.instant();
        return member.read(dao -> {
            Map<Long, Long> requests = kind == SecretKind.TOKEN ? Map.of()
                    : dao.requestLog().byKey(account.id(), account.period(now).start()).stream()
                    .collect(Collectors.toMap(DailyRequests.Sum::of, sum -> sum.ok() + sum.missed()));
            List<SecretRow> secrets = dao.secrets(kind).list(account.id()).stream().filter(secret -> !secret.isExpired(now))
                    .map(secret -> SecretRow.of(secret, requests.getOrDefault(secret.id(), 0L))).toList();
            long counted = secrets.stream().filter(secret -> kind == SecretKind.TOKEN || secret.expiresAt == null).count();
            return Response.json(new SecretList(secrets, counted, kind == SecretKind.TOKEN ? SecretKind.MAX_TOKENS : account.keys()));
        });
    }

    /** Creates a secret. Only a deploy token has a role and a lifetime. */
    public Response create(Member member, Request request) {
        Account account = member.account();
        Fields fields = request.form();
        String name = Validation.name(fields.text("name"));
        Role role = kind == SecretKind.TOKEN ? Role.of(fields.text("role", Role.WRITER.word())) : null;
        Long days = kind == SecretKind.TOKEN ? fields.number("days", 1, MAX_DAYS, null) : null;
        fields.end();
        String secret = newSecret();
        Instant now = clock.instant();
        AccountSecret created = member.write(dao -> dao.secrets(kind).add(account, name, role, secret,
                days == null ? null : now.plus(Duration.ofDays(days)), now));
        return created(created, secret);
    }

    public Response delete(Member member, Request request) {
        Account account = member.account();
        long id = request.number();
        Failure.NOT_FOUND.unless(member.write(dao -> dao.secrets(kind).delete(account.id(), id, clock.instant())));
        return Response.none();
    }

    /** Replaces a secret by a new one. The old one keeps working for {@code hours}. */
    public Response rotate(Member member, Request request) {
        Account account = member.account();
        long hours = request.form(fields -> fields.number("hours", OVERLAP_HOURS));
        if (hours < 0 || hours > MAX_OVERLAP_HOURS) {
            throw new Refusal("hours", "The old " + kind.word() + " can keep working for 0 to " + MAX_OVERLAP_HOURS + " hours");
        }
        long id = request.number();
        String secret = newSecret();
        Instant now = clock.instant();
        AccountSecret created = member.write(dao -> dao.secrets(kind).rotate(account, id, secret, now, now.plus(Duration.ofHours(hours))))
                .orElseThrow(Failure.NOT_FOUND::thrown);
        return created(created, secret);
    }

    private String newSecret() {
        return kind == SecretKind.KEY ? Secret.newKey(random) : Secret.newToken(random);
    }

    private static Response created(AccountSecret created, String secret) {
        return Response.json(201, new NewSecret(created.id(), created.name(), created.role(), secret));
    }
}
