package stet.cli;

import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import stet.base.Amount;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.base.Utf8;
import stet.core.ImageNames;
import stet.core.Validation;
import stet.dao.SourceDao.FilesOrigin;
import stet.dao.SourceDao.OriginKind;
import stet.files.AccountFiles;
import stet.files.AccountState;
import stet.files.Changes;
import stet.files.Conflict;
import stet.files.Difference;
import stet.files.Folder;
import stet.files.Gallery;
import stet.files.ImportOptions;
import stet.files.LiveTypes;
import stet.files.PublishMode;
import stet.files.Pull;
import stet.files.Source;
import stet.types.Language;

/** The commands for folders and for accounts that are in the data folder or on a server. */
record PushCommands(Cli cli) {
    /** Exit code if a dry run or diff with --exit-code finds changes. Unlike in Git, it is not 1, which means that the command failed. */
    private static final int SOMETHING_TO_DO = 4;
    /** Advice given if "pull" would mix the account's files with files from another system. */
    static final String MERGE = "To merge by hand, export the account to another folder; ";

    /**
     * @param option names an account in stet.json
     * @param folder the command's folder, or null
     */
    private Target target(Option option, String folder) throws IOException {
        Config config = cli.config;
        if (config.has(option)) {
            for (Option other : List.of(Option.SERVER, Option.ACCOUNT, Option.TOKEN_FILE)) {
                if (config.isArgument(other)) {
                    throw new Refusal(other.word() + " cannot be combined with " + config.name(option) + ", which takes the server and the token from "
                            + AccountFiles.TARGETS);
                }
            }
            return named(option, folder);
        }
        if (!config.has(Option.SERVER)) {
            if (!config.has(Option.ACCOUNT)) {
                throw new Refusal("\"" + config.command().words() + "\" needs " + Option.ACCOUNT.usage() + ", or " + Option.SERVER.usage());
            }
            return new DataTarget(cli);
        }
        if (config.has(Option.ACCOUNT)) {
            throw new Refusal(config.name(Option.ACCOUNT) + " applies to the data folder only; with " + config.name(Option.SERVER)
                    + ", the deploy token selects the account");
        }
        String given = config.required(Option.SERVER);
        URI server = Config.serverUrl(given).orElseThrow(() ->
                new Refusal(config.name(Option.SERVER) + " is \"" + given + "\"; use a URL such as https://mail.example.com"));
        String token = config.secret(Option.TOKEN_FILE, Option.TOKEN, cli.in).orElseThrow(() ->
                new Refusal("Set a deploy token with " + Option.TOKEN.variable() + " or " + Option.TOKEN_FILE.usage()));
        return new ServerTarget(cli, server, checkedToken(token), config.has(Option.ALLOW_HTTP), null);
    }

    private ServerTarget named(Option option, String folder) throws IOException {
        Targets.NamedTarget found = Targets.find(cli.config, option, folder);
        String token = cli.config.secret(found.variable()).orElseThrow(() -> new Refusal("Set the deploy token of "
                + cli.config.required(option) + " in the environment variable " + found.variable()));
        return new ServerTarget(cli, found.server(), checkedToken(token), found.allowHttp(), found);
    }

    private static String checkedToken(String given) {
        String token = given.strip();
        if (!token.matches("[!-~]+")) { // otherwise, the JDK's exception would print the token
            throw new Refusal("The deploy token has invalid characters. The token must be one line of ASCII.");
        }
        return token;
    }

    /** @param index path of the gallery's first page @param errors problems that prevent publishing */
    private record GalleryJson(String index, int emails, List<String> errors, List<String> warnings) {
    }

    /** Exits with code 1 if a template cannot be published or, with --strict, if publishing it would cause warnings. */
    void preview() throws IOException {
        Path out = Config.path(cli.config.required(Option.OUT));
        if (out.toAbsolutePath().normalize().startsWith(Config.path(cli.name()).toAbsolutePath().normalize())) {
            throw new Refusal(Option.OUT.word() + " is inside " + cli.name() + ", so push would upload the gallery's pages as templates; choose another folder");
        }
        try (AccountFiles files = AccountFiles.toImport(Folder.toImport(Config.path(cli.name())))) {
            Gallery gallery = new Gallery(files, out);
            gallery.write();
            if (cli.config.has(Option.JSON)) {
                new Printer(cli.config, cli.out).printJson(new GalleryJson(out.resolve("index.html").toString(), gallery.mails(), gallery.errors(),
                        gallery.warnings()));
            } else {
                cli.out.println(out.resolve("index.html") + ": " + Amount.of(gallery.mails(), "email"));
                gallery.errors().forEach(error -> cli.err.println(Printer.printable(error)));
                gallery.warnings().forEach(warning -> cli.err.println("? " + Printer.printable(warning)));
            }
            cli.exitCode = gallery.errors().isEmpty() && (gallery.warnings().isEmpty() || !cli.config.has(Option.STRICT)) ? 0 : 1;
        }
    }

