package stet.cli;

import java.util.List;
import java.util.Locale;

/** A command-line option. Each option can also be set by an environment variable, such as {@code STET_DATA} for {@code --data}. */
public enum Option {
    DATA("DIR", "the data folder (stet-data)"),
    LISTEN("HOST:PORT", "the address to listen on (127.0.0.1:8080, fixture: 127.0.0.1:0);"
            + " port 0 picks a free port, and :8080 listens on all addresses"),
    BASE_URL("URL", "the public URL of the service behind a proxy, such as https://mail.example.com"),
    IMAGES_URL("URL", "the start of image addresses in emails, such as https://img.example.com/images (--base-url and /images)"),
    TRUSTED_PROXIES("LIST", "the proxies whose X-Forwarded-For header is trusted,"
            + " such as 10.0.0.0/8,::1, or the word none to trust no proxy (loopback)"),
    AUTH_HEADER("NAME", "the header in which trusted proxies pass the signed-in user's email address or user name, such as Remote-User"),
    AUTH_HEADER_ROLE("ROLE", "with --auth-header, the role of new users: owner, editor or writer (by default, new users are rejected)"),
    AUTH_HEADER_ACCOUNT("NAME", "with --auth-header, the account that new users join (default: the only account)"),
    SEED("DIR", "fills an empty database from a folder of accounts or a single account's folder"),
    ADMIN_EMAIL("EMAIL", "creates a Pro account in an empty database, with this user as owner and administrator; requires a password"),
    ADMIN_PASSWORD_FILE("FILE", "a file containing the password for --admin-email, or - for standard input"),
    ADMIN_PASSWORD("PASSWORD", "the password for --admin-email; can be set only as an environment variable because other users can see options in the process list"),
    PORT_FILE("FILE", "the file to write the port to when the service is ready"),
    LOG_FORMAT("FORMAT", "the format of the log on stderr: text, or json with one object per line (default: text)"),
    ACCESS_LOG("FILE", "a file for the access log in combined format, or - for standard output (default: none)"),
    METRICS("HOST:PORT", "a separate address for Prometheus metrics at /metrics (default: none)"),
    BACKUP_DIR("DIR", "the folder for automatic backups (default: none)"),
    BACKUP_EVERY("DURATION", "the interval between automatic backups, such as 30m, 24h or 7d (default: 24h)"),
    BACKUP_KEEP("N", "the number of backups to keep, 1 to 1000 (default: 14)"),
    AFTER_BACKUP("PROGRAM", "a program to run with the path of each automatic backup, for example to upload the backup"),
    AFTER_BACKUP_TIMEOUT("DURATION", "the time limit for the --after-backup program, at most the --backup-every interval (default: 1h)"),
    REPLACED_KEEP("DURATION", "how long to keep databases replaced by a restore or upgrade, such as 30d (default: forever)"),
    WEBHOOK_PRIVATE(null, "allows webhook URLs that use plain HTTP or point to this machine or a private network"),
    SMTP("URL", "the mail server for emails to Stet's own users, such as smtps://user@mail.example.com or smtp://localhost:25 (default: none)"),
    SMTP_FROM("ADDRESS", "the sender of these emails, such as stet@example.com or \"Stet <stet@example.com>\""),
    SMTP_PASSWORD_FILE("FILE", "a file containing the password for --smtp, or - for standard input"),
    SMTP_PASSWORD("PASSWORD", "the password for --smtp; can be set only as an environment variable because other users can see options in the process list"),
    EXPOSE("HOSTS", "the hosts at which other machines may reach and control the test double, such as stet,10.0.0.5"),
    NOW("INSTANT", "stops the clock at the given time, such as 2026-01-31T09:00:00Z (by default, the clock runs)"),
    STRICT(null, "prints each request outside the API and makes the next verification fail"),
    WEB(null, "also serves the web application"),
    VERBOSE(null, "prints each request to stderr"),
    WATCH(null, "reloads DIR whenever it changes"),
    EXEC("COMMAND", "runs a command with STET_URL, STET_API_URL and a STET_KEY... variable for each key, then exits with the command's exit code"),
    WITH_PARENT(null, "exits when standard input closes, for example because the parent process exits"),
    COLOUR("COLOUR", "the label's colour: red, orange, green, blue, purple or grey (default: none)"),
    PLAN("PLAN", "the plan: free, pro or none (default: for your own apps, pro with 1,000,000 requests per month and 20 keys)"),
    NAME("NAME", "the account's name (default: EMAIL)"),
    ROLE("ROLE", "the role: writer (edits drafts) or editor (also publishes) (default: writer)"),
    EXPIRES("DURATION", "how long the token is valid, such as 90d (default: no limit)"),
    OVERLAP("DURATION", "how long the old key keeps working: 0s to 72h (default: 24h)"),
    PASSWORD_FILE("FILE", "a file containing the password, or - for standard input (by default, a password is generated and printed)"),
    BILLING_ANCHOR("INSTANT", "the start of Pro's billing cycle, such as 2026-01-31T09:00:00Z (default: now)"),
    ACCOUNT_STORAGE("SIZE", "the default storage limit per account, such as 500M or 2G (default: 1G)"),
    ACCOUNT_IMAGES("SIZE", "the default limit of image files per account, within its storage, such as 500M (default: 200M)"),
    IMAGES("SIZE", "the account's limit of image files, such as 500M; \"default\" restores the default limit"),
    STORAGE("SIZE", "the account's storage limit, such as 500M or 2G; \"default\" restores the default limit"),
    REQUESTS("N", "the account's request limit per period; \"plan\" restores the plan's limit"),
    KEYS("N", "the account's key limit; \"plan\" restores the plan's limit"),
    KEEP("N", "how many of the newest versions to keep per template, at least 1"),
    SINCE("INSTANT", "the time of the earliest entry to list, such as 2026-01-31T09:00:00Z (default: all)"),
    LIMIT("N", "the maximum number of entries to list, 1 to 100000 (default: 100)"),
    ACCOUNT("ACCOUNT", "the account's name"),
    SERVER("URL", "the server to use instead of the data folder, such as https://mail.example.com"),
    ALLOW_HTTP(null, "allows sending the token unencrypted to another host"),
    TOKEN_FILE("FILE", "a file containing a deploy token for the server, or - for standard input"),
    TOKEN("TOKEN", "the deploy token; can be set only as an environment variable because other users can see options in the process list"),
    FROM("NAME", "the account in stet.json to read from"),
    ON("NAME", "the account in stet.json to use"),
    NOTE("TEXT", "a note for the history and the activity log, such as a commit ID; up to 200 characters"),
    PRUNE(null, "also moves templates to the trash and deletes unused shared blocks if earlier pushes added them and DIR no longer contains them"),
    EXIT_CODE(null, "exits with 4 if the dry run finds changes"),
    PREVIEW("NAME", "changes nothing, but makes a review link for each email that the push would change; needs --server or --to; a push of the same NAME, such as pr-17,"
            + " replaces them, and they expire after 14 days"),
    END(null, "ends the previews of NAME instead of pushing; not with --dry-run"),
    GITHUB(null, "prints the plan as Markdown, adds it to the summary of a GitHub job, and annotates files and lines"),
    LANG("LANGUAGE", "the language: ts, java, python or go (default: by the extension of FILE)"),
    PACKAGE("NAME", "the package in Java and Go (default: emails)"),
    CHECK(null, "changes nothing and fails if FILE differs; version numbers do not matter"),
    OUT("DIR", "the output folder, which must be new or empty or contain an earlier gallery"),
    TO("TARGET", "the account in stet.json"),
    PUBLISHED(null, "writes the sources of the live versions instead of the drafts"),
    WITH_ACCOUNT(null, "also writes an account.json for a test double, with new keys under the same names"),
    PUBLISH(null, "also publishes the templates in DIR whose live version would change"),
    FORCE(null, "also publishes drafts with errors such as unclosed braces or sections"),
    OVERWRITE(null, "overwrites changes made in Stet since the last push or import"),
    DRY_RUN(null, "reports the changes without making them"),
    TRASH(null, "lists the templates in the trash"),
    FOR_GOOD(null, "permanently deletes the template and its history, whether or not it is in the trash"),
    WAIT("DURATION", "how long to wait for the service to become healthy, such as 30s or 2m (default: no wait)"),
    JSON(null, "prints JSON, also for errors"),
    OFF(null, "turns off two-factor authentication"),
    YES(null, "confirms the change");

