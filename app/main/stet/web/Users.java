package stet.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import stet.access.Member;
import stet.access.Sessions;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.core.AccountSecret;
import stet.core.Activity.ActivityKind;
import stet.core.Colour;
import stet.core.User;
import stet.core.Role;
import stet.core.Validation;
import stet.dao.Dao;
import stet.dao.LinkDao;
import stet.dao.MemberDao.AccountMember;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.mail.MailAddress;

/** An account's users, roles, invitations, password-reset links and settings. */
public final class Users {
    /** Maximum number of notes, and of other accounts, in a request for invitations. */
    private static final int MAX_AT_ONCE = 20;

    private final Clock clock;
    private final RandomGenerator random;
    private final URI baseUrl;
    private final Sessions sessions;

    Users(Clock clock, RandomGenerator random, URI baseUrl, Sessions sessions) {
        this.clock = clock;
        this.random = random;
        this.baseUrl = baseUrl;
        this.sessions = sessions;
    }

    /** @param invitations open invitations; null unless the requesting user is an owner */
    record UsersJson(List<UserRow> users, List<InvitationRow> invitations) {
    }

    /** @param resettable whether the requesting user may create a password-reset link for this user */
    record UserRow(long id, String email, String name, Role role, Instant since, boolean self, boolean resettable) {
    }

    record InvitationRow(long id, Role role, String note, String madeBy, Instant createdAt, Instant expiresAt) {
    }

    /**
     * A new password-reset link, which cannot be shown again.
     *
     * @param note   the user's email address
     * @param mailed whether the link is also sent to it
     */
    record NewLink(String note, String link, @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean mailed, Instant expiresAt) {
    }

    /** New invitations, each with its note about the recipient. */
    record NewInvitations(List<NewInvitation> links, Instant expiresAt) {
    }

    /** @param mailed whether the link is also sent by email, to the address in the note */
    record NewInvitation(String note, String link, @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean mailed) {
    }

    /** A key or token that keeps working after its author has been removed. @param createdBy null if not recorded */
    record CreatedSecret(long id, String name, String createdBy, Instant createdAt) {
    }

    /** A user's API keys and deploy tokens. */
    record SecretsJson(List<CreatedSecret> keys, List<CreatedSecret> tokens) {
    }

    // ---- an account's users

    public Response list(Member member, Request request) {
        long account = member.account().id();
        Instant now = clock.instant();
        return Response.json(member.read(dao -> {
            boolean isOwner = member.isOwner(dao);
            Set<Long> resettable = isOwner ? member.resettable(dao) : Set.of();
            List<UserRow> users = dao.members().list(account).stream().map(each -> {
                User user = each.user();
                return new UserRow(user.id(), user.email(), user.name(), each.role(), each.since(), user.id() == member.user().id(),
                        resettable.contains(user.id()));
            }).toList();
            return new UsersJson(users, isOwner ? invitations(dao, account, now) : null);
        }));
    }

    private static List<InvitationRow> invitations(Dao dao, long account, Instant now) {
        return dao.links().invitations(account, now).stream().map(link ->
                new InvitationRow(link.id(), link.role(), link.note(), link.madeBy(), link.createdAt(), link.expiresAt())).toList();
    }

    /** An invitation to make. @param isMailed whether it is also sent by email, to the address in the note */
    private record PreparedInvitation(String note, String secret, boolean isMailed) {
    }

    /**
     * Creates one link per note, or a single link if there are no notes. Each link invites its recipient to the account and the other named
     * accounts, with a role in each. With {@code mail}, links whose note is an email address are also sent to it.
     */
    public Response invite(Member member, Request request) {
        Fields fields = request.form();
        Role role = Role.of(fields.text("role"));
        Set<String> notes = new LinkedHashSet<>(fields.list("notes").stream().map(String::strip).toList());
        List<Fields> others = fields.objects("others");
        boolean mails = fields.flag("mail", false);
        fields.end();
        if (mails) {
            sessions.checkMail();
        }
        checkNumber("notes", notes.size());
        checkNumber("others", others.size());
        Map<Member, Role> places = new LinkedHashMap<>(Map.of(member, role));
        for (Fields other : others) {
            long account = other.number("account");
            if (places.keySet().stream().anyMatch(place -> place.account().id() == account)) {
                throw new Refusal("others", "An account is listed twice; remove the duplicate");
            }
            places.put(sessions.elsewhere(member, account, Role.OWNER, request), Role.of(other.text("role")));
            other.end();
        }
        List<PreparedInvitation> invitations = (notes.isEmpty() ? Set.of("") : notes).stream().map(note -> invitation(note, mails)).toList();
        Instant now = clock.instant();
        member.change(dao -> places.forEach((place, inPlace) -> {
            place.check(dao);
            invitations.forEach(each -> invite(dao, place, inPlace, each, place == member, now));
        }));
        return Response.json(201, new NewInvitations(invitations.stream().map(each ->
                new NewInvitation(each.note, baseUrl + "/join#" + each.secret, each.isMailed)).toList(), now.plus(LinkDao.INVITATION_LIFETIME)));
    }

