package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import stet.access.Administrator;
import stet.access.Sessions;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Release;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Activity.ActivityKind;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Validation;
import stet.dao.AccountDao;
import stet.dao.Dao;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.mail.MailAddress;
import stet.sqlite.Db;
import stet.upkeep.Backups;

/** The administration page: accounts and server state, but never an account's content. */
public final class Installation {
    /** Maximum number of accounts per list. */
    private static final int MAX_ROWS = 200;

    private final Optional<Backups> backups;
    private final Clock clock;
    private final RandomGenerator random;
    private final Sessions sessions;

    /** @param backups the server's automatic backups, if enabled */
    public Installation(Optional<Backups> backups, Clock clock, RandomGenerator random, Sessions sessions) {
        this.backups = backups;
        this.clock = clock;
        this.random = random;
        this.sessions = sessions;
    }

    /**
     * @param failing      the database's current failure, or null
     * @param backups      null if automatic backups are disabled
     * @param moreAccounts whether there are more accounts than listed
     */
    record AdministrationJson(String version, String jdk, String failing, BackupsJson backups, Db.Sizes sizes,
                            List<AccountRow> accounts, boolean moreAccounts) {
    }

    /**
     * @param every seconds between automatic backups
     * @param last  time of the newest backup; null if there is none yet
     * @param late  whether the newest backup is overdue
     */
    record BackupsJson(Long every, Instant last, boolean late) {
    }

    /**
     * @param ownRequests the account's own request limit, or null for the default; likewise the other own limits
     * @param imageBytes  size of the account's image files, of which {@code images} is the limit
     */
    record AccountRow(long id, String name, Plan plan, boolean suspended, long used, long requests, Long ownRequests, long keys,
                      Long ownKeys, long users, long templates, long bytes, long storage, Long ownStorage, long imageBytes, long images,
                      Long ownImages, Instant createdAt, Instant lastRequestAt) {
    }

    public Response show(Administrator administrator, Request request) {
        Instant now = clock.instant();
        String part = request.parameter("q");
        Db.Sizes sizes = administrator.sizes();
        BackupsJson backup = backups.map(each -> new BackupsJson(each.every().toSeconds(), each.last().orElse(null), each.isLate())).orElse(null);
        return Response.json(administrator.read(dao -> {
            List<AccountDao.AccountSummary> rows = dao.accounts().summaries(part, MAX_ROWS + 1);
            return new AdministrationJson(Release.version(), System.getProperty("java.version"), administrator.failing().orElse(null), backup, sizes,
                    rows.stream().limit(MAX_ROWS).map(row -> row(row, dao, now)).toList(), rows.size() > MAX_ROWS);
        }));
    }

    private static AccountRow row(AccountDao.AccountSummary row, Dao dao, Instant now) {
        Account account = row.account();
        return new AccountRow(account.id(), account.name(), account.plan(), account.isSuspended(),
                dao.usage().used(account, account.period(now).start()), account.requests(), account.requestLimit(),
                account.keys(), account.keyLimit(), row.users(), row.templates(), row.storage().bytes(),
                row.storage().limit(), account.storageLimit(), row.images().bytes(), row.images().limit(), row.ownImages(),
                account.createdAt(), row.lastRequestAt());
    }

    /**
     * @param link   path of the owner's invitation, which cannot be shown again
     * @param mailed whether the link is also sent by email
     */
    record NewAccount(long id, String name, String link, @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean mailed) {
    }

    /** The future owner's email address in a request, or an empty text. @throws Refusal if it is invalid, or no email can be sent to it */
    private String ownerAddress(Fields fields) {
        String given = fields.text("email", "").strip();
        if (given.isEmpty()) {
            return given;
        }
        String email = Validation.email(given);
        if (sessions.sendsMail) {
            MailAddress.of(email);
        }
        return email;
    }

    /**
     * Emails an owner's invitation if Stet sends emails and there is an address.
     *
     * @param link  the invitation's ID
     * @param email the future owner's address, or an empty text
     * @return the account with the invitation's link
     */
    private NewAccount mailInvitation(Dao dao, Account account, long link, String email, String secret) {
        boolean isMailed = sessions.sendsMail && !email.isEmpty();
        if (isMailed) {
            dao.mails().addInvitation(account.id(), link, email, clock.instant(), "email");
        }
        return new NewAccount(account.id(), account.name(), "/join#" + secret, isMailed);
    }

