package stet.files;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.core.Account;
import stet.core.Samples;
import stet.core.TemplateSummary;
import stet.dao.Dao;
import stet.markup.DataType;
import stet.types.EmailType;
import stet.types.Language;

/**
 * The types of the data that an account's live versions need, as source code.
 *
 * @param account name of the account
 * @param emails  number of live versions
 * @param types   a source file, identical for identical live versions and test data
 */
public record LiveTypes(String account, int emails, String types) {
    /** Maximum number of variables of all live versions. */
    private static final int MAX_VARIABLES = 20_000;
    private static final String DEFAULT_PACKAGE = "emails";
    private static final Pattern PACKAGE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,99}(\\.[A-Za-z_][A-Za-z0-9_]{0,99}){0,9}");

    /** @throws Refusal for an unknown language */
    public static Language language(String word) {
        return Language.of(word).orElseThrow(() -> new Refusal("lang", "lang must be "
                + Arrays.stream(Language.values()).map(Language::word).collect(Collectors.joining(", "))));
    }

    /**
     * The types of all live versions, sorted by ID.
     *
     * @param packageName in Java and Go, or empty
     * @throws Refusal if the package's name is invalid, or if there are too many variables
     */
    public static LiveTypes of(Dao dao, Account account, Language language, String packageName) {
        List<EmailType> emails = new ArrayList<>();
        int variables = 0;
        for (TemplateSummary listed : dao.templates().list(account.id())) {
            Optional<EmailType> email = emailType(dao, account, listed.id());
            if (email.isPresent()) {
                emails.add(email.get());
                variables += count(email.get().type());
            }
            if (variables > MAX_VARIABLES) {
                throw new Refusal("The live versions have more than " + MAX_VARIABLES + " variables; put some of the templates into another account");
            }
        }
        return of(account, emails, language, packageName);
    }

    /** The types of a single template; no type if the template has no live version. */
    public static LiveTypes ofTemplate(Dao dao, Account account, String id, Language language) {
        return of(account, emailType(dao, account, id).stream().toList(), language, "");
    }

    private static LiveTypes of(Account account, List<EmailType> emails, Language language, String packageName) {
        String name = packageName.isEmpty() ? DEFAULT_PACKAGE : packageName;
        boolean isOneWord = language == Language.GO;
        if (!PACKAGE.matcher(name).matches() || isOneWord && name.contains(".")) {
            throw new Refusal("package", "\"" + name + "\" is not a valid package name; use a name such as "
                    + (isOneWord ? DEFAULT_PACKAGE : "com.example." + DEFAULT_PACKAGE));
        }
        return new LiveTypes(account.name(), emails.size(), language.write(emails, name));
    }

    /** The type of a template's data; empty if the template has no live version. */
    private static Optional<EmailType> emailType(Dao dao, Account account, String id) {
        return dao.templates().published(account.id(), id).map(live -> {
            List<? extends JsonNode> sets = dao.templates().samples(account.id(), id).documents().values().stream().map(Samples::data).toList();
            int version = dao.versions().live(account.id(), id).orElseThrow().number();
            return EmailType.of(id, version, live.subject(), Utf8.text(live.html()), sets);
        });
    }

    /** Paths that data for a template lacks; empty if the template has no live version. @param data an object */
    public static List<String> missing(Dao dao, Account account, String id, JsonNode data) {
        return emailType(dao, account, id).map(email -> email.type().missing(data)).orElse(List.of());
    }

    /** Number of variables in a type, counting the type itself. */
    private static int count(DataType type) {
        return 1 + (type.items() == null ? 0 : count(type.items())) + type.fields().values().stream().mapToInt(LiveTypes::count).sum();
    }
}
