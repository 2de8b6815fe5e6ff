package stet.files;

import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import stet.core.Account;
import stet.dao.Dao;
import stet.dao.SourceDao.Head;
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
        Map<String, Head> templates = dao.sources().templates(account.id());
        Map<String, Head> blocks = dao.sources().blocks(account.id());
        List<Conflict> changed = Stream.of(templates, blocks).flatMap(heads -> heads.values().stream())
                .flatMap(head -> Conflict.sinceFiles(head).stream()).limit(MAX_CHANGED).toList();
        return new AccountState(account.name(), account.label(), dao.sources().last(account.id()).orElse(null), digests(templates), digests(blocks),
                changed);
    }

    private static SortedMap<String, String> digests(Map<String, Head> heads) {
        SortedMap<String, String> digests = new TreeMap<>();
        heads.forEach((name, head) -> digests.put(name, head.digest()));
        return digests;
    }
}
