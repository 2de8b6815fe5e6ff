package stet.cli;

import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import stet.base.Amount;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Validation;
import stet.dao.SourceDao.FilesOrigin;
import stet.dao.SourceDao.OriginKind;
import stet.files.AccountFiles;
import stet.files.AccountState;
import stet.files.Changes;
import stet.files.Difference;
import stet.files.Folder;
import stet.files.ImportOptions;
import stet.files.PublishMode;
import stet.files.Pull;
import stet.files.Source;

/** The commands that compare a folder with an account in the data folder or on a server, and move files between them. */
record PushCommands(Cli cli) {
    /** Exit code if a dry run or diff with --exit-code finds changes. Unlike in Git, it is not 1, which means that the command failed. */
    private static final int CHANGES_FOUND = 4;
    /** Advice given if "pull" would mix the account's files with files from another system. */
    static final String MERGE = "To merge by hand, export the account to another folder; ";
    private static final int MAX_VERSION = 999_999_999;

    static PublishMode publishing(Config config) {
        return PublishMode.of(config.has(Option.PUBLISH), config.has(Option.FORCE));
    }

    private Target target(Option option, String folder) throws IOException {
        return new TargetChoice(cli).open(option, folder);
    }

    // ---- push and promote

    void push() throws IOException {
        Config config = cli.config;
        boolean isGitHub = config.has(Option.GITHUB);
        if (isGitHub && config.has(Option.JSON)) {
            throw new Refusal(config.name(Option.GITHUB) + " cannot be combined with " + config.name(Option.JSON));
        }
        ImportOptions options = options(publishing(config), "");
        checkPreview();
        if (config.has(Option.END)) {
            endPreviews();
            return;
        }
        try (Source source = Folder.toImport(Config.path(cli.operand()))) {
            push(source, options);
        } catch (Refusal refusal) {
            if (isGitHub) {
                new GitHub(cli).annotate("error", refusal.getMessage());
            }
            throw refusal;
        }
    }

