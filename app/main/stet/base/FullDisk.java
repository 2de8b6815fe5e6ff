package stet.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Thrown if the disk has too little space for a write. */
public final class FullDisk extends SystemFailure {
    /** A disk with fewer free bytes than this is treated as full. */
    public static final long MIN_FREE_BYTES = 1 << 20;
    private static final long serialVersionUID = 1;

    /**
     * @param folder a folder on the disk
     * @param needed number of bytes needed for the whole write
     */
    public FullDisk(Path folder, long needed) {
        this(folder, needed, free(folder));
    }

    private FullDisk(Path folder, long needed, long free) {
        super("Not enough disk space in " + folder + ": " + Amount.megabytes(needed, free) + " needed, " + Amount.megabytes(free, needed)
                + " free");
    }

    /** True if the folder's disk is full. */
    public static boolean isFull(Path folder) {
        return free(folder) < MIN_FREE_BYTES;
    }

    /** @throws FullDisk if the disk would be full after writing this many bytes */
    public static void check(Path folder, long needed) {
        if (free(folder) < needed + MIN_FREE_BYTES) {
            throw new FullDisk(folder, needed + MIN_FREE_BYTES);
        }
    }

    /** True if the failure's message reports, in English, a full disk or an exceeded disk quota. */
    public static boolean isCauseOf(IOException failure) {
        String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        return message.contains("no space left") || message.contains("not enough space") || message.contains("quota exceeded");
    }

    /** Number of free bytes on the disk of a folder or of its nearest existing parent. */
    private static long free(Path folder) {
        Path there = folder.toAbsolutePath();
        while (Files.notExists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        return there.toFile().getUsableSpace();
    }
}
