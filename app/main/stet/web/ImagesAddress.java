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
 * JDK's lookup of a host and its TLS handshake have no time limit; only one test runs at a time.
 */
public final class ImagesAddress {
    /** The problem of an address that works, but not for recipients. */
    private static final String PRIVATE = "The image was loaded from this server, but recipients cannot load it: the address has no https or leads to their own"
            + " computer. Set --images-url to a public address with https";

    private final Lazy<ImageProbe> probe;
    private final Supplier<SSLSocketFactory> tls;
    private final Duration timeout;
    /** The last test, which may still run. */
    private Probing last;

    /** A request for the image. @param problem is completed with null if there is none */
    private record Probing(HttpURLConnection connection, CompletableFuture<String> problem) {
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
        return Response.json(new AddressJson(url + "/" + probe.get().file(), problem(url).or(() -> Optional.of(PRIVATE).filter(any -> ImageNames.isPrivate(url))).orElse(null)));
    }

    /** Loads the image. @param url the start of addresses */
    Optional<String> problem(String url) {
        URI address = URI.create(url + "/" + probe.get().file());
        Probing probing = null;
        try {
            probing = start(address);
            return Optional.ofNullable(probing.problem.get(timeout.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException late) {
            probing.problem.complete(late(address)); // also for others who wait, whatever the thread finds when its connection ends
            probing.connection.disconnect();
            return Optional.ofNullable(probing.problem.join());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.of(late(address));
        } catch (IOException | ExecutionException failure) {
            return Optional.of(address.getAuthority() + " cannot be reached (" + failure.getMessage() + "); check --images-url");
        }
    }

    private String late(URI address) {
        return address.getAuthority() + " did not respond within " + timeout.toSeconds() + " s; check the firewall and the proxy";
    }

    private synchronized Probing start(URI address) throws IOException {
        if (last == null || last.problem.isDone()) {
            HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
            Probing probing = new Probing(connection, new CompletableFuture<>());
            Thread thread = new Thread(() -> {
                try {
                    probing.problem.complete(load(address, connection));
                } catch (RuntimeException failure) {
                    probing.problem.completeExceptionally(failure);
                }
            }, "stet-images-address");
            thread.setDaemon(true);
            thread.start();
            last = probing;
        }
        return last;
    }

    /** @return what is wrong, or null */
    private String load(URI address, HttpURLConnection connection) {
        String host = address.getAuthority();
        try {
            if (connection instanceof HttpsURLConnection secured) {
                secured.setSSLSocketFactory(tls.get());
            }
            connection.setInstanceFollowRedirects(false);
            connection.setUseCaches(false);
            int longer = 2 * (int) timeout.toMillis(); // ends the thread if disconnecting does not
            connection.setConnectTimeout(longer);
            connection.setReadTimeout(longer);
            int status = connection.getResponseCode();
            if (status != 200) {
                return host + (status < 0 ? " did not respond with HTTP" : " returned " + status) + "; let the proxy pass /images/ on to this server";
            }
            String type = connection.getContentType();
            boolean isImage = type != null && type.split(";")[0].strip().equalsIgnoreCase("image/png") && Arrays.equals(probe.get().bytes(), read(connection));
            return isImage ? null : host + " returned something else than this server's image; let the proxy pass /images/ on to this server unchanged";
        } catch (UnknownHostException unknown) {
            return "The host " + host + " is unknown; check --images-url and the DNS";
        } catch (SocketTimeoutException late) {
            return late(address);
        } catch (SSLException failure) {
            boolean isCertificate = Stream.iterate((Throwable) failure, each -> each != null, Throwable::getCause).anyMatch(CertificateException.class::isInstance);
            return isCertificate ? "The certificate of " + host + " is not valid for it (" + failure.getMessage() + "); install another certificate"
                    : host + " cannot be reached by https (" + failure.getMessage() + "); check the port and the proxy";
        } catch (ConnectException closed) {
            return "Nothing listens at " + host + "; start the proxy or change --images-url";
        } catch (IOException failure) {
            return host + " cannot be reached (" + failure.getMessage() + "); check the proxy";
        } finally {
            connection.disconnect();
        }
    }

    /** Reads at most one byte more than the image has. */
    private byte[] read(HttpURLConnection connection) throws IOException {
        try (InputStream in = connection.getInputStream()) {
            return in.readNBytes(probe.get().bytes().length + 1);
        }
    }
}
