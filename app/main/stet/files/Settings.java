package stet.files;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import stet.core.Json;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Rules;

/**
 * What account.json says of an account.
 *
 * @param createdAt     or null: now
 * @param billingAnchor or null: when it was created
 * @param used          of the current period
 * @param password      or null: nobody signs in
 * @param requestLimit  or null: the plan's
 * @param keyLimit      or null: the plan's
 */
public record Settings(String email, Plan plan, Instant createdAt, Instant billingAnchor, long used, String password,
                       Long requestLimit, Integer keyLimit, List<GivenKey> keys) {
    private static final long MOST = 999_999_999;

    /** A key that was chosen by a person. */
    public record GivenKey(String name, String key) {
    }

    /** @throws Refusal naming the field */
    static Settings of(byte[] json) {
        Fields fields = Fields.of(Json.readObject(json), "email", "plan", "createdAt", "billingAnchor", "used", "password",
                "limits", "keys");
        String email = checked(fields, "email", fields.text("email").orElseThrow(() -> fields.wrong("email", "missing")), Rules::email);
        Plan plan = fields.text("plan").map(word -> checked(fields, "plan", word, Plan::of)).orElse(Plan.FREE);
        Optional<Fields> limits = fields.fields("limits", "requests", "keys");
        Integer keyLimit = limits.flatMap(limit -> limit.number("keys", MOST)).map(Long::intValue).orElse(null);
        List<GivenKey> keys = new ArrayList<>();
        for (Fields key : fields.list("keys", "name", "key")) {
            keys.add(new GivenKey(
                    checked(key, "name", key.text("name").orElseThrow(() -> key.wrong("name", "missing")), Rules::name),
                    checked(key, "key", key.text("key").orElseThrow(() -> key.wrong("key", "missing")), Rules::key)));
        }
        int most = keyLimit != null ? keyLimit : plan.keys();
        if (keys.size() > most) {
            throw fields.wrong("keys", "a list of " + keys.size() + ", and the account may have " + most
                    + "; \"limits\": {\"keys\": " + keys.size() + "} allows them");
        }
        return new Settings(email, plan, fields.instant("createdAt").orElse(null), fields.instant("billingAnchor").orElse(null),
                fields.number("used", MOST).orElse(0L), fields.text("password").orElse(null),
                limits.flatMap(limit -> limit.number("requests", MOST)).orElse(null), keyLimit, keys);
    }

    private static <T> T checked(Fields fields, String name, String text, Function<String, T> rule) {
        try {
            return rule.apply(text);
        } catch (Refusal refusal) {
            throw fields.wrong(name, refusal);
        }
    }
}
