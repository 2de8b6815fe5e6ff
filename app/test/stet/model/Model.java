package stet.model;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import stet.harness.Running;
import stet.model.ModelAccount.Key;
import stet.model.ModelAccount.Period;
import stet.model.ModelAccount.Refused;
import stet.model.ModelAccount.Template;

/**
 * The rules of Stet and its test double without storage, HTTP or threads; {@link ModelTest} compares the service with them. Covers
 * accounts, users, API responses, clocks, faults and resets. A rejected change has no effect.
 */
final class Model {
    static final Instant START = Instant.parse(Running.NOW);
    /** By email address, which is also the account's name. */
    final Map<String, ModelAccount> accounts = new TreeMap<>();
    /** Whether the user has a password, by email address. */
    final Map<String, Boolean> users = new TreeMap<>();
    /** By secret. */
    final Map<String, Invitation> invitations = new TreeMap<>();
    /** Number of recorded requests by account. */
    final Map<String, Integer> journal = new TreeMap<>();
    final List<Fault> faults = new ArrayList<>();
    Instant clock = START;
    /** The initial state, and the accounts that a reset restores. */
    private Model start;
    private final Map<String, ModelAccount> kept = new TreeMap<>();
    private final Map<String, Boolean> keptUsers = new TreeMap<>();

    record Invitation(String account, String role, String maker, Instant expiresAt) {
    }

    /** @param account email address to match, or null @param status null for a lost response @param left remaining requests */
    record Fault(String account, String template, Integer status, int left) {
    }

    /** An API response. @param period null without quota headers @param template null unless the status is 200 */
    record Response(int status, Template template, Period period, long limit, long left, long secondsLeft, boolean lost) {
        static Response of(int status) {
            return new Response(status, null, null, 0, 0, 0, false);
        }
    }

    /** Saves the state that a reset restores. */
    void started() {
        start = copy();
        kept.clear();
        keptUsers.clear();
        accounts.forEach((email, account) -> kept.put(email, account.copy()));
        keptUsers.putAll(users);
    }

    private Model copy() {
        Model copy = new Model();
        accounts.forEach((email, account) -> copy.accounts.put(email, account.copy()));
        copy.users.putAll(users);
        return copy;
    }

    void reset() {
        accounts.clear();
        users.clear();
        invitations.clear();
        journal.clear();
        faults.clear();
        clock = START;
        Model fresh = start.copy();
        accounts.putAll(fresh.accounts);
        users.putAll(fresh.users);
        started();
    }

    void reset(String email) {
        ModelAccount was = Optional.ofNullable(kept.get(email)).orElseThrow(() -> new Refused(404));
        if (isKeyTaken(was)) {
            throw new Refused(400);
        }
        accounts.put(email, was.copy());
        was.members.keySet().forEach(user -> users.putIfAbsent(user, keptUsers.get(user)));
        invitations.values().removeIf(invitation -> invitation.account.equals(email));
        faults.removeIf(fault -> email.equals(fault.account));
        journal.remove(email);
    }

    /** Adds an account with its owner. */
    void add(ModelAccount added) {
        if (accounts.containsKey(added.email)) {
            throw new Refused(422);
        }
        added.keys.forEach(key -> checkNew(key.value(), List.of()));
        accounts.put(added.email, added);
        users.putIfAbsent(added.email, false);
        added.members.put(added.email, "owner");
        kept.put(added.email, added.copy());
        keptUsers.put(added.email, users.get(added.email));
    }

    /** Whether another account now has one of this account's keys. */
    private boolean isKeyTaken(ModelAccount account) {
        return account.keys.stream().map(key -> ownerOf(key.value())).anyMatch(owner -> owner != null && !owner.email.equals(account.email));
    }

    void delete(String email) {
        ModelAccount deleted = Optional.ofNullable(accounts.remove(email)).orElseThrow(() -> new Refused(404));
        deleted.members.keySet().forEach(this::removeWithoutAccount);
        invitations.values().removeIf(invitation -> invitation.account.equals(email));
    }

    /** Deletes a user who has no account left. */
    private void removeWithoutAccount(String user) {
        if (accounts.values().stream().noneMatch(account -> account.members.containsKey(user))) {
            users.remove(user);
        }
    }

