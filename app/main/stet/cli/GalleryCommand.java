package stet.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import stet.base.Amount;
import stet.base.Refusal;
import stet.files.AccountFiles;
import stet.files.Folder;
import stet.files.Gallery;

/** The {@code preview} command, which writes a gallery of a folder's emails. */
record GalleryCommand(Cli cli) {
    /** @param index path of the gallery's first page @param errors problems that prevent publishing */
    private record GalleryJson(String index, int emails, List<String> errors, List<String> warnings) {
    }

    /** Exits with code 1 if a template cannot be published or, with --strict, if publishing it would cause warnings. */
    void run() throws IOException {
        Path folder = Config.path(cli.operand());
        Path out = Config.path(cli.config.required(Option.OUT));
        if (out.toAbsolutePath().normalize().startsWith(folder.toAbsolutePath().normalize())) {
            throw new Refusal(Option.OUT.word() + " is inside " + cli.operand() + ", so push would upload the gallery's pages as templates; choose another folder");
        }
        try (AccountFiles files = AccountFiles.toImport(Folder.toImport(folder))) {
            Gallery gallery = new Gallery(files, out);
            gallery.write();
            print(gallery, out.resolve("index.html").toString());
            boolean isStrict = cli.config.has(Option.STRICT);
            cli.exitCode = gallery.errors().isEmpty() && !(isStrict && !gallery.warnings().isEmpty()) ? 0 : 1;
        }
    }

    private void print(Gallery gallery, String index) {
        if (cli.config.has(Option.JSON)) {
            new Printer(cli.config, cli.out).printJson(new GalleryJson(index, gallery.pages(), gallery.errors(), gallery.warnings()));
            return;
        }
        cli.out.println(index + ": " + Amount.of(gallery.pages(), "email"));
        gallery.errors().forEach(error -> cli.err.println(Printer.printable(error)));
        gallery.warnings().forEach(warning -> cli.err.println("? " + Printer.printable(warning)));
    }
}
