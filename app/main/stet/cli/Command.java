package stet.cli;

import static stet.cli.Option.*;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The commands, with their names, operands, help and options. */
public enum Command {
    SERVE("serve", "", "runs the service (the default command)", DATA, LISTEN, BASE_URL, TRUSTED_PROXIES,
            AUTH_HEADER, AUTH_HEADER_ROLE, AUTH_HEADER_ACCOUNT, SEED,
            ADMIN_EMAIL, ADMIN_PASSWORD_FILE, ADMIN_PASSWORD, PORT_FILE, LOG_FORMAT,
            ACCESS_LOG, METRICS, BACKUP_DIR, BACKUP_EVERY, BACKUP_KEEP, AFTER_BACKUP, AFTER_BACKUP_TIMEOUT, WEBHOOK_PRIVATE, REPLACED_KEEP, ACCOUNT_STORAGE, IMAGES_URL, ACCOUNT_IMAGES,
            SMTP, SMTP_FROM, SMTP_PASSWORD_FILE, SMTP_PASSWORD),
    DEMO("demo", "", "runs a demo on temporary data, with a Pro account and sample templates", LISTEN, PORT_FILE),
    FIXTURE("fixture", "DIR", "runs a test double with the accounts in DIR; the controls are under /_fixture",
            LISTEN, PORT_FILE, EXPOSE, WITH_PARENT, NOW, STRICT, WEB, VERBOSE, WATCH, EXEC, IMAGES_URL),
    ACCOUNT_ADD("account add", "EMAIL", "adds an account and, for a new user, generates and prints a password (shown only once)",
            DATA, NAME, PLAN, REQUESTS, KEYS, PASSWORD_FILE),
    ACCOUNT_LIST("account list", "", "lists the accounts", DATA, JSON),
    ACCOUNT_PLAN("account plan", "ACCOUNT [PLAN]", "changes an account's plan or limits", DATA, BILLING_ANCHOR,
            REQUESTS, KEYS, STORAGE, IMAGES),
    ACCOUNT_RENAME("account rename", "ACCOUNT NAME", "renames an account", DATA),
    ACCOUNT_LABEL("account label", "ACCOUNT LABEL", "shows a label such as Production next to the account's name; \"\" removes the label", DATA,
            COLOUR),
    ACCOUNT_INVITE("account invite", "ACCOUNT [ADDRESS]", "prints an invitation link for an account's first owner; the link is shown only once", DATA,
            BASE_URL, LISTEN),
    ACCOUNT_SUSPEND("account suspend", "ACCOUNT", "suspends an account, blocking its users and returning 403 to API requests", DATA),
    ACCOUNT_RESUME("account resume", "ACCOUNT", "resumes a suspended account", DATA),
    ACCOUNT_DELETE("account delete", "ACCOUNT", "deletes an account, its data, and any users who belong to no other account (except administrators and users without a password)",
            DATA, YES),
    USER_INVITE("user invite", "ADDRESS", "prints an invitation link that works once and expires after 72 hours; the link is shown only once", DATA, ACCOUNT, ROLE, BASE_URL, LISTEN),
    USER_LIST("user list", "", "lists all users with their accounts and roles", DATA, JSON),
    USER_RESET("user reset", "EMAIL", "prints a password-reset link that works once and expires after 24 hours; the link is shown only once",
            DATA, BASE_URL, LISTEN),
    USER_PASSWORD("user password", "EMAIL", "changes a user's password; by default, generates a password and prints it (shown only once)", DATA, PASSWORD_FILE),
    USER_ADMINISTRATOR("user administrator", "EMAIL", "makes a user an administrator; with --off, revokes administrator rights", DATA, OFF, YES),
    USER_TWO_FACTOR("user two-factor", "EMAIL", "turns off two-factor authentication for a user who has lost their authenticator app and recovery codes",
            DATA, OFF),
    MAIL_TEST("mail test", "ADDRESS", "sends a test email to an address through the mail server, and explains what is wrong", SMTP, SMTP_FROM,
            SMTP_PASSWORD_FILE, SMTP_PASSWORD),
    KEY_ADD("key add", "ACCOUNT NAME", "creates an API key and prints it (shown only once)", DATA),
    KEY_LIST("key list", "ACCOUNT", "lists an account's API keys", DATA, JSON),
    KEY_ROTATE("key rotate", "ACCOUNT ID", "replaces an API key and prints the new key (shown only once)", DATA, OVERLAP),
    KEY_DELETE("key delete", "ACCOUNT ID", "deletes an API key; further requests with the key get 401", DATA),
    TOKEN_ADD("token add", "ACCOUNT NAME", "creates a deploy token for pushes from Git and prints it (shown only once)", DATA, ROLE, EXPIRES),
    TOKEN_LIST("token list", "ACCOUNT", "lists an account's deploy tokens", DATA, JSON),
    TOKEN_ROTATE("token rotate", "ACCOUNT ID", "replaces a deploy token and prints the new token (shown only once)", DATA, OVERLAP),
    TOKEN_DELETE("token delete", "ACCOUNT ID", "deletes a deploy token; further pushes and pulls with the token get 401", DATA),
    PUSH("push", "DIR", "saves a folder's drafts and shared blocks to a local or remote account, all or nothing",
            DATA, ACCOUNT, SERVER, ALLOW_HTTP, TOKEN_FILE, TOKEN, TO, PUBLISH, FORCE, OVERWRITE, PRUNE, NOTE, DRY_RUN, EXIT_CODE, Option.PREVIEW, END, GITHUB, JSON),
    PROMOTE("promote", "[DIR]", "publishes the live versions of one account in another account; stet.json in DIR names both", FROM, TO,
            FORCE, OVERWRITE, PRUNE, NOTE, DRY_RUN, EXIT_CODE, JSON),
    PULL("pull", "DIR", "updates a folder with the drafts and shared blocks changed in Stet", DATA, ACCOUNT, SERVER, ALLOW_HTTP, TOKEN_FILE, TOKEN,
            FROM, PUBLISHED, OVERWRITE),
    DIFF("diff", "DIR", "compares a folder with an account's drafts, line by line", DATA, ACCOUNT, SERVER, ALLOW_HTTP,
            TOKEN_FILE, TOKEN, ON, EXIT_CODE, JSON),
    ROLLBACK("rollback", "ID", "republishes an older version of a template under a new version number", DATA, ACCOUNT, SERVER, ALLOW_HTTP,
            TOKEN_FILE, TOKEN, ON, TO, NOTE),
    STATUS("status", "", "shows the last push or import and lists the changes made in Stet since then", DATA, ACCOUNT, SERVER, ALLOW_HTTP, TOKEN_FILE,
            TOKEN, ON, JSON),
    TYPES("types", "[FILE]", "writes the type of each live template's data as source code, so that an app with a wrong variable does not compile", DATA,
            ACCOUNT, SERVER, ALLOW_HTTP, TOKEN_FILE, TOKEN, ON, LANG, PACKAGE, Option.CHECK),
    PREVIEW("preview", "DIR", "renders a folder's templates with each set of test data as a gallery of static pages", OUT, STRICT, JSON),
    IMPORT("import", "DIR", "imports drafts and shared blocks from a folder or zip file of Stet or another system, all or nothing",
            DATA, ACCOUNT, PUBLISH, FORCE, OVERWRITE, DRY_RUN),
    EXPORT("export", "DIR", "exports drafts and shared blocks to a folder", DATA, ACCOUNT, PUBLISHED, WITH_ACCOUNT),
    TEMPLATE_LIST("template list", "ACCOUNT", "lists an account's templates", DATA, TRASH, JSON),
    TEMPLATE_PUBLISH("template publish", "ACCOUNT ID", "publishes a template's draft", DATA, FORCE),
    TEMPLATE_DELETE("template delete", "ACCOUNT ID", "moves a template to the trash for 30 days; requests for the template get 404", DATA,
            FOR_GOOD, YES),
    TEMPLATE_RESTORE("template restore", "ACCOUNT ID", "restores a template from the trash", DATA),
    TEMPLATE_PRUNE("template prune", "ACCOUNT [ID]", "deletes old versions of one or all templates, but never a live version",
            DATA, KEEP, YES),
    USAGE("usage", "ACCOUNT", "shows the requests used, the limit and the end of the period", DATA, JSON),
    ACTIVITY("activity", "[ACCOUNT]", "lists an account's activity, or the server's activity if ACCOUNT is omitted",
            DATA, SINCE, LIMIT, JSON),
    CHECK("check", "[FILE]", "checks the database (integrity, references, file permissions, free space) or a backup file; with a folder of templates and"
            + " --data app.json, names the variables that an app's data lacks",
            DATA, JSON),
    HEALTH("health", "[URL]", "checks the health of a running service", LISTEN, WAIT),
    BACKUP("backup", "FILE", "writes a verified copy of the database to a file (- for standard output), even while serve is running", DATA),
    RESTORE("restore", "FILE", "replaces the database with a backup (- for standard input) and keeps the old database", DATA),
    COMPACT("compact", "", "returns unused space in the database file to the file system, even while serve is running", DATA),
    VERSION("version", "", "prints the version"),
    HELP("help", "[COMMAND]", "lists all commands or explains one");

