package stet.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import stet.base.Refusal;
import stet.base.Suggestion;
import stet.cli.Config.UnknownVariable;

/** Parses a command from arguments and environment variables. */
public final class CommandLine {
    /** Variables that are not options: set for child processes, for test clients, in stet.json or by Kubernetes for a service named stet. */
    private static final String FOREIGN = "STET_(URL|API_URL|EXEC_MARK|JAR|KEY(_.*)?|SERVICE_(HOST|PORT.*)|TOKEN_[A-Z0-9_]+|PORT(_[0-9]+_.*)?)";

    /** Options whose values may have line breaks (a script, the end of a secret's line) or have rules of their own. */
    private static final Set<Option> CHECKED_LATER = EnumSet.of(Option.EXEC, Option.ADMIN_PASSWORD, Option.SMTP_PASSWORD, Option.TOKEN, Option.NAME, Option.NOTE);

    private CommandLine() {
    }

    /** @throws Refusal if the arguments or variables are invalid */
    public static Config parse(String[] arguments, Map<String, String> environment) {
        List<String> words = new ArrayList<>();
        Map<Option, String> given = new EnumMap<>(Option.class);
        Command help = null;
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            if (argument.equals("--help") || argument.equals("-h")) {
                help = Command.HELP;
            } else if (argument.equals("--version")) {
                help = Command.VERSION;
            } else if (!argument.startsWith("-") || argument.equals("-")) {
                words.add(argument);
            } else if (readOption(argument, i + 1 < arguments.length ? arguments[i + 1] : "--", given)) {
                i++;
            }
        }
        if (help != null) {
            return new Config(help, words, Map.of(), Set.of(), List.of(), Map.of());
        }
        Command command = words.isEmpty() ? Command.SERVE : command(words);
        List<String> operands = words.isEmpty() ? words : words.subList(command.words().split(" ").length, words.size());
        check(command, operands, given);
        Set<Option> variables = readVariables(command, environment, given);
        return new Config(command, List.copyOf(operands), given, variables, unknownVariables(environment), environment);
    }

    /** Adds the options that environment variables set and no argument does. @return these options */
    private static Set<Option> readVariables(Command command, Map<String, String> environment, Map<Option, String> given) {
        Set<Option> variables = EnumSet.noneOf(Option.class);
        for (Option option : command.options()) {
            String value = environment.getOrDefault(option.variable(), "");
            if (option.isFlag() && !value.isEmpty() && !value.equals("true") && !value.equals("false")) {
                throw new Refusal(option.variable() + " must be true or false, but is \"" + value + "\"");
            }
            checkVariable(option, value);
            boolean isSet = !value.isEmpty() && !(option.isFlag() && value.equals("false"));
            if (isSet && !given.containsKey(option)) {
                given.put(option, value);
                variables.add(option);
            }
        }
        return variables;
    }

    /** Rejects, for example, the carriage return that a file of variables with Windows line endings leaves at the end of a path. */
    private static void checkVariable(Option option, String value) {
        if (!CHECKED_LATER.contains(option)) {
            value.chars().filter(Character::isISOControl).findFirst().ifPresent(control -> {
                throw new Refusal(option.variable() + " contains the control character " + String.format(Locale.ROOT, "U+%04X", control)
                        + (control == '\r' || control == '\n' ? " (a line break)" : "") + "; remove it");
            });
        }
    }

    private static Command command(List<String> words) {
        for (Command known : Command.values()) {
            if (known.isCalledBy(words)) {
                return known;
            }
        }
        throw unknownCommand(words);
    }

    private static List<UnknownVariable> unknownVariables(Map<String, String> environment) {
        List<UnknownVariable> unknown = new ArrayList<>(); // usually empty, so the names of the options are listed only if needed
        for (String name : new TreeSet<>(environment.keySet())) {
            if (name.startsWith("STET_") && !name.matches(FOREIGN)) {
                List<String> known = Arrays.stream(Option.values()).map(Option::variable).toList();
                if (!known.contains(name)) {
                    unknown.add(new UnknownVariable(name, Suggestion.nearest(name, known).orElse(null)));
                }
            }
        }
        return unknown;
    }

    /** Parses {@code --flag}, {@code --option=value} or {@code --option value}. @return whether the next argument is the option's value */
    private static boolean readOption(String argument, String next, Map<Option, String> given) {
        String[] parts = argument.split("=", 2);
        Option option = option(parts[0]);
        if (option.isVariableOnly()) {
            throw new Refusal(option.word() + " would be visible in the process list; use " + option.inFile().usage()
                    + " or the variable " + option.variable());
        }
        if (option.isFlag() && parts.length == 2) {
            throw new Refusal(option.word() + " takes no value; omit the value");
        }
        boolean takesNext = !option.isFlag() && parts.length == 1;
        String value = option.isFlag() ? "true" : takesNext ? next : parts[1];
        if (value.isEmpty() || takesNext && next.startsWith("--")) {
            throw new Refusal(option.word() + " needs a value: " + option.usage());
        }
        if (given.put(option, value) != null) {
            throw new Refusal(option.word() + " was given twice; use it only once");
        }
        return takesNext;
    }

    private static Option option(String word) {
        for (Option option : Option.values()) {
            if (option.word().equals(word)) {
                return option;
            }
        }
        Stream<Option> all = Arrays.stream(Option.values()).filter(option -> !option.isVariableOnly());
        throw new Refusal("Unknown option " + word + Suggestion.nearest(word, all.map(Option::word).toList())
                .map(nearest -> "; did you mean " + nearest + "?").orElse("; \"help COMMAND\" lists a command's options"));
    }

    /** The error for an unknown command. @param words at least one */
    static Refusal unknownCommand(List<String> words) {
        List<Command> group = Command.of(words.subList(0, 1));
        String given = String.join(" ", words.subList(0, Math.min(words.size(), group.isEmpty() ? 1 : 2)));
        Optional<String> nearest = Suggestion.nearest(given, Arrays.stream(Command.values()).map(Command::words)
                .map(known -> group.isEmpty() ? known.split(" ")[0] : known).toList());
        if (nearest.isPresent()) {
            return new Refusal("Unknown command \"" + given + "\"; did you mean \"" + nearest.get() + "\"?");
        }
        List<String> endings = group.stream().map(Command::words).filter(known -> known.contains(" ")).map(known -> known.split(" ")[1]).toList();
        if (endings.isEmpty()) {
            return new Refusal("Unknown command \"" + given + "\"; run \"help\" for a list of commands");
        }
        return new Refusal("\"" + words.get(0) + "\" must be followed by one of: " + String.join(", ", endings));
    }

    private static void check(Command command, List<String> operands, Map<Option, String> given) {
        String name = "\"" + command.words() + "\"";
        for (Option option : given.keySet()) {
            if (!command.options().contains(option)) {
                throw new Refusal(name + " has no option " + option.word() + "; \"help " + command.words() + "\" lists its options");
            }
        }
        List<String> wanted = command.operands();
        if (operands.size() < wanted.size() && !wanted.get(operands.size()).startsWith("[")) {
            throw new Refusal(name + " needs " + wanted.get(operands.size()) + ": " + command.usage());
        }
        if (operands.size() > wanted.size() && command != Command.HELP) {
            throw new Refusal(name + " does not accept \"" + operands.get(wanted.size()) + "\": " + command.usage());
        }
    }
}