    private final String value;
    private final String help;

    Option(String value, String help) {
        this.value = value;
        this.help = help;
    }

    /** Whether the option takes no value. */
    public boolean isFlag() {
        return value == null;
    }

    /** Whether the usage of a command with these options shows this option as required. */
    boolean isRequired(List<Option> options) {
        return switch (this) {
            case KEEP, OUT -> true;
            case ACCOUNT -> !options.contains(SERVER);
            case YES -> !options.contains(OFF); // "user administrator" has both, and needs only one of them
            case OFF -> !options.contains(YES);
            default -> false;
        };
    }

    /** The option's name on the command line: {@code --port-file}. */
    public String word() {
        return "--" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The name with the value's placeholder: {@code --port-file FILE}. */
    public String usage() {
        return isFlag() ? word() : word() + " " + value;
    }

    public String variable() {
        return "STET_" + name();
    }

    /** Whether this is a secret, which must not appear in the process list. */
    public boolean isVariableOnly() {
        return this == ADMIN_PASSWORD || this == SMTP_PASSWORD || this == TOKEN;
    }

    /** The option that reads this secret from a file. */
    Option inFile() {
        return valueOf(name() + "_FILE");
    }

    /** Help text; see {@link Command#help(Option)}. */
    public String help() {
        return help;
    }
}