    /** @param role the new role; null to remove the member */
    void changeRole(ModelAccount account, String user, String role) {
        String before = account.members.put(user, role);
        if (before.equals("owner") && !before.equals(role)) { // who may have made an invitation in order to rejoin
            invitations.values().removeIf(each -> each.account.equals(account.email) && each.maker.equals(user));
        }
        if (role == null) {
            account.reviewLinks.values().removeIf(link -> link.maker().equals(user));
            account.members.remove(user);
            removeWithoutAccount(user);
        }
    }

    void join(String secret, String user) {
        Invitation invitation = invitations.get(secret);
        if (invitation == null || accounts.get(invitation.account).members.containsKey(user)) {
            throw new Refused(422);
        }
        accounts.get(invitation.account).members.put(user, invitation.role);
        invitations.remove(secret);
    }

    /** The shared clock, which the web application uses. */
    Instant now() {
        return clock;
    }

    /**
     * Garbage collection removes expired invitations at some point; if the clock is then set back, they may or may not exist.
     */
    void setClock(Instant now) {
        clock = now;
        invitations.values().removeIf(invitation -> !now.isBefore(invitation.expiresAt));
        accounts.values().forEach(account -> account.reviewLinks.values().removeIf(link -> !now.isBefore(link.expiresAt())));
        accounts.values().forEach(account -> account.previews.values().forEach(some -> some.values().removeIf(link -> !now.isBefore(link.expiresAt()))));
    }

    Instant now(ModelAccount account) {
        return account.clock == null ? clock : account.clock;
    }

    ModelAccount ownerOf(String key) {
        return accounts.values().stream().filter(account -> account.keys.stream().anyMatch(each -> each.value().equals(key)))
                .findFirst().orElse(null);
    }

    /** Adds a key named like its value. Expired keys do not count. */
    void addKey(ModelAccount account, String value, Instant now) {
        account.checkKeyRoom();
        checkNew(value, account.keys.stream().filter(key -> key.hasEnded(now)).toList());
        account.keys.removeIf(key -> key.hasEnded(now));
        account.keys.add(new Key(value, value, null));
    }

    /** Replaces a key with a new key of the same name. Removes expired keys, whose values are free again. */
    void rotateKey(ModelAccount account, Key old, String value, Instant now, Instant ends) {
        checkNew(value, account.keys.stream().filter(key -> key.hasEnded(now)).toList());
        account.rotate(old, value, now, ends);
    }

    private void checkNew(String value, List<Key> ended) {
        if (ownerOf(value) != null && ended.stream().noneMatch(key -> key.value().equals(value))) {
            throw new Refused(422);
        }
    }

    /** Counts a request and returns the response. @param key null for no key @param isFormat whether the format is valid */
    Response get(String key, String id, boolean isFormat) {
        ModelAccount account = ownerOf(key);
        if (account != null) {
            journal.merge(account.email, 1, Integer::sum);
        }
        Fault fault = take(account, id);
        if (fault != null && fault.status != null) {
            return Response.of(fault.status);
        }
        Response response = served(account, key, id, isFormat);
        return fault == null ? response : new Response(response.status, response.template, response.period, response.limit, response.left,
                response.secondsLeft, true);
    }

    private Fault take(ModelAccount account, String id) {
        for (int i = 0; i < faults.size(); i++) {
            Fault fault = faults.get(i);
            if ((fault.account == null || account != null && fault.account.equals(account.email))
                    && (fault.template == null || fault.template.equals(id))) {
                if (fault.left == 1) {
                    faults.remove(i);
                } else {
                    faults.set(i, new Fault(fault.account, fault.template, fault.status, fault.left - 1));
                }
                return fault;
            }
        }
        return null;
    }

    private Response served(ModelAccount account, String key, String id, boolean isFormat) {
        if (account == null) {
            return Response.of(401);
        }
        Instant now = now(account);
        if (account.keys.stream().anyMatch(each -> each.value().equals(key) && each.hasEnded(now))) {
            return Response.of(401);
        }
        if (account.plan.equals("none")) {
            return Response.of(403);
        }
        Period period = account.period(now);
        long limit = account.requests();
        long used = account.used(now);
        if (used >= limit) {
            return new Response(429, null, period, limit, 0, period.secondsLeft(now), false);
        }
        Template template = account.templates.get(id);
        int status = template == null || template.live() == 0 ? 404 : isFormat ? 200 : 400;
        if (status == 400) {
            return Response.of(400);
        }
        account.use(now, used + 1);
        return new Response(status, template, period, limit, limit - used - 1, period.secondsLeft(now), false);
    }
}
