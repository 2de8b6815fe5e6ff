package stet.server;

import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import stet.base.Excerpt;
import stet.base.Json;
import stet.base.Timestamp;
import stet.core.Account;
import stet.dao.Dao;
import stet.dao.WebhookDao.Covered;
import stet.dao.WebhookDao.Event;
import stet.dao.WebhookDao.Webhook;
import stet.dao.WebhookDao;
import stet.sqlite.Db;
import stet.upkeep.Backups;

/**
 * Sends messages to the accounts' webhooks: {@code {"text": "..."}}, the format of Slack and Mattermost. A message covers
 * everything not yet sent for its account, so the activity log is the only queue and a restart loses nothing. After a crash
 * between the request and the commit, a message is sent again.
 */
final class Webhooks {
    /** The pauses between the attempts to send a message, and the maximum number of attempts. */
    private static final List<Duration> PAUSES = List.of(Duration.ofMinutes(1), Duration.ofMinutes(5));
    private static final int MAX_TRIES = PAUSES.size() + 1;
    /** Interval between checks of all webhooks; each check reads a few rows per account. */
    private static final Duration INTERVAL = Duration.ofMinutes(1);
    /** Maximum number of characters of a name, template ID, note or reason in a message. */
    private static final int MAX_CHARACTERS = 300;

    private final Db db;
    private final Optional<Backups> backups;
    private final Clock clock;
    private final String baseUrl;
    private final WebhookClient client;
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    /** Activity up to this row's ID has been checked. */
    private long checked;
    /** Time of the last check of all webhooks. */
    private Instant checkedAllAt = Instant.MIN;
    /** Records the last attempt, if that has failed, for example because the disk is full; otherwise null. */
    private Runnable unrecorded;

    Webhooks(Db db, Optional<Backups> backups, Clock clock, URI baseUrl, WebhookClient client) {
        this.db = db;
        this.backups = backups;
        this.clock = clock;
        this.baseUrl = baseUrl.toString();
        this.client = client;
    }

    /** @param text empty if there is nothing to send */
    private record Message(Webhook webhook, String text, Covered covered) {
    }

    /**
     * Sends due messages. Called by a timer, one call at a time. Once a minute, also checks every webhook for quota and backup messages,
     * and for activity recorded before the start or during a suspension. A failed attempt ends the call; the next call starts with other
     * webhooks. Nothing is sent until the last attempt is recorded, because it would be repeated by each call.
     */
    void sendDue() {
        record();
        Instant now = clock.instant();
        long newest = db.read(dao -> dao.webhooks().newestActivity());
        boolean checksAll = Duration.between(checkedAllAt, now).abs().compareTo(INTERVAL) >= 0;
        List<Webhook> due = new ArrayList<>(db.read(dao -> dao.webhooks().due(checksAll ? newest : checked, now)));
        if (checksAll) {
            db.read(dao -> dao.webhooks().all()).stream().filter(each -> each.tries() == 0).forEach(due::add);
        }
        for (Webhook each : due) {
            if (!send(each.accountId(), now)) {
                return;
            }
        }
        checked = newest;
        checkedAllAt = checksAll ? now : checkedAllAt;
    }

    /** Sends an account's message, if there is one. @return false if the attempt failed */
    private boolean send(long account, Instant now) {
        Optional<Message> found = db.read(dao -> dao.webhooks().find(account)
                .map(webhook -> message(dao, dao.accounts().find(account).orElseThrow(), webhook, now)));
        if (found.isEmpty()) {
            return true;
        }
        Message message = found.get();
        Webhook webhook = message.webhook;
        if (message.text.isEmpty()) {
            if (webhook.tries() > 0) { // the failed message is obsolete, for example because the quota period has ended
                db.changeUncached(dao -> dao.webhooks().end(webhook, message.covered, webhook.triedAt(), webhook.outcome()));
            }
            return true;
        }
        return attempt(message, now);
    }

    /** Sends a message and records the attempt. @return whether the message was accepted */
    private boolean attempt(Message message, Instant now) {
        Webhook webhook = message.webhook;
        String problem = post(webhook, message.text);
        boolean isAccepted = problem.isEmpty();
        if (!isAccepted && client.isClosed()) { // ended by the shutdown, which must not use up an attempt
            return false;
        }
        (isAccepted ? accepted : failed).incrementAndGet();
        if (isAccepted || webhook.tries() + 1 >= MAX_TRIES) {
            unrecorded = () -> db.changeUncached(dao -> dao.webhooks().end(webhook, message.covered, now, problem));
        } else {
            unrecorded = () -> db.changeUncached(dao -> dao.webhooks().recordFailure(webhook, now.plus(PAUSES.get(webhook.tries())), now, problem));
        }
        record();
        if (!isAccepted) {
            db.log().warn("webhook-failed", "account", webhook.accountId(), "host", URI.create(webhook.url()).getHost(),
                    "try", webhook.tries() + 1, "reason", problem);
        }
        return isAccepted;
    }

    /** Records the last attempt, unless that has been done. */
    private void record() {
        if (unrecorded != null) {
            unrecorded.run();
            unrecorded = null;
        }
    }

    private record MessageJson(String text) {
    }

