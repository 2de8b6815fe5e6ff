package stet.mail;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import stet.base.Excerpt;
import stet.base.Secret;
import stet.base.Utf8;
import stet.core.Actor;
import stet.core.Role;
import stet.core.Template.PublicationRequest;
import stet.core.User;
import stet.dao.Dao;
import stet.dao.LinkDao.Link;
import stet.dao.MailDao.MailKind;
import stet.dao.MailDao.MailState;
import stet.dao.MailDao.QueuedMail;
import stet.dao.MailQueueDao.TestContent;
import stet.mail.MailFailure.FailureKind;
import stet.sqlite.Db;

/**
 * Sends the emails in the queue ({@link stet.dao.MailDao}), one at a time. No transaction is open while the mail server is waited for. Whether
 * an email may still be sent is checked by the transaction that begins an attempt, which also makes the secret of its link: no secret is
 * stored. After a crash between the mail server's reply and the commit, an email is sent a second time, with the same Message-ID.
 */
public final class Mailer {
    /** The pauses between the attempts, and the maximum number of attempts. */
    private static final List<Duration> PAUSES = List.of(Duration.ofMinutes(1), Duration.ofMinutes(10));
    private static final int MAX_TRIES = PAUSES.size() + 1;
    /** Lifetime of an email without a link; an email with a link expires with its link. */
    private static final Duration TEST_LIFETIME = Duration.ofHours(1);
    private static final Duration LIFETIME = Duration.ofDays(1);
    /** Maximum number of addresses looked up per transaction. */
    private static final int STEP_REQUESTS = 50;
    /** Maximum number of characters of a name in an email. */
    private static final int MAX_NAME = 80;
    private static final int KEY_BYTES = 32;
    /** Kinds of email that are sent only to a confirmed address that the user still has. */
    private static final Set<MailKind> TO_OWN_ADDRESS = EnumSet.of(MailKind.RESET, MailKind.RESET_LINK, MailKind.REVIEW, MailKind.TEST);
    private static final String INTERRUPTED = "Stet was stopped while sending; the email may arrive twice";

    private final Db db;
    private final Clock clock;
    private final MailServer server;
    private final Letters letters;
    private final SmtpClient client;
    private final String baseUrl;
    private final RandomGenerator random;
    /** Makes the secrets of links, so that each attempt of this process sends the same link. */
    private final byte[] key = new byte[KEY_BYTES];
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private volatile long waiting;
    /** Records the last attempt, if that has failed, for example because the disk is full; otherwise null. */
    private Runnable unrecorded;
    private boolean isStarted;

    /** @param random a cryptographically secure generator */
    public Mailer(Db db, Clock clock, MailServer server, SmtpClient client, URI baseUrl, RandomGenerator random) {
        this.db = db;
        this.clock = clock;
        this.server = server;
        this.letters = new Letters(server);
        this.client = client;
        this.baseUrl = baseUrl.toString();
        this.random = random;
        random.nextBytes(key);
    }

    private sealed interface PreparedMail {
    }

    /** An email whose attempt has begun. @param email builds the email outside the transaction */
    private record ReadyMail(Supplier<byte[]> email) implements PreparedMail {
    }

    /** An email that is no longer sent. */
    private record DroppedMail(String reason) implements PreparedMail {
    }

    /** Sends due emails. Called by a timer, one call at a time. Nothing is sent until the last attempt is recorded, because it would be repeated. */
    public void sendDue() {
        record();
        if (!isStarted) {
            recover();
            isStarted = true;
        }
        Optional<QueuedMail> next = next();
        while (next.isPresent() && !client.isClosed()) {
            send(next.get());
            next = next();
        }
        waiting = db.read(dao -> dao.mailQueue().waiting());
    }

    /** The next due email. First turns requests into emails, because these may be due before others. */
    private Optional<QueuedMail> next() {
        resolveRequests();
        Instant now = clock.instant();
        return db.read(dao -> dao.mailQueue().next(now, PAUSES.get(PAUSES.size() - 1)));
    }

