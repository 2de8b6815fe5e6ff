package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import stet.access.Member;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.DailyRequests.Caller;
import stet.core.Samples;
import stet.core.ServedTemplate;
import stet.core.Template.PublicationRequest;
import stet.core.Template;
import stet.core.TemplateSummary;
import stet.core.Version;
import stet.dao.Dao;
import stet.dao.TemplateDao;
import stet.files.LiveTypes;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.markup.DraftText;
import stet.markup.Sampler;
import stet.types.Language;
import stet.web.Drafts.MailJson;
import stet.web.Drafts.VariableReport;
import stet.web.LiveComparison.ContractJson;
import stet.web.LiveComparison.TextJson;

/** Publishes drafts and earlier versions, shows the version history, and restores drafts from it. */
public final class Publishing {
    /** Maximum number of versions per history page. */
    private static final int MAX_VERSIONS = 100;

    private final Clock clock;
    private final Templates templates;
    private final Previews previews;

    public Publishing(Clock clock, Templates templates, Previews previews) {
        this.clock = clock;
        this.templates = templates;
        this.previews = previews;
    }

    /** The type of the data that the live version needs, as source code. */
    public Response types(Member member, Request request) {
        return Response.json(member.read(dao -> {
            Failure.NOT_FOUND.unless(dao.templates().exists(member.account().id(), request.id()));
            Language language = LiveTypes.language(request.parameter("lang"));
            return LiveTypes.ofTemplate(dao, member.account(), request.id(), language);
        }));
    }

    // ---- before publishing

    /**
     * @param report  null if the draft cannot be published
     * @param savedAt time of the last save of the draft; like {@code savedBy}, null if not recorded
     * @param request an open review request, or null
     */
    record PublicationJson(@JsonUnwrapped LiveComparison comparison, VariableReport report, List<Caller> keys, String savedBy,
                           Instant savedAt, PublicationRequest request) {
    }

    /** Shows what publishing would change, and which keys recently fetched the template. */
    public Response publication(Member member, Request request) {
        Account account = member.account();
        return member.read(dao -> {
            Template template = template(dao, account, request);
            TemplateDao.Saved saved = dao.templates().lastSave(account.id(), template.id()).orElseThrow();
            LiveComparison comparison = LiveComparison.of(dao, account, template);
            TextJson next = comparison.next();
            VariableReport report = next == null ? null : VariableReport.of(next.subject(), next.html(), template.samples(), null);
            return Response.json(new PublicationJson(comparison, report,
                    LiveComparison.callers(dao, account, template.id(), clock.instant()),
                    saved.by(), saved.at(), dao.requests().find(account.id(), template.id()).orElse(null)));
        });
    }

    record StaleRow(String id, String name, boolean draftChanged, List<String> blocks) {
    }

    record StaleList(List<StaleRow> templates) {
    }

    /** Lists templates whose live version contains an outdated copy of a shared block. */
    public Response stale(Member member, Request request) {
        long account = member.account().id();
        return Response.json(member.read(dao -> {
            Map<String, List<String>> stale = dao.blocks().stale(account);
            return new StaleList(dao.templates().list(account).stream().filter(template -> stale.containsKey(template.id()))
                    .map(template -> new StaleRow(template.id(), template.name(), template.state() == TemplateSummary.State.CHANGED,
                            stale.get(template.id()))).toList());
        }));
    }

    // ---- publishing

    /**
     * Publishes the draft only if the user has seen it: checks {@code revision} and, if given, {@code sha256}, which covers
     * shared blocks.
     */
    public Response publish(Member member, Request request) {
        Account account = member.account();
        Fields fields = request.form();
        long revision = fields.number("revision");
        String note = fields.text("note", "");
        String seen = fields.text("sha256", null);
        boolean force = fields.flag("force", false);
        fields.end();
        String id = request.id();
        return templates.response(member, id, () -> member.write(dao -> {
            Templates.checkRevision(dao, account, id, revision);
            return dao.versions().prepare(account.id(), id, force);
        }, (dao, prepared) -> {
            Templates.checkRevision(dao, account, id, revision);
            if (!dao.versions().isUnchanged(account.id(), id, prepared)) {
                return Optional.empty();
            }
            if (seen != null) {
                LiveComparison.checkSeen(seen, prepared.publication());
            }
            dao.versions().publish(account.id(), id, prepared, note, clock.instant());
            return Optional.of(Templates.view(dao, account, id));
        }));
    }

    // ---- history

    record VersionJson(int number, Instant publishedAt, String publishedBy, String note, long bytes, String sha256, boolean live) {
        static VersionJson of(Version version, boolean live) {
            return new VersionJson(version.number(), version.publishedAt(), version.publishedBy(), version.note(), version.bytes(),
                    version.digest(), live);
        }
    }

