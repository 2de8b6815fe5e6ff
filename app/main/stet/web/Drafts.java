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
import stet.core.Account;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Refusal;
import stet.core.Samples;
import stet.core.Utf8;
import stet.core.Validation;
import stet.http.Answer;
import stet.http.Request;
import stet.http.Response;
import stet.markup.Checks;
import stet.markup.ClientChecks;
import stet.markup.LineNumbers;
import stet.markup.MailFile;
import stet.markup.Problems;
import stet.markup.Publisher;
import stet.markup.Sampler;
import stet.markup.Tag;
import stet.markup.VariableTree;
import stet.markup.Variables;

/** A draft as it is typed: its variables, shared blocks, problems and preview, and the mail that a caller would send. */
public final class Drafts {
    /** Variables of one list, at most. */
    private static final int MAX_NAMES = 1_000;
    /** Places of all variables together that are listed, at most, and shared blocks. */
    private static final int MAX_LISTED = 1_000;

    private final Clock clock;
    private final Previews previews;

    Drafts(Clock clock, Previews previews) {
        this.clock = clock;
        this.previews = previews;
    }

    /** The draft of a request. @param chosen set of test data; another name or null stands for the default one */
    private record Given(String subject, String html, Samples samples, String chosen) {
        static Given of(Request request) {
            Fields fields = request.form();
            String subject = Validation.subject(fields.text("subject"));
            String html = fields.text("html");
            Validation.html(html);
            Samples samples = Samples.of(fields.texts("samples"), fields.text("defaultSamples", null));
            String chosen = fields.text("chosen", null);
            fields.end();
            return new Given(subject, html, samples, chosen);
        }

        ObjectNode data() {
            return Samples.data(samples.document(chosen));
        }
    }

    // ---- its check

    /** {@code bytes} counts the html with its shared blocks. The features are those that mail clients lack, the worst first. */
    record CheckJson(long bytes, List<VariableJson> variables, int moreVariables, @JsonUnwrapped VariableReport report,
                     List<BlockJson> blocks, List<ProblemJson> problems, int moreProblems, String subject,
                     @JsonInclude(JsonInclude.Include.NON_EMPTY) List<FeatureJson> features, @JsonUnwrapped Previews.Marked preview) {
    }

    /** @param places in the draft itself: none of a name that only a shared block asks for */
    record VariableJson(String name, int morePlaces, List<Place> places) {
    }

    /** @param line counted from 1 */
    record Place(String field, int line) {
    }

    record BlockJson(String name, int line, boolean exists) {
    }

    /** {@code lines} has a line as often as the problem is on it. */
    record ProblemJson(String level, String field, String block, List<Integer> lines, String sentence) {
        static List<ProblemJson> of(Problems problems) {
            return problems.rows().stream().map(row -> new ProblemJson(row.problem().level().word(), row.problem().field(),
                    row.problem().block(), row.lines(), row.problem().sentence())).toList();
        }
    }

