package stet.process;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import stet.base.SystemFailure;

/**
 * The jar that this process loads its classes from. If a build or a copy overwrites the jar, the JVM can load no more classes: requests
 * then hang or fail with 500, and failures cannot be logged.
 */
final class ProgramFile {
    private final Path jar;
    private final BasicFileAttributes first;
    private final String message;

    /** @param jar a jar, or a folder of classes */
    ProgramFile(Path jar) throws IOException {
        this.jar = jar;
        this.first = Files.readAttributes(jar, BasicFileAttributes.class);
        this.message = jar + " was replaced while the service was running. Restart the service. Next time, stop it before you build or upgrade.";
    }

    /** @return this program's jar, or null if it cannot be determined */
    static ProgramFile ofThisProcess() {
        try {
            return new ProgramFile(Path.of(ProgramFile.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
        } catch (IOException | URISyntaxException | RuntimeException unknown) {
            return null;
        }
    }

    /**
     * Ends the process if a class cannot be loaded because the jar has been replaced. Uses only classes that are already loaded, which a
     * graceful shutdown could not do.
     */
    void check(Throwable failure) {
        if (failure instanceof LinkageError && isReplaced()) {
            System.err.print(message + "\n"); // println would add the time
            Runtime.getRuntime().halt(SystemFailure.EXIT_CODE);
        }
    }

    /**
     * Whether the jar has been replaced. Compares the size and modification time, not the file key: a Maven build overwrites the jar, then
     * moves it.
     */
    private boolean isReplaced() {
        try {
            BasicFileAttributes current = Files.readAttributes(jar, BasicFileAttributes.class);
            return !first.isDirectory() && (current.size() != first.size() || !current.lastModifiedTime().equals(first.lastModifiedTime()));
        } catch (IOException gone) {
            return true;
        }
    }
}
