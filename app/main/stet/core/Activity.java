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

    /** Kinds of activity. The names are stored, logged and printed by {@code activity --json}, and must never change. */
    public enum ActivityKind {
        TEMPLATE_CREATED("Template created", ActivityGroup.CONTENT),
        DRAFT_SAVED("Draft saved", ActivityGroup.CONTENT),
        TEMPLATE_RENAMED("Template renamed", ActivityGroup.CONTENT),
        TEMPLATE_PUBLISHED("Template published", ActivityGroup.CONTENT),
        TEMPLATE_DELETED("Template moved to the trash", ActivityGroup.CONTENT),
        TEMPLATE_DELETED_PERMANENTLY("Template deleted permanently", ActivityGroup.CONTENT),
        TEMPLATE_RESTORED("Template restored from the trash", ActivityGroup.CONTENT),
        TRASH_EMPTIED("Trash emptied", ActivityGroup.CONTENT),
        VERSIONS_PRUNED("Versions pruned", ActivityGroup.CONTENT),
        REVIEW_REQUESTED("Review requested", ActivityGroup.CONTENT),
        REVIEW_REQUEST_WITHDRAWN("Review request withdrawn", ActivityGroup.CONTENT),
        REVIEW_LINK_CREATED("Review link created", ActivityGroup.CONTENT),
        REVIEW_LINK_REVOKED("Review link revoked", ActivityGroup.CONTENT),
        COMMENT_ADDED("Comment added", ActivityGroup.CONTENT),
        COMMENT_DELETED("Comment deleted", ActivityGroup.CONTENT),
        TEST_SENT("Test email sent", ActivityGroup.CONTENT),
        TAGS_CHANGED("Tags changed", ActivityGroup.CONTENT),
        FEATURES_CHANGED("Accepted features changed", ActivityGroup.CONTENT),
        BLOCK_SAVED("Shared block saved", ActivityGroup.CONTENT),
        BLOCK_DELETED("Shared block deleted", ActivityGroup.CONTENT),
        IMAGE_FILE_DELETED("Image file deleted permanently", ActivityGroup.CONTENT),
        PUSHED("Pushed from files", ActivityGroup.CONTENT),
        PUSH_REJECTED("Push rejected", ActivityGroup.CONTENT),
        PREVIEW_PUSHED("Preview pushed", ActivityGroup.CONTENT),
        PREVIEW_ENDED("Preview ended", ActivityGroup.CONTENT),
        COPIED("Copied from another account", ActivityGroup.CONTENT),
        IMPORTED("Files imported", ActivityGroup.CONTENT),
        MAIL_CLIENTS_CHANGED("Mail clients changed", ActivityGroup.CONTENT),
        BRAND_CHANGED("Look of new emails changed", ActivityGroup.CONTENT),
        KEY_ADDED("API key created", ActivityGroup.RIGHTS),
        KEY_ROTATED("API key rotated", ActivityGroup.RIGHTS),
        KEY_DELETED("API key deleted", ActivityGroup.RIGHTS),
        TOKEN_ADDED("Deploy token created", ActivityGroup.RIGHTS),
        TOKEN_ROTATED("Deploy token rotated", ActivityGroup.RIGHTS),
        TOKEN_DELETED("Deploy token deleted", ActivityGroup.RIGHTS),
        USER_INVITED("User invited", ActivityGroup.RIGHTS),
        INVITATION_REVOKED("Invitation revoked", ActivityGroup.RIGHTS),
        USER_ADDED("User added", ActivityGroup.RIGHTS),
        ROLE_CHANGED("Role changed", ActivityGroup.RIGHTS),
        USER_REMOVED("User removed", ActivityGroup.RIGHTS),
        RESET_LINK_CREATED("Password-reset link created", ActivityGroup.RIGHTS),
        PASSWORD_CHANGED("Password changed", ActivityGroup.USERS),
        EMAIL_CHANGED("Email address changed", ActivityGroup.USERS),
        NAME_CHANGED("Name changed", ActivityGroup.USERS),
        TWO_FACTOR_CHANGED("Two-factor authentication changed", ActivityGroup.USERS),
        SIGN_IN("Signed in", ActivityGroup.SIGN_INS),
        SIGN_IN_FAILED("Sign-in failed", ActivityGroup.FAILED_SIGN_INS),
        RESET_REQUESTED("Password reset requested by email", ActivityGroup.FAILED_SIGN_INS),
        ACCOUNT_ADDED("Account created", ActivityGroup.RIGHTS),
        ACCOUNT_RENAMED("Account renamed", ActivityGroup.RIGHTS),
        ACCOUNT_LABELLED("Account label changed", ActivityGroup.RIGHTS),
        PLAN_CHANGED("Plan or limits changed", ActivityGroup.RIGHTS),
        WEBHOOK_CHANGED("Webhook changed", ActivityGroup.RIGHTS),
        ACCOUNT_SUSPENDED("Account suspended", ActivityGroup.RIGHTS),
        ACCOUNT_RESUMED("Account resumed", ActivityGroup.RIGHTS),
        ACCOUNT_DELETED("Account deleted", ActivityGroup.RIGHTS),
        ADMINISTRATOR_ADDED("Administrator added", ActivityGroup.RIGHTS),
        ADMINISTRATOR_REMOVED("Administrator removed", ActivityGroup.RIGHTS);

        /** The change, as the page shows it. */
        public final String sentence;
        public final ActivityGroup group;

        ActivityKind(String sentence, ActivityGroup group) {
            this.sentence = sentence;
            this.group = group;
        }

        /** The stored and displayed form, such as {@code template-published}. */
        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /**
         * The detail of an entry as the page shows it.
         *
         * @param number a count, such as the number of merged entries, or a version number
         * @param detail as stored
         */
        public String detail(long number, String detail) {
            return switch (this) {
                case DRAFT_SAVED, BLOCK_SAVED -> Amount.of(number, "save");
                case SIGN_IN -> Amount.of(number, "sign-in");
                case SIGN_IN_FAILED, RESET_REQUESTED, PUSH_REJECTED -> Amount.of(number, "time");
                case VERSIONS_PRUNED -> Amount.of(number, "version");
                case TRASH_EMPTIED -> Amount.of(number, "template");
                case TEMPLATE_PUBLISHED -> "version " + number + (detail.isEmpty() ? "" : ": " + detail);
                default -> detail;
            };
        }

        /** True if the number counts merged entries, so that 1 tells nothing. */
        public boolean isMerged() {
            return switch (this) {
                case DRAFT_SAVED, BLOCK_SAVED, PUSH_REJECTED, SIGN_IN, SIGN_IN_FAILED, RESET_REQUESTED -> true;
                default -> false;
            };
        }

        /** True if the entry concerns an account, false if it concerns the whole installation. */
        public boolean isOfAccount() {
            return this != ACCOUNT_DELETED && this != ADMINISTRATOR_ADDED && this != ADMINISTRATOR_REMOVED;
        }

        /** True for activity on templates and shared blocks, which editors may see; only owners see the rest. */
        public boolean isContent() {
            return group == ActivityGroup.CONTENT && this != MAIL_CLIENTS_CHANGED && this != BRAND_CHANGED;
        }
    }

    /** The entry for readers who may not see the client's address. */
    public Activity withoutAddress() {
        return new Activity(id, at, user, email, actor, "", kind, subject, detail);
    }
}
