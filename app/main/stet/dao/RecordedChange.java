package stet.dao;

import stet.base.Log;
import stet.core.Activity.ActivityKind;
import stet.core.Actor;

/**
 * A change recorded in the activity log, as a line of the server's log. The transaction that makes the change collects the line; it is
 * written after the commit.
 *
 * @param account the account's name; null if the change concerns no single account
 * @param subject as in the activity log; may be empty
 * @param detail  as in the activity log; may be empty
 */
public record RecordedChange(ActivityKind kind, String account, String subject, String detail, Actor author) {
    /** Writes the line, such as {@code key-added account=acme subject=web detail=stet_Ab12... actor=Ada address=192.0.2.7}. */
    public void writeTo(Log log) {
        log.info(kind.word(), "account", account, "subject", orNull(subject), "detail", orNull(detail), "actor", author.name(),
                "address", orNull(author.address()));
    }

    private static String orNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
