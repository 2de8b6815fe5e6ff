package stet.markup;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Mail clients' support for HTML and CSS, from the caniemail.com data in {@code app/caniemail}. */
public final class ClientSupport {
    static final String OUTLOOK_WINDOWS = "outlook-windows";
    /** Letters of {@link Feature#support}. */
    static final char NO = 'n';
    static final char PARTIAL = 'a';
    private static final char UNKNOWN = '-';
    private static final String FILE = "/stet/caniemail/support.tsv";

    private final String version;
    private final String date;
    private final List<MailClient> clients = new ArrayList<>();
    private final Map<String, Feature> byId = new HashMap<>();
    /** Features by kind, then by name. */
    private final Map<FeatureKind, Map<String, List<Feature>>> byName = new EnumMap<>(FeatureKind.class);

    /** The table, loaded on first use because many servers never need it. */
    private static final class Loaded {
        static final ClientSupport TABLE = new ClientSupport();
    }

    /** Ways in which features appear in an email; the table has their names in lower case. */
    enum FeatureKind {
        AT, ATTRIBUTE, ELEMENT, FUNCTION, IMAGE, LINK, MEDIA, OTHER, PROPERTY, PSEUDO, SELECTOR, UNIT, VALUE, WORD,
        /** An address in CSS, which the table does not contain. */
        URL
    }

    /** A mail client. @param platforms tested platforms @param number the client's index in {@link Feature#support} */
    public record MailClient(String id, String name, List<String> platforms, int number) {
    }

    /**
     * An HTML or CSS feature.
     *
     * @param id      the feature's name in caniemail.com URLs
     * @param support support by client, with one letter per platform: y (yes), n (no), a (partial), - (unknown)
     * @param years   versions of Outlook on Windows that the support data covers, or empty
     */
    public record Feature(String id, String title, List<String> support, String years) {
        /** True if any of these clients lacks full support on at least one platform. */
        boolean isLimitedIn(Collection<MailClient> clients) {
            return clients.stream().map(client -> support.get(client.number))
                    .anyMatch(letters -> letters.indexOf(NO) >= 0 || letters.indexOf(PARTIAL) >= 0);
        }

        /**
         * Names of clients with this letter, each followed by the matching platforms unless all platforms with known support match:
         * {@code Gmail (iOS, Android)}.
         */
        List<String> names(char letter, Collection<MailClient> clients) {
            return clients.stream().filter(client -> support.get(client.number).indexOf(letter) >= 0).map(client -> {
                String letters = support.get(client.number);
                if (letters.chars().allMatch(each -> each == letter || each == UNKNOWN)) {
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
                    clients.add(new MailClient(cells[1], cells[2], List.of(cells).subList(3, cells.length), clients.size()));
                } else {
                    add(new Feature(cells[1], cells[2], List.of(cells[4].split(" ")), cells[5]), cells[3]);
                }
            }
        } catch (IOException brokenJar) {
            throw new UncheckedIOException(brokenJar);
        }
    }

    private void add(Feature feature, String names) {
        byId.put(feature.id, feature);
        for (String name : names.split(" ")) {
            int colon = name.indexOf(':');
            byName.computeIfAbsent(FeatureKind.valueOf(name.substring(0, colon).toUpperCase(Locale.ROOT)), any -> new HashMap<>())
                    .computeIfAbsent(name.substring(colon + 1), any -> new ArrayList<>(1)).add(feature);
        }
    }

    public static ClientSupport table() {
        return Loaded.TABLE;
    }

    /** Version of the npm package that the table was generated from. */
    public String version() {
        return version;
    }

    /** Date of the last change to the data. */
    public String date() {
        return date;
    }

    /** All clients in table order. */
    public List<MailClient> clients() {
        return clients;
    }

    public boolean isFeature(String id) {
        return byId.containsKey(id);
    }

    /** A feature's title, or its id if the table no longer contains the feature. */
    public String title(String id) {
        return byId.containsKey(id) ? byId.get(id).title : id;
    }

    List<Feature> find(FeatureKind kind, String name) {
        return byName.get(kind).getOrDefault(name, List.of());
    }
}
