package stet.store;

import java.time.Instant;
import java.util.List;
import stet.core.Account;

/**
 * The contents of a database in numbers, to compare two of them.
 *
 * @param lastChange the newest time in it, or the epoch for an empty one
 */
public record Contents(long accounts, long templates, long versions, List<ValidKey> keys, List<Used> used, Instant lastChange) {
    /** A key that is valid now. @param start its first characters */
    public record ValidKey(String account, long id, String name, String start) {
    }

    /** Requests that the present period of an account has used. */
    public record Used(String account, long requests, long limit) {
    }

    static Contents of(Sql sql, Instant now) {
        Dao dao = new Dao(sql);
        List<Account> accounts = dao.accounts().list();
        return new Contents(accounts.size(),
                sql.number("select count(*) from templates t join accounts a on a.id = t.account_id where a.name is not null"),
                sql.number("select count(*) from versions"),
                sql.list(ValidKey.class, """
                        select a.name as account, k.id, k.name, k.start from api_keys k join accounts a on a.id = k.account_id
                        where a.name is not null and (k.expires_at is null or k.expires_at > ?)
                        order by a.name, k.id
                        """, now),
                accounts.stream().map(account -> new Used(account.name(), dao.usage().used(account, account.period(now).start()),
                        account.requests())).toList(),
                sql.first(Instant.class, """
                        select coalesce(max(at), 0) from (
                          select max(created_at) as at from accounts
                          union all select max(created_at) from api_keys
                          union all select max(updated_at) from templates
                          union all select max(published_at) from versions
                          union all select max(last_at) from requests
                        )""").orElseThrow());
    }
}
