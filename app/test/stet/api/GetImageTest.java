package stet.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Client;
import stet.harness.Pictures;
import stet.harness.Running;
import stet.http.Pace;
import stet.http.Request;
import stet.http.Response;
import stet.images.ImageFile;
import stet.sqlite.Statistics;

/** The memory of many requests at once for large images. */
class GetImageTest {
    private static final int CLIENTS = 6;

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    /** Threads that have read an image that is not held yet. */
    private final Set<Thread> reading = ConcurrentHashMap.newKeySet();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final AtomicInteger arrived = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    /** Waits until every other request waits or has an image as well. */
    private Response hold(Response response) {
        reading.add(Thread.currentThread());
        assertTrue(Running.comes(() -> reading.size() > 1 || arrived.get() == CLIENTS && threads.stream().allMatch(each -> each == Thread.currentThread()
                || each.getState() == Thread.State.BLOCKED)));
        most.accumulateAndGet(reading.size(), Math::max);
        reading.remove(Thread.currentThread());
        threads.remove(Thread.currentThread());
        return response;
    }

    /** @param images number of different images */
    @ParameterizedTest
    @CsvSource({"1, 100000", "1, 2097000", "3, 2097000"})
    void aLargeImageIsReadOnlyOnceTheOneBeforeItIsHeld(int images, int bytes) throws Exception {
        List<String> paths = new ArrayList<>();
        for (int i = 0; i < images; i++) {
            byte[] noise = new byte[bytes - 200];
            new Random(i).nextBytes(noise);
            byte[] file = Pictures.with(Pictures.png(8, 8, 1), 33, Pictures.chunk("iCCP", noise));
            stet.image(ada, "i" + i + ".png", file);
            paths.add("/images/" + HexFormat.of().formatHex(Secret.sha256(ImageFile.of(file).bytes())) + ".png");
        }
        GetImage getImage = new GetImage(stet.db, stet.clock, new Statistics(stet.db), (owner, response) -> hold(response));
        ExecutorService executor = Executors.newFixedThreadPool(CLIENTS);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(executor);
        server.createContext("/", exchange -> {
            threads.add(Thread.currentThread());
            arrived.incrementAndGet();
            int status = getImage.response(new Request(exchange, new Pace(Thread.currentThread()))).status();
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        List<Client> clients = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new Client(server.getAddress()));
                clients.get(i).write(clients.get(i).request("GET", paths.get(i % images), null));
            }
            for (Client client : clients) {
                assertEquals(200, client.read(true).status());
            }
            assertEquals(1, most.get());
        } finally {
            clients.forEach(Client::close);
            server.stop(0);
            executor.shutdown();
        }
    }
}
