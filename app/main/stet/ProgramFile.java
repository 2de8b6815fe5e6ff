package stet;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * The jar that this process loads its classes from. The JVM cannot load classes from a jar that a build or a copy has overwritten:
 * requests then hang, and nothing can be logged. All that is needed to notice this is loaded in advance.
 */
final class ProgramFile {
    private final Path jar;
    private final BasicFileAttributes first;
    private final String message;

    /** @param jar the jar, or a folder of classes, which is not watched */
    ProgramFile(Path jar) throws IOException {
        this.jar = jar;
        this.first = Files.readAttributes(jar, BasicFileAttributes.class);
        this.message = jar + " was replaced while the service was running. Start the service again, and stop it before you build or upgrade.";
    }

    /** @return the jar of this program, or null if it cannot be determined */
    static ProgramFile ofThisProcess() {
        try {
            return new ProgramFile(Path.of(ProgramFile.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
        } catch (IOException | URISyntaxException | RuntimeException unknown) {
            return null;
        }
    }

    /** @return the sentence to print if the jar has been replaced or deleted, or else null */
    String replaced() {
        try {
            BasicFileAttributes now = Files.readAttributes(jar, BasicFileAttributes.class);
            return now.isDirectory() || now.size() == first.size() && now.lastModifiedTime().equals(first.lastModifiedTime()) ? null : message;
        } catch (IOException gone) {
            return message;
        }
    }
}
