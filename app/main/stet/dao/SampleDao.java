package stet.dao;

import java.util.SortedMap;
import java.util.TreeMap;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Samples;

/** Templates' test data, by template row number. */
public final class SampleDao {
    private final Sql sql;
    private final Dao dao;

    SampleDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    Samples of(long template) {
        SortedMap<String, String> documents = new TreeMap<>();
        String[] defaultName = {null};
        sql.list("""
                select name, document, is_default from samples
                where template = ?
                """, row -> {
            if (row.number("is_default") == 1) {
                defaultName[0] = row.text("name");
            }
            return documents.put(row.text("name"), row.text("document"));
        }, template);
        return documents.isEmpty() ? Samples.NONE : new Samples(documents, defaultName[0]);
    }

    /** Replaces a template's sets of test data. Writes only the sets that changed. */
    void save(long account, long template, Samples before, Samples after) {
        before.documents().keySet().stream().filter(name -> !after.documents().containsKey(name)).forEach(name -> sql.update("""
                delete from samples
                where template = ? and name = ?
                """, template, name));
        after.documents().forEach((name, document) -> {
            if (!document.equals(before.documents().get(name))) {
                sql.update("""
                        insert into samples (template, name, document, sha256, is_default)
                        values (?1, ?2, ?3, ?4, 0)
                        on conflict do update set document = ?3, sha256 = ?4
                        """, template, name, document, Secret.sha256(document));
            }
        });
        sql.update("""
                update samples
                set is_default = name = ?2
                where template = ?1 and is_default <> (name = ?2)
                """, template, after.defaultName());
        if (after.documents().size() > before.documents().size()) {
            checkRoom(account);
        }
    }

    /** @throws Refusal if the account has more than {@link Samples#SETS_OF_ACCOUNT} sets of test data, or more than a writer may add */
    public void checkRoom(long account) {
        long sets = sql.number("""
                select count(*)
                from templates t join samples s on s.template = t.row
                where t.account_id = ? and t.deleted_at is null
                """, account);
        long room = dao.users().room(account, Samples.SETS_OF_ACCOUNT);
        if (sets > room) {
            throw new Refusal("samples", "This account would have " + sets + " sets of test data; the limit is "
                    + room + (room < Samples.SETS_OF_ACCOUNT ? " for writers" : ""));
        }
    }
}
