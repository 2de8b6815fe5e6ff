package stet.markup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stet.markup.ClientSupport.Feature;
import stet.markup.ClientSupport.FeatureKind;
import stet.markup.ClientSupport.MailClient;
import stet.markup.Html.Attribute;
import stet.markup.Html.Token;
import stet.markup.Publisher.Origin;

/**
 * Finds the elements, attributes, CSS and image formats in an expanded draft that some mail clients do not fully support. The content of
 * a conditional comment is checked only for Outlook on Windows; content after {@code <!--[if !mso]><!-->} is checked only for the other
 * clients.
 */
public final class ClientChecks {
    /** Features that every email uses, so authors cannot avoid them. */
    private static final Set<String> UNAVOIDABLE = Set.of("html-doctype", "html-body");
    /** Maximum number of occurrences listed per feature. */
    private static final int MAX_PLACES = 50;
    /** Maximum number of CSS chars read per check: twice the size limit of an expanded draft. */
    private static final long MAX_STEPS = 8 << 20;
    private static final Pattern NOT_OUTLOOK = Pattern.compile("!\\s*+\\(?+\\s*+(?:[gl]te?\\s++)?mso\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern HTML5 = Pattern.compile("<!doctype\\s+html\\s*>", Pattern.CASE_INSENSITIVE);
    private static final Pattern EXTENSION = Pattern.compile("[^?#]*\\.([A-Za-z0-9]{2,5})(?:[?#].*)?", Pattern.DOTALL);

    private final String html;
    private final ClientSupport support = ClientSupport.table();
    private final List<MailClient> clients;
    private final List<MailClient> outlook;
    private final List<MailClient> others;
    private final IntFunction<Origin> origins;
    private final Map<Feature, FeatureUse> uses = new HashMap<>();
    private final Css css;
    /** Whether Outlook on Windows, or the other clients, read what is being read. */
    private boolean isForOutlook = true;
    private boolean isForOthers = true;
    /** The open conditions whose content the other clients read, innermost first: true for one that hides it from Outlook. */
    private final Deque<Boolean> conditions = new ArrayDeque<>();
    /** Number of them that hide their content from Outlook. */
    private int hiding;

    /**
     * A feature found in an email.
     *
     * @param none   names of clients without support
     * @param partly names of clients with partial support
     */
    public record FoundFeature(Feature feature, List<String> none, List<String> partly, List<Origin> places, int morePlaces) {
    }

    /** A feature's occurrences that affect selected clients. */
    private static final class FeatureUse {
        /** Whether Outlook on Windows, or one of the other selected clients, lacks full support. */
        final boolean concernsOutlook;
        final boolean concernsOthers;
        final List<Origin> places = new ArrayList<>();
        /** Whether content for them uses the feature. */
        boolean isInOutlook;
        boolean isInOthers;
        int more;

        FeatureUse(Feature feature, List<MailClient> outlook, List<MailClient> others) {
            concernsOutlook = feature.isLimitedIn(outlook);
            concernsOthers = feature.isLimitedIn(others);
        }
    }

    private ClientChecks(String html, Collection<String> chosen, IntFunction<Origin> origins) {
        this.html = html;
        this.origins = origins;
        this.clients = support.clients().stream().filter(client -> chosen.contains(client.id())).toList();
        this.outlook = clients.stream().filter(client -> client.id().equals(ClientSupport.OUTLOOK_WINDOWS)).toList();
        this.others = clients.stream().filter(client -> !client.id().equals(ClientSupport.OUTLOOK_WINDOWS)).toList();
        this.css = new Css(html, MAX_STEPS, (kind, name, place) -> {
            if (kind == FeatureKind.URL) {
                image(Entities.decodeAttribute(name), place);
            } else {
                found(kind, name, place);
            }
        });
    }

    /**
     * Features that some selected clients do not fully support, least supported first; unavoidable features come last.
     *
     * @param html    HTML with shared blocks expanded
     * @param chosen  ids of the selected clients
     * @param origins maps positions in the HTML to their source
     */
    public static List<FoundFeature> of(String html, Collection<String> chosen, IntFunction<Origin> origins) {
        ClientChecks checks = new ClientChecks(html, chosen, origins);
        String element = "";
        for (Token token : Html.in(html)) {
            checks.read(token, element);
            element = token.kind() == Html.HtmlKind.START ? token.name() : "";
        }
        return checks.uses.entrySet().stream().filter(use -> !use.getValue().places.isEmpty())
                .map(use -> checks.withClients(use.getKey(), use.getValue()))
                .sorted(Comparator.<FoundFeature, Boolean>comparing(found -> UNAVOIDABLE.contains(found.feature.id()))
                        .thenComparingInt(found -> -found.none.size())
                        .thenComparingInt(found -> -found.partly.size()).thenComparing(found -> found.feature.id())).toList();
    }

    /** A used feature with the selected clients that read a use of it and lack support. */
    private FoundFeature withClients(Feature feature, FeatureUse use) {
        List<MailClient> concerned = clients.stream().filter(client -> outlook.contains(client) ? use.isInOutlook : use.isInOthers).toList();
        return new FoundFeature(feature, feature.names(ClientSupport.NO, concerned), feature.names(ClientSupport.PARTIAL, concerned),
                use.places, use.more);
    }

    /** @param element name of the element that the previous token started, or empty */
    private void read(Token token, String element) {
        switch (token.kind()) {
            case CONDITION -> {
                boolean isBegin = html.startsWith("<!--", token.start());
                isForOthers = !isBegin;
                isForOutlook = isBegin ? !isNotOutlook(token) : hiding == 0;
            }
            case COMMENT -> {
                found(FeatureKind.OTHER, "html-comment", token.start());
                reveal(token, html.startsWith("<!--[if", token.start()), Conditionals.isEnd(token));
            }
            case DECLARATION -> {
                if (HTML5.matcher(token.source()).matches()) {
                    found(FeatureKind.OTHER, "doctype", token.start());
                }
                reveal(token, html.startsWith("<![if", token.start()), html.startsWith("<![endif]", token.start()));
            }
            case START -> element(token);
            case RAW -> {
                if (element.equals("style")) {
                    css.read(token.start(), token.end(), false);
                }
            }
            default -> { }
        }
    }

    /** Follows conditions whose content the other clients read. Each end is that of the innermost open one. */
    private void reveal(Token token, boolean isBegin, boolean isEnd) {
        if (isBegin) {
            boolean hides = isNotOutlook(token);
            conditions.push(hides);
            hiding += hides ? 1 : 0;
        } else if (isEnd && !conditions.isEmpty()) {
            hiding -= conditions.pop() ? 1 : 0;
        }
        isForOutlook = isBegin || isEnd ? hiding == 0 : isForOutlook;
    }

    private static boolean isNotOutlook(Token condition) {
        return NOT_OUTLOOK.matcher(condition.source()).find();
    }

    private void element(Token token) {
        String name = token.name();
        found(FeatureKind.ELEMENT, name, token.start());
        boolean isVml = name.indexOf(':') > 0; // Outlook reads the element's attributes and styles as VML, which caniemail does not cover
        for (Attribute attribute : token.attributes()) {
            if (!isVml || attribute.is("src")) {
                attribute(token, name, attribute);
            }
        }
    }

    private void attribute(Token token, String element, Attribute attribute) {
        String name = attribute.name();
        String value = Entities.decodeAttribute(attribute.value()).strip();
        found(FeatureKind.ATTRIBUTE, name, attribute.nameStart());
        switch (name) {
            case "style" -> css.read(attribute.valueStart(), attribute.valueEnd(), true);
            case "type", "name", "rel" -> found(FeatureKind.ELEMENT, element + '[' + name + '=' + value.toLowerCase(Locale.ROOT) + ']', token.start());
            case "href" -> {
                if (element.equals("a") || element.equals("area")) {
                    link(value, token.start());
                }
            }
            case "src", "background", "poster" -> image(value, attribute.nameStart());
            case "srcset" -> SourceSet.addresses(value).forEach(address -> image(address, attribute.nameStart()));
            default -> { }
        }
    }

    private void link(String address, int place) {
        if (address.startsWith("#")) {
            found(FeatureKind.LINK, "#", place);
        } else if (address.regionMatches(true, 0, "mailto:", 0, "mailto:".length())) {
            found(FeatureKind.LINK, "mailto", place);
        }
    }

    private void image(String given, int place) {
        String address = given.strip().replaceAll("^[\"']|[\"']$", "");
        Matcher extension = EXTENSION.matcher(address);
        if (address.startsWith("data:image")) {
            found(FeatureKind.IMAGE, "data", place);
        } else if (extension.matches()) {
            found(FeatureKind.IMAGE, extension.group(1).toLowerCase(Locale.ROOT), place);
        }
    }

    /** Records a use of the features with a name, if it affects a selected client that reads it. */
    private void found(FeatureKind kind, String name, int place) {
        for (Feature feature : support.find(kind, name)) {
            FeatureUse use = uses.computeIfAbsent(feature, any -> new FeatureUse(any, outlook, others));
            boolean concernsOutlook = isForOutlook && use.concernsOutlook;
            boolean concernsOthers = isForOthers && use.concernsOthers;
            if (concernsOutlook || concernsOthers) {
                use.isInOutlook |= concernsOutlook;
                use.isInOthers |= concernsOthers;
                if (use.places.size() < MAX_PLACES) {
                    use.places.add(origins.apply(place));
                } else {
                    use.more++;
                }
            }
        }
    }
}
