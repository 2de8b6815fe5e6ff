package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static stet.pages.WritePage.choose;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import stet.harness.Chromium;
import stet.harness.DemoAccount;
import stet.harness.Look.View;
import stet.harness.Look;
import stet.harness.Window;

/** Accessibility and layout of writing without HTML, and its dialogs. */
@Tag("browser")
@ExtendWith(Chromium.class)
class WriteLookTest {
    private static final String MAIL = """
            <!doctype html>
            <html lang="en"><head><title>Sale</title><style>.call { background-color: #18463b; }</style></head><body style="margin: 0;">
            <h1>Our sale</h1>
            <p style="color: #333333;">Everything at <strong>half price</strong>.</p>
            <img src="https://img.example/a.png" width="300" alt="Tulips">
            <table role="presentation"><tr><td><a class="call" href="{{shop_url}}" style="display: inline-block; padding: 10px 20px; color: #ffffff;">Shop</a></td></tr></table>
            {{#if vip}}
              <p>For you</p>
            {{/if}}
            {{> footer}}
            {{#if a}}<div>{{/if}}<p>x</p>{{#if a}}</div>{{/if}}
            </body></html>
            """;

    @AutoClose
    private static DemoAccount data;

    @BeforeAll
    static void fill() throws IOException {
        data = new DemoAccount();
        data.stet.draft(data.demo, "sale", "Sale", "Our sale", MAIL);
        data.stet.draft(data.demo, "blank", "Blank", "", "");
    }

    private static final List<View> VIEWS = List.of(
            new View("write", "/templates/receipt", window -> window.heading("Receipt").sees(".pieces", "Each of items").preview("Thank you")),
            new View("write-text", "/templates/sale", window -> {
                window.heading("Sale").preview("Our sale");
                choose(window, "Everything at");
                window.sees(".piece-panel", "Text colour");
            }),
            new View("write-image", null, window -> {
                choose(window, "Tulips");
                window.sees(".piece-panel", "Decorative");
            }),
            new View("write-button", null, window -> {
                choose(window, "Shop");
                window.sees(".piece-panel", "Override here");
            }),
            new View("write-condition", null, window -> {
                choose(window, "If vip");
                window.sees(".piece-panel", "Shown only if");
            }),
            new View("write-block", null, window -> {
                choose(window, "footer");
                window.sees(".piece-panel", "Open block");
            }),
            new View("write-wrap", null, window -> {
                choose(window, "Our sale");
                window.click("Condition or list…").heading("Condition or list");
            }),
            new View("write-image-new", null, window -> window.keys(Keys.ESCAPE).closed().click("Add image").heading("Choose an image")),
            new View("write-image-address", null, window -> window.click("Use an address instead…").heading("Add an image")),
            new View("write-code-new", null, window -> window.keys(Keys.ESCAPE).closed().click("Add code").heading("Add HTML")),
            new View("write-list-new", null, window -> window.keys(Keys.ESCAPE).closed().click("Add list").heading("Add a list")),
            new View("write-block-new", null, window -> window.keys(Keys.ESCAPE).closed().click("Add copy of a block").heading("Add a copy of a shared block")),
            new View("write-blank", "/templates/blank", window -> window.heading("Blank").sees(".fixed-parts", "no sections")));

    @Test
    void writingAndItsDialogsAreAccessibleAndFitTheWindow(Window window) throws IOException {
        Look look = new Look(window);
        window.expect(".*img.example.*").signedIn(data.stet, data.demo, "/usage").heading("Usage").writes().open(data.stet, "/templates/receipt").heading("Receipt");
        look.at(VIEWS);
        for (String pane : List.of("Text", "Details")) {
            window.goTo("/templates/sale").heading("Sale").click(pane);
            look.narrow("write-" + pane.toLowerCase(Locale.ROOT), "light");
        }
        assertEquals("[Link]", look.missed(Set.of("pieceforms.js"), Pattern.compile("none")).toString(), "WriteJourneyTest opens it");
        assertEquals("", look.wrong());
    }

    /** Anything that does not fit: more than one row of header or tabs, cut-off names, a second scroll bar. */
    private static final String MISFITS = """
            const rows = all => new Set([...all].map(each => Math.round(each.getBoundingClientRect().bottom))).size;
            const isCut = node => node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1;
            const root = document.documentElement;
            return [
              document.querySelector('.details').getBoundingClientRect().height < 56 ? '' : 'header',
              rows(document.querySelectorAll('.side [role=tab]')) === 1 ? '' : 'rows of tabs',
              ...[...document.querySelectorAll('.side [role=tab], .kind, .side [role=tablist]')].filter(isCut).map(node => node.textContent.trim()),
              root.scrollHeight > root.clientHeight ? 'page higher than its window: ' + root.scrollHeight : '',
            ].filter(each => each !== '').join('; ');
            """;

    @ParameterizedTest
    @ValueSource(ints = {1440, 1280, 1024})
    void theEditorFitsItsWindow(int width, Window window) {
        window.looks("light", width, 800).signedIn(data.stet, data.demo, "/usage").heading("Usage").writes();
        window.open(data.stet, "/templates/receipt").heading("Receipt").sees(".side", "Comments").preview("Thank you");
        window.script("document.querySelector('.saved').textContent = 'Saved 19 hours ago by somebody with a long name'");
        assertEquals("", window.script(MISFITS));
        window.goTo("/templates/newsletter").heading("Autumn newsletter").sees(".counter.blocking", "5");
        assertEquals("", window.script(MISFITS));
    }
}
