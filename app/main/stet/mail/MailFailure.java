package stet.mail;

import java.io.IOException;

/**
 * The reason why an email was not sent, or may not have been. The message is one sentence without a full stop, with the mail server's own line
 * if it sent one.
 */
public final class MailFailure extends IOException {
    private static final long serialVersionUID = 1;

    /** Consequences of a failure for the next attempt. */
    public enum FailureKind {
        /** Another attempt may succeed. */
        TEMPORARY,
        /** The mail server rejected this email (a 5xx reply). */
        REJECTED,
        /** The connection was lost after the whole email had been sent, so the mail server may have accepted it. */
        UNKNOWN
    }

    private final FailureKind kind;

    MailFailure(FailureKind kind, String sentence, Throwable cause) {
        super(sentence, cause);
        this.kind = kind;
    }

    public FailureKind kind() {
        return kind;
    }
}
