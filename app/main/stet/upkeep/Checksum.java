package stet.upkeep;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.base.LocalFiles;
import stet.base.Refusal;
import stet.base.SystemFailure;

/**
 * The SHA-256 of a file, stored beside it in {@code FILE.sha256} in the format of {@code sha256sum}. The checksum detects any
 * changed bit, even in rows without a digest.
 */
final class Checksum {
    static final String SUFFIX = ".sha256";
    private static final Pattern LINE = Pattern.compile("\\\\?([0-9a-fA-F]{64}) [ *].+");
    /** Maximum number of bytes to read, enough for a hash and a file name. */
    private static final int MAX_BYTES = 4 << 10;

    private Checksum() {
    }

    static Path beside(Path file) {
        return file.resolveSibling(file.getFileName() + SUFFIX);
    }

    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The SHA-256 in hex of all bytes given to a digest, which is then reset. */
    static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Computes a file's SHA-256 in hex. */
    static String of(Path file) throws IOException {
        MessageDigest digest = digest();
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return hex(digest);
    }

    /**
     * Reads the hex SHA-256 from a file's checksum file; empty if there is none.
     *
     * @throws Refusal       if the checksum file is not in the format of {@code sha256sum}
     * @throws SystemFailure if it cannot be read
     */
    static Optional<String> read(Path file) {
        Path beside = beside(file);
        if (Files.notExists(beside)) {
            return Optional.empty();
        }
        try (InputStream in = Files.newInputStream(beside)) {
            String text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
            Matcher line = LINE.matcher(text.lines().findFirst().orElse(""));
            if (line.matches()) {
                return Optional.of(line.group(1).toLowerCase(Locale.ROOT));
            }
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot read " + beside, failure);
        }
        throw new Refusal(beside + " is not in sha256sum format; delete the file or create it again");
    }

    /**
     * Replaces a file and its checksum with the finished file FILE.N.part and its checksum. If the process is killed, FILE is either
     * the old or the new file, and FILE.sha256 is missing or contains that file's checksum.
     */
    static void rename(Path part, Path file, String sha256) throws IOException {
        String name = file.getFileName().toString();
        String escaped = name.replace("\\", "\\\\").replace("\n", "\\n");
        String number = part.getFileName().toString().substring(name.length());
        Path line = Files.createFile(part.resolveSibling(name + SUFFIX + number), LocalFiles.fileMode());
        try {
            LocalFiles.giveToOwnerOf(part, line);
            Files.writeString(line, (escaped.equals(name) ? "" : "\\") + sha256 + "  " + escaped + "\n");
            Files.deleteIfExists(beside(file));
            LocalFiles.syncAndRename(part, file);
            LocalFiles.syncAndRename(line, beside(file));
        } finally {
            Files.deleteIfExists(line);
        }
    }
}
