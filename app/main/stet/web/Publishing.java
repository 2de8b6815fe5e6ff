package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Clock;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import stet.core.Account;
import stet.core.DailyRequests;
import stet.core.DailyRequests.Caller;
import stet.core.Fields;
import stet.core.Refusal;
import stet.core.Samples;
import stet.core.Secret;
import stet.core.ServedTemplate;
import stet.core.Template;
import stet.core.Template.PublicationRequest;
import stet.core.TemplateSummary;
import stet.core.Utf8;
import stet.core.Version;
import stet.dao.Dao;
import stet.dao.TemplateDao;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.markup.Checks;
import stet.markup.DraftText;
import stet.markup.Publisher;
import stet.markup.Publisher.Expansion;
import stet.markup.Sampler;
import stet.markup.Variables;
import stet.web.Drafts.MailJson;
import stet.web.Drafts.ProblemJson;
import stet.web.Drafts.VariableReport;

/** Publishes drafts and shows their version history. */
public final class Publishing {
    /** Maximum names per list. */
    private static final int MAX_NAMES = 1_000;
    /** Maximum versions per page of the history. */
    private static final int MAX_VERSIONS = 100;
    /** Keys that fetched the template within this many days are listed before publishing. */
    private static final int RECENT_DAYS = 30;

    private final Clock clock;
    private final Templates templates;
    private final Previews previews;

    public Publishing(Clock clock, Templates templates, Previews previews) {
        this.clock = clock;
        this.templates = templates;
        this.previews = previews;
    }

    // ---- before publishing

    record TextJson(String subject, String html, List<String> variables, int moreVariables) {
        static TextJson of(String subject, String html, List<String> variables) {
            return new TextJson(subject, html, first(variables), more(variables));
        }
    }

    /** Variables that callers must add, and variables no longer used. */
    record ContractJson(List<String> added, int moreAdded, List<String> removed, int moreRemoved) {
        static ContractJson of(List<String> before, List<String> after) {
            List<String> added = without(after, before);
            List<String> removed = without(before, after);
            return new ContractJson(first(added), more(added), first(removed), more(removed));
        }
    }

    record LiveJson(@JsonUnwrapped TextJson text, int number) {
    }

    /**
     * Compares the text that would be published with the live version.
     *
     * @param live      null if there is no live version
     * @param sha256    digest of {@code next}; both are null if the draft cannot be published
     * @param unchanged true if the live version was made from the same draft and shared blocks
     */
    record ComparisonJson(long revision, List<ProblemJson> problems, int moreProblems, LiveJson live, String sha256,
                          TextJson next, @JsonUnwrapped ContractJson contract, boolean unchanged) {
    }

    /**
     * @param report  null if the draft cannot be published
     * @param savedAt last save of the draft; like {@code savedBy}, null if not recorded
     * @param request an open review request, or null
     */
    record PublicationJson(@JsonUnwrapped ComparisonJson comparison, VariableReport report, List<Caller> keys, String savedBy,
                           Instant savedAt, PublicationRequest request) {
    }

    /** Shows what publishing would change, and which keys recently fetched the template. */
    public Response publication(Member member, Request request) {
        Account account = member.account();
        return member.read(dao -> {
            Template template = template(dao, account, request);
            TemplateDao.Saved saved = dao.templates().lastSave(account.id(), template.id()).orElseThrow();
            ComparisonJson comparison = compare(dao, account, template);
            TextJson next = comparison.next;
            VariableReport report = next == null ? null : VariableReport.of(next.subject, next.html, template.samples(), null);
            return Answer.json(new PublicationJson(comparison, report,
                    keys(dao, account, template.id()),
                    saved.by(), saved.at(), dao.requests().find(account.id(), template.id()).orElse(null)));
        });
    }

    private static ComparisonJson compare(Dao dao, Account account, Template template) {
        dao.templates().checkDraft(account.id(), template);
        String html = Utf8.text(template.html());
        Publisher publisher = dao.versions().publisher(account.id());
        String expanded = publisher.expand(template.subject(), html);
        List<String> variables = Variables.in(template.subject(), expanded);
        long sent = Sampler.html(expanded, Samples.data(template.samples().document(null))).bytes();
        Checks.warn(template.subject(), html, expanded, variables, sent, publisher);
        TextJson next = publisher.problems().isRefused() ? null : TextJson.of(template.subject(), expanded, variables);
        Optional<ServedTemplate> served = dao.templates().published(account.id(), template.id());
        List<String> before = served.map(ServedTemplate::variables).orElse(List.of());
        LiveJson live = served.map(version -> new LiveJson(
                TextJson.of(version.subject(), Utf8.text(version.html()), before), template.published())).orElse(null);
        return new ComparisonJson(template.revision(), ProblemJson.of(publisher.problems()), publisher.problems().more(),
                live, next == null ? null : sha256(next.subject, next.html), next,
                ContractJson.of(before, variables),
                live != null && live.text.subject.equals(template.subject()) && live.text.html.equals(expanded)
                        && Templates.isLive(dao, account.id(), template.id()));
    }

    /** Identifies a text to be published. */
    private static String sha256(String subject, String html) {
        return HexFormat.of().formatHex(Secret.sha256(subject + "\0" + html));
    }

