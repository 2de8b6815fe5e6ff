package stet.store;

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

    /** Has a text deleted little later, unless something has it then. */
    void discard(long text) {
        sql.update("""
                insert or ignore into garbage (after, text)
                values (0, ?)
                """, text);
    }
}
