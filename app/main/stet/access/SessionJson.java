package stet.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.net.URI;
import java.util.List;
import stet.core.Account;
import stet.core.Colour;
import stet.core.Plan;
import stet.core.Role;
import stet.core.User;
import stet.dao.Dao;
import stet.dao.MemberDao.Membership;

/**
 * A signed-in user and their current account, as pages show them.
 *
 * @param mail        whether Stet sends emails; missing if not
 * @param unconfirmed whether the user should confirm the email address; missing if not
 */
record SessionJson(String email, String userName, boolean administrator, @JsonUnwrapped CurrentAccount current, List<AccountChoice> accounts,
                   String baseUrl, @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean mail,
                   @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean unconfirmed) {
    record CurrentAccount(Long id, String accountName, String label, Colour colour, Plan plan, Role role) {
        private static final CurrentAccount NONE = new CurrentAccount(null, null, null, null, null, null);

        /** @param memberships the user's; the role is null if the user no longer belongs to the account */
        private static CurrentAccount of(Account account, List<Membership> memberships) {
            Role role = memberships.stream().filter(each -> each.account().id() == account.id()).map(Membership::role).findFirst().orElse(null);
            return new CurrentAccount(account.id(), account.name(), account.label(), account.colour(), account.plan(), role);
        }
    }

    /** One of the user's accounts. */
    record AccountChoice(long id, String name, String label, Colour colour, Role role, boolean suspended) {
        private static AccountChoice of(Membership membership) {
            Account account = membership.account();
            return new AccountChoice(account.id(), account.name(), account.label(), account.colour(), membership.role(), account.isSuspended());
        }
    }

    /** @param account the current account, or null */
    static SessionJson of(Dao dao, User user, Account account, URI baseUrl, boolean sendsMail) {
        List<Membership> memberships = dao.members().memberships(user.id());
        return new SessionJson(user.email(), user.name(), user.isAdministrator(),
                account == null ? CurrentAccount.NONE : CurrentAccount.of(account, memberships),
                memberships.stream().map(AccountChoice::of).toList(), baseUrl.toString(), sendsMail,
                sendsMail && !dao.users().isConfirmed(user.id()));
    }
}
