package stet.cli;

import java.io.IOException;
import stet.files.AccountFiles;
import stet.files.AccountState;
import stet.files.Changes;
import stet.files.Import;
import stet.files.Source;

/** An account that files are pushed to and pulled from: of a data folder, or of a server by a deploy token. */
interface Target extends AutoCloseable {
    /** Its account and location, for messages. */
    String name();

    /** The account's name. */
    String account();

    /** Null or empty where the account has none. */
    String label();

    AccountState state() throws IOException;

    /** Applies all changes, or none if there is a conflict. */
    Changes push(AccountFiles files, Import.Options options, boolean dryRun) throws IOException;

    /** The drafts, with a note of those that were changed there; or the sources of what is served. */
    Source pull(boolean published) throws IOException;

    /** @param to number of a version, or null for the last one with another text. @return the new number */
    int rollBack(String template, Integer to, String note) throws IOException;

    @Override
    void close() throws IOException;
}
