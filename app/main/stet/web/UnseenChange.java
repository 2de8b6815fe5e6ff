package stet.web;

import java.util.Optional;
import java.util.function.Supplier;
import stet.http.Response;
import stet.http.Failure;

/** Aborts the transaction that would overwrite a change of a draft or shared block that the user has not seen. */
final class UnseenChange extends RuntimeException {
    private static final long serialVersionUID = 1;

    private UnseenChange() {
        super(null, null, false, false);
    }

    /** @param theirs the newest text, which the page compares with the user's */
    private record UnseenJson(String error, Object theirs) {
    }

    /**
     * @param newest the newest revision; empty if the template or block does not exist
     * @param seen   the revision that the user edited
     * @throws UnseenChange   if there is a newer revision
     * @throws Failure.Thrown if the template or block does not exist
     */
    static void check(Optional<Long> newest, long seen) {
        throwIf(newest.orElseThrow(Failure.NOT_FOUND::thrown) != seen);
    }

    static void throwIf(boolean isUnseen) {
        if (isUnseen) {
            throw new UnseenChange();
        }
    }

    /** Returns the changed text, or 409 with the newest text if the change was aborted. */
    static Response response(String error, Supplier<?> change, Supplier<?> theirs) {
        try {
            return Response.json(change.get());
        } catch (UnseenChange unseen) {
            return Response.json(409, new UnseenJson(error, theirs.get()));
        }
    }
}