    /** Records the last attempt, unless that has been done. */
    private void record() {
        if (unrecorded != null) {
            unrecorded.run();
            unrecorded = null;
        }
    }

    /** Retries emails that were being sent when the process ended. Ends those with no attempt left, and those that may have been sent before. */
    private void recover() {
        Instant now = clock.instant();
        if (!db.read(dao -> dao.mailQueue().interrupted()).isEmpty()) {
            db.changeUncached(dao -> dao.mailQueue().interrupted().forEach(mail -> {
                if (mail.isDoubtful() || mail.tries() >= MAX_TRIES) {
                    dao.mailQueue().end(mail.id(), MailState.FAILED, "Stet was stopped while sending; the email may have arrived", now);
                } else {
                    dao.mailQueue().retry(mail.id(), INTERRUPTED, true, now);
                }
            }));
        }
    }

    /** Turns requests for password resets into emails, or deletes them, as {@link stet.dao.MailDao#resolve} decides. */
    private void resolveRequests() {
        Instant now = clock.instant();
        List<QueuedMail> requests = db.read(dao -> dao.mails().resetRequests(STEP_REQUESTS));
        while (!requests.isEmpty()) {
            List<QueuedMail> some = requests;
            db.changeUncached(dao -> some.forEach(request -> dao.as(new Actor(null, Actor.UNKNOWN, "")).mails()
                    .resolve(request, now, Secret.newLink(random))));
            requests = db.read(dao -> dao.mails().resetRequests(STEP_REQUESTS));
        }
    }

    private void send(QueuedMail due) {
        Instant now = clock.instant();
        PreparedMail prepared = db.writeUncached(dao -> dao.mailQueue().find(due.id()).map(mail -> prepare(dao, mail, now))
                .orElse(new DroppedMail("it was deleted")));
        if (prepared instanceof ReadyMail ready) {
            send(due, ready);
        } else if (prepared instanceof DroppedMail dropped) {
            db.log().info("mail-dropped", "id", due.id(), "kind", due.kind().word(), "reason", dropped.reason);
        }
    }

    private void send(QueuedMail due, ReadyMail ready) {
        MailFailure failure = null;
        String reply = "";
        try {
            reply = client.send(server, MailAddress.of(due.address()), ready.email.get());
        } catch (MailFailure caught) {
            failure = caught;
        } catch (RuntimeException broken) {
            db.log().error("work-failed", broken, "task", "mail");
            failure = new MailFailure(FailureKind.REJECTED, "Stet could not build the email; see the log", broken);
        }
        if (failure == null) {
            recordSent(due, reply);
        } else if (!client.isClosed()) {
            recordFailed(due, failure);
        } else if (failure.kind() == FailureKind.TEMPORARY) { // ended by the shutdown, which must not use up an attempt
            db.changeUncached(dao -> dao.mailQueue().release(due.id()));
        } // otherwise, the next start recovers the email
    }

    private void recordSent(QueuedMail mail, String reply) {
        Instant now = clock.instant();
        sent.incrementAndGet();
        unrecorded = () -> db.changeUncached(dao -> dao.mailQueue().end(mail.id(), MailState.SENT, reply, now));
        record();
        db.log().info("mail-sent", "id", mail.id(), "kind", mail.kind().word(), "to", mail.address(), "try", mail.tries() + 1, "reply", reply);
    }

    private void recordFailed(QueuedMail mail, MailFailure failure) {
        Instant now = clock.instant();
        failed.incrementAndGet();
        int tries = mail.tries() + 1;
        boolean isDoubtful = failure.kind() == FailureKind.UNKNOWN;
        boolean isLast = failure.kind() == FailureKind.REJECTED || tries >= MAX_TRIES || isDoubtful && mail.isDoubtful();
        String doubt = isLast ? "; the email may have arrived" : "; the email may arrive twice";
        String outcome = failure.getMessage() + (isDoubtful ? doubt : "");
        unrecorded = () -> db.changeUncached(dao -> {
            if (isLast) {
                dao.mailQueue().end(mail.id(), MailState.FAILED, outcome, now);
            } else {
                dao.mailQueue().retry(mail.id(), outcome, isDoubtful, now.plus(PAUSES.get(tries - 1)));
            }
        });
        record();
        db.log().warn("mail-failed", "id", mail.id(), "kind", mail.kind().word(), "to", mail.address(), "try", tries, "reason", failure.getMessage());
    }

