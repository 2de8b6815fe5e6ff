package stet.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Draft;
import stet.harness.Terminal;
import stet.sqlite.Db;

/** Invalid input gets a one-sentence error on stderr and exit code 1, and changes nothing. */
class BadInputTest {
    @TempDir
    Path folder;
    private Path data;
    private Terminal terminal;

    @BeforeEach
    void anAccount() {
        data = folder.resolve("data");
        terminal = new Terminal(data);
        terminal.account("ada@example.com", "free");
        try (Db db = Db.open(data, false)) {
            db.change(dao -> dao.templates().save(1, new Draft("receipt", "receipt", "", new byte[0], Map.of()), terminal.clock.instant()));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # commands
            frob                            | Unknown command "frob"; run "help" for a list of commands
            account                         | "account" must be followed by one of: add, list, plan, rename, label, invite, suspend, resume, delete
            account frob                    | "account" must be followed by one of: add, list, plan, rename, label, invite, suspend, resume, delete
            help frob                       | Unknown command "frob"; run "help" for a list of commands
            acount list                     | Unknown command "acount"; did you mean "account"?
            exprot DIR                      | Unknown command "exprot"; did you mean "export"?
            account lsit                    | Unknown command "account lsit"; did you mean "account list"?
            help tempalte                   | Unknown command "tempalte"; did you mean "template"?
            help push now                   | Unknown command "push now"; run "help" for a list of commands
            # options
            account list --frobnicate       | Unknown option --frobnicate; "help COMMAND" lists a command's options
            serve --lisen :8080             | Unknown option --lisen; did you mean --listen?
            import DIR --dryrun             | Unknown option --dryrun; did you mean --dry-run?
            account list -x                 | Unknown option -x; "help COMMAND" lists a command's options
            account list --listen :1        | "account list" has no option --listen; "help account list" lists its options
            account list --data             | --data needs a value: --data DIR
            account list --data=            | --data needs a value: --data DIR
            account list --data --yes       | --data needs a value: --data DIR
            account list --data a --data b  | --data was given twice; use it only once
            account delete x@y.z --yes=1    | --yes takes no value; omit the value
            import DIR                      | "import" needs --account ACCOUNT
            # operands
            account add                     | "account add" needs EMAIL: account add EMAIL
            key add a@b.c                   | "key add" needs NAME: key add ACCOUNT NAME
            account list ada@example.com    | "account list" does not accept "ada@example.com": account list
            serve now                       | "serve" does not accept "now": serve
            # accounts
            account add ada                 | "ada" is not a valid email address; enter an address such as ada@example.com
            account add ADA@example.com     | An account for ADA@example.com already exists
            account add bob@example.com --plan gold          | "gold" is not a plan; choose free, pro or none
            account add bob@example.com --password-file gone | Cannot read the file gone: file or folder not found
            account plan ada@example.com                     | "account plan" needs PLAN, --requests, --keys, --storage or --images: account plan ACCOUNT [PLAN]
            account plan ada@example.com --billing-anchor 2026-01-01T00:00:00Z | --billing-anchor requires the Pro plan; the free plan has no billing cycle
            account plan adda@example.com pro                | Account adda@example.com not found; did you mean ada@example.com?
            account plan ada@example.com gold                | "gold" is not a plan; choose free, pro or none
            account plan bob@example.com pro                 | Account bob@example.com not found
            account plan ada@example.com pro --billing-anchor +10000-01-01T00:00:00Z | "+10000-01-01T00:00:00Z" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z
            account plan ada@example.com pro --billing-anchor 2026-02-30 | "2026-02-30" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z
            account plan ada@example.com free --billing-anchor 2026-01-01T00:00:00Z | --billing-anchor requires the Pro plan; the free plan has no billing cycle
            account plan ada@example.com free --requests -1   | --requests is "-1"; it must be a whole number from 0 to 999999999, or "plan"
            account plan ada@example.com free --keys 1e3      | --keys is "1e3"; it must be a whole number from 0 to 999999999, or "plan"
            user password bob@example.com   | User bob@example.com not found
            user password adda@example.com  | User adda@example.com not found; did you mean ada@example.com?
            user password Acme              | Account Acme not found
            account delete ada@example.com  | This permanently deletes account ada@example.com with its templates, shared blocks, keys, deploy tokens and request counts, and its users who belong to no other account (except administrators and users without a password). Confirm with --yes.
            account delete bob@example.com --yes | Account bob@example.com not found
            # keys
            key add bob@example.com ci      | Account bob@example.com not found
            key add ada@example.com ci      | ada@example.com has reached its key limit (1); delete a key or raise the limit
            key rotate ada@example.com 7    | Account ada@example.com has no key 7; "key list" shows the IDs
            key rotate ada@example.com one  | Account ada@example.com has no key one; "key list" shows the IDs
            key delete ada@example.com 7    | Account ada@example.com has no key 7; "key list" shows the IDs
            key delete ada@example.com one  | Account ada@example.com has no key one; "key list" shows the IDs
            # templates
            template list bob@example.com            | Account bob@example.com not found
            template publish ada@example.com welcome | Template welcome not found
            template publish ada@example.com recipt  | Template recipt not found; did you mean receipt?
            template delete ada@example.com receit --yes | Template receit not found; did you mean receipt?
            template delete ada@example.com welcome --yes | Template welcome not found
            template prune ada@example.com receit --keep 5 --yes | Template receit not found; did you mean receipt?
            template prune bob@example.com --keep 5 --yes | Account bob@example.com not found
            template prune ada@example.com          | "template prune" needs --keep N
            template prune ada@example.com --keep 0 | --keep is "0"; it must be a whole number from 1 to 999999999
            template prune ada@example.com --keep -1 | --keep is "-1"; it must be a whole number from 1 to 999999999
            import gone --account ada@example.com    | Folder gone not found
            usage bob@example.com           | Account bob@example.com not found
            # the service
            serve --listen 8080             | --listen is "8080"; use HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080
            serve --listen ::1:8080         | --listen is "::1:8080"; use HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080
            serve --listen 127.0.0.1:http   | --listen is "127.0.0.1:http"; the port must be a number from 0 to 65535
            serve --listen 127.0.0.1:65536  | --listen is "127.0.0.1:65536"; the port must be a number from 0 to 65535
            serve --listen nowhere.invalid:1 | --listen is "nowhere.invalid:1"; nowhere.invalid cannot be resolved
            serve --listen :http            | --listen is ":http"; the port must be a number from 0 to 65535
            serve --admin-email a@b.c       | Set both --admin-email and a password (--admin-password-file or STET_ADMIN_PASSWORD)
            serve --admin-password correct-horse | --admin-password would be visible in the process list; use --admin-password-file FILE or the variable STET_ADMIN_PASSWORD
            serve --trusted-proxies proxy   | --trusted-proxies contains "proxy"; use addresses or networks such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/64, or "none" to trust no proxy
            serve --base-url mail           | --base-url is "mail"; use a URL such as https://mail.example.com
            serve --base-url ftp://a.b      | --base-url is "ftp://a.b"; use a URL such as https://mail.example.com
            serve --base-url https://a.b/c  | --base-url is "https://a.b/c"; use a URL such as https://mail.example.com
            serve --smtp smtp://mail.example | --smtp needs --base-url URL, where the links in emails lead
            serve --base-url https://a.b --smtp smtp://mail.example | --smtp needs --smtp-from ADDRESS
            serve --smtp-from a@b.c         | --smtp-from needs --smtp URL
            serve --smtp-password x         | --smtp-password would be visible in the process list; use --smtp-password-file FILE or the variable STET_SMTP_PASSWORD
            serve --base-url https://a.b --smtp mail.example --smtp-from a@b.c | --smtp is not a mail server's URL; use a URL such as smtps://user@mail.example.com or smtp://localhost:25
            serve --base-url https://a.b --smtp smtps://u@mail.example --smtp-from a@b.c | --smtp has a user but there is no password; set STET_SMTP_PASSWORD or use --smtp-password-file
            serve --base-url https://a.b --smtp smtps://mail.example --smtp-from Stet | --smtp-from is not an email address; use an address such as stet@example.com or "Stet <stet@example.com>"
            serve --images-url img.example.com/images | --images-url is "img.example.com/images"; use a URL such as https://img.example.com/images
            serve --images-url ftp://img.example.com/images | --images-url is "ftp://img.example.com/images"; use a URL such as https://img.example.com/images
            serve --images-url https://user@img.example.com/images | --images-url is "https://user@img.example.com/images"; use a URL such as https://img.example.com/images
            serve --images-url https://img.example.com/images?a=b | --images-url is "https://img.example.com/images?a=b"; use a URL such as https://img.example.com/images
            serve --images-url https://img.example.com/{{x}} | --images-url is "https://img.example.com/{{x}}"; use a URL such as https://img.example.com/images
            serve --images-url https:// | --images-url is "https://"; use a URL such as https://img.example.com/images
            mail test ada@example.com       | "mail test" needs --smtp URL and --smtp-from ADDRESS, or the variables that serve uses
            mail test ada@büch_er --smtp smtp://localhost --smtp-from a@b.c | Stet cannot send to "ada@büch_er"; enter the domain in its ASCII form, such as example.com or xn--bcher-kva.example
            demo --data x                   | "demo" has no option --data; "help demo" lists its options
            """)
    void anInvalidCommandGetsASentenceAndChangesNothing(String line, String sentence) throws Exception {
        byte[] before = Files.readAllBytes(data.resolve("stet.db"));
        assertEquals(new Terminal.Result(1, "", sentence + System.lineSeparator()), terminal.run(line.split(" +")));
        assertArrayEquals(before, Files.readAllBytes(data.resolve("stet.db")));
    }

    /** Ignores variables meant for other programs: those run by {@code fixture --exec}, and Kubernetes. */
    @Test
    void anUnknownVariableIsOneWarning() throws Exception {
        terminal.environment.putAll(Map.of("STET_LISTN", "127.0.0.1:1", "STET_BRANDING", "red", "STET_URL", "http://127.0.0.1:1",
                "STET_KEY_SHOP_TESTS", "x", "STET_PORT", "tcp://10.0.0.1:8080", "STET_PORT_8080_TCP_ADDR", "10.0.0.1", "STET_SERVICE_HOST", "10.0.0.1",
                "STET_API_URL", "http://127.0.0.1:1/api/v1", "STET_EXEC_MARK", "1"));
        Terminal.Result result = terminal.run("version");
        assertEquals("0 Unknown variable STET_BRANDING|Unknown variable STET_LISTN; did you mean STET_LISTEN?",
                result.code() + " " + String.join("|", result.err().lines().toList()));
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertEquals(List.of("WARN unknown-variable name=STET_BRANDING", "WARN unknown-variable name=STET_LISTN nearest=STET_LISTEN"),
                    serving.err().lines().filter(line -> line.contains("STET_")).map(line -> line.substring(line.indexOf(' ') + 1)).toList());
        }
    }

    @Test
    void theVariableOfAFlagMustBeTrueOrFalse() {
        terminal.environment.put("STET_YES", "perhaps");
        assertEquals("STET_YES must be true or false, but is \"perhaps\"" + System.lineSeparator(),
                terminal.run("account", "delete", "ada@example.com").err());
        terminal.environment.put("STET_YES", "true");
        assertEquals(0, terminal.run("account", "delete", "ada@example.com").code());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            STET_LISTEN         | 8080      | serve                            | STET_LISTEN is "8080"; use HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080
            STET_LISTEN         | 1.2.3.4:x | serve                            | STET_LISTEN is "1.2.3.4:x"; the port must be a number from 0 to 65535
            STET_LISTEN         | 0.0.0.0:0 | fixture DIR                      | STET_LISTEN is 0.0.0.0:0, which exposes the controls to other machines; set the allowed hosts with --expose HOSTS
            STET_BASE_URL       | mail      | serve                            | STET_BASE_URL is "mail"; use a URL such as https://mail.example.com
            STET_REQUESTS       | many      | account plan ada@example.com pro | STET_REQUESTS is "many"; it must be a whole number from 0 to 999999999, or "plan"
            STET_PLAN           | gold      | account add bob@example.com      | STET_PLAN: "gold" is not a plan; choose free, pro or none
            STET_BILLING_ANCHOR | now       | account plan ada@example.com pro | STET_BILLING_ANCHOR: "now" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z
            STET_PASSWORD_FILE  | gone      | account add bob@example.com      | STET_PASSWORD_FILE: Cannot read the file gone: file or folder not found
            """)
    void anErrorNamesTheVariableAndNotItsOption(String variable, String value, String line, String sentence) {
        terminal.environment.put(variable, value);
        assertEquals(new Terminal.Result(1, "", sentence + System.lineSeparator()), terminal.run(line.split(" ")));
    }

    @Test
    void aFolderThatCannotBeCreatedIsReportedWithTheReason() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "text");
        assertEquals("Cannot create the folder " + file.resolve("data") + ": Not a directory" + System.lineSeparator(),
                terminal.run("account", "add", "bob@example.com", "--data", file.resolve("data").toString()).err());
        assumeTrue(Files.isDirectory(Path.of("/proc/self")), "there is no folder that takes none");
        assertEquals("Cannot create the folder /proc/stet: file or folder not found" + System.lineSeparator(),
                terminal.run("account", "add", "bob@example.com", "--data", "/proc/stet").err());
    }

    @Test
    void listingAccountsCreatesNoDatabase() {
        Path elsewhere = folder.resolve("elsewhere");
        assertEquals("No Stet database in " + elsewhere
                + "; create one with \"serve\" or \"account add\", or choose another folder with --data" + System.lineSeparator(),
                terminal.run("account", "list", "--data", elsewhere.toString()).err());
        assertEquals(false, Files.exists(elsewhere));
    }

    /** Common passwords are rejected wherever a password is set. ADDRESS stands for the user's email address in upper case. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            short             | The password must have at least 8 characters
            password1234      | This is one of the most common passwords; choose another
            QWERTYUIOP        | This is one of the most common passwords; choose another
            ` baseball21 `    | This is one of the most common passwords; choose another
            00000000          | This is one of the most common passwords; choose another
            ADDRESS           | The password must not be the email address
            `         `       | The password must contain visible characters
            `\0\0\0\0\0\0\0\0` | The password must contain visible characters
            ` \t\0\u00a0\u2003\u200b \u007f` | The password must contain visible characters
            """)
    void aPasswordThatIsEasyToGuessIsRejected(String password, String sentence) throws IOException {
        String err = sentence + System.lineSeparator();
        terminal.input = password.replace("ADDRESS", "ADA@EXAMPLE.COM") + "\n";
        assertEquals(err, terminal.run("account", "password", "ada@example.com", "--password-file", "-").err());
        terminal.input = password.replace("ADDRESS", "BOB@EXAMPLE.COM") + "\n";
        assertEquals(err, terminal.run("account", "add", "bob@example.com", "--password-file", "-").err());
        assertEquals(err, terminal.run("serve", "--listen", "127.0.0.1:0", "--data", folder.resolve("new").toString(),
                "--admin-email", "bob@example.com", "--admin-password-file", "-").err());
    }

    // ---- serve refuses to start on these and does not change them

    @Test
    void serveRejectsAFileThatIsNoDatabase() throws IOException {
        Files.writeString(data.resolve("stet.db"), "These are notes, not a database.");
        refusesToServe(data.resolve("stet.db") + " is not a database; restore a backup, or use another file or folder");
    }

    @Test
    void serveRejectsAnEmptyDatabaseFile() throws IOException {
        Files.write(data.resolve("stet.db"), new byte[0]);
        refusesToServe(data.resolve("stet.db") + " is empty; restore it from a backup");
    }

    @Test
    void serveRejectsAReadOnlyDatabase() throws IOException {
        assumeTrue(data.resolve("stet.db").toFile().setReadOnly() && !Files.isWritable(data.resolve("stet.db")),
                "this user may write to any file");
        refusesToServe(data.resolve("stet.db") + " is read-only: its permissions deny access");
    }

    @Test
    void serveRejectsADatabaseOfANewerVersion() throws Exception {
        sql("pragma user_version = 99");
        refusesToServe(data.resolve("stet.db") + " was created by a newer version of Stet (its schema version is 99; this version supports 11); update Stet");
    }

    @Test
    void serveRejectsADatabaseFromBeforeTheFirstRelease() throws Exception {
        sql("pragma user_version = 9");
        refusesToServe(data.resolve("stet.db") + " was created before Stet's first release (its schema version is 9; this version supports 11); use another folder");
    }

    @Test
    void serveRejectsADatabaseOfAnotherProgram() throws Exception {
        sql("pragma application_id = 7");
        refusesToServe(data.resolve("stet.db") + " is not a Stet database; use another file or folder");
    }

    @Test
    void serveRejectsAFolderInUse() throws IOException {
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            refuses("The folder " + data + " is in use by another serve process or a restore");
            assertEquals(200, serving.get("/healthz", null).status());
        }
    }

    @Test
    void serveAndDemoRejectAPortInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String sentence = "Cannot listen on port " + taken.getLocalPort() + " of 127.0.0.1: Address already in use"
                    + ". Choose another address with --listen HOST:PORT." + System.lineSeparator();
            String listen = "127.0.0.1:" + taken.getLocalPort();
            assertEquals(new Terminal.Result(1, "", sentence), terminal.run("serve", "--listen", listen));
            assertEquals(new Terminal.Result(1, "", sentence), terminal.run("demo", "--listen", listen));
        }
    }

    @Test
    void serveRejectsAPortFileInAMissingFolder() {
        Path file = folder.resolve("gone/port");
        assertEquals("Cannot write the port file " + file + ": file or folder not found"
                + System.lineSeparator(),
                terminal.run("serve", "--listen", "127.0.0.1:0", "--port-file", file.toString()).err());
    }

    @Test
    void serveRejectsADataFolderThatIsAFile() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "text");
        assertEquals(file + " is not a folder" + System.lineSeparator(),
                terminal.run("serve", "--data", file.toString()).err());
        assertEquals("text", Files.readString(file));
    }

    private void refuses(String sentence) {
        assertEquals(new Terminal.Result(1, "", sentence + System.lineSeparator()),
                terminal.run("serve", "--listen", "127.0.0.1:0"));
    }

    private void refusesToServe(String sentence) throws IOException {
        byte[] before = Files.readAllBytes(data.resolve("stet.db"));
        refuses(sentence);
        assertArrayEquals(before, Files.readAllBytes(data.resolve("stet.db")));
    }

    private void sql(String statement) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("stet.db"));
                Statement change = connection.createStatement()) {
            change.execute(statement);
        }
    }
}