    private final String words;
    private final List<String> operands;
    private final String help;
    private final List<Option> options;

    Command(String words, String operands, String help, Option... options) {
        this.words = words;
        this.operands = operands.isEmpty() ? List.of() : List.of(operands.split(" "));
        this.help = help;
        this.options = List.of(options);
    }

    /** The command's name on the command line, such as {@code account add}. */
    public String words() {
        return words;
    }

    /** Argument names; optional arguments are in brackets. */
    List<String> operands() {
        return operands;
    }

    /** Names of the JSON fields, from which table headings are formed; empty if the command prints no rows. */
    List<String> fields() {
        return switch (this) {
            case ACCOUNT_LIST -> List.of("name", "owner", "plan", "requests", "keys", "users", "state", "createdAt", "bytes",
                    "storage");
            case USER_LIST -> List.of("email", "name", "administrator", "accounts");
            case KEY_LIST -> List.of("id", "name", "key", "createdAt", "lastUsedAt", "expiresAt");
            case TOKEN_LIST -> List.of("id", "name", "role", "token", "createdAt", "lastUsedAt", "expiresAt");
            case TEMPLATE_LIST -> List.of("id", "state", "updatedAt", "name");
            case USAGE -> List.of("used", "limit", "periodStart", "periodEnd");
            case ACTIVITY -> List.of("at", "actor", "kind", "subject", "detail", "address", "user");
            case CHECK -> List.of("check", "ok", "text");
            default -> List.of();
        };
    }

