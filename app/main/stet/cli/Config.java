package stet.cli;

import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import stet.access.AuthHeader;
import stet.access.TrustedProxies;
import stet.base.FileNames;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.core.Role;
import stet.mail.MailServer;

/**
 * A command with its operands and options. Arguments take precedence over environment variables.
 *
 * @param operands  the arguments after the command's name
 * @param options   the value of each given option; "true" for a flag
 * @param variables the options set by environment variables
 * @param unknown   environment variables that are named like options but match no option, sorted
 * @param environment all environment variables, some of which stet.json names
 */
public record Config(Command command, List<String> operands, Map<Option, String> options, Set<Option> variables,
                     List<UnknownVariable> unknown, Map<String, String> environment) {
    /** An environment variable whose name may be misspelled. @param nearest the most similar known variable, or null */
    public record UnknownVariable(String name, String nearest) {
        @Override
        public String toString() {
            return "Unknown variable " + name + (nearest == null ? "" : "; did you mean " + nearest + "?");
        }
    }

    private static final Duration MAX_OVERLAP = Duration.ofHours(72);
    private static final int MAX_NUMBER = 999_999_999;
    private static final int MAX_IMAGES_URL = 200; // characters

    /** Whether a CI system runs the command. */
    boolean isCi() {
        return !environment.getOrDefault("CI", "").isEmpty();
    }

    /** Whether an option was given as an argument. */
    boolean isArgument(Option option) {
        return has(option) && !variables.contains(option);
    }

    public boolean has(Option option) {
        return options.containsKey(option);
    }

    public Optional<String> value(Option option) {
        return Optional.ofNullable(options.get(option));
    }

    /** The name under which an option was given, such as {@code --listen} or {@code STET_LISTEN}. */
    public String name(Option option) {
        return variables.contains(option) ? option.variable() : option.word();
    }

    /** Parses an option's value, if given. If the value comes from an environment variable, the error names that variable. */
    public <T> Optional<T> parse(Option option, Function<String, T> rule) {
        try {
            return value(option).map(rule);
        } catch (Refusal refusal) {
            throw variables.contains(option) ? refusal.in(option.variable()) : refusal;
        }
    }

    private void checkNeeds(Option option, Option needed) {
        if (has(option) && !has(needed)) {
            throw new Refusal(name(option) + " needs " + needed.usage());
        }
    }

    /** The value of a required option. @throws Refusal if it is not given */
    public String required(Option option) {
        return value(option).orElseThrow(() -> new Refusal("\"" + command.words() + "\" needs " + option.usage()));
    }

    public Path data() {
        return path(value(Option.DATA).orElse("stet-data"));
    }

    /** @throws Refusal if the path is invalid or cannot be used in this locale, or if it is relative and the JVM would resolve it against the wrong directory */
    public static Path path(String name) {
        try {
            FileNames.check("\"" + name + "\"", name);
            Path path = Path.of(name);
            if (!path.isAbsolute()) {
                FileNames.checkWorkingDirectory();
                if (isInPerformanceDataFolder()) {
                    throw new Refusal(name + " is a relative path, but this user has no permission to read the working directory."
                            + " Use an absolute path or start java with -XX:-UsePerfData.");
                }
            }
            return path;
        } catch (InvalidPathException notAPath) {
            throw new Refusal("\"" + name + "\" is not a valid path; remove the invalid characters");
        }
    }

    /**
     * Whether the JVM has left its working directory. A starting JVM briefly changes to its performance-data directory and cannot return if
     * the user may not read the original directory. Files written to the performance-data directory are deleted when the same user starts
     * another JVM.
     */
    private static boolean isInPerformanceDataFolder() {
        Path folder = Path.of(System.getProperty("user.dir"));
        return String.valueOf(folder.getFileName()).startsWith("hsperfdata_");
    }

    /**
     * A secret from the file given with an option, or else from an environment variable; {@code -} means standard input. The secret appears
     * neither in the process list nor in the shell's history. A byte order mark and final line breaks, which editors and shells add, are not
     * part of it.
     *
     * @param inFile   the option that names the file
     * @param variable the option that is only an environment variable, or null
     */
    public Optional<String> secret(Option inFile, Option variable, InputStream standardInput) {
        Optional<String> secret = parse(inFile, file -> SecretText.read(file, standardInput)).or(() -> variable == null ? Optional.empty() : value(variable));
        return secret.map(SecretText::trimmed);
    }

    /** The password from the only source that is given. @throws Refusal if both are given @throws SystemFailure if the file cannot be read */
    public Optional<String> password(Option inFile, Option variable, InputStream standardInput) {
        if (has(variable) && has(inFile)) {
            throw new Refusal(name(variable) + " and " + name(inFile) + " are both set; use only one");
        }
        return secret(inFile, variable, standardInput);
    }

    /** A secret from an environment variable that is not an option; empty if the variable is missing or empty. */
    Optional<String> secret(String variable) {
        return Optional.of(environment.getOrDefault(variable, "")).filter(text -> !text.isEmpty()).map(SecretText::trimmed);
    }

    /** The address to listen on. An IPv6 address is in brackets: {@code [::1]:8080}. */
    public InetSocketAddress listen() {
        return ListenAddress.parse(reason -> wrong(Option.LISTEN, reason), value(Option.LISTEN).orElse(command == Command.FIXTURE ? "127.0.0.1:0" : "127.0.0.1:8080"));
    }

    /** The URL of {@code serve} on this machine. @throws Refusal if the port is unknown */
    URI localUrl() {
        InetSocketAddress listen = listen();
        if (listen.getPort() == 0) {
            throw new Refusal(name(Option.LISTEN) + " has no fixed port"
                    + (command == Command.HEALTH ? " to query; use \"health URL\""
                    : "; use " + Option.BASE_URL.usage()));
        }
        String host = listen.getAddress().isAnyLocalAddress() ? "127.0.0.1" : listen.getAddress().getHostAddress();
        return URI.create("http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + listen.getPort());
    }

    /** The address of the metrics listener, if any. */
    public Optional<InetSocketAddress> metrics() {
        return has(Option.METRICS) ? Optional.of(ListenAddress.parse(reason -> wrong(Option.METRICS, reason), options.get(Option.METRICS))) : Optional.empty();
    }

    /** A duration of 1 to 99999 seconds, minutes, hours or days, if given. */
    public Optional<Duration> duration(Option option) {
        if (!has(option)) {
            return Optional.empty();
        }
        String text = options.get(option);
        if (!text.matches("[1-9][0-9]{0,4}[smhd]")) {
            throw wrong(option, "; use a duration such as 30s, 15m, 24h or 7d");
        }
        return Optional.of(Duration.parse((text.endsWith("d") ? "P" : "PT") + text));
    }

    /** Time for which a rotated key or token keeps working, unless it expires earlier: 0 to 72 hours. */
    Duration overlap() {
        boolean isZero = value(Option.OVERLAP).filter(text -> text.matches("0[smhd]")).isPresent();
        Duration overlap = isZero ? Duration.ZERO : duration(Option.OVERLAP).orElse(Duration.ofHours(24));
        if (overlap.compareTo(MAX_OVERLAP) > 0) {
            throw new Refusal(name(Option.OVERLAP) + " must be at most " + MAX_OVERLAP.toHours() + "h");
        }
        return overlap;
    }

    private Refusal wrong(Option option, String reason) {
        return new Refusal(name(option) + " is \"" + options.get(option) + "\"" + reason);
    }

    /** The public URL without a trailing slash, if given. */
    public Optional<URI> baseUrl() {
        Optional<URI> url = has(Option.BASE_URL) ? HttpUrl.parse(options.get(Option.BASE_URL), "/?") : Optional.empty();
        if (has(Option.BASE_URL) && url.isEmpty()) {
            throw wrong(Option.BASE_URL, "; use a URL such as https://mail.example.com");
        }
        return url;
    }

    /** The start of image addresses: as given, or {@code /images} at the public URL; empty for a test double and while the port is unknown. */
    public Optional<String> imagesUrl() {
        if (has(Option.IMAGES_URL)) {
            return Optional.of(checkedImagesUrl(options.get(Option.IMAGES_URL)));
        }
        return baseUrl().or(() -> command == Command.FIXTURE || listen().getPort() == 0 ? Optional.empty() : Optional.of(localUrl()))
                .map(url -> url + "/images");
    }

    private String checkedImagesUrl(String text) {
        boolean isSafe = text.length() <= MAX_IMAGES_URL && !text.matches(".*[&'\"<>{}\\s].*"); // in HTML, CSS and templates
        return HttpUrl.parse(text, "(/[A-Za-z0-9._~/-]*)?").filter(url -> isSafe).map(URI::toString)
                .orElseThrow(() -> wrong(Option.IMAGES_URL, "; use a URL such as https://img.example.com/images"));
    }

    /** Whether the log is written as JSON. */
    public boolean isLogJson() {
        String format = value(Option.LOG_FORMAT).orElse("text");
        if (!format.equals("text") && !format.equals("json")) {
            throw wrong(Option.LOG_FORMAT, "; use text or json");
        }
        return format.equals("json");
    }

    /** The proxies whose X-Forwarded-For is trusted; by default, proxies on a loopback address. */
    public TrustedProxies trustedProxies() {
        try {
            return has(Option.TRUSTED_PROXIES) ? TrustedProxies.of(options.get(Option.TRUSTED_PROXIES)) : TrustedProxies.LOOPBACK;
        } catch (IllegalArgumentException neither) {
            throw new Refusal(name(Option.TRUSTED_PROXIES) + " contains \"" + neither.getMessage() + "\"; use addresses or networks"
                    + " such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/64, or \"none\" to trust no proxy");
        }
    }

    /** The header in which trusted proxies identify the signed-in user, if any. */
    public AuthHeader authHeader() {
        checkNeeds(Option.AUTH_HEADER_ROLE, Option.AUTH_HEADER);
        checkNeeds(Option.AUTH_HEADER_ACCOUNT, Option.AUTH_HEADER_ROLE);
        if (!has(Option.AUTH_HEADER)) {
            return AuthHeader.NONE;
        }
        // Even loopback addresses must be given explicitly; otherwise, any local program could claim to be any user.
        if (!has(Option.TRUSTED_PROXIES)) {
            throw new Refusal(name(Option.AUTH_HEADER) + " requires " + Option.TRUSTED_PROXIES.usage() + "; list the proxies that set the header");
        }
        if (!options.get(Option.AUTH_HEADER).matches("[A-Za-z0-9-]{1,64}")) {
            throw wrong(Option.AUTH_HEADER, "; use a header name such as Remote-User");
        }
        return new AuthHeader(options.get(Option.AUTH_HEADER), trustedProxies(),
                parse(Option.AUTH_HEADER_ROLE, Role::of).orElse(null), options.get(Option.AUTH_HEADER_ACCOUNT));
    }

    /** An account's own limit, 0 to 999999999; null for "plan"; the current limit if the option is not given. */
    Long limit(Option option, Long present) {
        String value = options.get(option);
        if (value == null) {
            return present;
        }
        return value.equals("plan") ? null : Long.valueOf(number(option, value, 0, MAX_NUMBER, ", or \"plan\""));
    }

    /** An account's own storage limit in bytes; empty for "default" and without the option. */
    Optional<Long> storage() {
        return ownLimit(Option.STORAGE);
    }

    /** An account's own limit of image files in bytes; empty for "default" and without the option. */
    Optional<Long> images() {
        return ownLimit(Option.IMAGES);
    }

    private Optional<Long> ownLimit(Option option) {
        return value(option).filter(text -> !text.equals("default")).map(text -> bytes(option, text, ", or \"default\""));
    }

    /** The default limit of image files per account, in bytes; 200 MiB unless configured. */
    public long accountImages() {
        return bytes(Option.ACCOUNT_IMAGES, 200L << 20);
    }

    /** The default storage limit of accounts, in bytes; 1 GiB unless configured. */
    public long accountStorage() {
        return bytes(Option.ACCOUNT_STORAGE, 1L << 30);
    }

    private long bytes(Option option, long otherwise) {
        return value(option).map(text -> bytes(option, text, "")).orElse(otherwise);
    }

    /** A size of up to 999999 KiB, MiB, GiB or TiB. @param instead other allowed values, appended to the error message */
    private long bytes(Option option, String text, String instead) {
        if (!text.matches("[1-9][0-9]{0,5}[KMGT]")) {
            throw wrong(option, "; use a size such as 500M or 2G" + instead);
        }
        int unit = "KMGT".indexOf(text.charAt(text.length() - 1)) + 1;
        return Long.parseLong(text.substring(0, text.length() - 1)) << 10 * unit;
    }

    /** A whole number within bounds. @param otherwise the default */
    int number(Option option, int otherwise, int least, int most) {
        return has(option) ? number(option, options.get(option), least, most, "") : otherwise;
    }

    /** @param instead other allowed values, appended to the error message */
    private int number(Option option, String value, int least, int most, String instead) {
        int number = value.matches("[0-9]{1,9}") ? Integer.parseInt(value) : -1;
        if (number < least || number > most) {
            throw wrong(option, "; it must be a whole number from " + least + " to " + most + instead);
        }
        return number;
    }

    /** Number of newest versions to keep per template, 1 to 999999999. */
    int versionsToKeep() {
        return number(Option.KEEP, required(Option.KEEP), 1, MAX_NUMBER, "");
    }

    /** The folder for automatic backups, if any. @throws Refusal if a backup option is given without the option that it requires */
    public Optional<Path> backupFolder() {
        checkNeeds(Option.BACKUP_EVERY, Option.BACKUP_DIR);
        checkNeeds(Option.BACKUP_KEEP, Option.BACKUP_DIR);
        checkNeeds(Option.AFTER_BACKUP, Option.BACKUP_DIR);
        checkNeeds(Option.AFTER_BACKUP_TIMEOUT, Option.AFTER_BACKUP);
        return has(Option.BACKUP_DIR) ? Optional.of(path(options.get(Option.BACKUP_DIR))) : Optional.empty();
    }

    /** Interval between automatic backups, from one minute to one year. */
    public Duration backupInterval() {
        Duration interval = duration(Option.BACKUP_EVERY).orElse(Duration.ofDays(1));
        if (interval.compareTo(Duration.ofMinutes(1)) < 0 || interval.compareTo(Duration.ofDays(365)) > 0) {
            throw wrong(Option.BACKUP_EVERY, "; it must be from 1m to 365d");
        }
        return interval;
    }

    /** The program to run after each automatic backup, if any. */
    public Optional<Path> afterBackup() {
        if (!has(Option.AFTER_BACKUP)) {
            return Optional.empty();
        }
        Path program = path(options.get(Option.AFTER_BACKUP)).toAbsolutePath();
        if (!Files.isRegularFile(program) || !Files.isExecutable(program)) {
            throw wrong(Option.AFTER_BACKUP, "; it must be the path of an executable file");
        }
        return Optional.of(program);
    }

    /** Time limit for the program run after a backup, from one second to the backup interval. */
    public Duration afterBackupTimeout() {
        Duration interval = backupInterval();
        Duration timeout = duration(Option.AFTER_BACKUP_TIMEOUT).orElse(Duration.ofSeconds(Math.min(3_600, interval.toSeconds())));
        if (timeout.toMillis() < 1_000 || timeout.compareTo(interval) > 0) {
            throw wrong(Option.AFTER_BACKUP_TIMEOUT, "; it must be at least 1s and at most the --backup-every interval");
        }
        return timeout;
    }

    /** Time for which to keep databases replaced by a restore or upgrade; empty for no limit. */
    public Optional<Duration> replacedKeep() {
        return duration(Option.REPLACED_KEEP);
    }

    /** The mail server for emails to Stet's own users, if any. @throws Refusal if an option is missing or invalid @throws SystemFailure as {@link #password} */
    public Optional<MailServer> mailServer(InputStream standardInput) {
        checkNeeds(Option.SMTP, Option.SMTP_FROM);
        checkNeeds(Option.SMTP_FROM, Option.SMTP);
        checkNeeds(Option.SMTP_PASSWORD, Option.SMTP);
        checkNeeds(Option.SMTP_PASSWORD_FILE, Option.SMTP);
        if (!has(Option.SMTP)) {
            return Optional.empty();
        }
        String password = password(Option.SMTP_PASSWORD_FILE, Option.SMTP_PASSWORD, standardInput).orElse(null);
        try {
            return Optional.of(MailServer.of(options.get(Option.SMTP), options.get(Option.SMTP_FROM), password));
        } catch (Refusal refusal) {
            Option wrong = refusal.field().equals("smtp") ? Option.SMTP : Option.SMTP_FROM;
            throw new Refusal(name(wrong) + " " + refusal.getMessage());
        }
    }

    /** Number of backups to keep, 1 to 1000. */
    public int backupsToKeep() {
        return number(Option.BACKUP_KEEP, 14, 1, 1_000);
    }
}