    static PublishMode publishing(Config config) {
        return PublishMode.of(config.has(Option.PUBLISH), config.has(Option.FORCE));
    }

    /** @param label omitted if the account has no label */
    private record PlanJson(String account, @JsonInclude(Include.NON_EMPTY) String label, @JsonUnwrapped Changes changes) {
    }

    void push() throws IOException {
        boolean isGitHub = cli.config.has(Option.GITHUB);
        if (isGitHub && cli.config.has(Option.JSON)) {
            throw new Refusal(cli.config.name(Option.GITHUB) + " cannot be combined with " + cli.config.name(Option.JSON));
        }
        ImportOptions options = options(publishing(cli.config), "");
        checkPreview();
        if (cli.config.has(Option.END)) {
            endPreviews();
            return;
        }
        try (Source source = Folder.toImport(Config.path(cli.name())); Target target = target(Option.TO, cli.name())) {
            push(source, target, options);
        } catch (Refusal refusal) {
            if (isGitHub) {
                new GitHub(cli).annotate("error", refusal.getMessage());
            }
            throw refusal;
        }
    }

    private void checkPreview() {
        Config config = cli.config;
        if (config.has(Option.END) && !config.has(Option.PREVIEW)) {
            throw new Refusal(config.name(Option.END) + " needs " + Option.PREVIEW.usage());
        }
        if (config.has(Option.END) && config.has(Option.DRY_RUN)) {
            throw new Refusal(config.name(Option.END) + " cannot be combined with " + config.name(Option.DRY_RUN));
        }
        if (config.has(Option.PREVIEW) && !config.has(Option.SERVER) && !config.has(Option.TO)) {
            throw new Refusal(config.name(Option.PREVIEW) + " needs " + Option.SERVER.usage() + " or " + Option.TO.word() + " NAME, because the server makes the links");
        }
    }

    private record EndedPreviews(String account, int ended) {
    }

    private void endPreviews() throws IOException {
        String name = cli.config.required(Option.PREVIEW);
        try (Target target = target(Option.TO, cli.name())) {
            int ended = target.endPreviews(name);
            if (cli.config.has(Option.JSON)) {
                new Printer(cli.config, cli.out).printJson(new EndedPreviews(target.account(), ended));
            } else {
                cli.out.println(Printer.printable(target.name()) + ": previews of " + Amount.of(ended, "email") + " ended");
            }
        }
    }

    /** Whether the account's emails stay as they are. */
    static boolean isDryRun(Config config) {
        return config.has(Option.DRY_RUN) || config.has(Option.PREVIEW);
    }

    /** Pushes the sources of one account's live versions to another account. */
    void promote() throws IOException {
        Config config = cli.config;
        String folder = config.operands().isEmpty() ? null : cli.name();
        String from = config.required(Option.FROM);
        String to = config.required(Option.TO);
        ImportOptions options = options(PublishMode.of(true, config.has(Option.FORCE)), "from " + from);
        if (from.equals(to)) {
            throw new Refusal(config.name(Option.FROM) + " and " + config.name(Option.TO) + " name the same account");
        }
        try (ServerTarget origin = named(Option.FROM, folder); ServerTarget target = named(Option.TO, folder)) {
            origin.state(); // checks that the token belongs to the account
            target.state();
            if (origin.isSameAccountAs(target)) { // --overwrite would replace its drafts
                throw new Refusal(config.name(Option.FROM) + " and " + config.name(Option.TO) + " name the same account: " + target.name());
            }
            try (Source source = AccountFiles.withoutPulled(origin.pull(true))) {
                push(source, target, options);
            }
        }
    }

    private ImportOptions options(PublishMode publishing, String note) {
        Config config = cli.config;
        ImportOptions options = new ImportOptions(publishing, config.has(Option.OVERWRITE), config.has(Option.PRUNE), true,
                new FilesOrigin(OriginKind.PUSH, config.value(Option.NOTE).orElse(note)));
        if (config.has(Option.EXIT_CODE) && !isDryRun(config)) {
            throw new Refusal(config.name(Option.EXIT_CODE) + " needs " + Option.DRY_RUN.word());
        }
        return options;
    }

