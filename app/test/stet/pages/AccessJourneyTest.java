package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.zxing.common.BitMatrix;
import com.google.zxing.qrcode.decoder.Decoder;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import stet.access.TwoFactorTest;
import stet.base.Totp;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** Two-factor authentication in a browser: set-up by QR code, sign-in, and an account that requires it. */
@Tag("browser")
@ExtendWith(Chromium.class)
class AccessJourneyTest {
    private static final String EMAIL = "ada@example.com";
    private static final String PASSWORD = "correct horse";
    private static final Pattern SQUARE = Pattern.compile("M(\\d+) (\\d+)h1v1h-1z");
    /** Quiet zone around the QR code, in modules. */
    private static final int MARGIN = 4;

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account(EMAIL, Plan.FREE, PASSWORD);

    /** Decodes the QR code like a camera would. */
    private static String picture(Window window) throws Exception {
        String size = (String) window.script("return document.querySelector('.qr svg').getAttribute('viewBox')");
        BitMatrix squares = new BitMatrix(Integer.parseInt(size.replaceFirst(".* ", "")) - 2 * MARGIN);
        String drawn = (String) window.script("return document.querySelector('.qr path').getAttribute('d')");
        for (MatchResult square : SQUARE.matcher(drawn).results().toList()) {
            squares.set(Integer.parseInt(square.group(1)) - MARGIN, Integer.parseInt(square.group(2)) - MARGIN);
        }
        return new Decoder().decode(squares).getText();
    }

    private static boolean fits(Window window) {
        window.looks("light", 360, 740);
        boolean fits = (Boolean) window.script(
                "const root = document.documentElement; return root.scrollWidth <= root.clientWidth");
        window.looks("light", 1280, 900);
        return fits;
    }

    @Test
    void anotherSessionIsEndedFromTheSecurityPage(Window window) {
        Browser elsewhere = Browser.of(stet, ada);
        window.open(stet, "/signin").type("Email", EMAIL).type("Password", PASSWORD).click("Sign in").heading("No templates yet");
        window.follow("Account " + EMAIL).follow("Sessions and two-factor authentication").heading("Security").sees("this browser")
                .sees("Chrome on Linux");
        assertTrue(fits(window));
        assertEquals(200, elsewhere.get("/data/session").status());
        window.click("Sign out Unknown").sees("Session ended.");
        assertEquals(401, elsewhere.get("/data/session").status());
    }

    /** One journey: set up by keyboard only, required for everyone, used at sign-in, turned off with a recovery code, and demanded again. */
    @Test
    void twoFactorAuthenticationIsSetUpUsedAndRequired(Window window) throws Exception {
        window.open(stet, "/signin").type("Email", EMAIL).type("Password", PASSWORD).click("Sign in").heading("No templates yet");
        window.follow("Account " + EMAIL).follow("Sessions and two-factor authentication").heading("Security");
        window.tabTo("button", "Set up…").keys(Keys.ENTER).heading("Set up two-factor authentication");
        window.keys(PASSWORD, Keys.ENTER).sees("Scan this QR code with your authenticator app");
        String key = window.value("Key").replace(" ", "");
        assertEquals("otpauth://totp/Stet:ada%40example.com?secret=" + key + "&issuer=Stet", picture(window));
        assertTrue(fits(window));
        byte[] secret = TwoFactorTest.secret(key);
        window.keys("000000", Keys.ENTER).sees("The code is wrong or has already been used; enter the next code.");
        window.type("Code", Totp.code(secret, stet.now())).keys(Keys.ENTER).heading("Your recovery codes");
        assertTrue(fits(window));
        String recovery = window.shown(".codes li").split("\n")[0];
        window.keys(Keys.ESCAPE).click("I've saved them").closed().sees("10 recovery codes left.");

        window.click("Require…").click("Require").sees("must use two-factor authentication");
        window.click("Sign out").heading("Sign in").type("Email", EMAIL).type("Password", PASSWORD).click("Sign in")
                .sees("Enter the code from your authenticator app or a recovery code.");
        stet.clock.advance(Duration.ofSeconds(30));
        window.keys(Totp.code(secret, stet.now()), Keys.ENTER).heading("No templates yet");

        window.open(stet, "/security").click("Turn off…").type("Password", PASSWORD).type("Code", recovery).click("Turn off")
                .sees("Two-factor authentication is off.");
        window.open(stet, "/keys").heading("Security")
                .sees("You must set up two-factor authentication before you can access ada@example.com.");
        assertEquals("/security", window.path());
    }
}
