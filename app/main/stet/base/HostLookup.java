package stet.base;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Looks up a host's addresses within a time limit, one lookup at a time for its caller. The JDK's lookup has no limit and cannot be
 * interrupted, and a resolver without a working DNS server takes 10 s or more for each name it tries (resolv.conf(5)), so each lookup runs on
 * a thread of its own. A lookup that is given up ends whenever the resolver does; until then, the same name waits for it again.
 */
public final class HostLookup {
    /** Maximum number of lookups that were given up and still run, each of another name. */
    private static final int MAX_RUNNING = 20;

    private final Resolver resolver;
    private final Map<String, CompletableFuture<InetAddress[]>> running = new ConcurrentHashMap<>();
    /** The caller's present lookup, or null. */
    private volatile CompletableFuture<InetAddress[]> present;
    private volatile boolean closed;

    /** Finds all addresses of a host name; may take any time. */
    public interface Resolver {
        InetAddress[] find(String host) throws UnknownHostException;
    }

    public HostLookup(Resolver resolver) {
        this.resolver = resolver;
    }

    /**
     * Finds all addresses of a host name.
     *
     * @throws SocketTimeoutException after so many ms, or at once if too many other lookups still run
     * @throws UnknownHostException   if there is no such host
     * @throws IOException            after {@link #close}
     */
    public InetAddress[] find(String host, int millis) throws IOException {
        if (running.size() >= MAX_RUNNING && !running.containsKey(host)) {
            throw new SocketTimeoutException("too many lookups are running");
        }
        CompletableFuture<InetAddress[]> found = running.computeIfAbsent(host, this::start).copy(); // so that giving up does not end the lookup
        present = found;
        if (closed) {
            found.cancel(false);
        }
        try {
            return found.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            throw new SocketTimeoutException("late");
        } catch (CancellationException stopped) {
            throw new IOException("Stet is stopping", stopped);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException("Stet is stopping", stopped);
        } catch (ExecutionException failure) {
            throw (UnknownHostException) new UnknownHostException(host).initCause(failure.getCause());
        } finally {
            present = null;
        }
    }

    private CompletableFuture<InetAddress[]> start(String host) {
        CompletableFuture<InetAddress[]> started = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                started.complete(resolver.find(host));
            } catch (UnknownHostException | RuntimeException failure) {
                started.completeExceptionally(failure);
            } finally {
                running.remove(host);
            }
        }, "stet-lookup");
        thread.setDaemon(true);
        thread.start();
        return started;
    }

    /** Ends the present lookup and all later ones. */
    public void close() {
        closed = true;
        CompletableFuture<InetAddress[]> waited = present;
        if (waited != null) {
            waited.cancel(false);
        }
    }
}