    public List<Option> options() {
        return options;
    }

    public String help() {
        return help;
    }

    /** Help text of an option in this command. */
    public String help(Option option) {
        String own = switch (this) {
            case DIFF -> option == Option.EXIT_CODE ? "exits with 4 if there are differences" : null;
            case EXPORT -> option == Option.PUBLISHED ? "writes the live versions, with the HTML as served, instead of the drafts" : null;
            case PREVIEW -> option == Option.STRICT ? "exits with 1 if there are warnings" : null;
            case PULL -> option == Option.OVERWRITE ? "overwrites changes made in the folder" : null;
            case ROLLBACK -> option == Option.TO
                    ? "the version to republish (default: the newest version from before the live content was first published)" : null;
            case TOKEN_ROTATE -> option == Option.OVERLAP ? "how long the old token keeps working: 0s to 72h (default: 24h)" : null;
            case USER_ADMINISTRATOR -> option == Option.OFF ? "revokes administrator rights" : null;
            case USER_INVITE -> option == Option.ROLE ? "the role: writer (edits drafts), editor (also publishes) or owner (default: writer)" : null;
            default -> null;
        };
        return own == null ? option.help() : own;
    }

    /** The command with its required options, such as {@code import DIR --account ACCOUNT}. */
    public String usage() {
        Stream<String> required = options.stream().filter(option -> option.isRequired(options)).map(Option::usage);
        return Stream.of(Stream.of(words), operands.stream(), required).flatMap(part -> part).collect(Collectors.joining(" "));
    }

    /** The usage, with optional parts in brackets and without options that can only be set as environment variables. */
    public String wholeUsage() {
        return usage() + options.stream().filter(option -> !option.isRequired(options) && !option.isVariableOnly())
                .map(option -> " [" + option.usage() + "]").collect(Collectors.joining());
    }

    /** Whether the given words begin with this command's name. */
    boolean isCalledBy(List<String> given) {
        return Collections.indexOfSubList(given, List.of(words.split(" "))) == 0
                || this == USER_PASSWORD && Collections.indexOfSubList(given, List.of("account", "password")) == 0; // the same command
    }

    /** The commands whose names begin with these words, for example {@code account}. */
    static List<Command> of(List<String> given) {
        String start = String.join(" ", given);
        return Arrays.stream(values())
                .filter(command -> (command.words + " ").startsWith(start.isEmpty() ? "" : start + " "))
                .toList();
    }
}