    private void push(Source source, ImportOptions options) throws IOException {
        if (cli.config.has(Option.PREVIEW)) {
            String name = cli.config.required(Option.PREVIEW);
            try (ServerTarget target = new TargetChoice(cli).onServer(Option.TO, cli.operand())) {
                push(source, target, options, files -> target.preview(files, options, name));
            }
        } else {
            try (Target target = target(Option.TO, cli.operand())) {
                push(source, target, options);
            }
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
        try (ServerTarget target = new TargetChoice(cli).onServer(Option.TO, cli.operand())) {
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
        String folder = config.operands().isEmpty() ? null : cli.operand();
        String from = config.required(Option.FROM);
        String to = config.required(Option.TO);
        ImportOptions options = options(PublishMode.of(true, config.has(Option.FORCE)), "from " + from);
        if (from.equals(to)) {
            throw sameAccount("");
        }
        TargetChoice choice = new TargetChoice(cli);
        try (ServerTarget origin = choice.named(Option.FROM, folder); ServerTarget target = choice.named(Option.TO, folder)) {
            origin.state(); // checks that the token belongs to the account
            target.state();
            if (origin.isSameAccountAs(target)) { // --overwrite would replace its drafts
                throw sameAccount(": " + target.name());
            }
            try (Source source = AccountFiles.withoutPulled(origin.pull(true))) {
                push(source, target, options);
            }
        }
    }

    private Refusal sameAccount(String name) {
        return new Refusal(cli.config.name(Option.FROM) + " and " + cli.config.name(Option.TO) + " name the same account" + name);
    }

    /** @param note used if no --note is given */
    private ImportOptions options(PublishMode publishing, String note) {
        Config config = cli.config;
        if (config.has(Option.EXIT_CODE) && !isDryRun(config)) {
            throw new Refusal(config.name(Option.EXIT_CODE) + " needs " + Option.DRY_RUN.word());
        }
        return new ImportOptions(publishing, config.has(Option.OVERWRITE), config.has(Option.PRUNE), true,
                new FilesOrigin(OriginKind.PUSH, config.value(Option.NOTE).orElse(note)));
    }

    /** A push of checked files, or a preview of it. */
    private interface Sending {
        Changes send(AccountFiles files) throws IOException;
    }

    private void push(Source source, Target target, ImportOptions options) throws IOException {
        push(source, target, options, files -> target.push(files, options, isDryRun(cli.config)));
    }

    private void push(Source source, Target target, ImportOptions options, Sending sending) throws IOException {
        target.checkRoom(source);
        AccountFiles files = AccountFiles.toImport(source);
        if (options.prune()) {
            files.checkMayPrune(); // checked here because a server does not know where the files come from
        }
        Changes changes = sending.send(files);
        print(target, changes);
        if (!files.ignored().isEmpty()) {
            cli.err.println("Ignored: " + String.join(", ", files.ignored()));
        }
        checkConflicts(changes, files.isForeign());
        if (cli.config.has(Option.EXIT_CODE) && !changes.isEmpty()) {
            cli.exitCode = CHANGES_FOUND;
        }
    }

    /** @param label omitted if the account has no label */
    private record PlanJson(String account, @JsonInclude(Include.NON_EMPTY) String label, @JsonUnwrapped Changes changes) {
    }

    private void print(Target target, Changes changes) {
        if (cli.config.has(Option.JSON)) {
            new Printer(cli.config, cli.out).printJson(new PlanJson(target.account(), target.label(), changes));
        } else if (cli.config.has(Option.GITHUB)) {
            new GitHub(cli).print(target.name(), changes);
        } else {
            new PlanPrinter(cli.out).print(target.name(), isDryRun(cli.config), changes);
        }
    }

    /** @param isForeign see {@link AccountFiles#isForeign} @throws Refusal if conflicts prevented the push */
    private void checkConflicts(Changes changes, boolean isForeign) {
        if (changes.isRefused()) {
            String nothing = cli.config.has(Option.PREVIEW) ? "Nothing was changed, and no links were made. " : "Nothing was changed. ";
            throw new Refusal(nothing + (isForeign ? MERGE + Option.OVERWRITE.word() + " overwrites these changes"
                    : "\"pull\" downloads the changed drafts, and \"pull --published\" downloads the live versions; "
                    + Option.OVERWRITE.word() + " overwrites the changes made in Stet"));
        }
    }

    // ---- the other commands

    /** Updates the folder with the templates and blocks that have changed in the account. */
    void pull() throws IOException {
        Path folder = Config.path(cli.operand());
        boolean published = cli.config.has(Option.PUBLISHED);
        try (Target target = target(Option.FROM, cli.operand()); AccountFiles there = AccountFiles.of(target.pull(published));
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
        try (Target target = target(Option.ON, cli.operand()); AccountFiles there = AccountFiles.of(target.pull(false));
                AccountFiles here = AccountFiles.of(Folder.toImport(Config.path(cli.operand())))) {
            List<Difference.OfFile> files = Difference.of(there, "account", here, "folder");
            if (cli.config.has(Option.JSON)) {
                new Printer(cli.config, cli.out).printJson(new DiffJson(files));
            } else {
                files.forEach(this::print);
            }
            if (cli.config.has(Option.EXIT_CODE) && !files.isEmpty()) {
                cli.exitCode = CHANGES_FOUND;
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
        Integer to = cli.config.has(Option.TO) ? (Integer) cli.config.number(Option.TO, 1, 1, MAX_VERSION) : null;
        String note = Validation.note(cli.config.value(Option.NOTE).orElse(""));
        try (Target target = target(Option.ON, null)) {
            Target.RolledBack done = target.rollBack(Validation.id("ID", cli.operand()), to, note);
            cli.err.println("Template " + cli.operand() + " rolled back to the content of version " + done.of() + ", published as version " + done.version());
        }
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
            PlanPrinter plan = new PlanPrinter(cli.out);
            state.changed().forEach(change -> plan.printLine(change.preventsPush() ? "!" : "?", change.toString(), ""));
        }
    }
}