    private void push(Source source, Target target, ImportOptions options) throws IOException {
        Config config = cli.config;
        boolean dryRun = isDryRun(config);
        target.checkRoom(source);
        AccountFiles files = AccountFiles.toImport(source);
        if (options.prune()) {
            files.checkMayPrune(); // checked here because a server does not know where the files come from
        }
        Changes changes = config.has(Option.PREVIEW) ? target.preview(files, options, config.required(Option.PREVIEW)) : target.push(files, options, dryRun);
        if (config.has(Option.JSON)) {
            new Printer(config, cli.out).printJson(new PlanJson(target.account(), target.label(), changes));
        } else if (config.has(Option.GITHUB)) {
            new GitHub(cli).print(target.name(), changes);
        } else {
            print(target.name(), changes);
        }
        if (!files.ignored().isEmpty()) {
            cli.err.println("Ignored: " + String.join(", ", files.ignored()));
        }
        if (changes.isRefused()) {
            throw new Refusal("Nothing was changed. " + (files.isForeign() ? MERGE + Option.OVERWRITE.word() + " overwrites these changes"
                    : "\"pull\" downloads the changed drafts, and \"pull --published\" downloads the live versions; "
                    + Option.OVERWRITE.word() + " overwrites the changes made in Stet"));
        }
        if (dryRun && config.has(Option.EXIT_CODE) && !changes.isEmpty()) {
            cli.exitCode = SOMETHING_TO_DO;
        }
    }

    private void print(String target, Changes changes) {
        cli.out.println(Printer.printable(target) + (isDryRun(cli.config) ? ", a dry run:" : ":"));
        changes.texts().created().forEach(id -> line("+", id, ""));
        changes.texts().changed().forEach(id -> line("~", id, ""));
        changes.texts().blocks().forEach(name -> line("~", name, what(name)));
        changes.removals().templates().forEach(id -> line("-", id, Optional.ofNullable(changes.removals().reviewLinks().get(id))
                .map(links -> " (" + Amount.of(links, "review link") + " revoked)").orElse("")));
        changes.removals().blocks().forEach(name -> line("-", name, what(name)));
        changes.texts().published().forEach(id -> line("^", id, " published"
                + Optional.ofNullable(changes.findings().variables().get(id)).map(PushCommands::inWords).orElse("")));
        changes.findings().sentences().forEach(sentence -> line("?", sentence, ""));
        changes.found().all().map(Conflict::toString)
                .forEach(sentence -> line("!", sentence, ""));
        changes.findings().previews().forEach((id, link) -> line(">", id, " " + link));
        line("=", Integer.toString(changes.texts().unchanged()), " unchanged");
    }

    /** Says whether a name in a plan is that of an image or of a shared block. */
    static String what(String block) {
        return ImageNames.isImage(block) ? " (image)" : " (shared block)";
    }

    private void line(String sign, String text, String rest) {
        cli.out.println(sign + " " + Printer.printable(text) + Printer.printable(rest));
    }

    private static String inWords(Changes.VariableChanges variables) {
        return inWords("needs", variables.added()) + inWords("no longer needs", variables.removed());
    }

    private static String inWords(String verb, List<String> names) {
        return names.isEmpty() ? "" : "; " + verb + " " + String.join(", ", names);
    }

    /** Updates the folder with the templates and blocks that have changed in the account. */
    void pull() throws IOException {
        Path folder = Config.path(cli.name());
        boolean published = cli.config.has(Option.PUBLISHED);
        try (Target target = target(Option.FROM, cli.name()); AccountFiles there = AccountFiles.of(target.pull(published));
                AccountFiles here = AccountFiles.of(Files.isDirectory(folder) ? Folder.open(folder) : new Source());
                Folder.FolderTarget out = new Folder.FolderTarget(folder)) {
            Pull pull = new Pull(there, here, target.state(), published);
            pull.write(out, cli.config.has(Option.OVERWRITE));
            out.commit();
            pull.left().forEach(path -> cli.err.println(path + " differs but was not edited in Stet; the local file was kept"));
            out.others().stream().filter(path -> !there.has(path)).forEach(other ->
                    cli.err.println(other + " is not in the account; the local file was kept"));
            cli.err.println(out.changed() == 0 ? "The folder is up to date" : Amount.of(out.changed(), "file") + " changed");
        }
    }

