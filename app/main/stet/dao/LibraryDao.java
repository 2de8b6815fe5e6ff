package stet.dao;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import stet.base.Utf8;
import stet.core.Activity.ActivityKind;
import stet.core.SearchQuery.SearchMatch;
import stet.core.SearchQuery;
import stet.core.TagList;
import stet.markup.Entities;

/** Finds an account's templates by tag and by words in their text. */
public final class LibraryDao {
    /** Maximum number of bytes of HTML that a search reads; reading them takes a few tenths of a second. */
    static final long MAX_SEARCHED_BYTES = 64 << 20;

    private final Sql sql;
    private final Dao dao;

    LibraryDao(Dao dao) {
        this.sql = dao.sql();
        this.dao = dao;
    }

    // ---- tags

    /** A template's tags; empty for an unknown template. */
    public Optional<List<String>> tags(long account, String id) {
        return sql.first("""
                select tags from templates
                where account_id = ? and id = ? and deleted_at is null
                """, row -> TagList.ofLines(row.text("tags")), account, id);
    }

    /** Tags by template ID; templates without tags are omitted. */
    public Map<String, List<String>> tags(long account) {
        Map<String, List<String>> tags = new TreeMap<>();
        sql.list("""
                select id, tags from templates
                where account_id = ? and deleted_at is null and tags <> ''
                """, row -> tags.put(row.text("id"), TagList.ofLines(row.text("tags"))), account);
        return tags;
    }

    /**
     * Adds and removes tags. Does not affect API responses.
     *
     * @return the resulting tags; empty for an unknown template
     * @throws stet.base.Refusal under the same conditions as {@link TagList#changed}
     */
    public Optional<List<String>> changeTags(long account, String id, List<String> added, List<String> removed, Instant now) {
        Optional<List<String>> before = tags(account, id);
        Optional<List<String>> after = before.map(tags -> TagList.changed(tags, added, removed));
        if (!before.equals(after)) {
            setTags(account, id, after.orElseThrow());
            dao.accounts().incrementContentRevision(account);
            dao.activity().addOnce(account, ActivityKind.TAGS_CHANGED, id, String.join(", ", after.orElseThrow()), now);
        }
        return after;
    }

    /** Sets a template's tags without recording the change. */
    public void setTags(long account, String id, List<String> tags) {
        sql.update("""
                update templates
                set tags = ?3
                where account_id = ?1 and id = ?2 and deleted_at is null
                """, account, id, TagList.lines(tags));
    }

    // ---- searching

    /**
     * A template to search. The live values are null if there is no live version, or if the live version contains no blocks and was made
     * from the current draft.
     */
    private record Candidate(String id, String name, String subject, String tags, long text, long bytes, String liveSubject, Long liveText,
            Long liveBytes) {
        /** The words that the name, ID and tags do not contain. */
        private SearchQuery notInNames(SearchQuery query) {
            return query.without(name, id, tags);
        }
    }

    private record BlockText(String name, long text, long bytes) {
    }

    /**
     * The matches of a search.
     *
     * @param templates  matching drafts
     * @param live       other templates whose live version matches
     * @param blocks     matching shared blocks, with their names as IDs
     * @param unsearched number of templates and blocks not searched completely because of {@link #MAX_SEARCHED_BYTES}
     */
    public record SearchResult(List<SearchMatch> templates, List<SearchMatch> live, List<SearchMatch> blocks, int unsearched) {
    }

    /**
     * Searches the names, IDs and tags of templates, the subjects and HTML of drafts and live versions, and shared blocks without images.
     * Reads drafts, then blocks, then live versions, and skips any HTML that would exceed the limit. Lists the most recently changed
     * templates first, and blocks by name.
     */
    public SearchResult search(long account, SearchQuery query) {
        List<Candidate> candidates = sql.list(Candidate.class, """
                select t.id, t.name, t.subject, t.tags, t.text, length(x.html) as bytes,
                  v.subject as live_subject, v.text as live_text, length(l.html) as live_bytes
                from templates t join texts x on x.id = t.text and x.account_id = t.account_id
                left join versions v on v.template = t.row and v.number = t.published and (v.draft_sha256 <> t.sha256
                  or exists (select 1 from version_blocks b where b.template = v.template and b.number = v.number))
                left join texts l on l.id = v.text
                where t.account_id = ? and t.deleted_at is null
                order by t.updated_at desc, t.id
                """, account);
        Search search = new Search(account);
        Map<String, SearchMatch> drafts = new LinkedHashMap<>();
        for (Candidate each : candidates) {
            search.find("template", each.id, each.notInNames(query).without(each.subject), each.text, each.bytes)
                    .ifPresent(found -> drafts.put(each.id, found));
        }
        List<SearchMatch> blocks = sql.list(BlockText.class, """
                select b.name, b.text, length(x.html) as bytes
                from blocks b join texts x on x.id = b.text and x.account_id = b.account_id
                where b.account_id = ? and b.kind = 'html'
                order by b.name
                """, account).stream().flatMap(each -> search.find("block", each.name, query.without(each.name), each.text, each.bytes).stream())
                .toList();
        List<SearchMatch> live = candidates.stream().filter(each -> each.liveText != null && !drafts.containsKey(each.id))
                .flatMap(each -> search.find("template", each.id, each.notInNames(query).without(each.liveSubject), each.liveText, each.liveBytes)
                        .stream()).toList();
        return new SearchResult(List.copyOf(drafts.values()), live, blocks, search.unsearched.size());
    }

    /** Reads up to {@link #MAX_SEARCHED_BYTES} of HTML. */
    private final class Search {
        private final long account;
        private long left = MAX_SEARCHED_BYTES;
        private final Set<String> unsearched = new HashSet<>();

        private Search(long account) {
            this.account = account;
        }

        /**
         * Searches one text.
         *
         * @param kind  {@code template} or {@code block}
         * @param rest  words that the HTML must contain; if empty, the HTML is not read
         * @param text  ID of the HTML's row
         * @param bytes size of the HTML
         */
        private Optional<SearchMatch> find(String kind, String id, SearchQuery rest, long text, long bytes) {
            if (rest.isEmpty()) {
                return Optional.of(new SearchMatch(id, null, null));
            }
            if (bytes > left) {
                unsearched.add(kind + " " + id);
                return Optional.empty();
            }
            left -= bytes;
            byte[] html = sql.first(byte[].class, """
                    select html from texts
                    where account_id = ? and id = ?
                    """, account, text).orElseThrow();
            int place = rest.find(html);
            if (place >= 0) {
                return Optional.of(SearchMatch.at(id, html, place));
            }
            byte[] shown = Utf8.encode(Entities.shown(Utf8.text(html)));
            int shownPlace = Arrays.equals(shown, html) ? -1 : rest.find(shown);
            return shownPlace < 0 ? Optional.empty() : Optional.of(SearchMatch.at(id, shown, shownPlace));
        }
    }

    // ---- selecting templates

    /** Names of the shared blocks and images that drafts include, directly or through other blocks. @param templates their IDs */
    public List<String> blocksUsedBy(long account, Collection<String> templates) {
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
                """, account, Sql.array(templates));
    }

    /** Time of the last request, by template ID; templates that were never requested are omitted. */
    public Map<String, Instant> lastFetched(long account) {
        return sql.map(String.class, Instant.class, """
                select t.id, u.last_at
                from templates t join template_uses u on u.template = t.row
                where t.account_id = ? and t.deleted_at is null
                """, account);
    }
}