    // ---- what is sent

    /** Begins an attempt, or drops the email. */
    private PreparedMail prepare(Dao dao, QueuedMail mail, Instant now) {
        PreparedMail prepared = build(dao, mail, now);
        if (prepared instanceof DroppedMail dropped) {
            dao.mailQueue().end(mail.id(), MailState.DROPPED, dropped.reason, now);
        } else {
            dao.mailQueue().begin(mail.id(), mail.linkId() == null ? null : secret(mail));
        }
        return prepared;
    }

    private PreparedMail build(Dao dao, QueuedMail mail, Instant now) {
        Optional<User> user = mail.userId() == null ? Optional.empty() : dao.users().find(mail.userId());
        Optional<String> obstacle = obstacle(dao, mail, user, now);
        if (obstacle.isPresent()) {
            return new DroppedMail(obstacle.get());
        }
        return switch (mail.kind()) {
            case RESET, RESET_LINK, ADDRESS, INVITATION -> dao.mailQueue().link(mail, now).map(link -> letter(mail, linkLetter(dao, mail, link)))
                    .orElse(new DroppedMail("its link was used or revoked, or has expired"));
            case NOTICE -> letter(mail, Map.of("title", "Your email address was changed", "email", user.orElseThrow().email(), "before", mail.address()));
            case PASSWORD -> letter(mail, Map.of("title", "Your password was changed", "email", mail.address()));
            case TWO_FACTOR -> letter(mail, Map.of("title", "Two-factor authentication was changed", "email", mail.address(),
                    "is_on", dao.twoFactors().isOn(mail.userId())));
            case REVIEW -> dao.mailQueue().review(mail).map(request -> letter(mail, reviewLetter(dao, mail, request)))
                    .orElse(new DroppedMail("the review request has ended, or the user does not receive these emails"));
            case TEST -> dao.mailQueue().isTestAllowed(mail) ? test(mail, dao.mailQueue().content(mail))
                    : new DroppedMail("the sender has left, or the recipient does not receive tests");
        };
    }

    /** The reason why an email of any kind is no longer sent; empty if there is none. */
    private static Optional<String> obstacle(Dao dao, QueuedMail mail, Optional<User> user, Instant now) {
        if (!MailAddress.isUsable(mail.address())) {
            return Optional.of("the address needs extensions that Stet does not use");
        }
        boolean isLate = mail.createdAt().plus(mail.kind() == MailKind.TEST ? TEST_LIFETIME : LIFETIME).isBefore(now);
        if (mail.linkId() == null && isLate) {
            return Optional.of("it could not be sent in time");
        }
        boolean isOfAccount = mail.accountId() != null;
        if (isOfAccount && dao.accounts().find(mail.accountId()).filter(account -> !account.isSuspended()).isEmpty()) {
            return Optional.of("the account is suspended or deleted");
        }
        if (mail.userId() != null && user.isEmpty()) {
            return Optional.of("the user is deleted");
        }
        boolean isOwnAddress = user.isPresent() && user.get().email().equalsIgnoreCase(mail.address()) && dao.users().isConfirmed(mail.userId());
        return TO_OWN_ADDRESS.contains(mail.kind()) && !isOwnAddress ? Optional.of("the user has another address now") : Optional.empty();
    }

    private Map<String, Object> linkLetter(Dao dao, QueuedMail mail, Link link) {
        return switch (mail.kind()) {
            case INVITATION -> invitationLetter(dao, mail, link);
            case RESET, RESET_LINK -> resetLetter(dao, mail, link);
            default -> addressLetter(mail, link);
        };
    }