    /** @throws Refusal if a note with an @ is not an email address, or one to which no email can be sent although {@code mails} is set */
    private PreparedInvitation invitation(String note, boolean mails) {
        if (!note.contains("@")) {
            return new PreparedInvitation(note, Secret.newLink(random), false);
        }
        String address = Validation.email(note);
        if (mails) {
            MailAddress.of(address);
        }
        return new PreparedInvitation(address, Secret.newLink(random), mails);
    }

    /** @param isFirst true for the first of the invitation's accounts, which sends the only email about them all */
    private static void invite(Dao dao, Member place, Role role, PreparedInvitation invitation, boolean isFirst, Instant now) {
        long account = place.account().id();
        long link = dao.links().invite(account, role, invitation.note, "notes", now, invitation.secret);
        if (invitation.isMailed && isFirst) {
            dao.mails().addInvitation(account, link, invitation.note, now, "notes");
        }
        dao.activity().add(account, ActivityKind.USER_INVITED, invitation.note, role.word(), now);
    }

    /** @throws Refusal if a list has too many entries */
    private static void checkNumber(String field, int number) {
        if (number > MAX_AT_ONCE) {
            throw new Refusal(field, "Enter at most " + MAX_AT_ONCE + " entries at a time");
        }
    }

    /** Revokes an invitation and the same link's invitations to other accounts that the requesting user owns. */
    public Response revoke(Member member, Request request) {
        long id = request.number();
        Instant now = clock.instant();
        member.change(dao -> {
            Failure.NOT_FOUND.unless(dao.links().invitations(member.account().id(), now).stream().anyMatch(each -> each.id() == id));
            Predicate<Long> owned = sessions.owned(dao, request);
            dao.links().ofSameSecret(id).stream().filter(each -> each.id() == id || owned.test(each.account().id()))
                    .forEach(each -> dao.links().revoke(each, now));
        });
        return Response.none();
    }

    /** Changes a member's role; links that a former owner made are deleted. */
    public Response changeRole(Member member, Request request) {
        Fields fields = request.form();
        Role role = Role.of(fields.text("role"));
        Seen seen = Seen.of(fields);
        fields.end();
        long account = member.account().id();
        Instant now = clock.instant();
        member.change(dao -> {
            AccountMember before = found(dao, account, request.number());
            seen.check(dao, account, Map.of("role", before.role()), Map.of("role", role), ActivityKind.ROLE_CHANGED);
            if (before.role() != role) {
                dao.members().setRole(account, before.user().id(), role, now);
                deleteLinks(dao, account, before);
                dao.activity().add(account, ActivityKind.ROLE_CHANGED, before.user().email(), role.word(), now);
            }
        });
        return Response.none();
    }

    /**
     * The API keys and deploy tokens that a user may have created: those with the user's name or email address, and those whose author
     * is not recorded or has no current member's name, because a name may have changed since.
     */
    public Response secrets(Member member, Request request) {
        long account = member.account().id();
        Instant now = clock.instant();
        return Response.json(member.read(dao -> {
            User user = found(dao, account, request.number()).user();
            Set<String> others = new HashSet<>();
            dao.members().list(account).stream().map(AccountMember::user).filter(each -> each.id() != user.id())
                    .forEach(each -> others.addAll(List.of(each.name(), each.email())));
            others.removeAll(List.of(user.name(), user.email()));
            return new SecretsJson(notBy(others, dao.keys().list(account), now), notBy(others, dao.tokens().list(account), now));
        }));
    }

    /** The secrets that are valid and not by these authors; those whose author is not recorded are by none of them. */
    private static List<CreatedSecret> notBy(Set<String> authors, List<AccountSecret> secrets, Instant now) {
        return secrets.stream().filter(each -> !each.isExpired(now) && !authors.contains(each.createdBy()))
                .map(each -> new CreatedSecret(each.id(), each.name(), each.createdBy(), each.createdAt())).toList();
    }

