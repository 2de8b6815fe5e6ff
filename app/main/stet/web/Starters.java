package stet.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import stet.access.Member;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Brand;
import stet.core.Draft;
import stet.core.Samples;
import stet.files.AccountFiles;
import stet.files.Seed;
import stet.http.Response;
import stet.http.Request;
import stet.markup.EmptyMail;
import stet.markup.Publisher;

/** Starter templates, bundled in the jar: the templates in {@code app/starters}, then one from the demo. */
public final class Starters {
    private static final String EMPTY = "empty";
    private static final List<String> ORDER = List.of("sign-up", "reset", "order-receipt", "invitation", "digest");

    /**
     * A starter template with its shared blocks already expanded.
     *
     * @param id identifies the starter and suggests the ID of the new template
     */
    record Starter(String id, String name, String subject, String html, Map<String, String> samples, String defaultSamples) {
    }

    /** @param empty an email in the account's look */
    record StarterList(List<Starter> starters, Starter empty, Brands.BrandJson brand) {
    }

    /** The starters, and the empty email in the account's look. */
    public Response list(Member member, Request request) {
        Optional<Brand> brand = member.read(dao -> dao.brands().find(member.account().id()));
        Starter empty = new Starter(EMPTY, "Empty", "", EmptyMail.of(brand.orElse(Brand.DEFAULT), "Empty"), Map.of(), null);
        return Response.json(new StarterList(Bundled.ALL, empty, Brands.BrandJson.of(brand)));
    }

    /**
     * Creates the draft of a new template.
     *
     * @param starter the starter's ID
     * @param brand   the account's look
     * @throws Refusal if there is no such starter
     */
    Draft draft(String starter, String id, String name, Supplier<Brand> brand) {
        if (starter.equals(EMPTY)) {
            return new Draft(id, name, "", Utf8.encode(EmptyMail.of(brand.get(), name)), Map.of());
        }
        return Bundled.ALL.stream().filter(each -> each.id.equals(starter)).findFirst()
                .map(each -> new Draft(id, name, each.subject, Utf8.encode(each.html), Samples.of(each.samples, each.defaultSamples)))
                .orElseThrow(() -> new Refusal("starter", "Unknown starter " + starter));
    }

    /** A holder class, so that the templates are loaded on first use. */
    private static final class Bundled {
        static final List<Starter> ALL = Stream.concat(read("starters", ORDER), read("demo", List.of("welcome"))).toList();
    }

    private static Stream<Starter> read(String folder, List<String> ids) {
        try {
            return Seed.bundled(folder, seed -> ids.stream().map(id -> starter(seed.files(), id)).toList()).stream();
        } catch (IOException brokenJar) {
            throw new UncheckedIOException(brokenJar);
        }
    }

    private static Starter starter(AccountFiles files, String id) {
        Draft draft = files.draft(id);
        Publisher publisher = new Publisher(block -> Optional.of(Utf8.text(files.block(block))));
        String html = publisher.expand(draft.subject(), Utf8.text(draft.html()));
        return new Starter(id, draft.name(), draft.subject(), html, draft.samples().documents(), draft.samples().defaultName());
    }
}
