package stet.web;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import stet.core.Account;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Member;
import stet.core.Samples;
import stet.core.Validation;
import stet.http.Answer;
import stet.http.Request;
import stet.http.Response;
import stet.markup.MailFile;
import stet.markup.Sampler;
import stet.store.Db;

/** The mail that a caller would send: a draft with its shared blocks and its test data, to be tried in a mail program. */
public final class MailFiles {
    private static final String TYPE = "message/rfc822";

    private final Db db;
    private final Clock clock;

    public MailFiles(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    record MailJson(String subject, String html) {
    }

    /** The filled subject and html. */
    public Response filled(Member member, Request request) {
        return Answer.json(Json.write(fill(member.account(), request)));
    }

    /** A file for mail programs, from the person to themselves. */
    public Response file(Member member, Request request) {
        MailJson mail = fill(member.account(), request);
        byte[] file = MailFile.of(member.person().email(), mail.subject, mail.html, clock.instant());
        return Answer.of(200, TYPE, file).with("Cache-Control", "no-store");
    }

    private MailJson fill(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_DRAFT_BYTES));
        String subject = Validation.subject(fields.text("subject"));
        String html = fields.text("html");
        Validation.html(html);
        Samples samples = Samples.of(fields.texts("samples"), fields.text("defaultSamples", null));
        ObjectNode data = Samples.data(samples.document(fields.text("chosen", null)));
        fields.end();
        String expanded = db.read(dao -> dao.versions().publisher(account.id()).expand(subject, html));
        return new MailJson(Sampler.subject(subject, data).text(), Sampler.html(expanded, data).text());
    }
}
