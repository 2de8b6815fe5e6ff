package stet.dao;

import java.util.List;
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

    private record SampleRow(String name, String document, boolean isDefault) {
    }

    /** A template's test data; {@link Samples#NONE} for an unknown template. */
    Samples of(long template) {
        List<SampleRow> rows = sql.list(SampleRow.class, """
                select name, document, is_default as "default" from samples
                where template = ?
                """, template);
        SortedMap<String, String> documents = new TreeMap<>();
        rows.forEach(row -> documents.put(row.name, row.document));
        return rows.isEmpty() ? Samples.NONE
                : new Samples(documents, rows.stream().filter(SampleRow::isDefault).map(SampleRow::name).findFirst().orElse(null));
    }

    /**
     * Replaces a template's sets of test data. Writes only the sets that changed.
     *
     * @throws Refusal as {@link #checkRoom} does, if there are more sets than before
     */
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
        long room = dao.members().room(account, Samples.SETS_OF_ACCOUNT);
        if (sets > room) {
            throw new Refusal("samples", "This account would have " + sets + " sets of test data; the limit is "
                    + room + (room < Samples.SETS_OF_ACCOUNT ? " for writers" : ""));
        }
    }
}
