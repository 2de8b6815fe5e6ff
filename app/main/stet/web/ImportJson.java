package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import stet.files.Changes;
import stet.http.Response;

/**
 * The response to a push, an import or a copy. Null fields are omitted.
 *
 * @param error      names the conflicts if they prevented the import; otherwise null
 * @param account    null for an import or copy
 * @param label      null if the account has no label
 * @param ignored files that cannot be templates or shared blocks; null if a page's import was prevented
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ImportJson(String error, String account, String label, @JsonUnwrapped Changes changes, List<String> ignored) {
    Response response() {
        return Response.json(error == null ? 200 : 409, this);
    }
}
