package stet.web;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import stet.access.Member;
import stet.base.Fields;
import stet.base.Refusal;
import stet.core.Activity.ActivityKind;
import stet.dao.WebhookDao.Webhook;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;

/** The account's webhook, which owners can view, set, test and remove. */
public final class WebhookPage {
    private static final int MAX_CHARACTERS = 500;

    private final Clock clock;
    private final boolean allowsPrivate;
    private final boolean isSending;

    /**
     * @param allowsPrivate whether private addresses and plain HTTP are allowed
     * @param isSending     whether messages are sent; false for the test double
     */
    public WebhookPage(Clock clock, boolean allowsPrivate, boolean isSending) {
        this.clock = clock;
        this.allowsPrivate = allowsPrivate;
        this.isSending = isSending;
    }

    /**
     * @param pending true if a message is waiting for its next attempt or a test message is due
     * @param triedAt null before the first message
     * @param failure why the last attempt failed, or null
     */
    record WebhookJson(String url, boolean pending, Instant triedAt, String failure) {
        static WebhookJson of(Webhook webhook) {
            return new WebhookJson(webhook.url(), webhook.test() || webhook.tries() > 0, webhook.triedAt(),
                    webhook.outcome().isEmpty() ? null : webhook.outcome());
        }
    }

    /** @param webhook null if there is none */
    record PageJson(WebhookJson webhook) {
    }

    public Response show(Member member, Request request) {
        Optional<Webhook> found = member.read(dao -> dao.webhooks().find(member.account().id()));
        return Response.json(new PageJson(found.map(WebhookJson::of).orElse(null)));
    }

    /** Values in the form. @param url null if there is no webhook */
    record UrlJson(String url) {
    }

    public Response set(Member member, Request request) {
        if (!isSending) {
            throw new Refusal("url", "The test double does not send webhook messages");
        }
        Fields fields = request.form();
        URI url = url(fields.text("url").strip());
        Seen seen = Seen.of(fields);
        fields.end();
        member.change(dao -> {
            String before = dao.webhooks().find(member.account().id()).map(Webhook::url).orElse(null);
            seen.check(dao, member.account().id(), new UrlJson(before), new UrlJson(url.toString()), ActivityKind.WEBHOOK_CHANGED);
            dao.webhooks().set(member.account().id(), url.toString(), url.getHost(), clock.instant());
        });
        return show(member, request);
    }

    /** @throws Refusal if the URL is too long or malformed, or cannot be a webhook's */
    private URI url(String text) {
        try {
            URI url = new URI(new URI(text).toASCIIString());
            if (text.length() <= MAX_CHARACTERS && isAllowed(url)) {
                return url;
            }
        } catch (URISyntaxException invalid) {
            // Rejected below.
        }
        throw new Refusal("url", "Enter a URL of at most " + MAX_CHARACTERS + " characters, such as https://hooks.example.com/services/1");
    }

    /** True for an https URL (or http, if private addresses are allowed) with a host and without user information and a fragment. */
    private boolean isAllowed(URI url) {
        boolean isScheme = "https".equalsIgnoreCase(url.getScheme()) || (allowsPrivate && "http".equalsIgnoreCase(url.getScheme()));
        return isScheme && url.getHost() != null && url.getPort() <= 65_535 && url.getRawUserInfo() == null && url.getRawFragment() == null;
    }

    public Response remove(Member member, Request request) {
        Failure.NOT_FOUND.unless(member.write(dao -> dao.webhooks().remove(member.account().id(), clock.instant())));
        return Response.none();
    }

    /** Requests a test message; {@link #show} returns the outcome after the attempt. */
    public Response test(Member member, Request request) {
        Failure.NOT_FOUND.unless(member.write(dao -> dao.webhooks().requestTest(member.account().id(), clock.instant())));
        return Response.none();
    }
}
