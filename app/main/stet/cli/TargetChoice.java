package stet.cli;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import stet.base.Refusal;
import stet.files.AccountFiles;

/** Opens the account that a command's options name: in the data folder, or on a server, whose address may be in stet.json. */
record TargetChoice(Cli cli) {
    /**
     * @param option names an account in stet.json
     * @param folder the command's folder, or null
     */
    Target open(Option option, String folder) throws IOException {
        Config config = cli.config;
        if (config.has(option) || config.has(Option.SERVER)) {
            return onServer(option, folder);
        }
        if (!config.has(Option.ACCOUNT)) {
            throw new Refusal("\"" + config.command().words() + "\" needs " + Option.ACCOUNT.usage() + ", or " + Option.SERVER.usage());
        }
        return new DataTarget(cli);
    }

    /** Like {@link #open}, for a command that needs a server. */
    ServerTarget onServer(Option option, String folder) throws IOException {
        Config config = cli.config;
        if (config.has(option)) {
            checkAlone(option);
            return named(option, folder);
        }
        String given = config.required(Option.SERVER);
        if (config.has(Option.ACCOUNT)) {
            throw new Refusal(config.name(Option.ACCOUNT) + " applies to the data folder only; with " + config.name(Option.SERVER)
                    + ", the deploy token selects the account");
        }
        URI server = HttpUrl.server(given).orElseThrow(() ->
                new Refusal(config.name(Option.SERVER) + " is \"" + given + "\"; use a URL such as https://mail.example.com"));
        String token = config.secret(Option.TOKEN_FILE, Option.TOKEN, cli.in).orElseThrow(() ->
                new Refusal("Set a deploy token with " + Option.TOKEN.variable() + " or " + Option.TOKEN_FILE.usage()));
        return new ServerTarget(cli, server, checkedToken(token), config.has(Option.ALLOW_HTTP), null);
    }

    /** Opens the account in stet.json that an option names. */
    ServerTarget named(Option option, String folder) throws IOException {
        Targets.NamedTarget found = Targets.find(cli.config, option, folder);
        String token = cli.config.secret(found.variable()).orElseThrow(() -> new Refusal("Set the deploy token of "
                + cli.config.required(option) + " in the environment variable " + found.variable()));
        return new ServerTarget(cli, found.server(), checkedToken(token), found.allowHttp(), found);
    }

    private void checkAlone(Option option) {
        for (Option other : List.of(Option.SERVER, Option.ACCOUNT, Option.TOKEN_FILE)) {
            if (cli.config.isArgument(other)) {
                throw new Refusal(other.word() + " cannot be combined with " + cli.config.name(option) + ", which takes the server and the token from "
                        + AccountFiles.TARGETS);
            }
        }
    }

    private static String checkedToken(String given) {
        String token = given.strip();
        if (!token.matches("[!-~]+")) { // otherwise, the JDK's exception would print the token
            throw new Refusal("The deploy token has invalid characters. The token must be one line of ASCII.");
        }
        return token;
    }
}
