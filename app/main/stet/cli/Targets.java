package stet.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import stet.base.Fields;
import stet.base.Refusal;
import stet.base.Suggestion;
import stet.base.SystemFailure;
import stet.base.Utf8;
import stet.core.Validation;
import stet.files.AccountFiles;

/**
 * The accounts that stet.json names, so that commands need no address: {@code push mails --to staging}. The file is in Git and holds no
 * secrets, only the names of the environment variables that hold the deploy tokens.
 *
 * <pre>
 * {"targets": {"staging": {"server": "https://mail.example.com", "account": "staging", "tokenVariable": "STET_TOKEN_STAGING"}}}
 * </pre>
 */
final class Targets {
    private static final int MAX_BYTES = 64 << 10;
    private static final Set<String> SECRETS = Set.of("token", "password", "secret", "key");

    private Targets() {
    }

    /** @param account the account that the token must belong to, or null for any @param variable the environment variable with the token */
    record NamedTarget(URI server, String account, String variable, boolean allowHttp) {
    }

    /**
     * Finds an account by name.
     *
     * @param option the option that names the account
     * @param folder the command's folder, where stet.json is looked for before the working directory; null for none
     * @throws Refusal if there is no such file, or the file is invalid or does not have the name
     */
    static NamedTarget find(Config config, Option option, String folder) {
        Path here = Config.path(AccountFiles.TARGETS);
        Path path = (folder == null ? Stream.of(here) : Stream.of(Config.path(folder).resolve(AccountFiles.TARGETS), here))
                .filter(Files::isRegularFile).findFirst().orElseThrow(() -> new Refusal(config.name(option) + " needs the file " + AccountFiles.TARGETS
                        + "; create it in " + (folder == null ? "the working directory" : Config.path(folder) + " or in the working directory")));
        try {
            return find(read(path), config.required(option));
        } catch (Refusal refusal) {
            throw refusal.in(path.toString());
        }
    }

    private static NamedTarget find(Map<String, NamedTarget> targets, String name) {
        if (!targets.containsKey(name)) {
            throw new Refusal("\"" + name + "\" is unknown" + Suggestion.nearest(name, targets.keySet())
                    .map(nearest -> "; did you mean \"" + nearest + "\"?").orElse("; known: " + String.join(", ", targets.keySet())));
        }
        return targets.get(name);
    }

    private static Map<String, NamedTarget> read(Path path) {
        byte[] bytes;
        try {
            long size = Files.size(path);
            if (size > MAX_BYTES) {
                throw new Refusal("The file is " + size + " bytes; the limit is " + MAX_BYTES + " (64 KiB)");
            }
            bytes = Files.readAllBytes(path);
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot read the file " + path, failure);
        }
        if (Utf8.decode(bytes).orElseThrow(() -> new Refusal("Invalid UTF-8")).contains("stet_deploy_")) {
            throw new Refusal("The file contains a deploy token. Revoke the token, and name the environment variable of the new one in \"tokenVariable\".");
        }
        Fields root = Fields.ofFile(bytes).only("targets");
        Fields targets = root.object("targets");
        if (targets == null || targets.names().isEmpty()) {
            throw root.wrong("targets", "is missing");
        }
        Map<String, NamedTarget> named = new TreeMap<>();
        for (String name : targets.names()) {
            if (!Validation.isId(name)) {
                throw targets.wrong(name, "is not a valid name; use 1 to 64 letters, digits, - and _, starting with a letter or digit");
            }
            named.put(name, target(targets.object(name)));
        }
        return named;
    }

    private static NamedTarget target(Fields fields) {
        List<String> secrets = fields.names().stream().filter(field -> SECRETS.contains(field.toLowerCase(Locale.ROOT))).toList();
        if (!secrets.isEmpty()) {
            throw fields.wrong(secrets.get(0), "must not be in the file; put the token into an environment variable, and name the variable in \"tokenVariable\"");
        }
        fields.only("server", "account", "tokenVariable", "allowHttp");
        String server = fields.text("server");
        Optional<URI> url = HttpUrl.server(server);
        if (url.isEmpty()) {
            throw fields.wrong("server", "is \"" + server + "\"; use a URL such as https://mail.example.com");
        }
        String variable = fields.text("tokenVariable", Option.TOKEN.variable());
        if (!variable.matches("[A-Za-z_][A-Za-z0-9_]{0,99}")) {
            throw fields.wrong("tokenVariable", "must be the name of an environment variable, such as STET_TOKEN_STAGING");
        }
        String account = fields.text("account", null);
        if (account != null && account.isBlank()) {
            throw fields.wrong("account", "is empty; enter the account's name, or remove the field");
        }
        return new NamedTarget(url.get(), account, variable, fields.flag("allowHttp", false));
    }
}
