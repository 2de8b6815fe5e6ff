package stet.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A disk that has no room for what is to be written. */
public final class FullDisk extends RuntimeException {
    /** Free space from which on a disk is not full, in bytes. */
    public static final long MIN_FREE_BYTES = 1 << 20;
    private static final long serialVersionUID = 1;

    /**
     * @param folder on the disk
     * @param needed bytes that the whole of it takes
     */
    public FullDisk(Path folder, long needed) {
        super("The disk of " + folder + " is full: " + Amount.megabytes(needed) + " are needed, and "
                + Amount.megabytes(free(folder)) + " are free", null, false, false);
    }

    /** Whether the disk of a folder has no room for anything. */
    public static boolean isFull(Path folder) {
        return free(folder) < MIN_FREE_BYTES;
    }

    /** @throws FullDisk when the disk has no room for so many bytes beside what keeps it from being full */
    public static void check(Path folder, long needed) {
        if (free(folder) < needed + MIN_FREE_BYTES) {
            throw new FullDisk(folder, needed + MIN_FREE_BYTES);
        }
    }

    /** Whether a file could not be written as its disk, or the user's share of it, is full. */
    public static boolean isCauseOf(IOException failure) {
        String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        return message.contains("no space left") || message.contains("not enough space") || message.contains("quota exceeded");
    }

    /** Free bytes on the disk of a folder, or of the nearest folder above it that there is. */
    private static long free(Path folder) {
        Path there = folder.toAbsolutePath();
        while (Files.notExists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        return there.toFile().getUsableSpace();
    }
}
