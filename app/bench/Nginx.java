package stet;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** nginx serving a static file, with all its files in one folder. */
record Nginx(Path folder, int port) {
    private static final String SETTINGS = """
            daemon off;
            %s
            worker_processes auto;
            pid nginx.pid;
            error_log stderr;
            events {
              worker_connections 4096;
            }
            http {
              access_log off;
              default_type "text/html; charset=utf-8";
              sendfile on;
              keepalive_requests 1000000000;
              client_body_temp_path temporary;
              proxy_temp_path temporary;
              fastcgi_temp_path temporary;
              uwsgi_temp_path temporary;
              scgi_temp_path temporary;
              server {
                listen 127.0.0.1:%d backlog=1024;
                root %s;
              }
            }
            """;

    /** @param path URL path of the file */
    static Nginx in(Path folder, String path, byte[] body) throws IOException {
        Path root = folder.toAbsolutePath().resolve("root");
        Path file = root.resolve(path.substring(1));
        Files.createDirectories(file.getParent());
        Files.write(file, body);
        int port = Start.freePort();
        // nginx started by root would otherwise drop its privileges, and might be unable to read the file.
        String user = System.getProperty("user.name").equals("root") ? "user root;" : "";
        Files.writeString(folder.resolve("nginx.conf"), SETTINGS.formatted(user, port, root));
        return new Nginx(folder.toAbsolutePath(), port);
    }

    Child start() throws IOException {
        String program = Lab.program("nginx").orElseThrow().toString();
        return Child.start(Lab.log("nginx"), List.of(program, "-p", folder.toString(), "-c", "nginx.conf", "-e", "stderr"));
    }

    /** Waits until nginx listens. @return its URL */
    String url(Child server) throws Exception {
        long end = System.nanoTime() + 10_000_000_000L;
        while (server.isAlive() && System.nanoTime() < end) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", port));
                return "http://127.0.0.1:" + port;
            } catch (IOException notYet) {
                Thread.sleep(10);
            }
        }
        throw new Broken("nginx does not start: " + server.lastWords());
    }
}
