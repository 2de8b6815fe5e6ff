package stet.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashSet;
import java.util.Set;
import stet.access.Member;
import stet.access.Sessions;
import stet.base.Fields;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Role;
import stet.core.Validation;
import stet.dao.SourceDao.FilesOrigin;
import stet.dao.SourceDao.OriginKind;
import stet.files.AccountFiles;
import stet.files.Export;
import stet.files.ImportOptions;
import stet.files.PublishMode;
import stet.files.Zip;
import stet.http.Request;
import stet.http.Response;

/** Copies templates, with their shared blocks and test data, to another of the user's accounts. */
public final class Copies {
    private final Clock clock;
    private final Sessions sessions;
    private final ZipFiles zipFiles;

    Copies(Clock clock, Sessions sessions, ZipFiles zipFiles) {
        this.clock = clock;
        this.sessions = sessions;
        this.zipFiles = zipFiles;
    }

    /** Copies all drafts or none, like a push; with {@code dryRun}, only returns the plan. */
    public Response copy(Member here, Request request) {
        Fields fields = request.form();
        Set<String> ids = new LinkedHashSet<>(fields.list("templates"));
        PublishMode publishing = fields.flag("publish", false) ? PublishMode.CHECKED : PublishMode.NONE;
        boolean overwrite = fields.flag("overwrite", false);
        boolean dryRun = fields.flag("dryRun", false);
        fields.end();
        if (request.number() == here.account().id()) {
            throw new Refusal("account", "The templates are already in this account; choose another account");
        }
        Member there = sessions.elsewhere(here, request.number(), publishing == PublishMode.NONE ? Role.WRITER : Role.EDITOR, request);
        boolean prune = false; // the copy lacks the templates that were not selected
        ImportOptions options = new ImportOptions(publishing, overwrite, prune, there.role().includes(Role.EDITOR), origin(here.account()));
        Path zip = here.temporaryFile();
        try {
            here.read(dao -> Zip.write(zip, target -> Export.writeSelected(dao, here.account().id(), ids, new BoundedTarget(target))));
            try (AccountFiles files = AccountFiles.toImport(Zip.open(zip, ZipFiles.MAX_UNPACKED_BYTES))) {
                return zipFiles.run(files, there.importOf(files, options, clock), dryRun,
                        "in " + there.account().name());
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } finally {
            zip.toFile().delete();
        }
    }

    /** Applies the import's size limit early, before the disk fills up. */
    private static final class BoundedTarget implements Export.ExportTarget {
        private final Export.ExportTarget target;
        private long bytes;

        BoundedTarget(Export.ExportTarget target) {
            this.target = target;
        }

        @Override
        public void write(String path, byte[] content) {
            bytes += content.length;
            if (bytes > ZipFiles.MAX_UNPACKED_BYTES) {
                throw new Refusal("templates", "These templates exceed " + (ZipFiles.MAX_UNPACKED_BYTES >> 20) + " MiB; copy them in parts");
            }
            target.write(path, content);
        }
    }

    /** The source of the copies; names the account briefly if a source may not be as long as "from" and its name. */
    private static FilesOrigin origin(Account account) {
        String from = "from " + account.name();
        return new FilesOrigin(OriginKind.COPY, from.length() > Validation.NAME_CHARACTERS ? account.name() : from);
    }
}
