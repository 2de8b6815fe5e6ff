package stet.cli;

import java.io.IOException;
import stet.base.Refusal;
import stet.files.AccountFiles;
import stet.files.AccountState;
import stet.files.Changes;
import stet.files.ImportOptions;
import stet.files.LiveTypes;
import stet.files.Source;
import stet.types.Language;

/** An account to push files to and pull files from, in the data folder or on a server. */
interface Target extends AutoCloseable {
    /** Names the account and, if it is remote, its server, for use in messages. */
    String name();

    /** The account's name. */
    String account();

    /** The account's label; null or empty for no label. */
    String label();

    AccountState state() throws IOException;

    /** @throws Refusal if the account would have too many templates or shared blocks. Reads no files */
    void checkRoom(Source files) throws IOException;

    /** Applies all changes, or none in a dry run or if there are conflicts that may not be overwritten. */
    Changes push(AccountFiles files, ImportOptions options, boolean dryRun) throws IOException;

    /** Reads the drafts or the sources of the live versions. */
    Source pull(boolean published) throws IOException;

    /** @param version the new version number @param of number of the older version with the same content */
    record RolledBack(int version, int of) {
        public RolledBack {
            if (version < 1 || of < 1) {
                throw new IllegalArgumentException("version " + version + " of " + of);
            }
        }
    }

    /** @param to a version number, or null for the newest version from before the live content was first published */
    RolledBack rollBack(String template, Integer to, String note) throws IOException;

    /** The types of the live versions' data. @param name the package in Java and Go, or empty */
    LiveTypes types(Language language, String name) throws IOException;

    @Override
    void close() throws IOException;
}
