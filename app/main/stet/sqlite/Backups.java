package stet.sqlite;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import stet.core.LocalFiles;
import stet.core.Reason;
import stet.core.Refusal;
import stet.core.Timestamp;
import stet.dao.StoreException;

/**
 * The backups that serve makes by itself: one file each, {@code stet-2026-01-31T090000Z.db}. The names are all that is remembered,
 * so that a restart goes on with the schedule, and a folder from before is taken over.
 */
public final class Backups implements AutoCloseable {
    /** Time from a failure to the next try; the interval, where that is shorter. */
    private static final Duration RETRY = Duration.ofMinutes(10);
    /** Smallest step back of the clock that is taken for one. */
    private static final Duration MAX_CLOCK_STEP = Duration.ofMinutes(1);
    private static final String PREFIX = "stet-";
    private static final String SUFFIX = ".db";
    /** Ending of an unfinished one. */
    private static final String PART = "(\\.[0-9]+)?\\.part";

    private final Db db;
    private final Backup backup;
    private final Path folder;
    private final Duration every;
    private final int keep;
    private final Clock clock;
    private final Instant started;
    private volatile Instant last;
    private Instant failed;

    private record Kept(Path file, Instant at) {
    }

    /**
     * @param folder is made where there is none
     * @param every  interval between two backups
     * @param keep   files to keep, at least 1
     * @throws Refusal when the folder cannot be made or written to
     */
    public Backups(Db db, Path folder, Duration every, int keep, Clock clock) {
        this.db = db;
        this.backup = db.backup();
        this.folder = folder;
        this.every = every;
        this.keep = keep;
        this.clock = clock;
        this.started = clock.instant();
        try {
            Files.createDirectories(folder, LocalFiles.folderMode());
            if (!Files.isWritable(folder)) {
                throw new Refusal("The folder " + folder + " cannot be written to");
            }
            deleteParts();
            last = files(clock.instant()).stream().findFirst().map(Kept::at).orElse(null);
        } catch (IOException failure) {
            throw new Refusal("The folder " + folder + " for backups cannot be used: " + Reason.of(failure));
        }
    }

    /** Time of the newest backup in the folder, verified when it was made. */
    public Optional<Instant> last() {
        return Optional.ofNullable(last);
    }

    public Duration every() {
        return every;
    }

    /** Whether two intervals have passed without a backup; not in the first minutes after a start, which makes one. */
    public boolean isLate() {
        Instant now = clock.instant();
        Instant since = last == null ? started : last;
        return now.isAfter(since.plus(every.multipliedBy(2))) && now.isAfter(started.plus(RETRY));
    }

    /** Makes a backup when it is time for one, and deletes the oldest. A timer calls it, from one thread; it throws nothing. */
    public void look() {
        Instant now = clock.instant();
        if (backup.isStopped() || !isDue(last, every, now) || !isDue(failed, every.compareTo(RETRY) < 0 ? every : RETRY, now)) {
            return;
        }
        Path file = folder.resolve(PREFIX + Timestamp.forFile(now) + SUFFIX);
        try {
            Backup.Made made = backup.to(file);
            last = now;
            failed = null;
            db.log().info("backup-made", "file", file, "bytes", made.bytes(), "versions", made.versions(), "millis", made.millis());
            deleteOld(now);
        } catch (Refusal | StoreException failure) {
            failed = now;
            if (backup.isStopped()) {
                return;
            }
            db.log().warn("backup-failed", "file", file, "reason", failure.getMessage());
            if (failure instanceof StoreException store && store.isDamage()) { // else it may be the backups' own disk
                db.health().failed(store);
            }
        }
    }

    /** Whether so much time has passed; also when the clock was set back. */
    private static boolean isDue(Instant since, Duration interval, Instant now) {
        return since == null || now.isBefore(since.minus(MAX_CLOCK_STEP)) || !now.isBefore(since.plus(interval));
    }

    private void deleteOld(Instant now) {
        try {
            deleteParts();
            List<Kept> files = files(now);
            for (Kept old : files.subList(Math.min(keep, files.size()), files.size())) {
                Files.delete(old.file);
                db.log().info("backup-deleted", "file", old.file);
            }
        } catch (IOException failure) {
            db.log().warn("backup-not-deleted", "folder", folder, "reason", Reason.of(failure));
        }
    }

    /** Deletes unfinished backups, which a kill leaves. */
    private void deleteParts() throws IOException {
        for (Path file : list(PREFIX + "*.part")) {
            String name = file.getFileName().toString().replaceFirst(PART + "$", "");
            if (name.endsWith(SUFFIX) && time(name).isPresent()) {
                Files.deleteIfExists(file);
                db.log().info("backup-deleted", "file", file);
            }
        }
    }

    private List<Path> list(String names) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> matching = Files.newDirectoryStream(folder, names)) {
            matching.forEach(files::add);
        } catch (DirectoryIteratorException failure) {
            throw failure.getCause();
        }
        files.removeIf(file -> !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS));
        return files;
    }

    /** Time in the name of a backup; empty for any other name. */
    private static Optional<Instant> time(String name) {
        String time = name.substring(PREFIX.length(), name.length() - SUFFIX.length());
        try {
            return Optional.of(Timestamp.ofFile(time)).filter(at -> Timestamp.forFile(at).equals(time));
        } catch (DateTimeException another) {
            return Optional.empty();
        }
    }

    /** Lists the backups, newest first. A name from the future, of a clock that was wrong, counts as the oldest. */
    private List<Kept> files(Instant now) throws IOException {
        List<Kept> files = new ArrayList<>();
        for (Path file : list(PREFIX + "*" + SUFFIX)) {
            time(file.getFileName().toString()).ifPresent(at -> files.add(new Kept(file, at)));
        }
        files.sort(Comparator.comparing((Kept each) -> each.at.isAfter(now)).thenComparing(Kept::at, Comparator.reverseOrder()));
        return files;
    }

    /** Ends a backup under way; makes no other. */
    @Override
    public void close() {
        backup.stop();
    }
}