    /** Copies the list, because a view would keep the full list in memory. */
    private static List<String> first(List<String> names) {
        return names.stream().limit(MAX_NAMES).toList();
    }

    private static int more(List<String> names) {
        return Math.max(0, names.size() - MAX_NAMES);
    }

    static List<String> without(List<String> names, List<String> others) {
        Set<String> known = new HashSet<>(others);
        return names.stream().filter(name -> !known.contains(name)).toList();
    }

    /** The keys that fetched a template recently. */
    private List<Caller> keys(Dao dao, Account account, String id) {
        return dao.requestLog().callers(account.id(), id, DailyRequests.day(clock.instant()) - RECENT_DAYS);
    }

    record StaleRow(String id, String name, boolean draftChanged, List<String> blocks) {
    }

    /** Lists templates whose live version contains an outdated text of a shared block. */
    public Response stale(Member member, Request request) {
        long account = member.account().id();
        return Answer.json(member.read(dao -> {
            Map<String, List<String>> stale = dao.blocks().stale(account);
            return Map.of("templates", dao.templates().list(account).stream().filter(template -> stale.containsKey(template.id()))
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
        return templates.answer(member, id, () -> logged(member, member.write(dao -> {
            Templates.checkRevision(dao, account, id, revision);
            return dao.versions().prepare(account.id(), id, force);
        }, (dao, prepared) -> {
            Templates.checkRevision(dao, account, id, revision);
            if (!dao.versions().isUnchanged(account.id(), id, prepared)) {
                return Optional.empty();
            }
            Expansion expansion = prepared.publication();
            Failure.BLOCK_SAVED_MEANWHILE.unless(seen == null
                    || seen.equals(sha256(expansion.subject(), Utf8.text(expansion.html()))));
            dao.versions().publish(account.id(), id, prepared, note, clock.instant());
            return Optional.of(Templates.template(dao, account, id));
        })));
    }

    private Templates.TemplateJson logged(Member member, Templates.TemplateJson published) {
        member.log().info("template-published", "account", member.account().name(), "template", published.id(), "version",
                published.published().number(), "person", member.person().email());
        return published;
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
     * @param contract how variables would change if this version became live; {@code keys} are the affected keys
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
        return Answer.json(member.read(dao -> VersionList.of(dao, member.account().id(), request)));
    }

    public Response version(Member member, Request request) {
        Account account = member.account();
        return member.read(dao -> {
            Version.Text version = version(dao, account, request);
            boolean live = version.version().number() == template(dao, account, request).published();
            List<String> served = dao.templates().published(account.id(), request.id()).map(ServedTemplate::variables).orElse(List.of());
            return Answer.json(new VersionTextJson(VersionJson.of(version.version(), live),
                    TextJson.of(version.subject(), Utf8.text(version.html()), version.variables()),
                    new MailJson(version.subject(), Utf8.text(version.draftHtml())),
                    ContractJson.of(served, version.variables()),
                    keys(dao, account, request.id())));
        });
    }

    /** Previews a version, filled with one of the current sets of test data. */
    public Response previewVersion(Member member, Request request) {
        Account account = member.account();
        String chosen = request.form(fields -> fields.text("chosen", null));
        return member.read(dao -> {
            String html = Utf8.text(version(dao, account, request).html());
            Samples samples = template(dao, account, request).samples();
            String filled = Sampler.html(html, Samples.data(samples.document(chosen))).text();
            return Answer.json(Map.of("preview", previews.add(account, filled, null)));
        });
    }

    /** Restores the draft from a version; the live version does not change. */
    public Response restore(Member member, Request request) {
        Account account = member.account();
        long revision = request.form(fields -> fields.number("revision"));
        Version.Text version = member.read(dao -> version(dao, account, request));
        DraftText draft = DraftText.of(version.subject(), version.draftHtml());
        return templates.edit(member, request.id(), revision,
                dao -> dao.templates().save(account.id(), request.id(), null, draft, null, clock.instant()));
    }

    /** Publishes an old version again under a new number; the draft does not change. */
    public Response publishAgain(Member member, Request request) {
        Account account = member.account();
        String note = request.form(fields -> fields.text("note", ""));
        int number = member.read(dao -> version(dao, account, request)).version().number(); // also verifies the version's digest
        return Answer.json(logged(member, member.write(dao -> {
            if (dao.versions().live(account.id(), request.id()).filter(live -> live.number() == number).isPresent()) {
                throw new Refusal("Version " + number + " is already live");
            }
            dao.versions().publishAgain(account.id(), request.id(), number, note, clock.instant())
                    .orElseThrow(Failure.NOT_FOUND::thrown);
            return Templates.template(dao, account, request.id());
        })));
    }

    private static Template template(Dao dao, Account account, Request request) {
        return dao.templates().find(account.id(), request.id()).orElseThrow(Failure.NOT_FOUND::thrown);
    }

    private static Version.Text version(Dao dao, Account account, Request request) {
        int number = (int) Math.min(request.number(), Integer.MAX_VALUE);
        return dao.versions().find(account.id(), request.id(), number).orElseThrow(Failure.NOT_FOUND::thrown);
    }
}
