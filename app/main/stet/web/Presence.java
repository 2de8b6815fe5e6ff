package stet.web;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import stet.dao.Dao;
import stet.dao.TemplateDao.Saved;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;

/**
 * The people who have a draft or shared block open, in memory, and its newest save. Each open page tells so every ten seconds, and
 * its entry ends when it has not done so for thirty.
 */
public final class Presence {
    static final Duration LIFETIME = Duration.ofSeconds(30);
    /** Entries in all, some 300 bytes each. When there are more, the oldest ends. */
    static final int MAX_ENTRIES = 2_000;
    /** Entries of one account, so that it cannot end those of others alone. */
    static final int MAX_ACCOUNT_ENTRIES = 400;

    private record Key(long account, String kind, String id, long person) {
        boolean isBeside(Key other) {
            return account == other.account && kind.equals(other.kind) && id.equals(other.id) && person != other.person;
        }
    }

    /** Somebody who has the same text open. @param dirty whether with changes that are not saved */
    record Other(String name, boolean dirty) {
    }

    private record Entry(Other other, Instant at) {
        boolean isOver(Instant now) {
            return now.isBefore(at) || !now.isBefore(at.plus(LIFETIME));
        }
    }

    private final Clock clock;
    /** The oldest first. */
    private final Map<Key, Entry> entries = new LinkedHashMap<>();

    Presence(Clock clock) {
        this.clock = clock;
    }

    /** The newest revision with its author, and the others who have the text open. */
    record PresenceJson(long revision, String savedBy, Instant savedAt, List<Other> others) {
    }

    /** Answers an open page, which asks by itself; writes nothing. */
    public Response template(Member member, Request request) {
        return present(member, request, "template", dao -> dao.templates().lastSave(member.account().id(), request.id()));
    }

    public Response block(Member member, Request request) {
        return present(member, request, "block", dao -> dao.blocks().lastSave(member.account().id(), request.id()));
    }

    private Response present(Member member, Request request, String kind, Function<Dao, Optional<Saved>> newest) {
        boolean dirty = request.form(fields -> fields.flag("dirty", false));
        Saved saved = member.read(newest).orElseThrow(Failure.NOT_FOUND::thrown);
        List<Other> others = note(member, kind, request.id(), dirty, clock.instant());
        return Answer.json(new PresenceJson(saved.revision(), saved.by(), saved.at(), others));
    }

    /** Notes that a member has a text open. @param kind {@code template} or {@code block}. @return the others who have */
    synchronized List<Other> note(Member member, String kind, String id, boolean dirty, Instant now) {
        Key key = new Key(member.account().id(), kind, id, member.person().id());
        entries.remove(key);
        entries.values().removeIf(entry -> entry.isOver(now));
        List<Other> others = entries.entrySet().stream().filter(entry -> entry.getKey().isBeside(key))
                .map(entry -> entry.getValue().other).toList();
        List<Key> ofAccount = entries.keySet().stream().filter(each -> each.account == key.account).toList();
        if (ofAccount.size() >= MAX_ACCOUNT_ENTRIES) {
            entries.remove(ofAccount.get(0));
        } else if (entries.size() >= MAX_ENTRIES) {
            entries.remove(entries.keySet().iterator().next());
        }
        entries.put(key, new Entry(new Other(member.person().label(), dirty), now));
        return others;
    }

    synchronized int size() {
        return entries.size();
    }
}
