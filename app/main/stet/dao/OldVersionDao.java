package stet.dao;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import stet.base.Amount;
import stet.core.Activity.ActivityKind;

/** Removes templates' old versions. */
public final class OldVersionDao {
    /** All versions except the newest and the live version, oldest first. */
    private static final String EXCESS = """
            select template, number from versions
            where template = %1$s and number < (
                select min(number) from (select number from versions where template = %1$s order by number desc limit ?3))
              and number <> coalesce((
                select published from templates where account_id = ?1 and id = ?2 and deleted_at is null), 0)
            order by number
            limit ?4
            """.formatted(VersionDao.TEMPLATE);

    private final Sql sql;
    private final Dao dao;

    OldVersionDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    /** Old versions, and the comments and open review links that are deleted with them. */
    public record Excess(long versions, long comments, long reviewLinks) {
        public static final Excess NONE = new Excess(0, 0, 0);

        public Excess plus(Excess other) {
            return new Excess(versions + other.versions, comments + other.comments, reviewLinks + other.reviewLinks);
        }

        /** For example, {@code 3 old versions, 2 comments and 1 review link}. */
        @Override
        public String toString() {
            List<String> amounts = new ArrayList<>(List.of(Amount.of(versions, "old version")));
            if (comments > 0) {
                amounts.add(Amount.of(comments, "comment"));
            }
            if (reviewLinks > 0) {
                amounts.add(Amount.of(reviewLinks, "review link"));
            }
            int last = amounts.size() - 1;
            return last == 0 ? amounts.get(0) : String.join(", ", amounts.subList(0, last)) + " and " + amounts.get(last);
        }
    }

    /** The versions older than the newest {@code keep}, excluding the live version. */
    public Excess excess(long account, String id, int keep, Instant now) {
        return excess(account, id, keep, Integer.MAX_VALUE, now);
    }

    /** @param limit maximum number of versions */
    private Excess excess(long account, String id, int keep, int limit, Instant now) {
        return sql.first(Excess.class, """
                with excess(template, number) as materialized (select * from (%s))
                select count(*) as versions, (
                    select count(*) from excess e join comments c on c.template = e.template and c.number = e.number) as comments, (
                    select count(*) from excess e join review_links r on r.template = e.template and r.number = e.number
                    where r.expires_at > ?5) as review_links
                from excess
                """.formatted(EXCESS), account, id, keep, limit, now).orElseThrow();
    }

    /**
     * Removes up to {@code limit} of the versions that {@link #excess} counts, oldest first. Garbage collection removes their texts.
     *
     * @return what was removed
     */
    public Excess prune(long account, String id, int keep, int limit, Instant now) {
        Excess removing = excess(account, id, keep, limit, now);
        for (String text : List.of("text", "draft_text")) {
            sql.update("""
                    insert or ignore into garbage (after, text)
                    select 0, %s from versions
                    where (template, number) in (%s)
                    """.formatted(text, EXCESS), account, id, keep, limit);
        }
        sql.update("""
                delete from versions
                where (template, number) in (%s)
                """.formatted(EXCESS), account, id, keep, limit);
        if (removing.versions > 0) {
            dao.activity().addCounted(account, ActivityKind.VERSIONS_PRUNED, id, (int) removing.versions, now);
        }
        return removing;
    }
}
