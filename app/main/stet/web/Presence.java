package stet.web;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import stet.access.Member;
import stet.dao.Dao;
import stet.dao.TemplateDao.Saved;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;

/**
 * Tracks in memory who has a draft or shared block open, and reports the newest save. Open pages poll every 10 s; entries
 * expire after 30 s.
 */
public final class Presence {
    static final Duration LIFETIME = Duration.ofSeconds(30);
    /** Maximum number of entries (about 300 bytes each); if exceeded, the oldest entry is removed. */
    static final int MAX_ENTRIES = 2_000;
    /** Maximum number of entries per account, so that one account cannot evict all others. */
    static final int MAX_ACCOUNT_ENTRIES = 400;
    /** Maximum number of entries per user of an account, so that one user cannot evict the others. */
    static final int MAX_USER_ENTRIES = 50;

    record PresenceKey(long account, String kind, String id, long user) {
        boolean isOtherUserOn(PresenceKey other) {
            return account == other.account && kind.equals(other.kind) && id.equals(other.id) && user != other.user;
        }
    }

    /**
     * Another user with the same text open.
     *
     * @param dirty whether the other user has unsaved changes
     */
    record Other(String name, boolean dirty) {
    }

    record PresentUser(Other other, Instant at) {
        boolean isOver(Instant now) {
            return now.isBefore(at) || !now.isBefore(at.plus(LIFETIME));
        }
    }

    private final Clock clock;
    /** Oldest first. Guarded by this. */
    final Map<PresenceKey, PresentUser> entries = new LinkedHashMap<>();

    Presence(Clock clock) {
        this.clock = clock;
    }

    /** The newest revision, its author, and other users with the text open. */
    record PresenceJson(long revision, String savedBy, Instant savedAt, List<Other> others) {
    }

    /** Responds to an open page's regular poll without writing to the database. */
    public Response template(Member member, Request request) {
        return present(member, request, "template", dao -> dao.templates().lastSave(member.account().id(), request.id()));
    }

    public Response block(Member member, Request request) {
        return present(member, request, "block", dao -> dao.blocks().lastSave(member.account().id(), request.id()));
    }

    private Response present(Member member, Request request, String kind, Function<Dao, Optional<Saved>> newest) {
        boolean dirty = request.form(fields -> fields.flag("dirty", false));
        Saved saved = member.read(newest).orElseThrow(Failure.NOT_FOUND::thrown);
        List<Other> others = record(member, kind, request.id(), dirty, clock.instant());
        return Response.json(new PresenceJson(saved.revision(), saved.by(), saved.at(), others));
    }

    /**
     * Records that a member has a text open.
     *
     * @param kind  {@code template} or {@code block}
     * @param dirty whether the member has unsaved changes
     * @return other users with the text open
     */
    synchronized List<Other> record(Member member, String kind, String id, boolean dirty, Instant now) {
        PresenceKey key = new PresenceKey(member.account().id(), kind, id, member.user().id());
        entries.remove(key);
        entries.values().removeIf(entry -> entry.isOver(now));
        List<Other> others = entries.entrySet().stream().filter(entry -> entry.getKey().isOtherUserOn(key))
                .map(entry -> entry.getValue().other).toList();
        makeRoom(key);
        entries.put(key, new PresentUser(new Other(member.user().label(), dirty), now));
        return others;
    }

    /** Removes the oldest entry of the user, of the account or of all if a new entry would exceed their maximum. */
    private void makeRoom(PresenceKey key) {
        List<PresenceKey> ofAccount = entries.keySet().stream().filter(each -> each.account == key.account).toList();
        List<PresenceKey> ofUser = ofAccount.stream().filter(each -> each.user == key.user).toList();
        if (ofUser.size() >= MAX_USER_ENTRIES) {
            entries.remove(ofUser.get(0));
        } else if (ofAccount.size() >= MAX_ACCOUNT_ENTRIES) {
            entries.remove(ofAccount.get(0));
        } else if (entries.size() >= MAX_ENTRIES) {
            entries.remove(entries.keySet().iterator().next());
        }
    }
}
