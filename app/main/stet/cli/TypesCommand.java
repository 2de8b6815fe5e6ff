package stet.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import stet.base.Amount;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.base.Utf8;
import stet.files.LiveTypes;
import stet.types.Language;

/** The {@code types} command, which writes the types of the live versions' data to stdout or into a file, or compares the file with them. */
record TypesCommand(Cli cli) {
    void run() throws IOException {
        Config config = cli.config;
        if (config.operands().isEmpty()) {
            print();
            return;
        }
        String file = cli.operand();
        Language language = language(file.substring(file.lastIndexOf('.') + 1));
        if (language == Language.JAVA && !file.matches("(.*[/\\\\])?Emails\\.java")) {
            throw new Refusal("The file for Java must be named Emails.java, because the class is named Emails");
        }
        Path path = Config.path(file);
        checkPlace(path);
        LiveTypes types = types(language);
        boolean isCurrent = language.withoutVersions(types.types()).equals(language.withoutVersions(textOf(path)));
        if (!config.has(Option.CHECK)) {
            write(path, types.types());
        } else if (!isCurrent) {
            throw new Refusal(file + " does not match the live versions. Run \"types " + file + "\" and correct what no longer compiles.");
        }
        cli.err.println(file + ": types of " + Amount.of(types.emails(), "email") + (isCurrent ? ", unchanged" : ""));
    }

    private void print() throws IOException {
        if (cli.config.has(Option.CHECK)) {
            throw new Refusal(cli.config.name(Option.CHECK) + " needs FILE");
        }
        cli.out.writeBytes(Utf8.encode(types(language("")).types()));
        cli.out.flush();
    }

    private LiveTypes types(Language language) throws IOException {
        try (Target target = new TargetChoice(cli).open(Option.ON, null)) {
            return target.types(language, cli.config.value(Option.PACKAGE).orElse(""));
        }
    }

    /** The language given as an option, or else the file's. @param extension may be empty */
    private Language language(String extension) {
        Config config = cli.config;
        String word = config.value(Option.LANG).orElse(extension.equals("py") ? "python" : extension);
        return Language.of(word).orElseThrow(() -> new Refusal(config.has(Option.LANG) ? config.name(Option.LANG) + " is \"" + word
                + "\"; use ts, java, python or go" : "\"types\" needs " + Option.LANG.usage() + ": ts, java, python or go"));
    }

    /** @throws Refusal if no file can be at this path, because there is a folder, or because the path leads through a file */
    private static void checkPlace(Path file) {
        if (Files.isDirectory(file)) {
            throw new Refusal(file + " is a folder; name a file");
        }
        for (Path folder = file.getParent(); folder != null; folder = folder.getParent()) {
            if (Files.exists(folder) && !Files.isDirectory(folder)) {
                throw new Refusal(folder + " is not a folder");
            }
        }
    }

    /** A file's text; empty if the file does not exist. */
    private static String textOf(Path file) throws IOException {
        return Files.isRegularFile(file) ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8) : "";
    }

    private static void write(Path file, String types) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.write(file, Utf8.encode(types));
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot write the file " + file, failure);
        }
    }
}