    /** @return the reason why the message was not accepted; empty if it was */
    private String post(Webhook webhook, String text) {
        try {
            int status = client.post(URI.create(webhook.url()), Json.write(new MessageJson(text)));
            boolean isRedirect = status / 100 == 3;
            return status / 100 == 2 ? "" : "the server returned status " + status + (isRedirect ? "; redirects are not followed" : "");
        } catch (IOException failure) {
            return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        }
    }

    /** Everything that has not been sent yet. */
    private Message message(Dao dao, Account account, Webhook webhook, Instant now) {
        List<String> lines = new ArrayList<>();
        if (webhook.test()) {
            lines.add("This is a test message.");
        }
        PendingEvents events = events(dao, webhook);
        lines.addAll(events.lines);
        Instant period = account.period(now).start();
        int percent = quotaPercent(dao, account, period);
        boolean isQuotaNews = percent > (webhook.quotaPeriod().equals(period) ? webhook.quotaPercent() : 0);
        if (isQuotaNews) {
            lines.add(quotaLine(account, percent, now));
        }
        Optional<Backups.BackupProblem> problem = newBackupProblem(webhook);
        problem.ifPresent(backup -> lines.add("The server's backup failed: " + escaped(backup.reason()) + ". Stet will try again."));
        Covered covered = new Covered(events.last, isQuotaNews ? period : webhook.quotaPeriod(), isQuotaNews ? percent : webhook.quotaPercent(),
                problem.map(Backups.BackupProblem::since).orElse(webhook.backupFailedAt()));
        String label = account.label().isEmpty() ? "" : " (" + account.label() + ")";
        return new Message(webhook, lines.isEmpty() ? "" : escaped(account.name() + label) + "\n" + String.join("\n", lines), covered);
    }

    /** A line for each event, and the ID of the activity row up to which they have no gap. */
    private record PendingEvents(List<String> lines, long last) {
    }

    /** The first events that were not sent yet, with a line for the number of the others. */
    private PendingEvents events(Dao dao, Webhook webhook) {
        List<Event> events = dao.webhooks().events(webhook.accountId());
        List<String> lines = new ArrayList<>();
        events.forEach(event -> lines.add(line(event)));
        if (events.size() < WebhookDao.MAX_EVENTS) {
            return new PendingEvents(lines, events.isEmpty() ? webhook.sent() : events.get(events.size() - 1).id());
        }
        long newest = dao.webhooks().newestActivity();
        long more = dao.webhooks().countEvents(webhook.accountId(), newest) - events.size();
        if (more > 0) {
            lines.add("And " + more + " more: " + baseUrl + "/activity");
        }
        return new PendingEvents(lines, newest);
    }

    /** The backups' problem, unless it was sent already. Only administrators get it. */
    private Optional<Backups.BackupProblem> newBackupProblem(Webhook webhook) {
        return backups.filter(any -> webhook.ofAdministrator()).flatMap(Backups::problem)
                .filter(problem -> !problem.since().equals(webhook.backupFailedAt()));
    }

    /** The highest of these shares of its requests that the account has used: 0, 80 or 100 percent. */
    private static int quotaPercent(Dao dao, Account account, Instant period) {
        long limit = account.requests();
        if (limit == 0) {
            return 0;
        }
        long used = dao.usage().used(account, period);
        return used >= limit ? 100 : used >= limit * 0.8 ? 80 : 0;
    }

    private static String quotaLine(Account account, int percent, Instant now) {
        return percent < 100 ? "At least 80% of this period's " + account.requests() + " requests have been used."
                : "All " + account.requests() + " requests for this period have been used. The API returns 429 until "
                + Timestamp.format(account.period(now).end()) + ".";
    }

    private String line(Event event) {
        String actor = escaped(event.actor());
        String template = escaped(event.subject());
        String note = event.detail().isEmpty() ? "." : ": " + escaped(event.detail());
        String link = " " + baseUrl + "/templates/" + event.subject();
        return switch (event.kind()) {
            case REVIEW_REQUESTED -> actor + " requested a review of " + template + note + link;
            case TEMPLATE_PUBLISHED -> actor + " published version " + event.number() + " of " + template + note + link;
            case IMPORTED -> actor + " imported files: " + escaped(event.detail()) + ". " + baseUrl + "/activity";
            case PUSH_REJECTED -> "A push by " + actor + " was rejected because templates or shared blocks had been changed in Stet. " + baseUrl + "/activity";
            default -> throw new IllegalArgumentException(event.kind().word());
        };
    }

    /**
     * Shortens a name or note to one line and disables its mentions, links, images and code. Slack, Mattermost, Discord, Google Chat and
     * Teams differ in where they find mentions (Discord even within words), so no rule about the text around them is used: Slack's control
     * characters are escaped (https://docs.slack.dev/messaging/formatting-message-text), and a zero-width space follows each @, each ],
     * which ends the text of a Markdown link or image, and each backtick.
     */
    private static String escaped(String text) {
        return Excerpt.of(text.replaceAll("\\s+", " "), MAX_CHARACTERS).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replaceAll("[@\\]`]", "$0\u200b");
    }

    /** Number of accepted messages since the start. */
    long accepted() {
        return accepted.get();
    }

    /** Number of failed attempts since the start. */
    long failed() {
        return failed.get();
    }
}
