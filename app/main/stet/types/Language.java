package stet.types;

import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A programming language in which the types of emails' data can be written. */
public enum Language {
    TS("ts", "//", (emails, packageName) -> TypeScript.write(emails)),
    JAVA("java", "//", JavaSource::write),
    PYTHON("python", "#", (emails, packageName) -> Python.write(emails)),
    GO("go", "//", Go::write);

    private final String word;
    private final String comment;
    /** Writes the types of emails with the name of a package. */
    private final BiFunction<List<EmailType>, String, String> writer;

    Language(String word, String comment, BiFunction<List<EmailType>, String, String> writer) {
        this.word = word;
        this.comment = comment;
        this.writer = writer;
    }

    /** The language's name on the command line. */
    public String word() {
        return word;
    }

    /** A source file without the comments that name versions, and with LF line endings, so that files with equal types are equal. */
    public String withoutVersions(String source) {
        return source.lines().filter(line -> !line.strip().startsWith(comment + " Version ")).collect(Collectors.joining("\n"));
    }

    public static Optional<Language> of(String word) {
        return Stream.of(values()).filter(language -> language.word.equals(word)).findFirst();
    }

    /**
     * The types as one source file.
     *
     * @param packageName the package in Java and Go; other languages ignore it
     */
    public String write(List<EmailType> emails, String packageName) {
        return writer.apply(emails, packageName);
    }
}
