package stet.cli;

import java.util.Optional;
import stet.core.Account;
import stet.core.Refusal;
import stet.core.Suggestion;
import stet.core.TemplateSummary;
import stet.store.Dao;

/** Finds what a command names; a refusal suggests the nearest name. */
final class Lookup {
    private Lookup() {
    }

    /** @throws Refusal when no account has this name, nor a first owner with this e-mail address */
    static Account account(Dao dao, String name) {
        return dao.accounts().find(name).orElseThrow(() -> unknown("account", name,
                Suggestion.nearest(name, dao.accounts().list().stream().map(Account::name).toList(), 2)));
    }

    /** @throws Refusal when the account has no template of this id */
    static void checkTemplate(Dao dao, Account account, String id) {
        if (dao.trash().has(account.id(), id)) {
            throw new Refusal("The template " + id + " is in the trash; \"template restore\" takes it out");
        }
        if (!dao.hasTemplate(account.id(), id)) {
            throw unknown("template", id,
                    Suggestion.nearest(id, dao.templates(account.id()).stream().map(TemplateSummary::id).toList()));
        }
    }

    /** @throws Refusal without --yes */
    static void checkConfirmed(Config config, String deed) {
        if (!config.has(Option.YES)) {
            throw new Refusal("This " + deed + "; --yes does it");
        }
    }

    static Refusal unknown(String kind, String given, Optional<String> nearest) {
        return new Refusal("There is no " + kind + " " + given
                + nearest.map(meant -> "; did you mean " + meant + "?").orElse(""));
    }
}
