package stet.core;

import stet.base.Amount;
import stet.base.Refusal;

/** An account's stored bytes and storage limit. */
public record Storage(long bytes, long limit) {
    /** The error of a change after which the account would have this storage. @param room the limit, or the part of it that the author may use */
    public Refusal refusal(long room) {
        String limited = room < limit ? "the limit for writers" : "its limit";
        return new Refusal("The account would store " + Amount.bytes(bytes, room) + "; " + limited + " is " + Amount.bytes(room, bytes)
                + ". Delete templates and empty the trash, or ask an administrator for more storage");
    }
}
