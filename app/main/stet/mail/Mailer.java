package stet.mail;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import stet.base.Secret;
import stet.base.Utf8;
import stet.core.Account;
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
    /** Maximum number of attempts, and the pauses between them. */
    private static final int MAX_TRIES = 3;
    private static final List<Duration> PAUSES = List.of(Duration.ofMinutes(1), Duration.ofMinutes(10));
    /** Lifetime of an email without a link; an email with a link expires with its link. */
    private static final Duration TEST_LIFETIME = Duration.ofHours(1);
    private static final Duration LIFETIME = Duration.ofDays(1);
    /** Maximum number of addresses looked up per transaction. */
    private static final int STEP_REQUESTS = 50;
    /** Maximum number of characters of a name in an email. */
    private static final int MAX_NAME = 80;
    private static final int KEY_BYTES = 32;
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

    /**
     * An email whose attempt has begun, or the reason why it is no longer sent.
     *
     * @param email   builds the email outside the transaction; null if {@code dropped} is not
     * @param dropped null if the email is sent
     */
    private record PreparedMail(Supplier<byte[]> email, String dropped) {
        static PreparedMail dropped(String reason) {
            return new PreparedMail(null, reason);
        }
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

    /** Requests are looked up before each email, because the emails that they become come first. */
    private Optional<QueuedMail> next() {
        resolveRequests();
        Instant now = clock.instant();
        return db.read(dao -> dao.mailQueue().next(now, PAUSES.get(PAUSES.size() - 1)));
    }

    private void record() {
        if (unrecorded != null) {
            unrecorded.run();
            unrecorded = null;
        }
    }

    /** Lets emails that were being sent when the process ended be sent once more, unless this has happened to them before. */
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

    private void resolveRequests() {
        Instant now = clock.instant();
        List<QueuedMail> requests = db.read(dao -> dao.mails().requests(STEP_REQUESTS));
        while (!requests.isEmpty()) {
            List<QueuedMail> some = requests;
            db.changeUncached(dao -> some.forEach(request -> dao.as(new Actor(null, Actor.UNKNOWN, "")).mails()
                    .resolve(request, now, Secret.newLink(random))));
            requests = db.read(dao -> dao.mails().requests(STEP_REQUESTS));
        }
    }

    private void send(QueuedMail due) {
        Instant now = clock.instant();
        PreparedMail prepared = db.writeUncached(dao -> dao.mailQueue().find(due.id()).map(mail -> prepare(dao, mail, now)).orElse(PreparedMail.dropped("")));
        if (prepared.dropped != null) {
            db.log().info("mail-dropped", "id", due.id(), "kind", due.kind().word(), "reason", prepared.dropped);
            return;
        }
        MailFailure failure = null;
        String reply = "";
        try {
            reply = client.send(server, MailAddress.of(due.address()), prepared.email.get());
        } catch (MailFailure caught) {
            failure = caught;
        } catch (RuntimeException broken) {
            db.log().error("work-failed", broken, "task", "mail");
            failure = new MailFailure(FailureKind.REJECTED, "Stet could not build the email; see the log", broken);
        }
        if (failure != null && client.isClosed()) { // ended by the shutdown, which must not use up an attempt
            if (failure.kind() == FailureKind.TEMPORARY) {
                db.changeUncached(dao -> dao.mailQueue().release(due.id()));
            }
            return;
        }
        note(due, failure, reply);
    }

    private void note(QueuedMail mail, MailFailure failure, String reply) {
        Instant now = clock.instant();
        int tries = mail.tries() + 1;
        (failure == null ? sent : failed).incrementAndGet();
        if (failure == null) {
            unrecorded = () -> db.changeUncached(dao -> dao.mailQueue().end(mail.id(), MailState.SENT, reply, now));
        } else {
            boolean isDoubtful = failure.kind() == FailureKind.UNKNOWN;
            boolean isLast = failure.kind() == FailureKind.REJECTED || tries >= MAX_TRIES || isDoubtful && mail.isDoubtful();
            String outcome = failure.getMessage() + (isDoubtful ? isLast ? "; the email may have arrived" : "; the email may arrive twice" : "");
            unrecorded = () -> db.changeUncached(dao -> {
                if (isLast) {
                    dao.mailQueue().end(mail.id(), MailState.FAILED, outcome, now);
                } else {
                    dao.mailQueue().retry(mail.id(), outcome, isDoubtful, now.plus(PAUSES.get(tries - 1)));
                }
            });
        }
        record();
        if (failure == null) {
            db.log().info("mail-sent", "id", mail.id(), "kind", mail.kind().word(), "to", mail.address(), "try", tries, "reply", reply);
        } else {
            db.log().warn("mail-failed", "id", mail.id(), "kind", mail.kind().word(), "to", mail.address(), "try", tries, "reason", failure.getMessage());
        }
    }

    // ---- what is sent

    /** Begins an attempt, or drops the email. */
    private PreparedMail prepare(Dao dao, QueuedMail mail, Instant now) {
        PreparedMail prepared = build(dao, mail, now);
        if (prepared.dropped != null) {
            dao.mailQueue().end(mail.id(), MailState.DROPPED, prepared.dropped, now);
        } else {
            dao.mailQueue().begin(mail.id(), mail.linkId() == null ? null : secret(mail));
        }
        return prepared;
    }

    private PreparedMail build(Dao dao, QueuedMail mail, Instant now) {
        if (!MailAddress.isUsable(mail.address())) {
            return PreparedMail.dropped("the address needs extensions that Stet does not use");
        }
        boolean isLate = mail.createdAt().plus(mail.kind() == MailKind.TEST ? TEST_LIFETIME : LIFETIME).isBefore(now);
        if (mail.linkId() == null && isLate) {
            return PreparedMail.dropped("it could not be sent in time");
        }
        boolean isOfAccount = mail.accountId() != null;
        if (isOfAccount && dao.accounts().find(mail.accountId()).filter(account -> !account.isSuspended()).isEmpty()) {
            return PreparedMail.dropped("the account is suspended or deleted");
        }
        Optional<User> user = mail.userId() == null ? Optional.empty() : dao.users().find(mail.userId());
        if (mail.userId() != null && user.isEmpty()) {
            return PreparedMail.dropped("the user is deleted");
        }
        boolean isToOwnAddress = user.isPresent() && user.get().email().equalsIgnoreCase(mail.address()) && dao.users().isConfirmed(mail.userId());
        boolean needsOwnAddress = mail.kind() == MailKind.RESET || mail.kind() == MailKind.RESET_LINK || mail.kind() == MailKind.REVIEW || mail.kind() == MailKind.TEST;
        if (needsOwnAddress && !isToOwnAddress) {
            return PreparedMail.dropped("the user has another address now");
        }
        return switch (mail.kind()) {
            case RESET, RESET_LINK, ADDRESS, INVITATION -> dao.mailQueue().link(mail, now).map(link -> letter(mail, linkLetter(dao, mail, link)))
                    .orElse(PreparedMail.dropped("its link was used or revoked, or has expired"));
            case NOTICE -> letter(mail, Map.of("title", "Your email address was changed", "email", user.orElseThrow().email(), "before", mail.address()));
            case PASSWORD -> letter(mail, Map.of("title", "Your password was changed", "email", mail.address()));
            case TWO_FACTOR -> letter(mail, Map.of("title", "Two-factor authentication was changed", "email", mail.address(),
                    "is_on", dao.twoFactors().isOn(mail.userId())));
            case REVIEW -> dao.mailQueue().review(mail).map(request -> letter(mail, reviewLetter(dao, mail, request)))
                    .orElse(PreparedMail.dropped("the review request has ended, or the user does not receive these emails"));
            case TEST -> dao.mailQueue().isTestAllowed(mail) ? test(mail, dao.mailQueue().content(mail))
                    : PreparedMail.dropped("the sender has left, or the recipient does not receive tests");
        };
    }

    private Map<String, Object> linkLetter(Dao dao, QueuedMail mail, Link link) {
        Map<String, Object> data = new HashMap<>();
        if (mail.kind() == MailKind.INVITATION) {
            List<String> accounts = dao.links().ofSameSecret(link.id()).stream().map(Link::account).map(Account::name).map(Mailer::shortened).toList();
            data.put("title", "Join " + String.join(" and ", accounts));
            data.put("account", String.join(" and ", accounts));
            data.put("action", "Join");
            data.put("inviter", link.makerId() == null ? "" : shortened(link.madeBy()));
            data.put("role", (link.role() == Role.WRITER ? "a " : "an ") + link.role().word());
            data.put("link", link("/join#", mail));
        } else if (mail.kind() == MailKind.RESET || mail.kind() == MailKind.RESET_LINK) {
            data.put("title", "Choose a new password");
            data.put("action", "Choose a new password");
            data.put("email", mail.address());
            data.put("by", mail.kind() == MailKind.RESET ? "" : link.makerId() == null ? "An administrator" : shortened(link.madeBy()));
            data.put("two_factor", dao.twoFactors().isOn(mail.userId()));
            data.put("link", link("/reset#", mail));
        } else {
            boolean isNew = !link.user().email().equalsIgnoreCase(mail.address());
            data.put("title", "Confirm your email address");
            data.put("action", "Confirm address");
            data.put("email", mail.address());
            data.put("before", isNew ? link.user().email() : "");
            data.put("link", link("/confirm#", mail));
        }
        return data;
    }

    private Map<String, Object> reviewLetter(Dao dao, QueuedMail mail, PublicationRequest request) {
        Map<String, Object> data = new HashMap<>();
        data.put("title", "Review requested");
        data.put("action", "Open the draft");
        data.put("by", request.by().isEmpty() ? "Somebody" : shortened(request.by()));
        data.put("name", shortened(dao.templates().lastNaming(mail.accountId(), mail.template()).orElseThrow().name()));
        data.put("account", shortened(dao.accounts().find(mail.accountId()).orElseThrow().name()));
        data.put("note", request.note() == null ? "" : request.note());
        data.put("link", baseUrl + "/templates/" + mail.template());
        data.put("settings", baseUrl + "/account");
        return data;
    }

    private static String shortened(String name) {
        return name.codePointCount(0, name.length()) <= MAX_NAME ? name : name.substring(0, name.offsetByCodePoints(0, MAX_NAME)) + "\u2026";
    }

    private String link(String path, QueuedMail mail) {
        return baseUrl + path + secret(mail);
    }

    private String secret(QueuedMail mail) {
        return Secret.derived(key, mail.id());
    }

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
        return new PreparedMail(() -> letters.letter(template, all, MailAddress.of(mail.address()), id(mail), mail.createdAt()), null);
    }

    private PreparedMail test(QueuedMail mail, TestContent content) {
        return new PreparedMail(() -> letters.message("[Test] " + content.subject(), Utf8.text(content.html()), MailAddress.of(mail.address()), id(mail),
                mail.createdAt()), null);
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
