package stet.markup;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The support of html and css by mail clients, as caniemail.com has tested it: {@code app/caniemail}. */
public final class ClientSupport {
    static final String OUTLOOK_WINDOWS = "outlook-windows";
    private static final String FILE = "/stet/caniemail/support.tsv";

    private final String version;
    private final String date;
    private final List<Client> clients = new ArrayList<>();
    private final Map<String, Feature> byId = new HashMap<>();
    /** By kind of look, such as {@code property}, and its name. */
    private final Map<String, Map<String, List<Feature>>> looks = new HashMap<>();

    /** Read with the first check, as many servers never make one. */
    private static final class Loaded {
        static final ClientSupport TABLE = new ClientSupport();
    }

    /** A mail client. @param platforms that it was tested on. @param number in the rows of the table */
    public record Client(String id, String name, List<String> platforms, int number) {
    }

    /**
     * Something in html or css that clients support or not.
     *
     * @param id      as in the addresses of caniemail.com
     * @param support by client, a letter for each platform: y, n, a for partly, - for unknown
     * @param years   versions of Outlook for Windows that its letter is for, or empty
     */
    public record Feature(String id, String title, List<String> support, String years) {
        /** Whether some of these clients have a letter. */
        boolean has(char letter, Collection<Client> clients) {
            return clients.stream().anyMatch(client -> support.get(client.number).indexOf(letter) >= 0);
        }

        /** The clients with a letter, each with the platforms if not all have it: {@code Gmail (iOS, Android)}. */
        List<String> names(char letter, Collection<Client> clients) {
            return clients.stream().filter(client -> support.get(client.number).indexOf(letter) >= 0).map(client -> {
                String letters = support.get(client.number);
                if (letters.chars().allMatch(each -> each == letter || each == '-')) {
                    return client.id.equals(OUTLOOK_WINDOWS) && !years.isEmpty() ? client.name + ' ' + years : client.name;
                }
                return client.name + IntStream.range(0, letters.length()).filter(i -> letters.charAt(i) == letter)
                        .mapToObj(client.platforms::get).collect(Collectors.joining(", ", " (", ")"));
            }).toList();
        }
    }

    private ClientSupport() {
        try (BufferedReader file = new BufferedReader(
                new InputStreamReader(ClientSupport.class.getResourceAsStream(FILE), StandardCharsets.UTF_8))) {
            String[] head = file.readLine().split("\t");
            version = head[1];
            date = head[2];
            for (String line = file.readLine(); line != null; line = file.readLine()) {
                String[] cells = line.split("\t", -1);
                if (cells[0].equals("client")) {
                    clients.add(new Client(cells[1], cells[2], List.of(cells).subList(3, cells.length), clients.size()));
                } else {
                    add(new Feature(cells[1], cells[2], List.of(cells[4].split(" ")), cells[5]), cells[3]);
                }
            }
        } catch (IOException brokenJar) {
            throw new UncheckedIOException(brokenJar);
        }
    }

    private void add(Feature feature, String looksLike) {
        byId.put(feature.id, feature);
        for (String look : looksLike.split(" ")) {
            int colon = look.indexOf(':');
            looks.computeIfAbsent(look.substring(0, colon), any -> new HashMap<>())
                    .computeIfAbsent(look.substring(colon + 1), any -> new ArrayList<>(1)).add(feature);
        }
    }

    public static ClientSupport table() {
        return Loaded.TABLE;
    }

    /** Of the npm package that the table is made of. */
    public String version() {
        return version;
    }

    /** Day of the last change of the data. */
    public String date() {
        return date;
    }

    /** All clients, in the order of the table. */
    public List<Client> clients() {
        return clients;
    }

    public boolean isFeature(String id) {
        return byId.containsKey(id);
    }

    /** Title of a feature; its id for one that the table no longer has. */
    public String title(String id) {
        return byId.containsKey(id) ? byId.get(id).title : id;
    }

    /** What looks so in a mail. @param kind a word of the table: element, attribute, property, unit... */
    List<Feature> find(String kind, String name) {
        return looks.get(kind).getOrDefault(name, List.of());
    }
}
