package stet.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import stet.access.Member;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Activity;
import stet.core.Role;
import stet.core.Validation;
import stet.dao.SourceDao.FilesOrigin;
import stet.dao.SourceDao.OriginKind;
import stet.files.AccountFiles;
import stet.files.AccountState;
import stet.files.Changes;
import stet.files.Conflict;
import stet.files.Export;
import stet.files.Import;
import stet.files.ImportOptions;
import stet.files.LiveTypes;
import stet.files.PublishMode;
import stet.files.Source;
import stet.files.Zip;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.types.Language;
import stet.web.Publishing.VersionList;

/** Routes for deploy tokens: state, push, previews, pull, versions and rollback. */
public final class Push {
    private static final Set<String> OF_PUSH = Set.of("publish", "dryRun", "overwrite", "prune", "force", "note", "preview");

    private final Clock clock;
    private final ZipFiles zipFiles;
    private final RandomGenerator random;
    private final URI baseUrl;

    Push(Clock clock, RandomGenerator random, URI baseUrl, ZipFiles zipFiles) {
        this.clock = clock;
        this.random = random;
        this.baseUrl = baseUrl;
        this.zipFiles = zipFiles;
    }

    /** The role that a push requires. Writer tokens can push drafts and dry-run everything else. */
    public static Role role(Request request) {
        return (isOn(request, "publish") || isOn(request, "prune")) && !isOn(request, "dryRun") ? Role.EDITOR : Role.WRITER;
    }

    /** @throws Refusal if the value is neither true nor false */
    private static boolean isOn(Request request, String name) {
        String value = request.parameters(name).isEmpty() ? "false" : request.parameter(name);
        if (!value.equals("true") && !value.equals("false")) {
            throw new Refusal(name, name + " must be true or false");
        }
        return value.equals("true");
    }

    /** @throws Refusal for an unknown parameter; a misspelled dryRun would otherwise be ignored */
    private static void checkParameters(Request request, Set<String> known) {
        request.parameterNames().stream().filter(name -> !name.isEmpty() && !known.contains(name)).findFirst().ifPresent(name -> {
            throw new Refusal(name, "Unknown parameter " + name
                    + (known.isEmpty() ? "" : "; known parameters: " + known.stream().sorted().collect(Collectors.joining(", "))));
        });
    }

    private static String note(Request request) {
        List<String> notes = request.parameters("note");
        if (notes.size() > 1 || notes.contains(null)) {
            throw new Refusal("note", "note may appear only once and must be valid UTF-8");
        }
        return Validation.note(request.parameter("note"));
    }

    /** Returns what a push compares its files with. */
    public Response state(Member member, Request request) {
        checkParameters(request, Set.of());
        return Response.json(member.read(dao -> AccountState.of(dao, member.account())));
    }

    /** @param outdated always true; the client then compares its files again */
    record OutdatedJson(String error, boolean outdated) {
    }

    /** The name of previews in a parameter or path. @throws Refusal if it is invalid */
    private static String previewName(String name) {
        if (!Validation.isId(name)) { // too long to quote, perhaps
            throw new Refusal("preview", "The name of a preview must have 1 to 64 letters, digits, - and _, and start with a letter or digit");
        }
        return name;
    }

    /** @param ended number of emails whose previews have ended */
    record EndedJson(int ended) {
    }

    /** Ends the previews of one name. */
    public Response endPreview(Member member, Request request) {
        checkParameters(request, Set.of());
        String name = previewName(request.id());
        return Response.json(new EndedJson(member.write(dao -> dao.pushPreviews().end(member.account().id(), name, clock.instant()))));
    }

    /** Applies all changes and returns the plan; on a conflict or in a dry run, applies none. */
    public Response push(Member member, Request request) {
        checkParameters(request, OF_PUSH);
        Account account = member.account();
        PublishMode publishing = PublishMode.of(isOn(request, "publish"), isOn(request, "force"));
        boolean dryRun = isOn(request, "dryRun");
        String preview = request.parameters("preview").isEmpty() ? null : previewName(request.parameter("preview"));
        if (preview != null && !dryRun) {
            throw new Refusal("preview", "preview requires dryRun=true");
        }
        ImportOptions options = new ImportOptions(publishing, isOn(request, "overwrite"), isOn(request, "prune"),
                dryRun || member.role().includes(Role.EDITOR), new FilesOrigin(OriginKind.PUSH, note(request)));
        try (Source source = Zip.open(request.spooled(), ZipFiles.MAX_UNPACKED_BYTES);
                AccountFiles files = AccountFiles.toImport(member.read(dao -> source.withRoomIn(dao, account.id())))) {
            Import work = member.importOf(files, options, clock);
            Changes changes = preview != null ? preview(work, preview) : dryRun ? work.dryRun() : work.run();
            if (!dryRun && changes.isRefused()) {
                member.change(dao -> dao.activity().addCounted(account.id(), Activity.ActivityKind.PUSH_REJECTED, "", 1, clock.instant()));
            }
            return new ImportJson(changes.isRefused() ? changes.refusal() : null, account.name(),
                    account.label().isEmpty() ? null : account.label(), changes, files.ignored()).response();
        } catch (Conflict.Outdated outdated) {
            return Response.json(409, new OutdatedJson(outdated.getMessage(), true));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private Changes preview(Import work, String name) {
        return work.preview(name, () -> Secret.newLink(random), baseUrl + "/review#");
    }

    /** Returns the drafts as a zip or, with {@code published=true}, the live versions. */
    public Response pull(Member member, Request request) {
        checkParameters(request, Set.of("published"));
        boolean published = isOn(request, "published");
        return zipFiles.zip(member, (dao, target) -> Export.pull(dao, member.account().id(), published, target));
    }

    /** The types of the data that the live versions need, as source code. */
    public Response types(Member member, Request request) {
        checkParameters(request, Set.of("lang", "package"));
        Language language = LiveTypes.language(request.parameter("lang"));
        return Response.json(member.read(dao -> LiveTypes.of(dao, member.account(), language, request.parameter("package"))));
    }

    // ---- versions

    public Response versions(Member member, Request request) {
        checkParameters(request, Set.of("before"));
        return Response.json(member.read(dao -> VersionList.of(dao, member.account().id(), request)));
    }

    /** @param of number of the earlier version that is published again */
    record RollbackJson(String template, int version, int of) {
    }

    /**
     * Publishes an earlier version again, under a new number. The {@code to} parameter selects the version; the default is the
     * newest version from before the live content was first published. The draft does not change.
     */
    public Response rollback(Member member, Request request) {
        checkParameters(request, Set.of("to", "note"));
        String to = request.parameter("to");
        if (!request.parameters("to").isEmpty() && !to.matches("[1-9][0-9]{0,8}")) {
            throw new Refusal("to", "\"to\" must be a version number");
        }
        String note = note(request);
        RollbackJson done = member.write(dao -> {
            Failure.NOT_FOUND.unless(dao.templates().exists(member.account().id(), request.id()));
            int of = to.isEmpty() ? dao.versions().beforeLive(member.account().id(), request.id()) : Integer.parseInt(to);
            return new RollbackJson(request.id(), dao.versions().rollBack(member.account().id(), request.id(), of, note, clock.instant()), of);
        });
        return Response.json(done);
    }
}
