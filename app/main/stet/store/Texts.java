package stet.store;

import java.time.Instant;

/** The texts, which are added and deleted, never changed; one that is replaced becomes garbage. */
final class Texts {
    private final Sql sql;

    Texts(Sql sql) {
        this.sql = sql;
    }

    /** @return its id */
    long add(long account, byte[] html) {
        sql.update("""
                insert into texts (account_id, html)
                values (?, ?)
                """, account, html);
        return sql.number("select last_insert_rowid()");
    }

    /** Whether a text is these bytes. */
    boolean is(long account, long text, byte[] html) {
        return sql.number("""
                select exists (select 1 from texts where account_id = ? and id = ? and html = ?)
                """, account, text, html) == 1;
    }

    /** Has a text deleted soon, unless something has it then. */
    void discard(long text) {
        discard(text, Instant.EPOCH);
    }

    void discard(long text, Instant after) {
        sql.update("""
                insert or ignore into garbage (after, text)
                values (?, ?)
                """, after, text);
    }

    /** A text that was to be deleted later is looked at soon. */
    void settle(long text, Instant after) {
        sql.update("""
                update or replace garbage
                set after = 0
                where after = ? and text = ?
                """, after, text);
    }
}
