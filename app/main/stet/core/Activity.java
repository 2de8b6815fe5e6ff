package stet.core;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import java.util.Locale;
import stet.base.Amount;

/**
 * One entry of the activity log: a change, a refused push, a sign-in or a failed sign-in.
 *
 * @param user  the user's ID, or null if the author is not a user
 * @param email   the user's current email address, or empty
 * @param actor   the author's name at the time
 * @param address the client's IP address, or empty
 * @param subject what the entry concerns, such as a template ID, the name of a block or key, or an email address; may be empty
 * @param detail  additional text, or empty
 */
public record Activity(long id, Instant at, Long user, String email, String actor, String address, ActivityKind kind, String subject,
                       String detail) {
    /**
     * Kinds of activity with a common maximum number of rows per account. Users of a lower role, and strangers, can repeat some kinds at will,
     * which must not remove the rows of others.
     */
    public enum ActivityGroup {
        /** Changes to templates and shared blocks. */
        CONTENT(200_000),
        SIGN_INS(50_000),
        /** Anyone who knows a user's address can add these. */
        FAILED_SIGN_INS(50_000),
        /** Users' changes to their own names, addresses and sign-in. */
        USERS(200_000),
        /** Changes by owners, administrators and commands: rights, keys, tokens, users and the account itself. */
        RIGHTS(200_000);

        /** Maximum number of rows per account; each takes about 200 bytes. */
        public final int maxRows;

        ActivityGroup(int maxRows) {
            this.maxRows = maxRows;
        }
    }

    /** Kinds of activity. The names are stored and must never change. */
    public enum ActivityKind {
        TEMPLATE_CREATED, DRAFT_SAVED, TEMPLATE_RENAMED, TEMPLATE_PUBLISHED, TEMPLATE_DELETED, PUBLICATION_REQUESTED,
        REQUEST_WITHDRAWN, REVIEW_LINK_MADE, REVIEW_LINK_REVOKED, COMMENTED, COMMENT_DELETED,
        VERSIONS_DELETED, TEMPLATE_RESTORED, TRASH_EMPTIED, TAGS_CHANGED, FEATURES_CHANGED, BLOCK_SAVED,
        BLOCK_DELETED, PUSHED, PUSH_REFUSED, COPIED, IMPORTED,
        KEY_ADDED, KEY_ROTATED, KEY_DELETED, TOKEN_ADDED, TOKEN_ROTATED, TOKEN_DELETED,
        INVITED, INVITATION_WITHDRAWN, USER_ADDED, ROLE_CHANGED, USER_REMOVED, RESET_LINK_MADE, PASSWORD_CHANGED, EMAIL_CHANGED,
        NAME_CHANGED, TWO_FACTOR_CHANGED, SIGN_IN, SIGN_IN_FAILED,
        ACCOUNT_ADDED, ACCOUNT_RENAMED, ACCOUNT_LABELLED, PLAN_CHANGED, CLIENTS_CHANGED, WEBHOOK_CHANGED, ACCOUNT_SUSPENDED, ACCOUNT_RESUMED,
        ACCOUNT_DELETED, ADMINISTRATOR_ADDED, ADMINISTRATOR_REMOVED;

        /** The stored and displayed form, such as {@code template-published}. */
        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** @throws IllegalArgumentException if the word is unknown */
        public static ActivityKind of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
        }

        /**
         * @param number a count, such as the number of merged entries, or a version number
         * @param detail as stored
         */
        public String detail(long number, String detail) {
            return switch (this) {
                case DRAFT_SAVED, BLOCK_SAVED -> Amount.of(number, "save");
                case SIGN_IN -> Amount.of(number, "sign-in");
                case SIGN_IN_FAILED, PUSH_REFUSED -> Amount.of(number, "time");
                case VERSIONS_DELETED -> Amount.of(number, "version");
                case TRASH_EMPTIED -> Amount.of(number, "template");
                case TEMPLATE_PUBLISHED -> "version " + number + (detail.isEmpty() ? "" : ": " + detail);
                default -> detail;
            };
        }

        /** True if the entry concerns an account, false if it concerns the whole installation. */
        public boolean isOfAccount() {
            return compareTo(ACCOUNT_DELETED) < 0;
        }

        public ActivityGroup group() {
            return switch (this) {
                case SIGN_IN -> ActivityGroup.SIGN_INS;
                case SIGN_IN_FAILED -> ActivityGroup.FAILED_SIGN_INS;
                case NAME_CHANGED, EMAIL_CHANGED, PASSWORD_CHANGED, TWO_FACTOR_CHANGED -> ActivityGroup.USERS;
                case CLIENTS_CHANGED -> ActivityGroup.CONTENT;
                default -> isContent() ? ActivityGroup.CONTENT : ActivityGroup.RIGHTS;
            };
        }

        /** True for activity on templates and shared blocks, which editors may see; only owners see the rest. */
        public boolean isContent() {
            return compareTo(IMPORTED) <= 0;
        }
    }

    public Activity withoutAddress() {
        return new Activity(id, at, user, email, actor, "", kind, subject, detail);
    }
}
