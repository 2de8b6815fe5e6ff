package stet.upkeep;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import stet.base.Amount;
import stet.base.LocalFiles;
import stet.base.Log;
import stet.base.Reason;

/** Databases kept in a data folder after a restore ({@code replaced-TIME/}) or an upgrade ({@code stet-vN.db}). */
record KeptDatabases(List<Kept> all) {
    private static final String NAMES = "replaced-[0-9T-]+Z(-[0-9]+)?|stet-v[0-9]+(-[0-9]+)?\\.db";
    /** Maximum number of names to list. */
    private static final int MAX_NAMED = 10;

    /** @param since time when the database was replaced or copied */
    private record Kept(Path path, long bytes, Instant since) {
        static Kept of(Path path) {
            try (Stream<Path> files = Files.walk(path)) {
                long bytes = files.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                        .mapToLong(file -> file.toFile().length()).sum();
                return new Kept(path, bytes, Files.getLastModifiedTime(path).toInstant());
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    static KeptDatabases in(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return new KeptDatabases(files.filter(file -> file.getFileName().toString().matches(NAMES)
                    && !Files.isSymbolicLink(file)).sorted().map(Kept::of).toList());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Deletes databases replaced or copied before a time. */
    void deleteBefore(Instant time, Log log) {
        for (Kept kept : all) {
            if (kept.since.isBefore(time)) {
                try {
                    LocalFiles.delete(kept.path);
                    log.info("kept-database-deleted", "file", kept.path, "bytes", kept.bytes);
                } catch (IOException failure) {
                    log.warn("kept-database-not-deleted", "file", kept.path, "reason", Reason.of(failure));
                }
            }
        }
    }

    /** Lists names and sizes. */
    @Override
    public String toString() {
        if (all.isEmpty()) {
            return "no databases kept after restores or upgrades";
        }
        long bytes = all.stream().mapToLong(Kept::bytes).sum();
        return "databases kept after restores or upgrades, " + Amount.megabytes(bytes) + ": " + all.stream().limit(MAX_NAMED)
                .map(kept -> kept.path.getFileName() + " (" + Amount.megabytes(kept.bytes) + ")").collect(Collectors.joining(", "))
                + (all.size() > MAX_NAMED ? " and " + (all.size() - MAX_NAMED) + " more" : "");
    }
}
