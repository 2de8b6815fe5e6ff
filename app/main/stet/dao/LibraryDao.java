package stet.dao;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import stet.core.Activity.Kind;
import stet.core.SearchQuery;
import stet.core.SearchQuery.Found;
import stet.core.TagList;

/** Finds an account's templates by tag and by words in their text. */
public final class LibraryDao {
    /** Maximum bytes of HTML that one search reads, which takes some tenths of a second. */
    static final long MAX_SEARCHED_BYTES = 64 << 20;

    private final Sql sql;
    private final Dao dao;

    LibraryDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    // ---- tags

    /** Empty for an unknown template. */
    public Optional<List<String>> tags(long account, String id) {
        return sql.first("""
                select tags from templates
                where account_id = ? and id = ? and deleted_at is null
                """, row -> TagList.ofLines(row.text("tags")), account, id);
    }

    /** Tags by template id; templates without tags are left out. */
    public Map<String, List<String>> tags(long account) {
        Map<String, List<String>> tags = new TreeMap<>();
        sql.list("""
                select id, tags from templates
                where account_id = ? and deleted_at is null and tags <> ''
                """, row -> tags.put(row.text("id"), TagList.ofLines(row.text("tags"))), account);
        return tags;
    }

    /**
     * Adds and removes tags, which changes nothing that the API returns.
     *
     * @return the resulting tags; empty for an unknown template
     * @throws stet.core.Refusal as {@link TagList#changed}
     */
    public Optional<List<String>> changeTags(long account, String id, List<String> added, List<String> removed, Instant now) {
        Optional<List<String>> before = tags(account, id);
        Optional<List<String>> after = before.map(tags -> TagList.changed(tags, added, removed));
        if (!before.equals(after)) {
            setTags(account, id, after.orElseThrow());
            dao.accounts().incrementContentRevision(account);
            dao.activity().addOnce(account, Kind.TAGS_CHANGED, id, String.join(", ", after.orElseThrow()), now);
        }
        return after;
    }

    public void setTags(long account, String id, List<String> tags) {
        sql.update("""
                update templates
                set tags = ?3
                where account_id = ?1 and id = ?2 and deleted_at is null
                """, account, id, TagList.lines(tags));
    }

    // ---- searching

    private record Candidate(String id, String name, String subject, String tags, long text, long bytes) {
    }

    /** @param unsearched number of templates left out because the search had read {@link #MAX_SEARCHED_BYTES} of HTML */
    public record SearchResult(List<Found> templates, int unsearched) {
    }

    /** Searches the name, id, tags, subject and HTML of drafts. Most recently changed templates come first. */
    public SearchResult search(long account, SearchQuery query) {
        List<Candidate> candidates = sql.list(Candidate.class, """
                select t.id, t.name, t.subject, t.tags, t.text, length(x.html) as bytes
                from templates t join texts x on x.id = t.text and x.account_id = t.account_id
                where t.account_id = ? and t.deleted_at is null
                order by t.updated_at desc, t.id
                """, account);
        List<Found> found = new ArrayList<>();
        long left = MAX_SEARCHED_BYTES;
        int unsearched = 0;
        for (Candidate candidate : candidates) {
            SearchQuery rest = query.without(candidate.name, candidate.id, candidate.tags, candidate.subject);
            if (rest.isEmpty()) {
                found.add(new Found(candidate.id, null, null));
            } else if (candidate.bytes > left) {
                unsearched++;
            } else {
                left -= candidate.bytes;
                byte[] html = sql.first(byte[].class, """
                        select html from texts
                        where account_id = ? and id = ?
                        """, account, candidate.text).orElseThrow();
                int place = rest.find(html);
                if (place >= 0) {
                    found.add(Found.at(candidate.id, html, place));
                }
            }
        }
        return new SearchResult(found, unsearched);
    }

    // ---- for choices

    /** Names of the shared blocks that drafts include, directly or through other blocks. @param ids a JSON array */
    public List<String> blocks(long account, String ids) {
        return sql.list(String.class, """
                with recursive used(name) as (
                  select block from includes
                  where account_id = ?1 and kind = 'template' and includer in (select value from json_each(?2))
                  union
                  select i.block from used u
                  join includes i on i.account_id = ?1 and i.kind = 'block' and i.includer = u.name
                )
                select b.name from used u join blocks b on b.account_id = ?1 and b.name = u.name
                order by b.name
                """, account, ids);
    }

    /** Time of the last request by template id; templates never fetched are left out. */
    public Map<String, Instant> lastFetched(long account) {
        return sql.map(String.class, Instant.class, """
                select t.id, u.last_at
                from templates t join template_uses u on u.template = t.row
                where t.account_id = ? and t.deleted_at is null
                """, account);
    }
}
