package stet.dao;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Activity.ActivityKind;

/** Links that let a guest read a draft or version without an account. The database stores only the SHA-256 of a link's secret. */
public final class ReviewDao {
    public static final Duration LIFETIME = Duration.ofDays(7);
    /** Maximum number of open links per account. */
    public static final int MAX_LINKS = 50;

    private final Sql sql;
    private final Dao dao;

    ReviewDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /**
     * A link to a template's draft or to one of its versions.
     *
     * @param number   the version's number, or null for the draft
     * @param madeBy   the author's name at the time
     * @param expired  whether it no longer opens
     * @param comments number of comments by the link's guests
     */
    public record ReviewLink(long id, Integer number, String madeBy, Instant createdAt, Instant expiresAt, boolean expired, long comments) {
    }

    /**
     * The contents of an open link.
     *
     * @param link    the link's ID; 0 for a preview
     * @param id      the template's ID
     * @param pushed  the name under which a preview was pushed; null for a link to a draft or version
     */
    public record Reviewed(long link, long accountId, String id, Integer number, String madeBy, Instant expiresAt, String pushed) {
        public boolean isPreview() {
            return pushed != null;
        }
    }

    /**
     * Adds a link made by the transaction's author.
     *
     * @param number an existing version's number, or null for the draft
     * @return the link; empty if the template does not exist
     * @throws Refusal if the author has no {@linkplain MemberDao#room room} among the account's {@link #MAX_LINKS} open links
     */
    public Optional<ReviewLink> add(long account, String id, Integer number, Instant now, String secret) {
        long template = dao.templates().row(account, id);
        if (template == 0) {
            return Optional.empty();
        }
        long open = sql.number("""
                select count(*) from review_links
                where account_id = ? and expires_at > ?
                """, account, now);
        long room = dao.members().room(account, MAX_LINKS);
        if (open >= room) {
            throw new Refusal("Review link limit " + MemberDao.reachedText(room, MAX_LINKS) + "; revoke a link first");
        }
        sql.update("""
                insert into review_links (account_id, template, number, hash, maker_id, made_by, created_at, expires_at)
                values (?, ?, ?, ?, ?, ?, ?, ?)
                """, account, template, number, Secret.sha256(secret), dao.author().user(), dao.author().name(), now, now.plus(LIFETIME));
        dao.activity().addOnce(account, ActivityKind.REVIEW_LINK_CREATED, id, description(number), now);
        return list(account, id, now).stream().findFirst();
    }

    /** A template's open links, and expired links whose guests' comments still exist, newest first. */
    public List<ReviewLink> list(long account, String id, Instant now) {
        return sql.list(ReviewLink.class, """
                select id, number, made_by, created_at, expires_at, expires_at <= ? as expired, (
                    select count(*) from comments
                    where template = review_links.template and review_link = review_links.id) as comments
                from review_links
                where account_id = ? and template = ? and (expires_at > ? or comments > 0)
                order by id desc
                """, now, account, dao.templates().row(account, id), now);
    }

    /** The number of open links of these templates, by template ID; templates without open links are omitted. */
    public Map<String, Integer> countOpen(long account, List<String> ids, Instant now) {
        return sql.map(String.class, Integer.class, """
                select t.id, count(*)
                from templates t join review_links r on r.template = t.row
                where t.account_id = ? and t.id in (select value from json_each(?)) and t.deleted_at is null and r.expires_at > ?
                group by t.id
                """, account, Sql.array(ids), now);
    }

    /** Looks up an open link, or a preview's link, by its secret and returns what it shows; empty while the account is suspended. */
    public Optional<Reviewed> find(String secret, Instant now) {
        return sql.first(Reviewed.class, """
                select r.id as link, r.account_id, t.id, r.number, r.made_by, r.expires_at, null as pushed
                from review_links r
                  join templates t on t.row = r.template
                  join accounts a on a.id = r.account_id
                where r.hash = ?1 and r.expires_at > ?3 and t.deleted_at is null and a.deleted_at is null and a.suspended_at is null
                union all
                select 0, p.account_id, p.item, null, p.made_by, p.expires_at, p.name
                from push_previews p
                  join accounts a on a.id = p.account_id
                where p.secret = ?2 and p.expires_at > ?3 and a.deleted_at is null and a.suspended_at is null
                """, Secret.sha256(secret), secret, now);
    }

    /**
     * Revokes a link, or deletes an expired one.
     *
     * @param withComments whether to delete its guests' comments as well
     * @return whether the template had this link
     */
    public boolean revoke(long account, String id, long link, boolean withComments, Instant now) {
        Optional<ReviewLink> found = list(account, id, now).stream().filter(each -> each.id() == link).findFirst();
        found.ifPresent(each -> {
            sql.update("""
                    delete from review_links
                    where account_id = ? and id = ?
                    """, account, link);
            dao.activity().addOnce(account, ActivityKind.REVIEW_LINK_REVOKED, id, description(each.number()), now);
            if (withComments) {
                dao.comments().deleteByGuests(account, id, link, now);
            }
        });
        return found.isPresent();
    }

    private static String description(Integer number) {
        return number == null ? "draft" : "version " + number;
    }

    /** Revokes all review links that a user created, in any account. */
    void revokeAllOf(long user) {
        sql.update("""
                delete from review_links
                where maker_id = ?
                """, user);
    }
}
