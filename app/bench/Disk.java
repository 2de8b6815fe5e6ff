package stet;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Measures how long the disk takes to write and sync a page. */
final class Disk {
    private static final int PAGE = 4 << 10;
    /** Between syncs, in ms. */
    private static final int PAUSE = 20;

    /** In ns. */
    private final AtomicLong longest = new AtomicLong();

    private Disk() {
    }

    /** @param folder on the disk to measure; a file is created in it */
    static Disk watch(Path folder) {
        Disk disk = new Disk();
        Background.run(() -> disk.sync(folder.resolve("sync")));
        return disk;
    }

    private void sync(Path path) throws Exception {
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            while (true) {
                long begin = System.nanoTime();
                file.write(page.clear(), 0);
                file.force(true);
                longest.accumulateAndGet(System.nanoTime() - begin, Math::max);
                TimeUnit.MILLISECONDS.sleep(PAUSE);
            }
        }
    }

    void forget() {
        longest.set(0);
    }

    /** In ms. */
    double longest() {
        return longest.get() / 1e6;
    }
}
