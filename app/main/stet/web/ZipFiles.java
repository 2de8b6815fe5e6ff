package stet.web;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import stet.access.Member;
import stet.base.Amount;
import stet.base.Secret;
import stet.base.Utf8;
import stet.core.Draft;
import stet.core.FilesDigest;
import stet.core.ImageNames;
import stet.core.Samples;
import stet.core.TemplateDetails;
import stet.dao.Dao;
import stet.files.AccountFiles;
import stet.files.Changes;
import stet.files.Export;
import stet.files.Import;
import stet.files.ImportOptions;
import stet.files.PublishMode;
import stet.files.Source;
import stet.files.TemplateFile;
import stet.files.Zip;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;

/** Exports and imports accounts as zip files, in the same format as the command line. */
public final class ZipFiles {
    /** Maximum total size of an import's unpacked files. */
    static final long MAX_UNPACKED_BYTES = 128 << 20;
    /** Maximum size of a list of template IDs; enough for all templates that an account can hold. */
    public static final int MAX_CHOICE_BYTES = 1 << 20;

    private final Clock clock;

    public ZipFiles(Clock clock) {
        this.clock = clock;
    }

    /** Sends the account as a zip, written to a temporary file one template at a time. */
    public Response exportZip(Member member, Request request) {
        return zip(member, (dao, target) -> Export.write(dao, member.account().id(), target));
    }

    /** Sends selected templates with their shared blocks as a zip. */
    public Response exportSome(Member member, Request request) {
        Set<String> ids = new LinkedHashSet<>(request.form(fields -> fields.list("templates")));
        return zip(member, (dao, target) -> Export.writeSelected(dao, member.account().id(), ids, target));
    }

    /** Sends what {@code export} writes as a zip. */
    Response zip(Member member, BiConsumer<Dao, Export.ExportTarget> export) {
        Path file = member.temporaryFile();
        try {
            member.read(dao -> Zip.write(file, target -> export.accept(dao, target)));
            return Response.file("application/zip", file).with("Content-Disposition", "attachment; filename=\"stet.zip\"");
        } catch (Throwable failure) {
            file.toFile().delete();
            throw failure;
        }
    }

    /** The files of the request's zip, checked against the account's limits. */
    private AccountFiles files(Member member, Request request) throws IOException {
        Source source = Zip.open(request.spooled(), MAX_UNPACKED_BYTES);
        return AccountFiles.toImport(member.read(dao -> source.withRoomIn(dao, member.account().id())),
                id -> member.read(dao -> TemplateFile.of(dao, member.account().id(), id)));
    }

    /** A template's content; for a shared block, only the HTML. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record TextJson(String name, String subject, String html, Map<String, String> samples, @JsonIgnore TemplateDetails details) {
        static TextJson of(String name, String subject, byte[] html, Samples samples, TemplateDetails details) {
            return new TextJson(name, subject, Utf8.text(html), samples.documents(), details);
        }

        @JsonAnyGetter
        Map<String, Object> fields() {
            return details.fields();
        }
    }

    /** @param before null for a new template or block */
    record DifferenceJson(TextJson before, TextJson after) {
    }

    /** Shows what the files would change in one {@code template} or {@code block}. */
    public Response difference(Member member, Request request) {
        String template = request.parameter("template");
        String block = request.parameter("block");
        try (AccountFiles files = files(member, request)) {
            if (files.drafts().containsKey(template)) {
                return Response.json(templateDifference(member, files, template));
            }
            Failure.NOT_FOUND.unless(files.blocks().containsKey(block));
            return Response.json(blockDifference(member, files, block));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static DifferenceJson templateDifference(Member member, AccountFiles files, String id) {
        long account = member.account().id();
        TextJson before = member.read(dao -> dao.templates().find(account, id).map(stored -> TextJson.of(stored.name(), stored.subject(),
                stored.html(), stored.samples(), dao.details().find(account, id).orElseThrow())).orElse(null));
        Draft draft = files.draft(id);
        return new DifferenceJson(before, TextJson.of(draft.name(), draft.subject(), draft.html(), draft.samples(), files.draftFile(id).details()));
    }

    private static DifferenceJson blockDifference(Member member, AccountFiles files, String name) {
        TextJson before = member.read(dao -> dao.blocks().html(member.account().id(), name)).map(html -> blockText(name, html)).orElse(null);
        return new DifferenceJson(before, blockText(name, files.block(name)));
    }

    /** A block's HTML; for an image, a line about its file. */
    private static TextJson blockText(String name, byte[] html) {
        String text = !ImageNames.isImage(name) ? Utf8.text(html)
                : Amount.of(html.length, "byte") + ", SHA-256 " + FilesDigest.hex(Secret.sha256(html)) + "\n";
        return new TextJson(null, null, text, null, TemplateDetails.NONE);
    }

    /**
     * Imports all files or none. With {@code dryRun=true}, only returns the plan; with {@code overwrite=true}, also replaces texts that
     * were changed in this account; with {@code publish=true}, also publishes.
     */
    public Response importZip(Member member, Request request) {
        PublishMode publishing = request.parameter("publish").equals("true")
                ? PublishMode.CHECKED : PublishMode.NONE;
        boolean dryRun = request.parameter("dryRun").equals("true");
        ImportOptions options = ImportOptions.of(publishing, request.parameter("overwrite").equals("true"));
        try (AccountFiles files = files(member, request)) {
            return run(files, member.importOf(files, options, clock), dryRun, "in Stet");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Runs an import from a page, or only plans it.
     *
     * @param place where the conflicting changes were made, such as {@code in Stet}
     */
    Response run(AccountFiles files, Import work, boolean dryRun, String place) {
        Changes plan = dryRun ? work.dryRun() : work.run();
        boolean isRefused = !dryRun && plan.isRefused();
        return new ImportJson(isRefused ? plan.refusal(place) : null, null, null, plan, isRefused ? null : files.ignored()).response();
    }
}