    private Map<String, Object> invitationLetter(Dao dao, QueuedMail mail, Link link) {
        String accounts = dao.links().ofSameSecret(link.id()).stream().map(each -> shortened(each.account().name()))
                .collect(Collectors.joining(" and "));
        return Map.of("title", "Join " + accounts, "account", accounts, "action", "Join",
                "inviter", link.makerId() == null ? "" : shortened(link.madeBy()),
                "role", (link.role() == Role.WRITER ? "a " : "an ") + link.role().word(),
                "link", link("/join#", mail));
    }

    private Map<String, Object> resetLetter(Dao dao, QueuedMail mail, Link link) {
        String maker = link.makerId() == null ? "An administrator" : shortened(link.madeBy());
        return Map.of("title", "Choose a new password", "action", "Choose a new password", "email", mail.address(),
                "by", mail.kind() == MailKind.RESET ? "" : maker,
                "two_factor", dao.twoFactors().isOn(mail.userId()),
                "link", link("/reset#", mail));
    }

    private Map<String, Object> addressLetter(QueuedMail mail, Link link) {
        boolean isNew = !link.user().email().equalsIgnoreCase(mail.address());
        return Map.of("title", "Confirm your email address", "action", "Confirm address", "email", mail.address(),
                "before", isNew ? link.user().email() : "",
                "link", link("/confirm#", mail));
    }

    private Map<String, Object> reviewLetter(Dao dao, QueuedMail mail, PublicationRequest request) {
        return Map.of("title", "Review requested", "action", "Open the draft",
                "by", request.by().isEmpty() ? "Somebody" : shortened(request.by()),
                "name", shortened(dao.templates().lastNaming(mail.accountId(), mail.template()).orElseThrow().name()),
                "account", shortened(dao.accounts().find(mail.accountId()).orElseThrow().name()),
                "note", request.note() == null ? "" : request.note(),
                "link", baseUrl + "/templates/" + mail.template(),
                "settings", baseUrl + "/account");
    }

    private static String shortened(String name) {
        return Excerpt.of(name, MAX_NAME);
    }

    /** The address of an email's link. */
    private String link(String path, QueuedMail mail) {
        return baseUrl + path + secret(mail);
    }

    /** The secret of an email's link. */
    private String secret(QueuedMail mail) {
        return Secret.derived(key, mail.id());
    }

    /** One of Stet's own emails. @param data values for its template's variables, except {@code server} */
    private PreparedMail letter(QueuedMail mail, Map<String, Object> data) {
        Map<String, Object> all = new HashMap<>(data);
        all.put("server", URI.create(baseUrl).getAuthority());
        String template = switch (mail.kind()) {
            case NOTICE -> "address-changed";
            case PASSWORD -> "password-changed";
            case TWO_FACTOR -> "two-factor-changed";
            case RESET_LINK -> "reset";
            default -> mail.kind().word();
        };
        return new ReadyMail(() -> letters.letter(template, all, MailAddress.of(mail.address()), id(mail), mail.createdAt()));
    }

    private PreparedMail test(QueuedMail mail, TestContent content) {
        return new ReadyMail(() -> letters.message("[Test] " + content.subject(), Utf8.text(content.html()), MailAddress.of(mail.address()),
                id(mail), mail.createdAt()));
    }

    /** The same for each attempt, so that mailboxes recognise an email that arrives twice. */
    private static String id(QueuedMail mail) {
        return mail.createdAt().toEpochMilli() + "." + mail.id();
    }

    // ---- for administrators

    /** The mail server's URL and the sender. */
    public String description() {
        return server.url() + ", from " + server.from();
    }

    /** Number of unfinished emails, as of the last call of {@link #sendDue}. */
    public long waiting() {
        return waiting;
    }

    /** Number of emails that the mail server has accepted since the start. */
    public long sent() {
        return sent.get();
    }

    /** Number of failed attempts since the start. */
    public long failed() {
        return failed.get();
    }

    /** See {@link SmtpClient#endLate}. */
    public void endLate() {
        client.endLate();
    }

    public void close() {
        client.close();
    }
}
