package stet;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.spi.HttpServerProvider;
import java.io.IOException;
import java.io.InputStream;
import stet.core.Log;

/**
 * The JDK's server with settings that are read anew. Its classes read them once in a JVM, and before JDK 23 each answer on a
 * kept connection takes 44 ms unless {@code nodelay} was set by then. In a JVM of others a server may have been made before:
 * there the double has these classes a second time, of the same JDK.
 */
final class OwnHttpServer {
    /** The package that is loaded anew; the interface to it, {@code com.sun.net.httpserver}, stays the same. */
    private static final String PACKAGE = "sun.net.httpserver.";

    private OwnHttpServer() {
    }

    /** The classes of {@link #PACKAGE} out of the JDK's module, and all others by the parent. */
    private static final class Classes extends ClassLoader {
        Classes() {
            super(OwnHttpServer.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(PACKAGE)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream file = HttpServer.class.getModule().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (file == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException failure) {
                throw new ClassNotFoundException(name, failure);
            }
        }
    }

    /** Makes servers by classes of their own, which read the settings now. Where that fails, the JVM's serve, and the log says so. */
    static HttpServerProvider provider(Log log) {
        try {
            HttpServerProvider provider = (HttpServerProvider) Class.forName(PACKAGE + "DefaultHttpServerProvider", true,
                    new Classes()).getConstructor().newInstance();
            provider.createHttpServer(null, 0).stop(0); // loads all of it, which another JDK may not allow
            return provider;
        } catch (ReflectiveOperationException | IOException | LinkageError | RuntimeException other) {
            log.warn("slow-connections", "failure", other, "help", "java -Dsun.net.httpserver.nodelay=true");
            return HttpServerProvider.provider();
        }
    }
}
