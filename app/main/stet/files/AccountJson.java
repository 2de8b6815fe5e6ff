package stet.files;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import stet.base.Fields;
import stet.base.Refusal;
import stet.core.Plan;
import stet.core.Validation;

/**
 * The account described by an account.json.
 *
 * @param createdAt     null for the current time
 * @param billingAnchor null for the creation time
 * @param used          number of requests counted in the current period
 * @param password      null if nobody can sign in
 * @param requestLimit  null for the plan's limit
 * @param keyLimit      null for the plan's limit
 */
public record AccountJson(String email, Plan plan, Instant createdAt, Instant billingAnchor, long used, String password,
                          Long requestLimit, Long keyLimit, List<GivenKey> keys) {
    private static final long MAX_NUMBER = 999_999_999;

    /** A key chosen by a user. */
    public record GivenKey(String name, String key) {
    }

    /** @throws Refusal if the number is negative or exceeds the maximum of the file format */
    public static long checkedNumber(String field, long number) {
        if (number < 0 || number > MAX_NUMBER) {
            throw new Refusal(field, "\"" + field + "\" must be a whole number from 0 to " + MAX_NUMBER);
        }
        return number;
    }

    /** @param limit null for the plan's limit, which is returned unchanged @throws Refusal as {@link #checkedNumber} */
    public static Long checkedLimit(String field, Long limit) {
        return limit == null ? null : checkedNumber(field, limit);
    }

    /** @throws Refusal if a field is invalid, naming the field */
    static AccountJson of(byte[] json) {
        Fields fields = Fields.ofFile(json).only("email", "plan", "createdAt", "billingAnchor", "used", "password", "limits",
                "keys");
        String email = required(fields, "email", Validation::email);
        Plan plan = Optional.ofNullable(fields.parse("plan", Plan::of)).orElse(Plan.FREE);
        Instant createdAt = fields.instant("createdAt");
        Instant billingAnchor = fields.instant("billingAnchor");
        long used = fields.number("used", 0, MAX_NUMBER, 0L);
        String password = fields.text("password", null);
        Long requestLimit = null;
        Long keyLimit = null;
        Fields limits = fields.object("limits");
        if (limits != null) {
            limits.only("requests", "keys");
            requestLimit = limits.number("requests", 0, MAX_NUMBER, null);
            keyLimit = limits.number("keys", 0, MAX_NUMBER, null);
        }
        List<GivenKey> keys = new ArrayList<>();
        for (Fields key : fields.objects("keys")) {
            key.only("name", "key");
            keys.add(new GivenKey(required(key, "name", Validation::name), required(key, "key", Validation::key)));
        }
        long maxKeys = keyLimit != null ? keyLimit : plan.keys();
        if (keys.size() > maxKeys) {
            throw fields.wrong("keys", "lists " + keys.size() + " keys, but the account can have " + maxKeys
                    + "; set \"limits\": {\"keys\": " + keys.size() + "} to allow them");
        }
        return new AccountJson(email, plan, createdAt, billingAnchor, used, password, requestLimit, keyLimit, keys);
    }

    private static String required(Fields fields, String name, UnaryOperator<String> rule) {
        fields.text(name); // rejects a missing field, which parse permits
        return fields.parse(name, rule);
    }

    /** The creation time; {@code now} by default. */
    Instant createdAt(Instant now) {
        return createdAt != null ? createdAt : now;
    }
}
