package stet.dao;

import java.time.Instant;
import java.util.List;
import stet.base.Amount;
import stet.base.Refusal;
import stet.core.Activity.ActivityKind;

/** The mail clients that an account supports, and the features that a template may use even though some clients do not support them. */
public final class MailClientDao {
    /** Maximum number of accepted features of an account's templates; they do not count toward the storage limit. */
    private static final int MAX_ACCEPTED = 20_000;

    private final Sql sql;
    private final Dao dao;

    MailClientDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /** IDs of the account's mail clients. */
    public List<String> chosen(long account) {
        return List.of(sql.first(String.class, """
                select mail_clients from accounts
                where id = ?
                """, account).orElse("").split(" "));
    }

    public void choose(long account, List<String> clients, Instant now) {
        if (!clients.equals(chosen(account))) {
            sql.update("""
                    update accounts
                    set mail_clients = ?2
                    where id = ?1
                    """, account, String.join(" ", clients));
            dao.activity().addOnce(account, ActivityKind.MAIL_CLIENTS_CHANGED, "", Amount.of(clients.size(), "mail client"), now);
        }
    }

    /** An accepted feature. @param by the author's name at the time; null if not recorded */
    public record Accepted(String feature, String by, Instant at) {
    }

    public List<Accepted> accepted(long account, String id) {
        return sql.list(Accepted.class, """
                select feature, by, at from accepted_features
                where template = ?
                order by feature
                """, dao.templates().row(account, id));
    }

    /**
     * Adds and removes accepted features of a template.
     *
     * @return whether the template exists
     * @throws Refusal if the author has no {@linkplain MemberDao#room room} among the account's {@value #MAX_ACCEPTED} accepted features
     */
    public boolean accept(long account, String id, List<String> added, List<String> removed, Instant now) {
        long template = dao.templates().row(account, id);
        if (template == 0) {
            return false;
        }
        List<Accepted> before = accepted(account, id);
        removed.forEach(feature -> sql.update("""
                delete from accepted_features
                where template = ? and feature = ?
                """, template, feature));
        added.forEach(feature -> sql.update("""
                insert or ignore into accepted_features (template, feature, by, at)
                values (?, ?, ?, ?)
                """, template, feature, dao.author().name(), now));
        if (!added.isEmpty()) {
            checkRoom(account);
        }
        List<Accepted> after = accepted(account, id);
        if (!after.equals(before)) {
            dao.activity().addOnce(account, ActivityKind.FEATURES_CHANGED, id, after.size() + " accepted", now);
        }
        return true;
    }

    /** Copies a template's accepted features to a new copy of the template. @throws Refusal as for {@link #accept} */
    public void copy(long account, String from, String to) {
        sql.update("""
                insert into accepted_features (template, feature, by, at)
                select ?, feature, by, at from accepted_features
                where template = ?
                """, dao.templates().row(account, to), dao.templates().row(account, from));
        checkRoom(account);
    }

    private void checkRoom(long account) {
        long room = dao.members().room(account, MAX_ACCEPTED);
        if (sql.number("""
                select count(*)
                from templates t join accepted_features f on f.template = t.row
                where t.account_id = ? and t.deleted_at is null
                """, account) > room) {
            throw new Refusal("Accepted feature limit " + MemberDao.reachedText(room, MAX_ACCEPTED) + "; remove accepted features first");
        }
    }
}
