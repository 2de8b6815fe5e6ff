package stet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Looks at pages, light and dark and at each width: notes all that axe-core finds serious or critical and all that is wider than
 * the window, and keeps a picture of each where {@code -Dstet.screens} names a folder. It knows which pages and dialogs it has not seen.
 */
final class Look {
    private static final int WIDE = 1440;
    private static final int MIDDLE = 768;
    private static final int NARROW = 360;
    /** The narrowest window, in which nothing scrolls sideways. */
    private static final int NARROWEST = 320;
    /** Rules whose findings depend on the width: what is folded, wrapped, scrolled or laid over something. */
    private static final List<String> OF_WIDTH = List.of("color-contrast", "target-size", "scrollable-region-focusable",
            "aria-hidden-focus",
            "link-name", "button-name", "label", "empty-heading");
    /** In the dark the colours alone are others. */
    private static final List<String> OF_COLOUR = List.of("color-contrast");
    private static final String AXE = Window.resource("/axe.min.js");
    /** Findings of axe that keep someone from using a page or its open dialog, each with its first places. */
    private static final String VIOLATIONS = """
            const done = arguments[arguments.length - 1];
            const said = node => node.html.slice(0, 200) + ' (' + node.failureSummary.replace(/\\s+/g, ' ') + ')';
            const only = arguments[0] ? { runOnly: { type: 'rule', values: arguments[0] } } : {};
            axe.run([...document.querySelectorAll('dialog[open]')].pop() ?? document,
              { iframes: false, preload: false, resultTypes: ['violations'], ...only }).then(
              found => done(found.violations.filter(one => ['serious', 'critical'].includes(one.impact))
                .map(one => one.id + ': ' + one.nodes.slice(0, 3).map(said).join(' | '))),
              failure => done([String(failure)]));
            """;
    /** Parts that stick out of the window, and are not in a part that scrolls. */
    private static final String TOO_WIDE = """
            const root = document.documentElement;
            return root.scrollWidth <= root.clientWidth ? '' : [...document.querySelectorAll('body *')]
              .filter(node => node.getBoundingClientRect().right > root.clientWidth + 1).slice(0, 3)
              .map(node => node.outerHTML.slice(0, 120)).join(' | ');
            """;
    /** Whether a small dialog is open, the address, and the titles of the dialogs. */
    private static final String SHOWN = """
            return [document.querySelector('dialog[open]:not(.wide)') !== null, location.pathname,
              ...[...document.querySelectorAll('dialog[open] h2')].map(title => title.textContent)];
            """;
    private static final Path MODULES = Path.of("app/static");
    /** The title of a dialog in a module: a template, or a literal with perhaps a value and another literal behind it. */
    private static final Pattern TITLE = Pattern.compile("\\b(?:dialog|formDialog|confirmed)\\(\\s*"
            + "(?:`([^`]*)`|'([^']*)'(?:( \\+ [^,'(]*(?:\\([^)]*\\))?)(?:\\+ '([^']*)')?)?)\\s*,");
    private static final Pattern ROUTE = Pattern.compile("\\n  \\['(/[^']*)', ");
    private static final Pattern VALUE = Pattern.compile("\\$\\{[^}]*\\}|:[a-z]+");

    private final Window window;
    private final List<String> wrong = new ArrayList<>();
    private final Set<String> seen = new TreeSet<>();

    Look(Window window) {
        this.window = window;
    }

    /** A page, and what is done on it before it is looked at. @param path or null, to go on with the page of the view before */
    record View(String name, String path, Consumer<Window> steps) {
    }

    /** Looks at views, one after the other. The application is loaded with the first, and goes on by itself to the others. */
    void at(List<View> views) {
        for (View view : views) {
            at(view.name(), () -> view.steps().accept(view.path() == null ? window : window.goTo(view.path())));
        }
    }

    /**
     * Opens the page once: at another width and in the dark it is drawn again, as it is when the window or the system changes. All
     * rules are applied to a wide and light page; then those whose findings may change with the colours or with the width. The
     * middle has the style sheet of the narrow one, and more room. A small dialog is as wide there as on the wide page, and its
     * colours in the dark are looked at where it is narrow.
     */
    void at(String name, Runnable steps) {
        window.looks("light", WIDE, 900);
        steps.run();
        List<?> shown = (List<?>) window.script(SHOWN);
        shown.subList(1, shown.size()).forEach(one -> seen.add((String) one));
        if (!(Boolean) window.script("return 'axe' in window")) {
            window.script(AXE);
        }
        check(name, WIDE, null);
        window.shoot(name + "-light-" + WIDE);
        window.scheme("dark");
        if ((Boolean) shown.get(0)) {
            narrow(name, "dark");
        } else {
            check(name + " in the dark", WIDE, OF_COLOUR);
            window.size(MIDDLE, 900);
            isNoWiderThan(name, MIDDLE);
            window.shoot(name + "-dark-" + MIDDLE);
            window.scheme("light");
            narrow(name, "light");
        }
        window.size(NARROWEST, 640);
        isNoWiderThan(name, NARROWEST);
    }

    /** Looks at the present page as it is on a telephone. */
    void narrow(String name, String scheme) {
        window.size(NARROW, 780);
        check(name, NARROW, OF_WIDTH);
        window.shootWhole(name + "-" + scheme + "-" + NARROW);
    }

    private void check(String name, int width, List<String> rules) {
        for (Object violation : (List<?>) window.driver.executeAsyncScript(VIOLATIONS, rules)) {
            wrong.add(name + ", " + width + " px, " + violation);
        }
        isNoWiderThan(name, width);
    }

    private void isNoWiderThan(String name, int width) {
        Object wide = window.script(TOO_WIDE);
        if (!wide.equals("")) {
            wrong.add(name + ", wider than " + width + " px: " + wide);
        }
    }

    /** Each thing that keeps someone from using a page, one a line. */
    String wrong() {
        return String.join("\n", wrong);
    }

    /**
     * The pages and the dialogs of some modules that were not looked at, by their addresses and titles.
     *
     * @param modules file names
     * @param routes  beginnings of the pages' addresses as {@code app.js} has them
     */
    List<String> missed(Set<String> modules, Pattern routes) throws IOException {
        List<String> all = new ArrayList<>();
        for (String module : modules) {
            TITLE.matcher(Files.readString(MODULES.resolve(module))).results().forEach(title -> all.add(title.group(1) != null
                    ? title.group(1) : title.group(2) + (title.group(3) == null ? "" : "${}")
                            + (title.group(4) == null ? "" : title.group(4))));
        }
        ROUTE.matcher(Files.readString(MODULES.resolve("app.js"))).results().map(route -> route.group(1))
                .filter(routes.asMatchPredicate()).forEach(all::add);
        return all.stream().filter(one -> seen.stream().noneMatch(pattern(one).asMatchPredicate())).toList();
    }

    private static Pattern pattern(String title) {
        StringBuilder pattern = new StringBuilder();
        int from = 0;
        for (var value : VALUE.matcher(title).results().toList()) {
            pattern.append(Pattern.quote(title.substring(from, value.start()))).append("[^/]+");
            from = value.end();
        }
        return Pattern.compile(pattern + Pattern.quote(title.substring(from)));
    }

    /** The modules of the application. */
    static Set<String> modules() throws IOException {
        try (Stream<Path> files = Files.list(MODULES)) {
            return new TreeSet<>(files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".js")).toList());
        }
    }
}
