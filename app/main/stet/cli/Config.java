package stet.cli;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import stet.core.Refusal;
import stet.core.Suggestion;
import stet.http.TrustedProxies;

/**
 * What was asked for: the arguments, and the environment for what they leave open.
 *
 * @param operands what stands behind the command's words
 * @param options  the value of each option given; "true" of one that takes none
 * @param variables the options that were given by the environment
 */
public record Config(Command command, List<String> operands, Map<Option, String> options, Set<Option> variables) {

    /** @throws Refusal when the arguments or the variables do not make a command */
    public static Config parse(String[] arguments, Map<String, String> environment) {
        List<String> words = new ArrayList<>();
        Map<Option, String> given = new EnumMap<>(Option.class);
        Optional<Command> asked = read(List.of(arguments), words, given);
        if (asked.isPresent()) {
            return new Config(asked.get(), words, Map.of(), Set.of());
        }
        Command command = words.isEmpty() ? Command.SERVE : Arrays.stream(Command.values())
                .filter(known -> known.isCalledBy(words)).findFirst().orElseThrow(() -> unknown(words));
        List<String> operands = words.isEmpty() ? words : words.subList(command.words().split(" ").length, words.size());
        check(command, operands, given);
        Set<Option> variables = EnumSet.noneOf(Option.class);
        for (Option option : command.options()) {
            String value = environment.getOrDefault(option.variable(), "");
            if (!value.isEmpty() && given.putIfAbsent(option, option.isFlag() ? truth(option, value) : value) == null) {
                variables.add(option);
            }
        }
        given.entrySet().removeIf(option -> option.getKey().isFlag() && option.getValue().equals("false"));
        return new Config(command, List.copyOf(operands), given, variables);
    }

