package stet.web;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import stet.access.Administrator;
import stet.base.Lazy;
import stet.core.ImageNames;
import stet.http.Request;
import stet.http.Response;
import stet.images.ImageProbe;

/**
 * Tests the address of images: whether what emails will contain leads back to this server. A test runs on a thread of its own, because the
 * JDK's lookup of a host and its TLS handshake have no time limit. Only one test runs at a time: while its thread is alive, further tests have
 * its result.
 */
public final class ImagesAddress {
    /** The problem of an address that works, but not for recipients. */
    private static final String PRIVATE = "The image was loaded from this server, but recipients cannot load it: the address has no https or leads to their own"
            + " computer. Set --images-url to a public address with https";

    private final Lazy<ImageProbe> probe;
    private final Supplier<SSLSocketFactory> tls;
    private final Duration timeout;
    /** The test that runs, or null. Guarded by this. */
    private Running running;

    /** @param problem completed with what is wrong, or empty */
    private record Running(HttpURLConnection connection, CompletableFuture<Optional<String>> problem) {
    }

    /**
     * @param probe   the image that this server serves
     * @param timeout time limit of a test
     */
    ImagesAddress(Lazy<ImageProbe> probe, Supplier<SSLSocketFactory> tls, Duration timeout) {
        this.probe = probe;
        this.tls = tls;
        this.timeout = timeout;
    }

    /** @param problem what is wrong with the address, and what to do; null if the image was loaded */
    record AddressJson(String address, String problem) {
    }

    /** Loads a small image from the address that emails contain. */
    public Response test(Administrator administrator, Request request) {
        request.receive();
        String url = administrator.read(dao -> dao.images().url());
        Optional<String> problem = problem(url).or(() -> ImageNames.isPrivate(url) ? Optional.of(PRIVATE) : Optional.empty());
        return Response.json(new AddressJson(url + "/" + probe.get().file(), problem.orElse(null)));
    }

    /**
     * Loads the image, or waits for a test that already runs.
     *
     * @param url the start of addresses
     * @return what is wrong and what to do; empty if the image was loaded
     */
    Optional<String> problem(String url) {
        URI address = URI.create(url + "/" + probe.get().file());
        try {
            return await(address, runningOrStarted(address));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.of(late(address));
        } catch (IOException | ExecutionException failure) {
            return Optional.of(address.getAuthority() + " cannot be reached (" + failure.getMessage() + "); check --images-url");
        }
    }

    /** Waits for a test's result. Ends the test at the time limit. */
    private Optional<String> await(URI address, Running test) throws InterruptedException, ExecutionException {
        try {
            return test.problem.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            test.problem.complete(Optional.of(late(address))); // also for others who wait, whatever the thread finds when its connection ends
            test.connection.disconnect();
            return test.problem.get();
        }
    }

    private String late(URI address) {
        return address.getAuthority() + " did not respond within " + timeout.toSeconds() + " s; check the firewall and the proxy";
    }

    /** Starts a test, unless one runs. @return the test that runs now */
    private synchronized Running runningOrStarted(URI address) throws IOException {
        if (running == null) {
            Running test = new Running((HttpURLConnection) address.toURL().openConnection(), new CompletableFuture<>());
            Thread thread = new Thread(() -> run(address, test), "stet-images-address");
            thread.setDaemon(true);
            thread.start();
            running = test;
        }
        return running;
    }

    private void run(URI address, Running test) {
        try {
            Optional<String> problem = load(address, test.connection);
            end();
            test.problem.complete(problem);
        } catch (RuntimeException failure) {
            end();
            test.problem.completeExceptionally(failure);
        }
    }

    private synchronized void end() {
        running = null;
    }

    /** Loads the image. @return what is wrong and what to do; empty if the image was loaded */
    private Optional<String> load(URI address, HttpURLConnection connection) {
        try {
            if (connection instanceof HttpsURLConnection secured) {
                secured.setSSLSocketFactory(tls.get());
            }
            connection.setInstanceFollowRedirects(false);
            connection.setUseCaches(false);
            int longer = 2 * (int) timeout.toMillis(); // ends the thread if disconnecting does not
            connection.setConnectTimeout(longer);
            connection.setReadTimeout(longer);
            return wrongResponse(address.getAuthority(), connection);
        } catch (IOException failure) {
            return Optional.of(explained(address, failure));
        } finally {
            connection.disconnect();
        }
    }

    /** Sends the request. @return what is wrong with the response, or empty */
    private Optional<String> wrongResponse(String host, HttpURLConnection connection) throws IOException {
        int status = connection.getResponseCode();
        if (status != 200) {
            return Optional.of(host + (status < 0 ? " did not respond with HTTP" : " returned " + status) + "; let the proxy pass /images/ on to this server");
        }
        String type = connection.getContentType();
        if (type != null && type.split(";")[0].strip().equalsIgnoreCase("image/png") && Arrays.equals(probe.get().bytes(), read(connection))) {
            return Optional.empty();
        }
        return Optional.of(host + " returned something else than this server's image; let the proxy pass /images/ on to this server unchanged");
    }

    /** Why the address cannot be reached, and what to do. */
    private String explained(URI address, IOException failure) {
        String host = address.getAuthority();
        if (failure instanceof UnknownHostException) {
            return "The host " + host + " is unknown; check --images-url and the DNS";
        }
        if (failure instanceof SocketTimeoutException) {
            return late(address);
        }
        if (failure instanceof ConnectException) {
            return "Nothing listens at " + host + "; start the proxy or change --images-url";
        }
        if (!(failure instanceof SSLException)) {
            return host + " cannot be reached (" + failure.getMessage() + "); check the proxy";
        }
        boolean isCertificate = Stream.iterate((Throwable) failure, each -> each != null, Throwable::getCause)
                .anyMatch(CertificateException.class::isInstance);
        return isCertificate ? "The certificate of " + host + " is not valid for it (" + failure.getMessage() + "); install another certificate"
                : host + " cannot be reached by https (" + failure.getMessage() + "); check the port and the proxy";
    }

    /** Reads at most one byte more than the image has. */
    private byte[] read(HttpURLConnection connection) throws IOException {
        try (InputStream in = connection.getInputStream()) {
            return in.readNBytes(probe.get().bytes().length + 1);
        }
    }
}
