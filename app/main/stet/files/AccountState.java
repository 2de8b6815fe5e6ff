package stet.files;

import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import stet.core.Account;
import stet.dao.Dao;
import stet.dao.SourceDao;

/**
 * The digests of an account's templates and shared blocks, which let a push send only the files that differ.
 *
 * @param last    the newest seed, import or push recorded for one of the account's templates or shared blocks, or null
 * @param label   null or empty if the account has no label
 * @param changed templates and blocks created, changed, published or rolled back in Stet since the last import or push; truncated if
 *                there are more than 1,000
 */
public record AccountState(String account, @JsonInclude(Include.NON_EMPTY) String label,
                           @JsonInclude(Include.NON_NULL) SourceDao.SourceRow last, Map<String, String> templates, Map<String, String> blocks, List<Conflict> changed) {
    private static final int MAX_CHANGED = 1_000;

    /** @throws NullPointerException for a missing value, because the JSON may come from any server or client */
    public AccountState {
        Objects.requireNonNull(account);
        templates.values().forEach(Objects::requireNonNull);
        blocks.values().forEach(Objects::requireNonNull);
        changed.forEach(Objects::requireNonNull);
    }

    public static AccountState of(Dao dao, Account account) {
        AccountState state = new AccountState(account.name(), account.label(), dao.sources().last(account.id()).orElse(null),
                new TreeMap<>(), new TreeMap<>(), new ArrayList<>());
        List<Conflict> changed = new ArrayList<>();
        dao.sources().templates(account.id(), false).forEach((id, head) -> {
            state.templates.put(id, head.digest());
            Conflict.sinceFiles(head).ifPresent(changed::add);
        });
        dao.sources().blocks(account.id(), false).forEach((name, head) -> {
            state.blocks.put(name, head.digest());
            Conflict.sinceFiles(head).ifPresent(changed::add);
        });
        changed.stream().limit(MAX_CHANGED).forEach(state.changed::add);
        return state;
    }
}
