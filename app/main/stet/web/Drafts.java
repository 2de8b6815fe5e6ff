package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import stet.access.Member;
import stet.base.Excerpt;
import stet.base.Fields;
import stet.base.Json;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Samples;
import stet.core.Validation;
import stet.dao.Dao;
import stet.http.Response;
import stet.http.Request;
import stet.markup.Checks;
import stet.markup.ClientChecks;
import stet.markup.LineNumbers;
import stet.markup.MailFile;
import stet.markup.Pieces;
import stet.markup.Problems;
import stet.markup.Publisher;
import stet.markup.Sampler;
import stet.markup.Tag;
import stet.markup.VariableTree;
import stet.markup.Variables;

/** Analyzes a draft during editing: variables, shared blocks, problems, preview, and the email filled in with test data. */
public final class Drafts {
    /** Maximum number of variables per list. */
    private static final int MAX_NAMES = 1_000;
    /** Maximum number of places listed for all variables together, and of shared blocks listed. */
    private static final int MAX_LISTED = 1_000;

    private final Clock clock;
    private final Previews previews;

    Drafts(Clock clock, Previews previews) {
        this.clock = clock;
        this.previews = previews;
    }

    /**
     * The draft in a request.
     *
     * @param chosen    name of a test data set; null or an unknown name means the default set
     * @param isWritten true if the draft is edited in <em>Write</em>, which needs its pieces
     */
    record Given(String subject, String html, Samples samples, String chosen, boolean isWritten) {
        static Given of(Request request) {
            Fields fields = request.form();
            Given given = of(fields);
            fields.end();
            return given;
        }

        /** Leaves the other fields unread. */
        static Given of(Fields fields) {
            String subject = Validation.subject(fields.text("subject"));
            String html = fields.text("html");
            Validation.html(html);
            Samples samples = Samples.of(fields.texts("samples"), fields.text("defaultSamples", null));
            String chosen = fields.text("chosen", null);
            boolean isWritten = fields.flag("pieces", false);
            return new Given(subject, html, samples, chosen, isWritten);
        }

        /** The chosen set of test data. */
        ObjectNode data() {
            return Samples.data(samples.document(chosen));
        }

        MailJson filled(Dao dao, long account) {
            return MailJson.of(subject, dao.versions().publisher(account).expand(subject, html), data());
        }
    }

    // ---- check

    /**
     * @param bytes    size of the HTML including shared blocks
     * @param features features that some of the account's mail clients do not fully support, ordered from least to best supported, with
     *                 unavoidable features last
     * @param helpers  helpers of the app, which the preview cannot run
     * @param lost     line and cause if mail clients lose a part of the email
     * @param pieces   what can be moved, added and removed; only if the request asks for it
     */
    record CheckJson(long bytes, List<VariableJson> variables, int moreVariables, @JsonUnwrapped VariableReport report,
                     List<BlockJson> blocks, List<ProblemJson> problems, int moreProblems, String subject,
                     @JsonInclude(JsonInclude.Include.NON_EMPTY) List<FeatureJson> features,
                     @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> helpers,
                     @JsonInclude(JsonInclude.Include.NON_NULL) String lost, @JsonInclude(JsonInclude.Include.NON_NULL) Pieces pieces,
                     @JsonUnwrapped Previews.Marked preview) {
    }

    /** @param places places in the draft; may be empty, for example for a name that occurs only in shared blocks */
    record VariableJson(String name, int morePlaces, List<VariablePlace> places) {
    }

    /** @param line counted from 1 */
    record VariablePlace(String field, int line) {
    }

    record BlockJson(String name, int line, boolean exists) {
    }

    /**
     * @param lines line of each occurrence; a line with several occurrences is repeated
     * @param quote the tag at the start of the sentence, in quotation marks; empty if there is none
     */
    record ProblemJson(String level, String field, String block, List<Integer> lines, String quote, String sentence) {
        static List<ProblemJson> of(Problems problems) {
            return problems.rows().stream().map(row -> new ProblemJson(row.problem().level().word(), row.problem().field(),
                    row.problem().block(), row.lines(), row.problem().quote(), row.problem().sentence())).toList();
        }
    }

