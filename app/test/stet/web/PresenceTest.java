package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import stet.access.Member;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Owner;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.dao.Author;

/** Presence with more users than the limit. */
class PresenceTest {
    private static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");

    private final Presence presence = new Presence(null);

    private List<String> note(long account, long user, String id, Instant now) {
        Member member = new Member(null, Author.of(Actor.NONE), Owner.user(account, user), new User(user, user + "@example.com", "", false),
                new Account(account, "a", "", null, Plan.PRO, NOW, NOW, null, null, null, false), Role.WRITER);
        return presence.record(member, "template", id, false, now).stream().map(Presence.Other::name).toList();
    }

    @Test
    void aFullAccountLosesItsOldestEntry() {
        note(2, 1, "theirs", NOW);
        note(1, 1, "first", NOW);
        for (int i = 0; i < Presence.MAX_ACCOUNT_ENTRIES; i++) {
            note(1, 2 + i / 40, "t" + i, NOW.plusMillis(i)); // 40 texts per user, fewer than a user may have open
        }
        assertEquals(Presence.MAX_ACCOUNT_ENTRIES + 1, presence.entries.size());
        assertEquals(List.of(), note(1, 99, "first", NOW.plusSeconds(1)));
        assertEquals(List.of("11@example.com"), note(1, 99, "t" + (Presence.MAX_ACCOUNT_ENTRIES - 1), NOW.plusSeconds(1)));
        assertEquals(List.of("1@example.com"), note(2, 2, "theirs", NOW.plusSeconds(1)), "another account's stay");
    }

    /** One user, with whatever number of pages, does not end the others' entries. */
    @Test
    void oneUserCannotRemoveAnothersEntries() {
        note(1, 1, "first", NOW);
        for (int i = 0; i < 2 * Presence.MAX_ACCOUNT_ENTRIES; i++) {
            note(1, 2, "t" + i, NOW);
        }
        assertEquals(Presence.MAX_USER_ENTRIES + 1, presence.entries.size());
        assertEquals(List.of("1@example.com"), note(1, 3, "first", NOW));
    }

    @Test
    void allAccountsTogetherHaveALimit() {
        int accounts = 2 * Presence.MAX_ENTRIES / Presence.MAX_ACCOUNT_ENTRIES;
        for (int i = 0; i < 2 * Presence.MAX_ENTRIES; i++) {
            note(i % accounts, i / 400, "t" + i, NOW); // 40 texts per user of an account, as each of the 10 accounts has every tenth
        }
        assertEquals(Presence.MAX_ENTRIES, presence.entries.size());
    }

    @Test
    void expiredEntriesAreRemovedWithTheNextEntry() {
        note(1, 1, "one", NOW);
        note(2, 2, "two", NOW);
        assertEquals(List.of(), note(1, 1, "three", NOW.plus(Presence.LIFETIME)));
        assertEquals(1, presence.entries.size());
    }
}