    /** @param none clients that lack it @param partly those that have it in part @param places of which {@code block} may be null */
    record FeatureJson(String id, String title, List<String> none, List<String> partly, List<Publisher.Origin> places, int morePlaces) {
        static List<FeatureJson> of(List<ClientChecks.Found> found) {
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
            Previews.Marked preview = previews.addMarked(account, expanded, publisher.sourceMap(), data);
            Checks.warn(draft.subject, draft.html, expanded, found.names(), preview.sent(), publisher);
            Places places = new Places(found.names(), draft);
            return Answer.json(new CheckJson(Utf8.length(expanded, 0, expanded.length()),
                    found.names().stream().map(places::of).toList(), found.more(),
                    VariableReport.of(draft.subject, expanded, draft.samples, draft.chosen),
                    places.blocks.entrySet().stream().map(block ->
                            new BlockJson(block.getKey(), block.getValue(), !publisher.isMissing(block.getKey()))).toList(),
                    ProblemJson.of(publisher.problems()), publisher.problems().more(), Sampler.subject(draft.subject, data).text(),
                    FeatureJson.of(ClientChecks.of(expanded, dao.mailClients().chosen(account.id()), publisher::origin)), preview));
        });
    }

    /** The places of variables and shared blocks in a draft: the first of them, and a count of the others. */
    private static final class Places implements Variables.Listener {
        private final Map<String, List<Place>> variables = new HashMap<>();
        private final Map<String, Integer> more = new HashMap<>();
        /** Each with the line of its first place. */
        private final Map<String, Integer> blocks = new LinkedHashMap<>();
        private String field;
        private LineNumbers lines;
        private int listed;

        /** @param names of the variables to look for */
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
        public void asks(String name, Tag tag) {
            List<Place> places = variables.get(name);
            if (places != null && listed < MAX_LISTED) {
                places.add(new Place(field, lines.of(tag.start())));
                listed++;
            } else if (places != null) {
                more.merge(name, 1, Integer::sum);
            }
        }

        @Override
        public void tag(Tag tag) {
            if (tag.kind() == Tag.Kind.BLOCK && blocks.size() < MAX_LISTED) {
                blocks.putIfAbsent(tag.words(), lines.of(tag.start()));
            }
        }

        VariableJson of(String name) {
            return new VariableJson(name, more.getOrDefault(name, 0), variables.get(name));
        }
    }

    /**
     * The names that a text asks for as a tree, with examples of one set of test data, and the sets that lack a name or cannot be
     * read, with what they lack.
     */
    record VariableReport(List<NameJson> tree, List<SetJson> sets) {
        /** Characters of an example, and names that a set lacks, at most. */
        private static final int MAX_EXAMPLE = 80;
        private static final int MAX_MISSING = 20;
        /** Names within names that are told. */
        private static final int MAX_DEPTH = 8;
        /** Characters of the text, times sets, that are looked through. The sets beyond are not reported. */
        private static final long MAX_READ = 4 << 20;

        /** @param example a value, shortened; null for none, and for a list or object. @param rows of a list, or null */
        record NameJson(String name, boolean isList, boolean isMissing, @JsonInclude(JsonInclude.Include.NON_NULL) String example,
                        @JsonInclude(JsonInclude.Include.NON_NULL) Integer rows, List<NameJson> inner) {
            static NameJson of(VariableTree.Variable variable, int depth) {
                JsonNode value = variable.example();
                boolean isExample = value != null && value.isValueNode() && !value.isNull();
                return new NameJson(variable.name(), variable.isList(), variable.isMissing(),
                        isExample ? shortened(value.asText()) : null,
                        value != null && value.isArray() ? Integer.valueOf(value.size()) : null,
                        depth == MAX_DEPTH ? List.of() : variable.inner().stream().map(inner -> of(inner, depth + 1)).toList());
            }

            private static String shortened(String text) {
                return text.length() <= MAX_EXAMPLE ? text
                        : text.substring(0, text.offsetByCodePoints(0, text.codePointCount(0, MAX_EXAMPLE))) + "…";
            }
        }

        /** @param error why it cannot be read, or null */
        record SetJson(String name, List<String> missing, int moreMissing,
                       @JsonInclude(JsonInclude.Include.NON_NULL) String error) {
        }

        /**
         * @param html   with its shared blocks in place
         * @param chosen name of the set with the examples; another or none stands for the default one
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

    // ---- its mail

    record MailJson(String subject, String html) {
    }

    /** The filled subject and html. */
    public Response filled(Member member, Request request) {
        return Answer.json(fill(member, request));
    }

    /** A file for mail programs, from the person to themselves. */
    public Response file(Member member, Request request) {
        MailJson mail = fill(member, request);
        return Answer.unstored(200, "message/rfc822",
                MailFile.of(member.person().email(), mail.subject, mail.html, clock.instant()));
    }

    private MailJson fill(Member member, Request request) {
        Given draft = Given.of(request);
        ObjectNode data = draft.data();
        String expanded = member.read(dao -> dao.versions().publisher(member.account().id())
                .expand(draft.subject, draft.html));
        return new MailJson(Sampler.subject(draft.subject, data).text(), Sampler.html(expanded, data).text());
    }
}
