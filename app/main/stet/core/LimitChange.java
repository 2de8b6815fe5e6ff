package stet.core;

import stet.base.Amount;

/** A change of an account's limits. A null limit means the plan's limit or the server's default. */
public sealed interface LimitChange {
    /** The detail of the change's row in the activity. */
    String detail();

    /** Limits that the plan sets otherwise. */
    record OfPlan(Long requests, Long keys) implements LimitChange {
        @Override
        public String detail() {
            return "limits: " + shown(requests) + " requests, " + shown(keys) + " keys";
        }

        private static String shown(Long limit) {
            return limit == null ? "the plan's" : limit.toString();
        }
    }

    /** A limit of bytes that the server sets otherwise. */
    record OfBytes(ByteLimit limit, Long bytes) implements LimitChange {
        @Override
        public String detail() {
            return "limit of " + limit.noun + ": " + (bytes == null ? "the default" : Amount.bytes(bytes));
        }
    }

    /** Limits of bytes. */
    enum ByteLimit {
        STORAGE("storage"),
        IMAGES("images");

        private final String noun;

        ByteLimit(String noun) {
            this.noun = noun;
        }
    }
}
