package stet.store;

/**
 * Size of the database file before and after {@link Db#compact}, in bytes.
 *
 * @param waiting bytes of the file's end that are free, but are cut off only when others have read to their end
 */
public record FileSize(long before, long after, long waiting) {
}
