package stet;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Looks at pages, light and dark and at each width: notes all that axe-core finds serious or critical and all that is wider than
 * the window, and keeps a picture of each in {@code target/screens}.
 */
final class Look {
    static final int[] WIDTHS = {1440, 768, 360};
    /** The narrowest window, in which nothing scrolls sideways. */
    private static final int NARROWEST = 320;
    /** Rules whose findings depend on the width: what is folded, wrapped, scrolled or laid over something. */
    private static final List<String> OF_WIDTH = List.of("color-contrast", "target-size", "scrollable-region-focusable", "aria-hidden-focus",
            "link-name", "button-name", "label", "empty-heading");
    /** In the dark the colours alone are others. */
    private static final List<String> OF_COLOUR = List.of("color-contrast");
    private static final String AXE = Window.resource("/axe.min.js");
    /** What keeps someone from using a page or its open dialog, each with its first places. */
    private static final String VIOLATIONS = """
            const done = arguments[arguments.length - 1];
            const said = node => node.html.slice(0, 200) + ' (' + node.failureSummary.replace(/\\s+/g, ' ') + ')';
            const only = arguments[0] ? { runOnly: { type: 'rule', values: arguments[0] } } : {};
            axe.run(document.querySelector('dialog[open]') ?? document, { iframes: false, preload: false, resultTypes: ['violations'], ...only }).then(
              found => done(found.violations.filter(one => ['serious', 'critical'].includes(one.impact))
                .map(one => one.id + ': ' + one.nodes.slice(0, 3).map(said).join(' | '))),
              failure => done([String(failure)]));
            """;
    /** What sticks out of the window, and is not in a part that scrolls. */
    private static final String TOO_WIDE = """
            const root = document.documentElement;
            return root.scrollWidth <= root.clientWidth ? '' : [...document.querySelectorAll('body *')]
              .filter(node => node.getBoundingClientRect().right > root.clientWidth + 1).slice(0, 3)
              .map(node => node.outerHTML.slice(0, 120)).join(' | ');
            """;

    private final Window window;
    private final List<String> wrong = new ArrayList<>();

    Look(Window window) {
        this.window = window;
    }

    /** A page, and what is done on it before it is looked at. */
    record View(String name, String path, Consumer<Window> steps) {
    }

    /** Opens the page once: at another width and in the dark it is drawn anew, as it is when the window or the system changes. */
    void at(String name, Runnable steps) {
        window.looks("light", WIDTHS[0], 900);
        steps.run();
        window.script(AXE);
        for (int width : WIDTHS) {
            int height = width == WIDTHS[2] ? 780 : 900;
            for (String scheme : List.of("light", "dark")) {
                window.looks(scheme, width, height);
                check(name, width, scheme, scheme.equals("dark") ? OF_COLOUR : width == WIDTHS[0] ? null : OF_WIDTH);
                if (width == WIDTHS[0]) {
                    window.shoot(name + "-" + scheme + "-" + width);
                }
            }
            isNoWiderThan(name, width);
            if (width != WIDTHS[0]) {
                window.looks("light", width, height);
                if (width == WIDTHS[1]) {
                    window.shoot(name + "-light-" + width);
                } else {
                    window.shootWhole(name + "-light-" + width);
                }
            }
        }
        window.looks("light", NARROWEST, 640);
        isNoWiderThan(name, NARROWEST);
        window.looks("light", WIDTHS[2], 780);
        // A frame is drawn only while it is on the screen.
        if ((Boolean) window.script("const preview = document.querySelector('.preview'); preview?.scrollIntoView(); "
                + "return preview !== null && document.querySelector('dialog') === null")) {
            window.shoot(name + "-light-" + WIDTHS[2] + "-preview");
        }
    }

    private void check(String name, int width, String scheme, List<String> rules) {
        for (Object violation : (List<?>) window.driver.executeAsyncScript(VIOLATIONS, rules)) {
            wrong.add(name + ", " + width + " px, " + scheme + ", " + violation);
        }
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
}
