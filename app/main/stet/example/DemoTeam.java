package stet.example;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import stet.base.Json;
import stet.base.Secret;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.AccountSecret;
import stet.core.Actor;
import stet.core.DailyRequests;
import stet.core.Draft;
import stet.core.Role;
import stet.core.Template;
import stet.core.User;
import stet.dao.Author;
import stet.dao.CommentDao.NewComment;
import stet.dao.Dao;
import stet.dao.RequestLogDao.MissRow;
import stet.dao.RequestLogDao.RequestRow;
import stet.dao.RequestLogDao.Tally;
import stet.dao.SourceDao.FilesOrigin;
import stet.dao.SourceDao.OriginKind;
import stet.files.AccountFiles;
import stet.files.Import;
import stet.files.ImportOptions;
import stet.files.PublishMode;
import stet.files.Seed;
import stet.files.Source;
import stet.sqlite.Db;

/**
 * The demo's account: a team at work for 30 days, made by the same statements as changes of users, with earlier times.
 *
 * <pre>
 * day 0  seed ─► 2  five more emails ─► 6..20  new versions with notes ─► 24  a push ─► 27  an edited block ─► 29  drafts, a review, a comment
 * </pre>
 */
public final class DemoTeam {
    private static final int DAYS = 30;
    private static final String FOOTER = "footer";
    private static final String RECEIPT = "receipt";
    private static final String WELCOME = "welcome";

    private final Db db;
    private final RandomGenerator random;
    private final Instant begin;
    private Account account;
    private AccountSecret website;
    private AccountSecret shop;

    /** @param now the time at which the 30 days end */
    public DemoTeam(Db db, Instant now, RandomGenerator random) {
        this.db = db;
        this.random = random;
        this.begin = now.minus(Duration.ofDays(DAYS)).plus(Duration.ofMinutes(20));
    }

    private Instant at(double days) {
        return begin.plusMillis((long) (days * Duration.ofDays(1).toMillis()));
    }

    /** Adds the account and its history. */
    public Account add() throws IOException {
        account = Seed.bundled("demo", seed -> db.write(dao -> seed.into(dao, begin, random)));
        Seed.bundled("demo-team", seed -> {
            db.change(dao -> addTeam(dao, seed.files()));
            return account;
        });
        push();
        db.change(this::addLastDays);
        return account;
    }

    private static Dao as(Dao dao, User user) {
        return dao.as(new Actor(user.id(), user.name(), ""));
    }

    /** Adds a member. @return the member */
    private User addMember(Dao dao, String email, String name, Role role) {
        User added = dao.users().add(email, null, at(1));
        dao.users().changeName(added.id(), name);
        dao.members().setRole(account.id(), added.id(), role, at(1));
        return user(dao, email);
    }

    private static User user(Dao dao, String email) {
        return dao.users().find(email).orElseThrow();
    }

    /** Adds the members and keys. The members publish the files' templates and later new versions of them. */
    private void addTeam(Dao dao, AccountFiles files) {
        User owner = user(dao, account.name());
        dao.users().changeName(owner.id(), "Ada Lovelace");
        Dao ada = as(dao, user(dao, account.name()));
        Dao grace = as(dao, addMember(ada, "grace@example.com", "Grace Hopper", Role.EDITOR));
        Dao ben = as(dao, addMember(ada, "ben@example.com", "Ben Okafor", Role.EDITOR));
        addMember(ada, "lin@example.com", "Lin Chen", Role.WRITER);
        website = ada.keys().add(account, "website", Secret.newKey(random), at(1));
        shop = ada.keys().add(account, "shop", Secret.newKey(random), at(1));
        int index = 0;
        for (String id : files.drafts().keySet()) {
            Dao author = List.of(ada, grace, ben).get(index % 3);
            Instant time = at(2 + 0.1 * index++);
            author.templates().save(account.id(), files.draft(id), time);
            author.details().set(account.id(), id, files.drafts().get(id).details());
            author.versions().publish(account.id(), id, "first version", time.plusSeconds(600));
        }
        ada.library().setTags(account.id(), RECEIPT, List.of("shop"));
        ada.library().setTags(account.id(), WELCOME, List.of("account"));
        editAndPublish(grace, WELCOME, 6.1, "shorter, as support asked", "Your account is almost ready. Confirm", "Confirm");
        editAndPublish(ben, RECEIPT, 9.3, "says what the total is", ">Total</th>", ">Total, with VAT</th>");
        editAndPublish(ada, WELCOME, 13.4, "", "to get started.", "to get started. The link works for two days.");
        editAndPublish(ben, "order-shipped", 16.2, "warehouse's wording", "is on its way</h1>", "has left our warehouse</h1>");
        editAndPublish(grace, "trial-ending", 20.5, "A/B test: the winner", "Choose a plan</a>", "Keep reading</a>");
    }

