package stet;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import stet.core.Refusal;
import stet.http.TrustedProxies;

/**
 * What was asked for: the arguments, and the environment for what they leave open.
 *
 * @param operands what stands behind the command's words
 * @param options  the value of each option given; "true" of one that takes none
 */
record Config(Command command, List<String> operands, Map<Option, String> options) {

    /** @throws Refusal when the arguments or the variables do not make a command */
    static Config parse(String[] arguments, Map<String, String> environment) {
        List<String> words = new ArrayList<>();
        Map<Option, String> given = new EnumMap<>(Option.class);
        boolean help = read(List.of(arguments), words, given);
        if (help) {
            return new Config(Command.HELP, words, Map.of());
        }
        Command command = words.isEmpty() ? Command.SERVE : Arrays.stream(Command.values())
                .filter(known -> known.isCalledBy(words)).findFirst().orElseThrow(() -> unknown(words));
        List<String> operands = words.isEmpty() ? words : words.subList(command.words().split(" ").length, words.size());
        check(command, operands, given);
        for (Option option : command.options()) {
            String value = variable(option, environment);
            if (!value.isEmpty()) {
                given.putIfAbsent(option, option.isFlag() ? truth(option, value) : value);
            }
        }
        given.entrySet().removeIf(option -> option.getKey().isFlag() && option.getValue().equals("false"));
        return new Config(command, List.copyOf(operands), given);
    }

    /** What the environment says of an option, or what the file says that it names; empty for nothing. */
    private static String variable(Option option, Map<String, String> environment) {
        String value = environment.getOrDefault(option.variable(), "");
        String file = option.fileVariable() == null ? "" : environment.getOrDefault(option.fileVariable(), "");
        if (file.isEmpty()) {
            return value;
        }
        if (!value.isEmpty()) {
            throw new Refusal(option.variable() + " and " + option.fileVariable() + " are both set");
        }
        try {
            return Files.readString(path(file)).replaceFirst("\\R\\z", "");
        } catch (IOException failure) {
            throw new Refusal("The file " + file + " of " + option.fileVariable() + " cannot be read");
        }
    }

    /** Sorts the arguments into words and options. @return whether help is wanted */
    private static boolean read(List<String> arguments, List<String> words, Map<Option, String> given) {
        boolean help = false;
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.equals("--help") || argument.equals("-h")) {
                help = true;
            } else if (!argument.startsWith("-") || argument.equals("-")) {
                words.add(argument);
            } else {
                String[] parts = argument.split("=", 2);
                Option option = option(parts[0]);
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
        return help;
    }

    private static Option option(String word) {
        return Arrays.stream(Option.values()).filter(option -> option.word().equals(word)).findFirst()
                .orElseThrow(() -> new Refusal("There is no option " + word + "; \"help COMMAND\" lists a command's options"));
    }

    private static Refusal unknown(List<String> words) {
        List<Command> group = Command.of(words.subList(0, 1));
        if (group.isEmpty()) {
            return new Refusal("There is no command \"" + words.get(0) + "\"; \"help\" lists what there is");
        }
        List<String> endings = group.stream().map(command -> command.words().split(" ")[1]).toList();
        return new Refusal("\"" + words.get(0) + "\" needs one of these behind it: " + String.join(", ", endings));
    }

    private static void check(Command command, List<String> operands, Map<Option, String> given) {
        if (command == Command.HELP) {
            return;
        }
        for (Option option : given.keySet()) {
            if (!command.options().contains(option)) {
                throw new Refusal("\"" + command.words() + "\" has no option " + option.word());
            }
        }
        if (operands.size() < command.operands().size()) {
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

    boolean has(Option option) {
        return options.containsKey(option);
    }

    Optional<String> value(Option option) {
        return Optional.ofNullable(options.get(option));
    }

    /** The value of an option that the command cannot do without. */
    String required(Option option) {
        return value(option).orElseThrow(() -> new Refusal("\"" + command.words() + "\" needs " + option.usage()));
    }

    /** The folder that everything lives in. */
    Path data() {
        return path(value(Option.DATA).orElse("stet-data"));
    }

    static Path path(String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException notAPath) {
            throw new Refusal("\"" + name + "\" is not the name of a file or folder");
        }
    }

    /** The address to listen on. An IPv6 one stands in brackets: {@code [::1]:8080}. */
    InetSocketAddress listen() {
        String listen = value(Option.LISTEN).orElse(command == Command.FIXTURE ? "127.0.0.1:0" : "127.0.0.1:8080");
        int colon = listen.lastIndexOf(':');
        String host = listen.substring(0, Math.max(colon, 0));
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (host.isEmpty() || host.contains(":") != bracketed || host.contains("/")) {
            throw new Refusal("--listen is \"" + listen + "\", not HOST:PORT such as 127.0.0.1:8080 or [::1]:8080");
        }
        InetSocketAddress address = new InetSocketAddress(bracketed ? host.substring(1, host.length() - 1) : host,
                port(listen, listen.substring(colon + 1)));
        if (address.isUnresolved()) {
            throw new Refusal("--listen is \"" + listen + "\", but this machine knows no host " + host);
        }
        return address;
    }

    private static int port(String listen, String digits) {
        int port = digits.matches("[0-9]{1,5}") ? Integer.parseInt(digits) : -1;
        if (port < 0 || port > 65_535) {
            throw new Refusal("--listen is \"" + listen + "\", but a port is a number from 0 to 65535");
        }
        return port;
    }

    /** Where clients reach the service, without a slash at its end, if that was said. */
    Optional<String> baseUrl() {
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
            throw new Refusal("--base-url is \"" + url + "\", not an address such as https://mail.example.com");
        });
    }

    /** The proxies whose word on a client's address is taken. */
    TrustedProxies trustedProxies() {
        try {
            return value(Option.TRUSTED_PROXIES).map(TrustedProxies::of).orElse(TrustedProxies.LOOPBACK);
        } catch (IllegalArgumentException neither) {
            throw new Refusal("--trusted-proxies has \"" + neither.getMessage()
                    + "\", not an address or a network such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/64; \"none\" alone trusts nobody");
        }
    }

    /** A limit: a whole number, or null for "plan". */
    static Long limit(Option option, String value) {
        if (value.equals("plan")) {
            return null;
        }
        if (!value.matches("[0-9]{1,9}")) {
            throw new Refusal(option.word() + " is \"" + value + "\", not a whole number up to 999999999, or \"plan\"");
        }
        return Long.valueOf(value);
    }
}