    void diff() throws IOException {
        try (Target target = target(Option.ON, cli.name()); AccountFiles there = AccountFiles.of(target.pull(false));
                AccountFiles here = AccountFiles.of(Folder.toImport(Config.path(cli.name())))) {
            List<Difference.OfFile> files = Difference.of(there, "account", here, "folder");
            if (cli.config.has(Option.JSON)) {
                new Printer(cli.config, cli.out).printJson(new DiffJson(files));
            } else {
                files.forEach(this::print);
            }
            if (cli.config.has(Option.EXIT_CODE) && !files.isEmpty()) {
                cli.exitCode = SOMETHING_TO_DO;
            }
        }
    }

    /**
     * Prints a file's difference. The bytes of its lines stay as they are, so that {@code patch} can rebuild the file, unless they might
     * control a terminal or a CI system.
     */
    private void print(Difference.OfFile file) {
        boolean isShown = System.console() != null || cli.config.isCi();
        boolean isContent = false; // after the file's names
        for (String line : file.lines()) {
            isContent |= line.startsWith("@@");
            if (isShown || !isContent) {
                cli.out.println(line);
            } else {
                cli.out.writeBytes(Utf8.encode(line + "\n"));
            }
        }
        cli.out.flush();
    }

    private record DiffJson(List<Difference.OfFile> files) {
    }

    void rollBack() throws IOException {
        Integer to = cli.config.has(Option.TO) ? (Integer) cli.config.number(Option.TO, 1, 1, 999_999_999) : null;
        String note = Validation.note(cli.config.value(Option.NOTE).orElse(""));
        try (Target target = target(Option.ON, null)) {
            Target.RolledBack done = target.rollBack(Validation.id("ID", cli.name()), to, note);
            cli.err.println("Template " + cli.name() + " rolled back to the content of version " + done.of() + ", published as version " + done.version());
        }
    }

    /** Writes the types of the live versions' data into a file or to stdout, or compares the file with them. */
    void types() throws IOException {
        Config config = cli.config;
        String file = config.operands().isEmpty() ? null : cli.name();
        boolean check = config.has(Option.CHECK);
        if (check && file == null) {
            throw new Refusal(config.name(Option.CHECK) + " needs FILE");
        }
        Language language = language(file);
        if (file != null && language == Language.JAVA && !file.matches("(.*[/\\\\])?Emails\\.java")) {
            throw new Refusal("The file for Java must be named Emails.java, because the class is named Emails");
        }
        try (Target target = target(Option.ON, null)) {
            LiveTypes types = target.types(language, config.value(Option.PACKAGE).orElse(""));
            if (file == null) {
                cli.out.writeBytes(Utf8.encode(types.types()));
                cli.out.flush();
                return;
            }
            boolean isCurrent = language.withoutVersions(types.types()).equals(language.withoutVersions(textOf(file)));
            if (check && !isCurrent) {
                throw new Refusal(file + " does not match the live versions. Run \"types " + file + "\" and correct what no longer compiles.");
            }
            if (!check) {
                try {
                    Path path = Config.path(file);
                    Files.createDirectories(path.toAbsolutePath().getParent());
                    Files.write(path, Utf8.encode(types.types()));
                } catch (IOException failure) {
                    throw SystemFailure.of("Cannot write the file " + file, failure);
                }
            }
            cli.err.println(file + ": types of " + Amount.of(types.emails(), "email") + (isCurrent ? ", unchanged" : ""));
        }
    }

    private Language language(String file) {
        Config config = cli.config;
        String extension = file == null ? "" : file.substring(file.lastIndexOf('.') + 1);
        String word = config.value(Option.LANG).orElse(extension.equals("py") ? "python" : extension);
        return Language.of(word).orElseThrow(() -> new Refusal(config.has(Option.LANG) ? config.name(Option.LANG) + " is \"" + word
                + "\"; use ts, java, python or go" : "\"types\" needs " + Option.LANG.usage() + ": ts, java, python or go"));
    }

    /** A file's text; empty if the file does not exist. */
    private static String textOf(String file) throws IOException {
        Path path = Config.path(file);
        return Files.isRegularFile(path) ? new String(Files.readAllBytes(path), StandardCharsets.UTF_8) : "";
    }

    void status() throws IOException {
        try (Target target = target(Option.ON, null)) {
            AccountState state = target.state();
            if (cli.config.has(Option.JSON)) {
                new Printer(cli.config, cli.out).printJson(state);
                return;
            }
            cli.out.println(Printer.printable(target.name()) + ": " + Amount.of(state.templates().size(), "template") + ", "
                    + Amount.of(state.blocks().size(), "shared block"));
            if (state.last() != null) {
                cli.out.println(Printer.printable("Last " + state.last()));
            }
            state.changed().forEach(change -> line(change.preventsPush() ? "!" : "?", change.toString(), ""));
        }
    }
}
