package stet.upkeep;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import stet.base.LocalFiles;
import stet.base.Reason;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.base.Timestamp;
import stet.dao.StoreException;
import stet.sqlite.Db;

/**
 * Serve's automatic backups. Each backup is a file such as {@code stet-2026-01-31T090000Z.db}, with a checksum. The schedule
 * is derived from file names, so it survives a restart and works with an existing folder.
 */
public final class Backups implements AutoCloseable {
    /** Delay before retrying after a failure, unless the interval is shorter. */
    private static final Duration RETRY = Duration.ofMinutes(10);
    /** A larger backward step means that the clock was set back. */
    private static final Duration MAX_CLOCK_STEP = Duration.ofMinutes(1);
    /** File that stores the name of the last backup that the program processed. */
    private static final String HANDLED = "after-backup.done";
    /** Name of a finished or unfinished backup or checksum. */
    private static final Pattern NAME = Pattern.compile("stet-([0-9T:-]+Z)\\.db(\\.sha256)?((\\.[0-9]+)?\\.part)?");

    private final Db db;
    private final Backup backup;
    private final Path folder;
    private final Duration every;
    private final int keep;
    private final Clock clock;
    /** Program to run after each backup, or null. */
    private final Program program;
    private final Instant started;
    /** Time of the newest backup, or null. */
    private volatile Instant last;
    /** Time of the last attempt at a backup if it failed, or null. */
    private Instant failed;
    /** Null if nothing has failed since the last success of a backup or of the program. */
    private volatile BackupProblem problem;
    /** Newest backup that the program has not yet processed, or null. */
    private Path pending;
    /** Time of the program's last run for the pending backup, or null. */
    private Instant tried;
    /** Time at which the program last succeeded, or null. */
    private volatile Instant handled;
    private volatile boolean hasProgramFailed;

    /** The program that {@code --after-backup} runs for each new backup, for example an upload. */
    public interface Program {
        /** Runs the program; terminates it when it times out or {@code isStopped} returns true. Called by one thread at a time. */
        ProgramOutcome run(Path backup, BooleanSupplier isStopped);
    }

    /** @param failure why the program failed, or null @param output the last part of the program's output, or null */
    public record ProgramOutcome(String failure, String output) {
    }

    /** A backup or checksum file. @param at time in the file's name @param isPart whether it is unfinished */
    private record BackupFile(Path file, Instant at, boolean isPart) {
    }

    /**
     * @param folder created if it does not exist
     * @param every  interval between backups
     * @param keep   number of backups to keep, at least 1
     * @param program or null
     * @throws Refusal       if the path is not a folder, or the folder is not writable
     * @throws SystemFailure if the folder cannot be created or read
     */
    public Backups(Db db, Path folder, Duration every, int keep, Clock clock, Program program) {
        this.db = db;
        this.backup = new Backup(db);
        this.folder = folder;
        this.every = every;
        this.keep = keep;
        this.clock = clock;
        this.program = program;
        this.started = clock.instant();
        try {
            if (Files.notExists(folder)) {
                LocalFiles.giveToOwnerOfFolder(Files.createDirectories(folder, LocalFiles.folderMode()));
            }
            if (!Files.isWritable(folder)) {
                throw new Refusal("Cannot write to the folder " + folder + "; check its permissions");
            }
            deleteParts();
            Optional<BackupFile> newest = backups(clock.instant()).stream().findFirst();
            last = newest.map(BackupFile::at).orElse(null);
            pending = newest.map(BackupFile::file).filter(file -> !isHandled(file)).orElse(null);
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot use the folder " + folder + " for backups", failure);
        }
        db.health().report(this::healthProblem);
    }

    /** Time of the newest backup found at startup or made since; empty if there is none. */
    public Optional<Instant> last() {
        return Optional.ofNullable(last);
    }

    /** Interval between backups. */
    public Duration every() {
        return every;
    }

    /**
     * Whether two intervals have passed without a backup. False during the first ten minutes after startup, when an overdue
     * backup is made.
     */
    public boolean isLate() {
        Instant now = clock.instant();
        Instant since = last == null ? started : last;
        return now.isAfter(since.plus(every.multipliedBy(2))) && now.isAfter(started.plus(RETRY));
    }

    public boolean hasProgram() {
        return program != null;
    }

    /** Time at which the program last succeeded; empty if it has not succeeded since startup. */
    public Optional<Instant> programSucceededAt() {
        return Optional.ofNullable(handled);
    }

    /** Whether the program's last run failed. */
    public boolean hasProgramFailed() {
        return hasProgramFailed;
    }

    /**
     * Failures without a success of a backup or of the program between them.
     *
     * @param since  time of the first failure
     * @param reason why the last backup or run of the program failed
     */
    public record BackupProblem(Instant since, String reason) {
    }

    /** The failures since the last success; empty if there are none. */
    public Optional<BackupProblem> problem() {
        return Optional.ofNullable(problem);
    }

    private void addFailure(Instant now, String reason) {
        BackupProblem before = problem;
        problem = new BackupProblem(before == null ? now.truncatedTo(ChronoUnit.MILLIS) : before.since, reason); // the database stores milliseconds
    }

    /** Short description of a problem with the backups. */
    private Optional<String> healthProblem() {
        if (isLate()) {
            return Optional.of("a backup is overdue");
        }
        return hasProgramFailed ? Optional.of("the --after-backup program failed") : Optional.empty();
    }

