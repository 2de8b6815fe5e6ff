package stet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.harness.Running;
import stet.harness.Terminal;

/** Commands with --server end with one sentence that names the server, whatever the server sends, and wait no longer than 5 minutes. */
class OddServerTest {
    private static final String STATE = "{\"account\":\"ada\",\"templates\":{},\"blocks\":{},\"changed\":[]}";
    private static final List<String> COMMANDS = List.of("status", "pull", "diff", "push", "rollback");
    private static final String SAVED = "The files may have been saved. Run the command again; it sends only what is missing.";
    private static final String ROLLED_BACK = "The template may have been rolled back. Check its history before you run the command again.";
    private static final String NO_STET = "is this a Stet server?";

    @TempDir
    Path folder;
    private Terminal terminal;
    private Odd odd;

    @BeforeEach
    void start() throws IOException {
        terminal = new Terminal(folder.resolve("data"));
        terminal.environment.put("STET_TOKEN", "stet_deploy_secret");
        Files.createDirectories(folder.resolve("mails/templates"));
        Files.writeString(folder.resolve("mails/templates/welcome.html"), "<p>Hi</p>");
        odd = new Odd();
    }

    @AfterEach
    void end() throws IOException {
        odd.close();
    }

    /** Sends a prepared response to each request, then does something odd. Other routes have a right response. */
    private final class Odd implements AutoCloseable {
        private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final Map<String, Script> scripts = new ConcurrentHashMap<>();
        private final AtomicInteger asked = new AtomicInteger();
        /** Connections that the client has left. */
        private final AtomicInteger left = new AtomicInteger();

        Odd() throws IOException {
            Thread accepting = new Thread(this::accept);
            accepting.setDaemon(true);
            accepting.start();
        }

        private void accept() {
            while (true) {
                try {
                    Socket client = listening.accept();
                    Thread thread = new Thread(() -> serve(client));
                    thread.setDaemon(true);
                    thread.start();
                } catch (IOException closed) {
                    return;
                }
            }
        }

        private void serve(Socket client) {
            try (client) {
                InputStream in = new BufferedInputStream(client.getInputStream());
                while (true) {
                    StringBuilder head = new StringBuilder();
                    while (head.indexOf("\r\n\r\n") < 0) {
                        int c = in.read();
                        if (c < 0) {
                            return;
                        }
                        head.append((char) c);
                    }
                    String length = head.toString().replaceFirst("(?is).*\r\ncontent-length: *(\\d+).*", "$1");
                    in.readNBytes(length.matches("\\d+") ? Integer.parseInt(length) : 0);
                    String[] line = head.toString().split("[ ?]");
                    Script script = scripts.get(line[0] + " " + line[1]);
                    if (script == null) {
                        script = out -> out.write(bytes(ok(STATE)));
                    } else {
                        asked.incrementAndGet();
                    }
                    try {
                        script.run(client.getOutputStream());
                    } catch (Stall stalled) {
                        in.transferTo(OutputStream.nullOutputStream()); // until the client leaves
                        throw stalled;
                    }
                }
            } catch (IOException gone) {
                left.incrementAndGet();
            }
        }

        String url() {
            return "http://127.0.0.1:" + listening.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            listening.close();
        }
    }

    /** Writes a response; the connection is closed if it throws. */
    private interface Script {
        void run(OutputStream out) throws IOException;
    }

