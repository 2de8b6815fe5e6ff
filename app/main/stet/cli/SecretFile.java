package stet.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Optional;
import stet.core.Reason;
import stet.core.Refusal;
import stet.core.Utf8;

/** A file that holds one password, so that it stands neither in the list of processes nor in a shell's history. */
public final class SecretFile {
    /** More than any password has. */
    private static final int BYTES = 8 << 10;

    private SecretFile() {
    }

    /** From the file that the option names, {@code -} for standard input, without the line's end; nothing when it is not given. */
    public static Optional<String> read(Config config, Option option, InputStream in) {
        return config.parse(option, file -> {
            try (InputStream opened = file.equals("-") ? in : Files.newInputStream(Config.path(file))) {
                String text = Utf8.decode(opened.readNBytes(BYTES)).orElseThrow(() -> new Refusal("The password is not UTF-8"));
                return text.replaceFirst("\r?\n\\z", "");
            } catch (IOException failure) {
                throw new Refusal("The file " + file + " cannot be read: " + Reason.of(failure));
            }
        });
    }
}
