package stet.cli;

import java.util.List;
import java.util.Locale;

/** An option of the command line; each is also an environment variable: {@code --data} is {@code STET_DATA}. */
public enum Option {
    DATA("DIR", "the data folder (stet-data)"),
    LISTEN("HOST:PORT", "the address to listen on (127.0.0.1:8080, fixture: 127.0.0.1:0);"
            + " port 0 takes a free one, :8080 is on all addresses"),
    BASE_URL("URL", "where clients reach the service, when that is a proxy: https://mail.example.com"),
    TRUSTED_PROXIES("LIST", "proxies whose X-Forwarded-For is believed:"
            + " addresses and networks such as 10.0.0.0/8,::1, or none (loopback)"),
    AUTH_HEADER("NAME", "a header such as Remote-User by which these proxies name the person whom they have signed in"),
    AUTH_HEADER_ROLE("ROLE", "the role of people named so who are not known yet: owner, editor or writer; else they are refused"),
    AUTH_HEADER_ACCOUNT("NAME", "the account that they come into (the only one)"),
    SEED("DIR", "fills an empty database from a folder of accounts, or from one account's folder"),
    ADMIN_EMAIL("EMAIL", "with a password: the first account of an empty database, on Pro"),
    ADMIN_PASSWORD_FILE("FILE", "a file that holds the password of --admin-email, - for standard input"),
    ADMIN_PASSWORD("PASSWORD", "the password itself, only as a variable: options show in the list of processes"),
    PORT_FILE("FILE", "a file to write the port into, once the service is ready"),
    LOG_FORMAT("FORMAT", "text, or json for one JSON object a line: the log on stderr (text)"),
    ACCESS_LOG("FILE", "a file for one line of each answer in the combined format, - for standard output (none)"),
    METRICS("HOST:PORT", "a separate address that serves metrics for Prometheus at /metrics (none)"),
    BACKUP_DIR("DIR", "a folder for backups that serve makes by itself"),
    BACKUP_EVERY("DURATION", "the interval between two backups, such as 30m, 24h or 7d (24h)"),
    BACKUP_KEEP("N", "the number of backups to keep, 1 to 1000 (14)"),
    AFTER_BACKUP("PROGRAM", "an executable file to run with the path of each of these backups, for instance to upload it"),
    AFTER_BACKUP_TIMEOUT("DURATION", "the time that it may take, at most the interval of --backup-every (1h)"),
    REPLACED_KEEP("DURATION", "how long the databases from before a restore or an upgrade are kept, such as 30d (for good)"),
    EXPOSE("HOSTS", "allows an address that other machines reach, and control it as one of these hosts: stet,10.0.0.5"),
    NOW("INSTANT", "where the clock stands at the start, such as 2026-01-31T09:00:00Z (it runs)"),
    STRICT(null, "fails the next verification for each request that is none of the API, and prints it"),
    WEB(null, "serves the web application, too"),
    VERBOSE(null, "prints a line for each request on stderr"),
    WATCH(null, "takes changes of DIR at once"),
    EXEC("COMMAND", "runs a command with STET_URL and STET_KEY, and ends with it and its exit code"),
    WITH_PARENT(null, "ends when standard input is closed, as it is when the parent process ends"),
    COLOUR("COLOUR", "the colour of the label: red, orange, green, blue, purple or grey (none)"),
    PLAN("PLAN", "free, pro or none (free)"),
    NAME("NAME", "the account's name (EMAIL)"),
    ROLE("ROLE", "writer: drafts; editor: also publishes; of people also owner (writer)"),
    EXPIRES("DURATION", "how long the token is valid, such as 90d (no limit)"),
    OVERLAP("DURATION", "how long the old token keeps working: 1s to 72h (24h)"),
    PASSWORD_FILE("FILE", "a file that holds the password, - for standard input; else one is generated and printed"),
    BILLING_ANCHOR("INSTANT", "the start of the months of Pro, such as 2026-01-31T09:00:00Z (now)"),
    ACCOUNT_STORAGE("SIZE", "the bytes that an account may store where it has no limit of its own: 500M, 2G (1G)"),
    STORAGE("SIZE", "the account's own limit of stored bytes, such as 500M or 2G; \"default\" removes it"),
    REQUESTS("N", "the account's own limit of requests a period; \"plan\" removes it"),
    KEYS("N", "the account's own limit of keys; \"plan\" removes it"),
    KEEP("N", "the number of a template's newest versions that stay, 1 or more"),
    SINCE("INSTANT", "the oldest time, such as 2026-01-31T09:00:00Z (all)"),
    LIMIT("N", "the number of lines, 1 to 100000 (100)"),
    ACCOUNT("ACCOUNT", "the account of the templates"),
    SERVER("URL", "a server to use instead of the data folder: https://mail.example.com"),
    ALLOW_HTTP(null, "sends the token to another host without encryption"),
    TOKEN_FILE("FILE", "a file that holds a deploy token of the server, - for standard input"),
    TOKEN("TOKEN", "the deploy token itself, only as a variable: options show in the list of processes"),
    NOTE("TEXT", "up to 200 characters for the history and the activity, such as a commit"),
    PRUNE(null, "moves templates that a push brought but are missing from these files to the trash; deletes such unused shared blocks"),
    EXIT_CODE(null, "makes a dry run exit with 4 if there are changes"),
    OUT("DIR", "the folder for the pages: new, empty, or an earlier gallery"),
    TO("N", "the version to serve (the newest earlier one with different content)"),
    PUBLISHED(null, "writes the sources of the live versions instead of the drafts"),
    WITH_ACCOUNT(null, "writes an account.json besides, with made-up keys of the same names, for a test double"),
    PUBLISH(null, "publishes the templates that would be served differently"),
    FORCE(null, "also publishes drafts with errors: braces or sections that are not closed"),
    OVERWRITE(null, "replaces changes made in Stet since the last push or import; for pull: those in the folder"),
    DRY_RUN(null, "reports the changes and makes none"),
    TRASH(null, "lists those in the trash"),
    FOR_GOOD(null, "deletes it with its history, which nothing restores; also one in the trash"),
    WAIT("DURATION", "repeats the check until the service is healthy, for at most this long: 30s, 2m"),
    JSON(null, "prints JSON"),
    OFF(null, "takes it away from the user"),
    YES(null, "confirms it");

    private final String value;
    private final String help;

    Option(String value, String help) {
        this.value = value;
        this.help = help;
    }

    /** Whether it takes no value. */
    public boolean isFlag() {
        return value == null;
    }

    /** Whether a command with these options needs it. */
    boolean isRequired(List<Option> options) {
        return this == ACCOUNT && !options.contains(SERVER) || this == KEEP || this == OUT || this == YES;
    }

    /** Its name on the command line: {@code --port-file}. */
    public String word() {
        return "--" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The same with its value: {@code --port-file FILE}. */
    public String usage() {
        return isFlag() ? word() : word() + " " + value;
    }

    public String variable() {
        return "STET_" + name();
    }

    /** Whether it is a secret, which the list of processes would show. */
    public boolean isVariableOnly() {
        return this == ADMIN_PASSWORD || this == TOKEN;
    }

    /** The option by which a secret is given in a file. */
    Option inFile() {
        return valueOf(name() + "_FILE");
    }

    public String help() {
        return help;
    }
}