    /** Creates an account and an invitation for its owner, which is also emailed if the request has an address. */
    public Response add(Administrator administrator, Request request) {
        Fields fields = request.form();
        String name = Validation.accountName(fields.text("name"));
        Plan plan = Plan.of(fields.text("plan"));
        String email = ownerAddress(fields);
        fields.end();
        String secret = Secret.newLink(random);
        Instant now = clock.instant();
        return Response.json(201, administrator.write(dao -> {
            Account account = dao.accounts().addEmpty(name, plan, now);
            long link = dao.links().invite(account.id(), Role.OWNER, email, "email", now, secret);
            return mailInvitation(dao, account, link, email, secret);
        }));
    }

    /** Creates a new invitation for an account that has no owner, for example because the first invitation has expired. */
    public Response invite(Administrator administrator, Request request) {
        String email = request.form(this::ownerAddress);
        String secret = Secret.newLink(random);
        return Response.json(201, administrator.write(dao -> {
            Account account = dao.accounts().find(request.number()).orElseThrow(Failure.NOT_FOUND::thrown);
            long link = dao.accounts().inviteOwner(account, email, clock.instant(), secret);
            return mailInvitation(dao, account, link, email, secret);
        }));
    }

    /** Values in the form for a plan; null for a limit of the plan or the server. */
    record PlanSettings(Plan plan, Long requests, Long keys, Long storage, Long images) {
    }

    /** Sets the plan, the billing anchor and the limits; a missing limit means the default. */
    public Response changePlan(Administrator administrator, Request request) {
        Fields fields = request.form();
        Plan plan = Plan.of(fields.text("plan"));
        Instant anchor = fields.instant("billingAnchor");
        Long requests = fields.number("requests", 0, Long.MAX_VALUE, null);
        Long keys = fields.number("keys", 0, Long.MAX_VALUE, null);
        Long storage = fields.number("storage", 1, Long.MAX_VALUE, null);
        Long images = fields.number("images", 1, Long.MAX_VALUE, null);
        Seen seen = Seen.of(fields);
        fields.end();
        if (anchor != null && plan != Plan.PRO) {
            throw new Refusal("billingAnchor", "A billing anchor requires the Pro plan");
        }
        Instant now = clock.instant();
        return change(administrator, request, (dao, account) -> {
            PlanSettings before = new PlanSettings(account.plan(), account.requestLimit(), account.keyLimit(), account.storageLimit(),
                    dao.images().ownLimit(account.id()).orElse(null));
            seen.check(dao, account.id(), before, new PlanSettings(plan, requests, keys, storage, images), ActivityKind.PLAN_CHANGED);
            dao.accounts().changePlan(account, plan, anchor, now);
            dao.accounts().changeLimits(account, requests, keys, now);
            dao.storage().changeLimit(account, storage, now);
            dao.images().changeLimit(account.id(), images, now);
        });
    }

    public Response rename(Administrator administrator, Request request) {
        Fields fields = request.form();
        String name = Validation.accountName(fields.text("name"));
        Seen seen = Seen.of(fields);
        fields.end();
        return change(administrator, request, (dao, account) -> {
            seen.check(dao, account.id(), Map.of("name", account.name()), Map.of("name", name), ActivityKind.ACCOUNT_RENAMED);
            dao.accounts().rename(account, name, clock.instant());
        });
    }

    public Response suspend(Administrator administrator, Request request) {
        return change(administrator, request,
                (dao, account) -> dao.accounts().setSuspended(account, true, clock.instant()));
    }

    public Response resume(Administrator administrator, Request request) {
        return change(administrator, request,
                (dao, account) -> dao.accounts().setSuspended(account, false, clock.instant()));
    }

    /** Deletes an account if the administrator has typed the account's name. */
    public Response delete(Administrator administrator, Request request) {
        String name = request.parameter("name");
        return change(administrator, request, (dao, account) -> {
            if (!account.name().equals(name)) {
                throw new Refusal("name", "The name does not match the account; enter the account's exact name");
            }
            dao.accounts().delete(account, clock.instant());
        });
    }

    private static Response change(Administrator administrator, Request request, BiConsumer<Dao, Account> change) {
        administrator.change(dao -> change.accept(dao, dao.accounts().find(request.number()).orElseThrow(Failure.NOT_FOUND::thrown)));
        return Response.none();
    }
}