    /**
     * @param none   clients without support
     * @param partly clients with partial support
     * @param places places in the draft or, if {@code block} is not null, in a shared block
     */
    record FeatureJson(String id, String title, List<String> none, List<String> partly, List<Publisher.Origin> places, int morePlaces) {
        static List<FeatureJson> of(List<ClientChecks.FoundFeature> found) {
            return found.stream().map(each -> new FeatureJson(each.feature().id(), each.feature().title(), each.none(), each.partly(),
                    each.places(), each.morePlaces())).toList();
        }
    }

    public Response check(Member member, Request request) {
        Account account = member.account();
        Given draft = Given.of(request);
        return member.read(dao -> {
            Publisher publisher = dao.versions().publisher(account.id());
            String expanded = publisher.expand(draft.subject, draft.html);
            Variables.First found = Variables.in(draft.subject, expanded, MAX_NAMES);
            ObjectNode data = draft.data();
            Previews.Marked preview = previews.addMarked(member.owner().everyone(), expanded, publisher.sourceMap(), data);
            Problems problems = Checks.of(draft.subject, draft.html, expanded, found.names(), preview.sent(), publisher);
            Places places = new Places(found.names(), draft);
            return Response.json(new CheckJson(Utf8.length(expanded, 0, expanded.length()),
                    found.names().stream().map(places::of).toList(), found.more(),
                    VariableReport.of(draft.subject, expanded, draft.samples, draft.chosen),
                    places.blocks(publisher),
                    ProblemJson.of(problems), problems.more(), Sampler.subject(draft.subject, data).text(),
                    FeatureJson.of(ClientChecks.of(expanded, dao.mailClients().chosen(account.id()), publisher::origin)),
                    found.helpers(), publisher.lost() == null ? null : publisher.lost().toString(),
                    draft.isWritten ? Pieces.of(draft.html) : null, preview));
        });
    }

    /** Collects the first occurrences of the variables, counts the rest, and records the line of each block's first use. */
    private static final class Places implements Variables.Listener {
        private final Map<String, List<VariablePlace>> variables = new HashMap<>();
        private final Map<String, Integer> more = new HashMap<>();
        /** Line of the first use of each block. */
        private final Map<String, Integer> blocks = new LinkedHashMap<>();
        private String field;
        private LineNumbers lines;
        private int listed;

        /** @param names names of the variables to find */
        Places(List<String> names, Given draft) {
            names.forEach(name -> variables.put(name, new ArrayList<>()));
            read("subject", draft.subject);
            read("html", draft.html);
        }

        private void read(String name, String text) {
            field = name;
            lines = new LineNumbers(text);
            Variables.read(text, this);
        }

        @Override
        public void name(String name, Tag tag) {
            List<VariablePlace> places = variables.get(name);
            if (places != null && listed < MAX_LISTED) {
                places.add(new VariablePlace(field, lines.of(tag.start())));
                listed++;
            } else if (places != null) {
                more.merge(name, 1, Integer::sum);
            }
        }

        @Override
        public void tag(Tag tag) {
            String name = tag.kind() == Tag.TagKind.BLOCK && blocks.size() < MAX_LISTED ? tag.included() : null;
            if (name != null) {
                blocks.putIfAbsent(name, lines.of(tag.start()));
            }
        }

        /** The shared blocks that the draft includes. */
        List<BlockJson> blocks(Publisher publisher) {
            return blocks.entrySet().stream().filter(block -> !publisher.isOnlyInline(block.getKey()))
                    .map(block -> new BlockJson(block.getKey(), block.getValue(), !publisher.isMissing(block.getKey()))).toList();
        }

        VariableJson of(String name) {
            return new VariableJson(name, more.getOrDefault(name, 0), variables.get(name));
        }
    }

