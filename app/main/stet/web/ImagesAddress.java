package stet.web;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import javax.net.ssl.SSLException;
import stet.access.Administrator;
import stet.core.ImageNames;
import stet.http.Response;
import stet.http.Request;
import stet.images.ImageProbe;

/** Tests the address of images: whether what emails will contain leads back to this server. */
public final class ImagesAddress {
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final long TIMEOUT_NANOS = 10_000_000_000L;

    /** @param problem what is wrong with the address, and what to do; null if the image was loaded */
    record AddressJson(String address, String problem) {
    }

    /** Loads a small image from the address that emails contain. */
    public Response test(Administrator administrator, Request request) {
        request.receive();
        String url = administrator.read(dao -> dao.images().url());
        String address = url + "/" + ImageProbe.FILE;
        return Response.json(new AddressJson(address, problem(URI.create(address)).or(() -> !ImageNames.isPrivate(address) ? Optional.empty()
                : Optional.of("The image was loaded from this server, but recipients cannot load it: the address has no https or leads to their own"
                        + " computer. Set --images-url to a public address with https")).orElse(null)));
    }

    private static Optional<String> problem(URI address) {
        String host = address.getAuthority();
        try {
            HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
            connection.setInstanceFollowRedirects(false);
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            try {
                int status = connection.getResponseCode();
                if (status != 200) {
                    return Optional.of(host + " returned " + status + "; let the proxy pass /images/ on to this server");
                }
                boolean isImage = "image/png".equals(connection.getContentType()) && Arrays.equals(ImageProbe.bytes(), read(connection));
                return isImage ? Optional.empty() : Optional.of(host + " returned something else than the image; let the proxy pass /images/ on to this server");
            } finally {
                connection.disconnect();
            }
        } catch (UnknownHostException unknown) {
            return Optional.of("The host " + host + " is unknown; check --images-url and the DNS");
        } catch (SocketTimeoutException late) {
            return Optional.of(host + " did not respond within " + TIMEOUT_MILLIS / 1_000 + " s; check the firewall and the proxy");
        } catch (SSLException untrusted) {
            return Optional.of("The certificate of " + host + " is not valid (" + untrusted.getMessage() + "); renew it");
        } catch (ConnectException closed) {
            return Optional.of("Nothing listens at " + host + "; start the proxy or change --images-url");
        } catch (IOException failure) {
            return Optional.of(host + " cannot be reached (" + failure.getMessage() + "); check the proxy");
        }
    }

    /** Reads at most as much as the image has, and not longer than a few seconds even if it arrives byte by byte. */
    private static byte[] read(HttpURLConnection connection) throws IOException {
        byte[] read = new byte[ImageProbe.bytes().length + 1];
        int length = 0;
        long end = System.nanoTime() + TIMEOUT_NANOS;
        try (InputStream in = connection.getInputStream()) {
            for (int more = 0; more >= 0 && length < read.length && System.nanoTime() < end; length += Math.max(0, more)) {
                more = in.read(read, length, read.length - length);
            }
        }
        return Arrays.copyOf(read, length);
    }
}