    /** Sends nothing more but keeps the connection. */
    private static final class Stall extends IOException {
        private static final long serialVersionUID = 1;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String ok(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    private static String route(String command) {
        return switch (command) {
            case "pull", "diff" -> "GET /pull";
            case "push" -> "POST /push";
            case "end" -> "DELETE /push/previews/pr-17";
            case "rollback" -> "POST /push/templates/welcome/rollback";
            default -> "GET /push";
        };
    }

    /** Runs a command; another client's tests override this. */
    Terminal.Result execute(Terminal terminal, String... words) {
        return terminal.run(words);
    }

    private Terminal.Result run(String command, String... more) {
        return runAt(odd.url(), command, more);
    }

    private Terminal.Result runAt(String server, String command, String... more) {
        List<String> words = new ArrayList<>(List.of(command));
        if (command.equals("rollback")) {
            words.add("welcome");
        } else if (!command.equals("status")) {
            words.add(folder.resolve("mails").toString());
        }
        if (command.equals("end")) {
            words.set(0, "push");
            words.addAll(List.of("--preview", "pr-17", "--end"));
        }
        words.addAll(List.of("--server", server));
        words.addAll(List.of(more));
        Terminal.Result result = execute(terminal, words.toArray(String[]::new));
        assertFalse(result.err().contains("Unexpected error") || result.err().contains("\tat ") || result.err().contains("Exception"), result.err());
        assertFalse(result.err().contains("stet_deploy_secret"), result.err());
        assertTrue(result.err().length() < 3_000, result.err());
        return result;
    }

    /** The last line on stderr. */
    private static String last(Terminal.Result result) {
        return result.err().lines().reduce((first, last) -> last).orElse("");
    }

    /** The advice of a push or rollback whose outcome is unknown; empty for other commands. */
    private static String advice(String command) {
        return command.equals("push") ? " " + SAVED : command.equals("rollback") ? " " + ROLLED_BACK : "";
    }

    /** Runs a command. @param sentence beginning of the error after the server's address @param advice end of the error, as {@link #advice}, or empty for none */
    private void assertOdd(String command, int code, String sentence, String advice) {
        Terminal.Result result = run(command);
        String last = last(result);
        assertEquals(code, result.code(), command + ": " + result.err());
        assertTrue(last.startsWith(odd.url() + ": " + sentence), command + ": " + result.err());
        assertEquals(!advice.isEmpty(), !advice(command).isEmpty() && last.endsWith(advice(command)), command + ": " + last);
        assertEquals("", result.out(), command);
    }

    /** Complete responses: raw, with ~ for a line end. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            an error page with 200   | HTTP/1.1 200 OK~Content-Type: text/html~Content-Length: 15~~<html>oh</html>     | 2 | unexpected response with status 200; is this
            JSON of another service  | HTTP/1.1 200 OK~Content-Type: application/json~Content-Length: 8~~{"ok":1}       | 2 | unexpected response with status 200; is this
            an array                 | HTTP/1.1 200 OK~Content-Length: 2~~[]                                            | 2 | unexpected response with status 200; is this
            null                     | HTTP/1.1 200 OK~Content-Length: 4~~null                                          | 2 | unexpected response with status 200; is this
            no JSON                  | HTTP/1.1 200 OK~Content-Length: 5~~{"a":                                         | 2 | unexpected response with status 200; is this
            twice the same field     | HTTP/1.1 200 OK~Content-Length: 23~~{"account":1,"account"}                      | 2 | unexpected response with status 200; is this
            nothing                  | HTTP/1.1 200 OK~Content-Length: 0~~                                              | 2 | unexpected response with status 200; is this
            no content               | HTTP/1.1 204 No Content~~                                                        | 2 | unexpected response with status 204; is this
            a redirect               | HTTP/1.1 302 Found~Location: https://x.example/~Content-Length: 0~~              | 2 | unexpected response with status 302, a redirect to https://x.example/; is this
            a hostile redirect       | HTTP/1.1 301 M~Location: /\u009b31m~Content-Length: 0~~                          | 2 | unexpected response with status 301, a redirect to /\\u009b31m; is this
            compressed               | HTTP/1.1 200 OK~Content-Encoding: gzip~Content-Length: 4~~\u001f\u008bxx         | 2 | unexpected response with status 200, compressed with gzip; is this
            another service's 404    | HTTP/1.1 404 Not Found~Content-Length: 13~~<html></html>                         | 2 | unexpected response with status 404; is this
            a proxy's 502            | HTTP/1.1 502 Bad Gateway~Content-Length: 13~~<html></html>                       | 2 | unexpected response with status 502; is this
            an odd status            | HTTP/1.1 799 What~Content-Length: 0~~                                            | 2 | unexpected response with status 799; is this
            an error that is no text | HTTP/1.1 403 No~Content-Length: 16~~{"error":[null]}                             | 2 | unexpected response with status 403; is this
            an error that is null    | HTTP/1.1 403 No~Content-Length: 14~~{"error":null}                               | 2 | unexpected response with status 403; is this
            invalid UTF-8            | HTTP/1.1 403 No~Content-Length: 13~~{"error":"\u00ff"}                           | 2 | unexpected response with status 403; is this
            """)
    void anotherServersResponseIsRejected(String name, String raw, int code, String sentence) {
        for (String command : COMMANDS) {
            odd.scripts.clear();
            odd.scripts.put(route(command), out -> out.write(bytes(raw.replace("~", "\r\n"))));
            assertOdd(command, code, sentence, advice(command));
        }
    }

    /** Responses that never become complete. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            no HTTP                     | SSH-2.0-OpenSSH_9~
            no response                 | ``
            a part of the head          | HTTP/1.1 200 OK~Content-Le
            a part of the body          | HTTP/1.1 200 OK~Content-Length: 900~~{"account":
            a part of a chunk           | HTTP/1.1 200 OK~Transfer-Encoding: chunked~~40~{"account":
            garbage as a chunk          | HTTP/1.1 200 OK~Transfer-Encoding: chunked~~zz~{}~
            a negative chunk            | HTTP/1.1 200 OK~Transfer-Encoding: chunked~~-5~{}~
            no last chunk               | HTTP/1.1 200 OK~Transfer-Encoding: chunked~~2~{}~
            a negative length           | HTTP/1.1 200 OK~Content-Length: -7~~{}
            a length that is no number  | HTTP/1.1 200 OK~Content-Length: x~~{}
            """)
    void anIncompleteResponseIsAFailedConnection(String name, String raw) {
        for (String command : COMMANDS) {
            odd.scripts.clear();
            odd.scripts.put(route(command), out -> {
                out.write(bytes(raw.replace("~", "\r\n")));
                out.flush();
                throw new IOException("closed");
            });
            assertOdd(command, 2, "the connection failed before a complete response arrived (", advice(command));
        }
    }

    /** The time is the clock's, which the server moves; no test waits. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            no head         | ``
            half a head     | HTTP/1.1 200 OK~Content-Length: 9
            no body         | HTTP/1.1 200 OK~Content-Length: 900000000~~
            half a body     | HTTP/1.1 200 OK~Content-Length: 900000000~~{"account":"ada",
            half a chunk    | HTTP/1.1 200 OK~Transfer-Encoding: chunked~~4000000~{"account":
            no end of body  | HTTP/1.1 200 OK~~{"account":
            """)
    void aServerThatStallsTimesOut(String name, String raw) {
        for (String command : COMMANDS) {
            odd.scripts.clear();
            odd.left.set(0);
            odd.scripts.put(route(command), out -> {
                out.write(bytes(raw.replace("~", "\r\n")));
                out.flush();
                terminal.clock.advance(Duration.ofSeconds(301));
                throw new Stall();
            });
            assertOdd(command, 2, "no complete response within 5 minutes.", advice(command));
            assertTrue(Running.comes(() -> odd.left.get() > 0), "the connection is closed");
        }
    }

    /** A byte a second never ends a wait for the next byte, but the response as a whole is late. */
    @Test
    void aServerThatDripsTimesOut() {
        for (String command : COMMANDS) {
            odd.scripts.clear();
            CountDownLatch gone = new CountDownLatch(1);
            odd.scripts.put(route(command), out -> {
                out.write(bytes("HTTP/1.1 200 OK\r\nContent-Length: 2000000000\r\n\r\n"));
                try {
                    while (true) {
                        out.write(' ');
                        terminal.clock.advance(Duration.ofSeconds(1));
                    }
                } finally {
                    gone.countDown();
                }
            });
            assertOdd(command, 2, "no complete response within 5 minutes.", advice(command));
            assertTrue(Running.comes(() -> gone.getCount() == 0)); // otherwise, it would advance the next command's clock
        }
    }

    @Test
    void anEndlessResponseIsNotReadToItsEnd() {
        byte[] slice = " ".repeat(1 << 16).getBytes(StandardCharsets.US_ASCII);
        for (String command : List.of("status", "push", "rollback")) {
            for (String head : List.of("200 OK\r\n\r\n", "200 OK\r\nContent-Length: 99999999999\r\n\r\n", "403 No\r\n\r\n")) {
                odd.scripts.clear();
                odd.scripts.put(route(command), out -> {
                    out.write(bytes("HTTP/1.1 " + head));
                    while (true) {
                        out.write(slice);
                    }
                });
                assertOdd(command, 2, "the response is longer than 16 MiB; is this a Stet server?", advice(command));
            }
        }
    }

    /** Stet's own refusals exit with 1, its failures with 2. Texts are printable and short. */
    @Test
    void errorsOfStetArePrintedShortAndPrintable() {
        for (String command : COMMANDS) {
            for (int status : new int[] {400, 403, 404, 409, 413, 422, 429, 500}) {
                odd.scripts.clear();
                String body = "{\"error\":\"No\\u001b[31m\\r\\n::error::" + "x".repeat(9_000) + "\"}";
                odd.scripts.put(route(command), out -> out.write(bytes("HTTP/1.1 " + status + " X\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)));
                boolean isOdd = status == 409 && !command.equals("push") && !command.equals("rollback"); // Stet refuses no GET with 409
                assertOdd(command, status == 500 || isOdd ? 2 : 1, isOdd ? "unexpected response with status 409" : "No\\u001b[31m\\r\\n::error::xxx", "");
            }
        }
    }

    /** Each value of a response is checked before it is used. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            status   | {"account":null,"templates":{},"blocks":{},"changed":[]}
            status   | {"account":["ada"],"templates":{},"blocks":{},"changed":[]}
            status   | {"templates":{},"blocks":{},"changed":[]}
            status   | {"account":"ada","templates":null,"blocks":{},"changed":[]}
            status   | {"account":"ada","templates":[],"blocks":{},"changed":[]}
            status   | {"account":"ada","templates":{"a":null},"blocks":{},"changed":[]}
            status   | {"account":"ada","templates":{"a":{}},"blocks":{},"changed":[]}
            status   | {"account":"ada","templates":{},"blocks":"x","changed":[]}
            status   | {"account":"ada","templates":{},"blocks":{"a":null},"changed":[]}
            status   | {"account":"ada","templates":{},"blocks":{}}
            status   | {"account":"ada","templates":{},"blocks":{},"changed":[null]}
            status   | {"account":"ada","templates":{},"blocks":{},"changed":[{}]}
            status   | {"account":"ada","templates":{},"blocks":{},"changed":[{"kind":null,"id":"a","what":"changed"}]}
            status   | {"account":"ada","templates":{},"blocks":{},"changed":[{"kind":"template","id":null,"what":"changed"}]}
            status   | {"account":"ada","templates":{},"blocks":{},"changed":[{"kind":"template","id":"a","what":null}]}
            status   | {"account":"ada","templates":{},"blocks":{},"changed":[{"kind":"template","id":"a","what":"eaten"}]}
            status   | {"account":"ada","templates":{},"blocks":{},"changed":[{"kind":"template","id":"a","what":"changed","at":"soon"}]}
            status   | {"account":"ada","templates":{},"blocks":{},"changed":[{"kind":"template","id":"a","what":"changed","at":7}]}
            status   | {"account":"ada","templates":{},"blocks":{},"changed":[],"last":{}}
            status   | {"account":"ada","templates":{},"blocks":{},"changed":[],"last":{"how":null,"at":"2026-01-31T09:00:00.000Z","note":""}}
            status   | {"account":"ada","templates":{},"blocks":{},"changed":[],"last":{"how":"push","at":null,"note":""}}
            status   | {"account":"ada","templates":{},"blocks":{},"changed":[],"last":{"how":"push","at":"2026-01-31T09:00:00.000Z","note":null}}
            push     | {"created":null,"changed":[],"unchanged":0,"blocks":[],"published":[]}
            push     | {"created":[null],"changed":[],"unchanged":0,"blocks":[],"published":[]}
            push     | {"created":{},"changed":[],"unchanged":0,"blocks":[],"published":[]}
            push     | {"created":[],"unchanged":0,"blocks":[],"published":[]}
            push     | {"created":[],"changed":[],"unchanged":"many","blocks":[],"published":[]}
            push     | {"created":[],"changed":[],"unchanged":99999999999,"blocks":[],"published":[]}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":null,"published":[]}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[[]]}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"conflicts":[null]}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"warnings":[null]}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"variables":{"a":null}}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"variables":{"a":{"added":[null]}}}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"variables":[]}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"previews":[]}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"previews":{"a":null}}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"previews":{"a":7}}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"previews":{"a":"javascript:alert(1)"}}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"previews":{"a":"https://x.example/) [b](https://y.example/"}}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"previews":{"a":"https://x.example/<b>"}}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"previews":{"a":"https://x.example/\u001b[31m"}}
            push     | {"created":[],"changed":[],"unchanged":0,"blocks":[],"published":[],"previews":{"a":""}}
            end      | {}
            end      | {"ended":null}
            end      | {"ended":"x"}
            end      | {"ended":99999999999}
            end      | {"ended":[]}
            rollback | {"version":null,"of":1}
            rollback | {"version":"x","of":1}
            rollback | {"version":3}
            rollback | {"version":3,"of":0}
            rollback | {"version":99999999999,"of":1}
            """)
    void aMissingOrInvalidValueIsAnUnexpectedResponse(String command, String body) {
        odd.scripts.put(route(command), out -> out.write(bytes(ok(body))));
        assertOdd(command, 2, "unexpected response with status 200; " + NO_STET, advice(command));
    }

    /** The first response is busy; ServerClientTest tests the pause before the second request. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({"0", "-5", "x"})
    void aBusyServerIsAskedAgain(String retryAfter) {
        odd.scripts.put(route("status"), out -> out.write(bytes(odd.asked.get() == 1
                ? "HTTP/1.1 503 Busy\r\nRetry-After: " + retryAfter + "\r\nContent-Length: 16\r\n\r\n{\"error\":\"busy\"}" : ok(STATE))));
        Terminal.Result result = run("status");
        assertEquals("0 2", result.code() + " " + odd.asked.get(), result.err());
    }

    @Test
    void aServerThatStaysBusyIsGivenUp() {
        for (String command : COMMANDS) {
            for (boolean isStet : new boolean[] {true, false}) {
                odd.scripts.clear();
                odd.asked.set(0);
                String body = isStet ? "{\"error\":\"busy\"}" : "<html>busy</html>";
                odd.scripts.put(route(command), out -> out.write(bytes("HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)));
                assertOdd(command, 2, isStet ? "busy" : "unexpected response with status 503; " + NO_STET, isStet ? "" : advice(command));
                assertEquals(!isStet && command.equals("rollback") ? 1 : 5, odd.asked.get(), command);
            }
        }
    }

    /** The server may have executed a push that a proxy answered with 503, whatever becomes of the next attempt. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            nothing listens      | ``                                                                      | 2 | Cannot connect to URL.
            Stet stays busy      | HTTP/1.1 503 Busy~Retry-After: 0~Content-Length: 16~~{"error":"busy"}   | 2 | URL: busy.
            Stet fails           | HTTP/1.1 500 Oh~Content-Length: 14~~{"error":"oh"}                      | 2 | URL: oh.
            Stet refuses         | HTTP/1.1 403 No~Content-Length: 14~~{"error":"no"}                      | 1 | URL: no.
            Stet refuses a state | HTTP/1.1 409 No~Content-Length: 15~~{"error":"no."}                     | 1 | URL: no.
            it stays outdated    | HTTP/1.1 409 No~Content-Length: 31~~{"error":"old","outdated":true}     | 1 | URL: old.
            """)
    void afterAProxysResponseAPushMayHaveBeenSaved(String name, String next, int code, String sentence) {
        String url = odd.url();
        odd.scripts.put(route("push"), out -> {
            if (odd.asked.get() > 1) {
                out.write(bytes(next.replace("~", "\r\n")));
                return;
            }
            if (next.isEmpty()) {
                odd.close();
            }
            out.write(bytes("HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbusy"));
            out.flush();
            throw new IOException("closed");
        });
        Terminal.Result result = run("push");
        assertEquals(code + " " + sentence.replace("URL", url) + " " + SAVED, result.code() + " " + last(result), result.err());
    }

    /** The state that a push reads again is a request, too. */
    @Test
    void afterAProxysResponseReadingTheStateAgainMayFail() {
        String url = odd.url();
        odd.scripts.put(route("push"), out -> {
            boolean isFirst = odd.asked.get() == 1;
            if (!isFirst) {
                odd.close();
            }
            out.write(bytes("HTTP/1.1 " + (isFirst ? "503 Busy\r\nRetry-After: 0" : "409 No") + "\r\nConnection: close\r\n\r\n" + (isFirst ? "busy" : "{\"error\":\"old\",\"outdated\":true}")));
            out.flush();
            throw new IOException("closed");
        });
        assertEquals("Cannot connect to " + url + ". " + SAVED, last(run("push")));
    }

    @Test
    void aFailedDryRunIsNotReportedAsMaybeSaved() {
        odd.scripts.put(route("push"), out -> {
            throw new IOException("closed");
        });
        String last = last(run("push", "--dry-run"));
        assertTrue(last.startsWith(odd.url() + ": the connection failed") && last.endsWith(")."), last);
    }

    @Test
    void withJsonAnErrorOfTheServerIsAnObject() throws IOException {
        odd.scripts.put(route("status"), out -> out.write(bytes(ok("{}"))));
        Terminal.Result result = run("status", "--json");
        JsonNode error = Json.tree(last(result));
        assertEquals("2 2 " + odd.url() + ": unexpected response with status 200; " + NO_STET,
                result.code() + " " + error.get("exitCode") + " " + error.get("error").asText());
        assertEquals("", result.out());
        try (Socket unused = new Socket()) { // has a port, on which nothing listens
            unused.bind(new InetSocketAddress("127.0.0.1", 0));
            String url = "http://127.0.0.1:" + unused.getLocalPort();
            for (String command : List.of("status", "diff", "push")) {
                assertEquals("{\"error\":\"Cannot connect to " + url + "\",\"exitCode\":2}", last(runAt(url, command, "--json")));
            }
        }
    }

    @Test
    void withJsonAnErrorOfTheCommandLineIsAnObject() {
        assertEquals("{\"error\":\"\\\"status\\\" needs --account ACCOUNT, or --server URL\",\"exitCode\":1}", terminal.run("status", "--json").err().strip());
        assertEquals("{\"error\":\"Unknown option --jsom; did you mean --json?\",\"exitCode\":1}", terminal.run("status", "--json", "--jsom").err().strip());
        assertEquals("{\"error\":\"\\\"rollback\\\" has no option --json; \\\"help rollback\\\" lists its options\",\"exitCode\":1}",
                terminal.run("rollback", "welcome", "--json").err().strip());
        assertTrue(terminal.run("preview", "no-such", "--out", folder.resolve("out").toString(), "--json").err().startsWith("{\"error\":\""));
    }

    @Test
    void jsonWithAValueIsRejectedWithASentence() {
        assertEquals("--json takes no value; omit the value", terminal.run("status", "--json=x").err().strip());
    }

    /** The health check has its own, shorter limits. */
    @Test
    void healthReportsAnyOtherResponseWithExitCode1() {
        for (String raw : List.of("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"status\":", "SSH-2.0\r\n", "", "HTTP/1.1 302 F\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 503 F\r\nRetry-After: -5\r\nContent-Length: 31\r\n\r\n{\"status\":null,\"reason\":[null]}", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")) {
            odd.scripts.put("GET /healthz", out -> {
                out.write(bytes(raw));
                out.flush();
                throw new IOException("closed");
            });
            Terminal.Result result = terminal.run("health", odd.url());
            assertEquals(1, result.code());
            assertTrue(result.err().startsWith(odd.url() + "/healthz ") && !result.err().contains("Unexpected error"), result.err());
        }
    }
}
