package stet.base;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Thrown if the machine fails, for example its disk, permissions or libraries: exit code 2, after which a service is started again. */
public class SystemFailure extends RuntimeException {
    /** The exit code of commands after a system error. */
    public static final int EXIT_CODE = 2;

    private static final long serialVersionUID = 1;

    public SystemFailure(String sentence) {
        super(sentence, null, false, false);
    }

    /**
     * The exception for a file that cannot be used: a {@link Refusal} if the given path is wrong.
     *
     * @param sentence the beginning of the message, such as {@code Cannot read FILE}
     */
    public static RuntimeException of(String sentence, IOException failure) {
        String message = sentence + ": " + Reason.of(failure);
        return failure instanceof NoSuchFileException || failure instanceof FileAlreadyExistsException || failure instanceof NotDirectoryException
                ? new Refusal(message) : new SystemFailure(message);
    }
}
