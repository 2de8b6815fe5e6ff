package stet.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A mail server that stores the messages it receives, one connection at a time. */
public final class Smtp implements AutoCloseable {
    public final List<String> mails = new CopyOnWriteArrayList<>();
    private final ServerSocket socket = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"));

    public Smtp() throws IOException {
        Thread thread = new Thread(this::run, "smtp");
        thread.setDaemon(true);
        thread.start();
    }

    public String address() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    private void run() {
        while (!socket.isClosed()) {
            try (Socket client = socket.accept()) {
                talk(client);
            } catch (IOException closed) {
                // Waits for the next client, until the socket is closed.
            }
        }
    }

    private void talk(Socket client) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
        response(client, "220 test");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("DATA") || line.equals("data")) {
                response(client, "354 go on");
                StringBuilder mail = new StringBuilder();
                for (line = in.readLine(); line != null && !line.equals("."); line = in.readLine()) {
                    mail.append(line).append('\n');
                }
                mails.add(mail.toString());
            }
            response(client, "QUIT".equalsIgnoreCase(line) ? "221 bye" : "250 test");
        }
    }

    private static void response(Socket client, String line) throws IOException {
        OutputStream out = client.getOutputStream();
        out.write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