    /**
     * Makes a backup if one is due and then deletes old ones; runs the program if a backup is waiting for it. Called every second on the
     * backup thread.
     */
    public void makeIfDue() {
        Instant now = clock.instant();
        Duration retry = every.compareTo(RETRY) < 0 ? every : RETRY;
        if (!backup.isStopped() && isDue(last, every, now) && isDue(failed, retry, now)) {
            make(now);
        }
        if (!backup.isStopped() && program != null && pending != null && isDue(tried, retry, now)) {
            tried = now;
            runProgram();
        }
    }

    /** Makes a backup and deletes old ones. A failure is recorded and logged. */
    private void make(Instant now) {
        Path file = folder.resolve("stet-" + Timestamp.forFile(now) + ".db");
        try {
            Backup.Made made = backup.to(file);
            last = now;
            failed = null;
            problem = null;
            pending = file;
            tried = null;
            db.log().info("backup-made", "file", file, "bytes", made.bytes(), "versions", made.versions(), "millis", made.millis(),
                    "sha256", made.sha256());
            deleteOld(now);
        } catch (Refusal | SystemFailure | StoreException failure) {
            failed = now;
            if (backup.isStopped()) {
                return;
            }
            addFailure(now, failure.getMessage());
            db.log().warn("backup-failed", "file", file, "reason", failure.getMessage());
            if (failure instanceof StoreException store && store.isCorruption()) { // other failures may concern the disk that holds the backups
                db.health().failed(store);
            }
        }
    }

    /** Runs the program for the pending backup, if that still exists. A failure is recorded and logged. */
    private void runProgram() {
        Path file = pending;
        if (Files.notExists(file)) { // deleted, for example by a user or by the program before it failed
            pending = null;
            return;
        }
        long begin = System.nanoTime();
        ProgramOutcome outcome = program.run(file, backup::isStopped);
        if (outcome.failure != null) {
            if (!backup.isStopped()) { // a stop ends the program
                hasProgramFailed = true;
                addFailure(clock.instant(), "the --after-backup program: " + outcome.failure);
            }
            db.log().warn("after-backup-failed", "file", file, "reason", outcome.failure, "output", outcome.output);
            return;
        }
        db.log().info("after-backup-done", "file", file, "millis", (System.nanoTime() - begin) / 1_000_000, "output", outcome.output);
        pending = null;
        hasProgramFailed = false;
        problem = null;
        handled = clock.instant();
        markHandled(file);
    }

    /** Stores the name of a backup that the program has processed and, if the program has removed the backup, deletes its checksum. */
    private void markHandled(Path file) {
        try {
            Files.writeString(folder.resolve(HANDLED), file.getFileName().toString());
            if (Files.notExists(file)) {
                Files.deleteIfExists(Checksum.beside(file));
            }
        } catch (IOException failure) { // if the name was not stored, the program runs again after a restart
            db.log().warn("after-backup-failed", "file", file, "reason", Reason.of(failure));
        }
    }

    private boolean isHandled(Path file) {
        try {
            return Files.readString(folder.resolve(HANDLED)).equals(file.getFileName().toString());
        } catch (IOException none) {
            return false;
        }
    }

    /** Whether {@code since} is null, the interval has passed or the clock was set back. */
    private static boolean isDue(Instant since, Duration interval, Instant now) {
        return since == null || now.isBefore(since.minus(MAX_CLOCK_STEP)) || !now.isBefore(since.plus(interval));
    }

    /** Deletes unfinished backups and those beyond the number to keep. A failure is logged. */
    private void deleteOld(Instant now) {
        try {
            deleteParts();
            for (BackupFile old : backups(now).stream().skip(keep).toList()) {
                Files.deleteIfExists(Checksum.beside(old.file)); // deleted first, so that no checksum is left without its backup
                delete(old);
            }
        } catch (IOException failure) {
            db.log().warn("backup-not-deleted", "folder", folder, "reason", Reason.of(failure));
        }
    }

    /** Deletes unfinished backups left by killed processes. */
    private void deleteParts() throws IOException {
        for (BackupFile part : files().stream().filter(BackupFile::isPart).toList()) {
            delete(part);
        }
    }

    private void delete(BackupFile old) throws IOException {
        Files.deleteIfExists(old.file);
        db.log().info("backup-deleted", "file", old.file);
    }

    /** Finished backups, newest first, except that backups dated in the future (wrong clock) come last. */
    private List<BackupFile> backups(Instant now) throws IOException {
        return files().stream().filter(each -> each.file.toString().endsWith(".db"))
                .sorted(Comparator.comparing((BackupFile each) -> each.at.isAfter(now))
                        .thenComparing(BackupFile::at, Comparator.reverseOrder())).toList();
    }

    private List<BackupFile> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)).flatMap(file -> ofName(file).stream()).toList();
        } catch (UncheckedIOException failure) {
            throw failure.getCause();
        }
    }

    /** Reads the time in a file's name; empty if serve gives no file this name. */
    private static Optional<BackupFile> ofName(Path file) {
        Matcher name = NAME.matcher(file.getFileName().toString());
        if (!name.matches()) {
            return Optional.empty();
        }
        try {
            Instant at = Timestamp.ofFile(name.group(1));
            boolean isWrittenLikeThis = Timestamp.forFile(at).equals(name.group(1));
            return isWrittenLikeThis ? Optional.of(new BackupFile(file, at, name.group(3) != null)) : Optional.empty();
        } catch (DateTimeException another) {
            return Optional.empty();
        }
    }

    /** Stops a running backup or --after-backup program and prevents further runs. */
    @Override
    public void close() {
        backup.stop();
    }
}
