package stet;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Looks at pages, light and dark and at each width: notes all that axe-core finds serious or critical and all that is wider than
 * the window, and keeps a picture of each in {@code target/screens}.
 */
final class Look {
    private static final int WIDE = 1440;
    private static final int MIDDLE = 768;
    private static final int NARROW = 360;
    /** The narrowest window, in which nothing scrolls sideways. */
    private static final int NARROWEST = 320;
    /** Rules whose findings depend on the width: what is folded, wrapped, scrolled or laid over something. */
    private static final List<String> OF_WIDTH = List.of("color-contrast", "target-size", "scrollable-region-focusable", "aria-hidden-focus",
            "link-name", "button-name", "label", "empty-heading");
    /** In the dark the colours alone are others. */
    private static final List<String> OF_COLOUR = List.of("color-contrast");
    private static final String AXE = Window.resource("/axe.min.js");
    /** Findings of axe that keep someone from using a page or its open dialog, each with its first places. */
    private static final String VIOLATIONS = """
            const done = arguments[arguments.length - 1];
            const said = node => node.html.slice(0, 200) + ' (' + node.failureSummary.replace(/\\s+/g, ' ') + ')';
            const only = arguments[0] ? { runOnly: { type: 'rule', values: arguments[0] } } : {};
            axe.run(document.querySelector('dialog[open]') ?? document, { iframes: false, preload: false, resultTypes: ['violations'], ...only }).then(
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

    private final Window window;
    private final List<String> wrong = new ArrayList<>();

    Look(Window window) {
        this.window = window;
    }

    /** A page, and what is done on it before it is looked at. @param path or null, to go on with the page of the view before */
    record View(String name, String path, Consumer<Window> steps) {
    }

    /**
     * Opens the page once: at another width and in the dark it is drawn anew, as it is when the window or the system changes. All
     * rules are applied to a wide and light page; then those whose findings may change with the colours or with the width.
     */
    void at(String name, Runnable steps) {
        window.looks("light", WIDE, 900);
        steps.run();
        if (!(Boolean) window.script("return 'axe' in window")) {
            window.script(AXE);
        }
        check(name, "light", WIDE, null);
        window.looks("dark", WIDE, 900);
        check(name, "dark", WIDE, OF_COLOUR);
        window.looks("dark", MIDDLE, 900);
        check(name, "dark", MIDDLE, OF_WIDTH);
        window.looks("light", NARROW, 780);
        check(name, "light", NARROW, OF_WIDTH);
        window.looks("light", NARROWEST, 640);
        isNoWiderThan(name, NARROWEST);
    }

    /** Keeps a picture of the preview on a narrow screen: a frame is drawn only while it is on the screen. */
    void atPreview(String name) {
        window.looks("light", NARROW, 780).script("document.querySelector('.preview').scrollIntoView()");
        window.shoot(name + "-light-" + NARROW + "-preview");
    }

    private void check(String name, String scheme, int width, List<String> rules) {
        for (Object violation : (List<?>) window.driver.executeAsyncScript(VIOLATIONS, rules)) {
            wrong.add(name + ", " + width + " px, " + scheme + ", " + violation);
        }
        isNoWiderThan(name, width);
        if (width == NARROW) {
            window.shootWhole(name + "-" + scheme + "-" + width);
        } else {
            window.shoot(name + "-" + scheme + "-" + width);
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
