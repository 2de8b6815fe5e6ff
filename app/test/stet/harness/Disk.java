package stet.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The database files after a power failure. Synced writes survive; any of the others may survive, in any order and possibly
 * torn. Replays the system calls recorded by {@code strace -f -y}. Assumes that folders are synced.
 */
public final class Disk {
    public static final String CALLS = "trace=pwrite64,ftruncate,fsync,fdatasync,write,writev,sendto,sendmsg";
    private static final Pattern CALL = Pattern.compile("^(\\d+) +(\\w+)\\(\\d+<[^>]*/(stet\\.db|stet\\.db-wal)>(.*)", Pattern.DOTALL);
    private static final Pattern SYNCED = Pattern.compile("^(\\d+) +<\\.\\.\\. f(?:data)?sync resumed>\\) += 0$");

    private final Map<String, byte[]> synced = new TreeMap<>();
    private final Map<String, List<Write>> pending = new HashMap<>();
    /** Syncs in progress, by thread. */
    private final Map<String, Sync> syncing = new HashMap<>();

    /** @param bytes null for a truncation at this offset */
    private record Write(int at, byte[] bytes) {
    }

    /** A sync of the first pending writes. */
    private record Sync(String file, int writes) {
    }

    /** @param begin the initial database, which has no log */
    public Disk(byte[] begin) {
        synced.put("stet.db", begin);
        synced.put("stet.db-wal", new byte[0]);
    }

    /**
     * Replays a line. @param failing runs before each sync takes effect, while a power failure would still lose the writes
     */
    public void replay(String line, Runnable failing) {
        Matcher end = SYNCED.matcher(line);
        Matcher call = CALL.matcher(line);
        if (end.find() && syncing.containsKey(end.group(1))) {
            failing.run();
            apply(syncing.remove(end.group(1)));
        } else if (call.find()) {
            String rest = call.group(4);
            List<Write> writes = pending.computeIfAbsent(call.group(3), any -> new ArrayList<>());
            switch (call.group(2)) {
                case "pwrite64" -> {
                    int quote = rest.lastIndexOf('"');
                    String[] numbers = rest.substring(quote + 1).replaceAll("[^0-9,]", " ").split(",");
                    byte[] bytes = bytes(rest.substring(rest.indexOf('"') + 1, quote));
                    if (bytes.length != Integer.parseInt(numbers[1].strip())) {
                        throw new AssertionError("a part of a write: " + line);
                    }
                    writes.add(new Write(Integer.parseInt(numbers[2].strip().split(" ")[0]), bytes));
                }
                case "ftruncate" -> writes.add(new Write(Integer.parseInt(rest.replaceAll("^, (\\d+).*", "$1")), null));
                default -> {
                    Sync sync = new Sync(call.group(3), writes.size());
                    if (rest.endsWith("= 0")) {
                        failing.run();
                        apply(sync);
                    } else {
                        syncing.put(call.group(1), sync);
                    }
                }
            }
        }
    }

    private void apply(Sync sync) {
        List<Write> done = pending.get(sync.file).subList(0, Math.min(sync.writes, pending.get(sync.file).size()));
        synced.merge(sync.file, new byte[0], (bytes, none) -> with(bytes, done));
        done.clear();
    }

    private static byte[] with(byte[] bytes, List<Write> writes) {
        byte[] all = bytes;
        for (Write write : writes) {
            if (write.bytes == null) {
                all = Arrays.copyOf(all, write.at);
            } else {
                all = Arrays.copyOf(all, Math.max(all.length, write.at + write.bytes.length));
                System.arraycopy(write.bytes, 0, all, write.at, write.bytes.length);
            }
        }
        return all;
    }

    /** Writes the files as left by a failure. @param random selects the unsynced writes that survive; null for none */
    public void fail(Path folder, Random random) throws IOException {
        Files.deleteIfExists(folder.resolve("stet.db-shm"));
        for (Map.Entry<String, byte[]> file : synced.entrySet()) {
            List<Write> some = new ArrayList<>();
            if (random != null) {
                pending.getOrDefault(file.getKey(), List.of()).stream().filter(write -> random.nextBoolean()).forEach(some::add);
                if (!some.isEmpty() && some.get(some.size() - 1).bytes != null) {
                    Write last = some.remove(some.size() - 1);
                    some.add(new Write(last.at, Arrays.copyOf(last.bytes, last.bytes.length / 2)));
                }
            }
            Files.write(folder.resolve(file.getKey()), with(file.getValue(), some));
        }
    }

    /** Parses a string printed by strace. */
    private static byte[] bytes(String printed) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(printed.length());
        for (int i = 0; i < printed.length(); i++) {
            char c = printed.charAt(i);
            if (c == '\\') {
                char next = printed.charAt(++i);
                int letter = "tnvfr".indexOf(next);
                if (next >= '0' && next <= '7') {
                    int end = i + 1;
                    while (end < i + 3 && end < printed.length() && printed.charAt(end) >= '0' && printed.charAt(end) <= '7') {
                        end++;
                    }
                    bytes.write(Integer.parseInt(printed.substring(i, end), 8));
                    i = end - 1;
                } else {
                    bytes.write(letter < 0 ? next : "\t\n\u000b\f\r".charAt(letter));
                }
            } else {
                bytes.write(c);
            }
        }
        return bytes.toByteArray();
    }
}
