package stet.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks pages in light and dark mode at each width. Collects axe-core's serious and critical findings and elements wider than the
 * window; takes screenshots if {@code -Dstet.screens} names a folder. Also tracks which pages and dialogs were not checked.
 */
public final class Look {
    private static final int WIDE = 1440;
    private static final int MIDDLE = 768;
    private static final int NARROW = 360;
    /** The narrowest supported width, without horizontal scrolling. */
    private static final int NARROWEST = 320;
    /** Rules whose findings depend on the width, because content is collapsed, wrapped, scrolled or overlaid. */
    private static final List<String> OF_WIDTH = List.of("color-contrast", "target-size", "scrollable-region-focusable",
            "aria-hidden-focus", "link-name", "button-name", "label");
    /** Dark mode changes only colours. */
    private static final List<String> OF_COLOUR = List.of("color-contrast");
    private static final String AXE = Window.resource("/axe.min.js");
    /**
     * Findings that keep someone from using a page or its open dialog, each with its first places. Skips rules whose findings are
     * never serious. Includes an experimental rule: names contain the visible text, by which speech input finds a control (WCAG 2.5.3).
     */
    private static final String VIOLATIONS = """
            const done = arguments[arguments.length - 1];
            const said = node => node.html.slice(0, 200) + ' (' + node.failureSummary.replace(/\\s+/g, ' ') + ')';
            const isSerious = ({ impact }) => ['serious', 'critical'].includes(impact);
            // The text of a tree item also contains the items inside it, which its name does not.
            const isTreeItem = ({ id }, { html }) => id === 'label-content-name-mismatch' && /^<li [^>]*role="treeitem"/.test(html);
            const only = arguments[0] ? { runOnly: { type: 'rule', values: arguments[0] } }
              : { rules: { ...Object.fromEntries(axe._audit.rules.filter(rule => rule.impact && !isSerious(rule))
                  .map(({ id }) => [id, { enabled: false }])), 'label-content-name-mismatch': { enabled: true } } };
            axe.run([...document.querySelectorAll('dialog[open]')].pop() ?? document,
              { iframes: false, preload: false, resultTypes: ['violations'], ...only }).then(
              found => done(found.violations.filter(isSerious).map(one => ({ ...one, nodes: one.nodes.filter(node => !isTreeItem(one, node)) }))
                .filter(one => one.nodes.length > 0)
                .map(one => one.id + ': ' + one.nodes.slice(0, 3).map(said).join(' | '))),
              failure => done([String(failure)]));
            """;
    /** Elements or texts that extend beyond the window outside a scrolling container. */
    private static final String TOO_WIDE = """
            const root = document.documentElement;
            return root.scrollWidth <= root.clientWidth ? '' : [...document.querySelectorAll('body *')]
              .filter(node => node.getBoundingClientRect().right > root.clientWidth + 1
                || node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX === 'visible')
              .slice(-3).map(node => node.outerHTML.slice(0, 120)).join(' | ') || root.scrollWidth + ' px';
            """;
    /** Headings that are not aligned like their columns, buttons and fields that touch the text above them, and keys on two lines. */
    private static final String UNTIDY = """
            const side = node => getComputedStyle(node).textAlign.replace('start', 'left').replace('end', 'right');
            const isTouched = (above, below) => above && below.top < above.bottom + 4 && below.bottom > above.bottom
              && below.left < above.right && above.left < below.right;
            const headings = [...document.querySelectorAll('thead th')]
              .filter(heading => heading.checkVisibility() && !heading.closest('.visually-hidden') && !heading.querySelector('.visually-hidden'))
              .filter(heading => {
                const cell = heading.closest('table').tBodies[0].rows[0]?.cells[heading.cellIndex];
                return cell && cell.textContent.trim() && side(cell) !== side(heading);
              });
            const buttons = [...document.querySelectorAll('p + button, h3 + .secret')].filter(button => button.checkVisibility()
              && isTouched(button.previousElementSibling.getBoundingClientRect(), button.getBoundingClientRect()));
            const keys = [...document.querySelectorAll('.secret textarea')].filter(({ value, clientHeight }) => /^stet_[^_ ]+$/.test(value) && clientHeight > 40);
            return [...headings, ...buttons, ...keys].slice(0, 5).map(node => node.outerHTML.slice(0, 120)).join(' | ');
            """;
    /** Whether a small dialog is open, the URL, and the dialogs' titles. */
    private static final String SHOWN = """
            return [document.querySelector('dialog[open]:not(.wide)') !== null, location.pathname,
              ...[...document.querySelectorAll('dialog[open] h2')].map(title => title.textContent)];
            """;
    private static final Path MODULES = Path.of("app/static");
    /** A dialog's title in a module: a template, or a literal that may be followed by a value and another literal. */
    private static final Pattern TITLE = Pattern.compile("\\b(?:dialog|formDialog|confirmed)\\(\\s*"
            + "(?:`([^`]*)`|'([^']*)'(?:( \\+ [^,'(]*(?:\\([^)]*\\))?)(?:\\+ '([^']*)')?)?)\\s*,");
    private static final Pattern ROUTE = Pattern.compile("\\n  \\['(/[^']*)', ");
    private static final Pattern VALUE = Pattern.compile("\\$\\{[^}]*\\}|:[a-z]+");