    private void editAndPublish(Dao dao, String id, double day, String note, String before, String after) {
        edit(dao, id, day, before, after);
        dao.versions().publish(account.id(), id, note, at(day).plusSeconds(900));
    }

    private void edit(Dao dao, String id, double day, String before, String after) {
        Template template = dao.templates().find(account.id(), id).orElseThrow();
        byte[] html = Utf8.encode(replaced(Utf8.text(template.html()), before, after));
        dao.templates().save(account.id(), new Draft(id, template.name(), template.subject(), html, template.samples()), at(day));
    }

    private static String replaced(String html, String before, String after) {
        if (!html.contains(before)) {
            throw new IllegalStateException("The demo's email has no " + before);
        }
        return html.replace(before, after);
    }

    /** A deploy token pushes one changed email from Git. */
    private void push() {
        db.change(dao -> {
            Dao ada = as(dao, user(dao, account.name()));
            long token = ada.tokens().add(account, "GitHub", Role.EDITOR, Secret.newPassword(random), null, at(23)).id();
            ada.tokens().recordUse(token, at(24));
        });
        Template template = db.read(dao -> dao.templates().find(account.id(), "payment-failed").orElseThrow());
        String html = replaced(Utf8.text(template.html()), "Update your card</a>", "Update your card (two minutes)</a>");
        Map<String, String> json = new TreeMap<>(Map.of("name", template.name(), "subject", template.subject()));
        Source source = Source.of(new TreeMap<>(Map.of("templates/payment-failed.html", Utf8.encode(html), "templates/payment-failed.json",
                Json.write(json), "templates/payment-failed.samples/default.json", Utf8.encode(template.samples().document(null)))));
        try (AccountFiles pushed = AccountFiles.toImport(source)) {
            ImportOptions options = new ImportOptions(PublishMode.of(true, false), true, false, true, new FilesOrigin(OriginKind.PUSH, "4f1c9a2"));
            Author author = Author.of(new Actor(null, "token GitHub", ""));
            new Import(db, account, pushed, options, author, Clock.fixed(at(24), ZoneOffset.UTC)).run();
        }
    }

    /** From day 27: an edited block, drafts, a review with a comment, and the statistics of all days. */
    private void addLastDays(Dao dao) {
        Dao ada = as(dao, user(dao, account.name()));
        Dao grace = as(dao, user(dao, "grace@example.com"));
        Dao lin = as(dao, user(dao, "lin@example.com"));
        String footer = Utf8.text(dao.blocks().html(account.id(), FOOTER).orElseThrow());
        String withAddress = replaced(footer, "Questions? Email", "12 Quay Street, Bristol. Questions? Email");
        grace.blocks().save(account.id(), FOOTER, Utf8.encode(withAddress), at(27));
        grace.versions().publish(account.id(), "weekly-digest", "with our address", at(27.1));
        edit(lin, RECEIPT, 29.2, "Thank you for your order</h1>", "Thank you, {{name}}</h1>");
        lin.requests().add(account.id(), RECEIPT, "For the sale on Friday", at(29.3));
        long link = lin.reviews().add(account.id(), RECEIPT, null, at(29.3), Secret.newPassword(random)).orElseThrow().id();
        edit(grace, "trial-ending", 29.5, "days left</h1>", "days left to read</h1>");
        lin.comments().add(account.id(), RECEIPT, NewComment.byGuest("Sam from Support", null, "Thank you, Ada Lovelace", null,
                "Friendlier. Can we keep the order number in the first line?").through(link, null), at(29.6));
        addRequests(ada);
    }

    /** Adds 30 days of requests by two keys, fewer on two days of each week and with a few that failed. */
    private void addRequests(Dao dao) {
        String[] ids = {WELCOME, RECEIPT, "order-shipped", "password-reset", "payment-failed"};
        Map<Instant, Long> used = new TreeMap<>();
        for (int day = 2; day < DAYS; day++) {
            Instant time = at(day + 0.4);
            Instant period = account.period(time).start();
            for (int i = 0; i < ids.length; i++) {
                long count = 12 + day * (i + 3) % 17 + (day % 7 < 5 ? 9 - i : 0); // varies without chance
                long key = i % 2 == 0 ? website.id() : shop.id();
                dao.requestLog().add(new RequestRow(account.id(), period, DailyRequests.day(time), key, ids[i], false), new Tally(count, time));
                used.merge(period, count, Long::sum);
            }
            if (day % 9 == 4) {
                dao.requestLog().add(new RequestRow(account.id(), period, DailyRequests.day(time), shop.id(), "", true), new Tally(2, time));
                dao.requestLog().addMiss(new MissRow(account.id(), shop.id(), "reciept", 404), new Tally(2, time));
                used.merge(period, 2L, Long::sum);
            }
        }
        used.forEach((period, count) -> dao.usage().set(account, period, count));
    }
}