    public Response remove(Member member, Request request) {
        member.change(dao -> remove(dao, member.account().id(), request.number(), ""));
        return Response.none();
    }

    /** Removes the current user from the account. */
    public Response leave(Member member, Request request) {
        member.change(dao -> remove(dao, member.account().id(), member.user().id(), "left"));
        return Response.none();
    }

    /** @param detail shown in the activity log */
    private void remove(Dao dao, long account, long user, String detail) {
        AccountMember before = found(dao, account, user);
        dao.members().remove(account, user);
        deleteLinks(dao, account, before);
        dao.activity().add(account, ActivityKind.USER_REMOVED, before.user().email(), detail, clock.instant());
        dao.users().deleteWithoutAccount(user, sessions.authHeader.addsUsers(), clock.instant());
    }

    /** Deletes links made by a former owner, who could otherwise use them to rejoin. @param before the user's former role */
    private void deleteLinks(Dao dao, long account, AccountMember before) {
        if (before.role() == Role.OWNER) {
            dao.links().deleteMadeBy(account, before.user().id(), clock.instant());
        }
    }

    /** Creates a password-reset link for a member, and emails it if possible. */
    public Response makeResetLink(Member member, Request request) {
        long account = member.account().id();
        String secret = Secret.newLink(random);
        Instant now = clock.instant();
        NewLink made = member.write(dao -> {
            User found = found(dao, account, request.number()).user();
            if (!member.resettable(dao).contains(found.id())) {
                throw notResettable(member, found);
            }
            long link = dao.links().addReset(account, found.id(), now, secret);
            boolean mailed = false;
            if (sessions.sendsMail && MailAddress.isUsable(found.email())) {
                mailed = dao.mails().addResetLink(account, found, link, now);
            }
            dao.activity().add(account, ActivityKind.RESET_LINK_CREATED, found.email(), "", now);
            return new NewLink(found.email(), baseUrl + "/reset#" + secret, mailed, now.plus(LinkDao.RESET_LIFETIME));
        });
        return Response.json(201, made);
    }

    private static Refusal notResettable(Member member, User user) {
        return new Refusal(user.id() == member.user().id() ? "Change your own password on your account page"
                : user.label() + " also belongs to other accounts or administers this server;"
                + " ask an administrator to create a password-reset link with \"user reset\" on the server");
    }

    /** Values in the form for an account's name, label and colour. */
    record AccountSettings(String name, String label, Colour colour) {
    }

    /** Changes the account's name, which commands use to find the account, and optionally its label and colour. */
    public Response changeAccount(Member member, Request request) {
        Fields fields = request.form();
        String name = Validation.accountName(fields.text("name"));
        String label = fields.text("label", null);
        String colour = fields.text("colour", null);
        Seen seen = Seen.of(fields);
        fields.end();
        long id = member.account().id();
        Account renamed = member.write(dao -> {
            Account account = dao.accounts().find(id).orElseThrow(Failure.NO_MEMBER::thrown);
            AccountSettings wanted = new AccountSettings(name, label == null ? account.label() : Validation.trimmed(label),
                    colour == null ? account.colour() : Colour.of(colour));
            seen.check(dao, id, new AccountSettings(account.name(), account.label(), account.colour()), wanted,
                    ActivityKind.ACCOUNT_RENAMED, ActivityKind.ACCOUNT_LABELLED);
            // If the name were an email address that is later reassigned to another user, a command given that address would find this
            // account.
            if (name.contains("@") && !name.equalsIgnoreCase(account.name())) {
                throw new Refusal("name", "A new name must not contain @; choose another name");
            }
            dao.accounts().rename(account, name, clock.instant());
            dao.accounts().setLabel(account, wanted.label, wanted.colour, clock.instant());
            return dao.accounts().find(id).orElseThrow();
        });
        return sessions.response(member.user(), renamed);
    }

    /** Turns the account's two-factor requirement on or off. */
    public Response requireTwoFactor(Member member, Request request) {
        boolean required = request.form(fields -> fields.flag("required", false));
        long account = member.account().id();
        member.change(dao -> {
            if (dao.twoFactors().setRequired(account, required)) {
                dao.activity().add(account, ActivityKind.TWO_FACTOR_CHANGED, "",
                        required ? "required for everyone" : "no longer required", clock.instant());
            }
        });
        return Response.none();
    }

    /** @throws Failure.Thrown if the user is not a member of the account */
    private static AccountMember found(Dao dao, long account, long user) {
        return dao.members().find(account, user).orElseThrow(Failure.NOT_FOUND::thrown);
    }
}