    /** A text's variables as a tree, with examples from one test data set, and the sets that are invalid or incomplete. */
    record VariableReport(List<NameJson> tree, List<SetJson> sets) {
        /** Maximum length of an example in characters, and maximum number of missing names listed per set. */
        private static final int MAX_EXAMPLE = 80;
        private static final int MAX_MISSING = 20;
        /** Maximum depth of nested names. */
        private static final int MAX_DEPTH = 8;
        /** Maximum product of the text's length and the number of test data sets checked; the remaining sets are not checked. */
        private static final long MAX_READ = 4 << 20;

        /**
         * @param example a shortened value; null for lists, objects, null and missing values
         * @param rows    length of a list, or null
         */
        record NameJson(String name, boolean isList, boolean isMissing, @JsonInclude(JsonInclude.Include.NON_NULL) String example,
                        @JsonInclude(JsonInclude.Include.NON_NULL) Integer rows, List<NameJson> inner) {
            static NameJson of(VariableTree.Variable variable, int depth) {
                JsonNode value = variable.example();
                boolean isExample = value != null && value.isValueNode() && !value.isNull();
                return new NameJson(variable.name(), variable.isList(), variable.isMissing(),
                        isExample ? Excerpt.of(value.asText(), MAX_EXAMPLE) : null,
                        value != null && value.isArray() ? Integer.valueOf(value.size()) : null,
                        depth == MAX_DEPTH ? List.of() : variable.inner().stream().map(inner -> of(inner, depth + 1)).toList());
            }
        }

        /** @param error why the set cannot be parsed, or null */
        record SetJson(String name, List<String> missing, int moreMissing,
                       @JsonInclude(JsonInclude.Include.NON_NULL) String error) {
        }

        /**
         * @param html   the HTML with shared blocks expanded
         * @param chosen name of the set that provides the examples; null or an unknown name means the default set
         */
        static VariableReport of(String subject, String html, Samples samples, String chosen) {
            ObjectNode data = Samples.data(samples.document(chosen));
            List<NameJson> tree = VariableTree.of(subject, html, data).variables().stream()
                    .map(variable -> NameJson.of(variable, 1)).toList();
            List<SetJson> sets = new ArrayList<>();
            long read = 0;
            for (Map.Entry<String, String> set : samples.documents().entrySet()) {
                read += html.length();
                if (read > MAX_READ) {
                    break;
                }
                SetJson report = set(set.getKey(), set.getValue(), subject, html);
                if (report.error != null || !report.missing.isEmpty()) {
                    sets.add(report);
                }
            }
            return new VariableReport(tree, sets);
        }

        private static SetJson set(String name, String document, String subject, String html) {
            try {
                List<String> missing = VariableTree.of(subject, html, Json.document(document)).missing();
                return new SetJson(name, missing.stream().limit(MAX_MISSING).toList(),
                        Math.max(0, missing.size() - MAX_MISSING), null);
            } catch (Refusal unreadable) {
                return new SetJson(name, List.of(), 0, unreadable.getMessage());
            }
        }
    }

    // ---- the email with test data filled in

    record MailJson(String subject, String html) {
        /** @param html with shared blocks expanded */
        static MailJson of(String subject, String html, ObjectNode data) {
            return new MailJson(Sampler.subject(subject, data).text(), Sampler.html(html, data).text());
        }
    }

    /** Returns the subject and HTML with test data filled in. */
    public Response filled(Member member, Request request) {
        return Response.json(filledMail(member, request));
    }

    /** Returns an .eml file. From and To are the user's email address; both are omitted if it is too long or would need quoting or encoding. */
    public Response file(Member member, Request request) {
        MailJson mail = filledMail(member, request);
        return Response.unstored(200, "message/rfc822",
                MailFile.of(member.user().email(), mail.subject, mail.html, clock.instant()));
    }

    private MailJson filledMail(Member member, Request request) {
        Given draft = Given.of(request);
        return member.read(dao -> draft.filled(dao, member.account().id()));
    }
}
