package stet.core;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import java.util.Locale;

/**
 * A change, a sign-in or a failed one.
 *
 * @param person  or null where it was none
 * @param email   of the person at present, or empty
 * @param actor   name of the author at that time
 * @param address of the author's client, or empty
 * @param subject the id of a template, the name of a block or key, an email address; or empty
 * @param detail  a few words more, or empty
 */
public record Activity(long id, Instant at, Long person, String email, String actor, String address, Kind kind, String subject,
                       String detail) {
    /** Kinds of activity. A word once stored is never changed. */
    public enum Kind {
        // templates and shared blocks
        TEMPLATE_CREATED, DRAFT_SAVED, TEMPLATE_RENAMED, TEMPLATE_PUBLISHED, TEMPLATE_DELETED, PUBLICATION_REQUESTED,
        REQUEST_WITHDRAWN, REVIEW_LINK_MADE, REVIEW_LINK_REVOKED, COMMENTED, COMMENT_DELETED,
        VERSIONS_DELETED, TEMPLATE_RESTORED, TRASH_EMPTIED, TAGS_CHANGED, FEATURES_CHANGED, BLOCK_SAVED,
        BLOCK_DELETED, PUSHED, COPIED, IMPORTED,
        // keys
        KEY_ADDED, KEY_ROTATED, KEY_DELETED, TOKEN_ADDED, TOKEN_ROTATED, TOKEN_DELETED,
        // people
        INVITED, INVITATION_WITHDRAWN, PERSON_ADDED, ROLE_CHANGED, PERSON_REMOVED, RESET_LINK_MADE, PASSWORD_CHANGED, EMAIL_CHANGED,
        NAME_CHANGED, TWO_FACTOR_CHANGED, SIGN_IN, SIGN_IN_FAILED,
        // the account
        ACCOUNT_ADDED, ACCOUNT_RENAMED, ACCOUNT_LABELLED, PLAN_CHANGED, CLIENTS_CHANGED, ACCOUNT_SUSPENDED, ACCOUNT_RESUMED,
        // the installation
        ACCOUNT_DELETED, ADMINISTRATOR_ADDED, ADMINISTRATOR_REMOVED;

        /** As it is stored and shown: {@code template-published}. */
        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** @throws IllegalArgumentException for a word that is none */
        public static Kind of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
        }

        /** A few words on a row. @param number of things in it, or of a version @param detail that is stored */
        public String detail(long number, String detail) {
            return switch (this) {
                case DRAFT_SAVED, BLOCK_SAVED -> Amount.of(number, "save");
                case SIGN_IN -> Amount.of(number, "sign-in");
                case SIGN_IN_FAILED -> Amount.of(number, "time");
                case VERSIONS_DELETED -> Amount.of(number, "version");
                case TRASH_EMPTIED -> Amount.of(number, "template");
                case TEMPLATE_PUBLISHED -> "version " + number + (detail.isEmpty() ? "" : ": " + detail);
                default -> detail;
            };
        }

        /** Whether its rows belong to an account, and not to the whole installation. */
        public boolean isOfAccount() {
            return compareTo(ACCOUNT_DELETED) < 0;
        }

        /** Whether it is about templates and shared blocks, which are every editor's; the others are for owners. */
        public boolean isContent() {
            return compareTo(IMPORTED) <= 0;
        }
    }

    public Activity withoutAddress() {
        return new Activity(id, at, person, email, actor, "", kind, subject, detail);
    }
}