    /** Sorts the arguments into words and options. @return the command that an option asks for instead */
    private static Optional<Command> read(List<String> arguments, List<String> words, Map<Option, String> given) {
        Optional<Command> asked = Optional.empty();
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.equals("--help") || argument.equals("-h")) {
                asked = Optional.of(Command.HELP);
            } else if (argument.equals("--version")) {
                asked = Optional.of(Command.VERSION);
            } else if (!argument.startsWith("-") || argument.equals("-")) {
                words.add(argument);
            } else {
                String[] parts = argument.split("=", 2);
                Option option = option(parts[0]);
                if (option.isVariableOnly()) {
                    throw new Refusal(option.word() + " would show in the list of processes; " + Option.ADMIN_PASSWORD_FILE.usage()
                            + " or the variable " + option.variable() + " gives it");
                }
                if (option.isFlag() && parts.length == 2) {
                    throw new Refusal(option.word() + " takes no value");
                }
                if (!option.isFlag() && parts.length == 1 && (i + 1 == arguments.size() || arguments.get(i + 1).startsWith("--"))) {
                    throw new Refusal(option.word() + " needs a value: " + option.usage());
                }
                String value = option.isFlag() ? "true" : parts.length == 2 ? parts[1] : arguments.get(++i);
                if (value.isEmpty()) {
                    throw new Refusal(option.word() + " needs a value: " + option.usage());
                }
                if (given.put(option, value) != null) {
                    throw new Refusal(option.word() + " is given twice");
                }
            }
        }
        return asked;
    }

    private static Option option(String word) {
        return Arrays.stream(Option.values()).filter(option -> option.word().equals(word)).findFirst()
                .orElseThrow(() -> new Refusal("There is no option " + word + Suggestion.nearest(word,
                        Arrays.stream(Option.values()).filter(option -> !option.isVariableOnly()).map(Option::word).toList())
                        .map(nearest -> "; did you mean " + nearest + "?").orElse("; \"help COMMAND\" lists a command's options")));
    }

    /** A refusal of words that call no command. */
    static Refusal unknown(List<String> words) {
        List<Command> group = Command.of(words.subList(0, 1));
        String given = String.join(" ", words.subList(0, Math.min(words.size(), group.isEmpty() ? 1 : 2)));
        Optional<String> nearest = Suggestion.nearest(given, Arrays.stream(Command.values()).map(Command::words)
                .map(known -> group.isEmpty() ? known.split(" ")[0] : known).toList());
        if (nearest.isPresent()) {
            return new Refusal("There is no command \"" + given + "\"; did you mean \"" + nearest.get() + "\"?");
        }
        if (group.isEmpty()) {
            return new Refusal("There is no command \"" + given + "\"; \"help\" lists what there is");
        }
        List<String> endings = group.stream().map(command -> command.words().split(" ")[1]).toList();
        return new Refusal("\"" + words.get(0) + "\" needs one of these behind it: " + String.join(", ", endings));
    }

    private static void check(Command command, List<String> operands, Map<Option, String> given) {
        for (Option option : given.keySet()) {
            if (!command.options().contains(option)) {
                throw new Refusal("\"" + command.words() + "\" has no option " + option.word());
            }
        }
        if (command == Command.HELP) {
            return;
        }
        if (operands.size() < command.operands().stream().filter(operand -> !operand.startsWith("[")).count()) {
            throw new Refusal("\"" + command.words() + "\" needs " + command.operands().get(operands.size())
                    + ": " + command.usage());
        }
        if (operands.size() > command.operands().size()) {
            throw new Refusal("\"" + command.words() + "\" does not take \"" + operands.get(command.operands().size())
                    + "\": " + command.usage());
        }
    }

    private static String truth(Option option, String value) {
        if (!value.equals("true") && !value.equals("false")) {
            throw new Refusal(option.variable() + " is \"" + value + "\", not true or false");
        }
        return value;
    }

    public boolean has(Option option) {
        return options.containsKey(option);
    }

    public Optional<String> value(Option option) {
        return Optional.ofNullable(options.get(option));
    }

    /** What an option is called where it was given: {@code --listen}, or {@code STET_LISTEN}. */
    public String name(Option option) {
        return variables.contains(option) ? option.variable() : option.word();
    }

    /** What a rule makes of an option's value; a refusal names the variable that the value came by. */
    public <T> Optional<T> parse(Option option, Function<String, T> rule) {
        try {
            return value(option).map(rule);
        } catch (Refusal refusal) {
            throw variables.contains(option) ? refusal.in(option.variable()) : refusal;
        }
    }

    /** The value of an option that the command cannot do without. */
    public String required(Option option) {
        return value(option).orElseThrow(() -> new Refusal("\"" + command.words() + "\" needs " + option.usage()));
    }

    /** The folder that everything lives in. */
    public Path data() {
        return path(value(Option.DATA).orElse("stet-data"));
    }

    public static Path path(String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException notAPath) {
            throw new Refusal("\"" + name + "\" is not the name of a file or folder");
        }
    }

    /** The address to listen on. An IPv6 one stands in brackets: {@code [::1]:8080}. */
    public InetSocketAddress listen() {
        String listen = value(Option.LISTEN).orElse(command == Command.FIXTURE ? "127.0.0.1:0" : "127.0.0.1:8080");
        int colon = listen.lastIndexOf(':');
        String host = listen.substring(0, Math.max(colon, 0));
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (colon == 0) {
            return new InetSocketAddress(port(listen, listen.substring(1)));
        }
        if (colon < 0 || host.contains(":") != bracketed || host.contains("/")) {
            throw new Refusal(name(Option.LISTEN) + " is \"" + listen + "\", not HOST:PORT such as 127.0.0.1:8080 or [::1]:8080");
        }
        InetSocketAddress address = new InetSocketAddress(bracketed ? host.substring(1, host.length() - 1) : host,
                port(listen, listen.substring(colon + 1)));
        if (address.isUnresolved()) {
            throw new Refusal(name(Option.LISTEN) + " is \"" + listen + "\", but this machine knows no host " + host);
        }
        return address;
    }

    private int port(String listen, String digits) {
        int port = digits.matches("[0-9]{1,5}") ? Integer.parseInt(digits) : -1;
        if (port < 0 || port > 65_535) {
            throw new Refusal(name(Option.LISTEN) + " is \"" + listen + "\", but a port is a number from 0 to 65535");
        }
        return port;
    }

    /** Where clients reach the service, without a slash at its end, if that was said. */
    public Optional<String> baseUrl() {
        return value(Option.BASE_URL).map(url -> {
            try {
                URI uri = new URI(url);
                boolean web = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
                boolean bare = uri.getRawPath() == null || uri.getRawPath().isEmpty() || uri.getRawPath().equals("/");
                if (web && bare && uri.getHost() != null && uri.getPort() <= 65_535 && uri.getRawQuery() == null
                        && uri.getRawFragment() == null && uri.getRawUserInfo() == null) {
                    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
                }
            } catch (URISyntaxException notAnAddress) {
                // Refused below.
            }
            throw new Refusal(name(Option.BASE_URL) + " is \"" + url + "\", not an address such as https://mail.example.com");
        });
    }

    /** The proxies whose word on a client's address is taken. */
    public TrustedProxies trustedProxies() {
        try {
            return value(Option.TRUSTED_PROXIES).map(TrustedProxies::of).orElse(TrustedProxies.LOOPBACK);
        } catch (IllegalArgumentException neither) {
            throw new Refusal(name(Option.TRUSTED_PROXIES) + " has \"" + neither.getMessage()
                    + "\", not an address or a network such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/64; \"none\" alone trusts nobody");
        }
    }

    /** A limit of the account's own: a whole number, null for "plan", or what it is where none is given. */
    Long limit(Option option, Long present) {
        String value = value(option).orElse(null);
        if (value == null) {
            return present;
        }
        if (value.equals("plan")) {
            return null;
        }
        if (!value.matches("[0-9]{1,9}")) {
            throw new Refusal(name(option) + " is \"" + value + "\", not a whole number up to 999999999, or \"plan\"");
        }
        return Long.valueOf(value);
    }
}
