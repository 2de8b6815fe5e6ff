package stet.store;

import java.time.Instant;
import stet.core.Activity;
import stet.core.Actor;
import stet.core.Person;

/** Activity: who did what, written in the transaction of the change. */
public final class ActivityDao {
    private final Sql sql;
    private final Actor actor;

    ActivityDao(Sql sql, Actor actor) {
        this.sql = sql;
        this.actor = actor;
    }

    /**
     * Records a change by the transaction's author, and nothing where there is none.
     *
     * @param subject the id of a template, the name of a block or key, an e-mail address; or empty
     * @param detail  a few words more, or empty
     */
    public void add(long account, Activity.Kind kind, String subject, String detail, Instant now) {
        if (actor.name() != null) {
            sql.update("""
                    insert into activity (account_id, at, person_id, actor, address, kind, subject, detail)
                    values (?, ?, ?, ?, ?, ?, ?, ?)
                    """, account, now, actor.person(), actor.name(), actor.address(), kind.word(), subject, detail);
        }
    }

    /** Records a change of a person in each of their accounts. */
    public void addForAll(Person person, Activity.Kind kind, String detail, Instant now) {
        new PersonDao(sql).memberships(person.id()).forEach(each -> add(each.account().id(), kind, person.email(), detail, now));
    }
}
