package stet.core;

import java.util.List;
import stet.base.Shares.Limit;

/**
 * The client for whom memory, temporary files and places in a queue are held. API clients, members and guests of an account have
 * separate shares, so that none of them can use up what the others need.
 *
 * @param account   the account's ID, or 0 for administrators
 * @param principal the user, deploy token or review link; null for API clients, whose shares belong to the account
 */
public record Owner(long account, OwnerGroup group, String principal) {
    /** The clients of an account that share its limits. */
    public enum OwnerGroup {
        API, MEMBERS, GUESTS,
        /** Recipients' mail clients, which load images of all accounts. */
        RECIPIENTS
    }

    public static final Owner RECIPIENTS = new Owner(0, OwnerGroup.RECIPIENTS, null);

    public static Owner api(long account) {
        return new Owner(account, OwnerGroup.API, null);
    }

    /** A user of an account. @param account 0 for an administrator */
    public static Owner user(long account, long user) {
        return new Owner(account, OwnerGroup.MEMBERS, "user " + user);
    }

    public static Owner token(long account, long token) {
        return new Owner(account, OwnerGroup.MEMBERS, "token " + token);
    }

    /** @param link identifies the review link; null for all guests of the account */
    public static Owner guest(long account, String link) {
        return new Owner(account, OwnerGroup.GUESTS, link);
    }

    public boolean isGuest() {
        return group == OwnerGroup.GUESTS;
    }

    /** All clients in the owner's group. */
    public Owner everyone() {
        return new Owner(account, group, null);
    }

    /** The owner's limits, if it is a user, token or link, and those of its group. */
    public List<Limit> limits(long number, long bytes, long numberOfGroup, long bytesOfGroup) {
        Limit all = new Limit(everyone(), numberOfGroup, bytesOfGroup);
        return principal == null ? List.of(all) : List.of(new Limit(this, number, bytes), all);
    }
}