    private final Window window;
    private final List<String> wrong = new ArrayList<>();
    private final Set<String> seen = new TreeSet<>();

    public Look(Window window) {
        this.window = window;
    }

    /** A page, and the steps before it is checked. @param path null to continue on the previous view's page */
    public record View(String name, String path, Consumer<Window> steps) {
    }

    /** Checks views in sequence. Loads the application once, then navigates without reloading. */
    public void at(List<View> views) {
        for (View view : views) {
            at(view.name(), () -> view.steps().accept(view.path() == null ? window : window.goTo(view.path())));
        }
    }

    /**
     * Opens the page once and redraws it for other widths and dark mode, as after a resize or a change of the system setting.
     * Runs all rules on the wide, light page, then only the rules that depend on colours or width. Skips the medium width, which
     * uses the narrow style sheet with more space, where it cannot add findings. Small dialogs are as wide there as on the wide
     * page; their dark colours are checked in the narrow window.
     */
    public void at(String name, Runnable steps) {
        window.looks("light", WIDE, 900);
        steps.run();
        List<?> shown = (List<?>) window.script(SHOWN);
        shown.subList(1, shown.size()).forEach(one -> seen.add((String) one));
        if (!(Boolean) window.script("return 'axe' in window")) {
            window.script(AXE);
        }
        check(name, WIDE, null);
        Object untidy = window.script(UNTIDY);
        if (!untidy.equals("")) {
            wrong.add(name + ", untidy: " + untidy);
        }
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

    /** Checks the current page at phone width. */
    public void narrow(String name, String scheme) {
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

    /** All findings, one per line. */
    public String wrong() {
        return String.join("\n", wrong);
    }

    /**
     * Returns the page URLs and dialog titles that were not checked.
     *
     * @param modules file names of the modules to cover
     * @param routes  prefixes of the pages' paths in {@code app.js}
     */
    public List<String> missed(Set<String> modules, Pattern routes) throws IOException {
        List<String> all = new ArrayList<>();
        Map<String, Path> files = modules();
        for (String module : modules) {
            TITLE.matcher(Files.readString(files.get(module))).results().forEach(title -> all.add(title.group(1) != null
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

    /** The application's modules by file name. */
    public static Map<String, Path> modules() throws IOException {
        try (Stream<Path> files = Files.walk(MODULES)) {
            return files.filter(file -> file.toString().endsWith(".js"))
                    .collect(Collectors.toMap(file -> file.getFileName().toString(), file -> file));
        }
    }
}