    /**
     * @param draft    the draft from which the version was made, before shared blocks were expanded
     * @param contract how the required variables would change if this version became live
     * @param keys     API keys that recently fetched the template
     */
    record VersionTextJson(@JsonUnwrapped VersionJson version, @JsonUnwrapped TextJson text, MailJson draft,
                           @JsonUnwrapped ContractJson contract, List<Caller> keys) {
    }

    /** @param before cursor of the next page, which has older versions; omitted on the last page */
    record VersionList(List<VersionJson> versions, @JsonInclude(JsonInclude.Include.NON_NULL) Integer before) {
        /** Lists up to {@link #MAX_VERSIONS}, newest first; the {@code before} parameter selects the next page. */
        static VersionList of(Dao dao, long account, Request request) {
            Failure.NOT_FOUND.unless(dao.templates().exists(account, request.id()));
            Long before = ActivityPage.number(request, "before");
            int live = dao.versions().live(account, request.id()).map(Version::number).orElse(0);
            List<VersionJson> found = dao.versions().list(account, request.id(), before == null ? Long.MAX_VALUE : before, MAX_VERSIONS + 1)
                    .stream().map(version -> VersionJson.of(version, version.number() == live)).toList();
            return found.size() <= MAX_VERSIONS ? new VersionList(found, null)
                    : new VersionList(found.subList(0, MAX_VERSIONS), found.get(MAX_VERSIONS - 1).number);
        }
    }

    public Response versions(Member member, Request request) {
        return Response.json(member.read(dao -> VersionList.of(dao, member.account().id(), request)));
    }

    public Response version(Member member, Request request) {
        Account account = member.account();
        return member.read(dao -> {
            Version.VersionText version = version(dao, account, request);
            boolean live = version.version().number() == template(dao, account, request).published();
            List<String> served = dao.templates().published(account.id(), request.id()).map(ServedTemplate::variables).orElse(List.of());
            return Response.json(new VersionTextJson(VersionJson.of(version.version(), live),
                    TextJson.of(version.subject(), Utf8.text(version.html()), version.variables()),
                    new MailJson(version.subject(), Utf8.text(version.draftHtml())),
                    ContractJson.of(served, version.variables()),
                    LiveComparison.callers(dao, account, request.id(), clock.instant())));
        });
    }

    /** @param preview URL path of the preview */
    record PreviewJson(String preview) {
    }

    /** Previews a version, filled with one of the template's current test data sets. */
    public Response previewVersion(Member member, Request request) {
        Account account = member.account();
        String chosen = request.form(fields -> fields.text("chosen", null));
        return member.read(dao -> {
            String html = Utf8.text(version(dao, account, request).html());
            Samples samples = template(dao, account, request).samples();
            String filled = Sampler.html(html, Samples.data(samples.document(chosen))).text();
            return Response.json(new PreviewJson(previews.add(member.owner().everyone(), filled, null)));
        });
    }

    /** Restores the draft from a version; the live version does not change. */
    public Response restore(Member member, Request request) {
        Account account = member.account();
        long revision = request.form(fields -> fields.number("revision"));
        Version.VersionText version = member.read(dao -> version(dao, account, request));
        DraftText draft = DraftText.of(version.subject(), version.draftHtml());
        return templates.edit(member, request.id(), revision,
                dao -> dao.templates().save(account.id(), request.id(), null, draft, null, clock.instant()));
    }

    /** Publishes an old version again under a new number; the draft does not change. */
    public Response publishAgain(Member member, Request request) {
        Account account = member.account();
        String note = request.form(fields -> fields.text("note", ""));
        int number = member.read(dao -> version(dao, account, request)).version().number(); // also verifies the version's digest
        return Response.json(member.write(dao -> {
            if (dao.versions().live(account.id(), request.id()).filter(live -> live.number() == number).isPresent()) {
                throw new Refusal("Version " + number + " is already live");
            }
            dao.versions().publishAgain(account.id(), request.id(), number, note, clock.instant())
                    .orElseThrow(Failure.NOT_FOUND::thrown);
            return Templates.view(dao, account, request.id());
        }));
    }

    private static Template template(Dao dao, Account account, Request request) {
        return dao.templates().find(account.id(), request.id()).orElseThrow(Failure.NOT_FOUND::thrown);
    }

    private static Version.VersionText version(Dao dao, Account account, Request request) {
        return dao.versions().find(account.id(), request.id(), number(request)).orElseThrow(Failure.NOT_FOUND::thrown);
    }

    /** The version's number in a path; for a larger number than any version has, the largest {@code int}. */
    static int number(Request request) {
        return (int) Math.min(request.number(), Integer.MAX_VALUE);
    }
}
